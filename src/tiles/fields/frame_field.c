// SPDX-License-Identifier: Apache-2.0
/// Converts fields of frames to fields of solvers: a frame interleaves the components of a
/// voxel, a solver has one array per component.
#include "tiles/internal.h"

static const char *name_of(const sp_field *field)
{
    return field->name ? field->name : "field";
}

static sp_status check_field(const sp_field *field, sp_error *err)
{
    const char *name = name_of(field);
    if (field->layout != SP_FIELD_TILES)
        return sp_fail(err, SP_DAMAGED, "%s: not a field of tiles", name);
    if (field->components < 1 || field->components > 3)
        return sp_fail(err, SP_DAMAGED, "%s: %d components; expected 1 to 3", name,
                       field->components);
    if (field->tile_count && !(field->tiles && field->values))
        return sp_fail(err, SP_DAMAGED, "%s: %zu tiles without coordinates or values", name,
                       field->tile_count);
    uint64_t last = 0;
    for (size_t t = 0; t < field->tile_count; ++t) {
        const int32_t *at = field->tiles + 3 * t;
        if (!sp_tiles_within_reach(at))
            return sp_fail(err, SP_DAMAGED, "%s: tile %zu is at (%d, %d, %d); expected within +-%d",
                           name, t, at[0], at[1], at[2], SP_TILES_REACH);
        const uint64_t code = sp_tiles_morton(at);
        if (t > 0 && code <= last)
            return sp_fail(err, SP_DAMAGED, "%s: tile %zu at (%d, %d, %d) %s", name, t, at[0],
                           at[1], at[2],
                           code == last ? "is there twice" : "is not in Morton order");
        last = code;
    }
    return SP_OK;
}

typedef struct splitting {
    const sp_field *field;
    float **values; ///< one array per component
} splitting;

static void split(void *arg, size_t begin, size_t end)
{
    const splitting *s = arg;
    const size_t n = (size_t)s->field->components;
    for (size_t c = 0; c < n; ++c)
        for (size_t i = begin * SP_TILE_VOXELS; i < end * SP_TILE_VOXELS; ++i)
            s->values[c][i] = s->field->values[i * n + c];
}

static sp_status open_topology(sp_tiles *tiles, const sp_host *host, float voxel,
                               const sp_field *field, sp_error *err)
{
    SP_TRY(sp_tiles_check_voxel(voxel, err));
    uint64_t *codes = sp_allocate(host, field->tile_count, sizeof *codes);
    if (!codes)
        return sp_fail(err, SP_NO_MEMORY, "%s: no memory for %zu tiles", name_of(field),
                       field->tile_count);
    for (size_t t = 0; t < field->tile_count; ++t)
        codes[t] = sp_tiles_morton(field->tiles + 3 * t);
    const sp_status status =
        sp_tiles_build(tiles, host, voxel, NULL, codes, field->tile_count, err);
    sp_release(host, codes);
    return status;
}

sp_status sp_tiles_from_field(sp_tiles *tiles, const sp_host *host, float voxel,
                              const sp_field *field, float *values[3], sp_error *err)
{
    *tiles = (sp_tiles){0};
    values[0] = values[1] = values[2] = NULL;
    SP_TRY(check_field(field, err));
    SP_TRY(open_topology(tiles, host, voxel, field, err));
    bool enough = true;
    for (int c = 0; c < field->components; ++c) {
        values[c] = sp_tiles_field(tiles, 0.0f);
        enough &= values[c] != NULL;
    }
    if (enough) {
        sp_tiles_parallel(tiles, split, &(splitting){field, values});
        return SP_OK;
    }
    for (int c = 0; c < field->components; ++c) {
        sp_release(host, values[c]);
        values[c] = NULL;
    }
    sp_tiles_close(tiles);
    return sp_fail(err, SP_NO_MEMORY, "%s: no memory for %zu tiles", name_of(field),
                   field->tile_count);
}

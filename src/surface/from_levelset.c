// SPDX-License-Identifier: Apache-2.0
/// A mesh from a level set of a frame.
#include "surface/internal.h"

#include <string.h>

typedef struct level {
    sp_tiles tiles;
    float *phi;
} level;

/// The field with a ring of air tiles around it, so that a surface which ends at the border of its
/// tiles is closed there.
static sp_status open_level(level *l, const sp_frame *frame, const sp_field *field, float band,
                            const sp_host *host, sp_error *err)
{
    sp_tiles tight = {0};
    float *values[3] = {NULL, NULL, NULL};
    SP_TRY(sp_tiles_from_field(&tight, host, (float)frame->voxel, field, values, err));
    sp_status status = sp_tiles_dilate(&l->tiles, &tight, 1, err);
    if (status == SP_OK) {
        l->phi = sp_tiles_field(&l->tiles, band);
        if (l->phi)
            sp_tiles_carry(&tight, values[0], &l->tiles, l->phi, band);
        else
            status = sp_fail(err, SP_NO_MEMORY, "surface: no memory for %zu tiles", l->tiles.count);
    }
    sp_release(host, values[0]);
    sp_tiles_close(&tight);
    return status;
}

static sp_status check_values(const level *l, const sp_field *field, sp_error *err)
{
    for (size_t v = 0; v < l->tiles.count * SP_TILE_VOXELS; ++v)
        if (!isfinite(l->phi[v]))
            return sp_fail(err, SP_DIVERGED, "field \"%s\" holds something that is not a number",
                           field->name);
    return SP_OK;
}

/// Samples the velocity half a voxel inside the surface, where there is liquid.
static sp_status sample_velocity(sp_mesh *mesh, const sp_frame *frame, const sp_field *field,
                                 sp_error *err)
{
    const sp_host *host = mesh->host;
    const size_t n = mesh->vertex_count;
    sp_tiles tiles = {0};
    float *values[3] = {NULL, NULL, NULL};
    SP_TRY(sp_tiles_from_field(&tiles, host, (float)frame->voxel, field, values, err));
    float *column = sp_allocate(host, 4 * n, sizeof *column);
    mesh->v = sp_allocate(host, n, sizeof *mesh->v);
    sp_status status = SP_OK;
    if (column && mesh->v) {
        for (size_t v = 0; v < n; ++v)
            for (size_t c = 0; c < 3; ++c)
                column[c * n + v] = mesh->x[v][c] - 0.5f * tiles.voxel * mesh->n[v][c];
        for (size_t c = 0; c < 3; ++c) {
            sp_tiles_sample_many(&tiles, values[c], sp_tiles_place(field, (int)c), 0.0f, n, column,
                                 column + n, column + 2 * n, column + 3 * n, NULL);
            for (size_t v = 0; v < n; ++v)
                mesh->v[v][c] = column[3 * n + v];
        }
    } else {
        status = sp_fail(err, SP_NO_MEMORY, "surface: no memory for %zu velocities", n);
    }
    sp_release(host, column);
    for (int c = 0; c < 3; ++c)
        sp_release(host, values[c]);
    sp_tiles_close(&tiles);
    return status;
}

static sp_status mesh_level(const sp_surface_def *def, const sp_frame *frame, level *l, float band,
                            const sp_clip *clip, const sp_host *host, sp_mesh *mesh, sp_error *err)
{
    if (def->level_passes > 0) {
        SP_TRY(sp_levelset_redistance(&l->tiles, l->phi, band, err));
        SP_TRY(sp_levelset_smooth(&l->tiles, l->phi, band, def->level_passes, err));
        SP_TRY(sp_levelset_redistance(&l->tiles, l->phi, band, err));
    }
    sp_surface_clip(&l->tiles, l->phi, clip, frame->origin);
    SP_TRY(sp_surface_cubes(&l->tiles, l->phi, band, host, mesh, err));
    memcpy(mesh->origin, frame->origin, sizeof mesh->origin);
    SP_TRY(surface_finish(def, mesh, err));
    const sp_field *velocity = sp_frame_field(frame, "velocity");
    if (sp_field_on_tiles(velocity, 3)) SP_TRY(sample_velocity(mesh, frame, velocity, err));
    return SP_OK;
}

sp_status sp_surface_field(const sp_surface_def *def, const sp_frame *frame, const char *name,
                           const sp_clip *clip, const sp_host *host, sp_mesh *mesh,
                           sp_surface_stats *stats, sp_error *err)
{
    *mesh = (sp_mesh){0};
    SP_TRY(surface_check_def(def, err));
    const sp_field *field = sp_frame_field(frame, name);
    if (!field) return sp_fail(err, SP_BAD_INPUT, "the frame has no field \"%s\"", name);
    if (!sp_field_on_tiles(field, 1))
        return sp_fail(err, SP_BAD_INPUT, "field \"%s\" is no level set on tiles", name);
    if (!(frame->voxel > 0.0))
        return sp_fail(err, SP_BAD_INPUT, "the frame of field \"%s\" has no voxel size", name);
    const float band = 3.0f * (float)frame->voxel;
    const double begun = sp_now(host);
    level l = {0};
    sp_status status = open_level(&l, frame, field, band, host, err);
    if (status == SP_OK) status = check_values(&l, field, err);
    if (status == SP_OK) status = mesh_level(def, frame, &l, band, clip, host, mesh, err);
    if (stats) *stats = (sp_surface_stats){.tiles = l.tiles.count};
    if (stats) stats->seconds[5] = sp_now(host) - begun;
    sp_release(host, l.phi);
    sp_tiles_close(&l.tiles);
    if (status != SP_OK) sp_mesh_close(mesh);
    return status;
}

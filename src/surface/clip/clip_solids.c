// SPDX-License-Identifier: Apache-2.0
/// Clips a surface at the solids of a scene, by distances on tiles around it.
#include "surface/clip.h"

#include <math.h>
#include <string.h>

static void copy_domain(const sp_domain_def *domain, sp_clip_solids *out)
{
    out->has_domain = domain != NULL;
    for (int a = 0; domain && a < 3; ++a) {
        out->low[a] = (double)domain->min[a];
        out->high[a] = (double)domain->max[a];
    }
}

sp_status sp_clip_solids_open(const sp_world_def *world, bool colliders, const sp_host *host,
                              sp_clip_solids **out, sp_error *err)
{
    *out = NULL;
    SP_TRY(sp_struct_check(host->struct_size, sizeof *host, "sp_host_default()", err));
    sp_clip_solids *solids = sp_allocate(host, 1, sizeof *solids);
    if (!solids) return sp_fail(err, SP_NO_MEMORY, "no memory for solids to clip at");
    solids->host = host;
    copy_domain(world->domain, solids);
    const sp_status status =
        colliders ? sp_colliders_open(&solids->colliders, world, host, NULL, NULL, err) : SP_OK;
    if (status == SP_OK)
        *out = solids;
    else
        sp_clip_solids_close(solids);
    return status;
}

void sp_clip_solids_close(sp_clip_solids *solids)
{
    if (!solids) return;
    sp_colliders_close(&solids->colliders);
    sp_release(solids->host, solids);
}

/// The tiles that hold the set's particles or the field's values. The surface lies within a tile's
/// width of these, so one ring around them holds it.
static sp_status cover(sp_tiles *tiles, const sp_host *host, const sp_frame *frame,
                       const char *name, sp_error *err)
{
    const sp_set *set = sp_frame_set(frame, name);
    const sp_field *field = sp_frame_field(frame, name);
    const size_t count = set ? set->count : field->tile_count;
    sp_tiles bare = {0};
    int32_t(*at)[3] = sp_allocate(host, count, sizeof *at);
    if (!at) return sp_fail(err, SP_NO_MEMORY, "no memory for %zu tiles to clip on", count);
    if (set) {
        const float *x = sp_set_column(set, "position")->data;
        const double width = SP_TILE * frame->voxel;
        for (size_t i = 0; i < 3 * count; ++i) // the mesher reports those that are not finite
            at[i / 3][i % 3] = isfinite(x[i]) ? (int32_t)floor((double)x[i] / width) : 0;
    } else {
        memcpy(at, field->tiles, count * sizeof *at);
    }
    sp_status status =
        sp_tiles_open(&bare, host, (float)frame->voxel, (const int32_t(*)[3])at, count, err);
    if (status == SP_OK) status = sp_tiles_dilate(tiles, &bare, 1, err);
    sp_tiles_close(&bare);
    sp_release(host, at);
    return status;
}

/// World positions of a tile's voxel centres.
static void centers(const sp_frame *frame, const int32_t at[3], double p[SP_TILE_VOXELS][3])
{
    for (int v = 0; v < SP_TILE_VOXELS; ++v) {
        const int in[3] = {v & 7, v >> 3 & 7, v >> 6};
        for (int k = 0; k < 3; ++k)
            p[v][k] = frame->origin[k] + ((double)(8 * at[k] + in[k]) + 0.5) * frame->voxel;
    }
}

static sp_status measure(sp_clip_field *out, const sp_clip_solids *solids, const sp_frame *frame,
                         const char *name, sp_error *err)
{
    SP_TRY(cover(&out->tiles, solids->host, frame, name, err));
    out->phi = sp_tiles_field(&out->tiles, -INFINITY);
    if (!out->phi) return sp_fail(err, SP_NO_MEMORY, "no memory for the distances to clip with");
    for (size_t i = 0; i < solids->colliders.count; ++i) // for meshes that deform
        SP_TRY(sp_shape_deform(solids->colliders.shapes[i], frame->time, err));
    for (size_t t = 0; t < out->tiles.count; ++t) {
        double p[SP_TILE_VOXELS][3];
        float *phi = out->phi + SP_TILE_VOXELS * t, distance[SP_TILE_VOXELS];
        centers(frame, out->tiles.at[t], p);
        for (size_t s = 0; s < solids->colliders.count; ++s) {
            sp_shape_distances(solids->colliders.shapes[s], frame->time, SP_TILE_VOXELS,
                               (const double(*)[3])p, distance, NULL);
            for (int v = 0; v < SP_TILE_VOXELS; ++v)
                phi[v] = fmaxf(phi[v], -distance[v]); // intersect with the outside of the solid
        }
    }
    out->clip.tiles = &out->tiles;
    out->clip.phi = out->phi;
    return SP_OK;
}

sp_status sp_clip_field_open(sp_clip_field *out, const sp_clip_solids *solids,
                             const sp_frame *frame, const char *name, sp_error *err)
{
    *out = (sp_clip_field){0};
    if (!solids) return SP_OK;
    out->clip.use_box = solids->has_domain && sp_frame_field(frame, name);
    memcpy(out->clip.low, solids->low, sizeof out->clip.low);
    memcpy(out->clip.high, solids->high, sizeof out->clip.high);
    const sp_status status =
        solids->colliders.count ? measure(out, solids, frame, name, err) : SP_OK;
    if (status != SP_OK) sp_clip_field_close(out);
    return status;
}

void sp_clip_field_close(sp_clip_field *field)
{
    if (field->tiles.host) sp_release(field->tiles.host, field->phi);
    sp_tiles_close(&field->tiles);
    *field = (sp_clip_field){0};
}

/// ---- Clipped frame -----------------------------------------------------------------------------

/// Clips phi and clamps it to its old band: the clip's distances reach farther than the band.
static void clip_within_band(sp_clipped_frame *c, const sp_clip *clip)
{
    float band = 0.0f;
    for (size_t v = 0; v < c->tiles.count * SP_TILE_VOXELS; ++v)
        band = fmaxf(band, fabsf(c->phi[v]));
    sp_surface_clip(&c->tiles, c->phi, clip, c->frame.origin);
    for (size_t v = 0; v < c->tiles.count * SP_TILE_VOXELS; ++v)
        c->phi[v] = fminf(c->phi[v], band);
}

static sp_status clip_surface(sp_clipped_frame *c, const sp_clip_solids *solids, size_t which,
                              sp_error *err)
{
    const sp_host *host = solids->host;
    const size_t count = c->frame.field_count;
    float *values[3] = {NULL, NULL, NULL};
    sp_clip_field clip = {0};
    SP_TRY(sp_tiles_from_field(&c->tiles, host, (float)c->frame.voxel, &c->frame.fields[which],
                               values, err));
    c->phi = values[0];
    c->fields = sp_allocate(host, count, sizeof *c->fields);
    if (!c->fields) return sp_fail(err, SP_NO_MEMORY, "no memory for %zu fields", count);
    SP_TRY(sp_clip_field_open(&clip, solids, &c->frame, "surface", err));
    clip_within_band(c, &clip.clip);
    sp_clip_field_close(&clip);
    memcpy(c->fields, c->frame.fields, count * sizeof *c->fields);
    c->fields[which].values = c->phi;
    c->fields[which].tiles = c->tiles.at[0];
    c->frame.fields = c->fields;
    return SP_OK;
}

sp_status sp_clipped_frame_open(sp_clipped_frame *out, const sp_clip_solids *solids,
                                const sp_frame *frame, sp_error *err)
{
    *out = (sp_clipped_frame){.frame = *frame};
    if (!solids) return SP_OK;
    size_t which = 0;
    while (which < frame->field_count && strcmp(frame->fields[which].name, "surface") != 0)
        ++which;
    if (which == frame->field_count || (!solids->has_domain && solids->colliders.count == 0))
        return SP_OK;
    const sp_field *field = &frame->fields[which];
    if (!sp_field_on_tiles(field, 1) || field->tile_count == 0) return SP_OK;
    const sp_status status = clip_surface(out, solids, which, err);
    if (status != SP_OK) sp_clipped_frame_close(out);
    return status;
}

void sp_clipped_frame_close(sp_clipped_frame *clipped)
{
    const sp_host *host = clipped->tiles.host;
    if (host) {
        sp_release(host, clipped->phi);
        sp_release(host, clipped->fields);
    }
    sp_tiles_close(&clipped->tiles);
    *clipped = (sp_clipped_frame){0};
}

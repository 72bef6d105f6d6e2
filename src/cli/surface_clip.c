// SPDX-License-Identifier: Apache-2.0
#include "cli/surface_clip.h"

#include "cli/commands.h"

#include <math.h>
#include <string.h>

static sp_status open_shapes(const sp_world_def *world, surface_solids *out, sp_error *err)
{
    const size_t count = world->collider_count;
    out->shapes = sp_allocate(out->host, count + 1, sizeof *out->shapes);
    if (!out->shapes) return sp_fail(err, SP_NO_MEMORY, "no memory for %zu solids", count);
    for (; out->count < count; ++out->count)
        SP_TRY(sp_shape_open(&world->colliders[out->count], NULL, out->host,
                             &out->shapes[out->count], err));
    return SP_OK;
}

static void copy_domain(const sp_domain_def *domain, surface_solids *out)
{
    out->has_domain = domain != NULL;
    for (int a = 0; domain && a < 3; ++a) {
        out->low[a] = (double)domain->min[a];
        out->high[a] = (double)domain->max[a];
    }
}

int surface_solids_open(const cli_call *call, const char *scene_text, const sp_host *host,
                        surface_solids *out)
{
    size_t solver_count;
    sp_scene *scene = NULL;
    sp_error err = {0};
    const sp_solver_type *const *solvers = sp_scene_solvers(&solver_count);
    *out = (surface_solids){.host = host};
    sp_status status = scene_text
                           ? sp_scene_open_text("scene.json", scene_text, strlen(scene_text), NULL,
                                                solvers, solver_count, host, &scene, &err)
                           : sp_fail(&err, SP_IO, "scene.json: could not be read");
    const bool clip = cli_given(call, "clip");
    if (status == SP_OK) copy_domain(scene->common.world.domain, out);
    if (status == SP_OK && clip) status = open_shapes(&scene->common.world, out, &err);
    sp_scene_close(scene);
    if (clip && status != SP_OK) return cli_unreadable(call, &err);
    if (clip && out->count == 0)
        return cli_bad_input(call, "--clip: the run's scene has no colliders to clip against");
    return CLI_FINE;
}

void surface_solids_close(surface_solids *solids)
{
    for (size_t i = 0; i < solids->count; ++i)
        sp_shape_close(solids->shapes[i]);
    if (solids->host) sp_release(solids->host, solids->shapes);
    *solids = (surface_solids){0};
}

/// The tiles that hold the set's particles or the field's values. A ring around them holds whatever
/// surface they can have: it lies within a tile's width.
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
        for (size_t i = 0; i < 3 * count; ++i) // what is not a number is named by the mesher
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

static sp_status measure(surface_clip_field *out, const surface_solids *solids,
                         const sp_frame *frame, const char *name, sp_error *err)
{
    SP_TRY(cover(&out->tiles, solids->host, frame, name, err));
    out->phi = sp_tiles_field(&out->tiles, -INFINITY);
    if (!out->phi) return sp_fail(err, SP_NO_MEMORY, "no memory for the distances to clip with");
    for (size_t i = 0; i < solids->count; ++i) // meshes that change their shape
        SP_TRY(sp_shape_deform(solids->shapes[i], frame->time, err));
    for (size_t t = 0; t < out->tiles.count; ++t) {
        double p[SP_TILE_VOXELS][3];
        float *phi = out->phi + SP_TILE_VOXELS * t, distance[SP_TILE_VOXELS];
        centers(frame, out->tiles.at[t], p);
        for (size_t s = 0; s < solids->count; ++s) {
            sp_shape_distances(solids->shapes[s], frame->time, SP_TILE_VOXELS,
                               (const double(*)[3])p, distance, NULL);
            for (int v = 0; v < SP_TILE_VOXELS; ++v)
                phi[v] = fmaxf(phi[v], -distance[v]); // outside of every solid
        }
    }
    out->clip.tiles = &out->tiles;
    out->clip.phi = out->phi;
    return SP_OK;
}

sp_status surface_clip_open(surface_clip_field *out, const surface_solids *solids,
                            const sp_frame *frame, const char *name, sp_error *err)
{
    *out = (surface_clip_field){.clip.use_box = solids->has_domain && sp_frame_field(frame, name)};
    memcpy(out->clip.low, solids->low, sizeof out->clip.low);
    memcpy(out->clip.high, solids->high, sizeof out->clip.high);
    const sp_status status = solids->count ? measure(out, solids, frame, name, err) : SP_OK;
    if (status != SP_OK) surface_clip_close(out);
    return status;
}

void surface_clip_close(surface_clip_field *field)
{
    if (field->tiles.host) sp_release(field->tiles.host, field->phi);
    sp_tiles_close(&field->tiles);
    *field = (surface_clip_field){0};
}

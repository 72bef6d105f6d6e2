// SPDX-License-Identifier: Apache-2.0
/// The liquid of a frame as one closed mesh.
#include "render/internal.h"

#include <math.h>
#include <string.h>

sp_surface_def stage_surface_def(const stage *s, sp_surface_method usual, int passes)
{
    static const sp_surface_method methods[] = {SP_SURFACE_ELLIPSOIDS, SP_SURFACE_SPHERES,
                                                SP_SURFACE_ZHU_BRIDSON, SP_SURFACE_ELLIPSOIDS};
    const sp_look_surface *look = &s->look->surface;
    sp_surface_def def = sp_surface_defaults();
    def.method = look->method == SP_LOOK_METHOD_AUTO ? usual : methods[look->method];
    def.search = look->search;
    def.smooth_centers = look->smooth_centers;
    def.stretch = look->stretch;
    def.isolated_scale = look->isolated_scale;
    def.min_neighbours = look->min_neighbours;
    def.level_passes = look->level_passes;
    def.mesh_passes = look->mesh_passes < 0 ? passes : look->mesh_passes;
    def.offset = look->auto_offset ? NAN : look->offset;
    return def;
}

/// Signed distance to the nearest collider of the scene.
static double nearest_solid(const void *arg, const double x[3], double away[3])
{
    const stage *s = arg;
    double least = HUGE_VAL, gradient[3];
    for (size_t i = 0; i < s->options->collider_count; ++i) {
        const double d = sp_shape_distance(s->options->colliders[i], s->frame->time, x, gradient);
        if (d >= least) continue;
        least = d;
        memcpy(away, gradient, sizeof gradient);
    }
    return least;
}

/// Solvers continue their level set beyond the sides of the domain, where no collider hides it:
/// clip it to the domain.
static sp_status put_level_set(const stage *s, const sp_surface_def *def, sp_mesh *mesh,
                               sp_error *err)
{
    const sp_domain_def *domain = s->options->domain;
    sp_clip clip = {.use_box = domain != NULL};
    for (int a = 0; domain && a < 3; ++a) {
        clip.low[a] = (double)domain->min[a];
        clip.high[a] = (double)domain->max[a];
    }
    return sp_surface_field(def, s->frame, "surface", &clip, s->host, mesh, NULL, err);
}

/// A solver whose water has no surface, only bubbles: all of the domain is water, like a block cut out of
/// the sea.
static sp_status put_domain(const stage *s, sp_mesh *mesh, sp_error *err)
{
    static const uint8_t quads[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                        {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    const sp_domain_def *domain = s->options->domain;
    SP_TRY(sp_mesh_open(mesh, s->host, 8, 12, 0, err));
    for (int v = 0; v < 8; ++v)
        for (int a = 0; a < 3; ++a)
            mesh->x[v][a] = v >> a & 1 ? domain->max[a] - domain->min[a] : 0.0f;
    for (int a = 0; a < 3; ++a)
        mesh->origin[a] = (double)domain->min[a];
    for (size_t q = 0; q < 6; ++q) {
        const uint8_t *c = quads[q];
        sp_mesh_put(mesh, 2 * q, c[0], c[1], c[2]);
        sp_mesh_put(mesh, 2 * q + 1, c[0], c[2], c[3]);
    }
    return SP_OK;
}

/// The liquid as a height field, else from the frame's level set, else from its particles.
sp_status stage_water(stage *s, sp_error *err)
{
    const sp_field *surface = sp_frame_field(s->frame, "surface"),
                   *height = sp_frame_field(s->frame, "height"),
                   *depth = sp_frame_field(s->frame, "depth");
    const sp_set *liquid = sp_frame_set(s->frame, "liquid");
    if (height && height->layout == SP_FIELD_PLANE) return stage_basin(s, height, depth, err);
    const bool on_tiles = surface && surface->layout == SP_FIELD_TILES && surface->tile_count > 0;
    const bool on_points = liquid && liquid->count > 0;
    const sp_set *bubbles = sp_frame_set(s->frame, "bubbles");
    const bool all = !surface && !liquid && s->options->domain && bubbles;
    if (!on_tiles && !on_points && !all) return SP_OK;
    stage_mesh *out = stage_add_mesh(s);
    out->kind = SP_TRACE_WATER;
    if (!on_tiles && !on_points) return put_domain(s, &out->mesh, err);
    sp_surface_def def = stage_surface_def(s, SP_SURFACE_ZHU_BRIDSON, 0);
    def.refine = s->look->surface.refine;
    if (on_tiles) return put_level_set(s, &def, &out->mesh, err);
    const float spacing = 0.5f * (float)s->frame->voxel;
    // The mesh rounds off its edges by about a cell; `sink` moves them so deep into the glass that
    // it hides this.
    const sp_clip clip = {.solid = nearest_solid,
                          .solids = s,
                          .wet = s->look->surface.wet * spacing,
                          .sink = 0.4f * spacing};
    return sp_surface_points(&def, s->frame, "liquid", &clip, s->host, &out->mesh, NULL, err);
}

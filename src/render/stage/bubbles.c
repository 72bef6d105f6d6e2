// SPDX-License-Identifier: Apache-2.0
/// Bubbles under water: touching bubbles become one mesh, stretched ones a mesh each, all others
/// spheres.
#include "render/internal.h"

#include <math.h>
#include <string.h>

/// ---- Bubbles -----------------------------------------------------------------------------------

/// Bubbles that belong to larger air pockets become one mesh. `apart` marks the others.
static sp_status mesh_connected(stage *s, const set_view *set, uint8_t *apart, sp_error *err)
{
    SP_TRY(sp_surface_split(s->frame, "bubbles", s->host, apart, err));
    size_t n = 0;
    uint32_t *chosen = sp_allocate(s->host, set->count, sizeof *chosen);
    if (!chosen) return sp_fail(err, SP_NO_MEMORY, "render: no memory for %zu bubbles", set->count);
    for (size_t i = 0; i < set->count; ++i)
        if (!apart[i]) chosen[n++] = (uint32_t)i;
    sp_status status = SP_OK;
    if (n > 0) {
        stage_mesh *out = stage_add_mesh(s);
        sp_surface_def def = stage_surface_def(s, SP_SURFACE_ELLIPSOIDS, 2);
        def.refine = s->look->bubbles.refine;
        out->kind = SP_TRACE_BUBBLE;
        status = sp_surface_some(&def, s->frame, "bubbles", chosen, n, NULL, s->host, &out->mesh,
                                 NULL, err);
    }
    sp_release(s->host, chosen);
    return status;
}

/// ---- Bubbles that are not spheres --------------------------------------------------------------

static const sp_ball ball = {28, 13};
enum { VERTICES = 28 * 13 + 2, TRIANGLES = 2 * 28 * 13 };

/// Stretches a sphere along an axis, preserving its volume, and moves it to its centre.
static void stretch_ball(float (*x)[3], float (*n)[3], const float center[3], float radius,
                         sp_vec3 axis, float longer)
{
    const float across = 1.0f / sqrtf(longer);
    for (size_t k = 0; k < VERTICES; ++k) {
        const sp_vec3 p = {x[k][0], x[k][1], x[k][2]}, along = sp_scale(axis, sp_dot(p, axis));
        const sp_vec3 off = sp_sub(p, along);
        const sp_vec3 at = sp_madd(sp_scale(off, radius * across), along, radius * longer);
        const sp_vec3 normal =
            sp_normalize(sp_madd(sp_scale(off, 1.0f / across), along, 1.0f / longer), p);
        memcpy(n[k], &normal, sizeof normal);
        x[k][0] = center[0] + at.x;
        x[k][1] = center[1] + at.y;
        x[k][2] = center[2] + at.z;
    }
}

/// Bubbles with an `axis` and a `stretch` (length along the axis over the radius is 1 + stretch)
/// become meshes; their marks in `apart` are cleared.
static sp_status mesh_stretched(stage *s, const set_view *set, uint8_t *apart, sp_error *err)
{
    enum { MOST = 4000 };
    const sp_set *from = sp_frame_set(s->frame, "bubbles");
    const sp_column *axes = sp_set_column(from, "axis"),
                    *stretches = sp_set_column(from, "stretch");
    if (!axes || !stretches || axes->kind != SP_F32 || axes->components != 3 ||
        stretches->kind != SP_F32 || !set->radius)
        return SP_OK;
    const float *axis = axes->data, *stretch = stretches->data;
    size_t count = 0;
    for (size_t i = 0; i < set->count && count < MOST; ++i) {
        const float longer = 1.0f + stretch[i], *a = axis + 3 * i;
        const float length = a[0] * a[0] + a[1] * a[1] + a[2] * a[2];
        if (longer > 0.3f && longer < 3.0f && fabsf(stretch[i]) > 0.02f && length > 0.9f &&
            length < 1.1f && set->radius[i] > 0.0f) {
            apart[i] = 0;
            ++count;
        }
    }
    if (count == 0) return SP_OK;
    stage_mesh *out = stage_add_mesh(s);
    out->kind = SP_TRACE_BUBBLE;
    SP_TRY(sp_mesh_open(&out->mesh, s->host, count * VERTICES, count * TRIANGLES,
                        SP_MESH_NORMALS | SP_MESH_VELOCITY, err));
    memcpy(out->mesh.origin, s->frame->origin, sizeof out->mesh.origin);
    for (size_t i = 0, k = 0; i < set->count; ++i) {
        if (apart[i]) continue;
        const size_t v = k * VERTICES;
        sp_ball_put(ball, out->mesh.x + v, out->mesh.tri + k * TRIANGLES, (uint32_t)v);
        stretch_ball(out->mesh.x + v, out->mesh.n + v, set->position + 3 * i, set->radius[i],
                     (sp_vec3){axis[3 * i], axis[3 * i + 1], axis[3 * i + 2]}, 1.0f + stretch[i]);
        for (size_t j = 0; set->velocity && j < VERTICES; ++j)
            memcpy(out->mesh.v[v + j], set->velocity + 3 * i, sizeof *out->mesh.v);
        ++k;
    }
    return SP_OK;
}

/// The bubbles that are marked.
static sp_status put_spheres(stage *s, const set_view *set, const uint8_t *apart, sp_error *err)
{
    stage_spheres *out =
        stage_add_spheres(s, set->count, SP_TRACE_BUBBLE, set->velocity != NULL, false);
    if (!out) return sp_fail(err, SP_NO_MEMORY, "render: no memory for %zu bubbles", set->count);
    SP_TRY(stage_add_clusters(s, out, set, err));
    for (size_t i = 0; i < set->count; ++i)
        if (apart[i]) stage_put_sphere(out, set, i);
    return SP_OK;
}

sp_status stage_bubbles(stage *s, sp_error *err)
{
    set_view set;
    if (!set_view_open(s->frame, "bubbles", &set)) return SP_OK;
    // Only grid solvers represent a large bubble by many particles; in a pond each is one bubble,
    // and in whitewater each stands for several.
    const bool on_grid = s->frame->voxel > 0.0 && !sp_frame_field(s->frame, "height"),
               several = set.number || set.whole_number;
    uint8_t *apart = sp_allocate(s->host, set.count, 1);
    if (!apart) return sp_fail(err, SP_NO_MEMORY, "render: no memory for %zu bubbles", set.count);
    memset(apart, 1, set.count);
    sp_status status = SP_OK;
    if (on_grid && !several && s->look->bubbles.mesh) status = mesh_connected(s, &set, apart, err);
    if (!on_grid) status = mesh_stretched(s, &set, apart, err);
    if (status == SP_OK) status = put_spheres(s, &set, apart, err);
    sp_release(s->host, apart);
    return status;
}

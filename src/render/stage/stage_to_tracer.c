// SPDX-License-Identifier: Apache-2.0
/// From the stage to the tracer: coordinates relative to the camera's target (so that floats
/// suffice anywhere in the world), motion during the shutter, and media.
#include "render/internal.h"

#include <math.h>
#include <string.h>

/// Largest motion during the shutter, as a share of the content's diagonal: one wrong velocity must
/// not smear the whole picture.
#define FARTHEST 0.2f

typedef struct assembly {
    const stage *stage;
    const double *base;
    sp_tracer *tracer;
    float seconds;  ///< the shutter's
    float farthest; ///< m
} assembly;

/// ---- Meshes ------------------------------------------------------------------------------------

/// A vertex at the body's pose, relative to the base.
static void pose_point(const sp_body *body, const double base[3], const double p[3], float out[3])
{
    for (int c = 0; c < 3; ++c) {
        const double *row = &body->rotation[3 * c];
        out[c] =
            (float)(body->position[c] - base[c] + row[0] * p[0] + row[1] * p[1] + row[2] * p[2]);
    }
}

static sp_body body_at_rest(void)
{
    return (sp_body){.rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
}

static float blur_offset(const assembly *a, float speed)
{
    return sp_clamp(speed * a->seconds, -a->farthest, a->farthest);
}

/// Transforms the mesh to the start of the shutter; `moved` gets the end, if it moves.
static void pose_mesh(const assembly *a, stage_mesh *m, float (*moved)[3])
{
    const double t = a->stage->frame->time, half = 0.5 * (double)a->seconds;
    const sp_body begin = m->shape ? sp_shape_pose(m->shape, moved ? t - half : t) : body_at_rest();
    const sp_body end = m->shape ? sp_shape_pose(m->shape, t + half) : begin;
    for (size_t i = 0; i < m->mesh.vertex_count; ++i) {
        double p[3];
        for (int c = 0; c < 3; ++c)
            p[c] = m->mesh.origin[c] + (double)m->mesh.x[i][c];
        pose_point(&begin, a->base, p, m->mesh.x[i]);
        if (!moved) continue;
        pose_point(&end, a->base, p, moved[i]);
        for (int c = 0; c < 3 && m->mesh.v; ++c) {
            const float d = blur_offset(a, m->mesh.v[i][c]);
            m->mesh.x[i][c] -= 0.5f * d;
            moved[i][c] += 0.5f * d;
        }
    }
    static const double zero[3] = {0.0, 0.0, 0.0};
    for (size_t i = 0; m->shape && m->mesh.n && i < m->mesh.vertex_count; ++i) {
        const double n[3] = {(double)m->mesh.n[i][0], (double)m->mesh.n[i][1],
                             (double)m->mesh.n[i][2]};
        sp_body turn = begin;
        memcpy(turn.position, zero, sizeof zero);
        pose_point(&turn, zero, n, m->mesh.n[i]);
    }
}

static bool moves(const stage_mesh *m)
{
    const sp_collider_def *def = m->shape ? sp_shape_def_of(m->shape) : NULL;
    return m->mesh.v || (def && (def->motion.spin || def->motion.key_count > 1));
}

static sp_trace_material material_of(const stage_mesh *m)
{
    static const sp_look_material plain = {.color = {0.5f, 0.5f, 0.5f}, .rough = 1.0f};
    const sp_look_material *from = m->material ? m->material : &plain;
    sp_trace_material to = {.rough = from->rough,
                            .metal = from->metal,
                            .coat = from->coat,
                            .pattern = m->pattern,
                            .pattern_size = m->pattern_size};
    memcpy(to.color, from->color, sizeof to.color);
    return to;
}

static sp_status add_mesh(const assembly *a, stage_mesh *m, sp_error *err)
{
    if (m->mesh.triangle_count == 0) return SP_OK;
    float(*moved)[3] = NULL;
    const sp_host *host = a->stage->host;
    if (a->seconds > 0.0f && moves(m)) {
        moved = sp_allocate(host, m->mesh.vertex_count, sizeof *moved);
        if (!moved)
            return sp_fail(err, SP_NO_MEMORY, "render: no memory for %zu moving vertices",
                           m->mesh.vertex_count);
    }
    pose_mesh(a, m, moved);
    const sp_trace_material material = material_of(m);
    const int index = m->kind == SP_TRACE_OPAQUE ? sp_tracer_material(a->tracer, &material) : 0;
    const sp_status status =
        index < 0
            ? sp_fail(err, SP_NO_MEMORY, "render: no memory for a material")
            : sp_tracer_mesh(a->tracer, &m->mesh, (const float(*)[3])moved, m->kind, index, err);
    sp_release(host, moved);
    return status;
}

/// ---- Spheres -----------------------------------------------------------------------------------

static float smoothstep(float low, float high, float x)
{
    const float t = sp_clamp((x - low) / (high - low), 0.0f, 1.0f);
    return t * t * (3.0f - 2.0f * t);
}

/// Foam bubbles of a few pixels must scatter, or a layer of foam would not look white. A bubble that
/// is large in the picture would look frosted, so its middle is clear and its rim is weak.
static void choose_milk(float pixels, float milk[2])
{
    const float near = smoothstep(8.0f, 32.0f, pixels);
    milk[0] = 1.0f - near;
    milk[1] = 1.0f - 0.6f * near;
}

static void pose_spheres(const assembly *a, const stage_spheres *g, float (*at)[4],
                         float (*moved)[4])
{
    const double *origin = a->stage->frame->origin;
    for (size_t i = 0; i < g->count; ++i) {
        at[i][3] = g->at[i][3];
        for (int c = 0; c < 3; ++c) {
            const float x = (float)(origin[c] - a->base[c] + (double)g->at[i][c]);
            const float d = moved ? blur_offset(a, g->velocity[i][c]) : 0.0f;
            at[i][c] = x - 0.5f * d;
            if (moved) moved[i][c] = x + 0.5f * d;
        }
        if (moved) moved[i][3] = at[i][3];
    }
}

static sp_status add_single(const assembly *a, const stage_spheres *g, const render_eye *eye,
                            sp_error *err)
{
    if (g->count == 0) return SP_OK;
    const sp_host *host = a->stage->host;
    const bool blurred = a->seconds > 0.0f && g->velocity, foam = g->kind == SP_TRACE_FOAM;
    float(*at)[4] = sp_allocate(host, g->count, sizeof *at);
    float(*moved)[4] = blurred ? sp_allocate(host, g->count, sizeof *moved) : NULL;
    float(*milk)[2] = foam ? sp_allocate(host, g->count, sizeof *milk) : NULL;
    sp_status status = SP_NO_MEMORY;
    if (at && (moved || !blurred) && (milk || !foam)) {
        pose_spheres(a, g, at, moved);
        for (size_t i = 0; milk && i < g->count; ++i) {
            const sp_vec3 to = {at[i][0] - eye->from[0], at[i][1] - eye->from[1],
                                at[i][2] - eye->from[2]};
            choose_milk(eye->pixels * at[i][3] / fmaxf(sp_length(to), 1e-6f), milk[i]);
        }
        const sp_trace_material grain = {.color = {0.5f, 0.5f, 0.5f}, .rough = 1.0f};
        const int material = g->kind == SP_TRACE_OPAQUE ? sp_tracer_material(a->tracer, &grain) : 0;
        status = sp_tracer_spheres(a->tracer, g->count, (const float(*)[4])at,
                                   (const float(*)[4])moved, g->kind, material,
                                   (const float(*)[2])milk, (const float(*)[3])g->color, err);
    } else {
        sp_fail(err, status, "render: no memory for %zu spheres", g->count);
    }
    sp_release(host, at);
    sp_release(host, moved);
    sp_release(host, milk);
    return status;
}

static sp_status add_spheres(const assembly *a, const stage_spheres *g, const render_eye *eye,
                             sp_error *err)
{
    if (!g->cluster) return add_single(a, g, eye, err);
    stage_spheres single;
    sp_status status = stage_split_clusters(a->stage, g, a->base, eye, &single, err);
    if (status == SP_OK) status = add_single(a, &single, eye, err);
    stage_spheres_close(&single, a->stage->host);
    return status;
}

/// ---- Media -------------------------------------------------------------------------------------

/// Absorption of liquids, 1/m at 610, 550 and 465 nm. Water: Pope and Fry 1997. Beer: the mean of
/// 99 beers (de Lange), for one unit of EBC. Murky (a pond): by eye.
static sp_trace_medium liquid_medium(const sp_look_water *w)
{
    static const sp_trace_medium media[] = {
        [SP_MEDIUM_WATER] = {1.333f, {0.264f, 0.0565f, 0.0101f}},
        [SP_MEDIUM_MURKY] = {1.333f, {0.9f, 0.45f, 0.38f}},
        [SP_MEDIUM_BEER] = {1.345f, {1.0f, 2.08f, 5.9f}},
        [SP_MEDIUM_CLEAR] = {1.333f, {0.0f, 0.0f, 0.0f}},
    };
    sp_trace_medium medium = media[w->medium];
    const bool own = w->absorb[0] > 0.0f || w->absorb[1] > 0.0f || w->absorb[2] > 0.0f;
    const float scale = w->tint * (w->medium == SP_MEDIUM_BEER && !own ? w->ebc : 1.0f);
    for (int c = 0; c < 3; ++c)
        medium.absorb[c] = scale * (own ? w->absorb[c] : medium.absorb[c]);
    if (w->ior >= 1.0f) medium.ior = w->ior;
    return medium;
}

static void add_media(const stage *s, sp_tracer *tracer)
{
    const sp_trace_medium water = liquid_medium(&s->look->water);
    sp_trace_medium glass = {.ior = 1.52f};
    if (s->glass) {
        glass.ior = s->glass->ior;
        memcpy(glass.absorb, s->glass->absorb, sizeof glass.absorb);
    }
    const sp_look_foam *f = &s->look->foam;
    sp_tracer_water(tracer, &water);
    sp_tracer_glass(tracer, &glass);
    sp_tracer_foam(tracer, &(sp_trace_foam){f->milk0, f->milk1, f->albedo, f->film_nm});
}

sp_status stage_to_tracer(stage *s, const sp_look_camera *camera, const render_eye *eye,
                          const double base[3], double shutter, sp_tracer *tracer, sp_error *err)
{
    double diagonal = 0.0;
    for (int c = 0; c < 3; ++c)
        diagonal += pow(s->bounds.high[c] - s->bounds.low[c], 2.0);
    const double fps = s->frame->fps > 0.0 ? s->frame->fps : 24.0;
    const assembly a = {.stage = s,
                        .base = base,
                        .tracer = tracer,
                        .seconds = (float)(shutter / fps),
                        .farthest = FARTHEST * (float)sqrt(diagonal)};
    add_media(s, tracer);
    for (size_t m = 0; m < s->mesh_count; ++m)
        SP_TRY(add_mesh(&a, &s->meshes[m], err));
    for (size_t g = 0; g < s->sphere_count; ++g)
        SP_TRY(add_spheres(&a, &s->spheres[g], eye, err));
    SP_TRY(studio_build(s, camera, base, tracer, err));
    return sp_tracer_commit(tracer, err);
}

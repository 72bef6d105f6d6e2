// SPDX-License-Identifier: Apache-2.0
/// Particles that stand for several bubbles or drops (column `count`) are drawn as clusters of
/// spheres, foam as rafts on the surface, all others as balls.
///
/// A cluster has as many spheres as it covers pixels, at most as many as it stands for: one from far
/// away, all of them near by. However many, together they have the cross-section of those bubbles,
/// on which the light that they scatter depends. The k-th sphere sits at the k-th point of a
/// sequence that fills the raft or ball evenly, however many are drawn (the R sequences of Roberts
/// 2018). So spheres stay where they are when a camera comes near.
#include "render/internal.h"
#include "render/trace/tracing.h"

#include <math.h>
#include <string.h>

enum { MOST = 64 }; // spheres of a cluster

/// ---- Reading -----------------------------------------------------------------------------------

sp_status stage_add_clusters(stage *s, stage_spheres *spheres, const set_view *set, sp_error *err)
{
    if (!set->number && !set->whole_number) return SP_OK;
    spheres->cluster = sp_allocate(s->host, set->count, sizeof *spheres->cluster);
    return spheres->cluster
               ? SP_OK
               : sp_fail(err, SP_NO_MEMORY, "render: no memory for %zu clusters", set->count);
}

stage_cluster stage_cluster_of(const set_view *set, size_t i)
{
    const float number = set->number ? set->number[i] : (float)set->whole_number[i];
    return (stage_cluster){.number = isfinite(number) && number > 1.0f ? number : 1.0f,
                           .key = sp_mix64(set->id ? set->id[i] : i)};
}

sp_status stage_lay_rafts(const stage *s, stage_spheres *foam, sp_error *err)
{
    const sp_field *surface = sp_frame_field(s->frame, "surface");
    sp_tiles tiles;
    float *phi[3];
    if (!foam->cluster) return SP_OK;
    for (size_t i = 0; i < foam->count; ++i)
        foam->cluster[i].normal[1] = 1.0f;
    if (!sp_field_on_tiles(surface, 1)) return SP_OK;
    SP_TRY(sp_tiles_from_field(&tiles, s->host, (float)s->frame->voxel, surface, phi, err));
    const float outside = 4.0f * tiles.voxel;
    for (size_t i = 0; i < foam->count; ++i) {
        float slope[3];
        sp_tiles_sample(&tiles, phi[0], SP_AT_CELLS, outside, foam->at[i], slope);
        const sp_vec3 normal =
            sp_normalize((sp_vec3){slope[0], slope[1], slope[2]}, (sp_vec3){0.0f, 1.0f, 0.0f});
        memcpy(foam->cluster[i].normal, &normal, sizeof normal);
    }
    sp_release(s->host, phi[0]);
    sp_tiles_close(&tiles);
    return SP_OK;
}

/// ---- Splitting ---------------------------------------------------------------------------------

/// Number k of a sequence in [0, 1), from a start that depends on the particle.
static float sequence(uint64_t key, int axis, int k, double step)
{
    const double at = (double)sp_unit((uint32_t)(key >> (20 * axis))) + step * k;
    return (float)(at - floor(at));
}

static sp_vec3 place_in_raft(const stage_cluster *c, int k, float reach)
{
    const sp_vec3 normal = {c->normal[0], c->normal[1], c->normal[2]};
    const float angle = 2.0f * SP_PI * sequence(c->key, 0, k, 0.7548776662466927),
                far = reach * sqrtf(sequence(c->key, 1, k, 0.5698402909980532));
    sp_vec3 u, v;
    trace_basis(normal, &u, &v);
    return sp_madd(sp_scale(u, far * sp_cosf(angle)), v, far * sp_sinf(angle));
}

static sp_vec3 place_in_ball(const stage_cluster *c, int k, float reach)
{
    const float angle = 2.0f * SP_PI * sequence(c->key, 0, k, 0.8191725133961645),
                z = 2.0f * sequence(c->key, 1, k, 0.6710436067037893) - 1.0f,
                far = reach * (float)sp_cbrt((double)sequence(c->key, 2, k, 0.5497004779019703)),
                across = sqrtf(fmaxf(1.0f - z * z, 0.0f));
    return (sp_vec3){far * across * sp_cosf(angle), far * z, far * across * sp_sinf(angle)};
}

/// Spheres drawn for particle i.
static int spheres_of(const stage_spheres *from, size_t i, const double shift[3],
                      const render_eye *eye)
{
    const float number = from->cluster[i].number, *at = from->at[i];
    float d[3];
    for (int c = 0; c < 3; ++c)
        d[c] = (float)(shift[c] + (double)at[c]) - eye->from[c];
    const float far = sqrtf(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    const float pixels = eye->pixels * at[3] / fmaxf(far, 1e-6f); // radius of one bubble
    const float covered = SP_PI * pixels * pixels * number;
    const float most = fminf(floorf(number), (float)MOST);
    return (int)fmaxf(1.0f, fminf(ceilf(covered), most));
}

static void put_cluster(const stage *s, const stage_spheres *from, size_t i, int n,
                        stage_spheres *out)
{
    const stage_cluster *c = &from->cluster[i];
    const float r = from->at[i][3], raft = r * sqrtf(c->number / 0.75f), // three quarters covered
        ball = fmaxf(2.0f * r * (float)sp_cbrt((double)c->number), 0.5f * (float)s->frame->voxel);
    for (int k = 0; k < n; ++k) {
        const size_t to = out->count++;
        sp_vec3 place = {0.0f, 0.0f, 0.0f};
        if (n > 1)
            place =
                from->kind == SP_TRACE_FOAM ? place_in_raft(c, k, raft) : place_in_ball(c, k, ball);
        out->at[to][0] = from->at[i][0] + place.x;
        out->at[to][1] = from->at[i][1] + place.y;
        out->at[to][2] = from->at[i][2] + place.z;
        out->at[to][3] = r * sqrtf(c->number / (float)n);
        if (out->velocity) memcpy(out->velocity[to], from->velocity[i], sizeof *out->velocity);
        if (out->color) memcpy(out->color[to], from->color[i], sizeof *out->color);
    }
}

sp_status stage_split_clusters(const stage *s, const stage_spheres *from, const double base[3],
                               const render_eye *eye, stage_spheres *out, sp_error *err)
{
    const double *origin = s->frame->origin;
    const double shift[3] = {origin[0] - base[0], origin[1] - base[1], origin[2] - base[2]};
    size_t total = 0;
    for (size_t i = 0; i < from->count; ++i)
        total += (size_t)spheres_of(from, i, shift, eye);
    if (!stage_spheres_open(out, s->host, total, from->kind, from->velocity, from->color))
        return sp_fail(err, SP_NO_MEMORY, "render: no memory for %zu spheres", total);
    for (size_t i = 0; i < from->count; ++i)
        put_cluster(s, from, i, spheres_of(from, i, shift, eye), out);
    return SP_OK;
}

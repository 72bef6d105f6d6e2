// SPDX-License-Identifier: Apache-2.0
/// Particles of a set as spheres: foam, spray and sand as they are, and what bubbles.c needs for those that stand alone.
#include "render/internal.h"

#include <math.h>
#include <string.h>

static const void *column(const sp_set *set, const char *name, sp_kind kind, int components)
{
    const sp_column *c = sp_set_column(set, name);
    return c && c->kind == kind && c->components == components ? c->data : NULL;
}

bool set_view_open(const sp_frame *frame, const char *name, set_view *out)
{
    const sp_set *set = sp_frame_set(frame, name);
    *out = (set_view){0};
    if (!set || set->count == 0) return false;
    out->count = set->count;
    out->position = column(set, "position", SP_F32, 3);
    out->velocity = column(set, "velocity", SP_F32, 3);
    out->radius = column(set, "radius", SP_F32, 1);
    out->id = column(set, "id", SP_U64, 1);
    out->number = column(set, "count", SP_F32, 1);
    out->whole_number = column(set, "count", SP_U32, 1);
    out->usual = frame->voxel > 0.0 ? 0.25f * (float)frame->voxel : 0.005f;
    return out->position != NULL;
}

bool stage_spheres_open(stage_spheres *spheres, const sp_host *host, size_t n, sp_trace_class kind,
                        bool moving, bool colored)
{
    *spheres = (stage_spheres){.kind = kind};
    spheres->at = sp_allocate(host, n, sizeof *spheres->at);
    if (moving) spheres->velocity = sp_allocate(host, n, sizeof *spheres->velocity);
    if (colored) spheres->color = sp_allocate(host, n, sizeof *spheres->color);
    return spheres->at && (!moving || spheres->velocity) && (!colored || spheres->color);
}

void stage_spheres_close(stage_spheres *spheres, const sp_host *host)
{
    sp_release(host, spheres->at);
    sp_release(host, spheres->velocity);
    sp_release(host, spheres->color);
    sp_release(host, spheres->cluster);
    *spheres = (stage_spheres){0};
}

stage_spheres *stage_add_spheres(stage *s, size_t n, sp_trace_class kind, bool moving, bool colored)
{
    SP_ASSERT(s->sphere_count < STAGE_SPHERES);
    stage_spheres *spheres = &s->spheres[s->sphere_count++];
    return stage_spheres_open(spheres, s->host, n, kind, moving, colored) ? spheres : NULL;
}

bool stage_put_sphere(stage_spheres *spheres, const set_view *set, size_t i)
{
    const float r = set->radius ? set->radius[i] : set->usual, *p = set->position + 3 * i;
    if (!isfinite(p[0] + p[1] + p[2] + r) || !(r > 0.0f)) return false;
    const size_t k = spheres->count++;
    memcpy(spheres->at[k], p, 3 * sizeof *p);
    spheres->at[k][3] = r;
    if (spheres->velocity)
        memcpy(spheres->velocity[k], set->velocity + 3 * i, sizeof *spheres->velocity);
    if (spheres->cluster) spheres->cluster[k] = stage_cluster_of(set, i);
    return true;
}

/// Grains of sand differ in brightness and warmth, each by its own id.
static void grain_color(uint64_t id, float color[3])
{
    const uint64_t h = sp_mix64(id);
    const float bright = 0.7f + 0.5f * sp_unit((uint32_t)h),
                warm = 0.1f * sp_unit((uint32_t)(h >> 32));
    color[0] = 0.55f * bright + warm;
    color[1] = 0.45f * bright + 0.5f * warm;
    color[2] = 0.32f * bright;
}

static sp_status put_set(stage *s, const char *name, sp_trace_class kind, sp_error *err)
{
    set_view set;
    if (!set_view_open(s->frame, name, &set)) return SP_OK;
    stage_spheres *out =
        stage_add_spheres(s, set.count, kind, set.velocity != NULL, kind == SP_TRACE_OPAQUE);
    if (!out)
        return sp_fail(err, SP_NO_MEMORY, "render: no memory for %zu particles of \"%s\"",
                       set.count, name);
    SP_TRY(stage_add_clusters(s, out, &set, err));
    for (size_t i = 0; i < set.count; ++i)
        if (stage_put_sphere(out, &set, i) && out->color)
            grain_color(set.id ? set.id[i] : i, out->color[out->count - 1]);
    return kind == SP_TRACE_FOAM ? stage_lay_rafts(s, out, err) : SP_OK;
}

sp_status stage_foam_spray_sand(stage *s, sp_error *err)
{
    SP_TRY(put_set(s, "foam", SP_TRACE_FOAM, err));
    SP_TRY(put_set(s, "spray", SP_TRACE_WATER, err));
    return put_set(s, "sand", SP_TRACE_OPAQUE, err);
}

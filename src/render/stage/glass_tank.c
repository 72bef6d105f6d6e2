// SPDX-License-Identifier: Apache-2.0
/// A height field as a glass tank: one block of water, one block of ground under it, walls around
/// both. Water and ground extend a little into the glass, because coinciding faces leak rays.
#include "render/internal.h"

#include <math.h>
#include <string.h>

/// ---- Blocks and walls --------------------------------------------------------------------------

typedef struct basin {
    const sp_field *height;
    float *ground, *values;
    float low, high;   ///< of ground and water, m
    double size;       ///< m; longest side
    float slab, glass; ///< m; thickness of the floor and of the walls
} basin;

static bool same_samples(const sp_field *a, const sp_field *b)
{
    return a->layout == SP_FIELD_PLANE && a->components == 1 && a->nu == b->nu && a->nv == b->nv;
}

static sp_status put_water(stage *s, const basin *b, const sp_field *depth, sp_error *err)
{
    stage_mesh *out = stage_add_mesh(s);
    sp_field wet = depth ? *depth : *b->height;
    out->kind = SP_TRACE_WATER;
    for (size_t i = 0; i < wet.nu * wet.nv; ++i)
        b->values[i] =
            depth && !(depth->values[i] > 0.0f) ? 0.0f : b->height->values[i] - b->ground[i];
    wet.values = b->values;
    return sp_surface_height(b->height, &wet, s->host, &out->mesh, err);
}

/// A pool's floor: sea green, so that foam and the rims of bubbles stand out.
static const sp_look_material tiles = {.color = {0.16f, 0.34f, 0.38f}, .rough = 0.4f};

static sp_status put_ground(stage *s, const basin *b, sp_error *err)
{
    stage_mesh *out = stage_add_mesh(s);
    out->kind = SP_TRACE_OPAQUE;
    out->material = &tiles;
    out->pattern = 1;
    out->pattern_size = (float)(b->size / 14.0);
    sp_field top = *b->height, thick = *b->height;
    for (size_t i = 0; i < top.nu * top.nv; ++i)
        b->values[i] = b->ground[i] - b->low + b->slab;
    top.values = b->ground;
    thick.values = b->values;
    return sp_surface_height(&top, &thick, s->host, &out->mesh, err);
}

static sp_status put_walls(stage *s, const basin *b, sp_error *err)
{
    const sp_field *f = b->height;
    const double overlap = 0.2 * (double)b->glass;
    sp_box_def box;
    for (int c = 0; c < 3; c += 2) {
        const double far =
            f->corner[c] + f->du[c] * (double)(f->nu - 1) + f->dv[c] * (double)(f->nv - 1);
        box.min[c] = (float)(fmin(f->corner[c], far) + overlap);
        box.max[c] = (float)(fmax(f->corner[c], far) - overlap);
    }
    box.min[1] = (float)f->corner[1] + b->low - b->slab + 0.3f * b->glass;
    box.max[1] = (float)f->corner[1] + b->high + 0.12f * (b->high - b->low) + 2.0f * b->glass;
    const sp_collider_def def = {.name = "basin",
                                 .shape = {.box = &box},
                                 .inside_out = true,
                                 .thickness = b->glass,
                                 .open = SP_OPEN_TOP,
                                 .material = "glass"};
    sp_shape *shape;
    SP_TRY(sp_shape_open(&def, NULL, s->host, &shape, err));
    stage_mesh *out = stage_add_mesh(s);
    out->kind = SP_TRACE_GLASS;
    out->material = s->glass = sp_look_find_material(s->look, "clear_glass");
    const double zero[3] = {0.0, 0.0, 0.0};
    const sp_status status = sp_shape_mesh(shape, b->glass, zero, b->size, &out->mesh, err);
    sp_shape_close(shape);
    return status;
}

static void measure(basin *b)
{
    const sp_field *f = b->height;
    b->low = INFINITY;
    b->high = -INFINITY;
    for (size_t i = 0; i < f->nu * f->nv; ++i) {
        b->low = fminf(b->low, b->ground[i]);
        b->high = fmaxf(b->high, fmaxf(b->ground[i], f->values[i]));
    }
    const double u = (double)(f->nu - 1) * sqrt(f->du[0] * f->du[0] + f->du[2] * f->du[2]);
    const double v = (double)(f->nv - 1) * sqrt(f->dv[0] * f->dv[0] + f->dv[2] * f->dv[2]);
    b->size = fmax(u, v);
    b->glass = (float)(0.008 * b->size);
    b->slab = (float)(0.02 * b->size);
}

/// The frame's own ground, or height minus depth; the domes over bubbles then show as hills in it.
static void find_ground(const sp_frame *frame, const basin *b, const sp_field *depth)
{
    const sp_field *own = sp_frame_field(frame, "ground");
    const size_t n = b->height->nu * b->height->nv;
    if (own && same_samples(own, b->height)) {
        memcpy(b->ground, own->values, n * sizeof *b->ground);
        return;
    }
    for (size_t i = 0; i < n; ++i)
        b->ground[i] = b->height->values[i] - (depth ? fmaxf(depth->values[i], 0.0f) : 0.0f);
}

sp_status stage_basin(stage *s, const sp_field *height, const sp_field *depth, sp_error *err)
{
    const size_t n = height->nu * height->nv;
    if (height->nu < 2 || height->nv < 2) return SP_OK;
    if (depth && !same_samples(depth, height)) depth = NULL;
    basin b = {.height = height,
               .ground = sp_allocate(s->host, n, sizeof *b.ground),
               .values = sp_allocate(s->host, n, sizeof *b.values)};
    sp_status status = SP_OK;
    if (!b.ground || !b.values)
        status = sp_fail(err, SP_NO_MEMORY, "render: no memory for a ground of %zu samples", n);
    if (status == SP_OK) {
        find_ground(s->frame, &b, depth);
        measure(&b);
        status = put_water(s, &b, depth, err);
    }
    if (status == SP_OK) status = put_ground(s, &b, err);
    if (status == SP_OK && s->options->collider_count == 0) status = put_walls(s, &b, err);
    sp_release(s->host, b.ground);
    sp_release(s->host, b.values);
    return status;
}

// SPDX-License-Identifier: Apache-2.0
/// A section through a field, seen along an axis: its values as colours, and the frame's surface,
/// if there is one, as a white line.
#include "render/internal.h"
#include "render/picture/font.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct cut {
    sp_tiles tiles;
    float *values[3];
    sp_tile_place_kind where[3];
    int components;
    float background;
    double origin[3]; ///< m; world position of the tiles' origin
} cut;

static sp_status cut_open(cut *c, const sp_frame *frame, const sp_field *field, const sp_host *host,
                          sp_error *err)
{
    *c = (cut){.components = field->components};
    memcpy(c->origin, frame->origin, sizeof c->origin);
    for (int k = 0; k < 3; ++k)
        c->where[k] = sp_tiles_place(field, k);
    SP_TRY(sp_tiles_from_field(&c->tiles, host, (float)frame->voxel, field, c->values, err));
    for (size_t i = 0; c->components == 1 && i < c->tiles.count * SP_TILE_VOXELS; ++i)
        c->background = fmaxf(c->background, c->values[0][i]);
    if (strcmp(field->name, "surface") != 0) c->background = 0.0f;
    return SP_OK;
}

static void cut_close(cut *c, const sp_host *host)
{
    for (int k = 0; k < 3; ++k)
        sp_release(host, c->values[k]);
    sp_tiles_close(&c->tiles);
}

/// A vector's length, or the value itself.
static float cut_sample(const cut *c, const float p[3])
{
    if (c->components == 1)
        return sp_tiles_sample(&c->tiles, c->values[0], SP_AT_CELLS, c->background, p, NULL);
    float sum = 0.0f;
    for (int k = 0; k < c->components && k < 3; ++k) {
        const float x = sp_tiles_sample(&c->tiles, c->values[k], c->where[k], 0.0f, p, NULL);
        sum += x * x;
    }
    return sqrtf(sum);
}

/// ---- The picture plane -------------------------------------------------------------------------

typedef struct plane {
    int across, up; ///< the axes of the picture, 0 to 2
    float low[3], high[3];
    float scale, left, bottom; ///< m a pixel; m at the picture's lower left corner
    float depth;               ///< m along the cut's own axis
} plane;

static plane plane_make(const cut *c, const sp_render_options *o, const render_plan *plan)
{
    plane p = {.across = o->axis == 0 ? 2 : 0, .up = o->axis == 1 ? 2 : 1};
    for (int k = 0; k < 3; ++k) {
        p.low[k] = INFINITY;
        p.high[k] = -INFINITY;
        for (size_t t = 0; t < c->tiles.count; ++t) {
            p.low[k] = fminf(p.low[k], 8.0f * c->tiles.voxel * (float)c->tiles.at[t][k]);
            p.high[k] = fmaxf(p.high[k], 8.0f * c->tiles.voxel * (float)(c->tiles.at[t][k] + 1));
        }
    }
    const float wide = p.high[p.across] - p.low[p.across], tall = p.high[p.up] - p.low[p.up];
    p.scale = fmaxf(wide / (0.94f * (float)plan->width), tall / (0.94f * (float)plan->height));
    p.left = 0.5f * (p.low[p.across] + p.high[p.across]) - 0.5f * p.scale * (float)plan->width;
    p.bottom = 0.5f * (p.low[p.up] + p.high[p.up]) - 0.5f * p.scale * (float)plan->height;
    p.depth = sp_mix(p.low[o->axis], p.high[o->axis], (float)o->at);
    return p;
}

static void plane_point(const plane *p, int axis, int height, int x, int y, float at[3])
{
    at[axis] = p->depth;
    at[p->across] = p->left + p->scale * ((float)x + 0.5f);
    at[p->up] = p->bottom + p->scale * ((float)(height - 1 - y) + 0.5f);
}

static bool plane_inside(const plane *p, const float at[3])
{
    return at[p->across] >= p->low[p->across] && at[p->across] <= p->high[p->across] &&
           at[p->up] >= p->low[p->up] && at[p->up] <= p->high[p->up];
}

typedef struct slicing {
    const cut *values, *surface; ///< surface: NULL when there is none
    const plane *plane;
    int axis, width, height;
    float *sampled, *phi;
} slicing;

static void sample_rows(void *arg, size_t begin, size_t end)
{
    const slicing *s = arg;
    for (size_t y = begin; y < end; ++y)
        for (int x = 0; x < s->width; ++x) {
            float at[3];
            const size_t i = y * (size_t)s->width + (size_t)x;
            plane_point(s->plane, s->axis, s->height, x, (int)y, at);
            s->sampled[i] = plane_inside(s->plane, at) ? cut_sample(s->values, at) : NAN;
            if (s->surface) s->phi[i] = cut_sample(s->surface, at);
        }
}

static void range_of(const float *x, size_t n, float *low, float *high)
{
    *low = INFINITY;
    *high = -INFINITY;
    for (size_t i = 0; i < n; ++i) {
        if (isnan(x[i])) continue;
        *low = fminf(*low, x[i]);
        *high = fmaxf(*high, x[i]);
    }
    if (!(*low <= *high)) *low = *high = 0.0f;
}

static void color_rows(const slicing *s, float low, float high, unsigned char *pixels)
{
    static const unsigned char back[3] = {24, 26, 30}, line[3] = {255, 255, 255};
    for (int y = 0; y < s->height; ++y)
        for (int x = 0; x < s->width; ++x) {
            const size_t i = (size_t)y * (size_t)s->width + (size_t)x;
            unsigned char *to = pixels + 3 * i;
            memcpy(to, back, sizeof back);
            if (isnan(s->sampled[i])) continue;
            sp_picture_ramp((s->sampled[i] - low) / fmaxf(high - low, 1e-30f), to);
            const bool right =
                s->surface && x + 1 < s->width && (s->phi[i] < 0.0f) != (s->phi[i + 1] < 0.0f);
            const bool below = s->surface && y + 1 < s->height &&
                               (s->phi[i] < 0.0f) != (s->phi[i + (size_t)s->width] < 0.0f);
            if (right || below) memcpy(to, line, sizeof line);
        }
}

/// ---- All of it ---------------------------------------------------------------------------------

static const sp_field *choose_field(const sp_frame *frame, const char *name, sp_error *err)
{
    char list[300] = "";
    size_t used = 0;
    const sp_field *first = NULL;
    for (size_t i = 0; i < frame->field_count; ++i) {
        const sp_field *f = &frame->fields[i];
        if (f->layout != SP_FIELD_TILES || f->tile_count == 0) continue;
        if (!name && !first) first = f;
        if (name && strcmp(f->name, name) == 0) return f;
        if (used < sizeof list)
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "",
                                     f->name);
    }
    if (first) return first;
    sp_fail(err, SP_BAD_INPUT, "frame %llu has no field %s%s%son tiles to cut; it holds %s",
            (unsigned long long)frame->frame, name ? "\"" : "", name ? name : "", name ? "\" " : "",
            list[0] ? list : "none");
    return NULL;
}

static sp_status paint_slice(const cut *values, const cut *surface, const char *name,
                             const sp_render_options *o, const render_plan *plan,
                             unsigned char *pixels, const sp_host *host, sp_error *err)
{
    const size_t n = (size_t)plan->width * (size_t)plan->height;
    const plane p = plane_make(values, o, plan);
    slicing s = {.values = values,
                 .surface = surface,
                 .plane = &p,
                 .axis = o->axis,
                 .width = plan->width,
                 .height = plan->height};
    s.sampled = sp_allocate(host, n, sizeof *s.sampled);
    s.phi = sp_allocate(host, n, sizeof *s.phi);
    const bool good = s.sampled && s.phi;
    if (good) {
        float low, high;
        char title[64];
        sp_parallel(host, (size_t)plan->height, 8, sample_rows, &s);
        range_of(s.sampled, n, &low, &high);
        color_rows(&s, low, high, pixels);
        snprintf(title, sizeof title, "%.20s at %c = %.4g m", name, "xyz"[o->axis],
                 values -> origin[o->axis] + (double)p.depth);
        sp_picture_bar(pixels, plan->width, plan->height, title, (double)low, (double)high);
    }
    sp_release(host, s.sampled);
    sp_release(host, s.phi);
    return good ? SP_OK
                : sp_fail(err, SP_NO_MEMORY, "render: no memory for a slice of %zu pixels", n);
}

sp_status slice_pixels(const sp_frame *frame, const sp_render_options *options,
                       unsigned char *pixels, const sp_host *host, sp_error *err)
{
    render_plan plan;
    SP_TRY(plan_make(options, &plan, err));
    const sp_field *field = choose_field(frame, options->field, err),
                   *surface = sp_frame_field(frame, "surface");
    if (!field) return SP_BAD_INPUT;
    if (surface && surface->layout != SP_FIELD_TILES) surface = NULL;
    cut values = {0}, outline = {0};
    sp_status status = cut_open(&values, frame, field, host, err);
    if (status == SP_OK && surface) status = cut_open(&outline, frame, surface, host, err);
    if (status == SP_OK)
        status = paint_slice(&values, surface ? &outline : NULL, field->name, options, &plan,
                             pixels, host, err);
    cut_close(&values, host);
    cut_close(&outline, host);
    return status;
}

// SPDX-License-Identifier: Apache-2.0
/// Diagnostic pictures: particles as opaque balls coloured by a number, active tiles as boxes,
/// surfaces by their normals or as wires. They use the path tracer with even light and one bounce.
#include "render/internal.h"
#include "render/picture/font.h"

#include <math.h>
#include <string.h>

typedef struct scale {
    float low, high;
    const char *title; ///< NULL: no bar
} scale;

/// ---- Particles ---------------------------------------------------------------------------------

static const char *const set_names[] = {"liquid", "bubbles", "foam", "spray", "sand"};
static const float set_colors[][3] = {{0.10f, 0.30f, 0.75f},
                                      {0.20f, 0.75f, 0.80f},
                                      {0.85f, 0.85f, 0.80f},
                                      {0.45f, 0.65f, 0.95f},
                                      {0.75f, 0.55f, 0.25f}};
enum { SET_NAMES = sizeof set_names / sizeof *set_names };

/// The number that colours a particle, and whether the set has it.
typedef struct measure {
    sp_render_color by;
    const set_view *set;
    const float *age;
} measure;

static float measure_of(const measure *m, size_t i)
{
    const float *v = m->set->velocity ? m->set->velocity + 3 * i : NULL;
    if (m->by == SP_COLOR_SPEED) return v ? sqrtf(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) : 0.0f;
    if (m->by == SP_COLOR_SIZE) return m->set->radius ? m->set->radius[i] : m->set->usual;
    if (m->by == SP_COLOR_AGE) return m->age ? m->age[i] : 0.0f;
    return 0.0f;
}

static measure measure_make(const stage *s, const char *name, const set_view *set)
{
    const sp_column *age = sp_set_column(sp_frame_set(s->frame, name), "age");
    const bool good = age && age->kind == SP_F32 && age->components == 1;
    return (measure){s->options->color, set, good ? age->data : NULL};
}

static scale find_scale(const stage *s)
{
    static const char *const titles[] = {[SP_COLOR_SPEED] = "speed, m/s",
                                         [SP_COLOR_SIZE] = "radius, m",
                                         [SP_COLOR_AGE] = "age, s",
                                         [SP_COLOR_ID] = NULL,
                                         [SP_COLOR_SET] = NULL};
    scale out = {INFINITY, -INFINITY, titles[s->options->color]};
    set_view set;
    for (int k = 0; out.title && k < SET_NAMES; ++k) {
        if (!set_view_open(s->frame, set_names[k], &set)) continue;
        const measure m = measure_make(s, set_names[k], &set);
        for (size_t i = 0; i < set.count; ++i) {
            const float x = measure_of(&m, i);
            out.low = fminf(out.low, x);
            out.high = fmaxf(out.high, x);
        }
    }
    if (!(out.low <= out.high)) out.low = out.high = 0.0f;
    return out;
}

/// 8-bit display colour to linear light; approximate, good enough for a diagram.
static void ramp_linear(float t, float color[3])
{
    unsigned char rgb[3];
    sp_picture_ramp(t, rgb);
    for (int c = 0; c < 3; ++c)
        color[c] = sp_powf(fmaxf((float)rgb[c] / 255.0f, 1e-4f), 2.2f);
}

static void hue(uint64_t id, float color[3])
{
    const uint64_t h = sp_mix64(id);
    for (int c = 0; c < 3; ++c)
        color[c] = 0.08f + 0.8f * sp_unit((uint32_t)(h >> (21 * c)));
}

static void paint(const stage *s, int which, const measure *m, size_t i, const scale *range,
                  float color[3])
{
    if (s->options->color == SP_COLOR_SET) memcpy(color, set_colors[which], 3 * sizeof *color);
    if (s->options->color == SP_COLOR_ID) hue(m->set->id ? m->set->id[i] : i, color);
    if (range->title)
        ramp_linear((measure_of(m, i) - range->low) / fmaxf(range->high - range->low, 1e-20f),
                    color);
}

/// Adds particles as balls; `faint` makes them grey and small, as a background for tiles.
static sp_status add_balls(stage *s, const scale *range, bool faint, sp_error *err)
{
    set_view set;
    for (int k = 0; k < SET_NAMES; ++k) {
        if (!set_view_open(s->frame, set_names[k], &set)) continue;
        stage_spheres *out = stage_add_spheres(s, set.count, SP_TRACE_OPAQUE, false, true);
        if (!out)
            return sp_fail(err, SP_NO_MEMORY, "render: no memory for %zu particles", set.count);
        const measure m = measure_make(s, set_names[k], &set);
        for (size_t i = 0; i < set.count; ++i) {
            if (!stage_put_sphere(out, &set, i)) continue;
            const size_t at = out->count - 1;
            if (!faint) {
                paint(s, k, &m, i, range, out->color[at]);
                continue;
            }
            out->at[at][3] *= 0.6f;
            memcpy(out->color[at], (float[3]){0.3f, 0.32f, 0.35f}, sizeof *out->color);
        }
    }
    return SP_OK;
}

/// ---- Tiles -------------------------------------------------------------------------------------

enum { TILE_COLORS = 24, BAR_VERTICES = 8, BAR_TRIANGLES = 12, TILE_BARS = 12 };

/// An edge of a tile as a thin box.
static void add_bar(sp_mesh *mesh, size_t bar, const float low[3], int axis, float length,
                    float half)
{
    static const uint32_t faces[BAR_TRIANGLES][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6},
                                                     {0, 1, 4}, {1, 5, 4}, {2, 6, 3}, {3, 6, 7},
                                                     {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
    for (uint32_t k = 0; k < BAR_VERTICES; ++k)
        for (int c = 0; c < 3; ++c) {
            const float far = (k >> c) & 1 ? 1.0f : 0.0f;
            mesh->x[bar * BAR_VERTICES + k][c] =
                low[c] + (c == axis ? far * length : (2.0f * far - 1.0f) * half);
        }
    for (uint32_t t = 0; t < BAR_TRIANGLES; ++t)
        for (int c = 0; c < 3; ++c)
            mesh->tri[bar * BAR_TRIANGLES + t][c] = (uint32_t)(bar * BAR_VERTICES) + faces[t][c];
}

static void add_tile(sp_mesh *mesh, size_t tile, const int32_t at[3], float edge, float half)
{
    size_t bar = tile * TILE_BARS;
    for (int axis = 0; axis < 3; ++axis)
        for (int k = 0; k < 4; ++k) {
            float low[3];
            for (int c = 0; c < 3; ++c)
                low[c] = (float)at[c] * edge;
            low[(axis + 1) % 3] += k & 1 ? edge : 0.0f;
            low[(axis + 2) % 3] += k & 2 ? edge : 0.0f;
            add_bar(mesh, bar++, low, axis, edge, half);
        }
}

static const sp_field *field_on_tiles(const sp_frame *frame)
{
    for (size_t i = 0; i < frame->field_count; ++i)
        if (frame->fields[i].layout == SP_FIELD_TILES && frame->fields[i].tile_count > 0)
            return &frame->fields[i];
    return NULL;
}

/// Colours tiles by rank along the space-filling curve, in TILE_COLORS groups.
static sp_status add_tiles(stage *s, sp_look_material *colors, sp_error *err)
{
    const sp_field *field = field_on_tiles(s->frame);
    if (!field)
        return sp_fail(err, SP_BAD_INPUT,
                       "frame %llu has no field on tiles; --look tiles needs one",
                       (unsigned long long)s->frame->frame);
    const float voxel = (float)s->frame->voxel, edge = 8.0f * voxel;
    for (size_t group = 0; group < TILE_COLORS; ++group) {
        const size_t begin = field->tile_count * group / TILE_COLORS,
                     end = field->tile_count * (group + 1) / TILE_COLORS;
        if (begin == end) continue;
        stage_mesh *out = stage_add_mesh(s);
        ramp_linear((float)group / (float)(TILE_COLORS - 1), colors[group].color);
        colors[group].rough = 1.0f;
        out->kind = SP_TRACE_OPAQUE;
        out->material = &colors[group];
        SP_TRY(sp_mesh_open(&out->mesh, s->host, (end - begin) * TILE_BARS * BAR_VERTICES,
                            (end - begin) * TILE_BARS * BAR_TRIANGLES, 0, err));
        memcpy(out->mesh.origin, s->frame->origin, sizeof out->mesh.origin);
        for (size_t t = begin; t < end; ++t)
            add_tile(&out->mesh, t - begin, field->tiles + 3 * t, edge, 0.1f * voxel);
    }
    return SP_OK;
}

/// ---- Wires -------------------------------------------------------------------------------------

/// The camera's projection, for lines over a traced picture.
typedef struct projector {
    sp_vec3 from, right, up, ahead;
    float pixels; ///< size in pixels of a slope of 1
    int width, height;
} projector;

static bool project(const projector *p, const float x[3], float at[3])
{
    const sp_vec3 d = sp_sub((sp_vec3){x[0], x[1], x[2]}, p->from);
    const float depth = sp_dot(d, p->ahead);
    if (!(depth > 1e-6f)) return false;
    at[0] = 0.5f * (float)p->width + p->pixels * sp_dot(d, p->right) / depth;
    at[1] = 0.5f * (float)p->height - p->pixels * sp_dot(d, p->up) / depth;
    at[2] = sp_length(d);
    return true;
}

/// Draws dots along a line where it is not behind a traced surface.
static void draw_line(const projector *p, const float a[3], const float b[3],
                      const sp_trace_film *film)
{
    const float span = fmaxf(fabsf(b[0] - a[0]), fabsf(b[1] - a[1]));
    if (!(span < 1e5f)) return;
    const int n = (int)span + 1;
    for (int k = 0; k <= n; ++k) {
        const float t = (float)k / (float)n, x = sp_mix(a[0], b[0], t), y = sp_mix(a[1], b[1], t);
        if (!(x >= 0.0f && y >= 0.0f && x < (float)p->width && y < (float)p->height)) continue;
        const size_t i = (size_t)y * (size_t)p->width + (size_t)x;
        if (film->depth[i] > 0.0f && sp_mix(a[2], b[2], t) > 1.01f * film->depth[i]) continue;
        film->color[i][0] *= 0.35f;
        film->color[i][1] *= 0.35f;
        film->color[i][2] *= 0.35f;
    }
}

static void draw_wires(const stage *s, const sp_trace_camera *camera, const render_plan *plan,
                       sp_trace_film *film)
{
    projector p = {.from = {camera->from[0], camera->from[1], camera->from[2]},
                   .width = plan->width,
                   .height = plan->height};
    const sp_vec3 to = {camera->to[0], camera->to[1], camera->to[2]},
                  up = {camera->up[0], camera->up[1], camera->up[2]};
    p.ahead = sp_normalize(sp_sub(to, p.from), (sp_vec3){0.0f, 0.0f, -1.0f});
    p.right = sp_normalize(sp_cross(p.ahead, up), (sp_vec3){1.0f, 0.0f, 0.0f});
    p.up = sp_cross(p.right, p.ahead);
    p.pixels = 0.5f * (float)plan->height / tanf(0.5f * camera->fov * SP_PI / 180.0f);
    for (size_t m = 0; m < s->mesh_count; ++m) {
        const sp_mesh *mesh = &s->meshes[m].mesh;
        for (size_t t = 0; t < mesh->triangle_count; ++t)
            for (int k = 0; k < 3; ++k) {
                const uint32_t i = mesh->tri[t][k], j = mesh->tri[t][(k + 1) % 3];
                float a[3], b[3];
                if (i < j && project(&p, mesh->x[i], a) && project(&p, mesh->x[j], b))
                    draw_line(&p, a, b, film);
            }
    }
}

/// ---- All of them -------------------------------------------------------------------------------

static sp_status stage_diagram(stage *s, const scale *range, sp_look_material *colors,
                               sp_error *err)
{
    static const sp_look_material clay = {.color = {0.55f, 0.6f, 0.65f}, .rough = 1.0f};
    const sp_render_kind kind = s->options->kind;
    if (kind == SP_RENDER_PARTICLES || kind == SP_RENDER_TILES) {
        SP_TRY(add_balls(s, range, kind == SP_RENDER_TILES, err));
        return kind == SP_RENDER_TILES ? add_tiles(s, colors, err) : SP_OK;
    }
    SP_TRY(stage_water(s, err));
    SP_TRY(stage_bubbles(s, err));
    size_t kept = 0;
    for (size_t m = 0; m < s->mesh_count; ++m) { // glass would hide the rest
        if (s->meshes[m].kind == SP_TRACE_GLASS) {
            sp_mesh_close(&s->meshes[m].mesh);
            continue;
        }
        s->meshes[kept] = s->meshes[m];
        s->meshes[kept].kind = SP_TRACE_OPAQUE;
        s->meshes[kept].pattern = 0;
        s->meshes[kept++].material = &clay;
    }
    s->mesh_count = kept;
    for (size_t g = 0; g < s->sphere_count; ++g)
        s->spheres[g].kind = SP_TRACE_OPAQUE;
    return SP_OK;
}

/// Replaces the dome by a dark background where nothing was hit; turns normals into colours.
static void finish_colors(const stage *s, const render_plan *plan, sp_trace_film *film)
{
    for (size_t i = 0; i < (size_t)plan->width * (size_t)plan->height; ++i) {
        const float cover = film->alpha[i],
                    row = (float)(i / (size_t)plan->width) / (float)plan->height;
        const float back = 0.05f + 0.04f * row;
        for (int c = 0; c < 3; ++c) {
            if (s->options->kind == SP_RENDER_NORMALS)
                film->color[i][c] =
                    cover * sp_powf(fmaxf(0.5f + 0.5f * film->normal[i][c], 1e-4f), 2.2f);
            else
                film->color[i][c] -= (1.0f - cover) * DIAGRAM_DOME;
            film->color[i][c] = fmaxf(film->color[i][c], 0.0f) + (1.0f - cover) * back;
        }
    }
}

sp_status diagnostic_pixels(const sp_frame *frame, const sp_render_options *options,
                            unsigned char *pixels, const sp_host *host, sp_error *err)
{
    render_plan plan;
    SP_TRY(plan_make(options, &plan, err));
    plan.shutter = 0.0;
    plan.depth = 2;
    sp_look_material colors[TILE_COLORS] = {{0}};
    sp_trace_film film = {0};
    sp_trace_camera camera;
    stage s;
    sp_status status = stage_begin(&s, frame, options, host, err);
    const scale range = status == SP_OK ? find_scale(&s) : (scale){0};
    if (status == SP_OK) status = stage_diagram(&s, &range, colors, err);
    if (status == SP_OK) status = stage_finish(&s, err);
    if (status == SP_OK) status = sp_trace_film_open(&film, host, plan.width, plan.height, err);
    if (status == SP_OK) status = trace_stage(&s, &plan, &camera, &film, err);
    if (status == SP_OK) {
        sp_trace_finish(&film, plan.width, plan.height, plan.samples);
        finish_colors(&s, &plan, &film);
        if (options->kind == SP_RENDER_WIRE) draw_wires(&s, &camera, &plan, &film);
        sp_trace_tone8((const float(*)[3])film.color, (size_t)plan.width * (size_t)plan.height,
                       0.3f, SP_TONE_SRGB, (unsigned char(*)[3])pixels);
        if (options->kind == SP_RENDER_PARTICLES && range.title)
            sp_picture_bar(pixels, plan.width, plan.height, range.title, (double)range.low,
                           (double)range.high);
    }
    stage_close(&s);
    sp_trace_film_close(&film, host);
    return status;
}

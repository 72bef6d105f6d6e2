// SPDX-License-Identifier: Apache-2.0
/// Fills the view of the water for drawing: the surface on a finer grid, and instances of bubbles,
/// foam, vortices and tracers. Does not change the state.
#include "pond/internal.h"

#include <string.h>

/// ---- The surface on the fine grid --------------------------------------------------------------
/// Catmull-Rom through the cell centres: first along x, into one fine row for each row of cells,
/// then along y. Rows that hold a dry cell are interpolated linearly, because a spline overshoots
/// at the shore.

enum { EDGE = 2 }; ///< cells repeated beyond a wall for the spline

static void spline(float t, bool linear, float w[4])
{
    const float t2 = t * t, t3 = t2 * t;
    w[0] = linear ? 0.0f : -0.5f * t3 + t2 - 0.5f * t;
    w[1] = linear ? 1.0f - t : 1.5f * t3 - 2.5f * t2 + 1.0f;
    w[2] = linear ? t : -1.5f * t3 + 2.0f * t2 + 0.5f * t;
    w[3] = linear ? 0.0f : 0.5f * t3 - 0.5f * t2;
}

/// The last cell centre before a fine vertex, and the distance t from there to the vertex, in
/// cells.
static int32_t before(int32_t vertex, int32_t scale, float *t)
{
    const int32_t halves = 2 * vertex - scale; // from the first centre, in 1/(2 scale) cells
    const int32_t low = halves >= 0 ? halves / (2 * scale) : -1;
    *t = (float)(halves - low * 2 * scale) / (float)(2 * scale);
    return low;
}

typedef struct drawing {
    sp_pond *pond;
    size_t width, step;             ///< vertices a row, and floats a row of scratch
    float *level_rows, *depth_rows; ///< ny fine rows each
    bool flat;                      ///< level ground and no shore: depth is level minus bed
    float bed;                      ///< m
    uint8_t *dry;                   ///< one a row of cells
} drawing;

size_t pond_draw_floats(const sp_pond *pond)
{
    const size_t step = sp_pad16(pond->view.width) + SP_LANES, ny = (size_t)pond->water.ny;
    return 2 * ny * step + ny + SP_LANES;
}

static drawing lay_out(sp_pond *pond)
{
    drawing d = {.pond = pond, .width = pond->view.width};
    d.step = sp_pad16(d.width) + SP_LANES;
    const pond_water *w = &pond->water;
    const size_t rows = (size_t)w->ny * d.step;
    d.flat = pond_water_is_flat(w);
    d.bed = (float)w->b[pond_cell(w, 0, 0)] * w->quantum;
    d.level_rows = pond->surface_rows;
    d.depth_rows = d.level_rows + rows;
    d.dry = (uint8_t *)(d.depth_rows + rows);
    return d;
}

/// `scale` is a constant wherever this is inlined, so the inner loop unrolls to interleaved stores.
SP_INLINE void widen(int32_t scale, size_t nx, bool linear, const float *restrict cells,
                     float *restrict fine)
{
    float w[4][4];
    int32_t from[4];
    for (int32_t p = 0; p < scale; ++p) {
        float t;
        from[p] = before(p, scale, &t);
        spline(t, linear, w[p]);
    }
    for (size_t m = 0; m < nx; ++m)
        for (int32_t p = 0; p < scale; ++p) {
            const float *c = cells + m + from[p];
            fine[m * (size_t)scale + (size_t)p] =
                w[p][0] * c[-1] + w[p][1] * c[0] + w[p][2] * c[1] + w[p][3] * c[2];
        }
    const float *c = cells + nx + from[0]; // the last vertex lies on the wall
    fine[nx * (size_t)scale] = w[0][0] * c[-1] + w[0][1] * c[0] + w[0][2] * c[1] + w[0][3] * c[2];
}

static void widen_row(int32_t scale, size_t nx, bool linear, const float *cells, float *fine)
{
    if (scale == 1)
        widen(1, nx, linear, cells, fine);
    else if (scale == 2)
        widen(2, nx, linear, cells, fine);
    else
        widen(4, nx, linear, cells, fine);
}

/// Reads a row of cells in metres, with the end cells repeated.
static bool read_row(const pond_water *w, int32_t j, float *level, float *depth)
{
    const int32_t *q = w->q + pond_cell(w, 0, j), *b = w->b + pond_cell(w, 0, j);
    const int32_t wet = (int32_t)(1e-3f / w->quantum);
    int dry = 0;
    for (int32_t i = 0; i < w->nx; ++i) {
        level[i] = (float)(q[i] + b[i]) * w->quantum;
        depth[i] = (float)q[i] * w->quantum;
        dry |= q[i] < wet;
    }
    for (int32_t e = 1; e <= EDGE; ++e) {
        level[-e] = level[0];
        depth[-e] = depth[0];
        level[w->nx - 1 + e] = level[w->nx - 1];
        depth[w->nx - 1 + e] = depth[w->nx - 1];
    }
    return dry;
}

static void widen_rows(void *arg, size_t begin, size_t end)
{
    const drawing *d = arg;
    const pond_water *w = &d->pond->water;
    float level[4096 + 2 * EDGE + SP_LANES], depth[4096 + 2 * EDGE + SP_LANES];
    for (size_t j = begin; j < end; ++j) {
        const bool dry = read_row(w, (int32_t)j, level + EDGE, depth + EDGE);
        d->dry[j] = dry;
        widen_row(d->pond->def.render_scale, (size_t)w->nx, dry, level + EDGE,
                  d->level_rows + j * d->step);
        if (!d->flat)
            widen_row(d->pond->def.render_scale, (size_t)w->nx, true, depth + EDGE,
                      d->depth_rows + j * d->step);
    }
}

static void blend_rows(size_t n, const float w[4], const float *restrict a, const float *restrict b,
                       const float *restrict c, const float *restrict d, float *restrict out)
{
    for (size_t i = 0; i < n; ++i)
        out[i] = w[0] * a[i] + w[1] * b[i] + w[2] * c[i] + w[3] * d[i];
}

static void blend_depth(size_t n, float t, const float *restrict low, const float *restrict high,
                        float *restrict out)
{
    for (size_t i = 0; i < n; ++i) {
        const float depth = low[i] + (high[i] - low[i]) * t;
        out[i] = depth < 1e-3f ? 0.0f : depth;
    }
}

static void level_less_bed(size_t n, float bed, const float *restrict level, float *restrict out)
{
    for (size_t i = 0; i < n; ++i) { // in rough water the spline may be below the bed
        const float depth = level[i] - bed;
        out[i] = depth < 1e-3f ? 0.0f : depth;
    }
}

static void heighten_rows(void *arg, size_t begin, size_t end)
{
    const drawing *d = arg;
    const int32_t ny = d->pond->water.ny;
    for (size_t v = begin; v < end; ++v) {
        float t, w[4];
        const int32_t low = before((int32_t)v, d->pond->def.render_scale, &t);
        size_t row[4];
        bool dry = false;
        for (int32_t k = 0; k < 4; ++k) {
            const int32_t j = low - 1 + k;
            row[k] = (size_t)(j < 0 ? 0 : j >= ny ? ny - 1 : j);
            dry |= d->dry[row[k]];
        }
        spline(t, dry, w);
        const float *rows = d->level_rows, *depths = d->depth_rows;
        blend_rows(d->width, w, rows + row[0] * d->step, rows + row[1] * d->step,
                   rows + row[2] * d->step, rows + row[3] * d->step, d->pond->level + v * d->width);
        if (d->flat)
            level_less_bed(d->width, d->bed, d->pond->level + v * d->width,
                           d->pond->depth + v * d->width);
        else
            blend_depth(d->width, t, depths + row[1] * d->step, depths + row[2] * d->step,
                        d->pond->depth + v * d->width);
    }
}

/// ---- Normals -----------------------------------------------------------------------------------

/// 0.5 with the sign of x. Made from bits, because WebAssembly compilers split copysignf() into
/// scalar code and a select takes twice as long.
static inline float half_like(float x)
{
    const float half = 0.5f;
    uint32_t sign, bits;
    memcpy(&sign, &x, sizeof sign);
    memcpy(&bits, &half, sizeof bits);
    bits |= sign & 0x80000000u;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline int32_t to_byte(float x)
{
    return (int32_t)(x * 127.0f + half_like(x)) & 255;
}

/// Central differences (one-sided at the border); x, y, z and wet are packed into one word a
/// vertex.
static void normal_row(size_t n, float gain_x, float gain_y, const float *restrict here,
                       const float *restrict north, const float *restrict south,
                       const float *restrict depth, uint32_t *restrict out)
{
    for (size_t i = 0; i < n; ++i) {
        const float dx = ((here + 1)[i] - (here - 1)[i]) * gain_x,
                    dy = (north[i] - south[i]) * gain_y;
        const float shrink = 1.0f / sqrtf(1.0f + dx * dx + dy * dy);
        const int32_t x = to_byte(-dx * shrink), y = to_byte(-dy * shrink), z = to_byte(shrink);
        const int32_t wet = depth[i] > 0.0f ? 127 : 0;
        out[i] = (uint32_t)(x | y << 8 | z << 16 | wet << 24);
    }
}

static void normal_rows(void *arg, size_t begin, size_t end)
{
    const drawing *d = arg;
    const sp_pond *pond = d->pond;
    const size_t width = d->width, height = pond->view.height;
    const float gain = 0.5f / pond->view.spacing;
    for (size_t j = begin; j < end; ++j) {
        const float *row = pond->level + j * width, *depth = pond->depth + j * width;
        const float *north = j + 1 < height ? row + width : row, *south = j > 0 ? row - width : row;
        const float gain_y = j > 0 && j + 1 < height ? gain : 2.0f * gain;
        uint32_t *out = (uint32_t *)(void *)(pond->normal + 4 * j * width);
        normal_row(width - 2, gain, gain_y, row + 1, north + 1, south + 1, depth + 1, out + 1);
        for (size_t e = 0; e < 2; ++e) { // the border: one side is missing
            const size_t i = e * (width - 1);
            const float ends[3] = {row[i - e], row[i], row[i - e + 1]};
            const float flat[3] = {ends[0], ends[0], ends[2]};
            normal_row(1, 2.0f * gain, gain_y, flat + 1, north + i, south + i, depth + i, out + i);
        }
    }
}

/// ---- Instances ---------------------------------------------------------------------------------

/// Stretch along each bubble's direction of motion: A sin(phase), with A from the Weber number and
/// the last merge. Writes the stretch to wx and 1/speed to wy.
static void find_stretch(const sp_pond *pond, size_t begin, size_t end)
{
    const pond_bubbles *b = &pond->bubbles;
    const float tension = pond->def.surface_tension > 1e-6f ? pond->def.surface_tension : 1e-6f;
    const float gain = 2.0f * pond->def.water_density / tension, wobble = pond->def.wobble;
    for (size_t i = begin; i < end; i += SP_PART) {
        const sp_part x = sp_part_load(b->ux + i), y = sp_part_load(b->uy + i),
                      z = sp_part_load(b->uz + i);
        const sp_part speed2 = x * x + y * y + z * z,
                      weber = gain * sp_part_load(b->r + i) * speed2;
        const sp_part wanted =
            wobble * (0.12f * weber / (weber + 4.0f) + 0.30f * sp_part_load(b->kick + i));
        const sp_part amplitude = sp_part_min(wanted, sp_part_all(0.45f));
        sp_part_store(pond->wx + i, amplitude * sp_part_sine(sp_part_load(b->phase + i)));
        sp_part_store(pond->wy + i, 1.0f / sp_part_sqrt(sp_part_max(speed2, sp_part_all(1e-24f))));
    }
}

static void draw_bubbles(void *arg, size_t begin, size_t end)
{
    const sp_pond *pond = arg;
    const pond_bubbles *b = &pond->bubbles;
    find_stretch(pond, begin, end);
    for (size_t i = begin; i < end; ++i) {
        const float per_speed = pond->wy[i],
                    still = per_speed > 1e11f ? 1.0f : 0.0f; // at rest the axis points up
        const float row[8] = {b->px[i],
                              b->py[i],
                              b->pz[i],
                              b->r[i],
                              b->ux[i] * per_speed,
                              b->uy[i] * per_speed,
                              b->uz[i] * per_speed + still,
                              pond->wx[i]};
        memcpy(pond->bubble_instances + 8 * i, row, sizeof row);
    }
}

static void draw_foam(void *arg, size_t begin, size_t end)
{
    const sp_pond *pond = arg;
    const pond_foam *f = &pond->foam;
    const sp_pond_view *v = &pond->view;
    const float per_spacing = 1.0f / v->spacing;
    for (size_t i = begin; i < end; ++i) {
        const size_t x =
            (size_t)sp_clamp(f->px[i] * per_spacing + 0.5f, 0.0f, (float)(v->width - 1));
        const size_t y =
            (size_t)sp_clamp(f->py[i] * per_spacing + 0.5f, 0.0f, (float)(v->height - 1));
        const int8_t *normal = pond->normal + 4 * (y * v->width + x);
        const float fade = f->left[i] * (1.0f / 0.15f), unit = 1.0f / 127.0f;
        const float row[8] = {f->px[i],
                              f->py[i],
                              f->level[i], // of the last sub-step: error at most 0.1 mm
                              f->r[i],
                              (float)normal[0] * unit,
                              (float)normal[1] * unit,
                              fade < 1.0f ? fade : 1.0f,
                              1.0f - f->left[i] / f->life[i]};
        memcpy(pond->foam_instances + 8 * i, row, sizeof row);
    }
}

static void fill_view(sp_pond *pond)
{
    sp_pond_view *v = &pond->view;
    v->level = pond->level;
    v->depth = pond->depth;
    v->normal = pond->normal;
    v->bubbles = pond->bubble_instances;
    v->foam = pond->foam_instances;
    v->vortices = pond->vortex_instances;
    v->tracers = pond->tracer_instances;
    v->bubble_count = (uint32_t)pond->bubbles.set.count;
    v->foam_count = (uint32_t)pond->foam.set.count;
    v->vortex_count = v->bubble_count + (uint32_t)pond->ghosts.set.count;
    v->tracer_count = (uint32_t)pond->tracers.set.count;
}

const sp_pond_view *sp_pond_draw(sp_pond *pond)
{
    if (pond->drawn == pond->frame + 1) return &pond->view;
    const double begun = sp_now(pond->host);
    drawing d = lay_out(pond);
    const size_t grain = 1 + 16384 / pond->view.width; // some 16,000 vertices a task
    sp_parallel(pond->host, (size_t)pond->water.ny, grain, widen_rows, &d);
    sp_parallel(pond->host, pond->view.height, grain, heighten_rows, &d);
    pond_add_domes(pond);
    sp_parallel(pond->host, pond->view.height, grain, normal_rows, &d);
    sp_parallel(pond->host, pond->bubbles.set.count, 2 * POND_GRAIN, draw_bubbles, pond);
    sp_parallel(pond->host, pond->foam.set.count, 2 * POND_GRAIN, draw_foam, pond);
    fill_view(pond);
    pond->drawn = pond->frame + 1;
    sp_stage_end(&pond->profile, STAGE_PUBLISH, begun);
    return &pond->view;
}

/// Only debug views call this, so sp_pond_draw() leaves vortices and tracers out.
const sp_pond_view *sp_pond_draw_vortices(sp_pond *pond)
{
    sp_pond_draw(pond);
    const pond_bubbles *b = &pond->bubbles;
    const pond_ghosts *g = &pond->ghosts;
    const size_t n = b->set.count;
    for (size_t i = 0; i < n; ++i) {
        const sp_vec3 c = pond_vortex_centre(pond, i);
        const float row[8] = {c.x,      c.y,      c.z,      pond->def.vortex_ratio * b->r[i],
                              b->sx[i], b->sy[i], b->sz[i], 1.0f};
        memcpy(pond->vortex_instances + 8 * i, row, sizeof row);
    }
    for (size_t k = 0; k < g->set.count; ++k) {
        const float fade = pond->def.fade_time > 0.0f ? g->left[k] / pond->def.fade_time : 0.0f;
        const float row[8] = {g->cx[k], g->cy[k], g->cz[k], g->a[k],
                              g->sx[k], g->sy[k], g->sz[k], sp_clamp(fade, 0.0f, 1.0f)};
        memcpy(pond->vortex_instances + 8 * (n + k), row, sizeof row);
    }
    for (size_t k = 0; k < pond->tracers.set.count; ++k) {
        const float row[3] = {pond->tracers.px[k], pond->tracers.py[k], pond->tracers.pz[k]};
        memcpy(pond->tracer_instances + 3 * k, row, sizeof row);
    }
    return &pond->view;
}

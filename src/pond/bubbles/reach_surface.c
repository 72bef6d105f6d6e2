// SPDX-License-Identifier: Apache-2.0
/// Bubbles at the surface: they break through, become foam or burst, and make a ring wave (P15).
#include "pond/internal.h"

void pond_add_event(sp_pond *pond, sp_pond_event_kind kind, float x, float y, float z, float r)
{
    if (pond->event_count < POND_MAX_EVENTS)
        pond->events[pond->event_count++] = (sp_pond_event){kind, x, y, z, r};
}

/// ---- Ring wave ---------------------------------------------------------------------------------
/// dH = chi (V/dx^2) (A/sum A - B/sum B) over the wet cells within h = max(2r, 2.5 dx), with A =
/// (h^2 - d^2)^3 and B = (h^2/4 - d^2)^3: a pit in the middle and a ring around it. The weights are
/// normalised on the grid; T07's equation 10, sampled as printed, adds or removes water. The sum of
/// the changes is zero to the quantum. chi leaves at least half of every depth.

typedef struct ring {
    const pond_water *w;
    float x, y, h2;
    int32_t i0, i1, j0, j1; ///< cells, ends excluded
    int32_t dry;
    float sum_a, sum_b, scale; ///< scale: chi V/dx^2 in quanta
} ring;

static inline float cube(float x)
{
    return x > 0.0f ? x * x * x : 0.0f;
}

/// Distance squared from the centre of the ring to the centre of a cell.
static inline float away2(const ring *r, int32_t i, int32_t j)
{
    const float dx = ((float)i + 0.5f) * r->w->dx - r->x, dy = ((float)j + 0.5f) * r->w->dx - r->y;
    return dx * dx + dy * dy;
}

static inline float ring_change(const ring *r, float d2)
{
    return r->scale * (cube(r->h2 - d2) / r->sum_a - cube(0.25f * r->h2 - d2) / r->sum_b);
}

static ring make_ring(const sp_pond *pond, float x, float y, float radius)
{
    const pond_water *w = &pond->water;
    const float across = (float)(w->nx + w->ny) * w->dx,
                wanted = 2.0f * radius < across ? 2.0f * radius : across;
    const float h = wanted > 2.5f * w->dx ? wanted : 2.5f * w->dx;
    return (ring){
        .w = w,
        .x = x,
        .y = y,
        .h2 = h * h,
        .i0 = (int32_t)sp_clamp((x - h) / w->dx, 0.0f, (float)w->nx),
        .i1 = (int32_t)sp_clamp((x + h) / w->dx + 1.0f, 0.0f, (float)w->nx),
        .j0 = (int32_t)sp_clamp((y - h) / w->dx, 0.0f, (float)w->ny),
        .j1 = (int32_t)sp_clamp((y + h) / w->dx + 1.0f, 0.0f, (float)w->ny),
        .dry = (int32_t)(1e-6f / w->quantum),
    };
}

#define FOR_WET_CELLS(r, i, j, c)                                                                  \
    for (int32_t j = (r)->j0; j < (r)->j1; ++j)                                                    \
        for (int32_t i = (r)->i0; i < (r)->i1; ++i)                                                \
            for (size_t c = pond_cell((r)->w, i, j), once = 1; once && (r)->w->q[c] > (r)->dry;    \
                 once = 0)

/// The largest chi that leaves every cell half its depth (and one quantum, because changes are
/// rounded down).
static float largest_safe_scale(const ring *r)
{
    float chi = 1.0f;
    FOR_WET_CELLS(r, i, j, c)
    {
        const float change = ring_change(r, away2(r, i, j)), half = 0.5f * (float)r->w->q[c] - 1.0f;
        if (-change * chi > half) chi = half > 0.0f ? half / -change : 0.0f;
    }
    return chi;
}

void pond_ring_wave(sp_pond *pond, float x, float y, float radius, double volume)
{
    pond_water *w = &pond->water;
    ring r = make_ring(pond, x, y, radius);
    size_t middle = SIZE_MAX;
    float largest = 0.0f;
    FOR_WET_CELLS(&r, i, j, c)
    {
        const float d2 = away2(&r, i, j), a = cube(r.h2 - d2);
        r.sum_a += a;
        r.sum_b += cube(0.25f * r.h2 - d2);
        if (a > largest) {
            largest = a;
            middle = c;
        }
    }
    if (!(r.sum_b > 0.0f) || middle == SIZE_MAX) return; // no wet cell near the centre
    r.scale = (float)(volume / ((double)w->dx * (double)w->dx * (double)w->quantum));
    const float chi = largest_safe_scale(&r);
    if (chi < 1.0f) ++pond->stats.softened;
    r.scale *= chi * (1.0f - 0x1p-16f); // margin for the rounding of both sums
    int64_t left = 0;
    FOR_WET_CELLS(&r, i, j, c)
    {
        const int32_t change = (int32_t)floorf(ring_change(&r, away2(&r, i, j)));
        w->q[c] += change;
        left -= change;
        w->rows.low[j] = w->q[c] < w->rows.low[j] ? w->q[c] : w->rows.low[j];
        w->rows.high[j] = w->q[c] > w->rows.high[j] ? w->q[c] : w->rows.high[j];
    }
    w->q[middle] += (int32_t)left; // the remainder of rounding down
    const size_t row = middle / w->stride - 1;
    if (w->q[middle] > w->rows.high[row]) w->rows.high[row] = w->q[middle];
}

/// ---- Breaking ----------------------------------------------------------------------------------

static void leave_ghost(sp_pond *pond, size_t i)
{
    pond_ghosts *g = &pond->ghosts;
    const pond_bubbles *b = &pond->bubbles;
    if (pond->def.fade_time <= 0.0f || g->set.count >= (size_t)pond->def.max_ghosts) return;
    const sp_vec3 centre = pond_vortex_centre(pond, i);
    const size_t k = sp_particles_append(&g->set, 1);
    g->cx[k] = centre.x;
    g->cy[k] = centre.y;
    g->cz[k] = centre.z;
    g->sx[k] = b->sx[i];
    g->sy[k] = b->sy[i];
    g->sz[k] = b->sz[i];
    g->a[k] = pond->def.vortex_ratio * b->r[i];
    g->left[k] = pond->def.fade_time;
}

/// The size of a foam particle is the running mean over the last 256 arrivals.
static void note_size(sp_pond *pond, float r)
{
    pond->arrived += 1.0;
    const float share = pond->arrived < 256.0 ? (float)(1.0 / pond->arrived) : 1.0f / 256.0f;
    pond->foam_size += (2.0f * r - pond->foam_size) * share;
}

static bool becomes_foam(const sp_pond *pond, uint64_t id)
{
    return pond->foam.set.count < (size_t)pond->def.max_foam &&
           sp_unit(sp_random(pond->seed, POND_DRAW_FOAM, id, 0, 0).x[0]) <
               pond->def.foam_probability;
}

static void break_through(sp_pond *pond, size_t i)
{
    const pond_bubbles *b = &pond->bubbles;
    note_size(pond, b->r[i]);
    leave_ghost(pond, i);
    pond_add_event(pond, SP_POND_BREAK, b->px[i], b->py[i], b->pz[i], b->r[i]);
    if (becomes_foam(pond, b->id[i])) {
        pond_add_foam(pond, i);
        return;
    }
    pond->gas_out += b->vol[i];
    pond_ring_wave(pond, b->px[i], b->py[i], b->r[i], b->vol[i]);
}

static bool is_stranded(const pond_bubbles *b, size_t i)
{
    return b->level[i] < b->bed[i] + b->r[i];
}

/// Marks bubbles that may break. The last sample of the surface is accurate enough for that.
enum { MERGED = 1, NEAR = 2 };
static void mark_near(void *arg, size_t begin, size_t end)
{
    const sp_pond *pond = arg;
    const pond_bubbles *b = &pond->bubbles;
    const float *restrict level = b->level, *restrict bed = b->bed, *restrict r = b->r,
                          *restrict pz = b->pz;
    uint8_t *restrict marks = pond->gone;
    for (size_t i = begin; i < end; ++i) {
        const bool near = (level[i] < bed[i] + r[i]) | !(pz[i] < level[i]);
        marks[i] = (uint8_t)(marks[i] | (near ? NEAR : 0));
    }
}

/// A bubble breaks when its centre is above its own dome (P14), which is 4r/3 high at the surface.
/// A stranded bubble (depth below its radius) bursts without a wave. The bubbles that pond_merge()
/// marked are removed in the same pass.
void pond_break_bubbles(sp_pond *pond)
{
    pond_bubbles *b = &pond->bubbles;
    const size_t n = b->set.count;
    bool any = false;
    sp_parallel(pond->host, n, 16 * POND_GRAIN, mark_near, pond);
    for (size_t i = sp_next_marked(pond->gone, 0, n); i < n;
         i = sp_next_marked(pond->gone, i + 1, n)) {
        const bool merged = pond->gone[i] & MERGED, stranded = !merged && is_stranded(b, i);
        const bool above =
            !merged && !stranded &&
            b->pz[i] > pond_level_at(&pond->water, b->px[i], b->py[i]) + 4.0f / 3.0f * b->r[i];
        if (stranded) pond->gas_out += b->vol[i];
        if (above) break_through(pond, i);
        pond->gone[i] = merged || stranded || above;
        any |= pond->gone[i];
    }
    if (any) sp_particles_remove(&b->set, pond->gone);
}

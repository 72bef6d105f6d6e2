// SPDX-License-Identifier: Apache-2.0
/// Hill's spherical vortices (P4 - P7): the velocity that bubbles, and ghosts of broken bubbles,
/// add to the water. In the frame of the laboratory, with y = (x - c)/a and d = |y|:
///
///     inside  (d < 1)   u_h = 1.5 (y.S) y + (2.5 - 3 d^2) S
///     outside           u_h = 1.5 d^-5 (y.S) y - 0.5 d^-3 S
///
/// blended to zero between 2a and 3a by f = t^2 (3 - 2t), t = 3 - d. The blend adds grad f x
/// (vector potential), so that the field keeps its zero divergence:
///
///     u = f u_h + f'/(2 d^4) (d^2 S - (y.S) y)
///
/// T07's equation 5 is in the frame of the vortex: it would blow every distant bubble downward, and
/// it jumps at d = 1; docs/pond.md has the derivation.
///
/// Every term is A (y.S) y + B S, so one square root and one division serve a whole part of SP_PART
/// vortices.
#include "pond/internal.h"

#include <string.h>

/// ---- Sources -----------------------------------------------------------------------------------

/// c = p - (a - r/2) S/|S|. A vortex too weak to have a direction points up.
sp_vec3 pond_vortex_centre(const sp_pond *pond, size_t i)
{
    const pond_bubbles *b = &pond->bubbles;
    const sp_vec3 s = {b->sx[i], b->sy[i], b->sz[i]}, p = {b->px[i], b->py[i], b->pz[i]};
    const float length = sp_length(s), back = (pond->def.vortex_ratio - 0.5f) * b->r[i];
    return length < 1e-6f ? sp_madd(p, (sp_vec3){0.0f, 0.0f, 1.0f}, -back)
                          : sp_madd(p, s, -back / length);
}

/// pond_vortex_centre() for many bubbles, in whole vectors.
static void add_bubble_sources(void *arg, size_t begin, size_t end)
{
    const sp_pond *pond = arg;
    const pond_bubbles *b = &pond->bubbles;
    const pond_sources *s = &pond->sources;
    const float strength = pond->def.vortex_strength, ratio = pond->def.vortex_ratio;
    for (size_t i = begin; i < end; i += SP_PART) {
        const sp_part sx = sp_part_load(b->sx + i), sy = sp_part_load(b->sy + i),
                      sz = sp_part_load(b->sz + i);
        const sp_part r = sp_part_load(b->r + i),
                      length = sp_part_sqrt(sx * sx + sy * sy + sz * sz);
        const sp_flags weak = length < 1e-6f;
        const sp_part back = (ratio - 0.5f) * r / sp_part_select(weak, sp_part_all(1.0f), length);
        sp_part_store(s->cx + i,
                      sp_part_load(b->px + i) - back * sp_part_select(weak, sp_part_all(0.0f), sx));
        sp_part_store(s->cy + i,
                      sp_part_load(b->py + i) - back * sp_part_select(weak, sp_part_all(0.0f), sy));
        sp_part_store(s->cz + i,
                      sp_part_load(b->pz + i) - back * sp_part_select(weak, sp_part_all(1.0f), sz));
        sp_part_store(s->sx + i, sx * strength);
        sp_part_store(s->sy + i, sy * strength);
        sp_part_store(s->sz + i, sz * strength);
        sp_part_store(s->a + i, ratio * r);
    }
}

/// A ghost weakens as its time runs out.
static void add_ghost_sources(void *arg, size_t begin, size_t end)
{
    const sp_pond *pond = arg;
    const pond_ghosts *g = &pond->ghosts;
    const pond_sources *s = &pond->sources;
    const size_t first = pond->bubbles.set.count + begin, n = end - begin;
    const float *const from[] = {g->cx, g->cy, g->cz, g->a};
    float *const to[] = {s->cx, s->cy, s->cz, s->a};
    for (int c = 0; c < 4; ++c)
        memcpy(to[c] + first, from[c] + begin, n * sizeof(float));
    const float fade_time = pond->def.fade_time, all = pond->def.vortex_strength;
    float *restrict sx = s->sx + first, *restrict sy = s->sy + first, *restrict sz = s->sz + first;
    for (size_t k = 0; k < n; ++k) {
        const float fade = fade_time > 0.0f ? g->left[begin + k] / fade_time : 0.0f;
        const float strength = all * (fade < 1.0f ? fade : 1.0f);
        sx[k] = g->sx[begin + k] * strength;
        sy[k] = g->sy[begin + k] * strength;
        sz[k] = g->sz[begin + k] * strength;
    }
}

static void pack_sources(void *arg, size_t begin, size_t end)
{
    const pond_sources *s = arg;
    const pond_packing p = {.member = s->classes.member,
                            .from = {s->cx, s->cy, s->cz, s->sx, s->sy, s->sz, s->a},
                            .sorted = s->sorted,
                            .columns = 7,
                            .index = s->sorted[7]};
    pond_pack(&p, begin, end);
    float *restrict a = s->sorted[6];
    for (size_t k = begin; k < end; ++k)
        a[k] = 1.0f / a[k];
}

void pond_gather_sources(sp_pond *pond)
{
    pond_sources *s = &pond->sources;
    const size_t bubbles = pond->bubbles.set.count, ghosts = pond->ghosts.set.count;
    sp_parallel(pond->host, bubbles, 2 * POND_GRAIN, add_bubble_sources, pond);
    sp_parallel(pond->host, ghosts, 4 * POND_GRAIN, add_ghost_sources, pond);
    s->count = bubbles + ghosts;
    pond_classes_sort(&s->classes, pond, s->count, s->cx, s->cy, s->a, 3.0f, 3.0f);
    sp_parallel(pond->host, s->count, POND_GRAIN, pack_sources, s);
}

/// ---- Sums --------------------------------------------------------------------------------------

typedef struct sums {
    const sp_pond *pond;
    const float *x, *y, *z;
    float *wx, *wy, *wz;
    bool skip_self, solenoidal;
} sums;

/// P6: f and g = f'/(2 d^4) of the blend; `inv` is 1/d.
SP_INLINE void fall_off(bool solenoidal, sp_part d, sp_part inv, sp_part *f, sp_part *g)
{
    const sp_part t = sp_part_max(sp_part_min(3.0f - d, sp_part_all(1.0f)), sp_part_all(0.0f));
    if (!solenoidal) { // T07's equation 7: linear
        *f = t;
        *g = sp_part_all(0.0f);
        return;
    }
    const sp_part inv2 = inv * inv;
    *f = t * t * (3.0f - 2.0f * t);
    *g = -3.0f * t * (1.0f - t) * (inv2 * inv2); // zero where t is 0 or 1
}

/// Adds the vortices of a block at one point. Lanes are places in the block, summed by the fixed
/// tree. Parts out of range are skipped: they would add zeros, which never change a sum that began
/// at +0.
SP_INLINE sp_vec3 sum_block(const pond_block *b, bool solenoidal, float px, float py, float pz,
                            int32_t self)
{
    sp_lanes sum_x = {0}, sum_y = {0}, sum_z = {0};
    for (size_t k = 0; k < b->count; k += SP_PART) {
        const sp_part ia = sp_part_load(b->column[6] + k);
        const sp_part yx = (px - sp_part_load(b->column[0] + k)) * ia;
        const sp_part yy = (py - sp_part_load(b->column[1] + k)) * ia;
        const sp_part yz = (pz - sp_part_load(b->column[2] + k)) * ia;
        const sp_part d2 = yx * yx + yy * yy + yz * yz;
        const sp_flags counts = (d2 < 9.0f) & (sp_flags_load(b->column[7] + k) != self);
        if (!sp_flags_any(counts)) continue;
        const sp_part sx = sp_part_load(b->column[3] + k), sy = sp_part_load(b->column[4] + k),
                      sz = sp_part_load(b->column[5] + k);
        const sp_part d = sp_part_sqrt(sp_part_max(d2, sp_part_all(1e-12f))), inv = 1.0f / d;
        const sp_part inv3 = inv * inv * inv, along = yx * sx + yy * sy + yz * sz;
        const sp_flags inside = d2 < 1.0f;
        const sp_part a_h = sp_part_select(inside, sp_part_all(1.5f), 1.5f * inv3 * (inv * inv));
        const sp_part b_h = sp_part_select(inside, 2.5f - 3.0f * d2, -0.5f * inv3);
        sp_part f, g;
        fall_off(solenoidal, d, inv, &f, &g);
        const sp_part on_y = sp_part_keep(counts, (f * a_h - g) * along);
        const sp_part on_s = sp_part_keep(counts, f * b_h + g * d2);
        sp_lanes_add(&sum_x, k, on_y * yx + on_s * sx);
        sp_lanes_add(&sum_y, k, on_y * yy + on_s * sy);
        sp_lanes_add(&sum_z, k, on_y * yz + on_s * sz);
    }
    return (sp_vec3){sp_lanes_sum(sum_x), sp_lanes_sum(sum_y), sp_lanes_sum(sum_z)};
}

/// Adds a block of vortices at the targets of a strip.
static void add_block(void *arg, const pond_block *b, size_t begin, size_t end)
{
    const sums *s = arg;
    for (size_t place = begin; place < end; ++place) {
        const uint32_t i = s->pond->target_cells.order[place];
        const int32_t self = s->skip_self ? (int32_t)i : -1;
        const sp_vec3 w = s->solenoidal ? sum_block(b, true, s->x[i], s->y[i], s->z[i], self)
                                        : sum_block(b, false, s->x[i], s->y[i], s->z[i], self);
        s->wx[i] += w.x;
        s->wy[i] += w.y;
        s->wz[i] += w.z;
    }
}

void pond_vortex_sums(sp_pond *pond, size_t n, const float *x, const float *y, const float *z,
                      bool skip_self, float *wx, float *wy, float *wz)
{
    memset(wx, 0, n * sizeof *wx);
    memset(wy, 0, n * sizeof *wy);
    memset(wz, 0, n * sizeof *wz);
    if (n == 0 || pond->sources.count == 0) return;
    sums s = {pond, x, y, z, wx, wy, wz, skip_self, pond->def.vortex_falloff == SP_POND_SOLENOIDAL};
    pond_gathering g = {.targets = &pond->target_cells,
                        .sorted = pond->sources.sorted,
                        .columns = 8,
                        .sums = add_block,
                        .arg = &s};
    pond_reach_classes(&g, &pond->sources.classes, 0);
    pond_shape_cells(&pond->target_cells, &pond->water, g.from[0].distance,
                     n); // small cells share candidates best
    sp_cells_fill(&pond->target_cells, n, x, y, NULL);
    pond_gather(pond->host, &g);
}

/// ---- The same, one by one, in double -----------------------------------------------------------

void pond_hill(const double y[3], const double s[3], bool solenoidal, double u[3])
{
    const double d2 = y[0] * y[0] + y[1] * y[1] + y[2] * y[2], d = sqrt(d2);
    const double along = y[0] * s[0] + y[1] * s[1] + y[2] * s[2];
    const bool inside = d < 1.0;
    const double a = inside ? 1.5 : 1.5 / (d2 * d2 * d),
                 b = inside ? 2.5 - 3.0 * d2 : -0.5 / (d2 * d);
    const double t = d < 2.0 ? 1.0 : d > 3.0 ? 0.0 : 3.0 - d;
    const double f = solenoidal ? t * t * (3.0 - 2.0 * t) : t;
    const double g = solenoidal && !inside ? -3.0 * t * (1.0 - t) / (d2 * d2) : 0.0;
    for (int c = 0; c < 3; ++c)
        u[c] = (f * a - g) * along * y[c] + (f * b + g * d2) * s[c];
}

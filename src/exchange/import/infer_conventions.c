// SPDX-License-Identifier: Apache-2.0
/// Infers from the water what files do not say: where vectors lie, which side is inside, and the
/// unit of velocity.
#include "exchange/import/import_internal.h"

#include <stdio.h>
#include <string.h>

/// ---- Position of vectors -----------------------------------------------------------------------

static int by_size(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return x < y ? -1 : x > y;
}

static double median(float *values, size_t n)
{
    if (n == 0) return 0.0;
    qsort(values, n, sizeof *values, by_size);
    return (double)values[n / 2];
}

/// Component c one voxel along axis c, forward or backward; false where there is no tile.
static bool neighbour(const import_grid *g, size_t voxel, int c, int step, double *value)
{
    int32_t v[3];
    import_voxel_index(&g->tiles, voxel, v);
    v[c] += step;
    const int32_t at[3] = {sp_tile_of(v[0]), sp_tile_of(v[1]), sp_tile_of(v[2])};
    const uint32_t tile = sp_tiles_find(&g->tiles, at);
    if (tile == SP_NO_TILE) return false;
    *value = (double)g->values[c][(size_t)tile * SP_TILE_VOXELS + sp_tile_place(v[0], v[1], v[2])];
    return true;
}

/// Divergence of a voxel relative to its speed: between the neighbours for vectors at centres,
/// between its own faces and the next for vectors on low faces. False: unknown.
static bool divergence(const import_grid *g, size_t v, float *centers, float *faces)
{
    double speed = 0.0, across = 0.0, own = 0.0;
    for (int c = 0; c < 3; ++c) {
        double before, after;
        const double here = (double)g->values[c][v];
        if (!neighbour(g, v, c, -1, &before) || !neighbour(g, v, c, 1, &after)) return false;
        speed += here * here;
        across += 0.5 * (after - before);
        own += after - here;
    }
    if (!(speed > 0.0)) return false;
    *centers = (float)(fabs(across) / sqrt(speed));
    *faces = (float)(fabs(own) / sqrt(speed));
    return true;
}

sp_status import_judge_divergence(const import_grid *g, const sp_import_water *water,
                                  import_divergence *out, sp_error *err)
{
    enum { MOST = 1 << 16 };
    float *all = sp_allocate(g->host, 2 * MOST, sizeof *all);
    if (!all) return import_no_memory(err, g->tiles.count);
    const float deep = (float)(-2.0 * water->voxel);
    size_t n = 0;
    for (size_t v = 0; n < MOST && v < g->tiles.count * SP_TILE_VOXELS; ++v) {
        double i[3], p[3];
        if (!import_grid_has(g, v)) continue;
        import_voxel_at(&g->tiles, v, i);
        import_map_apply(&g->to_ours, i, p);
        const float x[3] = {(float)(p[0] - water->origin[0]), (float)(p[1] - water->origin[1]),
                            (float)(p[2] - water->origin[2])};
        if (sp_tiles_sample(&water->tiles, water->phi, SP_AT_CELLS, water->band, x, NULL) > deep)
            continue;
        n += divergence(g, v, &all[n], &all[MOST + n]);
    }
    *out = (import_divergence){median(all, n), median(all + MOST, n), n};
    sp_release(g->host, all);
    return SP_OK;
}

/// ---- Inside and outside ------------------------------------------------------------------------

/// Programs extrapolate velocity into the air, so moving air proves nothing. But if the "water" is
/// at rest while the "air" moves, the sign is wrong. This must also hold near the surface, because
/// caches that omit deep water have all velocity there.
bool import_judge_sign(const sp_import_water *water, const import_grid *surface,
                       const import_grid *velocity)
{
    size_t all[2][2] = {{0}}, moving[2][2] = {{0}}; // [anywhere, near the surface][inside, outside]
    uint32_t hint = SP_NO_TILE, other = SP_NO_TILE;
    for (size_t v = 0; v < water->tiles.count * SP_TILE_VOXELS; ++v) {
        double p[3];
        import_voxel_at(&water->tiles, v, p);
        for (int a = 0; a < 3; ++a)
            p[a] = water->origin[a] + (p[a] + 0.5) * water->voxel;
        if (import_grid_nearest(surface, p, &hint) == IMPORT_NOWHERE) continue; // no value there
        const size_t there = import_grid_nearest(velocity, p, &other);
        bool moves = false;
        for (int c = 0; there != IMPORT_NOWHERE && c < velocity->components; ++c)
            moves = moves || velocity->values[c][there] != 0.0f;
        const int outside = water->phi[v] > 0.0f;
        const bool near = fabsf(water->phi[v]) < 3.0f * (float)water->voxel;
        for (int k = 0; k <= near; ++k) {
            ++all[k][outside];
            moving[k][outside] += moves;
        }
    }
    double share[2][2];
    for (int k = 0; k < 4; ++k) {
        const size_t n = all[k >> 1][k & 1];
        share[k >> 1][k & 1] = n ? (double)moving[k >> 1][k & 1] / (double)n : 0.0;
    }
    return share[0][0] < 0.2 * share[0][1] && share[1][0] < share[1][1];
}

/// ---- Unit of velocity --------------------------------------------------------------------------

import_motion import_measure_motion(const sp_import_water *w)
{
    import_motion m = {0};
    double told = 0.0;
    for (size_t v = 0; v < w->tiles.count * SP_TILE_VOXELS; ++v) {
        const double share = fmin(1.0, fmax(0.0, 0.5 - (double)w->phi[v] / w->voxel));
        if (share == 0.0) continue;
        double at[3];
        import_voxel_at(&w->tiles, v, at);
        m.volume += share;
        for (int a = 0; a < 3; ++a)
            m.center[a] += share * (at[a] + 0.5);
        if (!w->known[v / SP_TILE_VOXELS]) continue;
        told += share;
        for (int a = 0; a < 3; ++a)
            m.velocity[a] += share * (double)w->u[a][v];
    }
    for (int a = 0; a < 3; ++a) {
        m.center[a] = w->origin[a] + w->voxel * (m.volume > 0.0 ? m.center[a] / m.volume : 0.0);
        m.velocity[a] = told > 0.0 ? m.velocity[a] / told : 0.0;
    }
    m.volume *= w->voxel * w->voxel * w->voxel;
    return m;
}

/// Formats 4180 as 4,180.
static void group_digits(double number, char text[32])
{
    char plain[32];
    snprintf(plain, sizeof plain, number < 100.0 ? "%.3g" : "%.0f", number);
    size_t used = 0, whole = strspn(plain, "0123456789");
    for (size_t i = 0; plain[i] && used < 30; ++i) {
        if (i > 0 && i < whole && (whole - i) % 3 == 0 && !plain[whole]) text[used++] = ',';
        text[used++] = plain[i];
    }
    text[used] = '\0';
}

static sp_status wrong_unit(const sp_import_plan *plan, double speed, double voxel, sp_error *err)
{
    char number[32];
    group_digits(speed, number);
    if (plan->cells)
        return sp_fail(err, SP_BAD_INPUT,
                       "largest speed %s m/s with voxel %g m: velocity is probably in m/s already? "
                       "use --velocity-unit m/s",
                       number, voxel);
    return sp_fail(err, SP_BAD_INPUT,
                   "largest speed %s m/s with voxel %g m: velocity is probably in cells per unit "
                   "(Blender)? use --velocity-unit cells/unit",
                   number, voxel);
}

/// Velocity of the water's centre between two samples, and its mean velocity in the files, m/s.
/// Both are 0 when unknown.
typedef struct pace {
    double moved, told;
    double ratio; ///< the former projected on the latter, divided by it
} pace;

static pace measure_pace(const sp_import_water *a, const sp_import_water *b)
{
    const import_motion before = import_measure_motion(a), after = import_measure_motion(b);
    const double dt = b->time - a->time, least = 0.25 * a->voxel;
    double dot = 0.0, square = 0.0, way = 0.0;
    for (int k = 0; k < 3; ++k) {
        const double mean = 0.5 * (before.velocity[k] + after.velocity[k]),
                     moved = after.center[k] - before.center[k];
        dot += mean * moved;
        square += mean * mean;
        way += moved * moved;
    }
    // inflow and outflow move the centre too; slow motion is lost in rounding
    const bool steady = fabs(after.volume - before.volume) < 0.05 * before.volume;
    if (!steady || !(dt > 0.0) || sqrt(way) < least || !(square > 0.0)) return (pace){0};
    return (pace){sqrt(way) / dt, sqrt(square), dot / (dt * square)};
}

sp_status import_judge_unit(const sp_import_plan *plan, const sp_import_options *o,
                            const sp_import_water *a, const sp_import_water *b, sp_error *err)
{
    const double sound = 340.0; // m/s; no water in a picture moves faster
    const double speed = fmax(a->speed, b ? b->speed : 0.0);
    if (speed > sound && !plan->cells && o->unit == SP_IMPORT_UNIT_AUTO)
        return wrong_unit(plan, speed, a->voxel, err);
    const double ratio = b ? measure_pace(a, b).ratio : 0.0, unit = SP_IMPORT_UNITS * a->voxel,
                 swapped = plan->cells ? 1.0 / unit : unit;
    const bool right = ratio > 0.67 && ratio < 1.5;
    const bool explained = ratio > 0.67 * swapped && ratio < 1.5 * swapped;
    return ratio > 0.0 && !right && explained ? wrong_unit(plan, speed, a->voxel, err) : SP_OK;
}

void import_judge_pace(const sp_import_plan *plan, const sp_import_water *a,
                       const sp_import_water *b, const sp_host *host)
{
    const pace p = measure_pace(a, b);
    const double fps = plan->fps / (double)plan->per_frame;
    if (p.ratio > 0.0 && (p.ratio < 0.5 || p.ratio > 2.0))
        sp_log(host, SP_LOG_WARNING,
               "at %g frames a second the water moves at %.3g m/s, and its velocity says %.3g m/s: "
               "they agree with --fps %.3g",
               fps, p.moved, p.told, fps / p.ratio);
}

/// ---- Bands -------------------------------------------------------------------------------------

void import_judge_band(const sp_import_water *w, const sp_host *host)
{
    if (w->still > 0.3 && w->speed > 0.0 && w->depth > 2.0 * w->voxel)
        sp_log(host, SP_LOG_WARNING,
               "velocity is zero below %.2f m depth in %.0f %% of the water: this cache was "
               "band-compressed; deep bubbles will see still water",
               w->depth, 100.0 * w->still);
}

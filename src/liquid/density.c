// SPDX-License-Identifier: Apache-2.0
/// Holds particles to the volume they stand for.
///
/// Velocity without divergence keeps the volume of water only as far as particles follow it exactly;
/// they do not, and crowd here and thin out there (a dam break of 18 voxels' height had 10 % too many
/// a voxel after 10 s, and so much less volume). Nor does phi know how much water there is: where
/// surfaces meet it closes over gaps, and spray is wider in it than its particles. So both are
/// compared, and the pressure solve is asked for a divergence that lets them agree (as in Losasso et
/// al. 2008; Kugelstadt et al. 2019 solve for it apart): with
///
///     have   particles of a voxel over particles_per_cell
///     want   share of it that is water, by phi and solids
///     e      = K*have/K*want - 1,   K the weights 1/4, 1/2, 1/4 along each axis
///
/// water is asked to expand by e/0.05 s, less 0.05 of e for the noise of particles, at most 6 1/s
/// either way. Over all water there is no noise: what e is in the mean is put right within 0.02 s,
/// beyond 0.005 (what radii are calibrated to) where particles crowd, which long steps let them do (5
/// voxels a step lost 8 % of a dam break in 10 s), and beyond 0.02 where phi has more than they are,
/// which spray makes it have. Below a narrow band the grid's water counts as much as phi says, and is
/// left alone.
///
/// The weights see 8 particles a voxel of random places with a deviation of 8 %. Wider ones would
/// reach through sheets.
#include "liquid/voxels.h"

static const float noise = 0.05f, time_scale = 0.05f, most = 6.0f; // of e; s; 1/s
static const float mean_time_scale = 0.02f;                        // s
static const float least = 0.25f; // K*want, below which there is too little water to tell

typedef struct measuring {
    const liquid *s;
    float *have, *want, *source;
    double (*sum)[2]; ///< of have and want, by tile
    float level;      ///< of e: what e counts from
    float mean;       ///< of e, over all water: what of it is to be put right
    float everywhere; ///< m/s; added to all of `source`
} measuring;

/// Depth, by the grid's phi as it was carried along, from which on water is the grid's: a voxel above
/// the end of the band, so that particles fill what lies above it. -INFINITY: there is no band.
float liquid_grid_depth(const liquid *s)
{
    return s->def.narrow_band > 0 ? -((float)s->def.narrow_band - 1.0f) * s->voxel : -INFINITY;
}

/// ---- What there is -----------------------------------------------------------------------------

/// Water beyond an open side is not ours: particles that come there leave.
static void leave_out_beyond(const liquid *s, size_t t, float want[SP_TILE_VOXELS])
{
    int first[3], last[3];
    bool any = false;
    for (int a = 0; a < 3; ++a)
        any |= liquid_inside_span(s, (uint32_t)t, a, &first[a], &last[a]);
    for (int n = 0; any && n < SP_TILE_VOXELS; ++n) {
        const int at[3] = {n & 7, n >> 3 & 7, n >> 6};
        for (int a = 0; a < 3; ++a)
            want[n] = at[a] < first[a] || at[a] > last[a] ? 0.0f : want[n];
    }
}

static void measure_tile(const measuring *m, size_t t)
{
    const liquid *s = m->s;
    float *have = m->have + t * SP_TILE_VOXELS, *want = m->want + t * SP_TILE_VOXELS;
    const float per = 1.0f / (float)s->def.particles_per_cell, deep = liquid_grid_depth(s);
    const float *carried = s->def.narrow_band > 0 ? s->carried_phi + t * SP_TILE_VOXELS : NULL;
    liquid_voxels first;
    liquid_voxels_of(&s->particles, t, first);
    liquid_find_shares(s, t, want);
    leave_out_beyond(s, t, want);
    double sum[2] = {0};
    for (int v = 0; v < SP_TILE_VOXELS; ++v) {
        const bool grids = carried && carried[v] < deep;
        have[v] = grids ? want[v] : (float)(first[v + 1] - first[v]) * per;
        sum[0] += (double)have[v];
        sum[1] += (double)want[v];
    }
    memcpy(m->sum[t], sum, sizeof sum);
}

static void measure_tiles(void *arg, size_t begin, size_t end)
{
    for (size_t t = begin; t < end; ++t)
        measure_tile(arg, t);
}

/// Whether water neither flows in nor out but as particles that fly over the top.
static bool is_closed(const liquid *s)
{
    int kind[6];
    liquid_side_kinds(&s->def.sides, kind);
    bool closed = s->emitters == 0 && s->sinks == 0;
    for (int side = 0; side < 6; ++side)
        closed &= kind[side] != SP_LIQUID_OPEN || side == SP_SIDE_TOP;
    return closed;
}

/// What reseeding has to put right is known exactly where nothing flows in or out: particles that
/// pass into the grid's water and back are not quite as many as the water they stand for.
static void settle_debt(liquid *s, double have)
{
    const double per_cell = (double)s->def.particles_per_cell;
    const double gone = (double)(s->figures.left + s->figures.stuck) / per_cell;
    if (!is_closed(s)) return;
    if (s->steps == 0) s->water = have + gone;
    s->owed = (int64_t)((s->water - gone - have) * per_cell * 8.0);
}

/// ---- What is wanted ----------------------------------------------------------------------------

/// K times the values of a tile.
static void smooth(const sp_tiles *tiles, const float *x, size_t t, float out[SP_TILE_VOXELS])
{
    float a[SP_TILE_BLOCK], b[SP_TILE_BLOCK];
    sp_tiles_block(tiles, x, (uint32_t)t, 0.0f, a);
    memcpy(b, a, sizeof b); // what is left of it at the ends is not looked at
    for (int n = 1; n < SP_TILE_BLOCK - 1; ++n)
        b[n] = 0.25f * (a[n - 1] + a[n + 1]) + 0.5f * a[n];
    for (int n = 10; n < SP_TILE_BLOCK - 10; ++n)
        a[n] = 0.25f * (b[n - 10] + b[n + 10]) + 0.5f * b[n];
    for (int n = 0; n < SP_TILE_VOXELS; ++n) {
        const float *c = a + 111 + n % 8 + 10 * (n / 8 % 8) + 100 * (n / 64);
        out[n] = 0.25f * (c[-100] + c[100]) + 0.5f * c[0];
    }
}

static void ask_tile(const measuring *m, size_t t)
{
    const liquid *s = m->s;
    float have[SP_TILE_VOXELS], want[SP_TILE_VOXELS];
    float *out = m->source + t * SP_TILE_VOXELS;
    const float *carried = s->def.narrow_band > 0 ? s->carried_phi + t * SP_TILE_VOXELS : NULL;
    const float deep = liquid_grid_depth(s), per_time = s->voxel / time_scale;
    smooth(&s->tiles, m->have, t, have);
    smooth(&s->tiles, m->want, t, want);
    for (int v = 0; v < SP_TILE_VOXELS; ++v) {
        const bool told = want[v] > least && !(carried && carried[v] < deep);
        const float e = told ? have[v] / want[v] - m->level - m->mean : 0.0f;
        const float sure = (e > noise    ? e - noise
                            : e < -noise ? e + noise
                                         : 0.0f) +
                           (told ? m->mean * (time_scale / mean_time_scale) : 0.0f);
        const float ask = fminf(fmaxf(sure * per_time, -most * s->voxel), most * s->voxel);
        out[v] = ask + m->everywhere;
    }
}

static void ask_tiles(void *arg, size_t begin, size_t end)
{
    for (size_t t = begin; t < end; ++t)
        ask_tile(arg, t);
}

/// ---- All of it ---------------------------------------------------------------------------------

static bool spread(liquid *s, float *source)
{
    const size_t tiles = s->tiles.count, voxels = tiles * SP_TILE_VOXELS;
    measuring m = {.s = s, .source = source, .level = 1.0f};
    m.have = sp_scratch_array(&s->scratch, float, voxels);
    m.want = sp_scratch_array(&s->scratch, float, voxels);
    m.sum = sp_scratch_take(&s->scratch, tiles, sizeof *m.sum);
    if (!m.have || !m.want || !m.sum) return false;
    sp_tiles_parallel(&s->tiles, measure_tiles, &m);
    const double have = sp_exact_total(m.sum[0], tiles, 2),
                 want = sp_exact_total(m.sum[0] + 1, tiles, 2);
    settle_debt(s, have);
    if (want > 0.0) {
        const double owed = (double)s->owed / (8.0 * (double)s->def.particles_per_cell);
        const double missing = (have + owed) / want - 1.0;
        m.everywhere = (float)liquid_volume_rate(s, missing) * s->voxel;
        m.level = (float)(1.0 + (double)s->def.volume_correction * (have / want - 1.0));
        const double mean = have / want - (double)m.level, exact = 0.005, wide = 0.02;
        m.mean = (float)(fmax(0.0, mean - exact) + fmin(0.0, mean + wide));
    }
    sp_tiles_parallel(&s->tiles, ask_tiles, &m);
    return true;
}

bool liquid_wanted_divergence(liquid *s, float *source)
{
    const size_t voxels = s->tiles.count * SP_TILE_VOXELS;
    if (!liquid_has_particles(s)) {
        const float everywhere = (float)liquid_volume_rate(s, liquid_missing(s)) * s->voxel;
        for (size_t i = 0; i < voxels; ++i)
            source[i] = everywhere;
        return true;
    }
    const sp_scratch_mark mark = sp_scratch_here(&s->scratch);
    const bool done = spread(s, source);
    sp_scratch_rewind(&s->scratch, mark);
    return done;
}

/// ---- The surface, where that is not enough -----------------------------------------------------
///
/// Spray that lands changes the volume that phi has within a step, faster than any divergence could
/// put right without being seen. Where nothing flows in or out the volume is known, and with
/// volume_correction the surface is moved along its normal until it holds that. Without particles so
/// comes back what is lost in sheets that are too thin for the grid.

typedef struct shifting {
    const liquid *s;
    double (*sum)[2]; ///< by tile: voxels of water, and how many more a voxel's shift would make
    float by;         ///< m
} shifting;

static void sum_shares(void *arg, size_t begin, size_t end)
{
    const shifting *h = arg;
    const float per_voxel = 1.0f / h->s->voxel;
    float share[SP_TILE_VOXELS];
    for (size_t t = begin; t < end; ++t) {
        const float *phi = h->s->phi + t * SP_TILE_VOXELS;
        double sum[2] = {0};
        liquid_find_shares(h->s, t, share);
        for (int v = 0; v < SP_TILE_VOXELS; ++v) {
            const float full = 0.5f - phi[v] * per_voxel; // of a voxel without solids
            sum[0] += (double)share[v];
            sum[1] += full > 0.0f && full < 1.0f ? (double)(share[v] / full) : 0.0;
        }
        memcpy(h->sum[t], sum, sizeof sum);
    }
}

static void shift_tiles(void *arg, size_t begin, size_t end)
{
    const shifting *h = arg;
    const float band = h->s->band;
    float *phi = h->s->phi;
    for (size_t i = begin * SP_TILE_VOXELS; i < end * SP_TILE_VOXELS; ++i)
        phi[i] = fmaxf(-band, fminf(phi[i] - h->by, band));
}

sp_status liquid_hold_volume(liquid *s, sp_error *err)
{
    if (s->def.volume_correction <= 0.0f || !is_closed(s)) return SP_OK;
    const sp_scratch_mark mark = sp_scratch_here(&s->scratch);
    shifting h = {.s = s, .sum = sp_scratch_take(&s->scratch, s->tiles.count, sizeof *h.sum)};
    if (!h.sum) return sp_fail(err, SP_NO_MEMORY, "liquid: no memory to hold the volume");
    sp_tiles_parallel(&s->tiles, sum_shares, &h);
    const double voxels = sp_exact_total(h.sum[0], s->tiles.count, 2),
                 rim = sp_exact_total(h.sum[0] + 1, s->tiles.count, 2);
    sp_scratch_rewind(&s->scratch, mark);
    if (rim <= 0.0) return SP_OK;
    const double wanted = liquid_wanted_volume(s) / pow((double)s->voxel, 3.0);
    const double farthest = 0.25; // voxels: more would be seen
    const double by = (double)s->def.volume_correction * (wanted - voxels) / rim;
    h.by = s->voxel * (float)fmin(farthest, fmax(-farthest, by));
    sp_tiles_parallel(&s->tiles, shift_tiles, &h);
    return SP_OK;
}

// SPDX-License-Identifier: Apache-2.0
/// Shallow water on a staggered grid (P1, P2), in one sweep over the rows.
///
///     P1   dH/dt + div(H v) = 0             in whole quanta: mass is conserved exactly
///     P2   dv/dt + (v.grad)v = -g grad(eta) - c_f |v| v / H
///
/// Mass goes first. Its fluxes carry the momentum, with the new depth. Then H u is conserved on
/// flat ground and bores have the right speed (momentum with the old depth gives bores 1 to 2 % too
/// fast, and the error does not converge). T07's equations 1 to 3 advect with a semi-Lagrangian
/// step, which loses water.
///
/// A sub-step is five passes over each row. A row is ready for the next pass as soon as the row
/// above it has had the last one. So one sweep goes up the grid in place, with the passes one row
/// apart, and only a few rows of scratch are alive at a time:
///
///     row r     raw flux through its west and south faces        needs q of r-1 and r
///     row r-1   limiter: outflow of a cell at most its depth     needs the raw fluxes around it
///     row r-2   whole-quanta fluxes                              needs the limiter of r-3 and r-2
///     row r-3   new depth                                        needs the fluxes around it
///     row r-4   new u and v                                      needs depths and fluxes around it
///
/// Most rows are calm: deep compared with the steps in the ground, and no cell can lose so much that
/// it becomes thin. There the limiter and the rules for thin water cannot change one bit of the
/// result, and the sweep leaves them out (calm_rows.c). Where the ground is flat as well, it cancels
/// in every difference, and the sweep does not read it.
///
/// For threads the grid is divided into bands of rows. A band reads up to three rows of its
/// neighbours as they were before the sub-step, so these rows are copied first. A band writes only
/// its own rows.
#include "pond/internal.h"

#include <string.h>

enum {
    BAND = 64, ///< rows a band, more in the last one; fixed, so bands do not depend on threads
    BELOW = 3, ///< rows of the band below that a sweep reads
    ABOVE = 2, ///< rows of the band above
    COPIED = BELOW + ABOVE,
    RING = 4, ///< rows of each scratch array alive at once
};
#define POSITIVITY (1.0f - 0x1p-20f) // leaves room for float rounding of a flux (P1, step 3)

/// Constants of a sub-step for all passes.
typedef struct sweep {
    const sp_pond *pond;
    pond_water *w;
    float lambda, tau; ///< tau / dx (s/m), s
    float push;        ///< g lambda quantum: change of u for one quantum of slope
    float drag;        ///< tau c_f / quantum: friction in quanta for |v| = 1
    float damp;        ///< damping of ripples: share of the difference to the neighbours
    float limit;       ///< m/s; speed limit of a sub-step
    float thin, film;  ///< quanta: 1e-6 m, below which flow ends; 1/(1 mm): saturated friction
    int32_t dry;       ///< quanta: at this depth or less nothing leaves through an open side
    bool open;         ///< any side is open
} sweep;

/// The rows of one band: copies of the neighbours' old rows, and the scratch rings.
typedef struct band {
    int32_t first, last; ///< rows of its own, last excluded
    int32_t *q_copied[COPIED];
    float *u_copied[COPIED], *v_copied[COPIED];
    int32_t *q_below; ///< new depth of row first-1, which belongs to the band below
    float *fx[RING], *fy[RING], *k[RING], *u_old[RING], *v_old[RING], *hx[RING], *hy[RING];
    int32_t *ix[RING], *iy[RING];
    const int32_t *no_water;
    const float *no_flow;
    int64_t entered;
} band;

/// ---- Which row is where ------------------------------------------------------------------------

static size_t row_at(const pond_water *w, int32_t j)
{
    return (size_t)(j + 1) * w->stride;
}

/// Index of row j among the copied rows of the neighbours, or -1 when it is the band's own or
/// outside.
static int copied_row(const band *b, int32_t j)
{
    if (j < b->first && j >= b->first - BELOW) return j - (b->first - BELOW);
    if (j >= b->last && j < b->last + ABOVE) return BELOW + (j - b->last);
    return -1;
}

static bool outside(const pond_water *w, int32_t j)
{
    return j < 0 || j >= w->ny;
}

static const int32_t *old_q(const pond_water *w, const band *b, int32_t j)
{
    if (outside(w, j)) return b->no_water;
    const int copied = copied_row(b, j);
    return copied < 0 ? w->q + row_at(w, j) : b->q_copied[copied];
}

static const float *old_u(const pond_water *w, const band *b, int32_t j)
{
    if (outside(w, j)) return b->no_flow;
    const int copied = copied_row(b, j);
    return copied < 0 ? w->u + row_at(w, j) : b->u_copied[copied];
}

/// South faces: row ny is the north wall and lies in the halo, so it is read in place.
static const float *old_v(const pond_water *w, const band *b, int32_t j)
{
    if (j < 0 || j > w->ny) return b->no_flow;
    const int copied = j == w->ny ? -1 : copied_row(b, j);
    return copied < 0 ? w->v + row_at(w, j) : b->v_copied[copied];
}

static const int32_t *bed(const pond_water *w, int32_t j)
{
    return w->b + row_at(w, j < -1 ? -1 : j > w->ny ? w->ny : j);
}

/// ---- The passes, each over one row -------------------------------------------------------------
/// Pointers are at the first cell of a row; index i-1 is the western neighbour. n is a whole number
/// of vectors: walls and padding are computed too and become zero. All loads are before the
/// selects: with loads inside selects, compilers leave the loop scalar or mask each load.

#define WHOLE_VECTORS(n) ((n) / POND_ROW_UNIT * POND_ROW_UNIT) // avoids a tail loop

static inline float upwind_flux(float lambda, float u, int32_t q_low, int32_t q_high, int32_t b_low,
                                int32_t b_high)
{
    const int32_t from_low = b_low + q_low, from_high = b_high + q_high;
    const int32_t sill = b_low > b_high ? b_low : b_high;
    const int32_t wet = (u > 0.0f ? from_low : from_high) - sill;
    return lambda * u * (float)(wet > 0 ? wet : 0);
}

/// Steps 1 and 2: unlimited fluxes through the west and south faces, in quanta.
static void raw_flux(size_t n, float lambda, const int32_t *restrict q,
                     const int32_t *restrict q_south, const int32_t *restrict b,
                     const int32_t *restrict b_south, const float *restrict u,
                     const float *restrict v, float *restrict fx, float *restrict fy)
{
    POND_ROW_LOOP
    for (size_t i = 0; i < WHOLE_VECTORS(n); ++i) {
        const int32_t qc = q[i], qw = (q - 1)[i], qs = q_south[i];
        const int32_t bc = b[i], bw = (b - 1)[i], bs = b_south[i];
        fx[i] = upwind_flux(lambda, u[i], qw, qc, bw, bc);
        fy[i] = upwind_flux(lambda, v[i], qs, qc, bs, bc);
    }
}

/// Step 3: the factor on the outflow of each cell that keeps its depth positive. It is almost
/// always 1, so rows where no cell is overdrawn take a path without division.
static void limiter(size_t n, const int32_t *restrict q, const float *restrict fx,
                    const float *restrict fy, const float *restrict fy_north, float *restrict k)
{
    int overdrawn = 0;
    POND_ROW_LOOP
    for (size_t i = 0; i < WHOLE_VECTORS(n); ++i) {
        const float west = fx[i], east = (fx + 1)[i], south = fy[i], north = fy_north[i];
        const float out = (east > 0.0f ? east : 0.0f) - (west < 0.0f ? west : 0.0f) +
                          (north > 0.0f ? north : 0.0f) - (south < 0.0f ? south : 0.0f);
        overdrawn |= out > (float)q[i] * POSITIVITY;
        k[i] = out;
    }
    if (!overdrawn) {
        POND_ROW_LOOP
        for (size_t i = 0; i < WHOLE_VECTORS(n); ++i)
            k[i] = 1.0f;
        return;
    }
    POND_ROW_LOOP
    for (size_t i = 0; i < WHOLE_VECTORS(n); ++i) {
        const float out = k[i], has = (float)q[i] * POSITIVITY;
        k[i] = out > has ? has / out : 1.0f;
    }
}

/// Step 3 again: whole quanta, each flux scaled by the limiter of its upwind cell. Half of each
/// flux is stored as a float, for the means of two fluxes in the momentum.
static void whole_flux(size_t n, const float *restrict fx, const float *restrict fy,
                       const float *restrict k, const float *restrict k_south, int32_t *restrict ix,
                       int32_t *restrict iy, float *restrict hx, float *restrict hy)
{
    POND_ROW_LOOP
    for (size_t i = 0; i < WHOLE_VECTORS(n); ++i) {
        const float kc = k[i], kw = (k - 1)[i], ks = k_south[i];
        const float x = fx[i], y = fy[i];
        const int32_t whole_x = (int32_t)(x * (x > 0.0f ? kw : kc));
        const int32_t whole_y = (int32_t)(y * (y > 0.0f ? ks : kc));
        ix[i] = whole_x;
        iy[i] = whole_y;
        hx[i] = 0.5f * (float)whole_x;
        hy[i] = 0.5f * (float)whole_y;
    }
}

/// Steps 1 to 3 in one pass for a calm row, where the limiter is 1. `flat` is a constant wherever
/// this is inlined.
SP_INLINE void calm_flux(size_t n, bool flat, float lambda, const int32_t *restrict q,
                         const int32_t *restrict q_south, const int32_t *restrict b,
                         const int32_t *restrict b_south, const float *restrict u,
                         const float *restrict v, int32_t *restrict ix, int32_t *restrict iy,
                         float *restrict hx, float *restrict hy)
{
    POND_ROW_LOOP
    for (size_t i = 0; i < WHOLE_VECTORS(n); ++i) {
        const int32_t qc = q[i], qw = (q - 1)[i], qs = q_south[i];
        const int32_t bc = flat ? 0 : b[i], bw = flat ? 0 : (b - 1)[i], bs = flat ? 0 : b_south[i];
        const int32_t whole_x = (int32_t)upwind_flux(lambda, u[i], qw, qc, bw, bc);
        const int32_t whole_y = (int32_t)upwind_flux(lambda, v[i], qs, qc, bs, bc);
        ix[i] = whole_x;
        iy[i] = whole_y;
        hx[i] = 0.5f * (float)whole_x;
        hy[i] = 0.5f * (float)whole_y;
    }
}

/// Step 4: each face moves the same whole number out of one cell and into the next. Returns the
/// extremes of the new depth.
static pond_survey new_depth(size_t n, const int32_t *restrict ix, const int32_t *restrict iy,
                             const int32_t *restrict iy_north, const int32_t *restrict sill,
                             int32_t *restrict q)
{
    int32_t low = INT32_MAX, high = 0;
    POND_ROW_LOOP
    for (size_t i = 0; i < WHOLE_VECTORS(n); ++i) {
        const int32_t depth = q[i] + ix[i] - (ix + 1)[i] + iy[i] - iy_north[i];
        const int32_t counted = sill[i] == INT32_MAX ? INT32_MAX : depth; // ignore padding
        q[i] = depth;
        low = counted < low ? counted : low;
        high = depth > high ? depth : high;
    }
    return (pond_survey){.low = low, .high = high};
}

/// The velocity at a face, and the differences of its four neighbours to it.
typedef struct around {
    float u, east, west, north, south;
} around;

/// Steps 5 to 7 for one face between a low and a high cell, in quanta. `east` ... are the fluxes
/// through the sides of the face's control volume; each carries the velocity upwind of it, so only
/// inflow changes the velocity. The momentum bracket over the depth and the implicit friction share
/// one division:
///     u' = ((u - push) h - bracket) / (h + tau c_f |v|), with friction saturating in films.
SP_INLINE float new_velocity(const sweep *s, int calm, around d, float east, float west,
                             float north, float south, float across, int32_t q_low, int32_t q_high,
                             int32_t b_low, int32_t b_high, int32_t opens)
{
    const int32_t eta_low = b_low + q_low, eta_high = b_high + q_high;
    const float bracket =
        (east < 0.0f ? east : 0.0f) * d.east - (west > 0.0f ? west : 0.0f) * d.west +
        (north < 0.0f ? north : 0.0f) * d.north - (south > 0.0f ? south : 0.0f) * d.south;
    const float h = 0.5f * (float)(q_low + q_high), wet = calm || h > s->thin ? h : s->thin;
    const float speed = sqrtf(d.u * d.u + across * across);
    const float film = h * s->film, share = calm || film > 1.0f ? 1.0f : film;
    const float pushed = d.u - s->push * (float)(eta_high - eta_low);
    const float top = pushed * wet - (calm || h > s->thin ? bracket : 0.0f);
    float fresh = top / (wet + s->drag * speed * share);
    fresh += s->damp * ((d.east + d.west) + (d.north + d.south));
    fresh = fresh < s->limit ? fresh : s->limit;
    fresh = fresh > -s->limit ? fresh : -s->limit;
    if (calm) return opens < INT32_MAX ? fresh : 0.0f;
    const int32_t sill = b_low > b_high ? b_low : b_high;
    const int32_t depth = (fresh > 0.0f ? eta_low : eta_high) - sill;
    return depth > opens ? fresh : 0.0f;
}

/// Input rows of a row of new velocities; `hx` and `hy` are half fluxes.
typedef struct rows {
    const int32_t *q, *q_south, *b, *b_south, *opens;
    const float *hx, *hx_south, *hy, *hy_north, *hy_south;
    const float *u, *u_north, *u_south, *v, *v_north, *v_south;
} rows;

/// `calm` is a constant wherever this and new_v() are inlined: one of pond_calmness.
SP_INLINE int32_t new_u(size_t n, sweep s, int calm, const rows *in, float *restrict out)
{
    int32_t fastest = 0;
    const bool flat = calm == POND_CALM_AND_FLAT;
    const int32_t *restrict q = in->q, *restrict b = in->b, *restrict opens = in->opens;
    const float *restrict hx = in->hx, *restrict hy = in->hy, *restrict hy_north = in->hy_north;
    const float *restrict u = in->u, *restrict u_north = in->u_north,
                          *restrict u_south = in->u_south;
    const float *restrict v = in->v, *restrict v_north = in->v_north;
    POND_ROW_LOOP
    for (size_t i = 0; i < WHOLE_VECTORS(n); ++i) {
        const float uc = u[i];
        const around d = {uc, (u + 1)[i] - uc, (u - 1)[i] - uc, u_north[i] - uc, u_south[i] - uc};
        const float across = 0.25f * ((v[i] + (v - 1)[i]) + (v_north[i] + (v_north - 1)[i]));
        const float east = hx[i] + (hx + 1)[i], west = hx[i] + (hx - 1)[i];
        const float north = hy_north[i] + (hy_north - 1)[i], south = hy[i] + (hy - 1)[i];
        const int32_t bw = flat ? 0 : (b - 1)[i], bc = flat ? 0 : b[i];
        const float fresh = new_velocity(&s, calm, d, east, west, north, south, across, (q - 1)[i],
                                         q[i], bw, bc, opens[i]);
        const int32_t bits = pond_speed_bits(fresh);
        fastest = bits > fastest ? bits : fastest;
        out[i] = fresh;
    }
    return fastest;
}

SP_INLINE int32_t new_v(size_t n, sweep s, int calm, const rows *in, float *restrict out)
{
    int32_t fastest = 0;
    const bool flat = calm == POND_CALM_AND_FLAT;
    const int32_t *restrict q = in->q, *restrict q_south = in->q_south, *restrict opens = in->opens;
    const int32_t *restrict b = in->b, *restrict b_south = in->b_south;
    const float *restrict hx = in->hx, *restrict hx_south = in->hx_south;
    const float *restrict hy = in->hy, *restrict hy_north = in->hy_north,
                          *restrict hy_south = in->hy_south;
    const float *restrict v = in->v, *restrict v_north = in->v_north,
                          *restrict v_south = in->v_south;
    const float *restrict u = in->u, *restrict u_south = in->u_south;
    POND_ROW_LOOP
    for (size_t i = 0; i < WHOLE_VECTORS(n); ++i) {
        const float vc = v[i];
        const around d = {vc, v_north[i] - vc, v_south[i] - vc, (v + 1)[i] - vc, (v - 1)[i] - vc};
        const float across = 0.25f * ((u[i] + (u + 1)[i]) + (u_south[i] + (u_south + 1)[i]));
        const float north = hy[i] + hy_north[i], south = hy[i] + hy_south[i];
        const float east = (hx + 1)[i] + (hx_south + 1)[i], west = hx[i] + hx_south[i];
        const int32_t bs = flat ? 0 : b_south[i], bc = flat ? 0 : b[i];
        const float fresh = new_velocity(&s, calm, d, north, south, east, west, across, q_south[i],
                                         q[i], bs, bc, opens[i]);
        const int32_t bits = pond_speed_bits(fresh);
        fastest = bits > fastest ? bits : fastest;
        out[i] = fresh;
    }
    return fastest;
}

/// ---- Open sides --------------------------------------------------------------------------------
/// Outside is still water at rest_level. A wave leaves at its own speed: u = sqrt(g/H) (eta -
/// rest), outward. The flux is at most a quarter of the cell's depth.

static float outflow(const sweep *s, int32_t q, int32_t b)
{
    if (q <= s->dry) return 0.0f;
    const float depth = (float)q * s->w->quantum;
    const float rise = (float)(b + q - s->w->rest) * s->w->quantum;
    const float flux = s->lambda * sqrtf(s->pond->def.gravity / depth) * rise * (float)q;
    return sp_clamp(flux, -0.25f * (float)q, 0.25f * (float)q);
}

static void open_raw_flux(const sweep *s, const band *b, int32_t r, float *fx, float *fy)
{
    const pond_water *w = s->w;
    const int *side = s->pond->def.boundary;
    if (!outside(w, r)) {
        const int32_t *q = old_q(w, b, r) + POND_HALO, *ground = bed(w, r) + POND_HALO;
        if (side[0] == SP_POND_OPEN) fx[0] = -outflow(s, q[0], ground[0]);
        if (side[1] == SP_POND_OPEN) fx[w->nx] = outflow(s, q[w->nx - 1], ground[w->nx - 1]);
    }
    if (r == 0 && side[2] == SP_POND_OPEN)
        for (int32_t i = 0; i < w->nx; ++i)
            fy[i] = -outflow(s, old_q(w, b, 0)[POND_HALO + i], bed(w, 0)[POND_HALO + i]);
    if (r == w->ny && side[3] == SP_POND_OPEN)
        for (int32_t i = 0; i < w->nx; ++i)
            fy[i] = outflow(s, old_q(w, b, r - 1)[POND_HALO + i], bed(w, r - 1)[POND_HALO + i]);
}

/// Counts the inflow through the faces of row r, so that depth minus inflow stays constant. South
/// faces of row ny belong to the band that ends there.
static void count_entered(const sweep *s, band *b, int32_t r, const int32_t *ix, const int32_t *iy)
{
    const pond_water *w = s->w;
    if (r >= b->first && r < b->last) b->entered += (int64_t)ix[0] - ix[w->nx];
    if ((r == 0 && b->first == 0) || (r == w->ny && b->last == w->ny)) {
        const int sign = r == 0 ? 1 : -1;
        for (int32_t i = 0; i < w->nx; ++i)
            b->entered += sign * iy[i];
    }
}

/// Velocity of a flux through an open side, for sampling and for the momentum of the inflow.
static float side_speed(const sweep *s, int32_t flux, int32_t q)
{
    return q > s->dry ? (float)flux / (s->lambda * (float)q) : 0.0f;
}

/// ---- The sweep ---------------------------------------------------------------------------------

static void flux_rows(const sweep *s, band *b, int32_t r)
{
    const pond_water *w = s->w;
    raw_flux(w->span, s->lambda, old_q(w, b, r) + POND_HALO, old_q(w, b, r - 1) + POND_HALO,
             bed(w, r) + POND_HALO, bed(w, r - 1) + POND_HALO, old_u(w, b, r) + POND_HALO,
             old_v(w, b, r) + POND_HALO, b->fx[r & 3], b->fy[r & 3]);
    if (s->open) open_raw_flux(s, b, r, b->fx[r & 3], b->fy[r & 3]);
}

static void limit_row(const sweep *s, band *b, int32_t r)
{
    const pond_water *w = s->w;
    float *k = b->k[r & 3];
    if (outside(w, r)) { // inflow through an open side is not limited
        for (size_t i = 0; i < w->span; ++i)
            k[i] = 1.0f;
    } else {
        limiter(w->span, old_q(w, b, r) + POND_HALO, b->fx[r & 3], b->fy[r & 3], b->fy[(r + 1) & 3],
                k);
        k[w->nx] = 1.0f;
    }
    k[-1] = 1.0f;
}

static void whole_rows(const sweep *s, band *b, int32_t r)
{
    whole_flux(s->w->span, b->fx[r & 3], b->fy[r & 3], b->k[r & 3], b->k[(r - 1) & 3], b->ix[r & 3],
               b->iy[r & 3], b->hx[r & 3], b->hy[r & 3]);
    if (s->open) count_entered(s, b, r, b->ix[r & 3], b->iy[r & 3]);
}

static void calm_rows(const sweep *s, band *b, int32_t r)
{
    const pond_water *w = s->w;
    const int32_t *q = old_q(w, b, r) + POND_HALO, *q_south = old_q(w, b, r - 1) + POND_HALO;
    const int32_t *ground = bed(w, r) + POND_HALO, *ground_south = bed(w, r - 1) + POND_HALO;
    const float *u = old_u(w, b, r) + POND_HALO, *v = old_v(w, b, r) + POND_HALO;
    int32_t *ix = b->ix[r & 3], *iy = b->iy[r & 3];
    float *hx = b->hx[r & 3], *hy = b->hy[r & 3];
    if (w->rows.calm[r] == POND_CALM_AND_FLAT)
        calm_flux(w->span, true, s->lambda, q, q_south, ground, ground_south, u, v, ix, iy, hx, hy);
    else
        calm_flux(w->span, false, s->lambda, q, q_south, ground, ground_south, u, v, ix, iy, hx,
                  hy);
}

static int32_t *new_q(const pond_water *w, band *b, int32_t r)
{
    return (r < b->first ? b->q_below : w->q + row_at(w, r)) + POND_HALO;
}

static void depth_row(const sweep *s, band *b, int32_t r)
{
    if (outside(s->w, r)) return;
    if (r < b->first) memcpy(b->q_below, old_q(s->w, b, r), s->w->stride * sizeof(int32_t));
    const pond_survey found = new_depth(s->w->span, b->ix[r & 3], b->iy[r & 3], b->iy[(r + 1) & 3],
                                        s->w->v_sill, new_q(s->w, b, r));
    if (r >= b->first) {
        s->w->rows.low[r] = found.low;
        s->w->rows.high[r] = found.high;
    }
    if (s->open) new_q(s->w, b, r)[s->w->nx] = 0; // remove the outflow through the east side
}

/// Saves the old velocities of a row before they are overwritten: the row above reads them.
static void save_old_velocities(const sweep *s, band *b, int32_t r)
{
    const size_t bytes = s->w->stride * sizeof(float);
    memcpy(b->u_old[r & 3] - POND_HALO, old_u(s->w, b, r), bytes);
    float *v = b->v_old[r & 3];
    memcpy(v - POND_HALO, old_v(s->w, b, r), bytes);
    v[-1] = v[0]; // free slip at the west and east walls
    v[s->w->nx] = v[s->w->nx - 1];
}

/// Sets velocities at open sides from their fluxes; the sills of walls are already closed.
static void set_open_sides(const sweep *s, const band *b, int32_t r, float *u, float *v)
{
    const pond_water *w = s->w;
    const int *side = s->pond->def.boundary;
    const int32_t *q = w->q + row_at(w, r) + POND_HALO, *ix = b->ix[r & 3], *iy = b->iy[r & 3];
    if (side[0] == SP_POND_OPEN) u[0] = side_speed(s, ix[0], q[0]);
    if (side[1] == SP_POND_OPEN) u[w->nx] = side_speed(s, ix[w->nx], q[w->nx - 1]);
    for (int32_t i = 0; i < w->nx && r == 0 && side[2] == SP_POND_OPEN; ++i)
        v[i] = side_speed(s, iy[i], q[i]);
}

/// The faces of the north side lie in halo row ny, so no row of cells updates them.
static void set_open_north(const sweep *s, const band *b)
{
    const pond_water *w = s->w;
    if (s->pond->def.boundary[3] != SP_POND_OPEN) return;
    const int32_t *q = w->q + row_at(w, w->ny - 1) + POND_HALO, *iy = b->iy[w->ny & 3];
    float *v = w->v + row_at(w, w->ny) + POND_HALO;
    for (int32_t i = 0; i < w->nx; ++i)
        v[i] = side_speed(s, iy[i], q[i]);
}

/// One compiled loop for each calmness of a row.
static int32_t velocity_row(bool along_y, int calm, const sweep *s, const rows *in, float *out)
{
    const size_t n = s->w->span;
    switch (calm) {
    case POND_CALM_AND_FLAT:
        return along_y ? new_v(n, *s, POND_CALM_AND_FLAT, in, out)
                       : new_u(n, *s, POND_CALM_AND_FLAT, in, out);
    case POND_CALM:
        return along_y ? new_v(n, *s, POND_CALM, in, out) : new_u(n, *s, POND_CALM, in, out);
    default:
        return along_y ? new_v(n, *s, POND_WILD, in, out) : new_u(n, *s, POND_WILD, in, out);
    }
}

static void velocity_rows(const sweep *s, band *b, int32_t r)
{
    const pond_water *w = s->w;
    const bool south = r > 0, north = r < w->ny - 1; // free slip: mirrored at a wall
    const int at = r & 3, below = (r - 1) & 3;
    rows in = {
        .q = new_q(w, b, r),
        .b = bed(w, r) + POND_HALO,
        .opens = w->u_sill,
        .hx = b->hx[at],
        .hy = b->hy[at],
        .hy_north = b->hy[(r + 1) & 3],
        .u = b->u_old[at],
        .u_north = north ? old_u(w, b, r + 1) + POND_HALO : b->u_old[at],
        .u_south = south ? b->u_old[below] : b->u_old[at],
        .v = b->v_old[at],
        .v_north = old_v(w, b, r + 1) + POND_HALO,
    };
    float *u_out = w->u + row_at(w, r) + POND_HALO, *v_out = w->v + row_at(w, r) + POND_HALO;
    int32_t fastest = velocity_row(false, w->rows.calm[r], s, &in, u_out);
    if (south) {
        in.q_south = new_q(w, b, r - 1);
        in.b_south = bed(w, r - 1) + POND_HALO;
        in.opens = w->v_sill;
        in.hx_south = b->hx[below];
        in.hy_south = b->hy[below];
        in.v_south = b->v_old[below];
        const int32_t across = velocity_row(true, w->rows.calm[r], s, &in, v_out);
        fastest = across > fastest ? across : fastest;
    }
    w->rows.fastest[r] = fastest;
    if (s->open) set_open_sides(s, b, r, u_out, v_out);
}

/// Each pass runs one row later than necessary, so that values one cell to the side were written a
/// full round earlier. A load across two vectors waits until both stores reach the cache; on small
/// grids this wait was a third of the sweep. The raw fluxes and the limiter are computed only near
/// rows that are not calm: the whole fluxes of a row need the limiter of it and of the row below.
static void sweep_band(const sweep *s, band *b)
{
    const int32_t first = b->first, last = b->last;
    const uint8_t *calm = s->w->rows.calm;
    for (int32_t r = first - 2; r <= last + 3; ++r) {
        const bool here = calm[r - 1] && calm[r];
        if (r <= last + 1 && !(here && calm[r + 1])) flux_rows(s, b, r);
        if (!here && r - 1 >= first - 2 && r - 1 <= last) limit_row(s, b, r - 1);
        if (r - 2 >= first - 1 && r - 2 <= last)
            calm[r - 2] ? calm_rows(s, b, r - 2) : whole_rows(s, b, r - 2);
        if (r - 3 >= first - 1 && r - 3 < last) depth_row(s, b, r - 3);
        if (r - 3 >= first - 1 && r - 3 < last) save_old_velocities(s, b, r - 3);
        if (r - 4 >= first) velocity_rows(s, b, r - 4);
    }
    if (s->open && last == s->w->ny) set_open_north(s, b);
}

/// ---- Bands -------------------------------------------------------------------------------------
/// A band's scratch, in rows of `stride` and a vector: copied q, u, v; q_below; nine rings; a row
/// of zeros.

enum { RINGS = 9, BAND_ROWS = 3 * COPIED + 1 + RINGS * RING + 1 };

static void lay_out(const pond_water *w, float *scratch, band *b)
{
    const size_t step = w->stride + SP_LANES;
    float *next = scratch;
    for (int k = 0; k < COPIED; ++k, next += 3 * step) {
        b->q_copied[k] = (int32_t *)next;
        b->u_copied[k] = next + step;
        b->v_copied[k] = next + 2 * step;
    }
    b->q_below = (int32_t *)next;
    next += step;
    float **const rings[RINGS - 2] = {b->fx, b->fy, b->k, b->u_old, b->v_old, b->hx, b->hy};
    for (int ring = 0; ring < RINGS - 2; ++ring)
        for (int k = 0; k < RING; ++k, next += step)
            rings[ring][k] = next + POND_HALO; // indexed from the first cell, like a row
    for (int k = 0; k < RING; ++k, next += 2 * step) {
        b->ix[k] = (int32_t *)next + POND_HALO;
        b->iy[k] = (int32_t *)(next + step) + POND_HALO;
    }
    b->no_water = (const int32_t *)next;
    b->no_flow = next;
}

static void copy_neighbour_rows(const pond_water *w, int32_t j0, int32_t count, band *b, int at)
{
    for (int32_t k = 0; k < count; ++k) {
        const int32_t j = j0 + k;
        if (outside(w, j)) continue;
        const size_t row = row_at(w, j), bytes = w->stride * sizeof(float);
        memcpy(b->q_copied[at + k], w->q + row, bytes);
        memcpy(b->u_copied[at + k], w->u + row, bytes);
        memcpy(b->v_copied[at + k], w->v + row, bytes);
    }
}

static band band_number(const pond_water *w, size_t index)
{
    band b = {.first = (int32_t)index * BAND};
    b.last = index + 1 < w->bands ? b.first + BAND : w->ny;
    lay_out(w, w->band_rows + index * w->band_floats, &b);
    return b;
}

static void copy_rows_of_bands(void *arg, size_t begin, size_t end)
{
    const sweep *s = arg;
    for (size_t i = begin; i < end; ++i) {
        band b = band_number(s->w, i);
        copy_neighbour_rows(s->w, b.first - BELOW, BELOW, &b, 0);
        copy_neighbour_rows(s->w, b.last, ABOVE, &b, BELOW);
    }
}

static void sweep_bands(void *arg, size_t begin, size_t end)
{
    const sweep *s = arg;
    for (size_t i = begin; i < end; ++i) {
        band b = band_number(s->w, i);
        sweep_band(s, &b);
        s->w->band_entered[i] = b.entered;
    }
}

size_t pond_water_band_floats(size_t stride)
{
    return BAND_ROWS * (stride + SP_LANES) + 2 * SP_LANES;
}

size_t pond_water_bands(int32_t ny)
{
    return ny < BAND ? 1 : (size_t)ny / BAND;
}

void pond_water_substep(sp_pond *pond, float tau)
{
    pond_water *w = &pond->water;
    const sp_pond_def *def = &pond->def;
    const float damp = def->surface_damping * tau / (w->dx * w->dx);
    sweep s = {
        .pond = pond,
        .w = w,
        .lambda = tau / w->dx,
        .tau = tau,
        .push = def->gravity * w->gravity_factor * (tau / w->dx) * w->quantum,
        .drag = tau * def->bed_friction / w->quantum,
        .damp = damp < 0.1f ? damp : 0.1f,
        .limit = 0.45f * w->dx / tau,
        .thin = 1e-6f / w->quantum,
        .film = 1e3f * w->quantum,
        .dry = (int32_t)(1e-6f / w->quantum),
        .open = def->boundary[0] || def->boundary[1] || def->boundary[2] || def->boundary[3],
    };
    pond_mark_calm_rows(w, s.lambda, s.open);
    if (w->bands > 1) sp_parallel(pond->host, w->bands, 1, copy_rows_of_bands, &s);
    sp_parallel(pond->host, w->bands, 1, sweep_bands, &s);
    for (size_t i = 0; i < w->bands; ++i)
        w->entered += w->band_entered[i];
}

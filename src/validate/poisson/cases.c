// SPDX-License-Identifier: Apache-2.0
/// Water defined by formulas. Voxels whose centre is in the water and in the box are unknowns. The
/// coefficient of a face is its open fraction; towards air it is 1/theta, where theta is the
/// position of the surface between the two centres.
#include "validate/poisson/cases.h"

#include <math.h>
#include <string.h>

enum { SIDE = 10, BLOCK = SIDE * SIDE * SIDE }; ///< a tile and one voxel around it

typedef struct scene {
    sp_poisson_scene kind;
    double n; ///< voxels a side
} scene;

/// ---- Formulas ----------------------------------------------------------------------------------

static double ball(const double p[3], double x, double y, double z, double r)
{
    const double dx = p[0] - x, dy = p[1] - y, dz = p[2] - z;
    return sqrt(dx * dx + dy * dy + dz * dz) - r;
}

static double waves(double n, const double p[3])
{
    const double a = 2.0 * 3.14159265358979 / n;
    return p[1] - n * (0.6 + 0.03 * sin(2.0 * a * p[0] + 0.3) * cos(a * p[2]) +
                       0.015 * sin(5.0 * a * p[2] + 3.0 * a * p[0]));
}

static double drops(double n, const double p[3])
{
    double nearest = 1e9;
    for (uint64_t i = 0; i < 24; ++i) {
        const sp_random4 u = sp_random(7, 1, i, 0, 0);
        const double x = n * (double)sp_unit(u.x[0]), z = n * (double)sp_unit(u.x[1]),
                     y = n * (0.72 + 0.24 * (double)sp_unit(u.x[2])),
                     r = n * (0.012 + 0.025 * (double)sp_unit(u.x[3]));
        nearest = fmin(nearest, ball(p, x, y, z, r));
    }
    return nearest;
}

/// Negative in the water.
static double water(const scene *s, const double p[3])
{
    const double n = s->n;
    switch (s->kind) {
    case SP_POISSON_FLAT:
        return p[1] - 0.6 * n - 0.3;
    case SP_POISSON_WAVY:
    case SP_POISSON_CLUSTERS:
        return waves(n, p);
    case SP_POISSON_COMPLEX: {
        const double block =
                         fmax(fmax(fabs(p[0] - 0.2 * n) - 0.1 * n, fabs(p[2] - 0.3 * n) - 0.12 * n),
                              fabs(p[1] - 0.7 * n) - 0.14 * n),
                     sheet =
                         fmax(fmax(fabs(p[0] - 0.6 * n) - 0.3 * n, fabs(p[2] - 0.5 * n) - 0.3 * n),
                              fabs(p[1] - 0.9 * n + 0.1 * p[0]) - 1.0);
        return fmin(fmin(waves(n, p), block), fmin(sheet, drops(n, p)));
    }
    case SP_POISSON_CLOSED:
    case SP_POISSON_GUIDED:
    case SP_POISSON_ROUND:
        return -1e9;
    }
    return 1e9;
}

static double ring(const double p[3], double x, double y, double z, double large, double small)
{
    const double dx = p[0] - x, dy = p[1] - y, dz = p[2] - z, off = sqrt(dx * dx + dz * dz) - large;
    return sqrt(off * off + dy * dy) - small;
}

static double round_solid(double n, const double p[3])
{
    return fmin(-ball(p, 0.5 * n, 0.5 * n, 0.5 * n, 0.43 * n),
                ring(p, 0.52 * n, 0.47 * n, 0.49 * n, 0.2 * n, 0.08 * n));
}

double sp_poisson_round_answer(double n, const double p[3])
{
    return cos(2.1 * p[0] / n + 0.3) * cos(3.3 * p[1] / n) * cos(2.7 * p[2] / n - 0.4);
}

double sp_poisson_round_depth(double n, const double p[3])
{
    return round_solid(n, p);
}

/// The derivative of the solution along an axis, at a face.
static double round_slope(double n, const double p[3], int axis)
{
    const double at[3] = {2.1 * p[0] / n + 0.3, 3.3 * p[1] / n, 2.7 * p[2] / n - 0.4},
                 rate[3] = {2.1 / n, 3.3 / n, 2.7 / n};
    double slope = -rate[axis] * sin(at[axis]);
    for (int a = 0; a < 3; ++a)
        if (a != axis) slope *= cos(at[a]);
    return slope;
}

/// Negative in solids.
static double solid(const scene *s, const double p[3])
{
    const double n = s->n;
    if (s->kind == SP_POISSON_ROUND) return round_solid(n, p);
    if (s->kind == SP_POISSON_FLAT || s->kind == SP_POISSON_CLOSED || s->kind == SP_POISSON_GUIDED)
        return 1e9;
    const double sphere = ball(p, 0.55 * n, 0.33 * n, 0.47 * n, 0.17 * n);
    if (s->kind != SP_POISSON_COMPLEX) return sphere;
    const double torus = ring(p, 0.25 * n, 0.4 * n, 0.7 * n, 0.14 * n, 0.05 * n),
                 cx = p[0] - 0.8 * n, cz = p[2] - 0.2 * n,
                 cylinder = sqrt(cx * cx + cz * cz) - 0.06 * n,
                 floor = (p[1] - 0.02 * n - 0.15 * p[0]) * 0.98894; // 1 / sqrt(1 + 0.15^2)
    return fmin(fmin(sphere, torus), fmin(cylinder, floor));
}

/// Open fraction of a face whose centre is at this distance from a solid.
static double open_share(double distance)
{
    const double w = fmin(fmax(0.5 + distance, 0.0), 1.0);
    return w < 0.01 ? 0.0 : w > 0.999 ? 1.0 : w;
}

/// Conductivity of a face: 1, or up to 350 in clusters.
static double conduct(const scene *s, const double p[3])
{
    if (s->kind != SP_POISSON_CLUSTERS) return 1.0;
    const double a = 2.0 * 3.14159265358979 / s->n,
                 wave = sin(3.0 * a * p[0] + 1.0) * sin(4.0 * a * p[1]) * sin(3.0 * a * p[2] + 2.0);
    return wave < 0.3 ? 1.0 : 1.0 + 349.0 * fmin((wave - 0.3) / 0.4, 1.0);
}

/// Velocity through a face: falling, rotating, and noise as from particles.
static double flow(const scene *s, const double p[3], int axis)
{
    const double a = 2.0 * 3.14159265358979 / s->n;
    const uint64_t place = (uint64_t)lround(2.0 * p[0]) + 4096 * (uint64_t)lround(2.0 * p[1]) +
                           4096 * 4096 * (uint64_t)lround(2.0 * p[2]);
    const double noise =
        0.2 * ((double)sp_unit(sp_random(9, (uint32_t)axis, place, 0, 0).x[0]) - 0.5);
    if (axis == 0) return 0.5 * sin(a * p[1]) * cos(a * p[2]) + noise;
    if (axis == 1) return -1.0 + 0.3 * sin(2.0 * a * p[0]) + noise;
    return 0.5 * sin(a * p[0] + 1.0) * cos(2.0 * a * p[1]) + noise;
}

/// The open fraction of a face, and that times the velocity. Where the solution is known, both are
/// integrated over the open part of the face, so that the only error left is that of the discrete
/// equation: a difference of two centres for the mean over that part.
static void through(const scene *s, const double p[3], int axis, double near, double *open,
                    double *flux)
{
    if (s->kind != SP_POISSON_ROUND) {
        *open = near > 2.0 ? 1.0 : near < -2.0 ? 0.0 : open_share(solid(s, p));
        *flux = *open > 0.0 ? *open * flow(s, p, axis) : 0.0;
        return;
    }
    *open = *flux = 0.0;
    if (near < -2.0) return;
    const int points = near < 2.0 ? 16 : 2;
    const double share = 1.0 / (points * points);
    for (int v = 0; v < points; ++v)
        for (int u = 0; u < points; ++u) {
            double at[3] = {p[0], p[1], p[2]};
            at[(axis + 1) % 3] += (u + 0.5) / points - 0.5;
            at[(axis + 2) % 3] += (v + 0.5) / points - 0.5;
            if (near < 2.0 && solid(s, at) < 0.0) continue;
            *open += share;
            *flux += share * round_slope(s->n, at, axis);
        }
    if (*open > 0.999999) *open = 1.0; // removes rounding
    if (*open < 0.01) *open = *flux = 0.0;
}

/// ---- A tile ------------------------------------------------------------------------------------

typedef struct patch {
    const scene *s;
    int32_t low[3]; ///< first voxel
    double phi[BLOCK], psi[BLOCK];
    bool inside[BLOCK];
} patch;

static int place_of(int i, int j, int k)
{
    return (i + 1) + SIDE * (j + 1) + SIDE * SIDE * (k + 1);
}

static bool tile_exists(const scene *s, const int32_t at[3])
{
    if (s->kind != SP_POISSON_GUIDED) return true;
    const uint64_t id = (uint64_t)(at[0] + 512) + 1024 * (uint64_t)(at[1] + 512) +
                        1024 * 1024 * (uint64_t)(at[2] + 512);
    return sp_unit(sp_random(5, 2, id, 0, 0).x[0]) < 0.55f;
}

static void fill_patch(patch *p)
{
    for (int k = -1; k <= 8; ++k)
        for (int j = -1; j <= 8; ++j)
            for (int i = -1; i <= 8; ++i) {
                const int32_t v[3] = {p->low[0] + i, p->low[1] + j, p->low[2] + k};
                const int32_t tile[3] = {v[0] >> 3, v[1] >> 3, v[2] >> 3};
                const double at[3] = {v[0] + 0.5, v[1] + 0.5, v[2] + 0.5};
                const int c = place_of(i, j, k);
                p->inside[c] = tile_exists(p->s, tile);
                for (int a = 0; a < 3; ++a)
                    p->inside[c] = p->inside[c] && v[a] >= 0 && v[a] < (int32_t)p->s->n;
                p->phi[c] = water(p->s, at);
                p->psi[c] = solid(p->s, at);
            }
}

/// The six faces of a voxel: coefficients to neighbours, extra to air, and outflow.
static void fill_voxel(const patch *p, int i, int j, int k, double face[6], double *extra,
                       double *b)
{
    static const int step[3] = {1, SIDE, SIDE * SIDE};
    const int c = place_of(i, j, k);
    *extra = *b = 0.0;
    for (int f = 0; f < 6; ++f) {
        const int axis = f / 2, n = c + (f % 2 ? step[axis] : -step[axis]);
        face[f] = 0.0;
        if (!p->inside[c] || p->phi[c] >= 0.0) continue;
        const bool guide = p->s->kind == SP_POISSON_GUIDED && axis == 1 && !p->inside[n];
        if (!p->inside[n] && !guide) continue;
        double at[3] = {p->low[0] + i + 0.5, p->low[1] + j + 0.5, p->low[2] + k + 0.5};
        at[axis] += f % 2 ? 0.5 : -0.5;
        double open, flux;
        through(p->s, at, axis, 0.5 * (p->psi[c] + p->psi[n]), &open, &flux);
        if (open <= 0.0) continue;
        const double a = open * conduct(p->s, at);
        *b -= (f % 2 ? 1.0 : -1.0) * flux;
        if (guide)
            *extra += 2.0 * a;
        else if (p->phi[n] >= 0.0)
            *extra += a / fmax(p->phi[c] / (p->phi[c] - p->phi[n]), 0.01);
        else
            face[f] = a;
    }
}

/// Writes the arrays of a tile and returns EMPTY, FULL or 0.
static uint32_t fill_tile(const scene *s, const int32_t at[3], float *const face[3], float *extra,
                          float *b)
{
    patch p = {.s = s, .low = {8 * at[0], 8 * at[1], 8 * at[2]}};
    fill_patch(&p);
    bool full = true, empty = true;
    for (int c = 0; c < SP_TILE_VOXELS; ++c) {
        double f[6], e, flow_out;
        fill_voxel(&p, c & 7, c >> 3 & 7, c >> 6, f, &e, &flow_out);
        double sum = e;
        for (int n = 0; n < 6; ++n) {
            full &= f[n] == 1.0;
            sum += f[n];
        }
        full &= e == 0.0;
        empty &= !(sum > 0.0);
        for (int a = 0; a < 3; ++a)
            face[a][c] = (float)f[2 * a];
        extra[c] = (float)e;
        b[c] = sum > 0.0 ? (float)flow_out : 0.0f;
    }
    return full ? SP_POISSON_FULL : empty ? SP_POISSON_EMPTY : 0;
}

/// ---- All tiles ---------------------------------------------------------------------------------

typedef struct making {
    const scene *s;
    sp_poisson_case *c;
    float *face[3], *extra; ///< 512 for every tile
} making;

static void fill_tiles(void *arg, size_t begin, size_t end)
{
    const making *w = arg;
    for (size_t t = begin; t < end; ++t) {
        const size_t at = t * SP_TILE_VOXELS;
        float *const face[3] = {w->face[0] + at, w->face[1] + at, w->face[2] + at};
        w->c->row[t] = fill_tile(w->s, w->c->tiles.at[t], face, w->extra + at, w->c->b + at);
    }
}

/// Compacts the rows: tiles that are neither FULL nor EMPTY get rows 0, 1, 2, ...
static void pack(sp_poisson_case *c)
{
    size_t rows = 0;
    for (size_t t = 0; t < c->tiles.count; ++t) {
        if (c->row[t] == SP_POISSON_FULL || c->row[t] == SP_POISSON_EMPTY) continue;
        for (int a = 0; a < 4; ++a) {
            float *field = a < 3 ? c->face[a] : c->extra;
            memmove(field + rows * SP_TILE_VOXELS, field + t * SP_TILE_VOXELS,
                    SP_TILE_VOXELS * sizeof *field);
        }
        c->row[t] = (uint32_t)rows++;
    }
    c->system = (sp_poisson_system){.tiles = &c->tiles,
                                    .row = c->row,
                                    .rows = rows,
                                    .face = {c->face[0], c->face[1], c->face[2]},
                                    .extra = c->extra};
}

static sp_status open_tiles(sp_poisson_case *c, const scene *s, int32_t n, sp_error *err)
{
    const int32_t side = (n + 7) / 8;
    int32_t(*at)[3] = sp_allocate(c->host, (size_t)side * (size_t)side * (size_t)side, sizeof *at);
    if (!at) return sp_fail(err, SP_NO_MEMORY, "poisson: no memory for a case of %d voxels", n);
    size_t count = 0;
    for (int32_t z = 0; z < side; ++z)
        for (int32_t y = 0; y < side; ++y)
            for (int32_t x = 0; x < side; ++x) {
                const int32_t here[3] = {x, y, z};
                const double middle[3] = {8.0 * x + 4.0, 8.0 * y + 4.0, 8.0 * z + 4.0};
                if (water(s, middle) > 14.0 || !tile_exists(s, here)) continue;
                memcpy(at[count++], here, sizeof here);
            }
    const sp_status status =
        sp_tiles_open(&c->tiles, c->host, 1.0f, (const int32_t(*)[3])at, count, err);
    sp_release(c->host, at);
    return status;
}

static sp_status fill_case(sp_poisson_case *c, const scene *s, sp_error *err)
{
    const size_t values = c->tiles.count * SP_TILE_VOXELS;
    c->row = sp_allocate(c->host, c->tiles.count, sizeof *c->row);
    c->b = sp_allocate(c->host, values, sizeof *c->b);
    c->extra = sp_allocate(c->host, values, sizeof *c->extra);
    for (int a = 0; a < 3; ++a)
        c->face[a] = sp_allocate(c->host, values, sizeof *c->face[a]);
    if (!c->row || !c->b || !c->extra || !c->face[0] || !c->face[1] || !c->face[2])
        return sp_fail(err, SP_NO_MEMORY, "poisson: no memory for a case of %zu tiles",
                       c->tiles.count);
    making work = {s, c, {c->face[0], c->face[1], c->face[2]}, c->extra};
    sp_parallel(c->host, c->tiles.count, 4, fill_tiles, &work);
    pack(c);
    return SP_OK;
}

sp_status sp_poisson_case_open(sp_poisson_case *c, const sp_host *host, sp_poisson_scene kind,
                               int32_t n, sp_error *err)
{
    *c = (sp_poisson_case){.host = host};
    const scene s = {kind, n};
    sp_status status = open_tiles(c, &s, n, err);
    if (status == SP_OK) status = fill_case(c, &s, err);
    if (status != SP_OK) sp_poisson_case_close(c);
    return status;
}

void sp_poisson_case_close(sp_poisson_case *c)
{
    if (!c->host) return;
    sp_release(c->host, c->row);
    sp_release(c->host, c->b);
    sp_release(c->host, c->extra);
    for (int a = 0; a < 3; ++a)
        sp_release(c->host, c->face[a]);
    sp_tiles_close(&c->tiles);
    *c = (sp_poisson_case){0};
}

// SPDX-License-Identifier: Apache-2.0
/// Removes particles that leave the domain and pushes particles out of solids (L8).
#include "liquid/particles/collide.h"

#include "liquid/particles/velocity_at.h"

/// ---- Open sides --------------------------------------------------------------------------------

/// Where the open sides of the domain are, in voxels from the tile's low corner; sides that are not
/// open are infinitely far. Returns whether a particle of the tile can be beyond any.
static bool open_sides(const liquid_grid *g, const sp_liquid_sides_def *d, uint32_t tile,
                       float low[3], float high[3])
{
    int kind[6];
    bool near = false;
    liquid_side_kinds(d, kind);
    for (int a = 0; a < 3; ++a) {
        const double corner = g->origin[a] + 8.0 * (double)g->voxel * g->tiles.at[tile][a];
        const double voxel = (double)g->voxel;
        low[a] =
            kind[2 * a] == SP_LIQUID_OPEN ? (float)((g->domain[0][a] - corner) / voxel) : -INFINITY;
        high[a] = kind[2 * a + 1] == SP_LIQUID_OPEN ? (float)((g->domain[1][a] - corner) / voxel)
                                                    : INFINITY;
        near |= low[a] > -(float)SP_TILE || high[a] < 2.0f * (float)SP_TILE;
    }
    return near;
}

static void add_left(const liquid_particles *p, const liquid_grid *g, uint32_t tile, size_t i,
                     liquid_left_sums *sums)
{
    double square = 0.0;
    for (int a = 0; a < 3; ++a) {
        const double v = (double)p->v[a][i], h = (double)g->voxel,
                     at = g->origin[a] + h * (8.0 * g->tiles.at[tile][a] + (double)p->x[a][i]);
        square += v * v;
        atomic_fetch_add(&sums->place[a], (long long)(at / LIQUID_LEFT_UNIT));
    }
    atomic_fetch_add(&sums->kinetic, (long long)(0.5 * square / LIQUID_LEFT_UNIT));
}

size_t liquid_remove_beyond_open_sides(liquid_particles *p, const liquid_grid *g,
                                       const sp_liquid_def *def, uint32_t tile,
                                       liquid_left_sums *sums)
{
    float low[3], high[3];
    if (!open_sides(g, &def->sides, tile, low, high)) return 0;
    size_t left = 0;
    for (size_t i = p->start[tile]; i < p->start[tile + 1]; ++i) {
        bool out = false;
        for (int a = 0; a < 3; ++a)
            out |= p->x[a][i] < low[a] || p->x[a][i] > high[a];
        if (!out || p->id[i] == SP_POINT_GONE) continue;
        p->id[i] = SP_POINT_GONE;
        add_left(p, g, tile, i, sums);
        ++left;
    }
    return left;
}

/// ---- Solids ------------------------------------------------------------------------------------

#define GAP 0.1f ///< voxels; particles are kept at least this far from solids

/// What the grid stores about solids in a tile. UNKNOWN: no distances (no such tile, or all solid).
enum { UNKNOWN = -1, OPEN, CUT };

static int solidity(const sp_flow_solids *solids, uint32_t tile)
{
    if (tile == SP_NO_TILE) return solids->bodies ? UNKNOWN : OPEN;
    const uint32_t row = solids->row[tile];
    return row == SP_FLOW_TILE_OPEN ? OPEN : row == SP_FLOW_TILE_SOLID ? UNKNOWN : CUT;
}

/// What particles may collide with.
typedef struct obstacles {
    const liquid_grid *grid;
    const sp_flow_solids *solids;
} obstacles;

enum { ROW = SP_TILE + 1, LAYER = ROW * ROW }; ///< of corners

/// fminf handles NaN, vector instructions do not: loops with fminf stay scalar.
static inline float least(float a, float b)
{
    return a < b ? a : b;
}

/// Least value at a voxel's eight corners: no point of the voxel is nearer to a solid.
static inline float least_corner(const float *c)
{
    const float *d = c + LAYER;
    return least(least(least(c[0], c[1]), least(c[ROW], c[ROW + 1])),
                 least(least(d[0], d[1]), least(d[ROW], d[ROW + 1])));
}

/// Trilinear distance at a place of a cut tile (voxels from its low corner), m, and its gradient,
/// m/voxel. If the whole voxel is at least `enough` away, returns a lower bound and no gradient.
static float psi_at(const float *psi, const float x[3], float enough, float slope[3])
{
    int at[3];
    float f[3];
    for (int a = 0; a < 3; ++a) {
        const float place = fminf(fmaxf(x[a], 0.0f), (float)SP_TILE);
        at[a] = place < 7.0f ? (int)place : 7;
        f[a] = place - (float)at[a];
    }
    const float *c = psi + at[0] + ROW * at[1] + LAYER * at[2];
    const float nearest = least_corner(c);
    if (nearest >= enough) return nearest;
    float line[2][2], along[2][2];
    for (int k = 0; k < 2; ++k)
        for (int j = 0; j < 2; ++j) {
            const float *e = c + ROW * j + LAYER * k;
            along[k][j] = e[1] - e[0];
            line[k][j] = fmaf(f[0], along[k][j], e[0]);
        }
    const float up[2] = {line[0][1] - line[0][0], line[1][1] - line[1][0]};
    const float plane[2] = {fmaf(f[1], up[0], line[0][0]), fmaf(f[1], up[1], line[1][0])};
    slope[0] = (1.0f - f[2]) * ((1.0f - f[1]) * along[0][0] + f[1] * along[0][1]) +
               f[2] * ((1.0f - f[1]) * along[1][0] + f[1] * along[1][1]);
    slope[1] = (1.0f - f[2]) * up[0] + f[2] * up[1];
    slope[2] = plane[1] - plane[0];
    return fmaf(f[2], slope[2], plane[0]);
}

/// Distance and normal from the bodies themselves, where the grid stores none.
static float ask_solids(const obstacles *o, uint32_t tile, const float x[3], float normal[3])
{
    double p[3], n[3];
    for (int a = 0; a < 3; ++a) {
        const int32_t *period = o->grid->period;
        double voxels = 8.0 * o->grid->tiles.at[tile][a] + (double)x[a];
        if (period[a]) voxels -= 8.0 * period[a] * floor(voxels / (8.0 * period[a]));
        p[a] = o->grid->origin[a] + (double)o->grid->voxel * voxels;
    }
    const double distance = sp_solids_distance(o->solids->bodies, p, n, NULL);
    for (int a = 0; a < 3; ++a)
        normal[a] = (float)n[a];
    return (float)distance;
}

/// Distance of a particle to a solid, and the solid's normal and velocity there.
typedef struct contact {
    float distance;  ///< m
    float normal[3]; ///< unit vector out of the solid, where the distance is too small; 0: none
    bool moves;
    float velocity[3]; ///< m/s; of the solid, where it moves
} contact;

static void note_body(const obstacles *o, uint32_t there, const float place[3], contact *c)
{
    double n[3], p[3], v[3];
    int who;
    const double distance =
        sp_flow_body_distance(o->solids, &o->grid->tiles, there, place, n, &who);
    if (!(distance < 0.0) || distance >= (double)c->distance) return;
    sp_flow_point(&o->grid->tiles, o->grid->origin, there, place, p);
    sp_solids_velocity(o->solids->bodies, who, p, v);
    c->distance = (float)distance;
    c->moves = v[0] != 0.0 || v[1] != 0.0 || v[2] != 0.0;
    for (int a = 0; a < 3; ++a) {
        c->normal[a] = (float)n[a];
        c->velocity[a] = (float)v[a];
    }
}

/// Whether a body may reach into a voxel though none of the voxel's corners lies in it: an edge of
/// the body may enter between corners, from a neighbour tile.
static bool may_contain_body_edge(const obstacles *o, uint32_t tile, const int voxel[3])
{
    static const int weight[3] = {1, 3, 9};
    for (int a = 0; a < 3; ++a) {
        if (voxel[a] != 0 && voxel[a] != SP_TILE - 1) continue;
        const int off = voxel[a] == 0 ? -weight[a] : weight[a];
        const uint32_t there = o->grid->tiles.around[tile][SP_TILES_SELF + off];
        int next[3] = {voxel[0], voxel[1], voxel[2]};
        next[a] = SP_TILE - 1 - voxel[a];
        if (solidity(o->solids, there) == CUT &&
            sp_tile_mask_has(o->solids->escape[o->solids->row[there]].may_contain_edge,
                             next[0] + 8 * next[1] + 64 * next[2]))
            return true;
    }
    return false;
}

/// Contact at x (voxels from the low corner of `tile`; x may lie outside it). Where bodies reach
/// further than the distances at voxel corners show (the edges of a blade), the exact distance
/// counts.
static contact contact_at(const obstacles *o, uint32_t tile, const float x[3])
{
    int n = SP_TILES_SELF, weight = 1;
    float place[3];
    contact c = {.distance = INFINITY};
    for (int a = 0; a < 3; ++a, weight *= 3) {
        const int off = (x[a] >= (float)SP_TILE) - (x[a] < 0.0f);
        n += weight * off;
        place[a] = x[a] - (float)(SP_TILE * off);
    }
    const uint32_t there = o->grid->tiles.around[tile][n];
    const int kind = solidity(o->solids, there);
    const int voxel[3] = {(int)place[0], (int)place[1], (int)place[2]};
    if (kind == OPEN && !may_contain_body_edge(o, there, voxel)) return c;
    if (kind == OPEN || kind == UNKNOWN) {
        c.distance = ask_solids(o, tile, x, c.normal);
        return c;
    }
    const float enough = GAP * o->grid->voxel;
    c.distance = psi_at(o->solids->tile[o->solids->row[there]].psi, place, enough, c.normal);
    if (c.distance < enough) {
        const float length = sqrtf(c.normal[0] * c.normal[0] + c.normal[1] * c.normal[1] +
                                   c.normal[2] * c.normal[2]);
        for (int a = 0; a < 3; ++a)
            c.normal[a] = length > 0.0f ? c.normal[a] / length : 0.0f;
    }
    note_body(o, there, place, &c);
    return c;
}

/// A body that moves into a particle makes it at least as fast as the body along the normal.
static void push_velocity(const contact *c, float v[3])
{
    float faster = 0.0f;
    for (int a = 0; a < 3; ++a)
        faster += (c->velocity[a] - v[a]) * c->normal[a];
    for (int a = 0; a < 3 && c->moves && faster > 0.0f; ++a)
        v[a] += faster * c->normal[a];
}

/// Pushes one particle out; false if it is still inside after three tries. Interpolated distances
/// are not exact, so a push may end slightly short of GAP; that does no harm.
static bool push_one(const obstacles *o, uint32_t tile, float x[3], float v[3])
{
    enum { TRIES = 3 };
    const float gap = GAP * o->grid->voxel, most = 2.0f * (float)SP_TILE;
    contact c = contact_at(o, tile, x);
    for (int k = 0; k < TRIES && c.distance < gap; ++k) {
        push_velocity(&c, v);
        for (int a = 0; a < 3; ++a) {
            const float to = x[a] + (gap - c.distance) / o->grid->voxel * c.normal[a];
            x[a] = fminf(fmaxf(to, 0.001f - (float)SP_TILE),
                         most - 0.001f); // see liquid_advect_particles
        }
        c = contact_at(o, tile, x);
    }
    return c.distance >= 0.0f;
}

/// For each voxel of a tile, a lower bound of the distance from its particles to solids.
static void nearest_in_voxels(const obstacles *o, uint32_t tile, float nearest[SP_TILE_VOXELS])
{
    const int kind = solidity(o->solids, tile);
    for (int v = 0; kind != CUT && v < SP_TILE_VOXELS; ++v) {
        const bool far = kind == OPEN &&
                         !may_contain_body_edge(o, tile, (const int[3]){v & 7, v >> 3 & 7, v >> 6});
        nearest[v] = far ? INFINITY : -INFINITY;
    }
    if (kind != CUT) return;
    const float *psi = o->solids->tile[o->solids->row[tile]].psi;
    const uint64_t *may_contain_edge = o->solids->escape[o->solids->row[tile]].may_contain_edge;
    for (int row = 0; row < SP_TILE * SP_TILE; ++row)
        for (int i = 0; i < SP_TILE; ++i)
            nearest[SP_TILE * row + i] =
                sp_tile_mask_has(may_contain_edge, SP_TILE * row + i)
                    ? -INFINITY
                    : least_corner(psi + i + ROW * (row % SP_TILE) + LAYER * (row / SP_TILE));
}

/// Particles of a register that need the exact test, one bit for each lane: they are in another
/// tile, or in a voxel near a solid.
static uint32_t to_look_at(const liquid_particles *p, const float nearest[SP_TILE_VOXELS],
                           float gap, size_t i)
{
    sp_flags look = {0}, voxel = {0};
    for (int a = 2; a >= 0; --a) {
        const sp_part x = liquid_load_place(p->x[a] + i);
        look |= x != sp_part_load(p->x[a] + i);
        voxel = SP_TILE * voxel + __builtin_convertvector(x, sp_flags);
    }
    look |= sp_patch_take(nearest, voxel) < gap;
    if (!sp_flags_any(look)) return 0;
    uint32_t bits = 0;
    for (int l = 0; l < SP_PART; ++l)
        bits |= (uint32_t)(look[l] != 0) << l;
    return bits;
}

static bool solids_around(const obstacles *o, uint32_t tile)
{
    for (int n = 0; n < SP_TILES_AROUND; ++n)
        if (solidity(o->solids, o->grid->tiles.around[tile][n]) != OPEN) return true;
    return false;
}

size_t liquid_push_out(liquid_particles *p, const liquid_grid *g, const sp_flow_solids *solids,
                       uint32_t tile)
{
    const obstacles o = {g, solids};
    if (!solids->row || !solids_around(&o, tile)) return 0;
    const size_t end = p->start[tile + 1];
    float nearest[SP_TILE_VOXELS];
    nearest_in_voxels(&o, tile, nearest);
    size_t stuck = 0;
    for (size_t i = p->start[tile]; i < end; i += SP_PART) {
        const uint32_t bits = to_look_at(p, nearest, GAP * g->voxel, i);
        for (size_t l = 0; bits && l < SP_PART && i + l < end; ++l) {
            if (!(bits >> l & 1) || p->id[i + l] == SP_POINT_GONE) continue;
            float x[3] = {p->x[0][i + l], p->x[1][i + l], p->x[2][i + l]};
            float v[3] = {p->v[0][i + l], p->v[1][i + l], p->v[2][i + l]};
            if (!push_one(&o, tile, x, v)) {
                p->id[i + l] = SP_POINT_GONE;
                ++stuck;
            }
            for (int a = 0; a < 3; ++a) {
                p->x[a][i + l] = x[a];
                p->v[a][i + l] = v[a];
            }
        }
    }
    return stuck;
}

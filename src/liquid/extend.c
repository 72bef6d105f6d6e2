// SPDX-License-Identifier: Apache-2.0
/// The surface and the velocity where there is no water: in solids and in air.
///
/// Walls are no surface of the water. Near them and in them phi is continued from the open side: at
/// a voxel with psi < 1 voxel it is what a straight line says that is laid through phi one voxel
/// away from the wall,
///
///     phi(x) = phi(x') + grad phi(x') . (x - x'),   x' a voxel away from all solids,
///
/// so that a level surface stays level up to a sloping wall (a constant instead of a line would
/// bend it to meet the wall at a right angle, and still water would creep). Deeper in solids a
/// constant is enough.
#include "liquid/internal.h"

enum { PAD = 4, DEEP_LAYERS = 8 };

static bool is_cut(const liquid *s, size_t t)
{
    return s->solid.row[t] < LIQUID_TILE_SOLID;
}

/// ---- phi ---------------------------------------------------------------------------------------

typedef struct phi_extension {
    liquid *s;
    float *fresh;        ///< 512 a cut tile, by row
    sp_tile_mask *known; ///< by tile: voxels that are not deep in solids
} phi_extension;

/// Trilinear value and gradient (per voxel) of a patch at a point in its coordinates.
static float sample(const float *patch, int edge, const float p[3], float gradient[3])
{
    int at[3];
    float f[3];
    for (int a = 0; a < 3; ++a) {
        const float clamped = fminf(fmaxf(p[a], 0.0f), (float)edge - 1.001f);
        at[a] = (int)clamped;
        f[a] = clamped - (float)at[a];
    }
    const float *c = patch + at[0] + edge * (at[1] + edge * at[2]);
    float x[4], dx[4];
    for (int e = 0; e < 4; ++e) {
        const float *v = c + (e & 1) * edge + (e >> 1) * edge * edge;
        dx[e] = v[1] - v[0];
        x[e] = v[0] + f[0] * dx[e];
    }
    const float y0 = x[0] + f[1] * (x[1] - x[0]), y1 = x[2] + f[1] * (x[3] - x[2]);
    gradient[0] = sp_mix(sp_mix(dx[0], dx[1], f[1]), sp_mix(dx[2], dx[3], f[1]), f[2]);
    gradient[1] = sp_mix(x[1] - x[0], x[3] - x[2], f[2]);
    gradient[2] = y1 - y0;
    return y0 + f[2] * (y1 - y0);
}

/// phi of voxel n as its surroundings away from the solid have it. A surface along the wall (phi
/// rises straight into it) is none: it would keep itself alive in the solid for ever. Nor is, where
/// there are no particles, a film on the wall that reaches no voxel's centre: pressure does not see
/// it, so that it would follow its neighbours instead of gravity. Such films climbed to the top of
/// a tank, and the energy of a dam break grew by half and more; without them, but with air as it
/// was before air.c, it still grew by 2/5 in a tank 32 voxels wide.
static float continued(const float *patch, int n, const liquid_way_out *way, float film)
{
    const int edge = sp_patch_edge(PAD), at[3] = {n & 7, n >> 3 & 7, n >> 6};
    float p[3], gradient[3], fall = 0.0f, steep = 0.0f, far = 0.0f;
    for (int a = 0; a < 3; ++a)
        p[a] = (float)(at[a] + PAD) + way->by[a][n];
    const float there = sample(patch, edge, p, gradient);
    for (int a = 0; a < 3; ++a) {
        fall += gradient[a] * way->by[a][n];
        steep += gradient[a] * gradient[a];
        far += way->by[a][n] * way->by[a][n];
    }
    const bool along = (fall < 0.0f || there > film) && fall * fall > 0.5f * steep * far;
    return along ? there : there - fall;
}

static void extend_tile(const phi_extension *e, size_t t, float *patch)
{
    const liquid *s = e->s;
    const sp_solid_tile *solid = &s->solid.tile[s->solid.row[t]];
    const liquid_way_out *way = &s->solid.way[s->solid.row[t]];
    const float *phi = s->phi + t * SP_TILE_VOXELS;
    float *fresh = e->fresh + (size_t)s->solid.row[t] * SP_TILE_VOXELS;
    const float per_voxel = 1.0f / s->voxel;
    const bool particles = liquid_has_particles(s);
    const float film = particles ? INFINITY : 0.5f * s->voxel; // phi a voxel away from the wall
    // not the band where there is no tile: a line through that jump would lead to water in the wall
    sp_tiles_patch(&s->tiles, s->phi, (uint32_t)t, PAD, liquid_far(s), patch);
    for (int n = 0; n < SP_TILE_VOXELS; ++n) {
        float normal[3];
        const float psi = liquid_solid_depth(solid, n & 7, n >> 3 & 7, n >> 6, normal) * per_voxel;
        fresh[n] = phi[n];
        if (psi < -1.0f) {
            fresh[n] = s->band;
            e->known[t][n >> 6] &= ~((uint64_t)1 << (n & 63));
        } else if (psi < (particles ? 1.0f : 0.0f)) {
            const float line = continued(patch, n, way, film);
            fresh[n] = psi < 0.0f || line < phi[n] ? line : phi[n];
        }
        fresh[n] = fminf(fmaxf(fresh[n], -s->band), s->band);
    }
}

static void extend_tiles(void *arg, size_t begin, size_t end)
{
    const phi_extension *e = arg;
    float patch[SP_PATCH_MOST];
    for (size_t t = begin; t < end; ++t) {
        memset(e->known[t], e->s->solid.row[t] == LIQUID_TILE_SOLID ? 0 : 0xff, sizeof *e->known);
        if (is_cut(e->s, t)) extend_tile(e, t, patch);
    }
}

static void write_back(void *arg, size_t begin, size_t end)
{
    const phi_extension *e = arg;
    for (size_t t = begin; t < end; ++t) {
        float *phi = e->s->phi + t * SP_TILE_VOXELS;
        if (is_cut(e->s, t))
            memcpy(phi, e->fresh + (size_t)e->s->solid.row[t] * SP_TILE_VOXELS,
                   SP_TILE_VOXELS * sizeof *phi);
        else if (e->s->solid.row[t] == LIQUID_TILE_SOLID)
            for (int n = 0; n < SP_TILE_VOXELS; ++n)
                phi[n] = e->s->band;
    }
}

sp_status liquid_extend_phi(liquid *s, sp_error *err)
{
    const sp_scratch_mark mark = sp_scratch_here(&s->scratch);
    phi_extension e = {.s = s,
                       .fresh = sp_scratch_array(&s->scratch, float, s->solid.rows *SP_TILE_VOXELS),
                       .known = sp_scratch_array(&s->scratch, sp_tile_mask, s->tiles.count)};
    sp_status status = SP_OK;
    if (e.fresh && e.known) {
        sp_tiles_parallel(&s->tiles, extend_tiles, &e);
        sp_tiles_parallel(&s->tiles, write_back, &e);
        status = sp_tiles_extrapolate(&s->tiles, s->phi, e.known, DEEP_LAYERS, err);
    } else {
        status = sp_fail(err, SP_NO_MEMORY, "liquid: no memory to continue the surface");
    }
    sp_scratch_rewind(&s->scratch, mark);
    if (status != SP_OK) return status;
    return liquid_has_particles(s) ? sp_levelset_redistance(&s->tiles, s->phi, s->band, err)
                                   : sp_levelset_refresh(&s->tiles, s->phi, s->band, err);
}

/// ---- u -----------------------------------------------------------------------------------------

typedef struct u_extension {
    liquid *s;
    float *fresh[3]; ///< 512 a cut tile, by row
    float fall[3];   ///< m/s; what gravity adds in a step
} u_extension;

/// The vector at the middle of a low face: its own component, and means of the four nearest of the
/// others. The patch begins one voxel before the tile.
static void vector_at(const float *const patch[3], const int at[3], int axis, float v[3])
{
    enum { EDGE = SP_TILE + 2 };
    static const int step[3] = {1, EDGE, EDGE * EDGE};
    const int c = (at[0] + 1) + EDGE * ((at[1] + 1) + EDGE * (at[2] + 1));
    for (int a = 0; a < 3; ++a) {
        const float *p = patch[a] + c;
        v[a] = a == axis
                   ? p[0]
                   : 0.25f * ((p[0] + p[step[a]]) + (p[-step[axis]] + p[step[a] - step[axis]]));
    }
}

/// At a closed face water has the solid's velocity across the wall, and along it what slip leaves of
/// its own.
static float constrained(const sp_solid_tile *solid, const float *const patch[3], const int at[3],
                         int axis)
{
    const int n = at[0] + 8 * at[1] + 64 * at[2];
    float normal[3], v[3], across = 0.0f;
    liquid_solid_depth(solid, at[0], at[1], at[2], normal);
    vector_at(patch, at, axis, v);
    for (int a = 0; a < 3; ++a) {
        v[a] -= solid->velocity[a][n];
        across += v[a] * normal[a];
    }
    return solid->velocity[axis][n] + solid->slip[axis][n] * (v[axis] - across * normal[axis]);
}

static void constrain_tile(const u_extension *e, size_t t)
{
    const liquid *s = e->s;
    const uint32_t row = s->solid.row[t];
    const sp_solid_tile *solid = &s->solid.tile[row];
    float block[3][SP_TILE_BLOCK];
    for (int a = 0; a < 3; ++a)
        sp_tiles_block(&s->tiles, s->u[a], (uint32_t)t, 0.0f, block[a]);
    const float *const patch[3] = {block[0], block[1], block[2]};
    for (int axis = 0; axis < 3; ++axis) {
        float *fresh = e->fresh[axis] + (size_t)row * SP_TILE_VOXELS;
        memcpy(fresh, s->u[axis] + t * SP_TILE_VOXELS, SP_TILE_VOXELS * sizeof *fresh);
        for (int n = 0; n < SP_TILE_VOXELS; ++n)
            if (solid->open[axis][n] == 0.0f)
                fresh[n] = constrained(solid, patch, (int[3]){n & 7, n >> 3 & 7, n >> 6}, axis);
    }
}

static void constrain_tiles(void *arg, size_t begin, size_t end)
{
    const u_extension *e = arg;
    for (size_t t = begin; t < end; ++t)
        if (is_cut(e->s, t)) constrain_tile(e, t);
}

static void write_u(void *arg, size_t begin, size_t end)
{
    const u_extension *e = arg;
    for (size_t t = begin; t < end; ++t)
        for (int a = 0; a < 3 && is_cut(e->s, t); ++a)
            memcpy(e->s->u[a] + t * SP_TILE_VOXELS,
                   e->fresh[a] + (size_t)e->s->solid.row[t] * SP_TILE_VOXELS,
                   SP_TILE_VOXELS * sizeof(float));
}

/// ---- Slits -------------------------------------------------------------------------------------
///
/// What a slit lets through is a jet, faster the narrower it is, and water as a whole does not move
/// so: it is cut off at half as much again as the fastest of the solid and of the faces of its kind
/// around it that are no slits.

static bool is_slit(float open)
{
    return open > 0.0f && open < LIQUID_SLIT;
}

/// Lays the velocities of slits aside, so that none sees another.
static void lay_slits_aside(void *arg, size_t begin, size_t end)
{
    const u_extension *e = arg;
    const liquid *s = e->s;
    for (size_t t = begin; t < end; ++t)
        for (int a = 0; a < 3 && is_cut(s, t); ++a) {
            const uint32_t row = s->solid.row[t];
            float *u = s->u[a] + t * SP_TILE_VOXELS,
                  *aside = e->fresh[a] + (size_t)row * SP_TILE_VOXELS;
            for (int n = 0; n < SP_TILE_VOXELS; ++n) {
                const bool slit = is_slit(s->solid.tile[row].open[a][n]);
                aside[n] = slit ? u[n] : 0.0f;
                u[n] = slit ? 0.0f : u[n];
            }
        }
}

static void cut_slits_off(void *arg, size_t begin, size_t end)
{
    enum { EDGE = SP_TILE + 2 };
    static const int step[3] = {1, EDGE, EDGE * EDGE};
    const u_extension *e = arg;
    const liquid *s = e->s;
    float block[SP_TILE_BLOCK];
    for (size_t t = begin; t < end; ++t)
        for (int a = 0; a < 3 && is_cut(s, t); ++a) {
            const uint32_t row = s->solid.row[t];
            float *aside = e->fresh[a] + (size_t)row * SP_TILE_VOXELS;
            sp_tiles_block(&s->tiles, s->u[a], (uint32_t)t, 0.0f, block);
            for (int n = 0; n < SP_TILE_VOXELS; ++n) {
                if (aside[n] == 0.0f) continue;
                const float *c =
                    block + ((n & 7) + 1) + EDGE * (((n >> 3 & 7) + 1) + EDGE * ((n >> 6) + 1));
                float most = fabsf(s->solid.tile[row].velocity[a][n]);
                for (int b = 0; b < 3; ++b)
                    most = fmaxf(most, fmaxf(fabsf(c[step[b]]), fabsf(c[-step[b]])));
                aside[n] = fminf(fmaxf(aside[n], -1.5f * most), 1.5f * most);
            }
        }
}

/// Those that water touches are known from now on.
static void put_slits_back(void *arg, size_t begin, size_t end)
{
    const u_extension *e = arg;
    const liquid *s = e->s;
    for (size_t t = begin; t < end; ++t)
        for (int a = 0; a < 3 && is_cut(s, t); ++a) {
            const uint32_t row = s->solid.row[t];
            const float *aside = e->fresh[a] + (size_t)row * SP_TILE_VOXELS;
            for (int n = 0; n < SP_TILE_VOXELS; ++n) {
                if (aside[n] == 0.0f) continue;
                s->u[a][t * SP_TILE_VOXELS + (size_t)n] = aside[n];
                s->known[a][t][n >> 6] |= (uint64_t)1 << (n & 63);
            }
        }
}

static void tame_slits(u_extension *e)
{
    const sp_tiles *tiles = &e->s->tiles;
    sp_tiles_parallel(tiles, lay_slits_aside, e);
    sp_tiles_parallel(tiles, cut_slits_off, e);
    sp_tiles_parallel(tiles, put_slits_back, e);
}

/// ---- All of u ----------------------------------------------------------------------------------

/// Faces that particles gave a velocity and no water is beside: what flies goes on as it does.
static void let_fly(void *arg, size_t begin, size_t end)
{
    const u_extension *e = arg;
    const liquid *s = e->s;
    for (size_t t = begin; t < end; ++t)
        for (int a = 0; a < 3; ++a) {
            float *u = s->u[a] + t * SP_TILE_VOXELS;
            const float *before = s->before[a] + t * SP_TILE_VOXELS;
            const float *open = is_cut(s, t) ? s->solid.tile[s->solid.row[t]].open[a] : NULL;
            for (int k = 0; k < SP_TILE && s->solid.row[t] != LIQUID_TILE_SOLID; ++k) {
                uint64_t flying = s->splatted[a][t][k] & ~s->known[a][t][k];
                for (int b = 0; b < 64 && flying && open; ++b) // nothing flies in solids
                    flying &= ~((uint64_t)(open[64 * k + b] == 0.0f) << b);
                if (!flying) continue;
                for (int b = 0; b < 64; ++b)
                    if (flying >> b & 1) u[64 * k + b] = before[64 * k + b] + e->fall[a];
                s->known[a][t][k] |= flying;
            }
        }
}

static bool take_memory(u_extension *e)
{
    liquid *s = e->s;
    bool good = true;
    for (int a = 0; a < 3; ++a) {
        e->fresh[a] = sp_scratch_array(&s->scratch, float, s->solid.rows *SP_TILE_VOXELS);
        good &= e->fresh[a] != NULL;
    }
    return good;
}

static sp_status extend_u(u_extension *e, sp_error *err)
{
    liquid *s = e->s;
    if (!take_memory(e))
        return sp_fail(err, SP_NO_MEMORY, "liquid: no memory to continue the velocity");
    tame_slits(e);
    SP_TRY(liquid_lean(s, err)); // nearest to the water particles follow it, or it never rests
    if (liquid_has_particles(s)) sp_tiles_parallel(&s->tiles, let_fly, e);
    SP_TRY(sp_tiles_extrapolate_faces(&s->tiles, s->u, s->known, s->layers - 1, err));
    sp_tiles_parallel(&s->tiles, constrain_tiles, e);
    sp_tiles_parallel(&s->tiles, write_u, e);
    return SP_OK;
}

sp_status liquid_extend_u(liquid *s, double dt, sp_error *err)
{
    u_extension e = {.s = s};
    for (int a = 0; a < 3; ++a)
        e.fall[a] = (float)((double)s->gravity[a] * dt);
    const sp_scratch_mark mark = sp_scratch_here(&s->scratch);
    const sp_status status = extend_u(&e, err);
    sp_scratch_rewind(&s->scratch, mark);
    return status;
}

// SPDX-License-Identifier: Apache-2.0
/// The first layer of velocity beyond the water: straight lines through known faces,
///
///     u = mean over known neighbours n of u_n + minmod(u_n - u_m, 5/4 (u_m - u_l)),
///
/// m and l being the two behind n; u_n alone where one of them is not known. The surface lies up to
/// half a voxel above the last face that pressure knows. Were u constant there, water would rise
/// with the velocity of up to half a voxel below; under a wave of wavenumber k that is less by up to
/// k/2 a voxel, by an eighth of k on average. Without particles a wave's period came out 2.5 % long
/// with 32 voxels a wave and 1.1 % with 64; with lines it is off by 0.3 and 0.2 %.
///
/// Lines run along the axis nearest to gravity only: waves are what needs them. Across it, at the tip
/// of a tongue, they tore drops off its end, and a block with surface tension and no gravity blew
/// up. The slope may be 5/4 of the one before it, as under waves of 28 voxels, and is none where the
/// two differ in sign: noise must not be thrown on.
///
/// Without particles slopes are at most 0.12 of the velocity a voxel, as under waves of 52 voxels: a
/// grid carries the lines' ends back into the water, and steeper ones fed a sloshing tank until it had
/// eight times its energy after 3 s. They are no steeper either than those of water at sqrt(g voxel):
/// waves have less, and what splashes needs no lines: a dam break on 32 voxels reached 9.6 m/s with
/// steeper ones and 4.1 without any.
///
/// Into solids u is continued as a constant: nobody moves there, and water slides along walls.
#include "liquid/internal.h"

#include <string.h>

/// A value that marks what is not known, and what no velocity reaches.
static const float unknown = 1e30f, suspicious = 1e20f;

enum { REACH = 3, EDGE = SP_TILE + 2 * REACH };
enum { SOME = 1, ALL = 2 }; ///< faces of a tile are known

typedef struct leaning {
    const liquid *s;
    float *marked;  ///< u of the axis where it is known, else `unknown`
    uint8_t *share; ///< by tile: bits below
    int axis;
    int upright;    ///< the axis nearest to gravity; -1: there is none
    float steepest; ///< slope of lines a voxel, as a share of the velocity
    float calm;     ///< m/s; and of no more velocity than this
} leaning;

static uint8_t share_known(const sp_tile_mask known)
{
    uint64_t any = 0, every = ~(uint64_t)0;
    for (int k = 0; k < SP_TILE; ++k) {
        any |= known[k];
        every &= known[k];
    }
    return (uint8_t)((any ? SOME : 0) | (every == ~(uint64_t)0 ? ALL : 0));
}

static void mark_known(void *arg, size_t begin, size_t end)
{
    const leaning *l = arg;
    for (size_t t = begin; t < end; ++t) {
        const float *restrict u = l->s->u[l->axis] + t * SP_TILE_VOXELS;
        float *restrict marked = l->marked + t * SP_TILE_VOXELS;
        const uint64_t *known = l->s->known[l->axis][t];
        l->share[t] = share_known(known);
        if (l->share[t] & ALL)
            memcpy(marked, u, SP_TILE_VOXELS * sizeof *u);
        else
            for (int n = 0; n < SP_TILE_VOXELS; ++n)
                marked[n] = liquid_mask_has(known, n) ? u[n] : unknown;
    }
}

static float minmod(float a, float b)
{
    return !(a * b > 0.0f) ? 0.0f : fabsf(a) < fabsf(b) ? a : b;
}

/// The mean of what all sides say of a face; `unknown` when none does. p is its place in a patch;
/// lines run along the axis `upright`.
static float lines_to(const float *p, int upright, float steepest, float calm)
{
    static const int step[6] = {-1, 1, -EDGE, EDGE, -EDGE * EDGE, EDGE * EDGE};
    float sum = 0.0f, count = 0.0f;
    for (int d = 0; d < 6; ++d) {
        const float near = p[step[d]], far = p[2 * step[d]], last = p[3 * step[d]];
        if (near > suspicious) continue;
        const bool line = d / 2 == upright && far < suspicious && last < suspicious;
        const float rise = line ? minmod(near - far, 1.25f * (far - last)) : 0.0f;
        const float most = steepest * fminf(fabsf(near), calm);
        sum += near + fminf(fmaxf(rise, -most), most);
        count += 1.0f;
    }
    return count > 0.0f ? sum / count : unknown;
}

static void lean_tile(const leaning *l, size_t t)
{
    const liquid *s = l->s;
    const uint32_t row = s->solid.row[t];
    const float *open = row < LIQUID_TILE_SOLID ? s->solid.tile[row].open[l->axis] : NULL;
    float *u = s->u[l->axis] + t * SP_TILE_VOXELS;
    float patch[EDGE * EDGE * EDGE];
    sp_tiles_patch(&s->tiles, l->marked, (uint32_t)t, REACH, unknown, patch);
    for (int n = 0; n < SP_TILE_VOXELS; ++n) {
        const int x = (n & 7) + REACH, y = (n >> 3 & 7) + REACH, z = (n >> 6) + REACH;
        const float *p = patch + x + EDGE * (y + EDGE * z);
        if (*p < suspicious) continue;
        const bool closed = row == LIQUID_TILE_SOLID || (open && open[n] == 0.0f);
        const float found = lines_to(p, closed ? -1 : l->upright, l->steepest, l->calm);
        if (found > suspicious) continue;
        u[n] = found;
        s->known[l->axis][t][n >> 6] |= (uint64_t)1 << (n & 63);
    }
}

/// Tiles that are known all over have nothing to do, nor have those with nothing known beside them.
static void lean_tiles(void *arg, size_t begin, size_t end)
{
    static const int beside[7] = {0, -1, 1, -3, 3, -9, 9};
    const leaning *l = arg;
    for (size_t t = begin; t < end; ++t) {
        bool near = false;
        for (int n = 0; n < 7; ++n) {
            const uint32_t there = l->s->tiles.around[t][SP_TILES_SELF + beside[n]];
            near |= there != SP_NO_TILE && (l->share[there] & SOME);
        }
        if (near && !(l->share[t] & ALL)) lean_tile(l, t);
    }
}

static int upright_of(const liquid *s)
{
    int most = -1;
    for (int a = 0; a < 3; ++a)
        if (fabsf(s->gravity[a]) > (most < 0 ? 0.0f : fabsf(s->gravity[most]))) most = a;
    return most;
}

/// What falls from rest reaches this within a voxel.
static float calm_of(const liquid *s)
{
    const int upright = upright_of(s);
    if (liquid_has_particles(s) || upright < 0) return INFINITY;
    return sqrtf(fabsf(s->gravity[upright]) * s->voxel);
}

sp_status liquid_lean(liquid *s, sp_error *err)
{
    const sp_scratch_mark mark = sp_scratch_here(&s->scratch);
    leaning l = {.s = s,
                 .marked = sp_scratch_array(&s->scratch, float, s->tiles.count *SP_TILE_VOXELS),
                 .share = sp_scratch_array(&s->scratch, uint8_t, s->tiles.count),
                 .upright = upright_of(s),
                 .steepest = liquid_has_particles(s) ? INFINITY : 0.12f,
                 .calm = calm_of(s)};
    const bool enough = l.marked && l.share;
    for (l.axis = 0; enough && l.axis < 3; ++l.axis) {
        sp_tiles_parallel(&s->tiles, mark_known, &l);
        sp_tiles_parallel(&s->tiles, lean_tiles, &l);
    }
    sp_scratch_rewind(&s->scratch, mark);
    return enough ? SP_OK
                  : sp_fail(err, SP_NO_MEMORY, "liquid: no memory to continue the velocity");
}

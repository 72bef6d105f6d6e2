// SPDX-License-Identifier: Apache-2.0
/// Solids in one tile. For most tiles the distance at the centre decides: a distance has Lipschitz
/// constant 1, so half the tile's diagonal is a bound. Only otherwise the corners are evaluated,
/// and only for bodies that can be the nearest at one of them.
#include "shapes/solids/solid_box_hollow.h"

#include <math.h>
#include <string.h>

enum { EDGE = SP_TILE + 1 };
#define FAR 1e30f ///< m; where there is no body

/// A tile in world space.
typedef struct view {
    const sp_solids *solids;
    const int32_t *at;
    double corner[3], middle[3], half; ///< m; half the diagonal, plus a margin for rounding
} view;

static view view_of_tile(const sp_solids *s, const int32_t at[3])
{
    const double h = (double)s->voxel;
    view v = {.solids = s, .at = at, .half = (0.5 * SP_TILE * 1.7320509) * h};
    for (int k = 0; k < 3; ++k) {
        v.corner[k] = s->origin[k] + h * (SP_TILE * (double)at[k]);
        v.middle[k] = v.corner[k] + 0.5 * SP_TILE * h;
    }
    return v;
}

/// Distance from the tile's centre to a body, or a lower bound if that is more than `enough`.
static double middle_distance(const view *v, const solid_body *body, const solid_place *place,
                              double enough)
{
    double n[3];
    const double least = solid_box_distance(place, v->middle);
    if (least > enough) return least;
    if (body->shape->frames && place == &body->before)
        return least; // its earlier shape is not stored
    return solid_body_distance(body, place, v->middle, 1.001 * enough, n);
}

/// ---- Corners -----------------------------------------------------------------------------------

static void put_walls(const view *v, sp_solid_tile *tile)
{
    const sp_solids *s = v->solids;
    float near[3][EDGE];
    for (int k = 0; k < 3; ++k)
        for (int i = 0; i < EDGE; ++i) {
            const double p = v->corner[k] + (double)s->voxel * i;
            const double low = s->walls >> (2 * k) & 1 ? p - s->low[k] : HUGE_VAL;
            const double high = s->walls >> (2 * k + 1) & 1 ? s->high[k] - p : HUGE_VAL;
            near[k][i] = (float)fmin(low, high);
        }
    for (int c = 0; c < SP_TILE_CORNERS; ++c) {
        const float x = near[0][c % EDGE], y = near[1][c / EDGE % EDGE];
        const float z = near[2][c / (EDGE * EDGE)], xy = x < y ? x : y, d = xy < z ? xy : z;
        if (d > tile->psi[c]) continue;
        tile->psi[c] = d;
        tile->who[c] = SP_SOLID_WALL;
    }
}

static void put_body(const view *v, size_t index, sp_solid_tile *tile)
{
    float psi[SP_TILE_CORNERS];
    solid_body_corners(v->solids, &v->solids->bodies[index], v->at, v->corner, psi);
    for (int c = 0; c < SP_TILE_CORNERS; ++c) {
        if (!(psi[c] < tile->psi[c])) continue;
        tile->psi[c] = psi[c];
        tile->who[c] = (uint16_t)index;
    }
}

static void snap(float voxel, float psi[SP_TILE_CORNERS])
{
    const float on = (float)SOLID_SNAP * voxel;
    for (int c = 0; c < SP_TILE_CORNERS; ++c)
        psi[c] = fabsf(psi[c]) < on ? 0.0f : psi[c];
}

/// A tile behind a wall along its side counts as cut: the faces in that wall belong to it, and a
/// search for closed faces that touch water visits only cut tiles.
static sp_solidity solidity_of(const float psi[SP_TILE_CORNERS])
{
    int open = 0, solid = 0;
    for (int c = 0; c < SP_TILE_CORNERS; ++c) {
        open += psi[c] > 0.0f;
        solid += psi[c] < 0.0f;
    }
    return open == SP_TILE_CORNERS    ? SP_TILE_IS_OPEN
           : solid == SP_TILE_CORNERS ? SP_TILE_IS_SOLID
                                      : SP_TILE_IS_CUT;
}

/// ---- Faces -------------------------------------------------------------------------------------

static int low_corner(int voxel)
{
    return voxel % SP_TILE + EDGE * (voxel / SP_TILE % SP_TILE) +
           EDGE * EDGE * (voxel / (SP_TILE * SP_TILE));
}

static void face_middle(const view *v, int axis, int voxel, double p[3])
{
    const double h = (double)v->solids->voxel;
    const int at[3] = {voxel % SP_TILE, voxel / SP_TILE % SP_TILE, voxel / (SP_TILE * SP_TILE)};
    for (int k = 0; k < 3; ++k)
        p[k] = v->corner[k] + h * (at[k] + (k == axis ? 0.0 : 0.5));
}

/// The solid nearest to the centre of a face: the one at all four corners, otherwise by a query. On
/// fully open faces the result is not used, so the solid at one corner will do.
static int nearest_to_face(const view *v, const sp_solid_tile *tile, int axis, int voxel,
                           const double p[3])
{
    static const int way[3] = {1, EDGE, EDGE * EDGE};
    const int a = way[(axis + 1) % 3], b = way[(axis + 2) % 3];
    const uint16_t *who = &tile->who[low_corner(voxel)];
    if (who[0] == who[a] && who[0] == who[b] && who[0] == who[a + b]) return who[0];
    if (tile->open[axis][voxel] >= 1.0f) return who[0];
    int nearest;
    sp_solids_distance(v->solids, p, NULL, &nearest);
    return nearest;
}

/// A mesh that deforms is evaluated only within three voxels of its surface, because each query
/// searches for its closest point.
static void face_velocity(const view *v, const sp_solid_tile *tile, int who, int voxel,
                          const double p[3], double velocity[3])
{
    const sp_solids *s = v->solids;
    const double h = (double)s->voxel, near = fabs((double)tile->psi[low_corner(voxel)]);
    if (who >= (int)s->count || !s->bodies[who].shape->frames) {
        sp_solids_velocity(s, who, p, velocity);
        return;
    }
    const solid_body *body = &s->bodies[who]; // a face's middle is 0.71 voxels from its corner
    shape_velocity_at(body->shape, &body->now.moment, p, 2.0 * h, near < 3.0 * h ? near + h : 0.0,
                      velocity);
}

/// The solid that is nearest at all corners, or -1 if they differ.
static int common_solid(const uint16_t who[SP_TILE_CORNERS])
{
    int others = 0;
    for (int c = 1; c < SP_TILE_CORNERS; ++c)
        others += who[c] != who[0];
    return others ? -1 : who[0];
}

/// All faces move with one rigid body (NULL: with a solid at rest), whose velocity is linear in the
/// position.
static void put_faces_of_one(const view *v, const solid_body *body, sp_solid_tile *tile)
{
    const double h = (double)v->solids->voxel;
    const float slip = body ? body->slip : 1.0f;
    int moving = 0;
    for (int axis = 0; axis < 3; ++axis) {
        double p[3], u[3] = {0}, next[3], slope[3] = {0};
        for (int k = 0; k < 3 && body; ++k) { // from the first face on, along each axis
            face_middle(v, axis, 0, p);
            shape_moment_velocity(&body->now.moment, p, u);
            p[k] += h;
            shape_moment_velocity(&body->now.moment, p, next);
            slope[k] = next[axis] - u[axis];
        }
        for (int row = 0; row < SP_TILE * SP_TILE; ++row) {
            const double start = u[axis] + (row % SP_TILE * slope[1] + row / SP_TILE * slope[2]);
            float *to = tile->velocity[axis] + SP_TILE * row;
            for (int i = 0; i < SP_TILE; ++i) {
                to[i] = (float)(start + i * slope[0]);
                moving += to[i] != 0.0f;
                tile->slip[axis][SP_TILE * row + i] = slip;
            }
        }
    }
    tile->moves = moving > 0;
    tile->sticks = slip < 1.0f;
}

static void put_faces_of_all(const view *v, sp_solid_tile *tile)
{
    const sp_solids *s = v->solids;
    double p[3], velocity[3];
    tile->moves = tile->sticks = false;
    for (int axis = 0; axis < 3; ++axis)
        for (int i = 0; i < SP_TILE_VOXELS; ++i) {
            face_middle(v, axis, i, p);
            const int who = nearest_to_face(v, tile, axis, i, p);
            face_velocity(v, tile, who, i, p, velocity);
            const float u = (float)velocity[axis];
            const float slip = who < (int)s->count ? s->bodies[who].slip : 1.0f;
            tile->velocity[axis][i] = u;
            tile->slip[axis][i] = slip;
            tile->moves = tile->moves || u != 0.0f;
            tile->sticks = tile->sticks || slip < 1.0f;
        }
}

static void put_faces(const view *v, bool special, sp_solid_tile *tile)
{
    const sp_solids *s = v->solids;
    const int one = special ? common_solid(tile->who) : SP_SOLID_WALL;
    const solid_body *body = one >= 0 && one < (int)s->count ? &s->bodies[one] : NULL;
    if (one < 0 || (body && body->shape->frames))
        put_faces_of_all(v, tile);
    else
        put_faces_of_one(v, body, tile);
}

/// A face between four solid corners is closed, whichever solids they belong to: solids that touch
/// leave no gap.
static void close_between_solids(const float psi[SP_TILE_CORNERS], int a, int b, float *open)
{
    for (int row = 0; row < SP_TILE * SP_TILE; ++row) {
        const float *at = psi + EDGE * (row % SP_TILE) + EDGE * EDGE * (row / SP_TILE);
        float *to = open + SP_TILE * row;
        SP_VECTOR_LOOP
        for (int i = 0; i < SP_TILE; ++i) {
            const float one = at[i] > at[i + a] ? at[i] : at[i + a];
            const float two = at[i + b] > at[i + a + b] ? at[i + b] : at[i + a + b];
            to[i] = (one > two ? one : two) > 0.0f ? sp_share_cut(to[i]) : 0.0f;
        }
    }
}

/// ---- A tile ------------------------------------------------------------------------------------

/// The largest distance from the tile's centre at which a body can be the nearest at some corner,
/// when the nearest solid is at `least`. One voxel more, because fields of meshes are interpolated.
static double nearest_reach(const view *v, double least)
{
    return least + 2.0 * v->half + (double)v->solids->voxel;
}

/// Adds the bodies that can be nearest at some corner: box hollows if `box_hollows`, else the others.
/// Returns whether one of them moves or sticks.
static bool put_bodies(const view *v, double reach, bool box_hollows, sp_solid_tile *tile)
{
    const sp_solids *s = v->solids;
    bool special = false;
    solid_hollow hollow;
    for (size_t i = 0; i < s->count; ++i) {
        const solid_body *body = &s->bodies[i];
        if (solid_hollow_of_body(body, &hollow) != box_hollows) continue;
        if (middle_distance(v, body, &body->now, reach) > reach) continue;
        put_body(v, i, tile);
        special = special || sp_shape_moves(body->shape) || body->slip < 1.0f;
    }
    return special;
}

/// Open fractions of faces: for box hollows in closed form, for the others from distances.
static void put_shares(const view *v, const float others[SP_TILE_CORNERS], sp_solid_tile *tile)
{
    enum { X = 1, Y = EDGE, Z = EDGE * EDGE };
    const sp_solids *s = v->solids;
    const solid_hollow walls = solid_hollow_of_walls(s);
    solid_hollow hollow;
    sp_tiles_open_faces(others, tile->open);
    for (size_t i = 0; i < s->count; ++i)
        if (solid_hollow_of_body(&s->bodies[i], &hollow))
            solid_hollow_close_faces(&hollow, v->corner, (double)s->voxel, tile->open);
    solid_hollow_close_faces(&walls, v->corner, (double)s->voxel, tile->open);
    close_between_solids(tile->psi, Y, Z, tile->open[0]);
    close_between_solids(tile->psi, Z, X, tile->open[1]);
    close_between_solids(tile->psi, X, Y, tile->open[2]);
}

sp_solidity sp_solids_classify_tile(const sp_solids *s, const int32_t at[3], sp_solid_tile *tile)
{
    const view v = view_of_tile(s, at);
    int side;
    double least = solid_walls_distance(s, v.middle, &side);
    for (size_t i = 0; i < s->count && least >= -v.half; ++i)
        least = fmin(least, middle_distance(&v, &s->bodies[i], &s->bodies[i].now, v.half));
    if (least > v.half) return SP_TILE_IS_OPEN;
    if (least < -v.half) return SP_TILE_IS_SOLID;

    float others[SP_TILE_CORNERS];
    for (int c = 0; c < SP_TILE_CORNERS; ++c)
        tile->psi[c] = FAR; // finite, because fractions are ratios of distances
    bool special = put_bodies(&v, nearest_reach(&v, least), false, tile);
    snap(s->voxel, tile->psi);
    memcpy(others, tile->psi, sizeof others);
    special = put_bodies(&v, nearest_reach(&v, least), true, tile) || special;
    put_walls(&v, tile);
    snap(s->voxel, tile->psi);
    const sp_solidity solidity = solidity_of(tile->psi);
    if (solidity != SP_TILE_IS_CUT) return solidity;
    put_shares(&v, others, tile);
    put_faces(&v, special, tile);
    return SP_TILE_IS_CUT;
}

/// A moved body changes a tile where it may cut it, before or now, or where other bodies cut it and
/// it may be the nearest at some corner: all corners of a cut tile are within a diagonal of the
/// solid. Deep inside a body everything stays solid.
bool sp_solids_changed(const sp_solids *s, const int32_t at[3])
{
    const view v = view_of_tile(s, at);
    int side;
    double rest = solid_walls_distance(s, v.middle, &side), moved = HUGE_VAL, deepest = HUGE_VAL;
    for (size_t i = 0; i < s->count; ++i) {
        const solid_body *body = &s->bodies[i];
        const double now = middle_distance(&v, body, &body->now, 3.0 * v.half);
        if (!body->moved) {
            rest = fmin(rest, now);
            continue;
        }
        const double before = middle_distance(&v, body, &body->before, 3.0 * v.half);
        moved = fmin(moved, fmin(before, now));
        deepest = fmin(deepest, fmax(before, now));
    }
    if (rest < -v.half || deepest < -v.half) return false; // it was solid and it still is
    return moved <= v.half || (rest <= v.half && moved <= 3.0 * v.half);
}

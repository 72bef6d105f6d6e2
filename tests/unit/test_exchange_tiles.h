// SPDX-License-Identifier: Apache-2.0
#ifndef TEST_EXCHANGE_TILES_H
#define TEST_EXCHANGE_TILES_H

/// A ball of water on tiles, away from the world's origin and on both sides of that of the tiles:
/// its distance, a velocity that grows with the position, one voxel of bubbles, and a few bubbles
/// as particles. Everything has a closed form:
///
///     voxel 0.125 m, origin (10, -2, 0.5), centre (10.1, -1.9, 0.6), radius 0.7 m, band 0.375 m
///     velocity = (x, 2y, 3z) of the voxel's centre in the world
///     bubble_fraction 0.5 at voxel (-1, 2, 3), 0 elsewhere

#include "exchange/exchange.h"
#include "testing.h"

#include <math.h>
#include <string.h>

enum { BALL_TILES = 64, BALL_POINTS = 5 };
static const double ball_center[3] = {10.1, -1.9, 0.6}, ball_radius = 0.7, ball_band = 0.375;

typedef struct ball {
    int32_t tiles[3 * BALL_TILES];
    float phi[512 * BALL_TILES], velocity[3 * 512 * BALL_TILES], fraction[512 * BALL_TILES];
    float height[4];
    float position[3 * BALL_POINTS], speed[3 * BALL_POINTS], radius[BALL_POINTS], age[BALL_POINTS];
    uint64_t id[BALL_POINTS];
    sp_column columns[5];
    sp_set set;
    sp_field fields[4];
    sp_frame frame;
} ball;

/// Bits of three coordinates 0 to 3, interleaved: the order of tiles in a frame.
static inline void ball_tile(size_t t, int32_t at[3])
{
    for (int k = 0; k < 3; ++k)
        at[k] = (int32_t)((t >> k & 1) | (t >> (3 + k) & 1) << 1) - 2;
}

static inline void ball_voxel(ball *b, size_t t, size_t place)
{
    const int32_t *at = b->tiles + 3 * t;
    const int32_t in[3] = {(int32_t)(place & 7), (int32_t)(place >> 3 & 7), (int32_t)(place >> 6)};
    double d = 0.0;
    bool bubbly = true;
    static const int32_t there[3] = {-1, 2, 3};
    for (int k = 0; k < 3; ++k) {
        const int32_t index = 8 * at[k] + in[k];
        const double x = b->frame.origin[k] + ((double)index + 0.5) * b->frame.voxel;
        d += (x - ball_center[k]) * (x - ball_center[k]);
        b->velocity[3 * (512 * t + place) + (size_t)k] = (float)((k + 1) * x);
        bubbly = bubbly && index == there[k];
    }
    const double phi = sqrt(d) - ball_radius;
    b->phi[512 * t + place] = (float)fmin(ball_band, fmax(-ball_band, phi));
    b->fraction[512 * t + place] = bubbly ? 0.5f : 0.0f;
}

static inline void ball_points(ball *b)
{
    for (size_t i = 0; i < BALL_POINTS; ++i) {
        for (size_t k = 0; k < 3; ++k) {
            b->position[3 * i + k] = 0.11f * (float)i - 0.2f + 0.03f * (float)k;
            b->speed[3 * i + k] = (float)i - 0.25f * (float)k;
        }
        b->radius[i] = 0.02f + 0.05f * (float)i; // from a sixth of a voxel to two
        b->age[i] = 0.1f * (float)i;
        b->id[i] = ((uint64_t)1 << 40) + 3 * i;
    }
    b->columns[0] = (sp_column){"position", SP_F32, 3, b->position};
    b->columns[1] = (sp_column){"velocity", SP_F32, 3, b->speed};
    b->columns[2] = (sp_column){"radius", SP_F32, 1, b->radius};
    b->columns[3] = (sp_column){"id", SP_U64, 1, b->id};
    b->columns[4] = (sp_column){"age", SP_F32, 1, b->age};
    b->set = (sp_set){"bubbles", BALL_POINTS, b->columns, 5};
}

static inline void ball_open(ball *b)
{
    memset(b, 0, sizeof *b);
    b->frame = (sp_frame){.frame = 7,
                          .time = 7.0 / 24.0,
                          .fps = 24,
                          .voxel = 0.125,
                          .origin = {10, -2, 0.5},
                          .sets = &b->set,
                          .set_count = 1,
                          .fields = b->fields,
                          .field_count = 4};
    for (size_t t = 0; t < BALL_TILES; ++t) {
        ball_tile(t, b->tiles + 3 * t);
        for (size_t place = 0; place < 512; ++place)
            ball_voxel(b, t, place);
    }
    ball_points(b);
    const sp_field tiles = {
        .layout = SP_FIELD_TILES, .components = 1, .tiles = b->tiles, .tile_count = BALL_TILES};
    b->fields[0] = b->fields[1] = b->fields[2] = tiles;
    b->fields[0].name = "surface";
    b->fields[0].values = b->phi;
    b->fields[1].name = "velocity";
    b->fields[1].components = 3;
    b->fields[1].values = b->velocity;
    b->fields[2].name = "bubble_fraction";
    b->fields[2].values = b->fraction;
    b->fields[3] = (sp_field){.name = "height",
                              .layout = SP_FIELD_PLANE,
                              .components = 1,
                              .values = b->height,
                              .nu = 2,
                              .nv = 2,
                              .du = {1, 0, 0},
                              .dv = {0, 0, -1}};
}

/// A unit cube at the ball's centre, 12 triangles seen anti-clockwise from outside; closed.
static inline void cube_open(sp_mesh *mesh, const sp_host *host)
{
    static const uint32_t quads[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                         {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    assert_ok(sp_mesh_open(mesh, host, 8, 12, SP_MESH_NORMALS | SP_MESH_VELOCITY, ERR));
    memcpy(mesh->origin, ball_center, sizeof mesh->origin);
    for (size_t v = 0; v < 8; ++v)
        for (size_t k = 0; k < 3; ++k) {
            mesh->x[v][k] = (v >> k & 1) ? 0.5f : -0.5f;
            mesh->n[v][k] = mesh->x[v][k] * 1.1547005f; // along the diagonal, length 1
            mesh->v[v][k] = (float)v + 0.5f * (float)k;
        }
    for (size_t q = 0; q < 6; ++q)
        for (size_t k = 0; k < 3; ++k) {
            mesh->tri[2 * q][k] = quads[q][k];
            mesh->tri[2 * q + 1][k] = quads[q][(k + 2) % 4];
        }
}

#endif

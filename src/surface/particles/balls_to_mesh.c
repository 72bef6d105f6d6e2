// SPDX-License-Identifier: Apache-2.0
/// Meshes isolated particles, each as a closed ball of its own radius. A grid resolves only balls
/// larger than its cells, and would give all others one size.
#include "surface/internal.h"

#include <string.h>

/// ---- One ball ----------------------------------------------------------------------------------

size_t sp_ball_vertices(sp_ball ball)
{
    return (size_t)ball.round * ball.rings + 2;
}

size_t sp_ball_triangles(sp_ball ball)
{
    return (size_t)2 * ball.round * ball.rings;
}

void sp_ball_put(sp_ball ball, float (*x)[3], uint32_t (*tri)[3], uint32_t first)
{
    const uint32_t round = ball.round, rings = ball.rings, vertices = round * rings + 2;
    for (uint32_t k = 0; k < vertices; ++k) {
        const uint32_t ring = k == 0 ? 0 : k == vertices - 1 ? rings + 1 : (k - 1) / round + 1;
        const float a = SP_PI * (float)ring / (float)(rings + 1),
                    b = 2.0f * SP_PI * (float)((k + round - 1) % round) / (float)round;
        x[k][0] = sp_sinf(a) * sp_cosf(b);
        x[k][1] = sp_sinf(a) * sp_sinf(b);
        x[k][2] = sp_cosf(a);
    }
    size_t t = 0;
    const uint32_t last = first + vertices - 1, lowest = first + 1 + (rings - 1) * round;
    for (uint32_t i = 0; i < round; ++i) {
        const uint32_t next = (i + 1) % round;
        memcpy(tri[t++], (uint32_t[3]){first, first + 1 + i, first + 1 + next}, sizeof *tri);
        memcpy(tri[t++], (uint32_t[3]){last, lowest + next, lowest + i}, sizeof *tri);
        for (uint32_t ring = 0; ring + 1 < rings; ++ring) {
            const uint32_t a = first + 1 + ring * round, b = a + round;
            memcpy(tri[t++], (uint32_t[3]){a + i, b + i, b + next}, sizeof *tri);
            memcpy(tri[t++], (uint32_t[3]){a + i, b + next, a + next}, sizeof *tri);
        }
    }
}

/// ---- Balls of particles ------------------------------------------------------------------------

enum { SIZES = 3 };
/// Edges of a ball should be no longer than those of the marching cubes mesh: half a voxel.
static const sp_ball sizes[SIZES] = {{8, 5}, {16, 9}, {28, 13}};
static const float up_to[SIZES - 1] = {1.0f, 4.0f}; // radius in voxels

/// A ball of each size, with its vertices moved outward so that it has the volume of the unit ball.
typedef struct moulds {
    float x[SIZES][28 * 13 + 2][3];
    uint32_t tri[SIZES][2 * 28 * 13][3];
    float outward[SIZES];
} moulds;

static void make_moulds(moulds *m)
{
    for (int s = 0; s < SIZES; ++s) {
        sp_ball_put(sizes[s], m->x[s], m->tri[s], 0);
        const sp_mesh ball = {.vertex_count = sp_ball_vertices(sizes[s]),
                              .triangle_count = sp_ball_triangles(sizes[s]),
                              .x = m->x[s],
                              .tri = m->tri[s]};
        m->outward[s] = (float)cbrt(4.0 / 3.0 * SP_PI_D / sp_mesh_volume(&ball));
    }
}

typedef struct balls {
    const sp_frame *frame;
    const sp_set *set;
    const float *position, *radius, *velocity; ///< radius and velocity may be NULL
    const uint8_t *wanted;                     ///< NULL: all
    float usual;                               ///< m; radius if the set has none
} balls;

static float radius_of(const balls *b, size_t i)
{
    return b->radius ? b->radius[i] : b->usual;
}

static int size_of(const balls *b, float radius)
{
    const float voxel = (float)b->frame->voxel;
    int s = 0;
    if (!(voxel > 0.0f)) return 1; // no voxel to compare with
    while (s + 1 < SIZES && radius > up_to[s] * voxel)
        ++s;
    return s;
}

static sp_status check_ball(const balls *b, size_t i, sp_error *err)
{
    const float *p = b->position + 3 * i, r = radius_of(b, i);
    if (isfinite(p[0] + p[1] + p[2]) && r > 0.0f && isfinite(r)) return SP_OK;
    return surface_not_a_number(b->frame, b->set, i, err);
}

static sp_status count_balls(const balls *b, size_t *vertices, size_t *triangles, sp_error *err)
{
    for (size_t i = 0; i < b->set->count; ++i) {
        if (b->wanted && !b->wanted[i]) continue;
        SP_TRY(check_ball(b, i, err));
        const sp_ball ball = sizes[size_of(b, radius_of(b, i))];
        *vertices += sp_ball_vertices(ball);
        *triangles += sp_ball_triangles(ball);
    }
    if (*vertices <= UINT32_MAX) return SP_OK;
    return sp_fail(err, SP_UNSUPPORTED, "set \"%s\" as balls needs %zu vertices; expected below %u",
                   b->set->name, *vertices, UINT32_MAX);
}

static void copy_mesh(const sp_mesh *from, sp_mesh *to)
{
    const size_t v = from->vertex_count, t = from->triangle_count;
    memcpy(to->origin, from->origin, sizeof to->origin);
    if (v) memcpy(to->x, from->x, v * sizeof *to->x);
    if (v && from->n) memcpy(to->n, from->n, v * sizeof *to->n);
    if (v && from->v && to->v) memcpy(to->v, from->v, v * sizeof *to->v);
    if (t) memcpy(to->tri, from->tri, t * sizeof *to->tri);
    if (t && from->component) memcpy(to->component, from->component, t * sizeof *to->component);
}

/// Particles are relative to the frame's origin, vertices to the mesh's.
static void put_ball(const balls *b, size_t i, const moulds *m, const float shift[3], sp_mesh *mesh,
                     size_t v, size_t t)
{
    const float radius = radius_of(b, i), *p = b->position + 3 * i;
    const int s = size_of(b, radius);
    for (size_t k = 0; k < sp_ball_vertices(sizes[s]); ++k) {
        for (int c = 0; c < 3; ++c)
            mesh->x[v + k][c] = p[c] + shift[c] + radius * m->outward[s] * m->x[s][k][c];
        memcpy(mesh->n[v + k], m->x[s][k], sizeof *mesh->n);
        if (b->velocity) memcpy(mesh->v[v + k], b->velocity + 3 * i, sizeof *mesh->v);
    }
    for (size_t k = 0; k < sp_ball_triangles(sizes[s]); ++k)
        for (int c = 0; c < 3; ++c)
            mesh->tri[t + k][c] = (uint32_t)v + m->tri[s][k][c];
}

static void put_balls(const balls *b, const moulds *m, sp_mesh *mesh, size_t v, size_t t)
{
    uint32_t piece = 0;
    float shift[3];
    for (int c = 0; c < 3; ++c)
        shift[c] = (float)(b->frame->origin[c] - mesh->origin[c]);
    for (size_t k = 0; mesh->component && k < t; ++k)
        piece = mesh->component[k] >= piece ? mesh->component[k] + 1 : piece;
    for (size_t i = 0; i < b->set->count; ++i) {
        if (b->wanted && !b->wanted[i]) continue;
        const sp_ball ball = sizes[size_of(b, radius_of(b, i))];
        put_ball(b, i, m, shift, mesh, v, t);
        for (size_t k = 0; mesh->component && k < sp_ball_triangles(ball); ++k)
            mesh->component[t + k] = piece;
        ++piece;
        v += sp_ball_vertices(ball);
        t += sp_ball_triangles(ball);
    }
}

static sp_status append(const balls *b, const sp_host *host, sp_mesh *mesh, sp_error *err)
{
    const size_t v = mesh->vertex_count, t = mesh->triangle_count;
    size_t vertices = v, triangles = t;
    sp_mesh all;
    SP_TRY(count_balls(b, &vertices, &triangles, err));
    if (vertices == v) return SP_OK;
    SP_TRY(sp_mesh_open(&all, host, vertices, triangles,
                        SP_MESH_NORMALS | (b->velocity ? SP_MESH_VELOCITY : 0u) |
                            (mesh->component ? SP_MESH_COMPONENTS : 0u),
                        err));
    moulds *m = sp_allocate(host, 1, sizeof *m);
    if (!m) {
        sp_mesh_close(&all);
        return sp_fail(err, SP_NO_MEMORY, "surface: no memory for a ball");
    }
    if (v == 0) memcpy(mesh->origin, b->frame->origin, sizeof mesh->origin);
    make_moulds(m);
    copy_mesh(mesh, &all);
    put_balls(b, m, &all, v, t);
    sp_release(host, m);
    sp_mesh_close(mesh);
    *mesh = all;
    return SP_OK;
}

sp_status sp_surface_balls(const sp_frame *frame, const char *name, const uint8_t *wanted,
                           const sp_host *host, sp_mesh *mesh, sp_error *err)
{
    const sp_set *set = sp_frame_set(frame, name);
    if (!set) return sp_fail(err, SP_BAD_INPUT, "the frame has no set \"%s\"", name);
    SP_ASSERT(mesh->vertex_count == 0 || mesh->n);
    const balls b = {.frame = frame,
                     .set = set,
                     .position = sp_set_floats(set, "position", 3),
                     .radius = sp_set_floats(set, "radius", 1),
                     .velocity = sp_set_floats(set, "velocity", 3),
                     .wanted = wanted,
                     .usual = SURFACE_SHARE * (float)frame->voxel};
    if (!b.position)
        return sp_fail(err, SP_BAD_INPUT, "set \"%s\" has no positions of three floats", name);
    if (!b.radius && !(b.usual > 0.0f))
        return sp_fail(err, SP_BAD_INPUT,
                       "set \"%s\" has no radius and its frame has no voxel size", name);
    return append(&b, host, mesh, err);
}

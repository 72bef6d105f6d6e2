// SPDX-License-Identifier: Apache-2.0
/// Taubin smoothing (1995), which does not shrink: each pass moves every vertex half-way to the
/// mean of its neighbours and then a little further back. This keeps long waves and damps short
/// ones. The volume that is still lost is restored for each connected piece, by a shift along the
/// normals.
#include "surface/internal.h"

enum {
    VERTICES_A_TASK = 1 << 12,
    FEW = 64, ///< triangles; smaller pieces are not smoothed
};
static const float lambda = 0.5f, mu = -0.53f;

typedef struct smoothing {
    sp_mesh *mesh;
    surface_rings rings;
    uint32_t *next; ///< per corner of the rings: the next vertex of the one-ring
    float (*spare)[3];
    uint32_t *piece; ///< per vertex
    size_t pieces;
    double *volume, *shift; ///< per piece: m3 before; m to move now
    double *now, *area;     ///< m3, m2
    uint32_t *triangles;
    float factor;
} smoothing;

static bool is_fixed(const smoothing *s, size_t vertex)
{
    return s->triangles[s->piece[vertex]] < FEW;
}

static void smooth_range(void *arg, size_t begin, size_t end)
{
    const smoothing *s = arg;
    const uint32_t *start = s->rings.start;
    for (size_t v = begin; v < end; ++v) {
        const float *x = s->mesh->x[v];
        float sum[3] = {0.0f, 0.0f, 0.0f};
        for (uint32_t k = start[v]; k < start[v + 1]; ++k)
            for (int c = 0; c < 3; ++c)
                sum[c] += s->mesh->x[s->next[k]][c] - x[c]; // differences avoid cancellation
        const uint32_t n = start[v + 1] - start[v];
        const float f = n == 0 || is_fixed(s, v) ? 0.0f : s->factor / (float)n;
        for (int c = 0; c < 3; ++c)
            s->spare[v][c] = x[c] + f * sum[c];
    }
}

/// One half of a pair: a Jacobi pass.
static void smooth(smoothing *s, float factor)
{
    s->factor = factor;
    sp_parallel(s->mesh->host, s->mesh->vertex_count, VERTICES_A_TASK, smooth_range, s);
    float(*old)[3] = s->mesh->x;
    s->mesh->x = s->spare;
    s->spare = old;
}

/// Volume and area of each piece, summed in the order of triangles. Volumes are relative to the
/// piece's first vertex, so that a small piece far from the origin keeps its precision.
static void measure(const smoothing *s, const uint32_t *first, double *volume, double *area)
{
    const sp_mesh *m = s->mesh;
    for (size_t p = 0; p < s->pieces; ++p)
        volume[p] = area[p] = 0.0;
    for (size_t t = 0; t < m->triangle_count; ++t) {
        const uint32_t p = s->piece[m->tri[t][0]];
        double q[3][3];
        for (int k = 0; k < 3; ++k)
            for (int c = 0; c < 3; ++c)
                q[k][c] = (double)m->x[m->tri[t][k]][c] - (double)m->x[first[p]][c];
        double a[3], b[3], n[3];
        sp_sub3(q[1], q[0], a);
        sp_sub3(q[2], q[0], b);
        sp_cross3(a, b, n);
        volume[p] += sp_dot3(q[0], n) / 6.0;
        area[p] += 0.5 * sqrt(sp_dot3(n, n));
    }
}

static void shift_range(void *arg, size_t begin, size_t end)
{
    const smoothing *s = arg;
    for (size_t v = begin; v < end; ++v)
        for (int c = 0; c < 3; ++c)
            s->mesh->x[v][c] += (float)s->shift[s->piece[v]] * s->mesh->n[v][c];
}

/// Restores the volume of every piece, to first order.
static void restore_volume(smoothing *s, const uint32_t *first)
{
    surface_rings_normals(&s->rings, s->mesh);
    measure(s, first, s->now, s->area);
    for (size_t p = 0; p < s->pieces; ++p)
        s->shift[p] = s->triangles[p] < FEW || !(s->area[p] > 0.0)
                          ? 0.0
                          : (s->volume[p] - s->now[p]) / s->area[p];
    sp_parallel(s->mesh->host, s->mesh->vertex_count, VERTICES_A_TASK, shift_range, s);
}

static void smooth_pieces(smoothing *s, uint32_t *first, int passes)
{
    sp_mesh *m = s->mesh;
    for (size_t v = m->vertex_count; v-- > 0;)
        first[s->piece[v]] = (uint32_t)v;
    for (size_t t = 0; t < m->triangle_count; ++t)
        ++s->triangles[s->piece[m->tri[t][0]]];
    for (size_t k = 0; k < 3 * m->triangle_count; ++k) {
        const uint32_t corner = s->rings.corner[k];
        s->next[k] = m->tri[corner / 3][(corner % 3 + 1) % 3];
    }
    measure(s, first, s->volume, s->area);
    for (int pass = 0; pass < passes; ++pass) {
        smooth(s, lambda);
        smooth(s, mu);
    }
    restore_volume(s, first);
    restore_volume(s, first);
    surface_rings_normals(&s->rings, m);
}

static sp_status open_pieces(smoothing *s, uint32_t **first, sp_error *err)
{
    const sp_host *host = s->mesh->host;
    SP_TRY(surface_pieces(s->mesh, s->piece, &s->pieces, err));
    if ((s->volume = sp_allocate(host, s->pieces, sizeof *s->volume)) &&
        (s->now = sp_allocate(host, s->pieces, sizeof *s->now)) &&
        (s->area = sp_allocate(host, s->pieces, sizeof *s->area)) &&
        (s->shift = sp_allocate(host, s->pieces, sizeof *s->shift)) &&
        (s->triangles = sp_allocate(host, s->pieces, sizeof *s->triangles)) &&
        (*first = sp_allocate(host, s->pieces, sizeof **first)))
        return SP_OK;
    return sp_fail(err, SP_NO_MEMORY, "surface: no memory to smooth %zu pieces", s->pieces);
}

sp_status sp_surface_taubin(sp_mesh *mesh, int passes, const sp_host *host, sp_error *err)
{
    SP_ASSERT(mesh->n || !mesh->vertex_count);
    if (passes <= 0 || mesh->triangle_count == 0) return SP_OK;
    (void)host; // the arrays use the mesh's own host
    smoothing s = {.mesh = mesh};
    uint32_t *first = NULL;
    sp_status status = surface_rings_open(&s.rings, mesh, err);
    if (status == SP_OK) {
        s.next = sp_allocate(mesh->host, 3 * mesh->triangle_count, sizeof *s.next);
        s.spare = sp_allocate(mesh->host, mesh->vertex_count, sizeof *s.spare);
        s.piece = sp_allocate(mesh->host, mesh->vertex_count, sizeof *s.piece);
        status = s.next && s.spare && s.piece
                     ? open_pieces(&s, &first, err)
                     : sp_fail(err, SP_NO_MEMORY, "surface: no memory to smooth %zu vertices",
                               mesh->vertex_count);
    }
    if (status == SP_OK) smooth_pieces(&s, first, passes);
    void *const taken[] = {s.next, s.spare, s.piece,     s.volume, s.now,
                           s.area, s.shift, s.triangles, first};
    for (size_t k = 0; k < sizeof taken / sizeof *taken; ++k)
        sp_release(mesh->host, taken[k]);
    surface_rings_close(&s.rings, mesh->host);
    return status;
}

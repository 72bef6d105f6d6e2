// SPDX-License-Identifier: Apache-2.0
/// A closed mesh from a field of heights: a lid over the wet cells, a floor under them, and walls
/// around them.
///
/// A cell lies between four samples and is wet when it has a millimetre of water at any of them.
/// Lid and floor have a vertex at each sample that touches a wet cell. But where two wet cells meet
/// only at a corner,
///
///       wet │ dry
///      ─────•─────      the sample gets two vertices, one per cell. The walls of both cells meet
///       dry │ wet       in one vertical edge; if it were shared, it would have four triangles.
#include "surface/internal.h"

static const float wet_depth = 1e-3f;    // m; less counts as dry
static const float below_ground = 1e-3f; // m; from the ground down to the floor

typedef struct block {
    const sp_field *height, *depth;
    size_t nu, nv;
    float bottom;    ///< m; height of level ground, if there is no depth field
    uint8_t *wet;    ///< per cell, (nu-1) x (nv-1)
    uint32_t *first; ///< first of a sample's 2 vertices (lid, floor), or 4
    size_t vertices, triangles;
    sp_mesh *mesh;
    bool flipped; ///< du x dv points down
} block;

static size_t sample_of(const block *b, size_t i, size_t j)
{
    return j * b->nu + i;
}

static bool is_wet(const block *b, size_t i, size_t j) ///< cells outside the field are dry, -1 too
{
    return i < b->nu - 1 && j < b->nv - 1 && b->wet[j * (b->nu - 1) + i];
}

/// The cells around a sample: bit 0 at (-,-), then counter-clockwise (+,-), (+,+), (-,+).
static unsigned wet_around(const block *b, size_t i, size_t j)
{
    return (unsigned)is_wet(b, i - 1, j - 1) | (unsigned)is_wet(b, i, j - 1) << 1 |
           (unsigned)is_wet(b, i, j) << 2 | (unsigned)is_wet(b, i - 1, j) << 3;
}

static bool meets_at_corner(unsigned around)
{
    return around == 5 || around == 10;
}

static float depth_at(const block *b, size_t i, size_t j)
{
    const size_t s = sample_of(b, i, j);
    return b->depth ? b->depth->values[s] : b->height->values[s] - b->bottom;
}

static void find_wet(block *b)
{
    for (size_t j = 0; j + 1 < b->nv; ++j)
        for (size_t i = 0; i + 1 < b->nu; ++i) {
            float most = 0.0f;
            for (size_t k = 0; k < 4; ++k) {
                const float d = depth_at(b, i + (k & 1), j + (k >> 1));
                most = d > most ? d : most;
            }
            b->wet[j * (b->nu - 1) + i] = most >= wet_depth;
        }
}

/// Two triangles each for the lid, the floor and every border of a wet cell to a dry one.
static void count_block(block *b)
{
    for (size_t j = 0; j < b->nv; ++j)
        for (size_t i = 0; i < b->nu; ++i) {
            const unsigned around = wet_around(b, i, j);
            b->first[sample_of(b, i, j)] = (uint32_t)b->vertices;
            b->vertices += around ? meets_at_corner(around) ? 4 : 2 : 0;
            if (!is_wet(b, i, j)) continue;
            const size_t walls = (size_t)!is_wet(b, i - 1, j) + !is_wet(b, i + 1, j) +
                                 !is_wet(b, i, j - 1) + !is_wet(b, i, j + 1);
            b->triangles += 4 + 2 * walls;
        }
}

/// The lid's vertex at a corner of a cell (di, dj 0 or 1); the floor's is the next.
static uint32_t lid_vertex(const block *b, size_t i, size_t j, size_t di, size_t dj)
{
    const unsigned around = wet_around(b, i + di, j + dj);
    const bool second = meets_at_corner(around) && dj == 0; // the cell above the sample
    return b->first[sample_of(b, i + di, j + dj)] + (second ? 2 : 0);
}

/// Normal from differences of heights, central where both neighbours exist.
static void put_normal(const block *b, size_t i, size_t j, float n[3])
{
    const float *eta = b->height->values;
    const size_t west = i > 0 ? i - 1 : i, east = i + 1 < b->nu ? i + 1 : i;
    const size_t south = j > 0 ? j - 1 : j, north = j + 1 < b->nv ? j + 1 : j;
    const double du = (double)(eta[sample_of(b, east, j)] - eta[sample_of(b, west, j)]);
    const double dv = (double)(eta[sample_of(b, i, north)] - eta[sample_of(b, i, south)]);
    double u[3], v[3], w[3];
    for (int c = 0; c < 3; ++c) {
        u[c] = c == 1 ? du : b->height->du[c] * (double)(east - west);
        v[c] = c == 1 ? dv : b->height->dv[c] * (double)(north - south);
    }
    sp_cross3(u, v, w);
    const double length = sqrt(sp_dot3(w, w));
    for (int c = 0; c < 3; ++c)
        n[c] = (float)((b->flipped ? -w[c] : w[c]) / length);
}

static void write_sample(const block *b, size_t i, size_t j)
{
    const unsigned around = wet_around(b, i, j);
    if (!around) return;
    const size_t s = sample_of(b, i, j), copies = meets_at_corner(around) ? 2 : 1;
    const sp_field *h = b->height;
    const float lid = h->values[s];
    const float ground = b->depth ? lid - b->depth->values[s] : b->bottom;
    const float floor = (ground < lid ? ground : lid) - below_ground;
    for (size_t k = 0; k < 2 * copies; ++k) {
        const size_t v = b->first[s] + k;
        for (int c = 0; c < 3; ++c)
            b->mesh->x[v][c] = (float)((double)i * h->du[c] + (double)j * h->dv[c]);
        b->mesh->x[v][1] = k & 1 ? floor : lid;
        if (k & 1)
            b->mesh->n[v][1] = -1.0f;
        else
            put_normal(b, i, j, b->mesh->n[v]);
    }
}

static void put_triangle(const block *b, size_t *at, uint32_t p, uint32_t q, uint32_t r)
{
    uint32_t *tri = b->mesh->tri[(*at)++];
    tri[0] = p;
    tri[1] = b->flipped ? r : q;
    tri[2] = b->flipped ? q : r;
}

/// A wall from lid vertex p to q. Seen from above, the water is on the left; the wall faces right.
static void put_wall(const block *b, size_t *at, uint32_t p, uint32_t q)
{
    put_triangle(b, at, p, p + 1, q + 1);
    put_triangle(b, at, p, q + 1, q);
}

static void write_cell(const block *b, size_t i, size_t j, size_t *at)
{
    const float *eta = b->height->values;
    const uint32_t c[4] = {lid_vertex(b, i, j, 0, 0), lid_vertex(b, i, j, 1, 0),
                           lid_vertex(b, i, j, 1, 1), lid_vertex(b, i, j, 0, 1)};
    const float rising = fabsf(eta[sample_of(b, i + 1, j + 1)] - eta[sample_of(b, i, j)]);
    const float falling = fabsf(eta[sample_of(b, i, j + 1)] - eta[sample_of(b, i + 1, j)]);
    const int turn = rising <= falling ? 0 : 1; // split along the flatter diagonal
    const uint32_t p = c[turn], q = c[turn + 1], r = c[turn + 2], t = c[(turn + 3) % 4];
    put_triangle(b, at, p, q, r);
    put_triangle(b, at, p, r, t);
    put_triangle(b, at, p + 1, r + 1, q + 1);
    put_triangle(b, at, p + 1, t + 1, r + 1);
    if (!is_wet(b, i, j - 1)) put_wall(b, at, c[0], c[1]);
    if (!is_wet(b, i + 1, j)) put_wall(b, at, c[1], c[2]);
    if (!is_wet(b, i, j + 1)) put_wall(b, at, c[2], c[3]);
    if (!is_wet(b, i - 1, j)) put_wall(b, at, c[3], c[0]);
}

static sp_status write_block(block *b, const sp_host *host, sp_error *err)
{
    SP_TRY(sp_mesh_open(b->mesh, host, b->vertices, b->triangles, SP_MESH_NORMALS, err));
    for (int c = 0; c < 3; ++c)
        b->mesh->origin[c] = c == 1 ? 0.0 : b->height->corner[c]; // heights are absolute
    size_t at = 0;
    for (size_t j = 0; j < b->nv; ++j)
        for (size_t i = 0; i < b->nu; ++i) {
            write_sample(b, i, j);
            if (is_wet(b, i, j)) write_cell(b, i, j, &at);
        }
    return SP_OK;
}

/// Level ground: a twentieth of the longer side below the lowest height.
static float level_ground(const sp_field *h)
{
    float lowest = h->values[0];
    for (size_t k = 1; k < h->nu * h->nv; ++k)
        lowest = h->values[k] < lowest ? h->values[k] : lowest;
    const double u = sqrt(h->du[0] * h->du[0] + h->du[2] * h->du[2]) * (double)(h->nu - 1);
    const double v = sqrt(h->dv[0] * h->dv[0] + h->dv[2] * h->dv[2]) * (double)(h->nv - 1);
    return lowest - (float)(0.05 * (u > v ? u : v));
}

static sp_status check_fields(const sp_field *height, const sp_field *depth, sp_error *err)
{
    if (height->layout != SP_FIELD_PLANE || height->components != 1)
        return sp_fail(err, SP_BAD_INPUT, "field \"%s\" is no sheet of heights", height->name);
    if (depth && (depth->layout != SP_FIELD_PLANE || depth->components != 1 ||
                  depth->nu != height->nu || depth->nv != height->nv))
        return sp_fail(err, SP_BAD_INPUT,
                       "field \"%s\" does not match \"%s\": %zu x %zu of %zu x %zu", depth->name,
                       height->name, depth->nu, depth->nv, height->nu, height->nv);
    for (size_t k = 0; k < height->nu * height->nv; ++k)
        if (!isfinite(height->values[k]) || (depth && !isfinite(depth->values[k])))
            return sp_fail(err, SP_DIVERGED, "sample %zu of \"%s\" is not a number", k,
                           height->name);
    if (height->nu * height->nv >= UINT32_MAX / 4)
        return sp_fail(err, SP_BAD_INPUT, "mesh needs %.2g vertices (limit 4294967295)",
                       4.0 * (double)height->nu * (double)height->nv);
    return SP_OK;
}

sp_status sp_surface_height(const sp_field *height, const sp_field *depth, const sp_host *host,
                            sp_mesh *mesh, sp_error *err)
{
    *mesh = (sp_mesh){0};
    SP_TRY(check_fields(height, depth, err));
    if (height->nu < 2 || height->nv < 2)
        return sp_mesh_open(mesh, host, 0, 0, SP_MESH_NORMALS, err);
    block b = {.height = height, .depth = depth, .nu = height->nu, .nv = height->nv, .mesh = mesh};
    b.bottom = level_ground(height);
    b.flipped = height->du[2] * height->dv[0] - height->du[0] * height->dv[2] < 0.0;
    b.wet = sp_allocate(host, (b.nu - 1) * (b.nv - 1), sizeof *b.wet);
    b.first = sp_allocate(host, b.nu * b.nv, sizeof *b.first);
    sp_status status = SP_OK;
    if (b.wet && b.first) {
        find_wet(&b);
        count_block(&b);
        status = write_block(&b, host, err);
    } else {
        status = sp_fail(err, SP_NO_MEMORY, "surface: no memory for a block of %zu x %zu samples",
                         b.nu, b.nv);
    }
    sp_release(host, b.wet);
    sp_release(host, b.first);
    return status;
}

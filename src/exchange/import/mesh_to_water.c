// SPDX-License-Identifier: Apache-2.0
/// Water from a surface mesh whose vertices have velocity. Cells near the mesh get the exact
/// distance, signed by the winding number; faces near it get the velocity of the nearest point.
/// Deeper velocity is unknown and is extrapolated.
#include "exchange/import/import_internal.h"
#include "mesh/mesh.h"
#include "tiles/levelset.h"

#include <string.h>

/// Voxels on either side of the surface where distance and velocity come from the mesh.
enum { BAND = 4 };

/// State of the conversion of one mesh.
typedef struct conversion {
    sp_import_water *water;
    const sp_mesh *mesh;
    sp_bvh *bvh;               ///< NULL: no water in this frame
    double origin[3], half[3]; ///< m; centre and half sides of the mesh's box
    bool open;                 ///< it has holes
    sp_tile_mask *known[3];
} conversion;

static double distance_to(const void *what, const double p[3], double reach, sp_distance_hint *hint)
{
    const conversion *m = what;
    double n[3];
    return sp_mesh_distance(m->mesh, m->bvh, !m->open, p, reach, hint, n);
}

/// ---- Choice of tiles ---------------------------------------------------------------------------

/// A growing list of tiles.
typedef struct found_tiles {
    const sp_host *host;
    int32_t (*at)[3];
    size_t count, room;
} found_tiles;

static bool add_tile(found_tiles *f, int32_t x, int32_t y, int32_t z)
{
    if (!sp_make_room(f->host, (void **)&f->at, f->count, &f->room, sizeof *f->at)) return false;
    int32_t *at = f->at[f->count++];
    at[0] = x;
    at[1] = y;
    at[2] = z;
    return true;
}

static bool add_cube(found_tiles *f, const int32_t low[3], int32_t side)
{
    for (int32_t z = low[2]; z < low[2] + side; ++z)
        for (int32_t y = low[1]; y < low[1] + side; ++y)
            for (int32_t x = low[0]; x < low[0] + side; ++x)
                if (!add_tile(f, x, y, z)) return false;
    return true;
}

/// What a cube of tiles holds: only air, only water, or perhaps both. Near a hole in the mesh
/// neither can be excluded, so every tile there is examined.
enum { ALL_AIR, ALL_WATER, BOTH };
static int classify_cube(const conversion *m, const int32_t low[3], int32_t side)
{
    const double h = m->water->voxel, half = 0.5 * SP_TILE * side * h,
                 band = (double)m->water->band;
    double p[3];
    for (int a = 0; a < 3; ++a) {
        p[a] = SP_TILE * h * (double)low[a] + half - m->origin[a];
        if (fabs(p[a]) > m->half[a] + band + half) return ALL_AIR;
    }
    if (m->open) return BOTH;
    const double d = distance_to(m, p, HUGE_VAL, NULL), clear = sqrt(3.0) * half + band;
    return d > clear ? ALL_AIR : d < -clear ? ALL_WATER : BOTH;
}

/// Halves a cube until it is all of one kind, or one tile.
static bool find_in_cube(const conversion *m, found_tiles *f, const int32_t low[3], int32_t side)
{
    const int what = classify_cube(m, low, side);
    if (what == ALL_AIR) return true;
    if (what == ALL_WATER || side == 1) return add_cube(f, low, side);
    const int32_t half = side / 2;
    for (int n = 0; n < 8; ++n) {
        int32_t corner[3];
        for (int a = 0; a < 3; ++a)
            corner[a] = low[a] + (n >> a & 1 ? half : 0);
        if (!find_in_cube(m, f, corner, half)) return false;
    }
    return true;
}

/// Finds every tile that the water or the band around its surface touches.
static sp_status cover(const conversion *m, sp_error *err)
{
    sp_import_water *w = m->water;
    const double tile = SP_TILE * w->voxel, band = (double)w->band;
    found_tiles f = {.host = w->host};
    int32_t low[3], side = 1;
    for (int a = 0; a < 3; ++a) {
        const double from = floor((m->origin[a] - m->half[a] - band) / tile),
                     to = floor((m->origin[a] + m->half[a] + band) / tile);
        if (!(fabs(from) < SP_TILES_REACH / 2 && fabs(to) < SP_TILES_REACH / 2))
            return sp_fail(
                err, SP_BAD_INPUT,
                "the mesh reaches to %g m, which is too far for voxels of %g m; expected "
                "a larger --voxel",
                fabs(m->origin[a]) + m->half[a], w->voxel);
        low[a] = (int32_t)from;
        while (side < (int32_t)to - low[a] + 1)
            side *= 2;
    }
    const sp_status status = find_in_cube(m, &f, low, side)
                                 ? sp_tiles_open(&w->tiles, w->host, (float)w->voxel,
                                                 (const int32_t(*)[3])f.at, f.count, err)
                                 : import_no_memory(err, f.count);
    sp_release(w->host, f.at);
    return status;
}

/// ---- Distances ---------------------------------------------------------------------------------

static sp_status make_surface(const conversion *m, sp_error *err)
{
    sp_import_water *w = m->water;
    double origin[3];
    for (int a = 0; a < 3; ++a)
        origin[a] = w->origin[a] - m->origin[a];
    SP_TRY(m->bvh ? cover(m, err)
                  : sp_tiles_open(&w->tiles, w->host, (float)w->voxel, NULL, 0, err));
    w->phi = sp_tiles_field(&w->tiles, w->band);
    if (!w->phi) return import_no_memory(err, w->tiles.count);
    if (!m->bvh) return SP_OK; // a frame without water
    const sp_levelset_source source = {.what = m, .distance = distance_to, .every_voxel = m->open};
    sp_levelset_from_distance(&source, &w->tiles, origin, w->band, w->phi);
    if (!m->open) return SP_OK;
    // across a hole the sign changes although the mesh is far away
    SP_TRY(sp_levelset_redistance(&w->tiles, w->phi, w->band, err));
    return import_drop_air(w, err);
}

/// ---- Velocity ----------------------------------------------------------------------------------

static void sample_velocity(void *arg, size_t begin, size_t end)
{
    const conversion *m = arg;
    sp_import_water *w = m->water;
    for (size_t v = begin * SP_TILE_VOXELS; v < end * SP_TILE_VOXELS; ++v) {
        if (!(fabsf(w->phi[v]) < w->band)) continue;
        double at[3];
        import_voxel_at(&w->tiles, v, at);
        for (int a = 0; a < 3; ++a) {
            double p[3], velocity[3];
            for (int k = 0; k < 3; ++k)
                p[k] = w->origin[k] - m->origin[k] + (at[k] + (k == a ? 0.0 : 0.5)) * w->voxel;
            if (!sp_mesh_velocity_near(m->mesh, m->bvh, p, (double)w->band, velocity)) continue;
            w->u[a][v] = (float)velocity[a];
            sp_tile_mask_add(m->known[a][v / SP_TILE_VOXELS], (int)(v % SP_TILE_VOXELS));
        }
    }
}

static int count_unknown(const conversion *m, size_t tile)
{
    int count = 0;
    for (int a = 0; a < 3; ++a)
        for (int k = 0; k < SP_TILE; ++k)
            count += __builtin_popcountll(~m->known[a][tile][k]);
    return count;
}

/// Extrapolates by one tile's width at a time until nothing is left to fill or nothing can be
/// reached.
static sp_status extrapolate_inward(const conversion *m, sp_error *err)
{
    const sp_import_water *w = m->water;
    float *const u[3] = {w->u[0], w->u[1], w->u[2]};
    for (size_t before = SIZE_MAX;;) {
        size_t left = 0;
        for (size_t t = 0; t < w->tiles.count; ++t) {
            const int unknown = count_unknown(m, t);
            w->known[t] = unknown == 0;
            left += (size_t)unknown;
        }
        if (left == 0 || left == before) return SP_OK;
        before = left;
        SP_TRY(sp_tiles_extrapolate_faces(&w->tiles, u, m->known, SP_TILE, err));
    }
}

static sp_status make_velocity(conversion *m, bool wanted, sp_error *err)
{
    sp_import_water *w = m->water;
    sp_status status = import_velocity_memory(w, m->known, err);
    if (status == SP_OK && wanted) {
        sp_tiles_parallel(&w->tiles, sample_velocity, m);
        status = extrapolate_inward(m, err);
    }
    for (size_t t = 0; status == SP_OK && !wanted && t < w->tiles.count; ++t)
        w->known[t] = true; // known to be zero: the user said --velocity none
    for (int a = 0; a < 3; ++a)
        sp_release(w->host, m->known[a]);
    if (status == SP_OK) import_measure_speed(w);
    return status;
}

/// ---- One sample --------------------------------------------------------------------------------

/// Warns once for a sequence that the inside of an open mesh is uncertain.
static void warn_open(sp_import *im, const import_file *f, size_t edges)
{
    if (im->found.open) return;
    im->found.open = true;
    sp_log(im->host, SP_LOG_WARNING,
           "%s has %zu edges that are open or whose triangles face opposite ways: its water is "
           "where the winding number exceeds one half, which is a guess near them",
           f->path, edges);
}

static void measure_half(const sp_mesh *mesh, double half[3])
{
    for (size_t i = 0; i < mesh->vertex_count; ++i)
        for (int a = 0; a < 3; ++a)
            half[a] = fmax(half[a], fabs((double)mesh->x[i][a]));
}

static sp_status make_water(sp_import *im, const import_file *f, const sp_mesh *mesh, conversion *m,
                            sp_error *err)
{
    if (mesh->triangle_count > 0) {
        size_t bad_edges;
        m->mesh = mesh;
        memcpy(m->origin, mesh->origin, sizeof m->origin);
        measure_half(mesh, m->half);
        SP_TRY(sp_mesh_count_bad_edges(mesh, &bad_edges, err));
        m->open = bad_edges > 0;
        if (m->open) warn_open(im, f, bad_edges);
        SP_TRY(sp_bvh_open(mesh, im->host, &m->bvh, err));
    }
    sp_status status = make_surface(m, err);
    if (status == SP_OK) status = make_velocity(m, im->plan.velocity[0][0] != '\0', err);
    sp_bvh_close(m->bvh);
    return status;
}

sp_status import_mesh_read(sp_import *im, const import_file *f, sp_import_water *water,
                           sp_error *err)
{
    sp_mesh mesh;
    conversion m = {.water = water};
    water->voxel = im->plan.voxel;
    water->band = (float)(BAND * water->voxel);
    SP_TRY(import_mesh_load(im, f, &mesh, err));
    const sp_status status = make_water(im, f, &mesh, &m, err);
    sp_mesh_close(&mesh);
    return status;
}

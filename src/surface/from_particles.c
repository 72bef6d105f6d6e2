// SPDX-License-Identifier: Apache-2.0
/// A mesh from particles: sort, find ellipsoids, rasterise, redistance, smooth, clip, mesh.
#include "surface/internal.h"

#include <string.h>

static const float band_voxels = 3.0f;   // half width of the narrow band
static const float sphere_share = 1.02f; // times half a lattice diagonal: no holes in the bulk

enum { STAGE_SHAPES, STAGE_RASTER, STAGE_REDISTANCE, STAGE_CUBES, STAGE_SMOOTHING, STAGE_ALL };

sp_surface_def sp_surface_defaults(void)
{
    return (sp_surface_def){
        .struct_size = sizeof(sp_surface_def),
        .method = SP_SURFACE_ELLIPSOIDS,
        .refine = 2,
        .search = 2.5f,
        .smooth_centers = 0.9f, // Yu and Turk take 0.9 to 1
        .stretch = 4.0f,        // Yu and Turk's k_r
        .isolated_scale = 0.5f, // their k_n
        .offset = NAN,
        .level_passes = 1,
    };
}

static sp_status in_range(const char *key, double value, const char *unit, double low, double high,
                          sp_error *err)
{
    if (value >= low && value <= high) return SP_OK;
    return sp_fail(err, SP_BAD_INPUT, "surface.%s: %g%s; expected %g to %g", key, value, unit, low,
                   high);
}

sp_status surface_check_def(const sp_surface_def *def, sp_error *err)
{
    SP_TRY(sp_struct_check(def->struct_size, sizeof *def, "sp_surface_defaults()", err));
    SP_TRY(in_range("method", def->method, "", 0, SP_SURFACE_ELLIPSOIDS, err));
    if (def->spacing != 0.0f)
        SP_TRY(in_range("spacing", (double)def->spacing, " m", 1e-6, 1e3, err));
    SP_TRY(in_range("refine", def->refine, "", 1, 4, err));
    SP_TRY(in_range("search", (double)def->search, " spacings", 1.5, 6, err));
    SP_TRY(in_range("smooth_centers", (double)def->smooth_centers, "", 0, 1, err));
    SP_TRY(in_range("stretch", (double)def->stretch, "", 1, 10, err));
    SP_TRY(in_range("min_neighbours", def->min_neighbours, "", 0, 200, err));
    SP_TRY(in_range("isolated_scale", (double)def->isolated_scale, "", 0.1, 1, err));
    if (!isnan(def->offset)) SP_TRY(in_range("offset", (double)def->offset, " voxels", -1, 1, err));
    SP_TRY(in_range("level_passes", def->level_passes, "", 0, 10, err));
    return in_range("mesh_passes", def->mesh_passes, "", 0, 50, err);
}

/// ---- Stages ------------------------------------------------------------------------------------

typedef struct run {
    const sp_surface_def *def;
    const sp_host *host;
    float voxel, band; ///< of the grid, m
    surface_shape shape;
    surface_points points;
    sp_cells cells;
    sp_tiles tiles;
    float *phi;
    sp_surface_stats *stats;
    double begun;
} run;

static void end_stage(run *r, int stage)
{
    const double now = sp_now(r->host);
    r->stats->seconds[stage] += now - r->begun;
    r->begun = now;
}

static void close_run(run *r)
{
    sp_release(r->host, r->phi);
    sp_tiles_close(&r->tiles);
    sp_cells_close(&r->cells);
    surface_points_close(&r->points);
}

static bool radii_vary(const surface_points *p)
{
    if (!p->r || p->n == 0) return false;
    float least = p->r[0], most = p->r[0];
    for (size_t i = 1; i < p->n; ++i) {
        least = p->r[i] < least ? p->r[i] : least;
        most = p->r[i] > most ? p->r[i] : most;
    }
    return most > 1.2f * least;
}

/// Band of the fields of spheres and of Zhu and Bridson, m.
static float lay_band(const run *r)
{
    const float offset = isnan(r->def->offset) ? 0.0f : r->def->offset;
    return r->band + fabsf(offset) * r->voxel * (float)r->def->refine;
}

static sp_status new_field(run *r, sp_error *err)
{
    r->phi = sp_tiles_field(&r->tiles, r->band);
    if (r->phi) return SP_OK;
    return sp_fail(err, SP_NO_MEMORY,
                   "surface at refine %d needs %.1f MiB for its grid of %zu tiles", r->def->refine,
                   (double)r->tiles.count * 0x1p-9, r->tiles.count);
}

static sp_status lay_spheres(run *r, sp_error *err)
{
    const surface_points *p = &r->points;
    const float radius = 0.5f * r->shape.radius;
    SP_TRY(sp_tiles_cover(&r->tiles, r->host, r->voxel, p->n, p->x, p->y, p->z, p->r,
                          lay_band(r) + r->voxel + (p->r ? 0.0f : radius), err));
    SP_TRY(new_field(r, err));
    return sp_levelset_spheres(&r->tiles, p->n, p->x, p->y, p->z, p->r, radius, lay_band(r), r->phi,
                               err);
}

static sp_status lay_zhu_bridson(run *r, sp_error *err)
{
    const surface_points *p = &r->points;
    const float support = 4.0f * r->shape.spacing;
    const float radius = 0.5f * r->shape.radius * sphere_share;
    SP_TRY(sp_tiles_cover(&r->tiles, r->host, r->voxel, p->n, p->x, p->y, p->z, NULL,
                          support + lay_band(r), err));
    SP_TRY(new_field(r, err));
    return sp_levelset_particles(&r->tiles, p->n, p->x, p->y, p->z, support, radius, lay_band(r),
                                 r->phi, err);
}

/// How far to move the surface outward, m.
static sp_status find_offset(const run *r, float *offset, sp_error *err)
{
    if (!isnan(r->def->offset)) {
        *offset = r->def->offset * r->voxel * (float)r->def->refine;
        return SP_OK;
    }
    float height = 0.0f;
    SP_TRY(surface_half_space(&r->shape, r->host, &height, err));
    *offset = 0.5f * r->shape.spacing - height; // the last layer is half a spacing deep
    return SP_OK;
}

typedef struct laying {
    surface_deep deep;
    uint8_t *wanted;
    surface_ellipsoid *all;
    size_t count;
} laying;

static sp_status shape_points(run *r, laying *l, float offset, sp_error *err)
{
    const float most = 1.5f * r->shape.radius * (r->shape.vary ? SURFACE_SCALE_MOST : 1.0f);
    // Centres move by less than 3/8 of the search, the limit for neighbours all on one side.
    const float reach = most + 0.375f * surface_max_search(&r->shape) +
                        SURFACE_RASTER_MARGIN * r->voxel + fmaxf(offset, 0.0f);
    SP_TRY(surface_points_sort(&r->points, surface_max_search(&r->shape), &r->cells, err));
    SP_TRY(surface_deep_open(&l->deep, &r->shape, &r->points, r->voxel, reach, err));
    l->wanted = sp_allocate(r->host, r->points.n, 1);
    if (!l->wanted)
        return sp_fail(err, SP_NO_MEMORY, "surface: no memory for %zu particles", r->points.n);
    surface_deep_wanted(&l->deep, &r->points, l->wanted);
    return surface_ellipsoids(&r->shape, &r->points, &r->cells, l->wanted, &l->all, &l->count, err);
}

static sp_status lay_ellipsoids(run *r, sp_error *err)
{
    float offset = 0.0f;
    laying l = {0};
    sp_status status = find_offset(r, &offset, err);
    if (status == SP_OK) status = shape_points(r, &l, offset, err);
    end_stage(r, STAGE_SHAPES);
    if (status == SP_OK)
        status = surface_raster_tiles(&r->tiles, r->host, r->voxel, l.all, l.count, &l.deep,
                                      r->band + r->voxel + fmaxf(offset, 0.0f), err);
    if (status == SP_OK) status = new_field(r, err);
    if (status == SP_OK)
        status = surface_raster(&r->tiles, l.all, l.count, &l.deep, offset, r->band, r->phi, err);
    sp_release(r->host, l.all);
    sp_release(r->host, l.wanted);
    surface_deep_close(&l.deep, r->host);
    return status;
}

static size_t band_voxel_count(const run *r)
{
    size_t n = 0;
    for (size_t v = 0; v < r->tiles.count * SP_TILE_VOXELS; ++v)
        n += fabsf(r->phi[v]) < r->band;
    return n;
}

static sp_status make_distance(run *r, sp_error *err)
{
    SP_TRY(sp_levelset_redistance(&r->tiles, r->phi, r->band, err));
    if (r->def->level_passes == 0) return SP_OK;
    SP_TRY(sp_levelset_smooth(&r->tiles, r->phi, r->band, r->def->level_passes, err));
    return sp_levelset_redistance(&r->tiles, r->phi, r->band, err);
}

/// For spheres and Zhu and Bridson the offset is 0 unless the def sets it.
static void move_outward(run *r)
{
    if (isnan(r->def->offset)) return;
    const float offset = r->def->offset * r->voxel * (float)r->def->refine;
    for (size_t v = 0; v < r->tiles.count * SP_TILE_VOXELS; ++v)
        r->phi[v] -= offset;
}

static sp_status lay(run *r, sp_error *err)
{
    if (r->def->method == SP_SURFACE_ELLIPSOIDS) return lay_ellipsoids(r, err);
    SP_TRY(r->def->method == SP_SURFACE_SPHERES ? lay_spheres(r, err) : lay_zhu_bridson(r, err));
    // The band is wide enough for the surface to move before redistancing.
    move_outward(r);
    return SP_OK;
}

static sp_status mesh_points(run *r, const sp_frame *frame, const sp_set *set, const sp_clip *clip,
                             sp_mesh *mesh, sp_error *err)
{
    SP_TRY(lay(r, err));
    end_stage(r, STAGE_RASTER);
    SP_TRY(make_distance(r, err));
    end_stage(r, STAGE_REDISTANCE);
    r->stats->tiles = r->tiles.count;
    r->stats->voxels = band_voxel_count(r);
    SP_TRY(surface_wet(&r->tiles, &r->phi, r->band, clip, frame->origin, err));
    sp_surface_clip(&r->tiles, r->phi, clip, frame->origin);
    SP_TRY(sp_surface_cubes(&r->tiles, r->phi, r->band, r->host, mesh, err));
    memcpy(mesh->origin, frame->origin, sizeof mesh->origin);
    end_stage(r, STAGE_CUBES);
    sp_release(r->host, r->phi);
    r->phi = NULL;
    SP_TRY(surface_finish(r->def, mesh, err));
    const float *velocity = sp_set_floats(set, "velocity", 3);
    if (velocity) {
        if (!r->cells.start)
            SP_TRY(surface_points_sort(&r->points, r->shape.search, &r->cells, err));
        SP_TRY(surface_carry_velocity(mesh, &r->points, &r->cells, velocity, r->shape.search, err));
    }
    end_stage(r, STAGE_SMOOTHING);
    return SP_OK;
}

sp_status surface_finish(const sp_surface_def *def, sp_mesh *mesh, sp_error *err)
{
    SP_TRY(sp_surface_taubin(mesh, def->mesh_passes, mesh->host, err));
    if (!def->components) return SP_OK;
    mesh->component = sp_allocate(mesh->host, mesh->triangle_count, sizeof *mesh->component);
    if (!mesh->component)
        return sp_fail(err, SP_NO_MEMORY, "surface: no memory for %zu triangles",
                       mesh->triangle_count);
    return surface_components(mesh, err);
}

static sp_status run_points(const sp_surface_def *def, const sp_frame *frame, const sp_set *set,
                            const uint32_t *chosen, size_t count, const sp_clip *clip,
                            const sp_host *host, sp_mesh *mesh, sp_surface_stats *stats,
                            sp_error *err)
{
    const float voxel = frame->voxel > 0.0 ? (float)frame->voxel : 2.0f * def->spacing;
    const float spacing = def->spacing > 0.0f ? def->spacing : 0.5f * voxel;
    if (!(voxel > 0.0f))
        return sp_fail(err, SP_BAD_INPUT,
                       "surface.spacing: 0 m, and the frame has no voxel to take it from");
    run r = {.def = def, .host = host, .stats = stats, .begun = sp_now(host)};
    r.voxel = voxel / (float)def->refine;
    r.band = band_voxels * r.voxel;
    r.shape = surface_shape_of(def, spacing);
    sp_status status =
        surface_points_open(&r.points, frame, set, chosen, count, r.shape.search, host, err);
    r.shape.vary = status == SP_OK && radii_vary(&r.points);
    stats->particles = r.points.n;
    if (status == SP_OK && r.points.n > 0)
        status = mesh_points(&r, frame, set, clip, mesh, err);
    else if (status == SP_OK)
        status = sp_mesh_open(mesh, host, 0, 0, SP_MESH_NORMALS, err);
    close_run(&r);
    if (status != SP_OK) sp_mesh_close(mesh);
    return status;
}

sp_status sp_surface_some(const sp_surface_def *def, const sp_frame *frame, const char *set,
                          const uint32_t *chosen, size_t count, const sp_clip *clip,
                          const sp_host *host, sp_mesh *mesh, sp_surface_stats *stats,
                          sp_error *err)
{
    *mesh = (sp_mesh){0};
    SP_TRY(surface_check_def(def, err));
    const sp_set *particles = sp_frame_set(frame, set);
    if (!particles) return sp_fail(err, SP_BAD_INPUT, "the frame has no set \"%s\"", set);
    sp_surface_stats done = {0};
    sp_budget budget;
    const sp_host counted = sp_budget_host(&budget, host, 0);
    const double begun = sp_now(host);
    const sp_status status =
        run_points(def, frame, particles, chosen, count, clip, &counted, mesh, &done, err);
    if (status == SP_OK) mesh->host = host; // blocks allocated through `counted` are the host's own
    done.seconds[STAGE_ALL] = sp_now(host) - begun;
    done.bytes = atomic_load(&budget.peak);
    if (stats) *stats = done;
    return status;
}

sp_status sp_surface_points(const sp_surface_def *def, const sp_frame *frame, const char *set,
                            const sp_clip *clip, const sp_host *host, sp_mesh *mesh,
                            sp_surface_stats *stats, sp_error *err)
{
    return sp_surface_some(def, frame, set, NULL, 0, clip, host, mesh, stats, err);
}

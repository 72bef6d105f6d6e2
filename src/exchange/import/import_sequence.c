// SPDX-License-Identifier: Apache-2.0
/// A sequence of files as water. How it is read is decided once, on a file from the middle, because
/// the first frames of most caches stand still.
#include "exchange/import/import_internal.h"

#include <stdio.h>
#include <string.h>

sp_import_options sp_import_defaults(void)
{
    return (sp_import_options){
        .struct_size = sizeof(sp_import_options), .scale = 1.0, .max_gap = 3, .last = UINT64_MAX};
}

/// ---- One sample --------------------------------------------------------------------------------

/// Reports an incomplete file by its frame, with what to do.
static sp_status incomplete(const import_file *f, sp_status status, sp_error *err)
{
    if (status != SP_DAMAGED || !err) return status;
    char why[sizeof err->text];
    const size_t skip = strncmp(err->text, f->path, strlen(f->path)) == 0 ? strlen(f->path) : 0;
    snprintf(why, sizeof why, "%s", err->text + skip + (skip ? strspn(err->text + skip, ": ") : 0));
    if (strstr(why, "not a VDB file"))
        return sp_fail(err, SP_DAMAGED, "%s is not an OpenVDB file", f->path);
    return sp_fail(err, SP_DAMAGED,
                   "frame %llu is incomplete (%s); delete %s and have it written again",
                   (unsigned long long)f->frame, why, f->path);
}

static double half_of(const sp_import_plan *plan)
{
    return plan->style == SP_IMPORT_BLENDER ? 0.5 : 0.0;
}

/// Blender's surface continues through walls and obstacles; the water ends where they begin.
static sp_status cut_solids(sp_import *im, sp_vdb_file *file, int solids, sp_import_water *water,
                            sp_error *err)
{
    if (solids == IMPORT_NONE) return SP_OK;
    import_grid grid;
    float *psi = NULL;
    SP_TRY(import_grid_open(&grid, file, solids, half_of(&im->plan), &im->plan, im->host, err));
    const sp_status status = import_numbers_read(water, &grid, water->voxel, 1e3, &psi, err);
    for (size_t v = 0; status == SP_OK && v < water->tiles.count * SP_TILE_VOXELS; ++v)
        water->phi[v] = fmaxf(water->phi[v], -psi[v]);
    sp_release(im->host, psi);
    import_grid_close(&grid);
    return status;
}

static void empty_surface(sp_import_water *water)
{
    sp_release(water->host, water->phi);
    water->phi = NULL;
    sp_tiles_close(&water->tiles);
}

static sp_status read_levelset(sp_import *im, sp_vdb_file *file, const import_choice *c,
                               const import_grid *velocity, sp_import_water *water, sp_error *err)
{
    import_grid grid;
    SP_TRY(import_grid_open(&grid, file, c->surface, half_of(&im->plan), &im->plan, im->host, err));
    sp_status status =
        import_surface_read(water, &grid, &im->plan, im->found.flip, im->found.judging, err);
    if (status == SP_OK && im->found.judging && velocity && im->plan.style != SP_IMPORT_BLENDER &&
        !im->plan.fog && import_judge_sign(water, &grid, velocity)) {
        sp_log(im->host, SP_LOG_WARNING,
               "'%s' is positive where the water moves: its sign was inverted", im->plan.surface);
        im->found.flip = true;
        empty_surface(water);
        status = import_surface_read(water, &grid, &im->plan, true, false, err);
    }
    import_grid_close(&grid);
    return status;
}

static sp_status read_surface(sp_import *im, sp_vdb_file *file, const import_choice *c,
                              const import_grid *velocity, sp_import_water *water, sp_error *err)
{
    SP_TRY(c->points != IMPORT_NONE
               ? import_points_read(water, file, c->points, &im->plan, velocity, err)
               : read_levelset(im, file, c, velocity, water, err));
    if (im->plan.style == SP_IMPORT_BLENDER && velocity) import_cut_at_walls(water, velocity);
    return cut_solids(im, file, c->solids, water, err);
}

/// Decides whether vectors lie at centres or on faces, if the file does not say.
static sp_status decide_staggering(sp_import *im, const import_grid *grids, int count,
                                   const sp_import_water *water, sp_error *err)
{
    if (count != 1 || im->plan.staggered || !im->found.judging) return SP_OK;
    import_divergence d;
    SP_TRY(import_judge_divergence(&grids[0], water, &d, err));
    im->plan.staggered = d.count > 0 && d.faces < d.centers;
    sp_log(im->host, SP_LOG_INFO,
           "'%s' does not say where its vectors lie: divergence %.3g at centres, %.3g on faces; "
           "taken as %s",
           im->plan.velocity[0], d.centers, d.faces, im->plan.staggered ? "faces" : "centres");
    return SP_OK;
}

static sp_status read_pressure(sp_import *im, sp_vdb_file *file, const import_choice *c,
                               sp_import_water *water, sp_error *err)
{
    if (c->pressure == IMPORT_NONE) return SP_OK;
    import_grid grid;
    SP_TRY(import_grid_open(&grid, file, c->pressure, 0.0, &im->plan, im->host, err));
    const sp_status status = import_numbers_read(water, &grid, 1.0, 0.0, &water->pressure, err);
    import_grid_close(&grid);
    return status;
}

static sp_status read_grids(sp_import *im, sp_vdb_file *file, const import_choice *c,
                            import_grid grids[3], sp_import_water *water, sp_error *err)
{
    for (int k = 0; k < c->parts; ++k)
        SP_TRY(import_grid_open(&grids[k], file, c->velocity[k], half_of(&im->plan), &im->plan,
                                im->host, err));
    SP_TRY(read_surface(im, file, c, c->parts ? &grids[0] : NULL, water, err));
    SP_TRY(decide_staggering(im, grids, c->parts, water, err));
    SP_TRY(import_velocity_read(water, grids, c->parts, &im->plan, err));
    return read_pressure(im, file, c, water, err);
}

static sp_status read_water(sp_import *im, const import_file *f, sp_import_water *water,
                            sp_error *err)
{
    sp_vdb_file *file;
    import_choice c;
    import_grid grids[3] = {{0}};
    if (im->plan.mesh) return import_mesh_read(im, f, water, err);
    SP_TRY(sp_vdb_file_open(f->path, im->options.threads, im->host, &file, err));
    sp_status status = import_choose(&im->plan, file, f->path, &c, err);
    if (status == SP_OK) status = read_grids(im, file, &c, grids, water, err);
    for (int k = 0; k < 3; ++k)
        import_grid_close(&grids[k]);
    sp_vdb_file_close(file);
    return status;
}

sp_status sp_import_water_read(sp_import *im, size_t k, sp_import_water *water, sp_error *err)
{
    const import_file *f = &im->files.files[k];
    *water = (sp_import_water){.host = im->host, .time = (double)f->number / im->plan.fps};
    const sp_status status = read_water(im, f, water, err);
    if (status == SP_OK) return SP_OK;
    sp_import_water_close(water);
    return incomplete(f, status, err);
}

void sp_import_water_close(sp_import_water *water)
{
    if (!water->host) return;
    sp_release(water->host, water->phi);
    for (int a = 0; a < 3; ++a)
        sp_release(water->host, water->u[a]);
    sp_release(water->host, water->known);
    sp_release(water->host, water->pressure);
    sp_tiles_close(&water->tiles);
    *water = (sp_import_water){0};
}

/// ---- The sequence ------------------------------------------------------------------------------

/// Joins the box of a file's surface or points, from its header, to that of earlier files.
static void add_box(sp_import *im, const sp_vdb_grid_info *info)
{
    const import_map ours = import_map_ours(&im->plan);
    import_map world;
    if (!info->bounded || !info->linear) return;
    memcpy(world.m, info->to_world, sizeof world.m);
    const import_map map = import_map_after(&ours, &world);
    for (int n = 0; n < 8; ++n) {
        double corner[3], p[3];
        for (int a = 0; a < 3; ++a) // one voxel more on each side, whatever whole numbers mean
            corner[a] = n >> a & 1 ? info->high[a] + 1.0 : info->low[a] - 1.0;
        import_map_apply(&map, corner, p);
        for (int a = 0; a < 3; ++a) {
            im->found.low[a] = fmin(im->found.low[a], p[a]);
            im->found.high[a] = fmax(im->found.high[a], p[a]);
        }
    }
}

/// Reads every file's header, so that a missing grid or a truncated file is reported before
/// anything is written.
static sp_status check_heads(sp_import *im, sp_error *err)
{
    for (int a = 0; a < 3; ++a) {
        im->found.low[a] = (double)INFINITY;
        im->found.high[a] = -(double)INFINITY;
    }
    for (size_t k = 0; k < im->files.count; ++k) {
        const import_file *f = &im->files.files[k];
        sp_vdb_file *file;
        import_choice c;
        sp_status status = sp_vdb_file_open(f->path, im->options.threads, im->host, &file, err);
        if (status != SP_OK) return incomplete(f, status, err);
        status = import_choose(&im->plan, file, f->path, &c, err);
        if (status == SP_OK)
            add_box(im, sp_vdb_file_look(file, (size_t)(c.surface >= 0 ? c.surface : c.points)));
        sp_vdb_file_close(file);
        SP_TRY(status);
    }
    return SP_OK;
}

/// Logs the unused grids of the file that decided the plan.
static sp_status log_unused_grids(const sp_import *im, const sp_vdb_file *file, const char *path,
                                  sp_error *err)
{
    import_choice c;
    char names[400];
    SP_TRY(import_choose(&im->plan, file, path, &c, err));
    import_list_ignored(file, &c, names, sizeof names);
    if (names[0]) sp_log(im->host, SP_LOG_INFO, "ignored: %s", names);
    return SP_OK;
}

sp_status import_plan_pace(sp_import *im, double fps, sp_error *err)
{
    if (!(fps > 0.0 && fps <= 1e6))
        return sp_fail(err, SP_BAD_INPUT, "fps: %g; expected above 0 and at most 1000000", fps);
    im->plan.per_frame = im->files.per_frame;
    im->plan.fps = fps * (double)im->files.per_frame;
    im->plan.count = im->files.count;
    return SP_OK;
}

/// Makes the plan from file k, and gets the frames per second stored in it.
static sp_status plan_from(sp_import *im, size_t k, double *fps, sp_error *err)
{
    const import_file *f = &im->files.files[k];
    sp_vdb_file *file;
    sp_status status = sp_vdb_file_open(f->path, im->options.threads, im->host, &file, err);
    if (status != SP_OK) return incomplete(f, status, err);
    status = import_plan_make(&im->plan, file, f->path, &im->options, err);
    if (status == SP_OK) status = log_unused_grids(im, file, f->path, err);
    *fps = im->options.fps;
    if (!(*fps > 0.0) && !sp_vdb_file_number(file, "fps", fps)) *fps = 24.0;
    sp_vdb_file_close(file);
    return status;
}

static sp_status make_plan(sp_import *im, sp_error *err)
{
    double fps;
    const size_t k = (im->files.count - 1) / 2;
    const sp_status status = plan_from(im, k, &fps, err);
    // What no file has is reported for the first one.
    sp_error first = {0};
    if (status == SP_BAD_INPUT && k > 0 && plan_from(im, 0, &fps, &first) == SP_BAD_INPUT && err)
        *err = first;
    SP_TRY(status);
    SP_TRY(import_plan_pace(im, fps, err));
    return check_heads(im, err);
}

/// Reads a sample from the middle and the next one, and checks that they are consistent.
static sp_status judge(sp_import *im, sp_error *err)
{
    const size_t k = (im->files.count - 1) / 2, last = im->files.count - 1;
    sp_import_water a = {0}, b = {0};
    im->found.judging = true; // keep all tiles, air too
    sp_status status = sp_import_water_read(im, k, &a, err);
    im->found.judging = false;
    if (status == SP_OK && k < last) status = sp_import_water_read(im, k + 1, &b, err);
    if (status == SP_OK) {
        im->plan.voxel = a.voxel;
        if (im->plan.fog)
            sp_log(im->host, SP_LOG_WARNING,
                   "'%s' holds densities: the surface is where they pass one half",
                   im->plan.surface);
        if (a.filled > 0.0)
            sp_log(im->host, SP_LOG_INFO,
                   "there are no points in %.0f %% of the water, deep inside: it was filled in; a "
                   "resumable cache has them",
                   100.0 * a.filled);
        import_judge_band(&a, im->host);
        if (!im->plan.mesh)
            status = import_judge_unit(&im->plan, &im->options, &a, k < last ? &b : NULL, err);
        if (status == SP_OK && k < last) import_judge_pace(&im->plan, &a, &b, im->host);
    }
    sp_import_water_close(&a);
    sp_import_water_close(&b);
    return status;
}

void sp_import_describe(const sp_import *im, char *text, size_t size)
{
    static const char *const styles[] = {"", "Houdini", "Blender", "plain", "FLIP Fluids"};
    const sp_import_plan *p = &im->plan;
    if (p->mesh) {
        snprintf(text, size, "%s files: surface from meshes, %s, %s up, voxel %g m",
                 styles[p->style],
                 p->velocity[0][0] ? "velocity of their vertices in m/s" : "no velocity",
                 p->z_up ? "z" : "y", p->voxel);
        return;
    }
    const char *sits = p->velocity[1][0] ? "" : p->staggered ? " on faces" : " at centres";
    char velocity[320];
    if (p->velocity[1][0])
        snprintf(velocity, sizeof velocity, "'%s', '%s', '%s'", p->velocity[0], p->velocity[1],
                 p->velocity[2]);
    else
        snprintf(velocity, sizeof velocity, "'%s'", p->velocity[0]);
    snprintf(text, size, "%s files: surface from %s '%s'%s, %s%s%s%s, %s up, voxel %g m",
             styles[p->style], p->surface[0] ? "grid" : "points",
             p->surface[0] ? p->surface : p->points, p->fog ? " (fog)" : "",
             p->velocity[0][0] ? "velocity " : "no velocity", p->velocity[0][0] ? velocity : "",
             p->velocity[0][0] ? sits : "",
             !p->velocity[0][0] ? ""
             : p->cells         ? " in cells per unit of 0.4 s"
                                : " in m/s",
             p->z_up ? "z" : "y", p->voxel);
}

sp_status sp_import_open(const char *const *paths, size_t count, const sp_import_options *options,
                         const sp_host *host, sp_import **out, sp_error *err)
{
    *out = NULL;
    SP_TRY(sp_struct_check(host->struct_size, sizeof *host, "sp_host_default()", err));
    SP_TRY(sp_struct_check(options->struct_size, sizeof *options, "sp_import_defaults()", err));
    if (!(options->scale > 0.0 && isfinite(options->scale)))
        return sp_fail(err, SP_BAD_INPUT, "scale: %g; expected above 0", options->scale);
    sp_import *im = sp_allocate(host, 1, sizeof *im);
    if (!im) return sp_fail(err, SP_NO_MEMORY, "import: no memory to begin");
    im->host = host;
    im->options = *options;
    sp_status status = import_sequence_list(&im->files, paths, count, options, host, err);
    const bool mesh = status == SP_OK && import_is_mesh(&im->files);
    if (status == SP_OK && !mesh) import_skip_files(im);
    if (status == SP_OK) status = import_sequence_number(&im->files, options->max_gap, err);
    if (status == SP_OK && !mesh && options->voxel > 0.0)
        status =
            sp_fail(err, SP_BAD_INPUT, "--voxel %g: grids have voxels of their own; leave it out",
                    options->voxel);
    if (status == SP_OK) status = mesh ? import_mesh_plan(im, err) : make_plan(im, err);
    if (status == SP_OK) status = judge(im, err);
    im->options.surface = im->options.velocity = NULL; // the caller owns the texts
    if (status == SP_OK) {
        char text[500];
        sp_import_describe(im, text, sizeof text);
        sp_log(host, SP_LOG_INFO, "%s", text);
        *out = im;
    } else {
        sp_import_close(im);
    }
    return status;
}

void sp_import_close(sp_import *im)
{
    if (!im) return;
    import_frame_forget(im);
    import_sequence_close(&im->files);
    sp_release(im->host, im);
}

const sp_import_plan *sp_import_get_plan(const sp_import *im)
{
    return &im->plan;
}

uint64_t sp_import_number(const sp_import *im, size_t k)
{
    return k < im->files.count ? im->files.files[k].number : UINT64_MAX;
}

const char *sp_import_path(const sp_import *im, size_t k)
{
    return k < im->files.count ? im->files.files[k].path : NULL;
}

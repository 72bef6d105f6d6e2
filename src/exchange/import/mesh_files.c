// SPDX-License-Identifier: Apache-2.0
/// Water meshes and the files beside them. For frame 12 the FLIP Fluids add-on writes:
///
///     000012.bobj          the surface
///     velocity000012.bobj  a vector for each vertex, m/s; optional
///     bounds000012.bbox    JSON; "dx" is the edge of a voxel
///
/// A PLY contains the velocity itself and has no voxel size.
#include "exchange/import/import_internal.h"
#include "mesh/mesh.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#define STILL "; with --velocity none only foam on a still surface is possible"

static const char *ending_of(const char *path)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
    return dot ? dot : "";
}

static bool is_bobj(const char *path)
{
    return strcasecmp(ending_of(path), ".bobj") == 0;
}

bool import_is_mesh(const import_sequence *q)
{
    for (size_t i = 0; i < q->count; ++i)
        if (is_bobj(q->files[i].path) || strcasecmp(ending_of(q->files[i].path), ".ply") == 0)
            return true;
    return false;
}

/// ---- Velocity ----------------------------------------------------------------------------------

/// Another file of the same frame: dir/PREFIXname.ENDING.
static sp_status name_beside(const char *path, const char *prefix, const char *ending, char *out,
                             size_t size, sp_error *err)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const int n = snprintf(out, size, "%.*s%s%.*s%s", (int)(name - path), path, prefix,
                           (int)(ending_of(path) - name), name, ending);
    if (n >= 0 && (size_t)n < size) return SP_OK;
    return sp_fail(err, SP_BAD_INPUT, "%s: its name is too long", path);
}

static sp_status read_vectors(const import_file *f, sp_mesh *mesh, sp_error *err)
{
    char path[4096];
    struct stat what;
    sp_mesh vectors;
    SP_TRY(name_beside(f->path, "velocity", ".bobj", path, sizeof path, err));
    if (stat(path, &what) != 0 && errno == ENOENT)
        return sp_fail(err, SP_BAD_INPUT,
                       "%s: there is no %s, so its velocity is not known; tick Generate Velocity "
                       "Attributes for the surface in FLIP Fluids and bake again" STILL,
                       f->path, path);
    SP_TRY(sp_mesh_read_water(path, mesh->host, &vectors, err));
    const size_t count = vectors.vertex_count;
    if (count == mesh->vertex_count) {
        mesh->v = vectors.x;
        vectors.x = NULL;
    }
    sp_mesh_close(&vectors);
    if (mesh->v) return SP_OK;
    return sp_fail(err, SP_BAD_INPUT,
                   "%s holds %zu vectors for the %zu vertices of %s; expected one for each: bake "
                   "frame %llu again",
                   path, count, mesh->vertex_count, f->path, (unsigned long long)f->frame);
}

static sp_status find_velocity(const import_file *f, sp_mesh *mesh, sp_error *err)
{
    if (mesh->v || mesh->vertex_count == 0) return SP_OK;
    if (is_bobj(f->path)) return read_vectors(f, mesh, err);
    return sp_fail(err, SP_BAD_INPUT,
                   "%s: its vertices have no velocity; expected vx vy vz or velocity_x velocity_y "
                   "velocity_z among their properties" STILL,
                   f->path);
}

/// ---- Conversion of a mesh ----------------------------------------------------------------------

static void turn_vectors(const import_map *map, float (*v)[3], size_t n, const double origin[3])
{
    for (size_t i = 0; i < n; ++i) {
        const double from[3] = {(double)v[i][0], (double)v[i][1], (double)v[i][2]};
        double to[3];
        import_map_apply(map, from, to);
        for (int k = 0; k < 3; ++k)
            v[i][k] = (float)(to[k] - origin[k]);
    }
}

/// Moves vertices to be relative to the centre of their box, where floats are most precise.
static void set_middle(const import_map *map, sp_mesh *mesh)
{
    double low[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, high[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    for (size_t i = 0; i < mesh->vertex_count; ++i) {
        const double x[3] = {(double)mesh->x[i][0], (double)mesh->x[i][1], (double)mesh->x[i][2]};
        double p[3];
        import_map_apply(map, x, p);
        for (int k = 0; k < 3; ++k) {
            low[k] = fmin(low[k], p[k]);
            high[k] = fmax(high[k], p[k]);
        }
    }
    for (int k = 0; k < 3 && mesh->vertex_count > 0; ++k)
        mesh->origin[k] = 0.5 * (low[k] + high[k]);
}

sp_status import_mesh_load(const sp_import *im, const import_file *f, sp_mesh *mesh, sp_error *err)
{
    static const double nowhere[3];
    const import_map ours = import_map_ours(&im->plan);
    SP_TRY(sp_mesh_read_water(f->path, im->host, mesh, err));
    if (im->plan.velocity[0][0]) {
        const sp_status status = find_velocity(f, mesh, err);
        if (status != SP_OK) {
            sp_mesh_close(mesh);
            return status;
        }
    }
    set_middle(&ours, mesh);
    turn_vectors(&ours, mesh->x, mesh->vertex_count, mesh->origin);
    if (mesh->v) turn_vectors(&ours, mesh->v, mesh->vertex_count, nowhere);
    sp_mesh_face_outward(mesh); // programs disagree on the orientation of triangles
    return SP_OK;
}

/// ---- Voxels ------------------------------------------------------------------------------------

/// "dx" of a bounds file; 0 if there is none.
static double read_dx(const char *path)
{
    char text[4096];
    double dx = 0.0;
    size_t count;
    uint64_t size;
    if (sp_file_read_head(path, text, sizeof text - 1, &count, &size, NULL) != SP_OK) return 0.0;
    text[count] = '\0';
    const char *key = strstr(text, "\"dx\"");
    if (!key || sscanf(key + 4, " : %lf", &dx) != 1) return 0.0;
    return dx > 0.0 && isfinite(dx) ? dx : 0.0;
}

static sp_status find_voxel(sp_import *im, sp_error *err)
{
    char path[4096];
    im->plan.voxel = im->options.voxel;
    if (im->plan.voxel > 0.0) return SP_OK;
    if (im->plan.style != SP_IMPORT_FLIP)
        return sp_fail(err, SP_BAD_INPUT,
                       "%s: a PLY does not tell how wide voxels are to be; give --voxel H, in m",
                       im->files.files[0].path);
    for (size_t k = im->files.count; k-- > 0;) {
        SP_TRY(name_beside(im->files.files[k].path, "bounds", ".bbox", path, sizeof path, err));
        im->plan.voxel = im->plan.scale * read_dx(path);
        if (im->plan.voxel > 0.0) return SP_OK;
    }
    return sp_fail(err, SP_BAD_INPUT,
                   "%s does not tell how wide voxels are (\"dx\"); give --voxel H, in m", path);
}

/// The size of the largest mesh.
typedef struct extent {
    double side, area, volume; ///< m, m2, m3; each is the maximum over all meshes
} extent;

enum { MOST_TILES = 1 << 24 };

/// Estimate: the water, and a shell two tiles thick around its surface.
static double count_tiles(const extent *e, double voxel)
{
    const double tile = SP_TILE * voxel;
    return e->volume / (tile * tile * tile) + 2.0 * e->area / (tile * tile);
}

/// Whether there is memory for two samples: distance, velocity, and the frame that is written.
static bool have_room(const sp_host *host, double tiles)
{
    const double bytes = 2.0 * tiles * SP_TILE_VOXELS * 7 * sizeof(float);
    return tiles < MOST_TILES && sp_memory_fits(host, (size_t)bytes);
}

static sp_status check_voxel(const sp_import *im, const extent *e, sp_error *err)
{
    const double h = im->plan.voxel, tiles = count_tiles(e, h);
    if (e->side < 4.0 * h)
        return sp_fail(err, SP_BAD_INPUT,
                       "voxels of %g m: the water is %.3g m wide, less than four of them; expected "
                       "--voxel %.2g or less",
                       h, e->side, 0.95 * e->side / 4.0);
    double least = h;
    while (!have_room(im->host, count_tiles(e, least)) && least < e->side)
        least *= 1.05;
    if (least == h) return SP_OK;
    return sp_fail(err, SP_BAD_INPUT,
                   "voxels of %g m: the water would take about %.3g tiles of 8x8x8 of them; "
                   "expected --voxel %.2g or more, or more --memory",
                   h, tiles, 1.06 * least);
}

/// ---- The sequence ------------------------------------------------------------------------------

/// Options about grids do not apply to meshes, and all files must be of one kind.
static sp_status check_options(const sp_import *im, sp_error *err)
{
    const sp_import_options *o = &im->options;
    const import_file *files = im->files.files;
    for (size_t k = 1; k < im->files.count; ++k)
        if (strcasecmp(ending_of(files[k].path), ending_of(files[0].path)) != 0)
            return sp_fail(
                err, SP_BAD_INPUT, "%s and %s are not of one kind; import %s files or %s files",
                files[0].path, files[k].path, ending_of(files[0].path), ending_of(files[k].path));
    if (o->surface)
        return sp_fail(err, SP_BAD_INPUT, "--surface %s: meshes hold no grids; leave it out",
                       o->surface);
    if (o->velocity && strcmp(o->velocity, "none") != 0)
        return sp_fail(err, SP_BAD_INPUT,
                       "--velocity %s: meshes hold no grids; expected none, or leave it out",
                       o->velocity);
    if (o->fog) return sp_fail(err, SP_BAD_INPUT, "--fog: meshes hold no grids; leave it out");
    if (o->unit == SP_IMPORT_UNIT_CELL)
        return sp_fail(err, SP_BAD_INPUT,
                       "--velocity-unit cells/unit: meshes have no cells; expected m/s");
    return SP_OK;
}

/// Reads all meshes: errors of the last one are reported before the first is written.
static sp_status read_all(sp_import *im, extent *e, sp_error *err)
{
    for (int a = 0; a < 3; ++a) {
        im->found.low[a] = HUGE_VAL;
        im->found.high[a] = -HUGE_VAL;
    }
    for (size_t k = 0; k < im->files.count; ++k) {
        sp_mesh mesh;
        SP_TRY(import_mesh_load(im, &im->files.files[k], &mesh, err));
        for (size_t i = 0; i < mesh.vertex_count; ++i)
            for (int a = 0; a < 3; ++a) {
                const double x = (double)mesh.x[i][a];
                e->side = fmax(e->side, 2.0 * fabs(x));
                im->found.low[a] = fmin(im->found.low[a], mesh.origin[a] + x);
                im->found.high[a] = fmax(im->found.high[a], mesh.origin[a] + x);
            }
        e->area = fmax(e->area, sp_mesh_area(&mesh));
        e->volume = fmax(e->volume, sp_mesh_volume(&mesh));
        sp_mesh_close(&mesh);
    }
    if (e->side > 0.0) return SP_OK;
    return sp_fail(err, SP_BAD_INPUT, "%s%s", im->files.files[0].path,
                   im->files.count > 1 ? " and all after it hold no water" : " holds no water");
}

sp_status import_mesh_plan(sp_import *im, sp_error *err)
{
    const sp_import_options *o = &im->options;
    sp_import_plan *p = &im->plan;
    extent e = {0};
    SP_TRY(check_options(im, err));
    *p = (sp_import_plan){.mesh = true, .style = o->style, .scale = o->scale};
    if (is_bobj(im->files.files[0].path)) p->style = SP_IMPORT_FLIP;
    if (p->style == SP_IMPORT_AUTO) p->style = SP_IMPORT_PLAIN;
    const bool blender = p->style == SP_IMPORT_FLIP || p->style == SP_IMPORT_BLENDER;
    p->z_up = o->up == SP_IMPORT_UP_Z || (o->up == SP_IMPORT_UP_AUTO && blender);
    strcpy(p->surface, "mesh");
    if (!o->velocity) strcpy(p->velocity[0], "vertices");
    SP_TRY(import_plan_pace(im, o->fps > 0.0 ? o->fps : 24.0, err));
    SP_TRY(find_voxel(im, err));
    SP_TRY(read_all(im, &e, err));
    SP_TRY(check_voxel(im, &e, err));
    if (p->velocity[0][0])
        sp_log(
            im->host, SP_LOG_INFO,
            "velocity is known at the surface only and was continued inward: what the water does "
            "deep inside is a guess");
    return SP_OK;
}

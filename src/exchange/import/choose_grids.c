// SPDX-License-Identifier: Apache-2.0
/// Chooses the grids of a file that are the water, by the conventions of the program that wrote it.
/// If none fit, the error lists all grids found.
#include "exchange/import/import_internal.h"

#include <stdio.h>
#include <string.h>

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool is_chosen(const import_choice *c, int grid)
{
    return grid == c->surface || grid == c->points || grid == c->velocity[0] ||
           grid == c->velocity[1] || grid == c->velocity[2] || grid == c->pressure ||
           grid == c->solids;
}

/// With NULL for `chosen` all grids, or "none".
void import_list_ignored(const sp_vdb_file *file, const import_choice *chosen, char *text,
                         size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < sp_vdb_file_count(file) && used + 1 < size; ++i) {
        if (chosen && is_chosen(chosen, (int)i)) continue;
        const sp_vdb_grid_info *g = sp_vdb_file_look(file, i);
        const char *kind = g->kind == SP_VDB_POINTS      ? "points"
                           : g->kind == SP_VDB_OTHER     ? g->type
                           : g->kind == SP_VDB_VECTORS   ? g->staggered ? "staggered vec3" : "vec3"
                           : g->what == SP_VDB_LEVEL_SET ? "level set"
                           : g->what == SP_VDB_FOG       ? "fog"
                                                         : "float";
        const int n =
            snprintf(text + used, size - used, "%s%s (%s)", used ? ", " : "", g->name, kind);
        used += n > 0 ? (size_t)n : 0;
    }
    if (!text[0] && !chosen) snprintf(text, size, "none");
}

static sp_status no_surface(const sp_vdb_file *file, const char *path, const char *wanted,
                            sp_error *err)
{
    char grids[600];
    import_list_ignored(file, NULL, grids, sizeof grids);
    return sp_fail(err, SP_BAD_INPUT,
                   "%s has no %s%s%s; grids found: %s. Name one with --surface or use --fog",
                   base_name(path), wanted ? "surface '" : "level set", wanted ? wanted : "",
                   wanted ? "'" : "", grids);
}

static sp_status no_velocity(const sp_vdb_file *file, const char *path, const char *wanted,
                             sp_error *err)
{
    char grids[600];
    import_list_ignored(file, NULL, grids, sizeof grids);
    const bool named = wanted && wanted[0];
    return sp_fail(err, SP_BAD_INPUT,
                   "%s: no velocity grid %s%s%sfound; bubbles need one. Grids: %s. With --velocity "
                   "none only foam on a still surface is possible",
                   base_name(path), named ? "'" : "", named ? wanted : "", named ? "' " : "",
                   grids);
}

/// ---- Finding -----------------------------------------------------------------------------------

static int find(const sp_vdb_file *file, const char *name, sp_vdb_kind kind)
{
    for (size_t i = 0; i < sp_vdb_file_count(file); ++i) {
        const sp_vdb_grid_info *g = sp_vdb_file_look(file, i);
        if (g->kind == kind && strcmp(g->name, name) == 0) return (int)i;
    }
    return IMPORT_NONE;
}

static int find_any(const sp_vdb_file *file, const char *const *names, sp_vdb_kind kind)
{
    int found = IMPORT_NONE;
    for (; found == IMPORT_NONE && *names; ++names)
        found = find(file, *names, kind);
    return found;
}

/// stem.x, stem.y, stem.z; stem_x ...; stemx ...
static bool find_three(const sp_vdb_file *file, const char *stem, int three[3])
{
    static const char *const between[] = {".", "_", ""};
    for (size_t b = 0; b < sizeof between / sizeof *between; ++b) {
        bool all = true;
        for (int c = 0; c < 3; ++c) {
            char name[100];
            snprintf(name, sizeof name, "%.80s%s%c", stem, between[b], "xyz"[c]);
            three[c] = find(file, name, SP_VDB_NUMBERS);
            all = all && three[c] != IMPORT_NONE;
        }
        if (all) return true;
    }
    return false;
}

/// Level sets of obstacles and sources, not of the water.
static bool is_solid(const char *name)
{
    static const char *const parts[] = {"coll", "obst", "solid", "inflow", "outflow", "phi_out"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i)
        if (strstr(name, parts[i])) return true;
    return false;
}

static int find_surface(const sp_vdb_file *file, bool fog)
{
    static const char *const names[] = {"surface", "phi", "sdf", "liquid", "levelset", NULL};
    int found = find_any(file, names, SP_VDB_NUMBERS);
    if (found != IMPORT_NONE && (fog || sp_vdb_file_look(file, (size_t)found)->what != SP_VDB_FOG))
        return found;
    for (size_t i = 0; i < sp_vdb_file_count(file); ++i) {
        const sp_vdb_grid_info *g = sp_vdb_file_look(file, i);
        if (g->kind != SP_VDB_NUMBERS || is_solid(g->name)) continue;
        if (g->what == SP_VDB_LEVEL_SET) return (int)i;
    }
    for (size_t i = 0; fog && i < sp_vdb_file_count(file); ++i)
        if (sp_vdb_file_look(file, i)->what == SP_VDB_FOG) return (int)i;
    return IMPORT_NONE;
}

static void find_velocity(const sp_vdb_file *file, int out[3], int *parts)
{
    static const char *const names[] = {"vel", "v", "velocity", "u", NULL};
    out[0] = find_any(file, names, SP_VDB_VECTORS);
    *parts = out[0] != IMPORT_NONE;
    for (const char *const *stem = names; *parts == 0 && *stem; ++stem)
        if (find_three(file, *stem, out)) *parts = 3;
}

/// ---- Conventions -------------------------------------------------------------------------------

static bool looks_like_blender(const sp_vdb_file *file)
{
    const int velocity = find(file, "velocity", SP_VDB_VECTORS);
    return velocity != IMPORT_NONE && sp_vdb_file_look(file, (size_t)velocity)->staggered &&
           (find(file, "particles", SP_VDB_POINTS) != IMPORT_NONE ||
            find(file, "phi", SP_VDB_NUMBERS) != IMPORT_NONE);
}

static bool looks_like_houdini(const sp_vdb_file *file)
{
    int three[3];
    return find(file, "surface", SP_VDB_NUMBERS) != IMPORT_NONE &&
           (find(file, "vel", SP_VDB_VECTORS) != IMPORT_NONE || find_three(file, "vel", three));
}

static void copy_name(char to[80], const sp_vdb_file *file, int grid)
{
    snprintf(to, 80, "%s", sp_vdb_file_look(file, (size_t)grid)->name);
}

static sp_status plan_surface(sp_import_plan *plan, const sp_vdb_file *file, const char *path,
                              const sp_import_options *o, sp_error *err)
{
    int surface = o->surface ? find(file, o->surface, SP_VDB_NUMBERS) : IMPORT_NONE;
    const int named_points = o->surface ? find(file, o->surface, SP_VDB_POINTS) : IMPORT_NONE;
    if (named_points != IMPORT_NONE) {
        copy_name(plan->points, file, named_points);
        return SP_OK;
    }
    if (o->surface && surface == IMPORT_NONE) return no_surface(file, path, o->surface, err);
    if (!o->surface && plan->style == SP_IMPORT_BLENDER) {
        surface = find(file, "phi", SP_VDB_NUMBERS);
        const int points = find(file, "particles", SP_VDB_POINTS);
        if (surface == IMPORT_NONE && points != IMPORT_NONE) {
            copy_name(plan->points, file, points);
            return SP_OK;
        }
    }
    if (!o->surface && surface == IMPORT_NONE) surface = find_surface(file, o->fog);
    if (surface == IMPORT_NONE) return no_surface(file, path, NULL, err);
    copy_name(plan->surface, file, surface);
    plan->fog = o->fog || sp_vdb_file_look(file, (size_t)surface)->what == SP_VDB_FOG;
    return SP_OK;
}

static sp_status plan_velocity(sp_import_plan *plan, const sp_vdb_file *file, const char *path,
                               const sp_import_options *o, sp_error *err)
{
    int grids[3], parts = 0;
    if (o->velocity && strcmp(o->velocity, "none") == 0) return SP_OK;
    if (o->velocity) {
        grids[0] = find(file, o->velocity, SP_VDB_VECTORS);
        parts = grids[0] != IMPORT_NONE ? 1 : find_three(file, o->velocity, grids) ? 3 : 0;
    } else {
        find_velocity(file, grids, &parts);
    }
    if (parts == 0) return no_velocity(file, path, o->velocity, err);
    for (int c = 0; c < parts; ++c)
        copy_name(plan->velocity[c], file, grids[c]);
    plan->staggered = parts == 1 && sp_vdb_file_look(file, (size_t)grids[0])->staggered;
    return SP_OK;
}

sp_status import_plan_make(sp_import_plan *plan, const sp_vdb_file *file, const char *path,
                           const sp_import_options *o, sp_error *err)
{
    *plan = (sp_import_plan){.style = o->style, .scale = o->scale};
    if (plan->style == SP_IMPORT_AUTO)
        plan->style = looks_like_blender(file)   ? SP_IMPORT_BLENDER
                      : looks_like_houdini(file) ? SP_IMPORT_HOUDINI
                                                 : SP_IMPORT_PLAIN;
    const bool blender = plan->style == SP_IMPORT_BLENDER;
    plan->z_up = o->up == SP_IMPORT_UP_Z || (o->up == SP_IMPORT_UP_AUTO && blender);
    plan->cells = o->unit == SP_IMPORT_UNIT_CELL || (o->unit == SP_IMPORT_UNIT_AUTO && blender);
    SP_TRY(plan_surface(plan, file, path, o, err));
    return plan_velocity(plan, file, path, o, err);
}

sp_status import_choose(const sp_import_plan *plan, const sp_vdb_file *file, const char *path,
                        import_choice *choice, sp_error *err)
{
    *choice = (import_choice){.surface = IMPORT_NONE,
                              .points = IMPORT_NONE,
                              .velocity = {IMPORT_NONE, IMPORT_NONE, IMPORT_NONE},
                              .pressure = IMPORT_NONE,
                              .solids = IMPORT_NONE};
    if (plan->surface[0]) choice->surface = find(file, plan->surface, SP_VDB_NUMBERS);
    if (plan->points[0]) choice->points = find(file, plan->points, SP_VDB_POINTS);
    if (choice->surface == IMPORT_NONE && choice->points == IMPORT_NONE)
        return no_surface(file, path, plan->surface[0] ? plan->surface : plan->points, err);
    const bool three = plan->velocity[1][0] != '\0';
    const int wanted = three ? 3 : plan->velocity[0][0] ? 1 : 0;
    for (; choice->parts < wanted; ++choice->parts) {
        const char *name = plan->velocity[choice->parts];
        const int grid = find(file, name, three ? SP_VDB_NUMBERS : SP_VDB_VECTORS);
        if (grid == IMPORT_NONE) return no_velocity(file, path, name, err);
        choice->velocity[choice->parts] = grid;
    }
    // Blender's pressure has a unit of its own that is not in the file
    if (plan->style == SP_IMPORT_BLENDER)
        choice->solids = find(file, "phi_obstacle", SP_VDB_NUMBERS);
    else
        choice->pressure = find(file, "pressure", SP_VDB_NUMBERS);
    return SP_OK;
}

// SPDX-License-Identifier: Apache-2.0
/// Checks a scene before anything is allocated, and lays the grid around its domain.
#include "bubbles/sources/sizes.h"

#include <stdio.h>

#define NEVER 1e9f // s; as in keys.c

/// ---- The grid around the domain ----------------------------------------------------------------

static bool is_periodic(const sp_bubbles_def *def, int axis)
{
    const bool periodic[3] = {def->periodic_x, def->periodic_y, def->periodic_z};
    return periodic[axis];
}

/// Voxels along an axis; rounded if the relative distance to a whole number is below 1e-4.
static double voxels_along(const sp_bubbles_def *def, const sp_domain_def *domain, int axis)
{
    const double extent = (double)domain->max[axis] - (double)domain->min[axis];
    const double n = extent / (double)def->voxel;
    return fabs(n - round(n)) < 1e-4 * n ? round(n) : n;
}

/// Water goes on outside the domain, so there are tiles around particles at its sides: the padding,
/// and one for their faces.
void bubbles_lay_grid(bubbles_grid *g, const sp_bubbles_def *def, const sp_domain_def *domain)
{
    g->voxel = def->voxel;
    for (int a = 0; a < 3; ++a) {
        const double n = voxels_along(def, domain, a), low = (double)domain->min[a];
        const int32_t tiles = (int32_t)ceil(n / SP_TILE), beyond = def->padding + 1;
        const bool periodic = is_periodic(def, a), whole = n == round(n);
        g->origin[a] = g->domain[0][a] = low;
        g->domain[1][a] = whole ? low + n * (double)def->voxel : (double)domain->max[a];
        g->low[a] = periodic ? 0 : -beyond;
        g->high[a] = tiles - 1 + (periodic ? 0 : beyond);
        g->period[a] = periodic ? tiles : 0;
    }
}

static sp_status check_grid(const sp_bubbles_def *def, const sp_domain_def *domain, sp_error *err)
{
    const double farthest = 8.0 * (SP_TILES_REACH - 16); // tiles along an axis have 21 bits
    for (int a = 0; a < 3; ++a) {
        const double n = voxels_along(def, domain, a), whole = fmax(1.0, round(n / SP_TILE));
        if (!(n >= 2.0 && n < farthest))
            return sp_fail(err, SP_BAD_INPUT,
                           "bubbles.voxel: %g m makes %.3g voxels along %c of the domain; expected "
                           "2 to %.3g",
                           (double)def->voxel, n, "xyz"[a], farthest);
        if (is_periodic(def, a) && fmod(n, SP_TILE) != 0.0)
            return sp_fail(err, SP_BAD_INPUT,
                           "bubbles.voxel: %g m makes %g voxels along periodic %c; expected a "
                           "multiple of 8, as with %.9g m",
                           (double)def->voxel, n, "xyz"[a],
                           n * (double)def -> voxel / (whole * SP_TILE));
    }
    return SP_OK;
}

/// ---- Keys that belong together -----------------------------------------------------------------

/// The word of a key in the scene.
static const char *word(const char *key, int value)
{
    return sp_keys_find(&sp_bubbles_keys, key)->choices[value];
}

static bool is_stabilized(const sp_bubbles_def *def)
{
    return def->coupling == SP_BUBBLES_STABILIZED || def->coupling == SP_BUBBLES_STABILIZED_PAPER;
}

static sp_status check_scheme(const sp_bubbles_def *def, sp_error *err)
{
    const double most = (double)def->max_fraction; // 0: chosen when the solver opens
    if (most > 0.0 && most < 0.05)
        return sp_fail(err, SP_BAD_INPUT, "bubbles.max_fraction: %g; expected 0 or 0.05 to 1",
                       most);
    if (!is_stabilized(def) && most == 1.0)
        return sp_fail(err, SP_BAD_INPUT,
                       "bubbles.max_fraction: 1 with coupling \"%s\", which divides by the share "
                       "of water; expected less than 1, such as 0.7",
                       word("coupling", def->coupling));
    if (def->basis != SP_BUBBLES_POWER) return SP_OK;
    if (def->coupling != SP_BUBBLES_STABILIZED)
        return sp_fail(err, SP_BAD_INPUT,
                       "bubbles.coupling: \"%s\" with basis \"power\"; expected \"stabilized\"",
                       word("coupling", def->coupling));
    if (most > 0.0 && most < 1.0)
        return sp_fail(err, SP_BAD_INPUT,
                       "bubbles.max_fraction: %g with basis \"power\", which never overfills a "
                       "face; expected 1",
                       most);
    return SP_OK;
}

static sp_status check_name(const char *name, const char *path, sp_error *err)
{
    if (!name || sp_frame_name_ok(name)) return SP_OK;
    return sp_fail(err, SP_BAD_INPUT,
                   "%s.name: expected 1 to 100 bytes without slashes and control characters", path);
}

static sp_status fail_twice(const char *list, const char *name, size_t i, size_t j, sp_error *err)
{
    return sp_fail(err, SP_BAD_INPUT,
                   "bubbles.%s[%zu].name: \"%s\" is also the name of %s[%zu]; expected another",
                   list, i, name, list, j);
}

/// ---- Materials ---------------------------------------------------------------------------------

static sp_status check_materials(const sp_bubbles_def *def, sp_error *err)
{
    for (size_t i = 0; i < def->material_count; ++i) {
        const char *name = def->materials[i].name;
        char path[40];
        snprintf(path, sizeof path, "bubbles.materials[%zu]", i);
        if (!name)
            return sp_fail(err, SP_BAD_INPUT, "%s.name: missing; expected a name for emitters",
                           path);
        SP_TRY(check_name(name, path, err));
        for (size_t j = 0; j < i; ++j)
            if (strcmp(name, def->materials[j].name) == 0)
                return fail_twice("materials", name, i, j, err);
    }
    return SP_OK;
}

/// Particles that stand for places of a lattice overlap. Air and water share the space; grains push
/// each other apart at once.
static sp_status check_grains(const sp_bubbles_def *def, const sp_bubbles_emitter_def *e,
                              const char *path, sp_error *err)
{
    bool grains = !e->material && def->material_count > 0 && def->materials[0].grains;
    for (size_t i = 0; e->material && i < def->material_count; ++i)
        if (strcmp(e->material, def->materials[i].name) == 0) grains = def->materials[i].grains;
    if (!grains || e->sizes == SP_BUBBLES_GIVEN || e->mode == SP_BUBBLES_RATE) return SP_OK;
    return sp_fail(err, SP_BAD_INPUT,
                   "%s.sizes: \"%s\" makes particles that overlap, and grains may not; expected "
                   "\"given\" with radii up to half the spacing, %g m",
                   path, e->sizes == SP_BUBBLES_FILL ? "fill" : "surfacing",
                   0.5 * (double)e->spacing * (double)def->voxel);
}

/// An emitter's material must be one of the list.
static sp_status check_material(const sp_bubbles_def *def, const sp_bubbles_emitter_def *e,
                                const char *path, sp_error *err)
{
    bool found = !e->material;
    char said[64];
    for (size_t i = 0; i < def->material_count && !found; ++i)
        found = strcmp(e->material, def->materials[i].name) == 0;
    if (found) return SP_OK;
    sp_clean(e->material, strlen(e->material), said, sizeof said);
    return sp_fail(err, SP_BAD_INPUT,
                   "%s.material: \"%s\"; expected the name of one of bubbles.materials", path,
                   said);
}

/// ---- Emitters ----------------------------------------------------------------------------------

static bool has_lattice(const sp_bubbles_emitter_def *e)
{
    return e->mode == SP_BUBBLES_FLOW || (e->mode == SP_BUBBLES_ONCE && !(e->fraction > 0.0f));
}

static sp_status refuse(const char *path, const char *key, const char *who, sp_error *err)
{
    return sp_fail(err, SP_BAD_INPUT, "%s.%s: only %s has one; expected none", path, key, who);
}

/// Keys that the mode needs, and those that would have no effect.
static sp_status check_mode(const sp_bubbles_emitter_def *e, const char *path, sp_error *err)
{
    const float *v = e->velocity;
    if (e->mode == SP_BUBBLES_RATE && !(e->rate > 0.0f))
        return sp_fail(err, SP_BAD_INPUT, "%s.rate: %g 1/s; mode \"rate\" needs more than 0", path,
                       (double)e->rate);
    if (e->mode == SP_BUBBLES_FLOW && v[0] == 0.0f && v[1] == 0.0f && v[2] == 0.0f)
        return sp_fail(err, SP_BAD_INPUT,
                       "%s.velocity: (0, 0, 0); mode \"flow\" needs a velocity to flow with", path);
    if (e->mode != SP_BUBBLES_RATE && e->rate > 0.0f)
        return refuse(path, "rate", "mode \"rate\"", err);
    if (e->mode != SP_BUBBLES_ONCE && e->fraction > 0.0f)
        return refuse(path, "fraction", "mode \"once\"", err);
    if (!has_lattice(e) && e->jitter > 0.0f) return refuse(path, "jitter", "a lattice", err);
    if (e->mode == SP_BUBBLES_ONCE && e->stop < NEVER)
        return sp_fail(err, SP_BAD_INPUT, "%s.stop: mode \"once\" acts once; expected none", path);
    if (e->stop > e->start) return SP_OK;
    return sp_fail(err, SP_BAD_INPUT, "%s.stop: %g s; expected later than start, %g s", path,
                   (double)e->stop, (double)e->start);
}

static sp_status check_sizes(const sp_bubbles_def *def, const sp_bubbles_emitter_def *e,
                             const char *path, sp_error *err)
{
    const bool given = e->sizes == SP_BUBBLES_GIVEN;
    if (!given && (e->radius_min > 0.0f || e->radius_max > 0.0f))
        return refuse(path, e->radius_min > 0.0f ? "radius_min" : "radius_max",
                      "an emitter with sizes \"given\"", err);
    if (given && !(e->radius_min > 0.0f))
        return sp_fail(err, SP_BAD_INPUT, "%s.radius_min: %g m; sizes \"given\" needs more than 0",
                       path, (double)e->radius_min);
    if (given && e->radius_max > 0.0f && e->radius_max < e->radius_min)
        return sp_fail(err, SP_BAD_INPUT,
                       "%s.radius_max: %g m; expected 0 or at least radius_min, %g m", path,
                       (double)e->radius_max, (double)e->radius_min);
    if (def->basis != SP_BUBBLES_POWER || !has_lattice(e)) return SP_OK;
    const double spacing = (double)e->spacing * (double)def->voxel,
                 full = bubbles_mean_volume(e, def->voxel) / (spacing * spacing * spacing);
    if (full <= 1.5) return SP_OK;
    return sp_fail(err, SP_BAD_INPUT,
                   "%s.sizes: \"%s\" fills %.3g voxels in each, and basis \"power\" has room for "
                   "one; expected \"fill\"",
                   path, given ? "given" : "surfacing", full);
}

static sp_status check_emitter(const sp_bubbles_def *def, size_t i, sp_error *err)
{
    const sp_bubbles_emitter_def *e = &def->emitters[i];
    char path[40];
    snprintf(path, sizeof path, "bubbles.emitters[%zu]", i);
    SP_TRY(check_name(e->name, path, err));
    SP_TRY(sp_source_shape_check(&e->shape, path, err));
    SP_TRY(check_mode(e, path, err));
    SP_TRY(check_sizes(def, e, path, err));
    SP_TRY(check_material(def, e, path, err));
    SP_TRY(check_grains(def, e, path, err));
    for (size_t j = 0; e->name && j < i; ++j)
        if (def->emitters[j].name && strcmp(e->name, def->emitters[j].name) == 0)
            return fail_twice("emitters", e->name, i, j, err);
    return SP_OK;
}

/// ---- Water -------------------------------------------------------------------------------------

static sp_status refuse_without_liquid(const char *path, const char *expected, sp_error *err)
{
    return sp_fail(err, SP_BAD_INPUT,
                   "%s: the water around bubbles is still and has no surface; expected %s, or "
                   "bubbles.liquid",
                   path, expected);
}

static sp_status check_still_water(const sp_setup *setup, sp_error *err)
{
    const sp_world_def *w = setup->world;
    char path[48];
    if (w->emitter_count > 0) return refuse_without_liquid("emitters", "none", err);
    if (w->sink_count > 0) return refuse_without_liquid("sinks", "none", err);
    for (size_t i = 0; i < w->collider_count; ++i) {
        snprintf(path, sizeof path, "colliders[%zu].slip", i);
        if (w->colliders[i].slip != 1.0f) return refuse_without_liquid(path, "1", err);
    }
    return SP_OK;
}

static sp_status refuse_with_liquid(const char *key, const char *instead, sp_error *err)
{
    return sp_fail(err, SP_BAD_INPUT, "bubbles.%s: not with bubbles.liquid, %s", key, instead);
}

static sp_status check_same(const char *key, float here, float there, sp_error *err)
{
    if (here == there) return SP_OK;
    return sp_fail(err, SP_BAD_INPUT,
                   "bubbles.liquid.%s: %g, or not given; expected bubbles.%s, %g", key,
                   (double)there, key, (double)here);
}

/// The liquid calls its keys "liquid.KEY"; here they are below "bubbles".
static sp_status name_in_scene(sp_status status, sp_error *err)
{
    char text[sizeof err->text];
    if (status == SP_OK || !err || strncmp(err->text, "liquid.", 7) != 0) return status;
    memcpy(text, err->text, sizeof text);
    snprintf(err->text, sizeof err->text, "bubbles.%.*s", (int)(sizeof text - 9), text);
    return status;
}

static sp_status check_liquid(const sp_setup *setup, sp_error *err)
{
    const sp_bubbles_def *d = setup->def;
    sp_setup of_water = *setup;
    of_water.def = d->liquid;
    SP_TRY(check_same("voxel", d->voxel, d->liquid->voxel, err));
    SP_TRY(check_same("density", d->density, d->liquid->density, err));
    if (d->periodic_x || d->periodic_y || d->periodic_z)
        return refuse_with_liquid(d->periodic_x   ? "periodic_x"
                                  : d->periodic_y ? "periodic_y"
                                                  : "periodic_z",
                                  "whose sides say what is periodic", err);
    return name_in_scene(sp_liquid_solver.check(&of_water, err), err);
}

/// ---- All of it ---------------------------------------------------------------------------------

sp_status bubbles_check(const sp_setup *setup, sp_error *err)
{
    const sp_bubbles_def *d = setup->def;
    if (!setup->world->domain)
        return sp_fail(err, SP_BAD_INPUT,
                       "domain: not given; expected min and max of the box outside which bubbles "
                       "are removed");
    if (d->substeps > d->substeps_max)
        return sp_fail(err, SP_BAD_INPUT, "bubbles.substeps: %d; expected at most substeps_max, %d",
                       d->substeps, d->substeps_max);
    SP_TRY(d->liquid ? check_liquid(setup, err) : check_still_water(setup, err));
    SP_TRY(check_grid(d, setup->world->domain, err));
    SP_TRY(check_scheme(d, err));
    SP_TRY(check_materials(d, err));
    if (d->emitter_count == 0)
        return sp_fail(err, SP_BAD_INPUT,
                       "bubbles.emitters: none; nothing to simulate: expected at least one");
    for (size_t i = 0; i < d->emitter_count; ++i)
        SP_TRY(check_emitter(d, i, err));
    return SP_OK;
}

// SPDX-License-Identifier: Apache-2.0
/// Checks a scene before anything is allocated, and lays the grid around its domain.
#include "core/numbers/portable_math.h"
#include "liquid/internal.h"

#include <stdio.h>

/// ---- The grid around the domain ----------------------------------------------------------------

void liquid_side_kinds(const sp_liquid_sides_def *sides, int kind[6])
{
    const int kinds[6] = {sides->left, sides->right, sides->bottom,
                          sides->top,  sides->back,  sides->front};
    memcpy(kind, kinds, sizeof kinds);
}

static bool is_periodic(const sp_liquid_def *def, int axis)
{
    int kind[6];
    liquid_side_kinds(&def->sides, kind);
    return kind[2 * axis] == SP_LIQUID_PERIODIC;
}

/// Voxels along an axis; rounded if the relative distance to a whole number is below 1e-4.
static double voxels_along(const sp_liquid_def *def, const sp_domain_def *domain, int axis)
{
    const double extent = (double)domain->max[axis] - (double)domain->min[axis];
    const double n = extent / (double)def->voxel;
    return fabs(n - round(n)) < 1e-4 * n ? round(n) : n;
}

void liquid_lay_grid(liquid_grid *g, const sp_liquid_def *def, const sp_domain_def *domain)
{
    for (int a = 0; a < 3; ++a) {
        const double n = voxels_along(def, domain, a);
        const bool periodic = is_periodic(def, a);
        const double margin = periodic ? 0.0 : LIQUID_MARGIN;
        g->domain[0][a] = (double)domain->min[a];
        g->domain[1][a] = (double)domain->min[a] + n * (double)g->voxel;
        if (n != round(n)) g->domain[1][a] = (double)domain->max[a];
        g->origin[a] = (double)domain->min[a] - margin * (double)g->voxel;
        g->low[a] = 0;
        g->high[a] = (int32_t)ceil((n + 2.0 * margin) / SP_TILE) - 1;
        g->period[a] = periodic ? g->high[a] + 1 : 0;
    }
}

/// ---- Check -------------------------------------------------------------------------------------

static sp_status check_sides(const sp_liquid_def *def, const sp_domain_def *domain, sp_error *err)
{
    static const char *const names[6] = {"left", "right", "bottom", "top", "back", "front"};
    int kind[6];
    liquid_side_kinds(&def->sides, kind);
    for (int i = 0; i < 6; ++i) {
        if (kind[i] != SP_LIQUID_PERIODIC) continue;
        if (kind[i ^ 1] != SP_LIQUID_PERIODIC)
            return sp_fail(err, SP_BAD_INPUT,
                           "liquid.sides.%s: periodic without %s; expected both or none", names[i],
                           names[i ^ 1]);
        const double n = voxels_along(def, domain, i / 2);
        if (fmod(n, SP_TILE) == 0.0) continue;
        const double whole = fmax(1.0, round(n / SP_TILE)) * SP_TILE;
        return sp_fail(err, SP_BAD_INPUT,
                       "liquid.voxel: %g m makes %g voxels along periodic %s and %s; expected a "
                       "multiple of 8, as with %.9g m",
                       (double)def->voxel, n, names[i], names[i ^ 1],
                       n * (double)def->voxel / whole);
    }
    return SP_OK;
}

/// Whether still water stands beyond an open side.
static bool has_water_outside(const sp_liquid_def *def, const sp_domain_def *domain)
{
    int kind[6];
    bool any = false;
    liquid_side_kinds(&def->sides, kind);
    for (int i = 0; i < 6; ++i) {
        const float lowest = i == SP_SIDE_TOP ? domain->max[1] : domain->min[1];
        any |= kind[i] == SP_LIQUID_OPEN && def->sides.level > lowest;
    }
    return any;
}

/// A level is a height, so gravity must pull straight down.
static sp_status check_level(const sp_world_def *world, const sp_liquid_def *def, sp_error *err)
{
    const float *g = world->gravity;
    if (!liquid_has_level(def)) return SP_OK;
    if (g[0] != 0.0f || !(g[1] < 0.0f) || g[2] != 0.0f)
        return sp_fail(
            err, SP_BAD_INPUT,
            "liquid.sides.level: given with gravity [%g, %g, %g]; expected gravity along -y, "
            "because a level is a height",
            (double)g[0], (double)g[1], (double)g[2]);
    if (has_water_outside(def, world->domain)) return SP_OK;
    return sp_fail(err, SP_BAD_INPUT,
                   "liquid.sides.level: %g m, but no open side reaches below it; expected left, "
                   "right, bottom, back or front open",
                   (double)def->sides.level);
}

/// There must be water at the start, or an inflow.
static sp_status check_water(const sp_world_def *world, const sp_liquid_def *def, sp_error *err)
{
    const bool outside = def->sides.level > world->domain->min[1];
    if (world->emitter_count > 0 || outside) return SP_OK;
    return sp_fail(err, SP_BAD_INPUT,
                   "emitters: none; expected at least one emitter, or liquid.sides.level above the "
                   "domain's floor");
}

/// ---- Size --------------------------------------------------------------------------------------

/// Tiles and particles are counted in 32 bits; the size of a narrow band is not known beforehand.
static bool is_too_large(const sp_setup *setup)
{
    const sp_liquid_def *d = setup->def;
    const bool all = d->method != SP_LIQUID_EULERIAN && d->narrow_band == 0;
    const double cells = liquid_water_cells(setup), most = (double)UINT32_MAX;
    return cells / SP_TILE_VOXELS >= most || (all && cells * d->particles_per_cell >= most);
}

static sp_status check_size(const sp_setup *setup, sp_error *err)
{
    const sp_liquid_def *d = setup->def;
    const sp_domain_def *domain = setup->world->domain;
    const double farthest = 8.0 * (SP_TILES_REACH - 2); // tiles along an axis have 21 bits
    double box = 1.0, longest = 0.0;
    for (int a = 0; a < 3; ++a) {
        const double n = voxels_along(d, domain, a);
        if (n < 2.0 || (n >= farthest && !is_too_large(setup)))
            return sp_fail(err, SP_BAD_INPUT,
                           "liquid.voxel: %g m makes %.3g voxels along %c of the domain; expected "
                           "2 to %.3g",
                           (double)d->voxel, n, "xyz"[a], farthest);
        box *= n;
        longest = fmax(longest, (double)domain->max[a] - (double)domain->min[a]);
    }
    if (!is_too_large(setup)) return SP_OK;
    const double room = 16.0 * 1024.0 * 1024.0 * 1024.0;
    return sp_fail(err, SP_BAD_INPUT,
                   "liquid.voxel: %g m over a %g m box needs %.2g voxels, and sparse water here "
                   "about %.2g; expected %.2g m or more for 16 GiB",
                   (double)d->voxel, longest, box, liquid_water_cells(setup),
                   (double)d->voxel * sp_cbrt(fmax(1.0, liquid_estimate(setup) / room)));
}

/// ---- All of it ---------------------------------------------------------------------------------

sp_status liquid_check(const sp_setup *setup, sp_error *err)
{
    const sp_liquid_def *d = setup->def;
    if (!setup->world->domain)
        return sp_fail(err, SP_BAD_INPUT,
                       "domain: not given; expected min and max of the box that "
                       "the liquid solver works in");
    if (d->narrow_band > 0 && d->narrow_band < 3)
        return sp_fail(err, SP_BAD_INPUT, "liquid.narrow_band: %d; expected 0 or 3 to 16",
                       d->narrow_band);
    const int n = d->particles_per_cell;
    if (n != 1 && n != 8 && n != 27)
        return sp_fail(err, SP_BAD_INPUT, "liquid.particles_per_cell: %d; expected 1, 8 or 27", n);
    if (d->min_steps > d->max_steps)
        return sp_fail(err, SP_BAD_INPUT, "liquid.min_steps: %d; expected at most max_steps, %d",
                       d->min_steps, d->max_steps);
    SP_TRY(check_size(setup, err));
    SP_TRY(check_sides(d, setup->world->domain, err));
    SP_TRY(check_level(setup->world, d, err));
    return check_water(setup->world, d, err);
}

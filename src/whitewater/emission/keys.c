// SPDX-License-Identifier: Apache-2.0
/// The objects "aeration" and "emission" of whitewater; docs/whitewater.md says where the numbers come from.
#include "core/keys/key_rows.h"
#include "whitewater/emission/emission.h"

#include <stdio.h>

#define NEVER 1e9 // s; a number because JSON has no word for infinity

/// ---- Aeration ----------------------------------------------------------------------------------

static const char *const curvatures[] = {"concave", "abs", "convex", NULL};
static const char *const fluctuations[] = {"change", "local", NULL};

static const sp_key aeration_rows[] = {
    {F32(sp_aeration_def, min), .unit = "", .value = 1, RANGE(0, 1e6),
     .doc = "Aeration that begins to let air in; the paper: 1 to 100"},
    {F32(sp_aeration_def, max), .unit = "", .value = 30, RANGE(0, 1e6),
     .doc = "Aeration that lets in as much as emission.air_share allows"},
    {WORD(sp_aeration_def, curvature, curvatures), .value = SP_CURVATURE_CONCAVE,
     .doc = "Parts of the surface that let air in, as seen from the air: dents and creases, crests "
            "(convex), or both (abs)"},
    {F32(sp_aeration_def, length), .unit = "m", .value = 0.03125, RANGE(0, 100),
     .doc = "Size of dents that counts, so that air does not depend on the voxel; 0: a voxel, as "
            "printed"},
    {WORD(sp_aeration_def, fluctuation, fluctuations), .value = SP_FLUCTUATION_CHANGE,
     .doc = "The change of velocity in 1/24 s: all of it, or what differs from the water around "
            "(local; a quarter as much air, none where water only speeds up)"},
};
const sp_keys sp_aeration_keys = TABLE("aeration", aeration_rows, sp_aeration_def);

/// ---- Masks and sources -------------------------------------------------------------------------

#define SHAPES "Exactly one of box, sphere, cylinder, capsule, torus, plane, mesh and heightfield"

static const sp_key mask_rows[] = {
    {TEXT(sp_emission_mask_def, name), .doc = "Name in messages"},
    {OBJECT(sp_emission_mask_def, shape, sp_shape_keys), .doc = SHAPES},
    {F32(sp_emission_mask_def, inside), .unit = "", .value = 1, RANGE(0, 1e3),
     .doc = "Factor on aeration's air in the shape"},
    {F32(sp_emission_mask_def, outside), .unit = "", .value = 0, RANGE(0, 1e3),
     .doc = "Factor elsewhere"},
    {F32(sp_emission_mask_def, fade), .unit = "m", .value = 0, RANGE(0, 1e6),
     .doc = "Distance outside the shape over which one becomes the other"},
};
static const sp_keys mask_keys = TABLE("mask", mask_rows, sp_emission_mask_def);

static const char *const kinds[] = {"bubbles", "foam", "spray", NULL};

static const sp_key source_rows[] = {
    {TEXT(sp_emission_source_def, name), .doc = "Name in messages"},
    {OBJECT(sp_emission_source_def, shape, sp_shape_keys), .doc = SHAPES},
    {WORD(sp_emission_source_def, kind, kinds), .value = SP_SOURCE_BUBBLES,
     .doc =
         "What enters: bubbles in the water of the shape, foam on its surface, or spray above it"},
    {F32(sp_emission_source_def, rate), .unit = "1/s", .value = 0, RANGE(0, 1e9),
     .doc = "Particles a second"},
    {F32(sp_emission_source_def, air), .unit = "m3/s", .value = 0, RANGE(0, 1e9),
     .doc = "Air (of spray: water) instead of rate"},
    {VEC3(sp_emission_source_def, velocity), .unit = "m/s", .value = 0, RANGE(-1e3, 1e3),
     .doc = "Added to the water's"},
    {F32(sp_emission_source_def, start), .unit = "s", .value = 0, RANGE(0, NEVER),
     .doc = "Start time"},
    {F32(sp_emission_source_def, stop), .unit = "s", .value = NEVER, RANGE(0, NEVER),
     .doc = "End time; 1e9 is never"},
};
static const sp_keys source_keys = TABLE("source", source_rows, sp_emission_source_def);

/// ---- Emission ----------------------------------------------------------------------------------

static const char *const modes[] = {"poisson", "fill", "accept", NULL};

static const sp_key emission_rows[] = {
    {BOOL(sp_emission_def, aerate), .value = 1, .doc = "Turbulence lets air in at the surface"},
    {F32(sp_emission_def, air_share), .unit = "", .value = 0.5, RANGE(0, 1),
     .doc = "How much whitewater: the share of air in fully aerated water (phi_max); the paper: "
            "0.3 to 0.7"},
    {F32(sp_emission_def, radius_min), .unit = "m", .value = 0, RANGE(0, 10),
     .doc = "Of the smallest bubbles; 0: a twentieth of the bulk's voxel, at most 5 mm"},
    {F32(sp_emission_def, radius_max), .unit = "m", .value = 0, RANGE(0, 10),
     .doc = "Of the largest bubbles; 0: a fifth of the bulk's voxel, at most 20 mm"},
    {U64(sp_emission_def, budget), .unit = "", .value = 4e5, RANGE(1, 1e9),
     .doc = "Particles in all at most; beyond half of it a particle stands for several bubbles. A "
            "million takes some "
            "20 s a frame on two cores"},
    {WORD(sp_emission_def, mode, modes), .value = SP_EMISSION_POISSON,
     .doc = "How many bubbles make a volume: a random number with the right mean, as many as fill "
            "it (printed, up to twice too much), or the last one of these by chance"},
    {F32(sp_emission_def, tau), .unit = "s", .value = 1.0 / 24.0, RANGE(0, 100),
     .doc = "Time in which water takes up two thirds of the air it lacks; 0: all of it at each "
            "moment of the bulk"},
    {I32(sp_emission_def, spline), .unit = "", .value = 3, RANGE(1, 3),
     .doc = "Spreads the bubbles of a voxel: 1 within it, 2 and 3 more smoothly beyond"},
    {BOOL(sp_emission_def, slip), .value = 0, .doc = "New bubbles rise at their terminal speed"},
    {LIST(sp_emission_def, masks, mask_count, mask_keys), RANGE(0, 255),
     .doc = "Where aeration lets in more or less; factors multiply"},
    {LIST(sp_emission_def, sources, source_count, source_keys), RANGE(0, 255),
     .doc = "Let particles in by rate, whatever the water does"},
};
const sp_keys sp_emission_keys = TABLE("emission", emission_rows, sp_emission_def);

/// ---- Checks ------------------------------------------------------------------------------------

static sp_status check_sizes(const sp_emission_def *d, const char *path, sp_error *err)
{
    if (d->radius_min == 0.0f && d->radius_max == 0.0f) return SP_OK;
    if (d->radius_min > 0.0f && d->radius_min <= d->radius_max) return SP_OK;
    return sp_fail(err, SP_BAD_INPUT,
                   "%s.emission.radius_min: %g m with radius_max %g m; expected more than 0 and at "
                   "most that, or 0 for both",
                   path, (double)d->radius_min, (double)d->radius_max);
}

static sp_status check_source(const sp_emission_source_def *c, const char *path, sp_error *err)
{
    SP_TRY(sp_source_shape_check(&c->shape, path, err));
    if ((c->rate > 0.0f) == (c->air > 0.0f))
        return sp_fail(err, SP_BAD_INPUT, "%s: %s rate and air; expected one of them", path,
                       c->rate > 0.0f ? "both" : "neither");
    if (!(c->start < c->stop))
        return sp_fail(err, SP_BAD_INPUT, "%s.start: %g s; expected less than stop, %g s", path,
                       (double)c->start, (double)c->stop);
    return SP_OK;
}

sp_status sp_emission_check(const sp_emission_def *def, const sp_aeration_def *aeration,
                            const char *path, sp_error *err)
{
    char full[320];
    if (!(aeration->min < aeration->max))
        return sp_fail(err, SP_BAD_INPUT, "%s.aeration.min: %g; must be below aeration.max, %g",
                       path, (double)aeration->min, (double)aeration->max);
    SP_TRY(check_sizes(def, path, err));
    for (size_t k = 0; k < def->mask_count; ++k) {
        snprintf(full, sizeof full, "%.200s.emission.masks[%zu]", path, k);
        SP_TRY(sp_source_shape_check(&def->masks[k].shape, full, err));
    }
    for (size_t k = 0; k < def->source_count; ++k) {
        snprintf(full, sizeof full, "%.200s.emission.sources[%zu]", path, k);
        SP_TRY(check_source(&def->sources[k], full, err));
    }
    return SP_OK;
}

// SPDX-License-Identifier: Apache-2.0
/// The objects "floating" and "spray" of whitewater; docs/whitewater.md says where the numbers come from.
#include "core/keys/key_rows.h"
#include "whitewater/surface/surface.h"

static const char *const shapes[] = {"normal", "exponential", "weibull", NULL};
static const char *const references[] = {"lattice", "printed", "off", NULL};

static const sp_key floating_rows[] = {
    {F32(sp_floating_def, life_mean), .unit = "s", .value = 1.5, RANGE(0.001, 1e6),
     .doc = "Mean life of foam before it bursts; the paper: 1.5 to 2"},
    {F32(sp_floating_def, life_var), .unit = "s2", .value = 0.5, RANGE(0, 1e12),
     .doc = "Variance of that life; the paper: 0.5. Not used by \"exponential\""},
    {WORD(sp_floating_def, life_shape, shapes), .value = SP_LIFE_NORMAL,
     .doc = "Distribution of lives"},
    {F32(sp_floating_def, rim), .unit = "", .value = 0, RANGE(0, 100),
     .doc = "How much faster foam ages without neighbours than within a full layer: patches erode "
            "from their rims"},
    {WORD(sp_floating_def, prune, references), .value = SP_PRUNE_LATTICE,
     .doc = "What counts as a full layer: bubbles that arrive where foam is denser are removed in "
            "proportion"},
    {F32(sp_floating_def, keep), .unit = "", .value = 0.7, RANGE(0, 1),
     .doc = "Share of its speed that a bubble keeps along the surface when it becomes foam (zeta)"},
    {F32(sp_floating_def, max_gain), .unit = "", .value = 3, RANGE(0, 100),
     .doc = "By how much speed along the surface may grow then; bubbles that rise straight up do "
            "not shoot sideways"},
};
const sp_keys sp_floating_keys = TABLE("floating", floating_rows, sp_floating_def);

static const sp_key spray_rows[] = {
    {BOOL(sp_spray_def, on), .value = 1, .doc = "Whether foam can become spray"},
    {F32(sp_spray_def, crest), .unit = "m/s", .value = 1, RANGE(0, 1000),
     .doc = "Foam is thrown off where the water falls back from its free flight faster than this; "
            "waves that do not break throw none"},
    {F32(sp_spray_def, plunge), .unit = "m/s", .value = 3, RANGE(0, 1000),
     .doc = "Drops that meet the water faster take air below it as bubbles; slower ones float as "
            "foam"},
    {F32(sp_spray_def, rate), .unit = "1/(m2 s)", .value = 0, RANGE(0, 1e9),
     .doc = "Drops that sharp crests emit by themselves, per area and time; 0: none"},
    {F32(sp_spray_def, number), .unit = "", .value = 1, RANGE(1, 1e6),
     .doc = "Drops that each particle of \"rate\" stands for"},
    {F32(sp_spray_def, drag_scale), .unit = "", .value = 1, RANGE(0, 1000),
     .doc = "Multiplies the drag of air on drops; 1 is that of spheres"},
    {F32(sp_spray_def, wind_share), .unit = "", .value = 1, RANGE(0, 10),
     .doc = "Share of the wind that drops feel; less near sheltered water"},
    {F32(sp_spray_def, radius_min), .unit = "m", .value = 0, RANGE(0, 1),
     .doc = "Smallest drop that crests emit; 0: a twentieth of the bulk's voxel"},
    {F32(sp_spray_def, radius_max), .unit = "m", .value = 0, RANGE(0, 1),
     .doc = "Largest one; 0: three times the smallest"},
};
const sp_keys sp_spray_keys = TABLE("spray", spray_rows, sp_spray_def);

sp_status sp_floating_check(const sp_floating_def *def, const char *path, sp_error *err)
{
    if (def->life_shape == SP_LIFE_NORMAL &&
        !(def->life_var <= 100.0f * def->life_mean * def->life_mean))
        return sp_fail(
            err, SP_BAD_INPUT, "%s.life_var: %g s2; expected at most %g with a life_mean of %g s",
            path, (double)def->life_var, 100.0 * (double)def->life_mean * (double)def->life_mean,
            (double)def->life_mean);
    return SP_OK;
}

sp_status sp_spray_check(const sp_spray_def *def, const char *path, sp_error *err)
{
    if (def->radius_min > 0.0f && def->radius_max > 0.0f && !(def->radius_min <= def->radius_max))
        return sp_fail(err, SP_BAD_INPUT, "%s.radius_min: %g m; expected at most radius_max, %g m",
                       path, (double)def->radius_min, (double)def->radius_max);
    return SP_OK;
}

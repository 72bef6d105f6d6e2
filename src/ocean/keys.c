// SPDX-License-Identifier: Apache-2.0
/// The object "ocean" of whitewater; docs/ocean.md says where the numbers come from.
#include "core/keys/key_rows.h"
#include "ocean/internal.h"

static const char *const spreadings[] = {"hasselmann", "mitsuyasu", "donelan_banner", NULL};

static const sp_key rows[] = {
    {F64(sp_ocean_def, wind), .unit = "m/s", .value = 10, RANGE(0.5, 60),
     .doc = "Wind 10 m above the sea; more makes waves higher and longer"},
    {F64(sp_ocean_def, fetch), .unit = "m", .value = 50e3, RANGE(100, 2e6),
     .doc = "How far it has blown over water; more makes waves higher and longer"},
    {F64(sp_ocean_def, depth), .unit = "m", .value = 1000, RANGE(0.1, 12000),
     .doc = "Of the water; below half a wavelength waves are lower and slower"},
    {F64(sp_ocean_def, direction), .unit = "degrees", .value = 0, RANGE(-360, 360),
     .doc = "Where the wind blows to: 0 is along x, 90 along z"},
    {WORD(sp_ocean_def, spreading, spreadings), .value = SP_OCEAN_HASSELMANN,
     .doc = "How waves spread around that, as measured by"},
    {F64(sp_ocean_def, swell), .unit = "", .value = 0, RANGE(0, 1),
     .doc = "More makes crests longer and aligns them, as those that come from far"},
    {F64(sp_ocean_def, patch), .unit = "m", .value = 400, RANGE(0.1, 1e5),
     .doc = "Edge of the square of sea that repeats"},
    {I32(sp_ocean_def, grid), .unit = "", .value = 512, RANGE(OCEAN_LEAST_GRID, 4096),
     .doc = "Samples along that edge, a power of two; the shortest wave has two"},
    {I32(sp_ocean_def, cascades), .unit = "", .value = 1, RANGE(1, SP_OCEAN_CASCADES),
     .doc = "Patches that are added, each smaller and with the waves too short for the one before"},
    {I32(sp_ocean_def, cascade_ratio), .unit = "", .value = 8, RANGE(2, 64),
     .doc = "How many times smaller each is"},
    {F64(sp_ocean_def, choppiness), .unit = "", .value = 1, RANGE(0, 2),
     .doc = "Horizontal motion of the surface, which sharpens crests (lambda); 1 is as water "
            "moves; less where it would "
            "fold"},
    {BOOL(sp_ocean_def, capillary), .value = 0,
     .doc = "Surface tension, for waves below some centimetres"},
    {F64(sp_ocean_def, whitecap), .unit = "", .value = 0.4, RANGE(0, 1),
     .doc = "Crests break where the surface is squeezed to less than this share of its area"},
    {F64(sp_ocean_def, level), .unit = "m", .value = 0, RANGE(-1e5, 1e5),
     .doc = "y of the water at rest"},
    {VEC3(sp_ocean_def, low), .unit = "m", .value = 0, RANGE(-1e6, 1e6),
     .doc = "Low corner of the water that is used; equal to high: the patch"},
    {VEC3(sp_ocean_def, high), .unit = "m", .value = 0, RANGE(-1e6, 1e6), .doc = "High corner"},
    {F64(sp_ocean_def, voxel), .unit = "m", .value = 0, RANGE(0, 1000),
     .doc = "Voxel of water computed from it; 0: the spacing of the finest grid"},
};
const sp_keys sp_ocean_keys = {"ocean", rows, sizeof rows / sizeof *rows, sizeof(sp_ocean_def)};

/// A cascade takes over at OCEAN_LEAST_WAVES waves along its edge, which the one before must hold with two samples a
/// wave and room for one octave more.
static sp_status check_cascades(const sp_ocean_def *def, const char *path, sp_error *err)
{
    const int32_t most = def->grid / (4 * OCEAN_LEAST_WAVES);
    if (def->cascades > 1 && def->cascade_ratio > most)
        return sp_fail(err, SP_BAD_INPUT,
                       "%s.cascade_ratio: %d; expected at most %d with a grid of %d, for the "
                       "longest waves of a "
                       "cascade must fit the grid before it",
                       path, (int)def->cascade_ratio, (int)most, (int)def->grid);
    const double spacing = ocean_patch_of(def, def->cascades - 1) / (double)def->grid;
    if (!(spacing >= 1e-4))
        return sp_fail(
            err, SP_BAD_INPUT,
            "%s: the finest grid has samples %.3g m apart; expected 0.0001 m or more (patch, grid, "
            "cascades, cascade_ratio)",
            path, spacing);
    return SP_OK;
}

sp_status sp_ocean_check(const sp_ocean_def *def, const char *path, sp_error *err)
{
    SP_TRY(sp_keys_check(&sp_ocean_keys, def, path, err));
    if (def->grid & (def->grid - 1))
        return sp_fail(err, SP_BAD_INPUT, "%s.grid: %d; expected a power of two", path,
                       (int)def->grid);
    const bool whole = ocean_serves_patch(def);
    for (int a = 0; a < 3 && !whole; ++a)
        if (!(def->low[a] < def->high[a]))
            return sp_fail(
                err, SP_BAD_INPUT,
                "%s.low: %g along %c; expected less than %s.high, %g (or both equal: the patch)",
                path, (double)def->low[a], "xyz"[a], path, (double)def -> high[a]);
    return check_cascades(def, path, err);
}

// SPDX-License-Identifier: Apache-2.0
#include "validate/foam/proofs.h"

#include "validate/bulk/drop.h"
#include "validate/validate.h"

/// A drop 3 voxels in radius flies 8 voxels from moment to moment, along an axis and aslant; half
/// way it is where it should be and as large. In voxels.
static sp_status prove_flying_drop(sp_check_report *report, sp_error *err)
{
    static const struct {
        double along[3];
        const char *center, *radius;
    } rows[] = {
        {{8, 0, 0}, "centre half way, along x", "radius half way, along x"},
        {{5.6, -4.8, 3.2}, "centre half way, aslant", "radius half way, aslant"},
    };
    const double h = 0.02, fps = 24.0;
    for (size_t r = 0; r < sizeof rows / sizeof *rows; ++r) {
        bulk_drop d = {.voxel = (float)h,
                       .radius = (float)(3.0 * h),
                       .from = {1.003, 2.007, -0.511},
                       .seconds = 1.0 / fps};
        double half_way[3], off = 0.0;
        for (int k = 0; k < 3; ++k) {
            d.velocity[k] = rows[r].along[k] * h * fps;
            half_way[k] = d.from[k] + 0.5 * d.seconds * d.velocity[k];
        }
        bulk_drop_seen seen;
        SP_TRY(bulk_drop_open(&d, report->host, err));
        const sp_status status =
            bulk_drop_look(&d, 0.5 * d.seconds, half_way, 8.0 * h, 0.25 * h, &seen, err);
        bulk_drop_close(&d);
        SP_TRY(status);
        for (int k = 0; k < 3; ++k)
            off = fmax(off, fabs(seen.center[k] - half_way[k]) / h);
        sp_within(report, rows[r].center, off, 0.0, 0.2,
                  "0.2 voxels; blended in place there is no surface at all");
        sp_within(report, rows[r].radius, seen.radius / h, 3.0, 0.2,
                  "0.2 voxels, which trilinear values cost");
    }
    return SP_OK;
}

/// ---- Whole tiles -------------------------------------------------------------------------------

typedef struct tile_error {
    double u, phi; ///< largest differences: over the largest velocity, and in voxels
} tile_error;

/// Compares a tile with its single points.
static void compare_tile(const sp_bulk_view *view, double h, const int32_t at[3], double fastest,
                         tile_error *worst)
{
    static const double origin[3] = {0.0, 0.0, 0.0};
    float u[3][SP_TILE_VOXELS], phi[SP_TILE_VOXELS], *const to[3] = {u[0], u[1], u[2]};
    sp_bulk_look_at_tile(view, (float)h, origin, at, to, phi);
    for (int n = 0; n < SP_TILE_VOXELS; ++n)
        for (int place = 0; place < 4; ++place) {
            double p[3];
            float v[3], distance;
            const sp_bulk_query q = {.n = 1,
                                     .x = &p[0],
                                     .y = &p[1],
                                     .z = &p[2],
                                     .u = {&v[0], &v[1], &v[2]},
                                     .phi = &distance};
            for (int a = 0; a < 3; ++a)
                p[a] = h * (SP_TILE * at[a] + (n >> 3 * a & 7) + (a == place ? 0.0 : 0.5));
            sp_bulk_look(view, &q, 0, 1);
            if (place < 3)
                worst->u = fmax(worst->u, fabs((double)(u[place][n] - v[place])) / fastest);
            else
                worst->phi = fmax(worst->phi, fabs((double)(phi[n] - distance)) / h);
        }
}

/// A swell, at a moment and between two, in tiles that have all their neighbours.
static sp_status prove_tiles(sp_check_report *report, sp_error *err)
{
    static const struct {
        double t;
        const char *u, *phi;
    } rows[] = {
        {0.125, "velocity, at a moment", "distance in voxels, at a moment"},
        {0.17, "velocity, between moments", "distance in voxels, between moments"},
    };
    foam_gridded g = {.surface = {.kind = FOAM_WAVE, .amplitude = 0.1, .wavelength = 1.0},
                      .voxel = 0.03125f,
                      .columns = 4,
                      .deep = 2,
                      .all = true,
                      .fps = 8.0,
                      .moments = 3};
    const double fastest = g.surface.amplitude * foam_wave_rate(&g.surface);
    sp_bulk bulk;
    SP_TRY(foam_gridded_bulk(&g, report->host, &bulk, err));
    for (size_t r = 0; r < sizeof rows / sizeof *rows; ++r) {
        sp_bulk_view view;
        tile_error worst = {0.0, 0.0};
        const sp_status status = sp_bulk_view_at(&bulk, rows[r].t, &view, err);
        for (int32_t n = 0; n < 8 && status == SP_OK; ++n)
            compare_tile(&view, (double)g.voxel,
                         (int32_t[3]){1 + (n & 1), (n >> 1 & 1) - 1, 1 + (n >> 2)}, fastest,
                         &worst);
        if (status != SP_OK) sp_bulk_close(&bulk);
        SP_TRY(status);
        sp_at_most(report, rows[r].u, worst.u, 1e-5,
                   "the same formula in floats: a millionth of a voxel in place");
        sp_at_most(report, rows[r].phi, worst.phi, 1e-5,
                   "the same formula in floats: a millionth of a voxel in place");
    }
    sp_bulk_close(&bulk);
    return SP_OK;
}

static const sp_check checks[] = {
    {"tiles", false, "water on whole tiles is that of single points", prove_tiles},
    {"flying_drop", false, "a small fast drop between two moments keeps its place and size",
     prove_flying_drop},
};
const sp_subject sp_validate_bulk = {"bulk", checks, sizeof checks / sizeof *checks};

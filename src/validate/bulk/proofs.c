// SPDX-License-Identifier: Apache-2.0
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

static const sp_check checks[] = {
    {"flying_drop", false, "a small fast drop between two moments keeps its place and size",
     prove_flying_drop},
};
const sp_subject sp_validate_bulk = {"bulk", checks, sizeof checks / sizeof *checks};

// SPDX-License-Identifier: Apache-2.0
/// Checks of a still scene.
#include "still/internal.h"
#include "validate/cases.h"
#include "validate/validate.h"

#include <math.h>

enum { BUBBLES = 20001 };

static void judge(sp_check_report *report, const sp_still_plume *plume, const sp_frame *frame,
                  double *radii)
{
    const sp_set *set = sp_frame_set(frame, "bubbles");
    const float *radius = sp_set_column(set, "radius")->data;
    sp_exact(report, "bubbles of a plume with room", (double)set->count, BUBBLES,
             "each finds a place within 64 tries");
    for (size_t i = 0; i < set->count; ++i)
        radii[i] = (double)radius[i];
    const double a = pow((double)plume->smallest, -2.0), b = pow((double)plume->largest, -2.0);
    sp_relative(report, "median radius of a density r^-3, m", proof_median(radii, set->count),
                1.0 / sqrt(0.5 * (a + b)), 0.01,
                "the median of 20,001 varies by 0.4 % (half of 1/sqrt(n) "
                "in rank), 1 % is more than twice that");
    sp_relative(report, "volume of a box of water, m3", frame->stats[2].value, 0.4 * 0.2 * 0.3,
                0.01, "faces are exact; edges are rounded over a voxel");
}

static sp_status prove_placing(sp_check_report *report, sp_error *err)
{
    const sp_still_plume plume = {.from = {0.0f, 0.05f, 0.0f},
                                  .to = {0.0f, 0.15f, 0.0f},
                                  .spread_from = 0.02f,
                                  .spread_to = 0.02f,
                                  .count = BUBBLES,
                                  .smallest = 2e-4f,
                                  .largest = 2e-3f,
                                  .power = 3.0f};
    const sp_still_def def = {
        .voxel = 0.005f,
        .water = {.min = {-0.2f, 0.0f, -0.15f}, .max = {0.2f, 0.2f, 0.15f}, .wave = 0.1f},
        .plumes = &plume,
        .plume_count = 1};
    void *solver;
    sp_frame frame = {0};
    const sp_setup setup = {.def = &def, .seed = 1};
    SP_TRY(sp_still_solver.open(&setup, report->host, &solver, err));
    double *radii = sp_allocate(report->host, BUBBLES, sizeof *radii);
    sp_status status = sp_still_solver.publish(solver, &frame, err);
    if (!radii) status = sp_fail(err, SP_NO_MEMORY, "validate: no memory for %d radii", BUBBLES);
    if (status == SP_OK) judge(report, &plume, &frame, radii);
    sp_release(report->host, radii);
    sp_still_solver.close(solver);
    return status;
}

static const sp_check checks[] = {
    {"placing", false, "bubbles and water are as the scene says", prove_placing},
};
const sp_subject sp_validate_still = {"still", checks, sizeof checks / sizeof *checks};

// SPDX-License-Identifier: Apache-2.0
/// The list of proofs about the path tracer.
#include "validate/render/proofs.h"

#if defined(SPUME_WITH_EMBREE)

static const sp_check checks[] = {
    {"furnace", false, "in a white furnace water, glass, bubbles and foam are invisible",
     prove_furnace},
    {"furnace_crowded", true, "the same with 20,000 bubbles and deep paths", prove_furnace_crowded},
    {"energy", false, "no kind of event creates or loses light", prove_energy},
    {"slab", false, "a glass plate shifts a ray and keeps its direction", prove_slab},
    {"balls", false, "spheres of water and of air refract rays by Snell's law", prove_balls},
    {"fresnel", false, "reflectance at several angles and averaged over a disc", prove_fresnel},
    {"absorption", false, "a metre of water absorbs as Beer and Lambert predict", prove_absorption},
    {"counters", false, "the medium along a ray by counters is the medium by inside tests",
     prove_counters},
    {"start", false, "the counters at a camera in air, water, bubbles and glass", prove_start},
    {"film", false, "the share of parallel light that a bubble's wall reflects", prove_film},
    {"foam", false, "more layers of foam are whiter", prove_foam},
    {"same", false, "the same picture for any number of threads, again, and in two halves",
     prove_same},
    {"motion", false, "motion blur of a disc is a box filter along its path", prove_motion},
    {"lens", false, "a point out of focus becomes a disc of the right size", prove_lens},
    {"samples", false, "samples are more even than random ones, and seeds are uncorrelated",
     prove_samples},
};

#else

static sp_status prove_nothing(sp_check_report *report, sp_error *err)
{
    sp_tracer *t;
    return sp_tracer_open(report->host, &t, err);
}

static const sp_check checks[] = {
    {"embree", false, "the path tracer is part of this build", prove_nothing},
};

#endif

const sp_subject sp_validate_render = {"render", checks, sizeof checks / sizeof *checks};

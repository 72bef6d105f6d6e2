// SPDX-License-Identifier: Apache-2.0
#ifndef SP_VALIDATE_RENDER_PROOFS_H
#define SP_VALIDATE_RENDER_PROOFS_H

/// The proofs of the path tracer, and the scenes and measurements that they share.

#include "render/trace/tracing.h"
#include "validate/validate.h"

#if defined(SPUME_WITH_EMBREE)

/// Opens a tracer for a proof and closes it afterwards.
typedef sp_status prove_traced(sp_check_report *report, sp_tracer *t, sp_error *err);
sp_status prove_with_tracer(sp_check_report *report, prove_traced *body, sp_error *err);
/// A closed box with separate faces, so that it is flat-shaded.
sp_status prove_add_box(sp_tracer *t, const float low[3], const float high[3], sp_trace_class kind,
                        int material, sp_error *err);
sp_status prove_add_sphere(sp_tracer *t, float x, float y, float z, float r, sp_trace_class kind,
                           int material, sp_error *err);
/// `count` spheres in a box, radii from small to large with density r^-3; deterministic.
sp_status prove_add_crowd(sp_tracer *t, size_t count, const float low[3], const float high[3],
                          float small, float large, sp_trace_class kind, sp_error *err);
/// Nothing absorbs, foam scatters all, the dome is 1: every pixel must be 1.
sp_status prove_white(sp_tracer *t, sp_error *err);
/// Renders into its own film and gives means. `camera` looks from `from` to `to`.
typedef struct prove_picture {
    sp_trace_film film;
    const sp_host *host;
    sp_trace_stats stats;
} prove_picture;
sp_status prove_render(const sp_tracer *t, sp_trace_camera camera, sp_trace_settings settings,
                       prove_picture *out, sp_error *err);
void prove_picture_close(prove_picture *p);
double prove_mean(const prove_picture *p, int width, int height, int channel);
sp_trace_camera prove_camera(float x, float y, float z, float tx, float ty, float tz, float fov);
/// All rays of one narrow view, in order; a ray that leaves no surface begins a path.
sp_status prove_rays(const sp_tracer *t, sp_trace_camera camera, int side, int samples,
                     sp_trace_record **out, sp_error *err);

sp_proof prove_furnace, prove_furnace_crowded, prove_energy, prove_absorption,
    prove_foam;                                               // light.c
sp_proof prove_slab, prove_balls, prove_fresnel, prove_film;  // optics.c
sp_proof prove_counters, prove_start;                         // media.c
sp_proof prove_same, prove_motion, prove_lens, prove_samples; // picture.c

#endif
#endif

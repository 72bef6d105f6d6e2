// SPDX-License-Identifier: Apache-2.0
#ifndef SP_RENDER_TRACE_H
#define SP_RENDER_TRACE_H

/// The path tracer, on Embree. It knows meshes, spheres, materials, lights and a camera, and
/// nothing of frames: stage_to_tracer.c turns frames into these. Three rules carry the look of water
/// with bubbles:
///  1. The medium at a point is a function of three counters (how many water, bubble and glass
///     surfaces it is inside of), so any overlap of water, glass, meshes and millions of spheres is
///     legal.
///  2. A bubble wall with air on both sides is a thin film that does not bend rays.
///  3. Foam is white because of a rim term on that film: one bubble shows as a ring, a raft
///     averages to white.

#include "frame/frame.h"

#include <spume/mesh.h>

typedef struct sp_tracer sp_tracer;
typedef struct sp_trace_record sp_trace_record;

/// What a geometry is to a ray.
typedef enum sp_trace_class {
    SP_TRACE_WATER,  ///< inside is liquid
    SP_TRACE_BUBBLE, ///< inside is air, wherever there is water
    SP_TRACE_FOAM,   ///< a bubble whose film also scatters
    SP_TRACE_GLASS,  ///< inside is glass, whatever else overlaps it
    SP_TRACE_OPAQUE, ///< diffuse, coated or metal; see the material
} sp_trace_class;

typedef struct sp_trace_medium {
    float ior;
    float absorb[3]; ///< 1/m
} sp_trace_medium;

typedef struct sp_trace_material { ///< of opaque things; a zeroed one is black
    float color[3];                ///< albedo
    float rough; ///< 0.05 mirror-like to 1; metals and coats; below 0.05 is raised
    bool metal;
    float coat;         ///< 0 none to 1: a clear coat (ior 1.5) over the colour
    float emission[3];  ///< radiance of a surface that glows; never sampled, only met
    int pattern;        ///< by world position: 0 plain, 1 square tiles with grout, 2 sand or stone
    float pattern_size; ///< m
    /// A soft patch of light painted on the surface, such as the glow on a studio's wall: radiance
    /// glow * exp(-(dx^2 + dz^2)/across^2 - dy^2/upward^2), d measured from glow_at. across 0:
    /// none.
    float glow[3], glow_at[3], glow_across, glow_upward;
} sp_trace_material;

/// A softbox: one-sided parallelogram at center, spanned by half edges u and v, shining along
/// cross(u, v). Its emission fades to zero over the outer quarter. It is made of light alone: it
/// blocks no ray, and from behind it is not there.
typedef struct sp_trace_softbox {
    float center[3], u[3], v[3];
    float radiance[3];
} sp_trace_softbox;

typedef enum sp_trace_dome {
    SP_DOME_STUDIO,   ///< grey, 0.05 below to 0.2 above
    SP_DOME_SKY,      ///< CIE clear sky (type 12) around the sun
    SP_DOME_OVERCAST, ///< CIE overcast sky (type 1); no sun
    SP_DOME_FURNACE   ///< 1 everywhere: for tests
} sp_trace_dome;

typedef struct sp_trace_lights {
    sp_trace_dome dome;
    float dome_scale;                 ///< 1
    float sun_elevation, sun_azimuth; ///< degrees; azimuth 0 is +z, 90 is +x
    float sun_strength;               ///< 0: no sun
    const sp_trace_softbox *boxes;    ///< copied
    size_t box_count;
} sp_trace_lights;

typedef struct sp_trace_foam { ///< look of SP_TRACE_FOAM films
    float milk0, milk1, albedo;
    float film_nm; ///< 0: no interference colours
} sp_trace_foam;

typedef struct sp_trace_camera {
    float from[3], to[3], up[3]; ///< m, in the tracer's space
    float fov;                   ///< degrees, vertical
    float lens;                  ///< m; radius of the lens; 0: pinhole
    float focus;                 ///< m; distance that is sharp
} sp_trace_camera;

typedef struct sp_trace_settings {
    int width, height, samples;
    int first_sample; ///< of each pixel; those before it were added earlier
    int depth;        ///< bounces; null crossings are not counted
    int split;   ///< dielectric events of a camera path at which both ways are followed: 0 to 3
    float clamp; ///< largest channel of an indirect contribution; 0: off
    bool shutter_open; ///< motion blur: each path has its own time in [0, 1); else all have 0.5
    uint64_t seed;
    /// Asked now and then from any thread; true ends with SP_CANCELLED. May be NULL.
    bool (*cancelled)(void *user);
    void *user;
    sp_trace_record *record; ///< keeps every ray for a replay; NULL: not wanted
} sp_trace_settings;

/// Linear light and guides, summed over samples; width*height each, from the top left, row by row.
/// sp_trace_finish() turns sums into means.
typedef struct sp_trace_film {
    float (*color)[3];
    float (*albedo)[3]; ///< of the first hit; NULL: not wanted. Likewise normal and depth
    float (*normal)[3];
    float *depth;  ///< m from the camera; 0 where nothing was met
    float *alpha;  ///< 1 where something other than the dome was met; NULL: not wanted
    float *square; ///< of each sample's brightness, for the denoiser; NULL: not wanted
    /// Normal of the first thing behind clear surfaces: of a bubble in a tank, not of the tank. For
    /// the denoiser; NULL: not wanted.
    float (*inner)[3];
} sp_trace_film;

typedef struct sp_trace_stats {
    uint64_t rays, shadow_rays, crossings, leaks, cut; ///< cut: paths ended by depth
    uint64_t bounces;
} sp_trace_stats;

/// ---- Building ----------------------------------------------------------------------------------
/// Coordinates are floats relative to a point near the camera's target, chosen by the caller.

/// SP_UNSUPPORTED with one sentence in a build without Embree. On failure *out is NULL.
sp_status sp_tracer_open(const sp_host *host, sp_tracer **out, sp_error *err);
void sp_tracer_close(sp_tracer *tracer); ///< NULL is welcome
/// Adds a mesh; x is used as it is (its origin is ignored), copied. Normals are used for shading
/// where there are some. `moved` (may be NULL) are the vertices at the end of the shutter.
/// `material` is an index from sp_tracer_material, read for SP_TRACE_OPAQUE only.
sp_status sp_tracer_mesh(sp_tracer *tracer, const sp_mesh *mesh, const float (*moved)[3],
                         sp_trace_class kind, int material, sp_error *err);
/// Adds spheres: x, y, z, radius each; `moved` likewise or NULL. `milk` (SP_TRACE_FOAM; may be
/// NULL) scales milk0 and milk1 of each sphere; `color` (opaque; may be NULL) overrides the
/// material's.
sp_status sp_tracer_spheres(sp_tracer *tracer, size_t count, const float (*sphere)[4],
                            const float (*moved)[4], sp_trace_class kind, int material,
                            const float (*milk)[2], const float (*color)[3], sp_error *err);
int sp_tracer_material(sp_tracer *tracer, const sp_trace_material *material); ///< -1: no memory
void sp_tracer_water(sp_tracer *tracer, const sp_trace_medium *water);
void sp_tracer_glass(sp_tracer *tracer, const sp_trace_medium *glass);
void sp_tracer_foam(sp_tracer *tracer, const sp_trace_foam *foam);
sp_status sp_tracer_lights(sp_tracer *tracer, const sp_trace_lights *lights, sp_error *err);
/// Builds the tree. Nothing may be added afterwards.
sp_status sp_tracer_commit(sp_tracer *tracer, sp_error *err);
size_t sp_tracer_bytes(const sp_tracer *tracer); ///< what Embree and our copies of geometry hold

/// ---- Tracing -----------------------------------------------------------------------------------

/// Adds samples to the film (which the caller zeroed before the first). Each pixel is summed by one
/// thread in sample order; the result depends on the seed alone. `stats` may be NULL; it is added
/// to.
sp_status sp_tracer_render(const sp_tracer *tracer, const sp_trace_camera *camera,
                           const sp_trace_settings *settings, sp_trace_film *film,
                           sp_trace_stats *stats, sp_error *err);

/// ---- Pictures ----------------------------------------------------------------------------------

/// Allocates a zeroed film with all its layers; on failure it is left zeroed.
sp_status sp_trace_film_open(sp_trace_film *film, const sp_host *host, int width, int height,
                             sp_error *err);
void sp_trace_film_close(sp_trace_film *film, const sp_host *host);
/// Sums become means over `samples`.
void sp_trace_finish(sp_trace_film *film, int width, int height, int samples);
/// Smooths noise and keeps edges: 5x5 a-trous wavelets in three levels, guided by normal, albedo
/// and depth of the first hit and by the noise itself. After sp_trace_finish(); all layers but
/// alpha and inner must be there, and inner helps behind glass.
sp_status sp_trace_denoise(sp_trace_film *film, int width, int height, int samples,
                           const sp_host *host, sp_error *err);
/// The same, given up with SP_CANCELLED when `cancelled`, asked every few rows from any thread,
/// says so.
sp_status sp_trace_denoise_unless(sp_trace_film *film, int width, int height, int samples,
                                  bool (*cancelled)(void *user), void *user, const sp_host *host,
                                  sp_error *err);
enum { SP_TRACE_FILM_FLOATS = 15, SP_TRACE_DENOISE_FLOATS = 15 }; ///< a pixel that each takes

typedef enum sp_trace_tone { SP_TONE_FILMIC, SP_TONE_SRGB, SP_TONE_LINEAR } sp_trace_tone;
/// Linear light to display values, `count` pixels of three channels. `ev`: exposure in stops.
void sp_trace_tone8(const float (*color)[3], size_t count, float ev, sp_trace_tone tone,
                    unsigned char (*out)[3]);
void sp_trace_tone16(const float (*color)[3], size_t count, float ev, sp_trace_tone tone,
                     uint16_t (*out)[3]);

/// ---- For benchmarks: every ray of a picture, replayed through Embree alone ---------------------

sp_status sp_trace_record_open(const sp_host *host, sp_trace_record **out, sp_error *err);
void sp_trace_record_close(sp_trace_record *record); ///< NULL is welcome
/// Sends the recorded rays through Embree again, in the same order and blocks. Returns how many of
/// them met something, so that no compiler can leave the work out; `rays` gets their number.
uint64_t sp_tracer_replay(const sp_tracer *tracer, const sp_trace_record *record, uint64_t *rays);

#endif

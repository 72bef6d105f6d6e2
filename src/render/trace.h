// SPDX-License-Identifier: Apache-2.0
#ifndef SP_RENDER_TRACE_H
#define SP_RENDER_TRACE_H

/// The path tracer, on Embree. It knows meshes, spheres, materials, lights and a camera, and no
/// frames: stage_to_tracer.c turns frames into these. Water with bubbles follows three rules:
///  1. The medium at a point is a function of three counters: the number of water, bubble and glass
///     surfaces around it. So water, glass, meshes and millions of spheres may overlap in any way.
///  2. A bubble wall with air on both sides is a thin film that does not refract.
///  3. Foam is white because that film also scatters near its rim: one bubble looks like a ring, a
///     layer of many bubbles averages to white.

#include "frame/frame.h"

#include <spume/mesh.h>

typedef struct sp_tracer sp_tracer;
typedef struct sp_trace_record sp_trace_record;

/// How a ray treats a geometry.
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

typedef struct sp_trace_material { ///< of SP_TRACE_OPAQUE; zeroed: black
    float color[3];                ///< albedo
    float rough; ///< of metals and coats, 0.05 (mirror-like) to 1; below 0.05 is set to 0.05
    bool metal;
    float coat;         ///< weight of a clear coat (ior 1.5) over the colour, 0 to 1
    float emission[3];  ///< radiance; no shadow rays are sent to it, only paths that hit it add it
    int pattern;        ///< by world position: 0 plain, 1 square tiles with grout, 2 sand or stone
    float pattern_size; ///< m
    /// A soft patch of light painted on the surface, such as the glow on a studio's wall, radiance
    ///     glow * exp(-(dx^2 + dz^2)/across^2 - dy^2/upward^2),    d from glow_at.
    /// glow_across 0: none.
    float glow[3], glow_at[3], glow_across, glow_upward;
} sp_trace_material;

/// A softbox: a one-sided parallelogram at center, spanned by half edges u and v, emitting along
/// cross(u, v). Its emission fades to zero over the outer quarter. It blocks no ray and is
/// invisible from behind.
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
    float dome_scale;                 ///< multiplies the dome's radiance; usually 1
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
    float focus;                 ///< m; distance in focus
} sp_trace_camera;

typedef struct sp_trace_settings {
    int width, height, samples;
    int first_sample; ///< of each pixel; earlier calls added those before it
    int depth;        ///< most bounces; crossings that do not change the medium are not counted
    int split;   ///< how many first dielectric hits follow both reflection and refraction, 0 to 3
    float clamp; ///< largest channel of an indirect contribution; 0: off
    bool shutter_open; ///< motion blur: each path draws a time in [0, 1); false: all have 0.5
    uint64_t seed;
    /// Called now and then from any thread; true stops with SP_CANCELLED. May be NULL.
    bool (*cancelled)(void *user);
    void *user;
    sp_trace_record *record; ///< stores every ray for a replay; NULL: off
} sp_trace_settings;

/// Sums over samples of linear light and of guides for the denoiser. Each layer has width*height
/// elements, row by row from the top left. sp_trace_finish() turns sums into means. All layers but
/// color may be NULL: not recorded.
typedef struct sp_trace_film {
    float (*color)[3];
    float (*albedo)[3]; ///< of the first hit, as are normal and depth
    float (*normal)[3];
    float *depth;  ///< m from the camera; 0 where nothing was hit
    float *alpha;  ///< 1 where anything but the dome was hit
    float *square; ///< squared luminance of each sample, for the denoiser
    /// Normal of the first hit behind clear surfaces (a bubble in a tank, not the tank), for the
    /// denoiser.
    float (*inner)[3];
} sp_trace_film;

typedef struct sp_trace_stats {
    uint64_t rays, shadow_rays, crossings;
    uint64_t leaks; ///< times that a counter would have fallen below 0
    uint64_t cut;   ///< paths ended by depth
    uint64_t bounces;
} sp_trace_stats;

/// ---- Building ----------------------------------------------------------------------------------
/// Coordinates are floats relative to a point near the camera's target, chosen by the caller.

/// Without Embree: SP_UNSUPPORTED. On failure *out is NULL.
sp_status sp_tracer_open(const sp_host *host, sp_tracer **out, sp_error *err);
void sp_tracer_close(sp_tracer *tracer); ///< NULL is allowed
/// Adds a mesh and copies it. Its origin is ignored: x is used as it is. Normals, if any, are used
/// for shading. `moved` (may be NULL) holds the vertices at the end of the shutter. `material` is
/// an index from sp_tracer_material(), used by SP_TRACE_OPAQUE only.
sp_status sp_tracer_mesh(sp_tracer *tracer, const sp_mesh *mesh, const float (*moved)[3],
                         sp_trace_class kind, int material, sp_error *err);
/// Adds spheres, each x, y, z, radius; `moved` (may be NULL) holds them at the end of the shutter.
/// `milk` (SP_TRACE_FOAM; may be NULL) scales milk0 and milk1 of each sphere; `color`
/// (SP_TRACE_OPAQUE; may be NULL) replaces the material's.
sp_status sp_tracer_spheres(sp_tracer *tracer, size_t count, const float (*sphere)[4],
                            const float (*moved)[4], sp_trace_class kind, int material,
                            const float (*milk)[2], const float (*color)[3], sp_error *err);
int sp_tracer_material(sp_tracer *tracer, const sp_trace_material *material); ///< -1: no memory
void sp_tracer_water(sp_tracer *tracer, const sp_trace_medium *water);
void sp_tracer_glass(sp_tracer *tracer, const sp_trace_medium *glass);
void sp_tracer_foam(sp_tracer *tracer, const sp_trace_foam *foam);
sp_status sp_tracer_lights(sp_tracer *tracer, const sp_trace_lights *lights, sp_error *err);
/// Builds the bounding volume hierarchy. Nothing may be added afterwards.
sp_status sp_tracer_commit(sp_tracer *tracer, sp_error *err);
size_t sp_tracer_bytes(const sp_tracer *tracer); ///< held by Embree and by our copies of geometry

/// ---- Tracing -----------------------------------------------------------------------------------

/// Adds samples to the film, which the caller zeroes before the first call. One thread sums each
/// pixel in sample order, so the result depends on the seed alone. `stats` (may be NULL) is added
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
/// and depth of the first hit and by the noise itself. Call it after sp_trace_finish(). It needs
/// all layers but alpha and inner; inner improves the result behind glass. Calls `cancelled` (may
/// be NULL) every few rows from any thread; true stops with SP_CANCELLED.
sp_status sp_trace_denoise(sp_trace_film *film, int width, int height, int samples,
                           bool (*cancelled)(void *user), void *user, const sp_host *host,
                           sp_error *err);
/// Memory of each, floats a pixel.
enum { SP_TRACE_FILM_FLOATS = 15, SP_TRACE_DENOISE_FLOATS = 15 };

typedef enum sp_trace_tone { SP_TONE_FILMIC, SP_TONE_SRGB, SP_TONE_LINEAR } sp_trace_tone;
/// Linear light to display values, `count` pixels of three channels. `ev`: exposure in stops.
void sp_trace_tone8(const float (*color)[3], size_t count, float ev, sp_trace_tone tone,
                    unsigned char (*out)[3]);

/// ---- For benchmarks: every ray of a picture, traced again by Embree alone ----------------------

sp_status sp_trace_record_open(const sp_host *host, sp_trace_record **out, sp_error *err);
void sp_trace_record_close(sp_trace_record *record); ///< NULL is allowed
/// Traces the recorded rays again, in the same order and blocks. Returns the number of hits, so
/// that the compiler cannot remove the work; `rays` gets the number of rays.
uint64_t sp_tracer_replay(const sp_tracer *tracer, const sp_trace_record *record, uint64_t *rays);

#endif

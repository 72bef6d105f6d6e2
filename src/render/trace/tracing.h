// SPDX-License-Identifier: Apache-2.0
#ifndef SP_RENDER_TRACE_TRACING_H
#define SP_RENDER_TRACE_TRACING_H

/// Shared by the files of the path tracer. A path is a ray with a throughput and three counters.

#include "render/trace.h"

#include <stdatomic.h>

/// The three media and the three layers. A point is inside n[k] surfaces of layer k.
enum { TRACE_AIR, TRACE_WATER, TRACE_GLASS, TRACE_MEDIA };
enum { LAYER_WATER, LAYER_BUBBLE, LAYER_GLASS, LAYERS };
typedef struct trace_counts {
    int n[LAYERS];
} trace_counts;

/// The medium at a point: glass replaces everything, a bubble replaces water. Nested dielectrics
/// with fixed priorities (Schmidt and Budge 2002); all geometries of a layer form one union.
static inline int trace_medium(trace_counts c)
{
    return c.n[LAYER_GLASS] > 0    ? TRACE_GLASS
           : c.n[LAYER_BUBBLE] > 0 ? TRACE_AIR
           : c.n[LAYER_WATER] > 0  ? TRACE_WATER
                                   : TRACE_AIR;
}

static inline int trace_layer(sp_trace_class kind)
{
    return kind == SP_TRACE_WATER   ? LAYER_WATER
           : kind == SP_TRACE_GLASS ? LAYER_GLASS
                                    : LAYER_BUBBLE;
}

/// Counters after entering (or leaving) a surface. A counter stays at zero instead of falling below
/// it; *leaks counts these cases.
static inline trace_counts trace_cross(trace_counts c, sp_trace_class kind, bool entering,
                                       uint64_t *leaks)
{
    int *n = &c.n[trace_layer(kind)];
    if (entering) {
        ++*n;
    } else if (*n > 0) {
        --*n;
    } else {
        ++*leaks;
    }
    return c;
}

/// ---- Small vectors and colours -----------------------------------------------------------------

static inline sp_vec3 trace_vec(const float v[3])
{
    return (sp_vec3){v[0], v[1], v[2]};
}
static inline sp_vec3 trace_times(sp_vec3 a, sp_vec3 b)
{
    return (sp_vec3){a.x * b.x, a.y * b.y, a.z * b.z};
}
static inline float trace_max_channel(sp_vec3 a)
{
    return fmaxf(a.x, fmaxf(a.y, a.z));
}
static inline float trace_luminance(sp_vec3 c) ///< luminance of linear sRGB
{
    return 0.2126f * c.x + 0.7152f * c.y + 0.0722f * c.z;
}
/// Two unit vectors that complete n to an orthonormal basis (Duff et al. 2017).
static inline void trace_basis(sp_vec3 n, sp_vec3 *a, sp_vec3 *b)
{
    const float sign = n.z < 0.0f ? -1.0f : 1.0f, k = -1.0f / (sign + n.z), m = n.x * n.y * k;
    *a = (sp_vec3){1.0f + sign * n.x * n.x * k, sign * m, -sign * n.x};
    *b = (sp_vec3){m, sign + n.y * n.y * k, -n.y};
}

/// Exact unpolarised Fresnel reflectance from index n0 into n1 at cos_in >= 0; 1 at total
/// reflection. *cos_out is the cosine on the other side.
static inline float trace_fresnel(float cos_in, float n0, float n1, float *cos_out)
{
    const float eta = n0 / n1, sin2 = eta * eta * (1.0f - cos_in * cos_in);
    if (sin2 >= 1.0f) {
        *cos_out = 0.0f;
        return 1.0f;
    }
    const float c1 = sqrtf(1.0f - sin2);
    const float s = (n0 * cos_in - n1 * c1) / (n0 * cos_in + n1 * c1);
    const float p = (n1 * cos_in - n0 * c1) / (n1 * cos_in + n0 * c1);
    *cos_out = c1;
    return 0.5f * (s * s + p * p);
}

static inline sp_vec3 trace_reflect(sp_vec3 d, sp_vec3 n)
{
    return sp_madd(d, n, -2.0f * sp_dot(d, n));
}

/// Beer-Lambert transmittance of `length` metres of a medium.
static inline sp_vec3 trace_beer_lambert(sp_vec3 absorb, float length)
{
    return (sp_vec3){sp_expf(-absorb.x * length), sp_expf(-absorb.y * length),
                     sp_expf(-absorb.z * length)};
}

/// ---- Samples -----------------------------------------------------------------------------------

/// Mixes 32 bits so that each depends on all (Wellons's lowbias32).
static inline uint32_t trace_mix(uint32_t x)
{
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ (x >> 16);
}

typedef struct trace_pair {
    float a, b; ///< each in [0, 1)
} trace_pair;
/// Pair number `pair` of sample `index` of a pixel. Each pair is an Owen-scrambled (0,2)-sequence.
trace_pair trace_sample(uint32_t pixel_key, uint32_t pair, uint32_t index);
uint32_t trace_pixel_key(uint64_t seed, uint32_t pixel);
void trace_sample_disc(trace_pair u, float *x, float *y); ///< concentric map onto the unit disc
sp_vec3 trace_sample_cosine(sp_vec3 n, trace_pair u);     ///< cosine-weighted direction around n

/// ---- Camera ------------------------------------------------------------------------------------

typedef struct trace_lens {
    sp_vec3 from, right, up, ahead; ///< right and up: half the picture's size at distance 1
    sp_vec3 lens_x, lens_y;         ///< the lens's radius, along right and up
    float focus;
    int width, height;
} trace_lens;
sp_status trace_lens_open(trace_lens *lens, const sp_trace_camera *camera, int width, int height,
                          sp_error *err);
/// A ray through pixel (x, y) counted from the top left; `film` and `aperture` in [0, 1)^2.
void trace_lens_ray(const trace_lens *lens, int x, int y, trace_pair film, trace_pair aperture,
                    sp_vec3 *at, sp_vec3 *dir);

/// ---- Lights ------------------------------------------------------------------------------------

typedef struct trace_box {
    sp_vec3 center, u, v, normal, radiance;
    sp_vec3 over_u, over_v; ///< dot with a point of the plane: its coordinates in half edges
    float area, power;
} trace_box;

typedef struct trace_lighting {
    sp_trace_dome dome;
    float scale;
    trace_box *boxes;
    size_t box_count;
    bool sun;
    sp_vec3 sun_dir, sun_irradiance; ///< sun_dir points to the sun
    float sun_power, zenith;         ///< zenith: 1 over clear_sky() straight up
} trace_lighting;

sp_status trace_lighting_open(trace_lighting *l, const sp_trace_lights *def, const sp_host *host,
                              sp_error *err);
void trace_lighting_close(trace_lighting *l, const sp_host *host);
sp_vec3 trace_dome_light(const trace_lighting *l, sp_vec3 dir);
/// Radiance of the sun's disc. After a mirror it is 1.5 degrees wide instead of 0.265, with the
/// same irradiance: a small bright spot would need more samples than the wider one costs in
/// accuracy.
sp_vec3 trace_sun_light(const trace_lighting *l, sp_vec3 dir, bool after_mirror);
/// Light of the softboxes that a ray crosses before `length`, dimmed by the medium.
sp_vec3 trace_box_light(const trace_lighting *l, sp_vec3 at, sp_vec3 dir, float length,
                        sp_vec3 absorb);
/// Chooses one light for a point with a probability that follows its possible contribution. `value`
/// is radiance times solid angle over the probability (W/m^2 facing the light). False: no light can
/// reach the point.
typedef struct trace_light_ray {
    sp_vec3 dir, value;
    float length;
} trace_light_ray;
bool trace_light_sample(const trace_lighting *l, sp_vec3 at, float choice, trace_pair u,
                        trace_light_ray *out);

/// ---- Films -------------------------------------------------------------------------------------

typedef struct trace_film {
    sp_vec3 reflect; ///< share reflected, by channel; equal without interference
    float milk;      ///< share of the rest that scatters
} trace_film;
/// A bubble wall with air on both sides at cosine mu. `where`: the point in units of the radius.
trace_film trace_film_at(const sp_trace_foam *foam, float n_water, float mu, const float milk[2],
                         sp_vec3 where);

/// Smooth value noise in [0, 1] on a lattice of unit size.
float trace_noise(sp_vec3 p);

/// ---- Opaque ------------------------------------------------------------------------------------

typedef struct trace_opaque {
    sp_vec3 color, emission;
    float rough, coat;
    bool metal;
} trace_opaque;
trace_opaque trace_opaque_at(const sp_trace_material *m, const float color[3], sp_vec3 p,
                             sp_vec3 n);
/// Samples a reflection of direction d at a GGX surface with normal n (visible normals). *cos_half
/// gets the cosine between d and the microfacet, *share the Smith masking of the outgoing
/// direction. False if that points below the surface.
bool trace_ggx_sample(sp_vec3 d, sp_vec3 n, float rough, trace_pair u, sp_vec3 *out,
                      float *cos_half, float *share);
/// GGX reflectance times cosine, without Fresnel, for light from direction `dir`.
float trace_ggx_towards(sp_vec3 d, sp_vec3 n, float rough, sp_vec3 dir, float *cos_half);

#if defined(SPUME_WITH_EMBREE)
#include <embree3/rtcore.h>

/// ---- The scene ---------------------------------------------------------------------------------

/// One Embree geometry. Embree shares these arrays. They have one spare element at the end because
/// Embree reads sixteen bytes at the last vertex.
typedef struct trace_piece {
    sp_trace_class kind;
    bool spheres;
    int material;
    size_t count;                  ///< primitives
    float (*sphere)[4], (*end)[4]; ///< at shutter time 0 and 1; end NULL: at rest
    float (*milk)[2], (*color)[3];
    float (*x)[3], (*moved)[3], (*n)[3];
    uint32_t (*tri)[3];
} trace_piece;

struct sp_tracer {
    const sp_host *host;
    RTCDevice device;
    RTCScene scene;
    trace_piece *pieces; ///< by geomID
    size_t piece_count, piece_room;
    sp_trace_material *materials;
    size_t material_count, material_room;
    float ior[TRACE_MEDIA];
    sp_vec3 absorb[TRACE_MEDIA];
    bool clear[TRACE_MEDIA]; ///< absorbs nothing
    sp_trace_foam foam;
    trace_lighting lights;
    float largest_move; ///< m; largest motion of any vertex or centre
    bool committed;
    size_t own_bytes;
    atomic_llong embree_bytes;
};

/// Classes whose surfaces do not change the medium, one bit each: inside glass all but glass,
/// inside a bubble water. Embree's filter skips them in one traversal instead of one traversal for
/// each.
static inline unsigned trace_hidden_classes(trace_counts c)
{
    if (c.n[LAYER_GLASS] > 0)
        return 1u << SP_TRACE_WATER | 1u << SP_TRACE_BUBBLE | 1u << SP_TRACE_FOAM;
    return c.n[LAYER_BUBBLE] > 0 ? 1u << SP_TRACE_WATER : 0u;
}

/// The primitive that a ray leaves, so that the ray does not hit it again. A triangle is skipped at
/// any distance. So is a sphere when the ray leaves it outward; inward the near half of the chord
/// is skipped. A tnear epsilon is not used: it would lose crossings of other spheres within the
/// gap, and counters would drift.
typedef struct trace_context {
    struct RTCIntersectContext embree; ///< must be first: filters get a pointer to it
    unsigned geom, prim;
    float until;
    unsigned hide;
    const trace_piece *pieces;
} trace_context;

typedef struct trace_ray {
    sp_vec3 at, dir;
    float time;
    unsigned geom, prim; ///< the primitive it leaves; RTC_INVALID_GEOMETRY_ID: none
    float until;
    unsigned hide; ///< classes to skip, see trace_hidden_classes()
} trace_ray;

typedef struct trace_surface {
    const trace_piece *piece;
    unsigned geom, prim;
    float t;
    sp_vec3 at;
    sp_vec3 ng, n; ///< geometric and shading normal, unit, outward
    float radius;  ///< of a sphere
    bool entering;
} trace_surface;

/// Nearest hit that is not hidden; false: none. Hidden surfaces before it update `counts` and
/// `stats`; both may be NULL if ray->hide is 0.
bool trace_intersect(const sp_tracer *tracer, const trace_ray *ray, trace_surface *s,
                     trace_counts *counts, sp_trace_stats *stats);
/// A ray that leaves a surface in direction `dir`.
trace_ray trace_ray_from(const trace_surface *s, sp_vec3 dir, float time);
/// Counters at a point: surfaces left minus surfaces entered along a ray to infinity.
trace_counts trace_counts_at(const sp_tracer *tracer, sp_vec3 at, float time);
bool trace_near_surface(const sp_tracer *tracer, sp_vec3 at, float distance);
/// Transmittance of a straight ray of `length` through the media and surfaces it crosses.
sp_vec3 trace_transmittance(const sp_tracer *tracer, const trace_ray *ray, float length,
                            trace_counts counts);

/// ---- Recording ---------------------------------------------------------------------------------

typedef struct trace_logged {
    trace_ray ray;
    float length; ///< infinite: a path ray
    bool shadow;
} trace_logged;
typedef struct trace_log { ///< of one block of pixels
    trace_logged *rays;
    size_t count, room;
    bool failed;
} trace_log;
struct sp_trace_record {
    const sp_host *host;
    trace_log *logs;
    size_t log_count;
};
sp_status trace_record_size(sp_trace_record *record, size_t logs, sp_error *err);
void trace_log_ray(const sp_host *host, trace_log *log, const trace_ray *ray, float length,
                   bool shadow);
void trace_fill_ray(struct RTCRay *out, const trace_ray *ray, float length);
void trace_skip_origin(const struct RTCFilterFunctionNArguments *args);
void trace_context_open(trace_context *c, const sp_tracer *t, const trace_ray *ray,
                        RTCFilterFunctionN filter);
#endif

#endif

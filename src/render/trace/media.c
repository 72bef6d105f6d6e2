// SPDX-License-Identifier: Apache-2.0
/// Rays against surfaces, and the counters that give the medium: the nearest hit, the ray that
/// leaves it, the counters at a point, and transmittance along a shadow ray.
#include "render/trace/tracing.h"

#if defined(SPUME_WITH_EMBREE)

/// Offsets into Embree's single rays and hits, seen as arrays of one: its accessors exist in C++
/// only.
enum { HIT_PRIM = 5, HIT_GEOM = 6, RAY_FAR = 8 };

static inline unsigned hit_word(const struct RTCFilterFunctionNArguments *a, int i)
{
    return ((const unsigned *)(const void *)a->hit)[i];
}

static inline float hit_distance(const struct RTCFilterFunctionNArguments *a)
{
    return ((const float *)(const void *)a->ray)[RAY_FAR];
}

/// Whether the hit is on the primitive that the ray has just left.
static inline bool is_origin(const struct RTCFilterFunctionNArguments *a)
{
    const trace_context *c = (const trace_context *)a->context;
    return hit_word(a, HIT_PRIM) == c->prim && hit_word(a, HIT_GEOM) == c->geom &&
           hit_distance(a) < c->until;
}

void trace_skip_origin(const struct RTCFilterFunctionNArguments *a)
{
    if (is_origin(a)) a->valid[0] = 0;
}

void trace_fill_ray(struct RTCRay *out, const trace_ray *ray, float length)
{
    *out = (struct RTCRay){.org_x = ray->at.x,
                           .org_y = ray->at.y,
                           .org_z = ray->at.z,
                           .tnear = 0.0f,
                           .dir_x = ray->dir.x,
                           .dir_y = ray->dir.y,
                           .dir_z = ray->dir.z,
                           .time = ray->time,
                           .tfar = length,
                           .mask = 0xffffffffu,
                           .id = 0,
                           .flags = 0};
}

void trace_context_open(trace_context *c, const sp_tracer *t, const trace_ray *ray,
                        RTCFilterFunctionN filter)
{
    rtcInitIntersectContext(&c->embree);
    c->embree.filter = filter;
    c->geom = ray->geom;
    c->prim = ray->prim;
    c->until = ray->until;
    c->hide = ray->hide;
    c->pieces = t->pieces;
}

static sp_vec3 lerp(const float *a, const float *b, float t)
{
    return b ? (sp_vec3){sp_mix(a[0], b[0], t), sp_mix(a[1], b[1], t), sp_mix(a[2], b[2], t)}
             : (sp_vec3){a[0], a[1], a[2]};
}

/// Embree's hit on a small sphere is off by up to 4e-4 of the radius, so the point is projected
/// back.
static void sphere_surface(const trace_ray *ray, trace_surface *s)
{
    const trace_piece *p = s->piece;
    const float *a = p->sphere[s->prim], *b = p->end ? p->end[s->prim] : NULL;
    const sp_vec3 c = lerp(a, b, ray->time);
    s->radius = b ? sp_mix(a[3], b[3], ray->time) : a[3];
    s->n = s->ng =
        sp_normalize(sp_sub(sp_madd(ray->at, ray->dir, s->t), c), sp_scale(ray->dir, -1.0f));
    s->at = sp_madd(c, s->n, s->radius);
}

static void triangle_surface(const trace_ray *ray, const struct RTCHit *hit, trace_surface *s)
{
    const trace_piece *p = s->piece;
    const uint32_t *k = p->tri[s->prim];
    const float w = 1.0f - hit->u - hit->v;
    sp_vec3 at = {0}, n = {0};
    const float weight[3] = {w, hit->u, hit->v};
    for (int i = 0; i < 3; ++i) {
        at = sp_madd(at, lerp(p->x[k[i]], p->moved ? p->moved[k[i]] : NULL, ray->time), weight[i]);
        if (p->n) n = sp_madd(n, trace_vec(p->n[k[i]]), weight[i]);
    }
    s->at = at; // from the vertices: more digits than origin + t*direction
    s->ng = sp_normalize((sp_vec3){hit->Ng_x, hit->Ng_y, hit->Ng_z}, sp_scale(ray->dir, -1.0f));
    s->n = p->n ? sp_normalize(n, s->ng) : s->ng;
    s->radius = 0.0f;
    // Do not use a shading normal on the other side of the surface.
    if ((sp_dot(ray->dir, s->n) < 0.0f) != (sp_dot(ray->dir, s->ng) < 0.0f)) s->n = s->ng;
}

enum { MOST_HIDDEN = 16 };

typedef struct passing {
    trace_context context; ///< first
    int count;
    struct {
        float t;
        int layer, step;
    } list[MOST_HIDDEN];
} passing;

static inline float facing(const struct RTCFilterFunctionNArguments *a)
{
    const float *hit = (const float *)(const void *)a->hit,
                *ray = (const float *)(const void *)a->ray;
    return hit[0] * ray[4] + hit[1] * ray[5] + hit[2] * ray[6];
}

/// Records hidden surfaces and lets the ray pass. Embree reports them in any order and may report
/// ones beyond the nearest hit, so each is stored with its distance. When the list is full, a
/// hidden surface counts as a hit.
static void pass_hidden(const struct RTCFilterFunctionNArguments *a)
{
    passing *p = (passing *)(void *)a->context;
    const sp_trace_class kind = p->context.pieces[hit_word(a, HIT_GEOM)].kind;
    if (is_origin(a)) {
        a->valid[0] = 0;
    } else if ((p->context.hide >> kind & 1u) && p->count < MOST_HIDDEN) {
        p->list[p->count].t = hit_distance(a);
        p->list[p->count].layer = trace_layer(kind);
        p->list[p->count++].step = facing(a) < 0.0f ? 1 : -1;
        a->valid[0] = 0;
    }
}

/// Updates the counters by the hidden surfaces nearer than t.
static void count_hidden(const passing *p, float t, trace_counts *counts, sp_trace_stats *stats)
{
    for (int i = 0; i < p->count; ++i)
        if (p->list[i].t < t) {
            counts->n[p->list[i].layer] += p->list[i].step;
            ++stats->crossings;
        }
    for (int l = 0; l < LAYERS; ++l)
        if (counts->n[l] < 0) {
            ++stats->leaks;
            counts->n[l] = 0;
        }
}

bool trace_intersect(const sp_tracer *t, const trace_ray *ray, trace_surface *s,
                     trace_counts *counts, sp_trace_stats *stats)
{
    passing p;
    p.count = 0;
    trace_context_open(&p.context, t, ray, ray->hide ? pass_hidden : trace_skip_origin);
    struct RTCRayHit r;
    trace_fill_ray(&r.ray, ray, INFINITY);
    r.hit.geomID = RTC_INVALID_GEOMETRY_ID;
    r.hit.instID[0] = RTC_INVALID_GEOMETRY_ID;
    rtcIntersect1(t->scene, &p.context.embree, &r);
    if (p.count) count_hidden(&p, r.ray.tfar, counts, stats);
    if (r.hit.geomID == RTC_INVALID_GEOMETRY_ID) return false;
    s->geom = r.hit.geomID;
    s->prim = r.hit.primID;
    s->piece = &t->pieces[s->geom];
    s->t = r.ray.tfar;
    // Embree's normal decides the side: after projection a grazing hit might change sides.
    s->entering =
        ray->dir.x * r.hit.Ng_x + ray->dir.y * r.hit.Ng_y + ray->dir.z * r.hit.Ng_z < 0.0f;
    if (s->piece->spheres) {
        sphere_surface(ray, s);
    } else {
        triangle_surface(ray, &r.hit, s);
    }
    return true;
}

trace_ray trace_ray_from(const trace_surface *s, sp_vec3 dir, float time)
{
    trace_ray ray = {
        .at = s->at, .dir = dir, .time = time, .geom = s->geom, .prim = s->prim, .until = INFINITY};
    const float out = sp_dot(dir, s->ng);
    if (s->piece->spheres) {
        if (out < 0.0f) ray.until = -out * s->radius; // half the chord
    } else {
        const float reach = fmaxf(fabsf(s->at.x), fmaxf(fabsf(s->at.y), fabsf(s->at.z)));
        const float off = 3e-7f * reach + 1e-7f;
        ray.at = sp_madd(s->at, s->ng, out < 0.0f ? -off : off);
    }
    return ray;
}

/// ---- Counters at a point -----------------------------------------------------------------------

typedef struct counting {
    trace_context context; ///< first
    const sp_tracer *tracer;
    trace_counts counts;
} counting;

/// Adds up every crossing along a ray; the order does not matter.
static void count_all(const struct RTCFilterFunctionNArguments *a)
{
    counting *c = (counting *)(void *)a->context;
    const trace_piece *p = &c->tracer->pieces[hit_word(a, HIT_GEOM)];
    if (p->kind != SP_TRACE_OPAQUE) c->counts.n[trace_layer(p->kind)] += facing(a) > 0.0f ? 1 : -1;
    a->valid[0] = 0;
}

static trace_counts counts_along(const sp_tracer *t, sp_vec3 at, sp_vec3 dir, float time)
{
    counting c = {.tracer = t};
    const trace_ray ray = {.at = at, .dir = dir, .time = time, .geom = RTC_INVALID_GEOMETRY_ID};
    trace_context_open(&c.context, t, &ray, count_all);
    struct RTCRay r;
    trace_fill_ray(&r, &ray, INFINITY);
    rtcOccluded1(t->scene, &c.context.embree, &r);
    return c.counts;
}

trace_counts trace_counts_at(const sp_tracer *t, sp_vec3 at, float time)
{
    // Three directions unlikely to lie in a wall; the median ignores a ray that hit an edge.
    static const float ways[3][3] = {
        {0.123f, 0.987f, 0.0713f}, {-0.817f, 0.3071f, 0.4883f}, {0.5209f, -0.1171f, -0.8455f}};
    int n[3][LAYERS];
    for (int k = 0; k < 3; ++k) {
        const sp_vec3 dir = sp_normalize(trace_vec(ways[k]), (sp_vec3){0, 1, 0});
        const trace_counts c = counts_along(t, at, dir, time);
        for (int l = 0; l < LAYERS; ++l)
            n[k][l] = c.n[l];
    }
    trace_counts out;
    for (int l = 0; l < LAYERS; ++l) {
        const int a = n[0][l], b = n[1][l], c = n[2][l];
        const int low = a < b ? a : b, high = a < b ? b : a;
        const int median = c < low ? low : c > high ? high : c;
        out.n[l] = median > 0 ? median : 0;
    }
    return out;
}

bool trace_near_surface(const sp_tracer *t, sp_vec3 at, float distance)
{
    for (int k = 0; k < 27; ++k) {
        const sp_vec3 dir = {(float)(k % 3 - 1), (float)(k / 3 % 3 - 1), (float)(k / 9 - 1)};
        if (k == 13) continue; // the zero vector
        const trace_ray ray = {
            .at = at, .dir = sp_normalize(dir, dir), .time = 0.5f, .geom = RTC_INVALID_GEOMETRY_ID};
        trace_surface s;
        if (trace_intersect(t, &ray, &s, NULL, NULL) && s.t < distance) return true;
    }
    return false;
}

/// ---- Transmittance along a shadow ray ----------------------------------------------------------

enum { MOST_CROSSINGS = 48 };

typedef struct crossing {
    float t, mu;
    unsigned geom, prim;
    bool entering;
} crossing;

typedef struct collecting {
    trace_context context; ///< first
    const sp_tracer *tracer;
    int count;
    crossing list[MOST_CROSSINGS];
} collecting;

/// Records every transparent surface and lets the ray continue; an opaque one, or one too many,
/// stops it. One traversal finds them all; one traversal for each would cost as much as the path
/// itself.
static void collect(const struct RTCFilterFunctionNArguments *a)
{
    collecting *c = (collecting *)(void *)a->context;
    const unsigned geom = hit_word(a, HIT_GEOM), prim = hit_word(a, HIT_PRIM);
    if (is_origin(a)) {
        a->valid[0] = 0;
        return;
    }
    if (c->tracer->pieces[geom].kind == SP_TRACE_OPAQUE || c->count == MOST_CROSSINGS) return;
    const float *ng = (const float *)(const void *)a->hit, along = facing(a);
    const float length2 = ng[0] * ng[0] + ng[1] * ng[1] + ng[2] * ng[2];
    c->list[c->count++] = (crossing){.t = hit_distance(a),
                                     .mu = fminf(fabsf(along) / sqrtf(length2), 1.0f),
                                     .geom = geom,
                                     .prim = prim,
                                     .entering = along < 0.0f};
    a->valid[0] = 0;
}

static bool is_before(const crossing *a, const crossing *b)
{
    if (a->t != b->t) return a->t < b->t;
    return a->geom != b->geom ? a->geom < b->geom : a->prim < b->prim;
}

static void sort_crossings(crossing *list, int count)
{
    for (int i = 1; i < count; ++i) {
        const crossing c = list[i];
        int k = i;
        for (; k > 0 && is_before(&c, &list[k - 1]); --k)
            list[k] = list[k - 1];
        list[k] = c;
    }
}

/// Transmittance of a crossing. The reflectance is that of the side with the lower index at the
/// straight angle, so that there is no total reflection: shadows under water do not become too
/// dark.
static float crossing_transmittance(const sp_tracer *t, const crossing *c, int m0, int m1)
{
    float ignored;
    if (m0 != m1) {
        const float a = t->ior[m0], b = t->ior[m1];
        return 1.0f - trace_fresnel(c->mu, fminf(a, b), fmaxf(a, b), &ignored);
    }
    const trace_piece *p = &t->pieces[c->geom];
    if (p->kind != SP_TRACE_FOAM || m0 != TRACE_AIR) return 1.0f;
    static const float plain[2] = {1.0f, 1.0f};
    const float *milk = p->milk ? p->milk[c->prim] : plain, rim = (1.0f - c->mu) * (1.0f - c->mu);
    return 1.0f - sp_clamp(milk[0] * t->foam.milk0 + milk[1] * t->foam.milk1 * rim, 0.0f, 1.0f);
}

sp_vec3 trace_transmittance(const sp_tracer *t, const trace_ray *ray, float length,
                            trace_counts counts)
{
    collecting c;
    c.tracer = t;
    c.count = 0;
    trace_context_open(&c.context, t, ray, collect);
    struct RTCRay r;
    trace_fill_ray(&r, ray, length);
    rtcOccluded1(t->scene, &c.context.embree, &r);
    if (r.tfar < 0.0f) return (sp_vec3){0}; // Embree's mark for "occluded"
    sort_crossings(c.list, c.count);

    float clear = 1.0f, in[TRACE_MEDIA] = {0}, at = 0.0f;
    uint64_t leaks = 0;
    for (int i = 0; i < c.count; ++i) {
        const sp_trace_class kind = t->pieces[c.list[i].geom].kind;
        const int m0 = trace_medium(counts);
        counts = trace_cross(counts, kind, c.list[i].entering, &leaks);
        in[m0] += c.list[i].t - at;
        at = c.list[i].t;
        clear *= crossing_transmittance(t, &c.list[i], m0, trace_medium(counts));
        if (clear < 0.02f) return (sp_vec3){0};
    }
    const int last = trace_medium(counts);
    if (last == TRACE_WATER && isinf(length)) return (sp_vec3){0}; // the water's mesh is open
    if (!isinf(length)) in[last] += length - at;
    sp_vec3 share = {clear, clear, clear};
    for (int m = TRACE_WATER; m < TRACE_MEDIA; ++m)
        if (in[m] > 0.0f && !t->clear[m])
            share = trace_times(share, trace_beer_lambert(t->absorb[m], in[m]));
    return share;
}

#endif

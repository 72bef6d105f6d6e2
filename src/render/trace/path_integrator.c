// SPDX-License-Identifier: Apache-2.0
/// The integrator. A path runs from the camera from surface to surface:
///
///   nothing met       the dome (and the sun, if only mirrors were met so far); the path ends
///   null crossing     the medium is the same on both sides: straight on, with new counters
///   film              air on both sides of a bubble's wall: mirror, milk or straight on
///   dielectric        Fresnel decides between mirror and refraction; at first both are followed
///   opaque            light from lamps through shadow rays, then a new direction
///
/// Crossings of no consequence are not counted as bounces: in a tank's wall a ray meets as many
/// hidden water faces as real ones, and counting them made the glass black.
#include "render/trace/tracing.h"

#if defined(SPUME_WITH_EMBREE)

#include <string.h>

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

enum { BLOCK = 16, MOST_BRANCHES = 8, MOST_NULLS = 256, ROULETTE_FROM = 8 };
enum { PAIR_FILM, PAIR_LENS, PAIR_TIME, PAIR_EVENTS };

static const float smooth_metal =
    0.3f; // below it lamps are found by reflection, above by shadow rays

typedef struct path {
    trace_ray ray;
    sp_vec3 share; ///< of what comes along it that reaches the pixel
    trace_counts inside;
    uint32_t event; ///< number of the next pair of samples
    int bounce, nulls, splits;
    bool lit;      ///< only mirrors so far: lamps may be taken as they are met
    bool straight; ///< has only passed through clear surfaces
} path;

typedef struct guide {
    sp_vec3 albedo, normal, inner;
    float depth, alpha;
    bool known;
} guide;

/// One thread's view of one block of pixels.
typedef struct worker {
    const sp_tracer *t;
    const sp_trace_settings *settings;
    trace_log *log;
    uint32_t key, index; ///< of the pixel; of the sample
    sp_vec3 light;
    guide guide;
    int waiting_count;
    path waiting[MOST_BRANCHES]; ///< branches split off, not yet followed
    sp_trace_stats stats;
} worker;

static trace_pair draw(worker *w, path *p)
{
    return trace_sample(w->key, p->event++, w->index);
}

/// Adds light that a path found. What came by way of another surface is clamped by its largest
/// channel: rare huge samples would stand as white dots for hundreds of samples.
static void gather(worker *w, const path *p, sp_vec3 light)
{
    sp_vec3 c = trace_times(p->share, light);
    const float most = trace_most(c), limit = w->settings->clamp;
    if (limit > 0.0f && p->bounce > 0 && most > limit) c = sp_scale(c, limit / most);
    w->light = sp_add(w->light, c);
}

/// Remembers what a camera path meets first, and what it meets first behind water and glass.
static void look(worker *w, path *p, const trace_surface *s, sp_vec3 albedo)
{
    if (!p->straight) return;
    const sp_vec3 n = sp_dot(p->ray.way, s->n) > 0.0f ? sp_scale(s->n, -1.0f) : s->n;
    if (s->piece->kind != SP_TRACE_WATER && s->piece->kind != SP_TRACE_GLASS) {
        w->guide.inner = n;
        p->straight = false;
    }
    if (w->guide.known) return;
    w->guide = (guide){.albedo = albedo, .normal = n, .depth = s->t, .alpha = 1.0f, .known = true};
}

/// Goes on from a surface; false when the path ends there.
static bool turn(path *p, const trace_surface *s, sp_vec3 way)
{
    p->ray = trace_leave(s, way, p->ray.time);
    ++p->bounce;
    return trace_most(p->share) > 1e-5f;
}

/// Light of one lamp at a surface, times the cosine over pi. `behind` are the counters on the side
/// that the path did not come from; NULL: no light comes through.
static sp_vec3 lamp(worker *w, path *p, const trace_surface *s, sp_vec3 n,
                    const trace_counts *behind, sp_vec3 *way)
{
    const trace_lighting *l = &w->t->lights;
    if (l->box_count == 0 && !l->sun) return (sp_vec3){0};
    const trace_pair choice = draw(w, p), u = draw(w, p);
    trace_light_ray ray;
    if (!trace_light_sample(l, s->at, choice.a, u, &ray)) return (sp_vec3){0};
    const float along = sp_dot(ray.way, n);
    const bool same_side = sp_dot(ray.way, s->ng) * sp_dot(p->ray.way, s->ng) < 0.0f;
    if (same_side ? along <= 0.0f : !behind) return (sp_vec3){0};
    const trace_ray shadow = trace_leave(s, ray.way, p->ray.time);
    const float length = ray.length * (1.0f - 1e-5f);
    ++w->stats.shadow_rays;
    if (w->log) trace_log_ray(w->t->host, w->log, &shadow, length, true);
    const sp_vec3 clear = trace_through(w->t, &shadow, length, same_side ? p->inside : *behind);
    *way = ray.way;
    return sp_scale(trace_times(ray.value, clear), fabsf(along) / SP_PI);
}

static bool meet_dome(worker *w, const path *p)
{
    const trace_lighting *l = &w->t->lights;
    if (trace_medium(p->inside) == TRACE_WATER)
        return false; // an ocean that is not closed is black
    gather(w, p, trace_dome_light(l, p->ray.way));
    if (p->lit && l->sun) gather(w, p, trace_sun_light(l, p->ray.way, p->bounce > 0));
    return false;
}

/// Straight on through a surface of no consequence.
static bool meet_nothing(worker *w, path *p, const trace_surface *s, trace_counts after)
{
    p->ray = trace_leave(s, p->ray.way, p->ray.time);
    p->inside = after;
    ++w->stats.crossings;
    return ++p->nulls < MOST_NULLS;
}

/// Milk scatters to both sides alike; behind the wall the new counters hold.
static bool scatter(worker *w, path *p, const trace_surface *s, sp_vec3 n, trace_counts after)
{
    p->share = sp_scale(p->share, w->t->foam.albedo);
    sp_vec3 way;
    const sp_vec3 light = lamp(w, p, s, n, &after, &way);
    gather(w, p, sp_scale(light, 0.5f));
    p->lit = false;
    const trace_pair u = draw(w, p);
    const bool through = u.a >= 0.5f;
    const trace_pair half = {through ? 2.0f * u.a - 1.0f : 2.0f * u.a, u.b};
    if (through) p->inside = after;
    return turn(p, s, trace_cosine(through ? sp_scale(n, -1.0f) : n, half));
}

static bool meet_film(worker *w, path *p, const trace_surface *s, trace_counts after)
{
    static const float plain[2] = {1.0f, 1.0f};
    const sp_tracer *t = w->t;
    const bool foam = s->piece->kind == SP_TRACE_FOAM;
    const float *milk = !foam ? NULL : s->piece->milk ? s->piece->milk[s->prim] : plain;
    const float mu = fminf(fabsf(sp_dot(p->ray.way, s->n)), 1.0f);
    const float size = s->radius > 0.0f ? s->radius : 0.01f;
    const trace_film film =
        trace_film_at(&t->foam, t->ior[TRACE_WATER], mu, milk, sp_scale(s->at, 1.0f / size));
    const sp_vec3 n = s->entering ? s->n : sp_scale(s->n, -1.0f), r = film.reflect;
    const float chance = t->foam.film_nm > 0.0f ? (r.x + r.y + r.z) / 3.0f : r.x;
    const trace_pair u = draw(w, p);
    look(w, p, s, (sp_vec3){1.0f, 1.0f, 1.0f});
    if (u.a < chance) {
        if (t->foam.film_nm > 0.0f) p->share = trace_times(p->share, sp_scale(r, 1.0f / chance));
        return turn(p, s, trace_mirror(p->ray.way, n));
    }
    if (t->foam.film_nm > 0.0f) {
        const sp_vec3 rest = {1.0f - r.x, 1.0f - r.y, 1.0f - r.z};
        p->share = trace_times(p->share, sp_scale(rest, 1.0f / (1.0f - chance)));
    }
    if (u.b < film.milk) return scatter(w, p, s, n, after);
    return meet_nothing(w, p, s, after);
}

/// A direction bent by a shading normal may point through the true surface: it is mirrored back.
static sp_vec3 kept_on_side(sp_vec3 way, sp_vec3 ng, bool out)
{
    return (sp_dot(way, ng) > 0.0f) == out ? way : trace_mirror(way, ng);
}

static bool meet_dielectric(worker *w, path *p, const trace_surface *s, trace_counts after)
{
    const float n0 = w->t->ior[trace_medium(p->inside)], n1 = w->t->ior[trace_medium(after)];
    const sp_vec3 n = s->entering ? s->n : sp_scale(s->n, -1.0f), d = p->ray.way;
    const float cos_in = sp_clamp(-sp_dot(d, n), 0.0f, 1.0f);
    float cos_out;
    const float f = trace_fresnel(cos_in, n0, n1, &cos_out);
    const sp_vec3 mirrored = kept_on_side(trace_mirror(d, n), s->ng, s->entering);
    const sp_vec3 bent = sp_madd(sp_scale(d, n0 / n1), n, n0 / n1 * cos_in - cos_out);
    look(w, p, s, (sp_vec3){1.0f, 1.0f, 1.0f});
    bool reflects = true;
    if (f < 1.0f && p->splits > 0) {
        --p->splits;
        path *other = &w->waiting[w->waiting_count++];
        *other = *p;
        other->event += 0x10000u << p->splits; // its own samples from here on
        other->share = sp_scale(p->share, f);
        other->straight = false;
        if (!turn(other, s, sp_normalize(mirrored, d))) --w->waiting_count;
        p->share = sp_scale(p->share, 1.0f - f);
        reflects = false;
    } else if (f < 1.0f) {
        reflects = draw(w, p).a < f;
    }
    p->straight &= !reflects;
    if (reflects) return turn(p, s, sp_normalize(mirrored, d));
    p->inside = after;
    return turn(p, s, kept_on_side(sp_normalize(bent, d), s->ng, !s->entering));
}

static sp_vec3 metal_tint(sp_vec3 color, float cos_half) // Schlick 1994
{
    const float k = 1.0f - cos_half, k5 = k * k * k * k * k;
    return (sp_vec3){sp_mix(color.x, 1.0f, k5), sp_mix(color.y, 1.0f, k5),
                     sp_mix(color.z, 1.0f, k5)};
}

static bool meet_metal(worker *w, path *p, const trace_surface *s, sp_vec3 n, const trace_opaque *o)
{
    const sp_vec3 d = p->ray.way;
    float cos_half, share;
    sp_vec3 way;
    if (o->rough >= smooth_metal) {
        const sp_vec3 light = lamp(w, p, s, n, NULL, &way);
        if (trace_most(light) > 0.0f) {
            const float facets = trace_facets_towards(d, n, o->rough, way, &cos_half);
            const float cosine = fmaxf(sp_dot(way, n), 1e-6f);
            // lamp() has the cosine over pi of a diffuse surface; facets have their own
            gather(w, p,
                   sp_scale(trace_times(light, metal_tint(o->color, cos_half)),
                            facets * SP_PI / cosine));
        }
        p->lit = false;
    }
    if (!trace_facets(d, n, o->rough, draw(w, p), &way, &cos_half, &share)) return false;
    p->share = sp_scale(trace_times(p->share, metal_tint(o->color, cos_half)), share);
    return turn(p, s, way);
}

static bool meet_opaque(worker *w, path *p, const trace_surface *s)
{
    const sp_tracer *t = w->t;
    const sp_vec3 d = p->ray.way, n = s->entering ? s->n : sp_scale(s->n, -1.0f);
    const float *own = s->piece->color ? s->piece->color[s->prim] : NULL;
    const trace_opaque o = trace_opaque_at(&t->materials[s->piece->material], own, s->at, s->n);
    look(w, p, s, o.color);
    if (trace_most(o.emission) > 0.0f) gather(w, p, o.emission);
    if (o.metal) return meet_metal(w, p, s, n, &o);
    if (o.coat > 0.0f) {
        float cos_half, share, ignored;
        sp_vec3 way;
        const bool out = trace_facets(d, n, o.rough, draw(w, p), &way, &cos_half, &share);
        const float f = o.coat * trace_fresnel(cos_half, 1.0f, 1.5f, &ignored);
        if (draw(w, p).a < f) {
            p->share = sp_scale(p->share, share);
            return out && turn(p, s, way);
        }
    }
    p->share = trace_times(p->share, o.color);
    sp_vec3 way;
    const sp_vec3 light = lamp(w, p, s, n, NULL, &way);
    gather(w, p, light);
    p->lit = false;
    return turn(p, s, trace_cosine(n, draw(w, p)));
}

/// A film is a bubble's wall in air: foam's always, another bubble's where it is the outermost
/// shell, so that a bubble that stands out of the water has a dome.
static bool is_film(const path *p, const trace_surface *s, trace_counts after)
{
    const sp_trace_class kind = s->piece->kind;
    if (p->inside.n[LAYER_GLASS] > 0) return false;
    if (kind == SP_TRACE_FOAM) return true;
    const int outside = s->entering ? p->inside.n[LAYER_BUBBLE] : after.n[LAYER_BUBBLE];
    return kind == SP_TRACE_BUBBLE && outside == 0;
}

/// One surface; false when the path ends.
static bool advance(worker *w, path *p)
{
    const sp_tracer *t = w->t;
    trace_surface s;
    ++w->stats.rays;
    p->ray.hide = trace_hidden(p->inside);
    if (w->log) trace_log_ray(t->host, w->log, &p->ray, INFINITY, false);
    const int m0 = trace_medium(p->inside);
    const bool met = trace_meet(t, &p->ray, &s, &p->inside, &w->stats);
    if (p->lit && t->lights.box_count)
        gather(w, p,
               trace_box_light(&t->lights, p->ray.at, p->ray.way, met ? s.t : INFINITY,
                               t->absorb[m0]));
    if (!met) return meet_dome(w, p);
    if (!t->clear[m0]) p->share = trace_times(p->share, trace_absorb(t->absorb[m0], s.t));
    if (s.piece->kind == SP_TRACE_OPAQUE) return meet_opaque(w, p, &s);
    const trace_counts after = trace_cross(p->inside, s.piece->kind, s.entering, &w->stats.leaks);
    if (trace_medium(after) != m0) return meet_dielectric(w, p, &s, after);
    return is_film(p, &s, after) ? meet_film(w, p, &s, after) : meet_nothing(w, p, &s, after);
}

static void follow(worker *w, path *p)
{
    int settled = p->bounce; // bounces whose roulette has been played
    while (advance(w, p)) {
        if (p->bounce == settled) continue;
        settled = p->bounce;
        ++w->stats.bounces;
        if (p->bounce >= w->settings->depth) {
            ++w->stats.cut;
            return;
        }
        if (p->bounce < ROULETTE_FROM) continue;
        const float stay = fminf(0.98f, trace_most(p->share));
        if (draw(w, p).a >= stay) return;
        p->share = sp_scale(p->share, 1.0f / stay);
    }
}

/// ---- The picture -------------------------------------------------------------------------------

typedef struct job {
    const sp_tracer *t;
    const sp_trace_settings *settings;
    const sp_trace_film *film;
    trace_lens lens;
    trace_counts start;
    bool own_start; ///< paths find their counters themselves: surfaces pass near the camera
    int blocks_across;
    atomic_bool stop;
    atomic_ullong stats[6];
} job;

static void add3(float (*layer)[3], size_t at, sp_vec3 v)
{
    if (!layer) return;
    layer[at][0] += v.x;
    layer[at][1] += v.y;
    layer[at][2] += v.z;
}

static void deposit(const job *j, const worker *w, size_t at)
{
    const sp_trace_film *f = j->film;
    const float sum = w->light.x + w->light.y + w->light.z, y = trace_bright(w->light);
    if (isfinite(sum)) {
        add3(f->color, at, w->light);
        if (f->square) f->square[at] += y * y;
    }
    add3(f->albedo, at, w->guide.albedo);
    add3(f->normal, at, w->guide.normal);
    add3(f->inner, at, w->guide.inner);
    if (f->depth) f->depth[at] += w->guide.depth;
    if (f->alpha) f->alpha[at] += w->guide.alpha;
}

static void trace_pixel(const job *j, worker *w, int x, int y)
{
    const sp_trace_settings *s = j->settings;
    const size_t at = (size_t)y * (size_t)s->width + (size_t)x;
    w->key = trace_pixel_key(s->seed, (uint32_t)at);
    for (int i = 0; i < s->samples; ++i) {
        w->index = (uint32_t)(s->first_sample + i);
        w->light = (sp_vec3){0};
        w->guide = (guide){0};
        path p = {.share = {1.0f, 1.0f, 1.0f},
                  .event = PAIR_EVENTS,
                  .splits = s->split,
                  .lit = true,
                  .straight = true};
        p.ray.geom = RTC_INVALID_GEOMETRY_ID;
        p.ray.time = s->shutter_open ? trace_sample(w->key, PAIR_TIME, w->index).a : 0.5f;
        trace_lens_ray(&j->lens, x, y, trace_sample(w->key, PAIR_FILM, w->index),
                       trace_sample(w->key, PAIR_LENS, w->index), &p.ray.at, &p.ray.way);
        p.inside = j->own_start ? trace_counts_at(w->t, p.ray.at, p.ray.time) : j->start;
        follow(w, &p);
        while (w->waiting_count > 0) {
            p = w->waiting[--w->waiting_count];
            follow(w, &p);
        }
        deposit(j, w, at);
    }
}

static void trace_block(void *arg, size_t block)
{
    job *j = arg;
    const sp_trace_settings *s = j->settings;
    if (atomic_load_explicit(&j->stop, memory_order_relaxed)) return;
    if (s->cancelled && s->cancelled(s->user)) {
        atomic_store(&j->stop, true);
        return;
    }
#if defined(__SSE2__)
    const unsigned mode = _mm_getcsr();
    _mm_setcsr(mode | 0x8040u); // tiny numbers are zero: Embree wants it so, and so does speed
#endif
    worker w;
    memset(&w, 0, sizeof w);
    w.t = j->t;
    w.settings = s;
    w.log = s->record ? &s->record->logs[block] : NULL;
    const int x0 = (int)(block % (size_t)j->blocks_across) * BLOCK,
              y0 = (int)(block / (size_t)j->blocks_across) * BLOCK;
    for (int y = y0; y < y0 + BLOCK && y < s->height; ++y)
        for (int x = x0; x < x0 + BLOCK && x < s->width; ++x)
            trace_pixel(j, &w, x, y);
#if defined(__SSE2__)
    _mm_setcsr(mode);
#endif
    const uint64_t stats[6] = {w.stats.rays,  w.stats.shadow_rays, w.stats.crossings,
                               w.stats.leaks, w.stats.cut,         w.stats.bounces};
    for (int k = 0; k < 6; ++k)
        atomic_fetch_add_explicit(&j->stats[k], stats[k], memory_order_relaxed);
}

static sp_status check_settings(const sp_tracer *t, const sp_trace_settings *s, sp_error *err)
{
    if (!t->committed) return sp_fail(err, SP_BAD_SCENE, "render: the scene is not committed");
    if (s->width < 1 || s->height < 1 || s->width > 16384 || s->height > 16384)
        return sp_fail(err, SP_BAD_SCENE, "look.size: %dx%d; expected 1x1 to 16384x16384", s->width,
                       s->height);
    if (s->samples < 0 || s->first_sample < 0 || s->samples > (1 << 24))
        return sp_fail(err, SP_BAD_SCENE, "look.samples: %d; expected 1 to %d", s->samples,
                       1 << 24);
    if (s->depth < 1 || s->depth > 4096)
        return sp_fail(err, SP_BAD_SCENE, "look.depth: %d; expected 1 to 4096", s->depth);
    if (s->split < 0 || s->split > 3)
        return sp_fail(err, SP_BAD_SCENE, "look.split: %d; expected 0 to 3", s->split);
    return SP_OK;
}

sp_status sp_tracer_render(const sp_tracer *t, const sp_trace_camera *camera,
                           const sp_trace_settings *s, sp_trace_film *film, sp_trace_stats *stats,
                           sp_error *err)
{
    SP_TRY(check_settings(t, s, err));
    job j = {.t = t, .settings = s, .film = film};
    SP_TRY(trace_lens_open(&j.lens, camera, s->width, s->height, err));
    j.blocks_across = (s->width + BLOCK - 1) / BLOCK;
    const size_t blocks = (size_t)j.blocks_across * (size_t)((s->height + BLOCK - 1) / BLOCK);
    if (s->record) SP_TRY(trace_record_size(s->record, blocks, err));
    j.start = trace_counts_at(t, j.lens.from, 0.5f);
    const float reach = 2.0f * ((s->shutter_open ? t->largest_move : 0.0f) + camera->lens);
    j.own_start = reach > 0.0f && trace_near_surface(t, j.lens.from, reach);
    t->host->parallel_for(t->host->user, blocks, trace_block, &j);
    if (stats) {
        stats->rays += j.stats[0];
        stats->shadow_rays += j.stats[1];
        stats->crossings += j.stats[2];
        stats->leaks += j.stats[3];
        stats->cut += j.stats[4];
        stats->bounces += j.stats[5];
    }
    if (j.stop) return sp_fail(err, SP_CANCELLED, "render: stopped");
    for (size_t i = 0; s->record && i < blocks; ++i)
        if (s->record->logs[i].failed)
            return sp_fail(err, SP_NO_MEMORY, "render: no memory to record all rays");
    return SP_OK;
}

#endif

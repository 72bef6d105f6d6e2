// SPDX-License-Identifier: Apache-2.0
/// The integrator. A path runs from the camera from surface to surface:
///
///   no hit            add the dome (and the sun, if only mirrors were hit so far); the path ends
///   null crossing     the medium is the same on both sides: continue straight, with new counters
///   film              a bubble wall with air on both sides: reflect, scatter or continue straight
///   dielectric        Fresnel chooses reflection or refraction; the first few trace_path both
///   opaque            add lamps by shadow rays, then choose a new direction
///
/// Null crossings are not counted as bounces: in a tank's wall a ray crosses as many hidden water
/// faces as real ones, and counting them made the glass black.
#include "render/trace/tracing.h"

#if defined(SPUME_WITH_EMBREE)

#include <string.h>

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

enum { BLOCK = 16, MOST_BRANCHES = 8, MOST_NULLS = 256, ROULETTE_FROM = 8 };
enum { PAIR_FILM, PAIR_LENS, PAIR_TIME, PAIR_EVENTS };

/// Lamps are found by reflection below this roughness and by shadow rays above it.
static const float smooth_metal = 0.3f;

typedef struct path {
    trace_ray ray;
    sp_vec3 throughput; ///< light along the path times this reaches the pixel
    trace_counts inside;
    uint32_t event; ///< number of the next pair of samples
    int bounce, nulls, splits;
    bool specular_only; ///< only mirrors so far: lamps count when they are hit
    bool straight;      ///< has only passed through clear surfaces, without reflection
} path;

typedef struct guide {
    sp_vec3 albedo, normal, inner;
    float depth, alpha;
    bool known;
} guide;

/// The state of one thread in one block of pixels.
typedef struct worker {
    const sp_tracer *t;
    const sp_trace_settings *settings;
    trace_log *log;
    uint32_t key, index; ///< of the pixel; of the sample
    sp_vec3 light;
    guide guide;
    int waiting_count;
    path waiting[MOST_BRANCHES]; ///< split-off branches, still to be traced
    sp_trace_stats stats;
} worker;

static trace_pair next_samples(worker *w, path *p)
{
    return trace_sample(w->key, p->event++, w->index);
}

/// Adds light found by a path. Indirect light is clamped by its largest channel: a rare, very
/// bright sample would stay visible as a white dot for hundreds of samples.
static void add_light(worker *w, const path *p, sp_vec3 light)
{
    sp_vec3 c = trace_times(p->throughput, light);
    const float most = trace_max_channel(c), limit = w->settings->clamp;
    if (limit > 0.0f && p->bounce > 0 && most > limit) c = sp_scale(c, limit / most);
    w->light = sp_add(w->light, c);
}

/// Stores the denoiser's guides: the first hit of a camera path, and its first hit behind water and
/// glass.
static void store_guides(worker *w, path *p, const trace_surface *s, sp_vec3 albedo)
{
    if (!p->straight) return;
    const sp_vec3 n = sp_dot(p->ray.dir, s->n) > 0.0f ? sp_scale(s->n, -1.0f) : s->n;
    if (s->piece->kind != SP_TRACE_WATER && s->piece->kind != SP_TRACE_GLASS) {
        w->guide.inner = n;
        p->straight = false;
    }
    if (w->guide.known) return;
    w->guide = (guide){.albedo = albedo, .normal = n, .depth = s->t, .alpha = 1.0f, .known = true};
}

/// Continues from a surface in direction `dir`; false: too little light is left.
static bool continue_path(path *p, const trace_surface *s, sp_vec3 dir)
{
    p->ray = trace_ray_from(s, dir, p->ray.time);
    ++p->bounce;
    return trace_max_channel(p->throughput) > 1e-5f;
}

/// Direct light of one lamp at a surface, times cosine over pi. `behind` are the counters on the
/// side that the path did not come from; NULL: no light passes through.
static sp_vec3 direct_light(worker *w, path *p, const trace_surface *s, sp_vec3 n,
                            const trace_counts *behind, sp_vec3 *dir)
{
    const trace_lighting *l = &w->t->lights;
    if (l->box_count == 0 && !l->sun) return (sp_vec3){0};
    const trace_pair choice = next_samples(w, p), u = next_samples(w, p);
    trace_light_ray ray;
    if (!trace_light_sample(l, s->at, choice.a, u, &ray)) return (sp_vec3){0};
    const float along = sp_dot(ray.dir, n);
    const bool same_side = sp_dot(ray.dir, s->ng) * sp_dot(p->ray.dir, s->ng) < 0.0f;
    if (same_side ? along <= 0.0f : !behind) return (sp_vec3){0};
    const trace_ray shadow = trace_ray_from(s, ray.dir, p->ray.time);
    const float length = ray.length * (1.0f - 1e-5f);
    ++w->stats.shadow_rays;
    if (w->log) trace_log_ray(w->t->host, w->log, &shadow, length, true);
    const sp_vec3 clear =
        trace_transmittance(w->t, &shadow, length, same_side ? p->inside : *behind);
    *dir = ray.dir;
    return sp_scale(trace_times(ray.value, clear), fabsf(along) / SP_PI);
}

static bool hit_dome(worker *w, const path *p)
{
    const trace_lighting *l = &w->t->lights;
    if (trace_medium(p->inside) == TRACE_WATER)
        return false; // a water mesh that is not closed is black
    add_light(w, p, trace_dome_light(l, p->ray.dir));
    if (p->specular_only && l->sun) add_light(w, p, trace_sun_light(l, p->ray.dir, p->bounce > 0));
    return false;
}

/// Continues straight through a surface that does not change the medium.
static bool cross_null(worker *w, path *p, const trace_surface *s, trace_counts after)
{
    p->ray = trace_ray_from(s, p->ray.dir, p->ray.time);
    p->inside = after;
    ++w->stats.crossings;
    return ++p->nulls < MOST_NULLS;
}

/// Scatters with equal probability to both sides; the counters `after` hold behind the wall.
static bool scatter(worker *w, path *p, const trace_surface *s, sp_vec3 n, trace_counts after)
{
    p->throughput = sp_scale(p->throughput, w->t->foam.albedo);
    sp_vec3 dir;
    const sp_vec3 light = direct_light(w, p, s, n, &after, &dir);
    add_light(w, p, sp_scale(light, 0.5f));
    p->specular_only = false;
    const trace_pair u = next_samples(w, p);
    const bool through = u.a >= 0.5f;
    const trace_pair half = {through ? 2.0f * u.a - 1.0f : 2.0f * u.a, u.b};
    if (through) p->inside = after;
    return continue_path(p, s, trace_sample_cosine(through ? sp_scale(n, -1.0f) : n, half));
}

static bool hit_film(worker *w, path *p, const trace_surface *s, trace_counts after)
{
    static const float plain[2] = {1.0f, 1.0f};
    const sp_tracer *t = w->t;
    const bool foam = s->piece->kind == SP_TRACE_FOAM;
    const float *milk = !foam ? NULL : s->piece->milk ? s->piece->milk[s->prim] : plain;
    const float mu = fminf(fabsf(sp_dot(p->ray.dir, s->n)), 1.0f);
    const float size = s->radius > 0.0f ? s->radius : 0.01f;
    const trace_film film =
        trace_film_at(&t->foam, t->ior[TRACE_WATER], mu, milk, sp_scale(s->at, 1.0f / size));
    const sp_vec3 n = s->entering ? s->n : sp_scale(s->n, -1.0f), r = film.reflect;
    const float chance = t->foam.film_nm > 0.0f ? (r.x + r.y + r.z) / 3.0f : r.x;
    const trace_pair u = next_samples(w, p);
    store_guides(w, p, s, (sp_vec3){1.0f, 1.0f, 1.0f});
    if (u.a < chance) {
        if (t->foam.film_nm > 0.0f)
            p->throughput = trace_times(p->throughput, sp_scale(r, 1.0f / chance));
        return continue_path(p, s, trace_reflect(p->ray.dir, n));
    }
    if (t->foam.film_nm > 0.0f) {
        const sp_vec3 rest = {1.0f - r.x, 1.0f - r.y, 1.0f - r.z};
        p->throughput = trace_times(p->throughput, sp_scale(rest, 1.0f / (1.0f - chance)));
    }
    if (u.b < film.milk) return scatter(w, p, s, n, after);
    return cross_null(w, p, s, after);
}

/// A refracted direction may point through the true surface when the shading normal differs:
/// reflect it back.
static sp_vec3 keep_on_side(sp_vec3 dir, sp_vec3 ng, bool out)
{
    return (sp_dot(dir, ng) > 0.0f) == out ? dir : trace_reflect(dir, ng);
}

static bool hit_dielectric(worker *w, path *p, const trace_surface *s, trace_counts after)
{
    const float n0 = w->t->ior[trace_medium(p->inside)], n1 = w->t->ior[trace_medium(after)];
    const sp_vec3 n = s->entering ? s->n : sp_scale(s->n, -1.0f), d = p->ray.dir;
    const float cos_in = sp_clamp(-sp_dot(d, n), 0.0f, 1.0f);
    float cos_out;
    const float f = trace_fresnel(cos_in, n0, n1, &cos_out);
    const sp_vec3 mirrored = keep_on_side(trace_reflect(d, n), s->ng, s->entering);
    const sp_vec3 bent = sp_madd(sp_scale(d, n0 / n1), n, n0 / n1 * cos_in - cos_out);
    store_guides(w, p, s, (sp_vec3){1.0f, 1.0f, 1.0f});
    bool reflects = true;
    if (f < 1.0f && p->splits > 0) {
        --p->splits;
        path *other = &w->waiting[w->waiting_count++];
        *other = *p;
        other->event += 0x10000u << p->splits; // independent samples from here on
        other->throughput = sp_scale(p->throughput, f);
        other->straight = false;
        if (!continue_path(other, s, sp_normalize(mirrored, d))) --w->waiting_count;
        p->throughput = sp_scale(p->throughput, 1.0f - f);
        reflects = false;
    } else if (f < 1.0f) {
        reflects = next_samples(w, p).a < f;
    }
    p->straight &= !reflects;
    if (reflects) return continue_path(p, s, sp_normalize(mirrored, d));
    p->inside = after;
    return continue_path(p, s, keep_on_side(sp_normalize(bent, d), s->ng, !s->entering));
}

static sp_vec3 metal_tint(sp_vec3 color, float cos_half) // Schlick 1994
{
    const float k = 1.0f - cos_half, k5 = k * k * k * k * k;
    return (sp_vec3){sp_mix(color.x, 1.0f, k5), sp_mix(color.y, 1.0f, k5),
                     sp_mix(color.z, 1.0f, k5)};
}

static bool hit_metal(worker *w, path *p, const trace_surface *s, sp_vec3 n, const trace_opaque *o)
{
    const sp_vec3 d = p->ray.dir;
    float cos_half, masking;
    sp_vec3 dir;
    if (o->rough >= smooth_metal) {
        const sp_vec3 light = direct_light(w, p, s, n, NULL, &dir);
        if (trace_max_channel(light) > 0.0f) {
            const float facets = trace_ggx_towards(d, n, o->rough, dir, &cos_half);
            const float cosine = fmaxf(sp_dot(dir, n), 1e-6f);
            // direct_light() has the cosine over pi of a diffuse surface; GGX has its own
            add_light(w, p,
                      sp_scale(trace_times(light, metal_tint(o->color, cos_half)),
                               facets * SP_PI / cosine));
        }
        p->specular_only = false;
    }
    if (!trace_ggx_sample(d, n, o->rough, next_samples(w, p), &dir, &cos_half, &masking))
        return false;
    p->throughput = sp_scale(trace_times(p->throughput, metal_tint(o->color, cos_half)), masking);
    return continue_path(p, s, dir);
}

static bool hit_opaque(worker *w, path *p, const trace_surface *s)
{
    const sp_tracer *t = w->t;
    const sp_vec3 d = p->ray.dir, n = s->entering ? s->n : sp_scale(s->n, -1.0f);
    const float *own = s->piece->color ? s->piece->color[s->prim] : NULL;
    const trace_opaque o = trace_opaque_at(&t->materials[s->piece->material], own, s->at, s->n);
    store_guides(w, p, s, o.color);
    if (trace_max_channel(o.emission) > 0.0f) add_light(w, p, o.emission);
    if (o.metal) return hit_metal(w, p, s, n, &o);
    if (o.coat > 0.0f) {
        float cos_half, masking, ignored;
        sp_vec3 dir;
        const bool out =
            trace_ggx_sample(d, n, o.rough, next_samples(w, p), &dir, &cos_half, &masking);
        const float f = o.coat * trace_fresnel(cos_half, 1.0f, 1.5f, &ignored);
        if (next_samples(w, p).a < f) {
            p->throughput = sp_scale(p->throughput, masking);
            return out && continue_path(p, s, dir);
        }
    }
    p->throughput = trace_times(p->throughput, o.color);
    sp_vec3 dir;
    const sp_vec3 light = direct_light(w, p, s, n, NULL, &dir);
    add_light(w, p, light);
    p->specular_only = false;
    return continue_path(p, s, trace_sample_cosine(n, next_samples(w, p)));
}

/// A film is a bubble wall in air: always for foam; for other bubbles where it is the outermost
/// wall, so that a bubble above the water line has a dome.
static bool is_film(const path *p, const trace_surface *s, trace_counts after)
{
    const sp_trace_class kind = s->piece->kind;
    if (p->inside.n[LAYER_GLASS] > 0) return false;
    if (kind == SP_TRACE_FOAM) return true;
    const int outside = s->entering ? p->inside.n[LAYER_BUBBLE] : after.n[LAYER_BUBBLE];
    return kind == SP_TRACE_BUBBLE && outside == 0;
}

/// Traces one ray and handles its hit; false when the path ends.
static bool trace_one_ray(worker *w, path *p)
{
    const sp_tracer *t = w->t;
    trace_surface s;
    ++w->stats.rays;
    p->ray.hide = trace_hidden_classes(p->inside);
    if (w->log) trace_log_ray(t->host, w->log, &p->ray, INFINITY, false);
    const int m0 = trace_medium(p->inside);
    const bool met = trace_intersect(t, &p->ray, &s, &p->inside, &w->stats);
    if (p->specular_only && t->lights.box_count)
        add_light(w, p,
                  trace_box_light(&t->lights, p->ray.at, p->ray.dir, met ? s.t : INFINITY,
                                  t->absorb[m0]));
    if (!met) return hit_dome(w, p);
    if (!t->clear[m0])
        p->throughput = trace_times(p->throughput, trace_beer_lambert(t->absorb[m0], s.t));
    if (s.piece->kind == SP_TRACE_OPAQUE) return hit_opaque(w, p, &s);
    const trace_counts after = trace_cross(p->inside, s.piece->kind, s.entering, &w->stats.leaks);
    if (trace_medium(after) != m0) return hit_dielectric(w, p, &s, after);
    return is_film(p, &s, after) ? hit_film(w, p, &s, after) : cross_null(w, p, &s, after);
}

static void trace_path(worker *w, path *p)
{
    int counted = p->bounce; // bounces that Russian roulette has seen
    while (trace_one_ray(w, p)) {
        if (p->bounce == counted) continue;
        counted = p->bounce;
        ++w->stats.bounces;
        if (p->bounce >= w->settings->depth) {
            ++w->stats.cut;
            return;
        }
        if (p->bounce < ROULETTE_FROM) continue;
        const float stay = fminf(0.98f, trace_max_channel(p->throughput));
        if (next_samples(w, p).a >= stay) return;
        p->throughput = sp_scale(p->throughput, 1.0f / stay);
    }
}

/// ---- The picture -------------------------------------------------------------------------------

typedef struct job {
    const sp_tracer *t;
    const sp_trace_settings *settings;
    const sp_trace_film *film;
    trace_lens lens;
    trace_counts start;
    bool own_start; ///< each path counts its own start: a surface is near the camera
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

static void add_to_film(const job *j, const worker *w, size_t at)
{
    const sp_trace_film *f = j->film;
    const float sum = w->light.x + w->light.y + w->light.z, y = trace_luminance(w->light);
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
        path p = {.throughput = {1.0f, 1.0f, 1.0f},
                  .event = PAIR_EVENTS,
                  .splits = s->split,
                  .specular_only = true,
                  .straight = true};
        p.ray.geom = RTC_INVALID_GEOMETRY_ID;
        p.ray.time = s->shutter_open ? trace_sample(w->key, PAIR_TIME, w->index).a : 0.5f;
        trace_lens_ray(&j->lens, x, y, trace_sample(w->key, PAIR_FILM, w->index),
                       trace_sample(w->key, PAIR_LENS, w->index), &p.ray.at, &p.ray.dir);
        p.inside = j->own_start ? trace_counts_at(w->t, p.ray.at, p.ray.time) : j->start;
        trace_path(w, &p);
        while (w->waiting_count > 0) {
            p = w->waiting[--w->waiting_count];
            trace_path(w, &p);
        }
        add_to_film(j, w, at);
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
    _mm_setcsr(mode | 0x8040u); // flush denormals to zero: Embree recommends it, for speed
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
    if (!t->committed) return sp_fail(err, SP_BAD_INPUT, "render: the scene is not committed");
    if (s->width < 1 || s->height < 1 || s->width > 16384 || s->height > 16384)
        return sp_fail(err, SP_BAD_INPUT, "look.size: %dx%d; expected 1x1 to 16384x16384", s->width,
                       s->height);
    if (s->samples < 0 || s->first_sample < 0 || s->samples > (1 << 24))
        return sp_fail(err, SP_BAD_INPUT, "look.samples: %d; expected 1 to %d", s->samples,
                       1 << 24);
    if (s->depth < 1 || s->depth > 4096)
        return sp_fail(err, SP_BAD_INPUT, "look.depth: %d; expected 1 to 4096", s->depth);
    if (s->split < 0 || s->split > 3)
        return sp_fail(err, SP_BAD_INPUT, "look.split: %d; expected 0 to 3", s->split);
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

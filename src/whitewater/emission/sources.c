// SPDX-License-Identifier: Apache-2.0
/// Sources of the scene: particles at random places of a shape, by rate. What is due but not yet a
/// whole particle is carried over, so that the rate holds over time.
#include "whitewater/emission/internal.h"

enum { TRIES = 4096, LOOKS = 64, CORRECTIONS = 6 };

/// ---- How many ----------------------------------------------------------------------------------

/// Seconds of the step in which a source runs.
static double running(const emission_source *c, const whitewater_world *w)
{
    return fmax(0.0, fmin(w->t + w->dt, (double)c->def.stop) - fmax(w->t, (double)c->def.start));
}

/// Bubbles due within the step.
static double due(const whitewater_emission *e, const emission_source *c, const whitewater_world *w)
{
    const double bubbles = c->def.air > 0.0f ? (double)c->def.air / e->sizes.volume
                                             : (double)c->def.rate * e->sizes.number;
    return bubbles * running(c, w);
}

/// The kind of set that a source's particles belong to.
static int set_of(const emission_source *c)
{
    static const int kinds[] = {[SP_SOURCE_BUBBLES] = WHITEWATER_BUBBLES,
                                [SP_SOURCE_FOAM] = WHITEWATER_FOAM,
                                [SP_SOURCE_SPRAY] = WHITEWATER_SPRAY};
    return kinds[c->def.kind];
}

double emission_sources_want(const emission_step *s)
{
    const whitewater_emission *e = s->e;
    double sum = 0.0;
    for (size_t i = 0; i < e->def.source_count; ++i)
        if (s->in->to[set_of(&e->source[i])])
            sum += e->source[i].owed + due(e, &e->source[i], s->world);
    return sum;
}

/// ---- Where -------------------------------------------------------------------------------------

typedef struct finding {
    const emission_step *s;
    const emission_source *source;
    uint64_t id;            ///< of the first particle, for random numbers
    double low[3], high[3]; ///< m; a box around the shape, within the domain
} finding;

/// Moves a point to the surface along its normal; false when there is none within reach.
static bool project(const sp_bulk_view *view, double tolerance, double p[3])
{
    for (int n = 0; n <= CORRECTIONS; ++n) {
        float gradient[3];
        const double phi = (double)emission_look(view, p, NULL, gradient);
        const double g[3] = {(double)gradient[0], (double)gradient[1], (double)gradient[2]},
                     square = sp_dot3(g, g);
        if (fabs(phi) <= tolerance) return true;
        if (!(square > 0.04)) return false; // beyond the band, or between two surfaces
        for (int a = 0; a < 3; ++a)
            p[a] -= phi * g[a] / square;
    }
    return false;
}

/// Whether a particle of the source may be at p, which is moved to the surface if it is foam.
static bool is_place(const finding *f, double radius, double p[3], float u[3])
{
    const sp_bulk_view *view = &f->s->view;
    const int kind = f->source->def.kind;
    if (kind == SP_SOURCE_FOAM && !project(view, 0.02 * radius, p)) return false;
    const double phi = (double)emission_look(view, p, u, NULL);
    if (kind == SP_SOURCE_BUBBLES && phi > -radius) return false;
    if (kind == SP_SOURCE_SPRAY && phi < 0.0) return false;
    return emission_is_open(f->s->world, p);
}

/// Particle i enters at a random place of the shape and at a random time of the step, and has moved
/// with the source's velocity since; so particles of a fast source do not come in sheets.
static void find_place(const finding *f, size_t i)
{
    const whitewater_world *w = f->s->world;
    const emission_source *c = f->source;
    emission_fresh *fresh = &f->s->e->fresh;
    double p[3], at[3] = {0};
    float u[3] = {0};
    int looks = 0;
    fresh->radius[i] = (float)emission_draw_radius(&f->s->e->sizes, w, f->id + i, 0);
    fresh->keep[i] = 0;
    for (uint32_t k = 0; k < TRIES && looks < LOOKS && !fresh->keep[i]; ++k) {
        const sp_random4 random =
            sp_random(w->seed, WHITEWATER_RANDOM_SOURCE, f->id + i, (uint32_t)w->step, k);
        const double since = (double)random.x[3] * 0x1p-32 * w->dt;
        for (int a = 0; a < 3; ++a) {
            p[a] = f->low[a] + (f->high[a] - f->low[a]) * ((double)random.x[a] * 0x1p-32);
            at[a] = p[a] + since * (double)c->def.velocity[a];
        }
        if (sp_shape_distance(c->shape, 0.0, p, NULL) > 0.0) continue;
        ++looks;
        fresh->keep[i] = is_place(f, (double)fresh->radius[i], at, u);
    }
    for (int a = 0; a < 3; ++a) {
        fresh->x[a][i] = at[a];
        fresh->u[a][i] = u[a];
    }
}

static void find_places(void *arg, size_t begin, size_t end)
{
    for (size_t i = begin; i < end; ++i)
        find_place(arg, i);
}

/// The part of the domain that the shape may fill; false if there is none.
static bool box_of(finding *f)
{
    const whitewater_world *w = f->s->world;
    bool any = true;
    sp_shape_bounds(f->source->shape, 0.0, f->low, f->high);
    for (int a = 0; a < 3; ++a) {
        f->low[a] = fmax(f->low[a], w->domain[0][a]);
        f->high[a] = fmin(f->high[a], w->domain[1][a]);
        any = any && f->low[a] < f->high[a];
    }
    return any;
}

/// ---- All of them -------------------------------------------------------------------------------

static void warn_of_nothing(const emission_step *s, emission_source *c, size_t k)
{
    const emission_fresh *f = &s->e->fresh;
    size_t kept = 0;
    for (size_t i = 0; i < f->count; ++i)
        kept += f->keep[i];
    if (kept > 0 || f->count == 0 || c->told) return;
    c->told = true;
    sp_log(s->e->host, SP_LOG_WARNING,
           "emission.sources[%zu] lets nothing in at t = %.4g s: its shape has no place %s", k,
           s->world->t,
           c->def.kind == SP_SOURCE_BUBBLES ? "in the water"
           : c->def.kind == SP_SOURCE_FOAM  ? "near the surface"
                                            : "above the water");
}

static sp_status run(const emission_step *s, size_t k, sp_error *err)
{
    whitewater_emission *e = s->e;
    emission_source *c = &e->source[k];
    finding f = {.s = s, .source = c, .id = sp_mix64(k + 1)};
    c->owed += due(e, c, s->world);
    const double n = floor(c->owed / s->number + 1e-9); // so that 24 times 1/24 is 1
    if (n < 1.0) return SP_OK;
    c->owed -= n * s->number;
    e->fresh.count = 0;
    if (box_of(&f)) {
        SP_TRY(emission_fresh_reserve(&e->fresh, e->host, (size_t)n, err));
        e->fresh.count = (size_t)n;
        sp_parallel(e->host, e->fresh.count, 64, find_places, &f);
    }
    warn_of_nothing(s, c, k);
    s->figures->target_volume += n * s->number * e->sizes.volume;
    return emission_let_in(s, set_of(c), c->def.velocity, err);
}

sp_status emission_run_sources(const emission_step *s, sp_error *err)
{
    for (size_t k = 0; k < s->e->def.source_count; ++k)
        if (s->in->to[set_of(&s->e->source[k])]) SP_TRY(run(s, k, err));
    return SP_OK;
}

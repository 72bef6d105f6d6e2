// SPDX-License-Identifier: Apache-2.0
/// Opens the solver from a scene: copies the scene's values, makes walls and particles, and checks
/// the initial density. Also computes the figures of the state.
#include "sph/internal.h"

void sph_close(sph *s)
{
    if (!s) return;
    sph_publish_close(s);
    sph_phase_close(&s->liquid);
    sph_phase_close(&s->air);
    sph_air_close(s);
    sph_walls_close(s);
    sph_emitters_close(s);
    for (size_t i = 0; i < s->sinks; ++i)
        sp_shape_close(s->sink[i]);
    sp_release(s->host, s->sink);
    sp_release(s->host, s->seeder);
    sp_release(s->host, s->gone);
    sp_release(s->host, s->partial);
    sp_release(s->host, s);
}

bool sph_grow(const sph *s, void **memory, size_t *room, size_t wanted, size_t size)
{
    if (wanted <= *room) return true;
    const size_t more = wanted + wanted / 8 + 64;
    if (!sp_regrow(s->host, memory, 0, more, size)) return false;
    *room = more;
    return true;
}

sp_status sph_partials(sph *s, sp_error *err)
{
    const size_t n =
        s->liquid.cells.count > s->air.cells.count ? s->liquid.cells.count : s->air.cells.count;
    const size_t wanted = SPH_PARTIALS * sph_chunks(n);
    if (sph_grow(s, (void **)&s->partial, &s->partials, wanted, sizeof *s->partial)) return SP_OK;
    return sp_fail(err, SP_NO_MEMORY, "sph: no memory for %zu chunks", sph_chunks(n));
}

static sp_status open_sinks(sph *s, const sp_world_def *world, sp_error *err)
{
    s->sink = sp_allocate(s->host, world->sink_count, sizeof(sp_shape *));
    if (!s->sink) return sp_fail(err, SP_NO_MEMORY, "sph: no memory for the sinks");
    for (; s->sinks < world->sink_count; ++s->sinks) {
        const sp_sink_def *def = &world->sinks[s->sinks];
        const sp_collider_def as_solid = {.name = def->name, .shape = def->shape};
        SP_TRY(sp_shape_open(&as_solid, NULL, s->host, &s->sink[s->sinks], err));
    }
    return SP_OK;
}

static sp_status copy_scene(sph *s, const sp_setup *setup, sp_error *err)
{
    const sp_world_def *world = setup->world;
    s->def = *(const sp_sph_def *)setup->def;
    s->seed = setup->seed;
    s->watch = setup->watch;
    s->d = s->def.spacing;
    s->h = s->d * s->def.support_ratio;
    memcpy(s->gravity, world->gravity, sizeof s->gravity);
    s->has_domain = world->domain != NULL;
    if (world->domain) {
        memcpy(s->domain[0], world->domain->min, sizeof s->domain[0]);
        memcpy(s->domain[1], world->domain->max, sizeof s->domain[1]);
    }
    s->seeder = sp_allocate(s->host, s->def.seeder_count, sizeof *s->seeder);
    if (!s->seeder) return sp_fail(err, SP_NO_MEMORY, "sph: no memory for the seeders");
    if (s->def.seeder_count > 0)
        memcpy(s->seeder, s->def.seeders, s->def.seeder_count * sizeof *s->seeder);
    s->def.seeders = s->seeder;
    return open_sinks(s, world, err);
}

/// Positions are floats: their last bit must be less than a hundredth of a spacing.
static sp_status check_distance(const sph *s, sp_error *err)
{
    const float most = 0x1p23f / 100.0f * s->d;
    for (size_t i = 0; i < s->liquid.set.count; ++i)
        for (int c = 0; c < 3; ++c)
            if (!(fabsf(s->liquid.x[c][i]) <= most))
                return sp_fail(err, SP_BAD_INPUT,
                               "emitters: water at (%.6g, %.6g, %.6g); expected within %.3g m of "
                               "the origin at spacing %g m",
                               (double)s->liquid.x[0][i], (double)s->liquid.x[1][i],
                               (double)s->liquid.x[2][i], (double)most, (double)s->d);
    return SP_OK;
}

/// Position of the densest water particle, for messages.
void sph_densest(const sph *s, float x[3])
{
    const sph_phase *p = &s->liquid;
    size_t most = 0;
    for (size_t k = 1; k < p->cells.count; ++k)
        if (p->rho[k] > p->rho[most]) most = k;
    for (int c = 0; c < 3; ++c)
        x[c] = p->cells.count > 0 ? p->at[4 * most + (size_t)c] : 0.0f;
}

sp_status sph_check_start(sph *s, sp_error *err)
{
    SP_TRY(check_distance(s, err));
    SP_TRY(sph_walls_place(s, s->time, err));
    SP_TRY(sph_arrange(s, err));
    const double over = s->figures.compression;
    if (over <= 0.02) return SP_OK;
    float x[3];
    sph_densest(s, x);
    if (over > 0.05)
        return sp_fail(err, SP_BAD_INPUT,
                       "sph: initial liquid is compressed by %.1f %% near (%.3g, %.3g, %.3g); keep "
                       "one spacing (%g m) to colliders or lower boundary_volume_scale",
                       100.0 * over, (double)x[0], (double)x[1], (double)x[2], (double)s->d);
    sp_log(s->host, SP_LOG_WARNING,
           "sph: initial liquid is compressed by %.1f %% near (%.3g, %.3g, %.3g)", 100.0 * over,
           (double)x[0], (double)x[1], (double)x[2]);
    return SP_OK;
}

/// Length of the first step, from the initial speeds and the emitters.
static void first_dt(sph *s)
{
    double v2 = 0.0;
    for (size_t i = 0; i < s->liquid.set.count; ++i) {
        const double vx = (double)s->liquid.v[0][i], vy = (double)s->liquid.v[1][i],
                     vz = (double)s->liquid.v[2][i];
        v2 = fmax(v2, vx * vx + vy * vy + vz * vz);
    }
    s->dt = s->def.dt_max;
    const double v = fmax(sqrt(v2), (double)sph_emitters_fastest(s, 5.0 * s->dt));
    if (v > 0.0) s->dt = fmin(s->dt, 0.4 * (double)s->h / v);
    s->dt = fmax(s->dt, s->def.dt_min);
}

static void warn_fixed(const sph *s)
{
    for (size_t i = 0; i < s->emitters && s->def.dt_mode == SP_SPH_FIXED; ++i) {
        const sp_emitter_def *e = &s->emitter[i].def;
        const double most = 0.4 * (double)s->h / (double)e->speed;
        if (s->def.dt > most)
            sp_log(
                s->host, SP_LOG_WARNING,
                "sph: dt %g s is too long for emitter \"%s\" (%g m/s): at most %.3g s at spacing "
                "%g m",
                s->def.dt, e->name ? e->name : "", (double)e->speed, most, (double)s->d);
    }
}

static sp_status open_parts(sph *s, const sp_setup *setup, sp_error *err)
{
    SP_TRY(copy_scene(s, setup, err));
    SP_TRY(sph_phase_open(s, &s->liquid, false, err));
    SP_TRY(sph_phase_open(s, &s->air, true, err));
    SP_TRY(sph_emitters_open(s, setup->world, err));
    SP_TRY(sph_walls_open(s, setup->world, err));
    SP_TRY(sph_emitters_check(s, err));
    SP_TRY(sph_fill(s, setup->world, err));
    warn_fixed(s);
    first_dt(s);
    return sph_check_start(s, err);
}

sp_status sph_open(const sp_setup *setup, const sp_host *host, sph **out, sp_error *err)
{
    *out = NULL;
    sph *s = sp_allocate(host, 1, sizeof *s);
    if (!s) return sp_fail(err, SP_NO_MEMORY, "sph: no memory for the solver");
    s->host = host;
    sph_profile_begin(s);
    const sp_status status = open_parts(s, setup, err);
    if (status == SP_OK)
        *out = s;
    else
        sph_close(s);
    return status;
}

/// ---- Figures ----------------------------------------------------------------------------------

/// Adds the momentum of a phase and returns its kinetic energy.
static double add_momentum(const sph_phase *p, double momentum[3])
{
    sp_exact_sum sum[3] = {0}, squares = {0};
    for (size_t i = 0; i < p->set.count; ++i)
        for (int c = 0; c < 3; ++c) {
            const double v = (double)p->v[c][i];
            sp_exact_add(&sum[c], v);
            sp_exact_add(&squares, v * v);
        }
    for (int c = 0; c < 3; ++c)
        momentum[c] += (double)p->mass * sp_exact_round(&sum[c]);
    return 0.5 * (double)p->mass * sp_exact_round(&squares);
}

sp_sph_figures sp_sph_last(const sph *s)
{
    sp_sph_figures f = s->figures;
    f.time = s->time;
    f.steps = s->steps;
    return f;
}

sp_sph_figures sp_sph_look(const sph *s)
{
    sp_sph_figures f = sp_sph_last(s);
    sp_exact_sum height = {0};
    f.liquid = s->liquid.set.count;
    f.air = s->air.set.count;
    f.boundary = s->walls.count;
    f.momentum[0] = f.momentum[1] = f.momentum[2] = 0.0;
    f.kinetic = add_momentum(&s->liquid, f.momentum);
    add_momentum(&s->air, f.momentum);
    for (size_t i = 0; i < s->liquid.set.count; ++i)
        for (int c = 0; c < 3; ++c)
            sp_exact_add(&height, -(double)s->gravity[c] * (double)s->liquid.x[c][i]);
    f.potential = (double)s->liquid.mass * sp_exact_round(&height);
    f.foam = 0;
    for (size_t i = 0; i < s->air.set.count; ++i)
        f.foam += s->air.tag[i] & SPH_FOAM ? 1 : 0;
    f.bytes = sph_phase_bytes(&s->liquid) + sph_phase_bytes(&s->air) + sph_air_bytes(s) +
              sp_cells_bytes(&s->walls.cells) + s->walls.count * 15 * sizeof(float) +
              s->partials * sizeof *s->partial;
    return f;
}

const sp_profile *sp_sph_profile(const sph *s)
{
    return &s->profile;
}

// SPDX-License-Identifier: Apache-2.0
/// Makes frames: water, bubbles and foam in ascending id.
#include "sph/internal.h"

#include <stdio.h>

enum { SETS = 3, STATS = 24 };

typedef struct published {
    sp_published particles[SETS]; ///< in the phases' working arrays, which are unused between steps
    sp_column columns[SETS][SP_PUBLISHED_COLUMNS];
    sp_set sets[SETS];
    sp_stat *stats;     ///< STATS, and one per emitter
    char (*source)[32]; ///< names of the emitters' statistics: "air_from_1"...
    sp_body *bodies;
} published;

void sph_publish_close(sph *s)
{
    published *p = s->published;
    if (!p) return;
    sp_release(s->host, p->stats);
    sp_release(s->host, p->source);
    sp_release(s->host, p->bodies);
    sp_release(s->host, p);
    s->published = NULL;
}

/// A set that begins behind the first `from` particles of its phase.
static sp_published behind(const sph_phase *phase, size_t from)
{
    return (sp_published){.position = (float(*)[3])(void *)(phase->at + 3 * from),
                          .velocity = (float(*)[3])(void *)(phase->vel + 3 * from),
                          .radius = phase->pp + from,
                          .id = (uint64_t *)(void *)phase->ahead + from};
}

/// Particles in ascending id; foam is stored behind rising air.
static sp_status show_phase(sph *s, sph_phase *phase, sp_published *rising, sp_published *floating,
                            sp_error *err)
{
    size_t foam = 0;
    SP_TRY(sph_phase_reserve_places(s, phase, err));
    uint32_t *order = (uint32_t *)(void *)phase->rho;
    SP_TRY(sp_order_by_id(s->host, phase->set.count, phase->id, order, phase->at, err));
    for (size_t i = 0; floating && i < phase->set.count; ++i)
        foam += phase->tag[i] & SPH_FOAM ? 1 : 0;
    *rising = behind(phase, 0);
    if (floating) *floating = behind(phase, phase->set.count - foam);
    for (size_t k = 0; k < phase->set.count; ++k) {
        const uint32_t i = order[k];
        const float x[3] = {phase->x[0][i], phase->x[1][i], phase->x[2][i]},
                    v[3] = {phase->v[0][i], phase->v[1][i], phase->v[2][i]};
        sp_published_add(floating && phase->tag[i] & SPH_FOAM ? floating : rising, x, v,
                         0.5f * s->d, phase->id[i]);
    }
    return SP_OK;
}

static void describe_sets(published *p)
{
    static const char *const names[SETS] = {"liquid", "bubbles", "foam"};
    for (int k = 0; k < SETS; ++k)
        p->sets[k] = sp_published_set(&p->particles[k], names[k], p->columns[k], NULL, 0);
}

/// Hash of time, dt and all particles, in order of ids.
static uint64_t hash_state(const sph *s, const published *p)
{
    uint64_t hash = sp_hash(0, &s->time, sizeof s->time);
    hash = sp_hash(hash, &s->dt, sizeof s->dt);
    for (int k = 0; k < SETS; ++k) {
        const sp_published *v = &p->particles[k];
        hash = sp_hash(hash, v->position, v->count * sizeof *v->position);
        hash = sp_hash(hash, v->velocity, v->count * sizeof *v->velocity);
        hash = sp_hash(hash, v->id, v->count * sizeof *v->id);
    }
    return hash;
}

static size_t describe_stats(const sph *s, published *p)
{
    const sp_sph_figures f = sp_sph_look(s);
    const sp_stat all[] = {
        {"liquid", (double)f.liquid},
        {"bubbles", (double)(f.air - f.foam)},
        {"foam", (double)f.foam},
        {"air_created", (double)f.created},
        {"air_seeded", (double)f.seeded},
        {"foam_burst", (double)f.burst},
        {"air_vented", (double)f.vented},
        {"emitted", (double)f.emitted},
        {"drained", (double)f.drained},
        {"left_domain", (double)f.left},
        {"skipped", (double)f.skipped},
        {"clamped", (double)f.clamped},
        {"steps", (double)f.steps},
        {"iterations", (double)f.total_iterations},
        {"retries", (double)f.retries},
        {"failures", (double)f.failures},
        {"dt_s", f.dt},
        {"compression_max", f.compression},
        {"compression_mean", f.compression_mean},
        {"speed_max_m_s", f.speed},
        {"kinetic_J", f.kinetic},
        {"momentum_x", f.momentum[0]},
        {"momentum_y", f.momentum[1]},
        {"momentum_z", f.momentum[2]},
    };
    _Static_assert(sizeof all / sizeof *all == STATS, "room for all statistics");
    memcpy(p->stats, all, sizeof all);
    for (size_t i = 0; i < s->emitters; ++i)
        p->stats[STATS + i] = (sp_stat){p->source[i], (double)s->emitter[i].air};
    return STATS + s->emitters;
}

static sp_status open_published(sph *s, sp_error *err)
{
    published *p = s->published = sp_allocate(s->host, 1, sizeof *p);
    if (p) {
        p->bodies = sp_allocate(s->host, s->solids, sizeof *p->bodies);
        p->stats = sp_allocate(s->host, STATS + s->emitters, sizeof *p->stats);
        p->source = sp_allocate(s->host, s->emitters, sizeof *p->source);
    }
    if (!p || !p->bodies || !p->stats || !p->source) {
        sph_publish_close(s);
        return sp_fail(err, SP_NO_MEMORY, "sph: no memory for a frame");
    }
    for (size_t i = 0; i < s->emitters; ++i)
        snprintf(p->source[i], sizeof p->source[i], "air_from_%zu", i + 1);
    return SP_OK;
}

sp_status sph_publish(void *solver, sp_frame *frame, sp_error *err)
{
    sph *s = solver;
    if (!s->published) SP_TRY(open_published(s, err));
    published *p = s->published;
    SP_TRY(show_phase(s, &s->liquid, &p->particles[0], NULL, err));
    SP_TRY(show_phase(s, &s->air, &p->particles[1], &p->particles[2], err));
    describe_sets(p);
    for (size_t i = 0; i < s->solids; ++i)
        p->bodies[i] = sp_shape_pose(s->solid[i], s->time);
    frame->time = s->time;
    frame->voxel = 2.0 * (double)s->d; // as on a grid, eight particles fill a voxel
    frame->hash = hash_state(s, p);
    frame->sets = p->sets;
    frame->set_count = SETS;
    frame->bodies = p->bodies;
    frame->body_count = s->solids;
    frame->stats = p->stats;
    frame->stat_count = describe_stats(s, p);
    return SP_OK;
}

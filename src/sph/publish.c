// SPDX-License-Identifier: Apache-2.0
/// Frames: water, bubbles and foam in ascending id.
#include "sph/internal.h"

#include <stdio.h>

enum { SETS = 3, COLUMNS = 5, STATS = 24 };

/// One set of a frame. Its arrays are the phase's working arrays, which are free between steps.
typedef struct view {
    size_t count;
    float (*position)[3], (*velocity)[3];
    float *radius;
    uint64_t *id;
} view;

typedef struct published {
    view view[SETS];
    sp_column columns[SETS][COLUMNS];
    sp_set sets[SETS];
    sp_stat *stats;     ///< STATS and one an emitter
    char (*source)[32]; ///< names of the latter: "air_from_1"...
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
static view view_of(const sph_phase *phase, size_t from)
{
    return (view){.position = (float(*)[3])(void *)(phase->at + 3 * from),
                  .velocity = (float(*)[3])(void *)(phase->vel + 3 * from),
                  .radius = phase->pp + from,
                  .id = (uint64_t *)(void *)phase->ahead + from};
}

/// Which particle has each id from *first on; UINT32_MAX where none has. Ids are dense enough that
/// this beats sorting them. The caller releases it; NULL: no memory.
static uint32_t *find_holders(const sph *s, const sph_phase *phase, uint64_t *first, size_t *span)
{
    uint64_t last = 0;
    *first = UINT64_MAX;
    for (size_t i = 0; i < phase->set.count; ++i) {
        *first = phase->id[i] < *first ? phase->id[i] : *first;
        last = phase->id[i] > last ? phase->id[i] : last;
    }
    *span = phase->set.count ? (size_t)(last - *first + 1) : 0;
    uint32_t *holder = sp_allocate(s->host, *span, sizeof *holder);
    if (!holder) return NULL;
    memset(holder, 0xff, *span * sizeof *holder);
    for (size_t i = 0; i < phase->set.count; ++i)
        holder[phase->id[i] - *first] = (uint32_t)i;
    return holder;
}

static void put(const sph *s, const sph_phase *phase, size_t i, view *v)
{
    const size_t to = v->count++;
    for (int c = 0; c < 3; ++c) {
        v->position[to][c] = phase->x[c][i];
        v->velocity[to][c] = phase->v[c][i];
    }
    v->radius[to] = 0.5f * s->d;
    v->id[to] = phase->id[i];
}

/// In ascending id; air that floats goes behind all that rises.
static sp_status show_phase(sph *s, sph_phase *phase, view *rising, view *floating, sp_error *err)
{
    uint64_t first;
    size_t span, foam = 0;
    SP_TRY(sph_phase_places(s, phase, err));
    uint32_t *holder = find_holders(s, phase, &first, &span);
    if (!holder)
        return sp_fail(err, SP_NO_MEMORY, "sph: no memory to show %zu particles", phase->set.count);
    for (size_t i = 0; floating && i < phase->set.count; ++i)
        foam += phase->tag[i] & SPH_FOAM ? 1 : 0;
    *rising = view_of(phase, 0);
    if (floating) *floating = view_of(phase, phase->set.count - foam);
    for (size_t n = 0; n < span; ++n) {
        const uint32_t i = holder[n];
        if (i == UINT32_MAX) continue;
        put(s, phase, i, floating && phase->tag[i] & SPH_FOAM ? floating : rising);
    }
    sp_release(s->host, holder);
    return SP_OK;
}

static void describe_sets(published *p)
{
    static const char *const names[SETS] = {"liquid", "bubbles", "foam"};
    for (int k = 0; k < SETS; ++k) {
        const view *v = &p->view[k];
        const sp_column columns[] = {{"position", SP_F32, 3, v->position},
                                     {"velocity", SP_F32, 3, v->velocity},
                                     {"radius", SP_F32, 1, v->radius},
                                     {"id", SP_U64, 1, v->id}};
        memcpy(p->columns[k], columns, sizeof columns);
        p->sets[k] = (sp_set){names[k], v->count, p->columns[k], sizeof columns / sizeof *columns};
    }
}

/// Everything a state is, in order of ids.
static uint64_t hash_state(const sph *s, const published *p)
{
    uint64_t hash = sp_hash(0, &s->time, sizeof s->time);
    hash = sp_hash(hash, &s->dt, sizeof s->dt);
    for (int k = 0; k < SETS; ++k) {
        const view *v = &p->view[k];
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
        return sp_fail(err, SP_NO_MEMORY, "sph: no memory to show a frame");
    }
    for (size_t i = 0; i < s->emitters; ++i)
        snprintf(p->source[i], sizeof p->source[i], "air_from_%zu", i + 1);
    return SP_OK;
}

sp_status sph_publish(sph *s, sp_frame *frame, sp_error *err)
{
    if (!s->published) SP_TRY(open_published(s, err));
    published *p = s->published;
    SP_TRY(show_phase(s, &s->liquid, &p->view[0], NULL, err));
    SP_TRY(show_phase(s, &s->air, &p->view[1], &p->view[2], err));
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

// SPDX-License-Identifier: Apache-2.0
/// Frames: water, bubbles and foam in ascending id.
#include "sph/internal.h"

enum { SETS = 3, COLUMNS = 5, STATS = 24 };

typedef struct view {
    size_t capacity, count;
    float (*position)[3], (*velocity)[3];
    float *radius, *density; ///< density: of water, at the last step's start
    uint64_t *id;
} view;

typedef struct published {
    view view[SETS];
    sp_column columns[SETS][COLUMNS];
    sp_set sets[SETS];
    sp_stat stats[STATS];
    sp_body *bodies;
    uint32_t *holder; ///< particle of each id, while sorting
    size_t holder_capacity;
} published;

static void close_view(const sp_host *host, view *v)
{
    sp_release(host, v->position);
    sp_release(host, v->velocity);
    sp_release(host, v->radius);
    sp_release(host, v->density);
    sp_release(host, v->id);
    *v = (view){0};
}

void sph_publish_close(sph *s)
{
    published *p = s->published;
    if (!p) return;
    for (int k = 0; k < SETS; ++k)
        close_view(s->host, &p->view[k]);
    sp_release(s->host, p->bodies);
    sp_release(s->host, p->holder);
    sp_release(s->host, p);
    s->published = NULL;
}

static bool reserve_view(const sp_host *host, view *v, size_t n)
{
    v->count = 0;
    if (n <= v->capacity && v->id) return true;
    close_view(host, v);
    v->capacity = n + n / 8;
    return (v->position = sp_allocate(host, v->capacity, sizeof *v->position)) &&
           (v->velocity = sp_allocate(host, v->capacity, sizeof *v->velocity)) &&
           (v->radius = sp_allocate(host, v->capacity, sizeof *v->radius)) &&
           (v->density = sp_allocate(host, v->capacity, sizeof *v->density)) &&
           (v->id = sp_allocate(host, v->capacity, sizeof *v->id));
}

/// holder[id - first] = particle: ids are dense enough that this beats sorting them.
static bool find_holders(const sph *s, published *p, const sph_phase *phase, uint64_t *first,
                         size_t *span)
{
    *first = UINT64_MAX;
    uint64_t last = 0;
    for (size_t i = 0; i < phase->set.count; ++i) {
        *first = phase->id[i] < *first ? phase->id[i] : *first;
        last = phase->id[i] > last ? phase->id[i] : last;
    }
    *span = phase->set.count ? (size_t)(last - *first + 1) : 0;
    if (*span > p->holder_capacity) {
        sp_release(s->host, p->holder);
        p->holder = sp_allocate(s->host, *span, sizeof *p->holder);
        p->holder_capacity = p->holder ? *span : 0;
        if (!p->holder) return false;
    }
    if (*span > 0) memset(p->holder, 0xff, *span * sizeof *p->holder);
    for (size_t i = 0; i < phase->set.count; ++i)
        p->holder[phase->id[i] - *first] = (uint32_t)i;
    return true;
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

static sp_status show_phase(const sph *s, published *p, const sph_phase *phase, view *rising,
                            view *floating, sp_error *err)
{
    uint64_t first;
    size_t span;
    if (!reserve_view(s->host, rising, phase->set.count) ||
        (floating && !reserve_view(s->host, floating, phase->set.count)) ||
        !find_holders(s, p, phase, &first, &span))
        return sp_fail(err, SP_NO_MEMORY, "sph: no memory to show %zu particles", phase->set.count);
    for (size_t n = 0; n < span; ++n) {
        const uint32_t i = p->holder[n];
        if (i == UINT32_MAX) continue;
        put(s, phase, i, floating && phase->tag[i] & SPH_FOAM ? floating : rising);
    }
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

static size_t describe_stats(const sph *s, sp_stat stats[STATS])
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
    _Static_assert(sizeof all / sizeof *all <= STATS, "more statistics than room");
    memcpy(stats, all, sizeof all);
    return sizeof all / sizeof *all;
}

sp_status sph_publish(sph *s, sp_frame *frame, sp_error *err)
{
    published *p = s->published;
    if (!p) {
        p = s->published = sp_allocate(s->host, 1, sizeof *p);
        if (p) p->bodies = sp_allocate(s->host, s->solids, sizeof *p->bodies);
        if (!p || !p->bodies) return sp_fail(err, SP_NO_MEMORY, "sph: no memory to show a frame");
    }
    SP_TRY(show_phase(s, p, &s->liquid, &p->view[0], NULL, err));
    SP_TRY(show_phase(s, p, &s->air, &p->view[1], &p->view[2], err));
    describe_sets(p);
    for (size_t i = 0; i < s->solids; ++i)
        p->bodies[i] = sp_shape_pose(s->solid[i], s->time);
    frame->time = s->time;
    frame->voxel = (double)s->d;
    frame->hash = hash_state(s, p);
    frame->sets = p->sets;
    frame->set_count = SETS;
    frame->bodies = p->bodies;
    frame->body_count = s->solids;
    frame->stats = p->stats;
    frame->stat_count = describe_stats(s, p->stats);
    return SP_OK;
}

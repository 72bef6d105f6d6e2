// SPDX-License-Identifier: Apache-2.0
/// Saves, loads and hashes the state. One function lists the state (core/memory/state_walk.h);
/// size, save, load and hash walk this list.
#include "pond/internal.h"

#include <string.h>

enum { STATE_MAGIC = 0x53504f4e, STATE_VERSION = 3 };

/// Header of a saved state.
typedef struct state_head {
    uint32_t magic, version;
    int32_t nx, ny;
    uint64_t bubbles, ghosts, foam, tracers, nozzles, heaters, obstacles;
    uint64_t bytes, digest; ///< bytes: header and body; digest: of the body
} state_head;

static state_head head_of(const sp_pond *pond)
{
    return (state_head){
        .magic = STATE_MAGIC,
        .version = STATE_VERSION,
        .nx = pond->water.nx,
        .ny = pond->water.ny,
        .bubbles = pond->bubbles.set.count,
        .ghosts = pond->ghosts.set.count,
        .foam = pond->foam.set.count,
        .tracers = pond->tracers.set.count,
        .nozzles = pond->nozzle_count,
        .heaters = pond->def.heater_count,
        .obstacles = pond->def.obstacle_count,
    };
}

/// Values that can change while the pond runs.
static void walk_live(sp_walk *w, const sp_keys *keys, void *def)
{
    for (size_t k = 0; k < keys->count; ++k) {
        if (!keys->keys[k].live) continue;
        double value = sp_key_get_number(&keys->keys[k], def);
        SP_PIECE(w, value);
        sp_key_set_number(&keys->keys[k], def, value);
    }
}

static void walk_world(sp_walk *w, sp_pond *p)
{
    SP_PIECE(w, p->time);
    SP_PIECE(w, p->frame);
    SP_PIECE(w, p->seed);
    SP_PIECE(w, p->next_id);
    SP_PIECE(w, p->gas_in);
    SP_PIECE(w, p->gas_out);
    SP_PIECE(w, p->arrived);
    SP_PIECE(w, p->foam_size);
    SP_PIECE(w, p->stats.limited);
    SP_PIECE(w, p->stats.softened);
    SP_PIECE(w, p->stats.held);
    SP_PIECE(w, p->stats.substeps);
    SP_PIECE(w, p->stats.vortex_clamps);
    walk_live(w, &sp_pond_keys, &p->def);
}

static void walk_things(sp_walk *w, sp_pond *p)
{
    const sp_keys *nozzles = sp_keys_find(&sp_pond_keys, "nozzles")->items,
                  *heaters = sp_keys_find(&sp_pond_keys, "heaters")->items,
                  *obstacles = sp_keys_find(&sp_pond_keys, "obstacles")->items;
    for (size_t k = 0; k < p->nozzle_count; ++k) {
        SP_PIECE(w, p->nozzles[k].def.x);
        SP_PIECE(w, p->nozzles[k].def.y);
        SP_PIECE(w, p->nozzles[k].due);
        walk_live(w, nozzles, &p->nozzles[k].def);
    }
    for (size_t k = 0; k < p->def.heater_count; ++k) {
        SP_PIECE(w, p->heaters[k].x);
        SP_PIECE(w, p->heaters[k].y);
        SP_PIECE(w, p->heaters[k].due);
        SP_PIECE(w, p->heaters[k].moved_by_input);
        walk_live(w, heaters, &p->heaters[k].def);
    }
    for (size_t k = 0; k < p->def.obstacle_count; ++k) {
        pond_obstacle *o = &p->obstacles[k];
        float *const numbers[] = {&o->x,        &o->y,        &o->vx,  &o->vy,
                                  &o->target_x, &o->target_y, &o->rise};
        for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i)
            SP_PIECE(w, *numbers[i]);
        SP_PIECE(w, o->shape);
        SP_PIECE(w, o->moved_by_input);
        walk_live(w, obstacles, &o->def);
        pond_turn_obstacle(o);
    }
}

static void walk_water(sp_walk *w, sp_pond *p)
{
    pond_water *water = &p->water;
    void *const arrays[] = {water->q, water->eta_before, water->u, water->v, water->eta_dot};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; ++k)
        sp_walk_piece(w, arrays[k], water->cells * 4);
    SP_PIECE(w, water->h_max);
    SP_PIECE(w, water->speed_max);
    SP_PIECE(w, water->entered);
}

static void walk(sp_walk *w, sp_pond *p)
{
    walk_world(w, p);
    walk_things(w, p);
    walk_water(w, p);
    sp_particles_walk(&p->bubbles.set, w);
    sp_particles_walk(&p->ghosts.set, w);
    sp_particles_walk(&p->foam.set, w);
    sp_particles_walk(&p->tracers.set, w);
}

/// A walk writes back each value it read, so it changes the pond only when it restores.
static sp_pond *writable(const sp_pond *pond)
{
    return (sp_pond *)(uintptr_t)pond;
}

uint64_t sp_pond_hash(const sp_pond *pond)
{
    state_head head = head_of(pond);
    sp_walk w = {.way = SP_WALK_HASH};
    SP_PIECE(&w, head);
    walk(&w, writable(pond));
    return w.hash;
}

size_t sp_pond_save(const sp_pond *pond, void *buffer, size_t capacity)
{
    sp_walk count = {.way = SP_WALK_COUNT};
    walk(&count, writable(pond));
    state_head head = head_of(pond);
    head.bytes = sizeof head + count.bytes;
    if (!buffer || capacity < head.bytes) return head.bytes;
    unsigned char *rest = (unsigned char *)buffer + sizeof head;
    sp_walk save = {.way = SP_WALK_SAVE, .at = rest, .left = count.bytes};
    walk(&save, writable(pond));
    head.digest = sp_hash(0, rest, count.bytes);
    memcpy(buffer, &head, sizeof head);
    return head.bytes;
}

static bool fits(const sp_pond *pond, const state_head *head)
{
    return head->magic == STATE_MAGIC && head->version == STATE_VERSION &&
           head->nx == pond->water.nx && head->ny == pond->water.ny &&
           head->bubbles <= (uint64_t)pond->def.max_bubbles &&
           head->ghosts <= (uint64_t)pond->def.max_ghosts &&
           head->foam <= (uint64_t)pond->def.max_foam &&
           head->tracers <= (uint64_t)pond->def.tracers && head->nozzles <= pond->nozzle_capacity &&
           head->heaters == pond->def.heater_count && head->obstacles == pond->def.obstacle_count;
}

static void set_counts(sp_pond *pond, const state_head *head)
{
    pond->bubbles.set.count = (size_t)head->bubbles;
    pond->ghosts.set.count = (size_t)head->ghosts;
    pond->foam.set.count = (size_t)head->foam;
    pond->tracers.set.count = (size_t)head->tracers;
    pond->nozzle_count = (size_t)head->nozzles;
}

sp_status sp_pond_load(sp_pond *pond, const void *bytes, size_t count, sp_error *err)
{
    state_head head = {0};
    if (count >= sizeof head) memcpy(&head, bytes, sizeof head);
    if (!fits(pond, &head))
        return sp_fail(err, SP_DAMAGED, "pond: the saved state is not of this pond");
    const state_head before = head_of(pond);
    unsigned char *rest = (unsigned char *)(uintptr_t)bytes + sizeof head; // never written
    set_counts(pond, &head);
    sp_walk size = {.way = SP_WALK_COUNT};
    walk(&size, pond);
    const bool whole = count == sizeof head + size.bytes && head.bytes == count;
    if (!whole || sp_hash(0, rest, size.bytes) != head.digest) {
        set_counts(pond, &before);
        return sp_fail(err, SP_DAMAGED,
                       "pond: the saved state is damaged (%zu bytes; expected %zu)", count,
                       sizeof head + size.bytes);
    }
    sp_walk load = {.way = SP_WALK_RESTORE, .at = rest, .left = size.bytes};
    walk(&load, pond);
    pond->command_count = pond->event_count = 0;
    pond->drawn = 0;
    pond_find_script(pond);
    pond_rebuild_ground(pond);
    pond_water_survey(&pond->water);
    return SP_OK;
}

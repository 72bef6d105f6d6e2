// SPDX-License-Identifier: Apache-2.0
/// Saves and restores the exact state: a restored run continues bit for bit.
#include "core/memory/blob.h"
#include "whitewater/internal.h"

static void walk_numbers(whitewater *s, sp_walk *w)
{
    SP_PIECE(w, s->time);
    SP_PIECE(w, s->step);
    SP_PIECE(w, s->frame);
    SP_PIECE(w, s->next_id);
    SP_PIECE(w, s->next_second_id);
    SP_PIECE(w, s->first_hash);
    SP_PIECE(w, s->afloat);
    for (int half = 0; half < 2; ++half) {
        SP_PIECE(w, s->ledger[half].count);
        SP_PIECE(w, s->ledger[half].volume);
    }
}

/// Figures of the last step, which a frame shows.
static void walk_figures(whitewater *s, sp_walk *w)
{
    SP_PIECE(w, s->emitted.aeration_max);
    SP_PIECE(w, s->emitted.target_volume);
    SP_PIECE(w, s->emitted.volume);
    SP_PIECE(w, s->emitted.lost_volume);
    SP_PIECE(w, s->emitted.voxels);
    SP_PIECE(w, s->emitted.number);
    SP_PIECE(w, s->guide.tiles);
    SP_PIECE(w, s->guide.substeps);
    SP_PIECE(w, s->guide.iterations);
    SP_PIECE(w, s->guide.failures);
    SP_PIECE(w, s->guide.residual);
    SP_PIECE(w, s->guide.newton_change);
    SP_PIECE(w, s->guide.fastest);
    SP_PIECE(w, s->guide.bulk_divergence);
    SP_PIECE(w, s->floating.foam.substeps);
    SP_PIECE(w, s->floating.sunk);
    SP_PIECE(w, s->floating.parted);
}

typedef whitewater_set *set_list[WHITEWATER_KINDS + 2];

static void list_sets(whitewater *s, set_list sets)
{
    sets[0] = &s->bubbles;
    sets[1] = &s->arrivals.set;
    for (int k = 0; k < WHITEWATER_KINDS; ++k)
        sets[2 + k] = &s->second[k];
}

static void list_state(void *state, sp_walk *w)
{
    whitewater *s = state;
    set_list sets;
    list_sets(s, sets);
    walk_numbers(s, w);
    walk_figures(s, w);
    for (int k = 0; k < WHITEWATER_KINDS + 2; ++k) {
        uint64_t count = sets[k]->set.count;
        SP_PIECE(w, count);
    }
    for (int k = 0; k < WHITEWATER_KINDS + 2; ++k)
        sp_particles_walk(&sets[k]->set, w);
    sp_walk_piece(w, s->arrivals.step, s->arrivals.set.set.count * sizeof *s->arrivals.step);
}

static void list_emission(void *state, sp_walk *walk)
{
    whitewater_emission_walk(state, walk);
}

/// The state of a liquid that runs along, with its length before it: a driver wants a blob of its own.
static sp_status save_water(const whitewater *s, sp_blob *blob, sp_error *err)
{
    sp_blob own = {.host = s->host};
    if (!s->water.driver) return SP_OK;
    const sp_status status = sp_driver_save(s->water.driver, &own, err);
    const uint64_t facts[2] = {sp_driver_reached(s->water.driver), own.size};
    sp_blob_put(blob, facts, sizeof facts);
    sp_blob_put(blob, own.bytes, own.size);
    sp_blob_close(&own);
    return status;
}

sp_status whitewater_save(const void *solver, sp_blob *blob, sp_error *err)
{
    const whitewater *s = solver;
    SP_TRY(save_water(s, blob, err));
    sp_blob_save(blob, list_state, solver);
    sp_blob_save(blob, list_emission, s->emission);
    if (s->guided) SP_TRY(sp_guided_save(s->guided, blob, err));
    return blob->failed ? sp_fail(err, SP_NO_MEMORY, "whitewater: no memory to save the state")
                        : SP_OK;
}

static sp_status too_short(sp_error *err)
{
    return sp_fail(err, SP_DAMAGED, "whitewater: the saved state is too short");
}

static sp_status restore_pieces(whitewater *s, sp_walk *w, sp_error *err)
{
    set_list sets;
    uint64_t count[WHITEWATER_KINDS + 2];
    list_sets(s, sets);
    walk_numbers(s, w);
    walk_figures(s, w);
    SP_PIECE(w, count);
    for (int k = 0; k < WHITEWATER_KINDS + 2; ++k) {
        if (w->failed || count[k] > w->left / 64) return too_short(err);
        SP_TRY(whitewater_set_reserve(sets[k], (size_t)count[k], err));
        sets[k]->set.count = 0;
        sp_particles_append(&sets[k]->set, (size_t)count[k]);
    }
    if (!sp_regrow(s->host, (void **)&s->arrivals.step, 0, (size_t)count[1] + 1,
                   sizeof *s->arrivals.step))
        return sp_fail(err, SP_NO_MEMORY, "whitewater: no memory for %llu arrivals",
                       (unsigned long long)count[1]);
    s->arrivals.room = (size_t)count[1] + 1;
    for (int k = 0; k < WHITEWATER_KINDS + 2; ++k)
        sp_particles_walk(&sets[k]->set, w);
    sp_walk_piece(w, s->arrivals.step, (size_t)count[1] * sizeof *s->arrivals.step);
    return w->failed ? too_short(err) : SP_OK;
}

static sp_status restore_water(whitewater *s, sp_blob *blob, sp_error *err)
{
    uint64_t facts[2] = {0, 0};
    if (!s->water.driver) return SP_OK;
    sp_blob_get(blob, facts, sizeof facts);
    if (blob->failed || facts[1] > blob->size - blob->at) return too_short(err);
    sp_blob own = {.host = s->host, .bytes = blob->bytes + blob->at, .size = (size_t)facts[1]};
    SP_TRY(sp_driver_restore(s->water.driver, facts[0], &own, err));
    blob->at += own.size;
    return whitewater_reopen_water(s, err);
}

sp_status whitewater_restore(void *solver, sp_blob *blob, sp_error *err)
{
    whitewater *s = solver;
    SP_TRY(restore_water(s, blob, err));
    sp_walk walk = sp_blob_begin(blob);
    const sp_status status = restore_pieces(s, &walk, err);
    sp_blob_end(blob, &walk);
    SP_TRY(status);
    walk = sp_blob_begin(blob);
    whitewater_emission_walk(s->emission, &walk);
    sp_blob_end(blob, &walk);
    if (walk.failed) return too_short(err);
    return s->guided ? sp_guided_restore(s->guided, blob, err) : SP_OK;
}

/// ---- Hashes ------------------------------------------------------------------------------------

uint64_t whitewater_hash_first(const whitewater *s)
{
    whitewater *w = (whitewater *)(uintptr_t)s; // a walk that hashes changes nothing
    sp_walk walk = {.way = SP_WALK_HASH};
    if (s->redo) return s->first_hash;
    SP_PIECE(&walk, w->time);
    SP_PIECE(&walk, w->next_id);
    SP_PIECE(&walk, w->ledger[FIRST].count);
    sp_particles_walk(&w->bubbles.set, &walk);
    sp_particles_walk(&w->arrivals.set.set, &walk);
    if (s->guided) {
        const sp_guided_water g = sp_guided_now(s->guided);
        for (int a = 0; g.tiles->count > 0 && a < 3; ++a)
            sp_walk_piece(&walk, (void *)(uintptr_t)g.u[a],
                          g.tiles->count * SP_TILE_VOXELS * sizeof(float));
    }
    return walk.hash;
}

uint64_t whitewater_hash_second(const whitewater *s)
{
    whitewater *w = (whitewater *)(uintptr_t)s;
    sp_walk walk = {.way = SP_WALK_HASH};
    SP_PIECE(&walk, w->time);
    SP_PIECE(&walk, w->next_second_id);
    SP_PIECE(&walk, w->ledger[SECOND].count);
    for (int k = 0; k < WHITEWATER_KINDS; ++k)
        sp_particles_walk(&w->second[k].set, &walk);
    return walk.hash;
}

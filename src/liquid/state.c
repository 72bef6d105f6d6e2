// SPDX-License-Identifier: Apache-2.0
/// Saves and restores the exact state: a restored run continues bit for bit.
#include "core/memory/blob.h"
#include "liquid/internal.h"

static void walk_numbers(liquid *s, sp_walk *w)
{
    SP_PIECE(w, s->time);
    SP_PIECE(w, s->last_dt);
    SP_PIECE(w, s->second_of_pair);
    SP_PIECE(w, s->steps);
    SP_PIECE(w, s->frame_steps); // so that a frame published again is the same
    SP_PIECE(w, s->figures);
    SP_PIECE(w, s->particles.next_id);
    SP_PIECE(w, s->balance.water);
    SP_PIECE(w, s->balance.debt_eighths);
    for (size_t i = 0; i < s->sources.emitters; ++i) {
        SP_PIECE(w, s->sources.emitter[i].pinned);
        SP_PIECE(w, s->sources.emitter[i].swept);
    }
    SP_PIECE(w, s->warned_max_steps);
    SP_PIECE(w, s->warned_pocket);
    SP_PIECE(w, s->failed_in_a_row);
    SP_PIECE(w, s->stuck_at_last_warning);
    SP_PIECE(w, s->lost_said);
}

static void walk_fields(liquid *s, sp_walk *w)
{
    const size_t tiles = s->grid.tiles.count, bytes = tiles * SP_TILE_VOXELS * sizeof(float);
    sp_walk_piece(w, s->grid.phi, bytes);
    sp_walk_piece(w, liquid_latest_q(s), bytes);
    if (s->grid.q_second) sp_walk_piece(w, liquid_previous_q(s), bytes);
    if (s->grid.aeration) sp_walk_piece(w, s->grid.aeration, bytes);
    sp_walk_piece(w, s->grid.pinned, tiles * sizeof(sp_tile_mask));
    for (int a = 0; a < 3; ++a) {
        if (s->grid.spread[a]) sp_walk_piece(w, s->grid.spread[a], bytes);
        if (s->grid.u_pair[a]) sp_walk_piece(w, s->grid.u_pair[a], bytes);
        sp_walk_piece(w, s->grid.u[a], bytes);
        sp_walk_piece(w, s->grid.known[a], tiles * sizeof(sp_tile_mask));
    }
}

static void walk_particles(liquid *s, sp_walk *w)
{
    sp_particles_walk(&s->particles.set, w);
    sp_walk_piece(w, s->particles.start, (s->grid.tiles.count + 1) * sizeof *s->particles.start);
}

static void list_state(void *state, sp_walk *w)
{
    liquid *s = state;
    uint64_t counts[2] = {s->grid.tiles.count, s->particles.set.count};
    walk_numbers(s, w);
    SP_PIECE(w, counts);
    sp_walk_piece(w, s->grid.tiles.at, s->grid.tiles.count * sizeof *s->grid.tiles.at);
    walk_fields(s, w);
    if (liquid_has_particles(&s->def)) walk_particles(s, w);
    sp_bulk_pasts_walk(&s->pasts, w);
}

sp_status liquid_save(const void *solver, sp_blob *blob, sp_error *err)
{
    sp_blob_save(blob, list_state, solver);
    return blob->failed ? sp_fail(err, SP_NO_MEMORY, "liquid: no memory to save the state") : SP_OK;
}

static sp_status too_short(sp_error *err)
{
    return sp_fail(err, SP_DAMAGED, "liquid: the saved state is too short");
}

static sp_status restore_tiles(liquid *s, size_t count, sp_walk *w, sp_error *err)
{
    sp_tiles next, none = {0};
    SP_TRY(sp_tiles_restore(&next, &s->grid.tiles, count, w, err));
    const sp_status status = liquid_retile(&s->grid, &s->def, s->host, &next, err);
    sp_tiles_close(&next);
    SP_TRY(status);
    sp_flow_solids_clear(&s->solids, s->host);
    SP_TRY(sp_solids_move(s->solids.bodies, s->time, err));
    return sp_flow_solids_retile(&s->solids, &none, &s->grid.tiles, &s->scratch, err);
}

static sp_status restore_particles(liquid *s, size_t count, sp_walk *w, sp_error *err)
{
    liquid_particles *p = &s->particles;
    SP_TRY(liquid_starts_reserve(p, s->grid.tiles.count, err));
    SP_TRY(liquid_particles_reserve(p, count, err));
    p->set.count = 0;
    sp_particles_append(&p->set, count);
    walk_particles(s, w);
    for (size_t t = 0; t < s->grid.tiles.count; ++t)
        if (p->start[t] > p->start[t + 1]) return too_short(err);
    return p->start[0] == 0 && p->start[s->grid.tiles.count] == count ? SP_OK : too_short(err);
}

static sp_status restore_pieces(liquid *s, sp_walk *w, sp_error *err)
{
    uint64_t counts[2];
    walk_numbers(s, w);
    SP_PIECE(w, counts);
    if (s->second_of_pair && !liquid_has_pairs(&s->def)) return too_short(err);
    if (w->failed || counts[0] > w->left / (5 * SP_TILE_VOXELS * sizeof(float)) ||
        counts[1] > w->left / 32)
        return too_short(err);
    SP_TRY(restore_tiles(s, (size_t)counts[0], w, err));
    walk_fields(s, w);
    if (liquid_has_particles(&s->def)) SP_TRY(restore_particles(s, (size_t)counts[1], w, err));
    SP_TRY(sp_bulk_pasts_restore(&s->pasts, &s->grid.tiles, w, err));
    return w->failed ? too_short(err) : SP_OK;
}

sp_status liquid_restore(void *solver, sp_blob *blob, sp_error *err)
{
    sp_walk walk = sp_blob_begin(blob);
    const sp_status status = restore_pieces(solver, &walk, err);
    sp_blob_end(blob, &walk);
    return status;
}

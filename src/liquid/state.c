// SPDX-License-Identifier: Apache-2.0
/// The exact state: what a run that goes on needs, bit for bit.
#include "liquid/internal.h"

/// Calls `move` (put or get) for everything that lasts, in one order for both.
typedef void mover(sp_blob *blob, void *bytes, size_t count);

static void put_bytes(sp_blob *blob, void *bytes, size_t count)
{
    sp_blob_put(blob, bytes, count);
}

/// Instead of putting bytes, how many there are.
static void count_bytes(sp_blob *blob, void *bytes, size_t count)
{
    (void)bytes;
    blob->size += count;
}

static void move_numbers(liquid *s, sp_blob *blob, mover *move)
{
    move(blob, &s->time, sizeof s->time);
    move(blob, &s->last_dt, sizeof s->last_dt);
    move(blob, &s->second_of_pair, sizeof s->second_of_pair);
    move(blob, &s->steps, sizeof s->steps);
    move(blob, &s->frame_steps, sizeof s->frame_steps); // a frame published again says the same
    move(blob, &s->figures, sizeof s->figures);
    move(blob, &s->particles.next_id, sizeof s->particles.next_id);
    move(blob, &s->balance.water, sizeof s->balance.water);
    move(blob, &s->balance.owed, sizeof s->balance.owed);
    for (size_t i = 0; i < s->sources.emitters; ++i) {
        move(blob, s->sources.emitter[i].pinned, sizeof s->sources.emitter[i].pinned);
        move(blob, s->sources.emitter[i].swept, sizeof s->sources.emitter[i].swept);
    }
    move(blob, &s->said_haste, sizeof s->said_haste);
    move(blob, &s->said_pocket, sizeof s->said_pocket);
    move(blob, &s->failed_in_a_row, sizeof s->failed_in_a_row);
    move(blob, &s->stuck_told, sizeof s->stuck_told);
}

static void move_fields(liquid *s, sp_blob *blob, mover *move)
{
    const size_t tiles = s->grid.tiles.count, bytes = tiles * SP_TILE_VOXELS * sizeof(float);
    move(blob, s->grid.phi, bytes);
    move(blob, liquid_latest_q(s), bytes);
    if (s->grid.q_second) move(blob, liquid_other_q(s), bytes);
    if (s->grid.aeration) move(blob, s->grid.aeration, bytes);
    for (int a = 0; a < 3; ++a) {
        if (s->second_of_pair) move(blob, s->grid.u_pair[a], bytes);
        move(blob, s->grid.u[a], bytes);
        move(blob, s->grid.known[a], tiles * sizeof(sp_tile_mask));
    }
}

static void move_particles(liquid *s, sp_blob *blob, mover *move)
{
    const sp_particles *set = &s->particles.set;
    for (int c = 0; c < set->column_count; ++c)
        move(blob, set->data[c], set->count * sp_kind_size(set->def[c].kind));
    move(blob, s->particles.start, (s->grid.tiles.count + 1) * sizeof *s->particles.start);
}

static void save_with(liquid *s, sp_blob *blob, mover *move)
{
    uint64_t counts[2] = {s->grid.tiles.count, s->particles.set.count};
    move_numbers(s, blob, move);
    move(blob, counts, sizeof counts);
    move(blob, s->grid.tiles.at, s->grid.tiles.count * sizeof *s->grid.tiles.at);
    move_fields(s, blob, move);
    if (liquid_has_particles(&s->def)) move_particles(s, blob, move);
}

sp_status liquid_save(const liquid *solver, sp_blob *blob, sp_error *err)
{
    liquid *s = (liquid *)(uintptr_t)solver; // put_bytes only reads
    sp_blob counted = {0};
    save_with(s, &counted, count_bytes);
    sp_blob_reserve(blob, counted.size);
    save_with(s, blob, put_bytes);
    return blob->failed ? sp_fail(err, SP_NO_MEMORY, "liquid: no memory to save the state") : SP_OK;
}

static sp_status too_short(sp_error *err)
{
    return sp_fail(err, SP_DAMAGED, "liquid: the saved state is too short");
}

static sp_status restore_tiles(liquid *s, size_t count, sp_blob *blob, sp_error *err)
{
    sp_tiles next, none = {0};
    int32_t(*at)[3] = sp_allocate(s->host, count, sizeof *at);
    if (!at) return sp_fail(err, SP_NO_MEMORY, "liquid: no memory for %zu tiles", count);
    sp_blob_get(blob, at, count * sizeof *at);
    sp_status status = sp_tiles_open_periodic(&next, s->host, s->grid.voxel, s->grid.period,
                                              (const int32_t(*)[3])at, count, err);
    sp_release(s->host, at);
    SP_TRY(status);
    if (next.count != count) status = too_short(err);
    if (status == SP_OK) status = liquid_retile(&s->grid, &s->def, s->host, &next, err);
    sp_tiles_close(&next);
    SP_TRY(status);
    sp_flow_solids_clear(&s->solids, s->host);
    SP_TRY(sp_solids_move(s->solids.bodies, s->time, err));
    return sp_flow_solids_retile(&s->solids, &none, &s->grid.tiles, &s->scratch, err);
}

static sp_status restore_particles(liquid *s, size_t count, sp_blob *blob, sp_error *err)
{
    liquid_particles *p = &s->particles;
    SP_TRY(liquid_starts_reserve(p, s->grid.tiles.count, err));
    SP_TRY(liquid_particles_reserve(p, count, err));
    p->set.count = 0;
    sp_particles_append(&p->set, count);
    move_particles(s, blob, sp_blob_get);
    for (size_t t = 0; t < s->grid.tiles.count; ++t)
        if (p->start[t] > p->start[t + 1]) return too_short(err);
    return p->start[0] == 0 && p->start[s->grid.tiles.count] == count ? SP_OK : too_short(err);
}

sp_status liquid_restore(liquid *s, sp_blob *blob, sp_error *err)
{
    uint64_t counts[2];
    move_numbers(s, blob, sp_blob_get);
    sp_blob_get(blob, counts, sizeof counts);
    const size_t left = blob->size - blob->at;
    if (s->second_of_pair && !liquid_has_pairs(&s->def)) return too_short(err);
    if (blob->failed || counts[0] > left / (5 * SP_TILE_VOXELS * sizeof(float)) ||
        counts[1] > left / 32)
        return too_short(err);
    SP_TRY(restore_tiles(s, (size_t)counts[0], blob, err));
    move_fields(s, blob, sp_blob_get);
    if (liquid_has_particles(&s->def)) SP_TRY(restore_particles(s, (size_t)counts[1], blob, err));
    return blob->failed ? too_short(err) : SP_OK;
}

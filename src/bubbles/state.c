// SPDX-License-Identifier: Apache-2.0
/// Saves and restores the exact state: a restored run continues bit for bit.
#include "bubbles/contacts/contacts.h"
#include "core/memory/blob.h"

/// The figures that a frame shows, one by one, because the struct has gaps.
static void walk_figures(sp_bubbles_figures *f, sp_walk *w)
{
    SP_PIECE(w, f->newton);
    SP_PIECE(w, f->newton_change);
    SP_PIECE(w, f->iterations);
    SP_PIECE(w, f->total_iterations);
    SP_PIECE(w, f->solves);
    SP_PIECE(w, f->residual);
    SP_PIECE(w, f->divergence);
    SP_PIECE(w, f->fastest);
    SP_PIECE(w, f->air_volume);
    SP_PIECE(w, f->particle_volume);
    SP_PIECE(w, f->fullest);
    SP_PIECE(w, f->overfull);
    SP_PIECE(w, f->pockets);
    SP_PIECE(w, f->deep);
    SP_PIECE(w, f->momentum);
    SP_PIECE(w, f->emitted);
    SP_PIECE(w, f->left);
    SP_PIECE(w, f->inside);
    SP_PIECE(w, f->failures);
    SP_PIECE(w, f->repeated);
    SP_PIECE(w, f->burst);
    SP_PIECE(w, f->dry);
    SP_PIECE(w, f->burst_volume);
}

static void walk_numbers(bubbles *s, sp_walk *w)
{
    SP_PIECE(w, s->time);
    SP_PIECE(w, s->last_dt);
    SP_PIECE(w, s->limit);
    SP_PIECE(w, s->water_speed);
    SP_PIECE(w, s->substeps);
    SP_PIECE(w, s->frame_substeps); // so that a frame published again is the same
    SP_PIECE(w, s->failed_in_a_row);
    SP_PIECE(w, s->warned_substeps);
    SP_PIECE(w, s->warned_full);
    SP_PIECE(w, s->warned_volume);
    SP_PIECE(w, s->volume_emitted);
    SP_PIECE(w, s->emitted_before);
    SP_PIECE(w, s->warned_dry);
    SP_PIECE(w, s->warned_closed);
    SP_PIECE(w, s->phase.volume);
    SP_PIECE(w, s->phase.replaced);
    walk_figures(&s->figures, w);
    SP_PIECE(w, s->particles.next_id);
    for (size_t i = 0; i < s->emitters; ++i) {
        SP_PIECE(w, s->emitter[i].owed);
        SP_PIECE(w, s->emitter[i].travelled);
        SP_PIECE(w, s->emitter[i].done);
    }
}

/// Shares would follow from the particles, but the basis may have moved them since.
static void walk_shares(bubbles *s, sp_walk *w)
{
    for (size_t t = 0; t < s->grid.tiles.count; ++t)
        for (int a = 0; bubbles_is_busy(&s->grid, t) && a < 3; ++a) {
            const size_t first = t * SP_TILE_VOXELS, bytes = SP_TILE_VOXELS * sizeof(float);
            sp_walk_piece(w, s->grid.share[a] + first, bytes);
            sp_walk_piece(w, s->grid.fill[a] + first, bytes);
        }
}

static void walk_fields(bubbles *s, sp_walk *w)
{
    const size_t tiles = s->grid.tiles.count, bytes = tiles * SP_TILE_VOXELS * sizeof(float);
    sp_walk_piece(w, s->grid.idle, tiles * sizeof *s->grid.idle);
    sp_walk_piece(w, s->grid.busy, tiles * sizeof *s->grid.busy);
    sp_walk_piece(w, s->grid.q, bytes);
    for (int a = 0; a < 3; ++a)
        sp_walk_piece(w, s->grid.u[a], bytes);
    walk_shares(s, w);
    if (s->water) sp_walk_piece(w, s->grid.fraction, bytes);
}

static void walk_particles(bubbles *s, sp_walk *w)
{
    sp_particles_walk(&s->particles.set, w);
    sp_walk_piece(w, s->particles.start, (s->grid.tiles.count + 1) * sizeof *s->particles.start);
}

static void list_state(void *state, sp_walk *w)
{
    bubbles *s = state;
    uint64_t counts[2] = {s->grid.tiles.count, s->particles.set.count};
    walk_numbers(s, w);
    SP_PIECE(w, counts);
    sp_walk_piece(w, s->grid.tiles.at, s->grid.tiles.count * sizeof *s->grid.tiles.at);
    walk_fields(s, w);
    walk_particles(s, w);
    bubbles_contacts_walk(s, w, NULL); // fails only when it restores
}

sp_status bubbles_save(const void *solver, sp_blob *blob, sp_error *err)
{
    const bubbles *s = solver;
    if (s->water) SP_TRY(sp_liquid_solver.save(s->water, blob, err));
    sp_blob_save(blob, list_state, solver);
    return blob->failed ? sp_fail(err, SP_NO_MEMORY, "bubbles: no memory to save the state")
                        : SP_OK;
}

static sp_status too_short(sp_error *err)
{
    return sp_fail(err, SP_DAMAGED, "bubbles: the saved state is too short");
}

/// Opens a saved topology; on failure it is zeroed.
static sp_status restore_topology(const bubbles *s, size_t count, sp_walk *w, sp_tiles *tiles,
                                  sp_error *err)
{
    *tiles = (sp_tiles){0};
    int32_t(*at)[3] = sp_allocate(s->host, count, sizeof *at);
    if (!at) return sp_fail(err, SP_NO_MEMORY, "bubbles: no memory for %zu tiles", count);
    sp_walk_piece(w, at, count * sizeof *at);
    sp_status status = sp_tiles_open_periodic(tiles, s->host, s->grid.voxel, s->grid.period,
                                              (const int32_t(*)[3])at, count, err);
    sp_release(s->host, at);
    if (status == SP_OK && tiles->count != count) {
        sp_tiles_close(tiles);
        status = too_short(err);
    }
    return status;
}

static sp_status restore_tiles(bubbles *s, size_t count, sp_walk *w, sp_error *err)
{
    sp_tiles next, none = {0};
    SP_TRY(restore_topology(s, count, w, &next, err));
    SP_TRY(bubbles_retile(s, &next, err));
    if (s->water) s->solids = *sp_liquid_now(s->water).solids;
    if (!s->has_solids || s->water) return SP_OK;
    sp_flow_solids_clear(&s->solids, s->host); // they are those of another time
    if (s->guide) return SP_OK;                // the next step finds them again
    SP_TRY(sp_solids_move(s->solids.bodies, s->time, err));
    return sp_flow_solids_retile(&s->solids, &none, &s->grid.tiles, &s->scratch, err);
}

static sp_status restore_particles(bubbles *s, size_t count, sp_walk *w, sp_error *err)
{
    bubbles_particles *p = &s->particles;
    SP_TRY(bubbles_starts_reserve(p, s->grid.tiles.count, err));
    SP_TRY(bubbles_particles_reserve(p, count, err));
    p->set.count = 0;
    sp_particles_append(&p->set, count);
    walk_particles(s, w);
    for (size_t t = 0; t < s->grid.tiles.count; ++t)
        if (p->start[t] > p->start[t + 1]) return too_short(err);
    for (size_t i = 0; i < count; ++i)
        if (p->material[i] >= s->materials) return too_short(err);
    return p->start[0] == 0 && p->start[s->grid.tiles.count] == count ? SP_OK : too_short(err);
}

static sp_status restore_pieces(bubbles *s, sp_walk *w, sp_error *err)
{
    uint64_t counts[2];
    walk_numbers(s, w);
    SP_PIECE(w, counts);
    if (w->failed || counts[0] > w->left / (4 * SP_TILE_VOXELS * sizeof(float)) ||
        counts[1] > w->left / 32)
        return too_short(err);
    s->fresh.count = 0;
    SP_TRY(restore_tiles(s, (size_t)counts[0], w, err));
    walk_fields(s, w);
    SP_TRY(restore_particles(s, (size_t)counts[1], w, err));
    SP_TRY(bubbles_contacts_walk(s, w, err));
    return w->failed ? too_short(err) : SP_OK;
}

sp_status bubbles_restore(void *solver, sp_blob *blob, sp_error *err)
{
    bubbles *s = solver;
    if (s->water) SP_TRY(sp_liquid_solver.restore(s->water, blob, err));
    sp_walk walk = sp_blob_begin(blob);
    const sp_status status = restore_pieces(s, &walk, err);
    sp_blob_end(blob, &walk);
    s->phase.share = s->grid.fraction;
    return status;
}

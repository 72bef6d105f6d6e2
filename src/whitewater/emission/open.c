// SPDX-License-Identifier: Apache-2.0
/// Opens, closes, saves and restores emission.
#include "whitewater/emission/internal.h"

#include <string.h>

static const char *const stages[EMISSION_STAGES] = {"aerate", "scan", "fill", "let in", "sources"};

/// ---- Opening -----------------------------------------------------------------------------------

static sp_status open_shape(const sp_shape_def *def, const char *list, size_t k,
                            const sp_host *host, sp_shape **out, sp_error *err)
{
    const sp_collider_def solid = {.shape = *def};
    const sp_status status = sp_shape_open(&solid, NULL, host, out, err);
    if (status != SP_OK) sp_error_prefix(err, "emission.%s[%zu]: ", list, k);
    return status;
}

static sp_status open_masks(whitewater_emission *e, const sp_emission_def *def, sp_error *err)
{
    e->mask = sp_allocate(e->host, def->mask_count, sizeof *e->mask);
    if (!e->mask) return sp_fail(err, SP_NO_MEMORY, "emission: no memory for its masks");
    for (size_t k = 0; k < def->mask_count; ++k) {
        e->mask[k].def = def->masks[k];
        SP_TRY(open_shape(&def->masks[k].shape, "masks", k, e->host, &e->mask[k].shape, err));
    }
    return SP_OK;
}

static sp_status open_sources(whitewater_emission *e, const sp_emission_def *def, sp_error *err)
{
    e->source = sp_allocate(e->host, def->source_count, sizeof *e->source);
    if (!e->source) return sp_fail(err, SP_NO_MEMORY, "emission: no memory for its sources");
    for (size_t k = 0; k < def->source_count; ++k) {
        e->source[k].def = def->sources[k];
        SP_TRY(open_shape(&def->sources[k].shape, "sources", k, e->host, &e->source[k].shape, err));
    }
    return SP_OK;
}

sp_status whitewater_emission_open(const sp_emission_def *def, const sp_aeration_def *aeration,
                                   const sp_host *host, whitewater_emission **out, sp_error *err)
{
    *out = NULL;
    whitewater_emission *e = sp_allocate(host, 1, sizeof *e);
    if (!e) return sp_fail(err, SP_NO_MEMORY, "emission: no memory");
    e->host = host;
    e->def = *def;
    e->aeration = *aeration;
    e->held.time = -(double)INFINITY;
    e->profile = (sp_profile){.host = host, .names = stages, .stages = EMISSION_STAGES};
    sp_status status = open_masks(e, def, err);
    if (status == SP_OK) status = open_sources(e, def, err);
    if (status == SP_OK)
        *out = e;
    else
        whitewater_emission_close(e);
    return status;
}

void whitewater_emission_close(whitewater_emission *e)
{
    if (!e) return;
    for (size_t k = 0; e->mask && k < e->def.mask_count; ++k)
        sp_shape_close(e->mask[k].shape);
    for (size_t k = 0; e->source && k < e->def.source_count; ++k)
        sp_shape_close(e->source[k].shape);
    sp_bulk_pasts_close(&e->pasts);
    emission_fresh_close(&e->fresh, e->host);
    sp_release(e->host, e->mask);
    sp_release(e->host, e->source);
    sp_release(e->host, e->held.cell);
    sp_release(e->host, e->field);
    sp_release(e->host, e);
}

/// ---- State -------------------------------------------------------------------------------------

static void walk_numbers(whitewater_emission *e, sp_walk *w)
{
    emission_held *h = &e->held;
    SP_PIECE(w, h->time);
    SP_PIECE(w, h->origin);
    SP_PIECE(w, h->voxel);
    SP_PIECE(w, h->period);
    SP_PIECE(w, h->most);
    SP_PIECE(w, h->near);
    SP_PIECE(w, h->count);
    SP_PIECE(w, e->seen.moments);
    SP_PIECE(w, e->seen.most);
    SP_PIECE(w, e->seen.when);
    SP_PIECE(w, e->seen.enough);
    for (size_t k = 0; k < e->def.source_count; ++k)
        SP_PIECE(w, e->source[k].owed);
}

static bool make_room(emission_held *h, const sp_host *host, const sp_walk *w)
{
    if (w->failed || h->count > w->left / sizeof *h->cell) return false;
    if (h->count <= h->room) return true;
    if (!sp_regrow(host, (void **)&h->cell, 0, (size_t)h->count, sizeof *h->cell)) return false;
    h->room = (size_t)h->count;
    return true;
}

static bool restore_pasts(whitewater_emission *e, sp_walk *w)
{
    sp_tiles like = {.host = e->host, .voxel = (float)e->held.voxel};
    memcpy(like.period, e->held.period, sizeof like.period);
    return sp_bulk_pasts_restore(&e->pasts, &like, w, NULL) == SP_OK;
}

void whitewater_emission_walk(whitewater_emission *e, sp_walk *w)
{
    emission_held *h = &e->held;
    const bool restores = w->way == SP_WALK_RESTORE;
    walk_numbers(e, w);
    if (restores && !make_room(h, e->host, w)) {
        h->count = 0;
        w->failed = true;
        return;
    }
    sp_walk_piece(w, h->cell, (size_t)h->count * sizeof *h->cell);
    if (!restores)
        sp_bulk_pasts_walk(&e->pasts, w);
    else if (!restore_pasts(e, w))
        w->failed = true;
}

// SPDX-License-Identifier: Apache-2.0
/// Opens and closes a pond. All its memory is allocated here.
#include "pond/internal.h"

#include <string.h>

/// One array to allocate. Together with the particle sets and cells, the list below is all memory
/// of the pond; sp_pond_bytes() sums it.
typedef struct want {
    void *slot; ///< address of the array's pointer, a T**
    size_t count, size;
} want;
enum { MAX_WANTS = 80 };

static size_t more(size_t a, size_t b)
{
    return a > b ? a : b;
}

/// Capacity of scratch arrays that all kinds of particles share.
static size_t most_particles(const sp_pond_def *def)
{
    const size_t particles = more((size_t)def->max_bubbles, (size_t)def->max_foam);
    return more(more(particles, (size_t)def->tracers), (size_t)def->max_ghosts);
}

static size_t most_sources(const sp_pond_def *def)
{
    return (size_t)def->max_bubbles + (size_t)def->max_ghosts;
}

/// Most cells to sort into: four a particle, and no more than the water has.
static size_t most_cells(const sp_pond_def *def, size_t particles)
{
    const size_t water = (size_t)def->nx * (size_t)def->ny;
    return more(64, 4 * particles < water ? 4 * particles : water);
}

static size_t list_water(sp_pond *pond, want *wants)
{
    pond_water *w = &pond->water;
    const size_t cells = w->cells + 2 * SP_LANES;
    size_t n = 0;
    int32_t **const integers[] = {&w->q, &w->b, &w->b_still, &w->eta_before};
    float **const floats[] = {&w->u, &w->v, &w->eta_dot};
    for (size_t k = 0; k < 4; ++k)
        wants[n++] = (want){integers[k], cells, sizeof(int32_t)};
    for (size_t k = 0; k < 3; ++k)
        wants[n++] = (want){floats[k], cells, sizeof(float)};
    wants[n++] = (want){&w->u_sill, w->span, sizeof(int32_t)};
    wants[n++] = (want){&w->v_sill, w->span, sizeof(int32_t)};
    wants[n++] = (want){&w->band_rows, w->bands * w->band_floats, sizeof(float)};
    wants[n++] = (want){&w->band_entered, w->bands, sizeof(int64_t)};
    wants[n++] = (want){&w->row_numbers, pond_row_numbers(w->ny), sizeof(int32_t)};
    wants[n++] = (want){&w->row_flags, (size_t)w->ny + 2 * POND_ROW_MARGIN, 1};
    return n;
}

static size_t list_particles(sp_pond *pond, want *wants)
{
    const sp_pond_def *def = &pond->def;
    pond_sources *s = &pond->sources;
    const size_t any = sp_pad16(most_particles(def)) + SP_LANES,
                 foam = sp_pad16((size_t)def->max_foam) + SP_LANES;
    const size_t sources = sp_pad16(most_sources(def)) + SP_LANES,
                 bubbles = (size_t)def->max_bubbles;
    float **const by_source[] = {&s->cx, &s->cy, &s->cz, &s->sx, &s->sy, &s->sz, &s->a};
    float **const by_any[] = {&pond->wx, &pond->wy, &pond->wz, &pond->vx, &pond->vy, &pond->vz};
    float **const by_foam[] = {&pond->ax, &pond->ay, &pond->az, &pond->density};
    size_t n = 0;
    for (size_t k = 0; k < 7; ++k)
        wants[n++] = (want){by_source[k], sources, sizeof(float)};
    for (size_t k = 0; k < 8; ++k)
        wants[n++] = (want){&s->sorted[k], sources, sizeof(float)};
    for (size_t k = 0; k < 6; ++k)
        wants[n++] = (want){by_any[k], any, sizeof(float)};
    for (size_t k = 0; k < 4; ++k)
        wants[n++] = (want){by_foam[k], foam, sizeof(float)};
    for (size_t k = 0; k < POND_COLUMNS; ++k)
        wants[n++] = (want){&pond->foam_sorted[k], foam, sizeof(float)};
    for (size_t k = 0; k < 4; ++k)
        wants[n++] = (want){&pond->color[k], foam, sizeof(float)};
    for (size_t k = 0; k < 5; ++k)
        wants[n++] = (want){&pond->contact_sorted[k], sp_pad16(bubbles) + SP_LANES, sizeof(float)};
    wants[n++] = (want){&pond->partner_count, bubbles, 1};
    wants[n++] = (want){&pond->gone, any, 1};
    wants[n++] = (want){&pond->partners, bubbles * POND_PARTNERS, sizeof(uint32_t)};
    wants[n++] = (want){&pond->pairs, bubbles * POND_PARTNERS, sizeof(uint64_t)};
    wants[n++] = (want){&pond->nozzles, pond->nozzle_capacity, sizeof(pond_nozzle)};
    wants[n++] = (want){&pond->commands, POND_MAX_COMMANDS, sizeof(pond_command)};
    wants[n++] = (want){&pond->script, def->input_count, sizeof(pond_command)};
    wants[n++] = (want){&pond->events, POND_MAX_EVENTS, sizeof(sp_pond_event)};
    return n;
}

static size_t list_view(sp_pond *pond, want *wants)
{
    const sp_pond_def *def = &pond->def;
    const size_t vertices = (size_t)pond->view.width * pond->view.height + SP_LANES;
    size_t n = 0;
    wants[n++] = (want){&pond->level, vertices, sizeof(float)};
    wants[n++] = (want){&pond->depth, vertices, sizeof(float)};
    wants[n++] = (want){&pond->normal, vertices * 4, 1};
    wants[n++] = (want){&pond->surface_rows, pond_draw_floats(pond), sizeof(float)};
    wants[n++] = (want){&pond->bubble_instances, (size_t)def->max_bubbles * 8, sizeof(float)};
    wants[n++] = (want){&pond->foam_instances, (size_t)def->max_foam * 8, sizeof(float)};
    wants[n++] = (want){&pond->vortex_instances, most_sources(def) * 8, sizeof(float)};
    wants[n++] = (want){&pond->tracer_instances, (size_t)def->tracers * 3, sizeof(float)};
    wants[n++] = (want){&pond->ground, vertices, sizeof(float)};
    wants[n++] = (want){&pond->nozzle_instances, pond->nozzle_capacity * 4, sizeof(float)};
    return n;
}

static size_t list_wants(sp_pond *pond, want wants[MAX_WANTS])
{
    size_t n = list_water(pond, wants);
    n += list_particles(pond, wants + n);
    n += list_view(pond, wants + n);
    SP_ASSERT(n <= MAX_WANTS);
    return n;
}

/// ---- Sets --------------------------------------------------------------------------------------

#define F(name)                                                                                    \
    {                                                                                              \
#name, SP_F32                                                                              \
    }
static const sp_column_def bubble_columns[] = {
    F(px), F(py),    F(pz),   F(ux),  F(uy),      F(uz),    F(sx),  F(sy),           F(sz),
    F(r),  F(phase), F(kick), F(age), F(contact), F(level), F(bed), {"vol", SP_F64}, {"id", SP_U64},
};
static const sp_column_def ghost_columns[] = {F(cx), F(cy), F(cz), F(sx),
                                              F(sy), F(sz), F(a),  F(left)};
static const sp_column_def foam_columns[] = {
    F(px), F(py),   F(pz),   F(ux),    F(uy),           F(uz),
    F(r),  F(left), F(life), F(level), {"vol", SP_F64}, {"id", SP_U64},
};
static const sp_column_def tracer_columns[] = {F(px), F(py), F(pz)};
#undef F
#define COUNT(array) (int)(sizeof(array) / sizeof *(array))

/// Opens a set and stores the pointers to its first columns, which are floats.
static sp_status open_set(const sp_pond *pond, sp_particles *set, const sp_column_def *columns,
                          int column_count, int32_t capacity, float **const floats[],
                          int float_count, sp_error *err)
{
    SP_TRY(sp_particles_open(set, pond->host, columns, column_count, (size_t)capacity, err));
    for (int c = 0; c < float_count; ++c)
        *floats[c] = set->data[c];
    return SP_OK;
}

static sp_status open_bubbles(sp_pond *pond, sp_error *err)
{
    pond_bubbles *b = &pond->bubbles;
    float **const floats[] = {&b->px,  &b->py,      &b->pz,    &b->ux, &b->uy,    &b->uz,
                              &b->sx,  &b->sy,      &b->sz,    &b->r,  &b->phase, &b->kick,
                              &b->age, &b->contact, &b->level, &b->bed};
    SP_TRY(open_set(pond, &b->set, bubble_columns, COUNT(bubble_columns), pond->def.max_bubbles,
                    floats, COUNT(floats), err));
    b->vol = sp_particles_data(&b->set, "vol");
    b->id = sp_particles_data(&b->set, "id");
    return SP_OK;
}

static sp_status open_ghosts(sp_pond *pond, sp_error *err)
{
    pond_ghosts *g = &pond->ghosts;
    float **const floats[] = {&g->cx, &g->cy, &g->cz, &g->sx, &g->sy, &g->sz, &g->a, &g->left};
    return open_set(pond, &g->set, ghost_columns, COUNT(ghost_columns), pond->def.max_ghosts,
                    floats, COUNT(floats), err);
}

static sp_status open_foam(sp_pond *pond, sp_error *err)
{
    pond_foam *f = &pond->foam;
    float **const floats[] = {&f->px, &f->py, &f->pz,   &f->ux,   &f->uy,
                              &f->uz, &f->r,  &f->left, &f->life, &f->level};
    SP_TRY(open_set(pond, &f->set, foam_columns, COUNT(foam_columns), pond->def.max_foam, floats,
                    COUNT(floats), err));
    f->vol = sp_particles_data(&f->set, "vol");
    f->id = sp_particles_data(&f->set, "id");
    return SP_OK;
}

static sp_status open_tracers(sp_pond *pond, sp_error *err)
{
    pond_tracers *t = &pond->tracers;
    float **const floats[] = {&t->px, &t->py, &t->pz};
    return open_set(pond, &t->set, tracer_columns, COUNT(tracer_columns), pond->def.tracers, floats,
                    COUNT(floats), err);
}

static sp_status open_cells(sp_pond *pond, sp_error *err)
{
    const sp_pond_def *def = &pond->def;
    const size_t sources = most_sources(def), bubbles = (size_t)def->max_bubbles,
                 foam = (size_t)def->max_foam;
    const size_t targets = more(bubbles, (size_t)def->tracers);
    SP_TRY(pond_classes_open(&pond->sources.classes, pond->host, sources, most_cells(def, sources),
                             err));
    SP_TRY(pond_classes_open(&pond->contacts, pond->host, bubbles, most_cells(def, bubbles), err));
    SP_TRY(sp_cells_open(&pond->target_cells, pond->host, most_cells(def, targets), targets, err));
    return sp_cells_open(&pond->foam_cells, pond->host, most_cells(def, foam), foam, err);
}

/// ---- Opening -----------------------------------------------------------------------------------

/// Sets everything that follows from the def, before anything is allocated.
static void measure(sp_pond *pond, const sp_pond_def *def)
{
    pond->def = *def;
    pond->seed = def->seed;
    pond_water *w = &pond->water;
    w->nx = def->nx;
    w->ny = def->ny;
    w->dx = def->dx;
    w->per_dx = 1.0f / def->dx;
    w->width = (float)def->nx * def->dx;
    w->height = (float)def->ny * def->dx;
    w->span = ((size_t)def->nx + POND_ROW_UNIT) / POND_ROW_UNIT * POND_ROW_UNIT;
    w->stride = POND_HALO + sp_pad16(w->span);
    w->cells = w->stride * ((size_t)def->ny + 2);
    w->bands = pond_water_bands(def->ny);
    w->band_floats = pond_water_band_floats(w->stride);
    // 2^(ceil(log2 z_max) - 29): a surface four times as high as z_max still fits 30 bits
    w->quantum = 0x1p-29f;
    for (float top = 1.0f; top < 4.0f * pond_highest(def); top *= 2.0f)
        w->quantum *= 2.0f;
    for (float top = 0.5f; top >= 4.0f * pond_highest(def); top *= 0.5f)
        w->quantum *= 0.5f;
    w->rest = (int32_t)floorf(def->rest_level / w->quantum + 0.5f);
    pond->nozzle_capacity = pond_count_nozzles(def) + 256; // 256 may be added live
    pond->view.version = SP_POND_VIEW_VERSION;
    pond->view.width = (uint32_t)(def->nx * def->render_scale + 1);
    pond->view.height = (uint32_t)(def->ny * def->render_scale + 1);
    pond->view.spacing = def->dx / (float)def->render_scale;
}

static bool allocate(sp_pond *pond)
{
    want wants[MAX_WANTS];
    const size_t n = list_wants(pond, wants);
    for (size_t k = 0; k < n; ++k) {
        void *memory = sp_allocate(pond->host, wants[k].count, wants[k].size);
        if (!memory) return false;
        memcpy(wants[k].slot, &memory, sizeof memory);
    }
    return true;
}

static void release(sp_pond *pond)
{
    want wants[MAX_WANTS] = {0};
    const size_t n = list_wants(pond, wants);
    for (size_t k = 0; k < n; ++k) {
        void *memory;
        memcpy(&memory, wants[k].slot, sizeof memory);
        sp_release(pond->host, memory);
    }
}

static uint64_t set_bytes(const sp_column_def *columns, int count, uint64_t capacity)
{
    uint64_t bytes = 0;
    for (int c = 0; c < count; ++c)
        bytes += 64 + (capacity + 2 * SP_LANES) * sp_kind_size(columns[c].kind);
    return bytes;
}

/// Bytes of start, order and cell of sp_cells, and of the pairs and counts when it sorts in parallel.
static uint64_t cells_bytes(const sp_pond_def *def, size_t particles)
{
    const uint64_t starts = most_cells(def, particles) + 64;
    const uint64_t parallel = particles < 1 << 13 ? 0 : 8 * ((uint64_t)particles + 2048 + 64);
    return 4 * (starts + 2 * (sp_pad16(particles) + 64)) + parallel;
}

uint64_t sp_pond_bytes(const sp_pond_def *def)
{
    if (def->struct_size != sizeof *def || pond_check_def(def, NULL) != SP_OK) return 0;
    sp_pond pond;
    memset(&pond, 0, sizeof pond);
    measure(&pond, def);
    want wants[MAX_WANTS];
    const size_t n = list_wants(&pond, wants);
    uint64_t bytes = sizeof pond;
    for (size_t k = 0; k < n; ++k)
        bytes += 128 + (uint64_t)wants[k].count * wants[k].size;
    const size_t sources = most_sources(def), bubbles = (size_t)def->max_bubbles,
                 foam = (size_t)def->max_foam;
    bytes += set_bytes(bubble_columns, COUNT(bubble_columns), bubbles);
    bytes += set_bytes(ghost_columns, COUNT(ghost_columns), (size_t)def->max_ghosts);
    bytes += set_bytes(foam_columns, COUNT(foam_columns), foam);
    bytes += set_bytes(tracer_columns, COUNT(tracer_columns), (size_t)def->tracers);
    bytes += POND_CLASSES * (cells_bytes(def, sources) + cells_bytes(def, bubbles));
    bytes += pond_classes_bytes(sources) + pond_classes_bytes(bubbles) + cells_bytes(def, foam) +
             cells_bytes(def, more(bubbles, (size_t)def->tracers));
    bytes += 8192 + (uint64_t)def->bubble_count * sizeof(sp_pond_start);
    return bytes;
}

static sp_status open_parts(sp_pond *pond, const sp_pond_def *def, sp_error *err)
{
    if (!allocate(pond) || !pond_copy_lists(pond, def))
        return sp_fail(
            err, SP_NO_MEMORY, "pond: %dx%d with %d bubbles needs %.3g MB; the host gave less",
            (int)def->nx, (int)def->ny, (int)def->max_bubbles, (double)sp_pond_bytes(def) * 1e-6);
    SP_TRY(open_bubbles(pond, err));
    SP_TRY(open_ghosts(pond, err));
    SP_TRY(open_foam(pond, err));
    SP_TRY(open_tracers(pond, err));
    return open_cells(pond, err);
}

sp_status sp_pond_open(const sp_pond_def *def, const sp_host *host, sp_pond **out, sp_error *err)
{
    *out = NULL;
    SP_TRY(sp_struct_check(def->struct_size, sizeof *def, "sp_pond_defaults()", err));
    SP_TRY(pond_check_def(def, err));
    const sp_host own = sp_host_default(0);
    if (!host) host = &own;
    SP_TRY(sp_struct_check(host->struct_size, sizeof *host, "sp_host_default()", err));
    sp_pond *pond = sp_allocate(host, 1, sizeof *pond);
    if (!pond) return sp_fail(err, SP_NO_MEMORY, "pond: no memory for the solver");
    pond->own_host = own;
    pond->host = host == &own ? &pond->own_host : host;
    measure(pond, def);
    sp_status status = open_parts(pond, def, err);
    if (status == SP_OK) pond_copy_nozzles(pond, def);
    if (status == SP_OK) status = pond_read_script(pond, def, err);
    if (status != SP_OK) {
        sp_pond_close(pond); // also closes a half-open pond
        return status;
    }
    pond_lay_out_rows(&pond->water);
    pond_lay_ground(pond);
    pond->def.ground.values = NULL; // the caller's memory; b_still has the heights
    pond_start(pond);
    *out = pond;
    return SP_OK;
}

void sp_pond_close(sp_pond *pond)
{
    if (!pond) return;
    sp_particles_close(&pond->bubbles.set);
    sp_particles_close(&pond->ghosts.set);
    sp_particles_close(&pond->foam.set);
    sp_particles_close(&pond->tracers.set);
    pond_classes_close(&pond->sources.classes, pond->host);
    pond_classes_close(&pond->contacts, pond->host);
    sp_cells_close(&pond->target_cells);
    sp_cells_close(&pond->foam_cells);
    release(pond);
    sp_release(pond->host, pond->lists);
    const sp_host host = *pond->host; // a copy: the host may lie inside the pond
    sp_release(&host, pond);
}

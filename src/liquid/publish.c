// SPDX-License-Identifier: Apache-2.0
/// Makes frames: the surface, the velocity, and the fields and particles that the scene requests.
#include "liquid/internal.h"

enum { FIELDS = 4, STATS = 24, SETS = 2 };

typedef struct published {
    sp_field fields[FIELDS];
    size_t field_count;
    int32_t (*at)[3];
    float *surface, *velocity, *pressure, *aeration;
    size_t tiles, room;
    sp_published particles[SETS]; ///< spray, and all particles if requested
    sp_column columns[SETS][SP_PUBLISHED_COLUMNS];
    sp_set sets[SETS];
    size_t set_count;
    sp_stat stats[STATS];
    size_t stat_count;
    sp_body *bodies;
} published;

void liquid_publish_close(liquid *s)
{
    published *p = s->published;
    if (!p) return;
    void *const all[] = {p->at, p->surface, p->velocity, p->pressure, p->aeration, p->bodies};
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
        sp_release(s->host, all[i]);
    for (int k = 0; k < SETS; ++k)
        sp_published_close(&p->particles[k]);
    sp_release(s->host, p);
    s->published = NULL;
}

static sp_status no_memory(const liquid *s, sp_error *err)
{
    return sp_fail(err, SP_NO_MEMORY, "liquid: no memory to show %zu tiles", s->grid.tiles.count);
}

/// ---- Fields ------------------------------------------------------------------------------------

/// Whether a tile holds water or the surface is near it.
static bool is_shown(const liquid *s, size_t t)
{
    const float *phi = s->grid.phi + t * SP_TILE_VOXELS;
    bool near = false;
    for (int n = 0; n < SP_TILE_VOXELS; ++n)
        near |= phi[n] < s->grid.band;
    return near;
}

static sp_status make_room(const liquid *s, published *p, sp_error *err)
{
    const size_t room = s->grid.tiles.count, voxels = room * SP_TILE_VOXELS;
    if (room <= p->room) return SP_OK;
    bool good = sp_regrow(s->host, (void **)&p->at, 0, room, sizeof *p->at) &&
                sp_regrow(s->host, (void **)&p->surface, 0, voxels, sizeof(float)) &&
                sp_regrow(s->host, (void **)&p->velocity, 0, voxels, 3 * sizeof(float));
    if (good && s->def.cache.pressure)
        good = sp_regrow(s->host, (void **)&p->pressure, 0, voxels, sizeof(float));
    if (good && s->grid.aeration)
        good = sp_regrow(s->host, (void **)&p->aeration, 0, voxels, sizeof(float));
    if (!good) return no_memory(s, err);
    p->room = room;
    return SP_OK;
}

static void copy_tile(const liquid *s, published *p, size_t t)
{
    const size_t from = t * SP_TILE_VOXELS, to = p->tiles * SP_TILE_VOXELS;
    const double pressure = s->last_dt > 0.0
                                ? (double)s->def.density * (double)s->grid.voxel / s->last_dt
                                : 0.0; // p = q density voxel/dt
    const float *q = s->grid.q;        // in a pair of substeps, that of the first
    memcpy(p->at[p->tiles], s->grid.tiles.at[t], sizeof *p->at);
    memcpy(p->surface + to, s->grid.phi + from, SP_TILE_VOXELS * sizeof(float));
    for (size_t n = 0; n < SP_TILE_VOXELS; ++n) {
        for (size_t a = 0; a < 3; ++a)
            p->velocity[3 * (to + n) + a] = s->grid.u[a][from + n];
        if (p->pressure) p->pressure[to + n] = (float)(pressure * (double)q[from + n]);
    }
    if (p->aeration)
        memcpy(p->aeration + to, s->grid.aeration + from, SP_TILE_VOXELS * sizeof(float));
    ++p->tiles;
}

static void put_field(published *p, const char *name, const float *values, int components)
{
    if (!values) return;
    p->fields[p->field_count++] = (sp_field){.name = name,
                                             .layout = SP_FIELD_TILES,
                                             .components = components,
                                             .values = values,
                                             .tiles = &p->at[0][0],
                                             .tile_count = p->tiles,
                                             .staggered = components == 3};
}

static sp_status show_fields(const liquid *s, published *p, sp_error *err)
{
    SP_TRY(make_room(s, p, err));
    p->tiles = p->field_count = 0;
    for (size_t t = 0; t < s->grid.tiles.count; ++t)
        if (is_shown(s, t)) copy_tile(s, p, t);
    put_field(p, "surface", p->surface, 1);
    put_field(p, "velocity", p->velocity, 3);
    put_field(p, "pressure", p->pressure, 1);
    put_field(p, "aeration", p->aeration, 1);
    return SP_OK;
}

/// ---- Particles ---------------------------------------------------------------------------------

/// Particles to publish, and their tiles.
typedef struct listed {
    size_t count;
    uint64_t *id;
    uint32_t *at, *tile;
} listed;

/// Radius of a ball with the volume of one particle, in voxels.
static float ball_radius(const liquid *s)
{
    return (float)sp_cbrt(0.75 / (3.14159265 * s->def.particles_per_cell));
}

/// Whether a particle (x: place in its tile, voxels) is a drop that the surface does not show: it
/// lies further outside than its own radius, and no voxel around it is wet. Particles of a calm
/// surface stick out by less; if drawn, they would look like beads on it.
static bool flies_alone(const float block[SP_TILE_BLOCK], const float x[3], float beyond)
{
    enum { EDGE = SP_TILE + 2 };
    int at[3];
    float f[3], value[2], least = INFINITY;
    for (int a = 0; a < 3; ++a) {
        const float g = x[a] + 0.5f; // the first value of the block sits at -1/2
        at[a] = (int)g;
        f[a] = g - (float)at[a];
    }
    const float *c = block + at[0] + EDGE * (at[1] + EDGE * at[2]);
    for (int k = 0; k < 2; ++k, c += EDGE * EDGE) {
        value[k] = sp_mix(sp_mix(c[0], c[1], f[0]), sp_mix(c[EDGE], c[EDGE + 1], f[0]), f[1]);
        least = fminf(least, fminf(fminf(c[0], c[1]), fminf(c[EDGE], c[EDGE + 1])));
    }
    return least > 0.0f && sp_mix(value[0], value[1], f[2]) > beyond;
}

/// Lists all particles of a tile, or only those outside the surface. Without these, a drop smaller
/// than a voxel would flicker as it passes between grid points.
static void list_tile(const liquid *s, uint32_t t, bool all, listed *list)
{
    const liquid_particles *p = &s->particles;
    const float beyond = ball_radius(s) * s->grid.voxel;
    float block[SP_TILE_BLOCK];
    if (!all && p->start[t] < p->start[t + 1])
        sp_tiles_block(&s->grid.tiles, s->grid.phi, t, s->grid.band, block);
    for (uint32_t i = p->start[t]; i < p->start[t + 1]; ++i) {
        const float x[3] = {p->x[0][i], p->x[1][i], p->x[2][i]};
        if (!all && !flies_alone(block, x, beyond)) continue;
        list->id[list->count] = p->id[i];
        list->at[list->count] = i;
        list->tile[list->count++] = t;
    }
}

static void copy_particles(const liquid *s, const listed *list, const uint32_t *order,
                           sp_published *to)
{
    const liquid_particles *from = &s->particles;
    const float radius = s->grid.voxel * ball_radius(s);
    to->count = 0;
    for (size_t k = 0; k < list->count; ++k) {
        const size_t n = order[k], i = list->at[n];
        float x[3];
        for (size_t a = 0; a < 3; ++a) {
            const double at = SP_TILE * (double)s->grid.tiles.at[list->tile[n]][a];
            x[a] = (float)((double)s->grid.voxel * (at + (double)from->x[a][i]));
        }
        const float v[3] = {from->v[0][i], from->v[1][i], from->v[2][i]};
        sp_published_add(to, x, v, radius, list->id[n]);
    }
}

static sp_status list_and_copy(liquid *s, bool all, sp_published *to, sp_error *err)
{
    const size_t most = s->particles.set.count;
    listed list = {.id = sp_scratch_array(&s->scratch, uint64_t, most),
                   .at = sp_scratch_array(&s->scratch, uint32_t, most),
                   .tile = sp_scratch_array(&s->scratch, uint32_t, most)};
    if (!list.id || !list.at || !list.tile) return no_memory(s, err);
    for (size_t t = 0; t < s->grid.tiles.count; ++t)
        list_tile(s, (uint32_t)t, all, &list);
    uint32_t *order = sp_scratch_array(&s->scratch, uint32_t, list.count);
    to->host = s->host;
    to->count = 0;
    if (!order || !sp_published_reserve(to, list.count)) return no_memory(s, err);
    SP_TRY(sp_order_by_id(s->host, list.count, list.id, order, NULL, err));
    copy_particles(s, &list, order, to);
    return SP_OK;
}

static sp_status show_particles(liquid *s, published *p, const char *name, bool all, sp_error *err)
{
    const size_t k = p->set_count;
    const sp_scratch_mark mark = sp_scratch_here(&s->scratch);
    const sp_status status = list_and_copy(s, all, &p->particles[k], err);
    sp_scratch_rewind(&s->scratch, mark);
    p->sets[p->set_count++] = sp_published_set(&p->particles[k], name, p->columns[k], NULL, 0);
    return status;
}

static sp_status show_sets(liquid *s, published *p, sp_error *err)
{
    p->set_count = 0;
    if (!liquid_has_particles(&s->def)) return SP_OK;
    SP_TRY(show_particles(s, p, "spray", false, err));
    return s->def.cache.particles ? show_particles(s, p, "liquid", true, err) : SP_OK;
}

/// ---- Figures and the frame ---------------------------------------------------------------------

static void show_figures(liquid *s, published *p)
{
    const sp_liquid_figures f = sp_liquid_look(s);
    s->figures.volume = f.volume; // for the printed progress line
    s->figures.left_volume = f.left_volume;
    memcpy(s->figures.divergence, f.divergence, sizeof f.divergence);
    liquid_warn_lost(s, &f);
    const sp_stat stats[] = {
        {"steps", (double)s->frame_steps},
        {"voxels", (double)f.tiles * SP_TILE_VOXELS},
        {"wet_voxels", (double)f.cells},
        {"particles", (double)f.particles},
        {"iterations", (double)f.iterations},
        {"residual", f.residual},
        {"divergence", f.divergence[0]},
        {"divergence_max", f.divergence[1]},
        {"speed_m_s", f.speed},
        {"water_m3", f.volume},
        {"kinetic_J", f.kinetic},
        {"potential_J", f.potential},
        {"emitted", (double)f.emitted},
        {"drained", (double)f.drained},
        {"left", (double)f.left},
        {"stuck", (double)f.stuck},
        {"removed_m3_s", f.removed},
        {"left_m3", f.left_volume},
        {"left_J", f.left_energy},
        {"drift", f.volume / f.wanted_volume - 1.0},
    };
    const bool expected = f.wanted_volume > 0.0; // else there is nothing to drift from
    p->stat_count = sizeof stats / sizeof *stats - !expected;
    memcpy(p->stats, stats, sizeof stats);
}

static uint64_t hash_state(liquid *s)
{
    const size_t voxels = s->grid.tiles.count * SP_TILE_VOXELS * sizeof(float);
    sp_walk walk = {.way = SP_WALK_HASH};
    SP_PIECE(&walk, s->time);
    sp_walk_piece(&walk, s->grid.tiles.at, s->grid.tiles.count * sizeof *s->grid.tiles.at);
    sp_walk_piece(&walk, s->grid.phi, voxels);
    sp_walk_piece(&walk, liquid_latest_q(s), voxels);
    for (int a = 0; a < 3; ++a)
        sp_walk_piece(&walk, s->grid.u[a], voxels);
    sp_particles_walk(&s->particles.set, &walk);
    return walk.hash;
}

sp_status liquid_publish(void *solver, sp_frame *frame, sp_error *err)
{
    liquid *s = solver;
    const size_t bodies = sp_solids_count(s->solids.bodies);
    if (!s->published) s->published = sp_allocate(s->host, 1, sizeof(published));
    published *p = s->published;
    if (!p) return no_memory(s, err);
    if (!p->bodies) p->bodies = sp_allocate(s->host, bodies, sizeof *p->bodies);
    if (!p->bodies) return no_memory(s, err);
    SP_TRY(show_fields(s, p, err));
    SP_TRY(show_sets(s, p, err));
    for (size_t i = 0; i < bodies; ++i)
        p->bodies[i] = sp_shape_pose(sp_solids_shape(s->solids.bodies, i), s->time);
    show_figures(s, p);
    frame->time = s->time;
    frame->voxel = (double)s->grid.voxel;
    memcpy(frame->origin, s->grid.origin, sizeof frame->origin);
    frame->hash = hash_state(s);
    frame->sets = p->sets;
    frame->set_count = p->set_count;
    frame->fields = p->fields;
    frame->field_count = p->field_count;
    frame->bodies = p->bodies;
    frame->body_count = bodies;
    frame->stats = p->stats;
    frame->stat_count = p->stat_count;
    return SP_OK;
}

// SPDX-License-Identifier: Apache-2.0
/// Makes frames: bubbles and grains, and the fields that the scene requests.
#include "bubbles/contacts/contacts.h"
#include "bubbles/sources/sizes.h"

enum { FIELDS = 8, STATS = 64, SETS = 4, COLUMNS = SP_PUBLISHED_COLUMNS + 1 };
enum { SHOWN = 2 }; ///< sets of particles: bubbles and grains

/// A set of particles in a frame.
typedef struct shown_set {
    sp_published particles;
    float *density; ///< kg/m3
    size_t room;    ///< entries of density
    sp_column columns[COLUMNS];
} shown_set;

typedef struct published {
    sp_field fields[FIELDS];
    size_t field_count;
    int32_t (*at)[3];
    float *fraction, *velocity, *pressure;
    size_t room; ///< tiles
    shown_set shown[SHOWN];
    sp_set sets[SETS];
    size_t set_count;
    sp_stat stats[STATS];
    size_t stat_count;
    sp_body *bodies;
} published;

void bubbles_publish_close(bubbles *s)
{
    published *p = s->published;
    if (!p) return;
    void *const all[] = {p->at, p->fraction, p->velocity, p->pressure, p->bodies};
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
        sp_release(s->host, all[i]);
    for (int k = 0; k < SHOWN; ++k) {
        sp_published_close(&p->shown[k].particles);
        sp_release(s->host, p->shown[k].density);
    }
    sp_release(s->host, p);
    s->published = NULL;
}

static sp_status no_memory(const bubbles *s, sp_error *err)
{
    return sp_fail(err, SP_NO_MEMORY, "bubbles: no memory to show %zu particles and %zu tiles",
                   s->particles.set.count, s->grid.tiles.count);
}

/// ---- Fields ------------------------------------------------------------------------------------

static sp_status make_room(const bubbles *s, published *p, sp_error *err)
{
    const size_t tiles = s->grid.tiles.count;
    if (tiles <= p->room && p->room > 0) return SP_OK; // no tiles need arrays too
    const size_t room = tiles + tiles / 4 + 1, voxels = room * SP_TILE_VOXELS;
    bool good = sp_regrow(s->host, (void **)&p->at, 0, room, sizeof *p->at);
    if (good && s->def.cache.tiles)
        good = sp_regrow(s->host, (void **)&p->fraction, 0, voxels, sizeof(float)) &&
               sp_regrow(s->host, (void **)&p->velocity, 0, voxels, 3 * sizeof(float));
    if (good && s->def.cache.pressure)
        good = sp_regrow(s->host, (void **)&p->pressure, 0, voxels, sizeof(float));
    if (!good) return no_memory(s, err);
    p->room = room;
    return SP_OK;
}

/// The share of the face above a voxel; tiles without particles have none.
static float share_above(const bubbles_grid *g, size_t t, int axis, size_t n)
{
    static const size_t step[3] = {1, 8, 64};
    static const int beside[3] = {1, 3, 9}; // steps in the table of neighbours
    const float *share = g->share[axis];
    if (n / step[axis] % SP_TILE < SP_TILE - 1)
        return bubbles_is_busy(g, t) ? share[t * SP_TILE_VOXELS + n + step[axis]] : 0.0f;
    const uint32_t there = g->tiles.around[t][SP_TILES_SELF + beside[axis]];
    if (there == SP_NO_TILE || !bubbles_is_busy(g, there)) return 0.0f;
    return share[there * (size_t)SP_TILE_VOXELS + n - (SP_TILE - 1) * step[axis]];
}

/// The share of each voxel: the mean of its six faces'.
static void find_fraction(const bubbles_grid *g, size_t t, float out[SP_TILE_VOXELS])
{
    const size_t first = t * SP_TILE_VOXELS;
    for (size_t n = 0; n < SP_TILE_VOXELS; ++n) {
        float sum = 0.0f;
        for (int a = 0; a < 3; ++a)
            sum +=
                (bubbles_is_busy(g, t) ? g->share[a][first + n] : 0.0f) + share_above(g, t, a, n);
        out[n] = sum / 6.0f;
    }
}

typedef struct copying {
    const bubbles *s;
    published *p;
    double pressure; ///< p over q, kg/(m2 s)
} copying;

static void copy_tiles(void *arg, size_t begin, size_t end)
{
    const copying *c = arg;
    const bubbles_grid *g = &c->s->grid;
    published *p = c->p;
    for (size_t t = begin; t < end; ++t) {
        const size_t first = t * SP_TILE_VOXELS;
        memcpy(p->at[t], g->tiles.at[t], sizeof *p->at);
        if (p->fraction) find_fraction(g, t, p->fraction + first);
        for (size_t n = first; p->velocity && n < first + SP_TILE_VOXELS; ++n)
            for (size_t a = 0; a < 3; ++a)
                p->velocity[3 * n + a] = g->u[a][n];
        for (size_t n = first; p->pressure && n < first + SP_TILE_VOXELS; ++n)
            p->pressure[n] = (float)(c->pressure * (double)g->q[n]);
    }
}

static void put_field(const bubbles *s, published *p, const char *name, const float *values,
                      int components)
{
    if (!values) return;
    p->fields[p->field_count++] = (sp_field){.name = name,
                                             .layout = SP_FIELD_TILES,
                                             .components = components,
                                             .values = values,
                                             .tiles = &p->at[0][0],
                                             .tile_count = s->grid.tiles.count,
                                             .staggered = components == 3};
}

static sp_status show_fields(const bubbles *s, published *p, sp_error *err)
{
    copying c = {.s = s, .p = p};
    p->field_count = 0;
    if (!s->def.cache.tiles && !s->def.cache.pressure) return SP_OK;
    SP_TRY(make_room(s, p, err));
    if (s->last_dt > 0.0) c.pressure = (double)s->def.density * (double)s->grid.voxel / s->last_dt;
    sp_tiles_parallel(&s->grid.tiles, copy_tiles, &c);
    put_field(s, p, "bubble_fraction", p->fraction, 1);
    if (s->water) return SP_OK; // which shows its velocity and pressure itself
    put_field(s, p, "velocity", p->velocity, 3);
    put_field(s, p, "pressure", p->pressure, 1);
    return SP_OK;
}

/// ---- Particles ---------------------------------------------------------------------------------

/// Particles to publish, and their tiles.
typedef struct listed {
    size_t count;
    uint64_t *id;
    uint32_t *at, *tile;
} listed;

static void list_particles(const bubbles *s, bool grains, listed *list)
{
    const bubbles_particles *p = &s->particles;
    list->count = 0;
    for (size_t t = 0; t < s->grid.tiles.count; ++t)
        for (uint32_t i = p->start[t]; i < p->start[t + 1]; ++i) {
            if (s->material[p->material[i]].grains != grains) continue;
            list->id[list->count] = p->id[i];
            list->at[list->count] = i;
            list->tile[list->count++] = (uint32_t)t;
        }
}

static void copy_particles(const bubbles *s, const listed *list, const uint32_t *order,
                           shown_set *to)
{
    const bubbles_particles *from = &s->particles;
    for (size_t k = 0; k < list->count; ++k) {
        const size_t n = order[k], i = list->at[n];
        float x[3];
        for (size_t a = 0; a < 3; ++a) {
            const double at = SP_TILE * (double)s->grid.tiles.at[list->tile[n]][a];
            x[a] = (float)((double)s->grid.voxel * (at + (double)from->x[a][i]));
        }
        const float v[3] = {from->v[0][i], from->v[1][i], from->v[2][i]};
        to->density[k] = from->density[i];
        sp_published_add(&to->particles, x, v,
                         bubbles_shown_radius(from->radius[i], from->place[i]), list->id[n]);
    }
}

static bool reserve_set(const bubbles *s, shown_set *set, size_t count)
{
    const size_t room = count + count / 4 + 1;
    set->particles.host = s->host;
    set->particles.count = 0;
    if (!sp_published_reserve(&set->particles, count)) return false;
    if (count <= set->room && set->room > 0) return true;
    if (!sp_regrow(s->host, (void **)&set->density, 0, room, sizeof *set->density)) return false;
    set->room = room;
    return true;
}

static sp_status list_and_copy(bubbles *s, bool grains, shown_set *to, sp_error *err)
{
    const size_t most = s->particles.set.count + 1;
    listed list = {.id = sp_scratch_array(&s->scratch, uint64_t, most),
                   .at = sp_scratch_array(&s->scratch, uint32_t, most),
                   .tile = sp_scratch_array(&s->scratch, uint32_t, most)};
    uint32_t *order = sp_scratch_array(&s->scratch, uint32_t, most);
    void *lent = sp_scratch_take(&s->scratch, most, 16);
    if (!list.id || !list.at || !list.tile || !order || !lent) return no_memory(s, err);
    list_particles(s, grains, &list);
    if (!reserve_set(s, to, list.count)) return no_memory(s, err);
    SP_TRY(sp_order_by_id(s->host, list.count, list.id, order, lent, err));
    copy_particles(s, &list, order, to);
    return SP_OK;
}

static sp_status show_set(bubbles *s, published *p, const char *name, bool grains, sp_error *err)
{
    shown_set *set = &p->shown[p->set_count];
    bool any = false;
    for (size_t i = 0; i < s->materials; ++i)
        any |= s->material[i].grains == grains;
    if (!any) return SP_OK;
    const sp_scratch_mark mark = sp_scratch_here(&s->scratch);
    const sp_status status = list_and_copy(s, grains, set, err);
    sp_scratch_rewind(&s->scratch, mark);
    const sp_column density = {"density", SP_F32, 1, set->density};
    p->sets[p->set_count++] =
        sp_published_set(&set->particles, name, set->columns, &density, s->materials > 1);
    return status;
}

static sp_status show_sets(bubbles *s, published *p, sp_error *err)
{
    p->set_count = 0;
    SP_TRY(show_set(s, p, "bubbles", false, err));
    return show_set(s, p, "sand", true, err);
}

/// ---- Figures and the frame ---------------------------------------------------------------------

static void show_figures(bubbles *s, published *p)
{
    const sp_bubbles_figures f = sp_bubbles_look(s);
    s->figures.air_volume = f.air_volume; // for the printed progress line
    bubbles_warn_at_frame(s, &f);
    const sp_stat stats[] = {
        {"substeps", (double)s->frame_substeps},
        {"particles", (double)f.particles},
        {"tiles", (double)f.tiles},
        {"busy_tiles", (double)f.busy_tiles},
        {"newton", (double)f.newton},
        {"newton_change_m_s", f.newton_change},
        {"iterations", (double)f.iterations},
        {"residual", f.residual},
        {"divergence", f.divergence},
        {"speed_m_s", f.fastest},
        {"air_m3", f.air_volume},
        {"particles_m3", f.particle_volume},
        {"fullest", f.fullest},
        {"overfull", (double)f.overfull},
        {"pockets", (double)f.pockets},
        {"deep", (double)f.deep},
        {"momentum_x_kg_m_s", f.momentum[0]},
        {"momentum_y_kg_m_s", f.momentum[1]},
        {"momentum_z_kg_m_s", f.momentum[2]},
        {"emitted", (double)f.emitted},
        {"left", (double)f.left},
        {"inside", (double)f.inside},
        {"failures", (double)f.failures},
        {"repeated", (double)f.repeated},
        {"burst", (double)f.burst},
        {"burst_m3", f.burst_volume},
        {"not_in_water", (double)f.dry},
    };
    p->stat_count = sizeof stats / sizeof *stats - (s->water ? 0 : 3);
    memcpy(p->stats, stats, sizeof stats);
}

static uint64_t hash_state(bubbles *s)
{
    const size_t voxels = s->grid.tiles.count * SP_TILE_VOXELS * sizeof(float);
    sp_walk walk = {.way = SP_WALK_HASH};
    SP_PIECE(&walk, s->time);
    sp_walk_piece(&walk, s->grid.tiles.at, s->grid.tiles.count * sizeof *s->grid.tiles.at);
    sp_walk_piece(&walk, s->grid.q, voxels);
    for (int a = 0; a < 3; ++a)
        sp_walk_piece(&walk, s->grid.u[a], voxels);
    sp_particles_walk(&s->particles.set, &walk);
    bubbles_contacts_walk(s, &walk, NULL); // fails only when it restores
    return walk.hash;
}

/// ---- With the liquid that the bubbles are in -----------------------------------------------------

/// Names of the water's statistics in a frame of bubbles.
static const char *water_name(const char *name)
{
    static const char *const names[][2] = {
        {"steps", "water_steps"},         {"voxels", "water_voxels"},
        {"particles", "water_particles"}, {"iterations", "water_iterations"},
        {"residual", "water_residual"},   {"divergence", "water_divergence"},
        {"speed_m_s", "water_speed_m_s"}, {"emitted", "water_emitted"},
        {"left", "water_left"},           {"divergence_max", "water_divergence_max"},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
        if (strcmp(names[i][0], name) == 0) return names[i][1];
    return name;
}

/// Puts what the water shows before what the bubbles show.
static sp_status show_water(bubbles *s, published *p, sp_frame *frame, sp_error *err)
{
    sp_frame water = *frame;
    SP_TRY(sp_liquid_solver.publish(s->water, &water, err));
    SP_ASSERT(water.set_count + p->set_count <= SETS &&
              water.field_count + p->field_count <= FIELDS &&
              water.stat_count + p->stat_count <= STATS);
    memmove(p->sets + water.set_count, p->sets, p->set_count * sizeof *p->sets);
    memmove(p->fields + water.field_count, p->fields, p->field_count * sizeof *p->fields);
    memcpy(p->sets, water.sets, water.set_count * sizeof *p->sets);
    memcpy(p->fields, water.fields, water.field_count * sizeof *p->fields);
    for (size_t i = 0; i < water.stat_count; ++i)
        p->stats[p->stat_count++] =
            (sp_stat){water_name(water.stats[i].name), water.stats[i].value};
    p->set_count += water.set_count;
    p->field_count += water.field_count;
    frame->bodies = water.bodies;
    frame->body_count = water.body_count;
    frame->hash ^= water.hash;
    return SP_OK;
}

sp_status bubbles_publish(void *solver, sp_frame *frame, sp_error *err)
{
    bubbles *s = solver;
    const size_t bodies = s->has_solids && !s->water ? sp_solids_count(s->solids.bodies) : 0;
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
    frame->bodies = p->bodies;
    frame->body_count = bodies;
    if (s->water) SP_TRY(show_water(s, p, frame, err));
    frame->sets = p->sets;
    frame->set_count = p->set_count;
    frame->fields = p->fields;
    frame->field_count = p->field_count;
    frame->stats = p->stats;
    frame->stat_count = p->stat_count;
    return SP_OK;
}

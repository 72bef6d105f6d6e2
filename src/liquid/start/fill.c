// SPDX-License-Identifier: Apache-2.0
/// Creates the water at time 0 from the scene's fills.
///
/// Where a fill ends at a wall it has no surface: its side lies on the wall, or runs into it. So
/// for each voxel the nearest point of the fill's boundary is tested. If that point lies in a
/// solid, the distance is sampled again at a place farther from the wall and extrapolated linearly
/// to the voxel (as in phi_into_solids.c). If it lies on a periodic side, the water continues
/// behind it, and the distance is sampled at the middle of the period.
#include "liquid/internal.h"

typedef struct water_fill {
    sp_shape *shape;
    float velocity[3];
    size_t number; ///< of its emitter
} water_fill;

typedef struct start {
    liquid *s;
    water_fill *fill;
    size_t fills;
    size_t now;           ///< the fill whose particles are seeded
    double reach;         ///< m; farther from a fill's boundary phi needs only its sign
    sp_tile_mask *wanted; ///< voxels to seed
    int32_t (*at)[3];     ///< tiles
    size_t tiles, room;
} start;

static sp_status no_memory(const char *what, sp_error *err)
{
    return sp_fail(err, SP_NO_MEMORY, "liquid: no memory for %s", what);
}

/// ---- Tiles -------------------------------------------------------------------------------------

static sp_status add_tile(start *w, const int32_t at[3], sp_error *err)
{
    if (w->tiles == w->room) {
        const size_t room = 2 * w->room + 256;
        if (!sp_regrow(w->s->host, (void **)&w->at, w->tiles, room, sizeof *w->at))
            return no_memory("the tiles of the start", err);
        w->room = room;
    }
    memcpy(w->at[w->tiles++], at, sizeof *w->at);
    return SP_OK;
}

void liquid_tile_range(const liquid_grid *g, const sp_shape *shape, double grow, int32_t low[3],
                       int32_t high[3])
{
    double from[3], to[3];
    sp_shape_bounds(shape, 0.0, from, to);
    if (sp_shape_def_of(shape)->shape.heightfield) { // water continues below and beside the samples
        from[0] = from[1] = from[2] = -HUGE_VAL;
        to[0] = to[2] = HUGE_VAL;
    }
    const double edge = SP_TILE * (double)g->voxel;
    for (int a = 0; a < 3; ++a) {
        low[a] = (int32_t)fmax(g->low[a], floor((from[a] - grow - g->origin[a]) / edge));
        high[a] = (int32_t)fmin(g->high[a], floor((to[a] + grow - g->origin[a]) / edge));
    }
}

bool liquid_is_outside(const liquid_grid *g, const sp_shape *shape)
{
    double from[3], to[3];
    bool outside = false;
    sp_shape_bounds(shape, 0.0, from, to);
    for (int a = 0; a < 3; ++a)
        outside |= to[a] <= g->domain[0][a] || from[a] >= g->domain[1][a];
    return outside && !sp_shape_def_of(shape)->shape.heightfield;
}

void liquid_warn_outside(const liquid *s, const sp_shape *shape, size_t number)
{
    if (liquid_is_outside(&s->grid, shape))
        sp_log(s->host, SP_LOG_WARNING,
               "liquid: emitters[%zu] lies outside the domain and brings no water", number);
}

/// Tiles with a voxel within reach of a shape.
static sp_status cover(start *w, const sp_shape *shape, sp_error *err)
{
    const liquid *s = w->s;
    const double h = (double)s->grid.voxel, reach = (s->grid.layers + 1) * h,
                 half = 4.0 * sqrt(3.0) * h;
    int32_t low[3], high[3], at[3];
    liquid_tile_range(&s->grid, shape, reach, low, high);
    for (at[2] = low[2]; at[2] <= high[2]; ++at[2])
        for (at[1] = low[1]; at[1] <= high[1]; ++at[1])
            for (at[0] = low[0]; at[0] <= high[0]; ++at[0]) {
                double center[3];
                for (int a = 0; a < 3; ++a)
                    center[a] = s->grid.origin[a] + h * (SP_TILE * (double)at[a] + 4.0);
                if (sp_shape_distance_within(shape, 0.0, center, 2.0 * (reach + half), NULL) <=
                    reach + half)
                    SP_TRY(add_tile(w, at, err));
            }
    return SP_OK;
}

/// Tiles within reach of still water beyond an open side.
static sp_status cover_side(start *w, int side, sp_error *err)
{
    const liquid_grid *g = &w->s->grid;
    const double h = (double)g->voxel, reach = (g->layers + 1) * h, edge = SP_TILE * h;
    const int axis = side / 2;
    const double at_side = g->domain[side % 2][axis] - g->origin[axis],
                 top = fmin((double)w->s->def.sides.level, g->domain[1][1]) - g->origin[1];
    int32_t low[3], high[3], at[3];
    memcpy(low, g->low, sizeof low);
    memcpy(high, g->high, sizeof high);
    high[1] = (int32_t)fmin(high[1], floor((top + reach) / edge));
    low[axis] = (int32_t)fmax(low[axis], floor((at_side - reach) / edge));
    high[axis] = (int32_t)fmin(high[axis], floor((at_side + reach) / edge));
    for (at[2] = low[2]; at[2] <= high[2]; ++at[2])
        for (at[1] = low[1]; at[1] <= high[1]; ++at[1])
            for (at[0] = low[0]; at[0] <= high[0]; ++at[0])
                SP_TRY(add_tile(w, at, err));
    return SP_OK;
}

static sp_status cover_level(start *w, sp_error *err)
{
    int kind[6];
    liquid_side_kinds(&w->s->def.sides, kind);
    for (int side = 0; side < 6 && liquid_has_level(&w->s->def); ++side)
        if (kind[side] == SP_LIQUID_OPEN && side != SP_SIDE_TOP) SP_TRY(cover_side(w, side, err));
    return SP_OK;
}

static sp_status lay_tiles(start *w, sp_error *err)
{
    liquid *s = w->s;
    sp_tiles next, none = {0};
    SP_TRY(cover_level(w, err));
    for (size_t i = 0; i < w->fills; ++i)
        SP_TRY(cover(w, w->fill[i].shape, err));
    for (size_t i = 0; i < s->sources.emitters; ++i)
        SP_TRY(cover(w, s->sources.emitter[i].shape, err));
    SP_TRY(sp_tiles_open_periodic(&next, s->host, s->grid.voxel, s->grid.period,
                                  (const int32_t(*)[3])w->at, w->tiles, err));
    sp_status status = liquid_retile(&s->grid, &s->def, s->host, &next, err);
    sp_tiles_close(&next);
    if (status == SP_OK)
        status = sp_flow_solids_retile(&s->solids, &none, &s->grid.tiles, &s->scratch, err);
    if (status == SP_OK && liquid_has_particles(&s->def))
        status = liquid_starts_reserve(&s->particles, s->grid.tiles.count, err);
    return status;
}

/// ---- phi ---------------------------------------------------------------------------------------

/// Distance to the union of the fills, and its gradient.
static double fills_distance(const start *w, const double p[3], double normal[3])
{
    double least = (double)INFINITY, n[3];
    for (size_t i = 0; i < w->fills; ++i) {
        const double d = sp_shape_distance_within(w->fill[i].shape, 0.0, p, w->reach, n);
        if (d >= least) continue;
        least = d;
        memcpy(normal, n, sizeof n);
    }
    return least;
}

static bool is_open(const liquid *s, const double p[3])
{
    return sp_solids_distance(s->solids.bodies, p, NULL, NULL) > 0.1 * (double)s->grid.voxel;
}

/// Moves a point until all solids are `away` metres off, in at most three tries: in an edge or a
/// corner each wall needs one. False if there is no such place: between two walls near each other,
/// one pushes the point into the other.
static bool step_away(const liquid *s, double away, double p[3])
{
    for (int i = 0; i < 3; ++i) {
        double wall[3];
        const double push = away - sp_solids_distance(s->solids.bodies, p, wall, NULL);
        if (push <= 0.0) return true;
        for (int a = 0; a < 3; ++a)
            p[a] += push * wall[a];
    }
    return is_open(s, p);
}

/// Whether the straight line between two points enters a solid again after it was in the open: in a
/// slit, a step away from one wall may lead through the other wall, to other water.
static bool is_behind(const liquid *s, const double p[3], const double from[3])
{
    const double slack = 0.1 * (double)s->grid.voxel;
    enum { LOOKS = 16 }; ///< at most a third of a voxel apart: steps are at most 4 to 5 voxels
    bool open = false;
    for (int i = 0; i <= LOOKS; ++i) {
        double at[3];
        for (int a = 0; a < 3; ++a)
            at[a] = p[a] + (from[a] - p[a]) * i / LOOKS;
        const double psi = sp_solids_distance(s->solids.bodies, at, NULL, NULL);
        if (open && psi < -slack) return true;
        open |= psi > -slack;
    }
    return false;
}

/// A fill that fills the whole domain ends at its periodic sides. If the nearest boundary point
/// `foot` lies on such a side, moves p to the middle between the two sides and returns true.
static bool leave_seams(const liquid *s, const double foot[3], double p[3])
{
    bool moved = false;
    for (int a = 0; a < 3; ++a) {
        const double low = s->grid.domain[0][a], high = s->grid.domain[1][a],
                     near = 0.1 * (double)s->grid.voxel;
        if (s->grid.period[a] == 0 || (foot[a] > low + near && foot[a] < high - near)) continue;
        p[a] = 0.5 * (low + high);
        moved = true;
    }
    return moved;
}

/// Distance to the fills; where they end at periodic sides, sampled at the middle of the period.
static double open_distance(const start *w, const double p[3], double normal[3])
{
    double foot[3], from[3] = {p[0], p[1], p[2]};
    const double d = fills_distance(w, p, normal);
    for (int a = 0; a < 3; ++a)
        foot[a] = p[a] - d * normal[a];
    return d < 0.0 && leave_seams(w->s, foot, from) ? fills_distance(w, from, normal) : d;
}

/// Distance to the part of the fills' surface outside solids; +-band where no such part is near.
static double surface_distance(const start *w, const double p[3], bool near_solid)
{
    const liquid *s = w->s;
    const double h = (double)s->grid.voxel, band = (double)s->grid.band;
    double n[3] = {0}, d = open_distance(w, p, n);
    for (int away = 0; near_solid && away <= 4; ++away) {
        double from[3] = {p[0], p[1], p[2]}, foot[3], line = 0.0;
        if (away > 0 && (!step_away(s, away * h, from) || is_behind(s, p, from))) continue;
        d = open_distance(w, from, n);
        for (int a = 0; a < 3; ++a) {
            foot[a] = from[a] - d * n[a];
            line += n[a] * (p[a] - from[a]);
        }
        if (fabs(d) < band && is_open(s, foot)) return d + line;
    }
    if (!near_solid) return d;
    return d < 0.0 ? -band : band;
}

/// Whether a tile is solid and so are all tiles around it.
static bool is_buried(const liquid *s, size_t t)
{
    for (int n = 0; n < SP_TILES_AROUND; ++n) {
        const uint32_t there = s->grid.tiles.around[t][n];
        if (there != SP_NO_TILE && s->solids.row[there] != SP_FLOW_TILE_SOLID) return false;
    }
    return true;
}

/// Deeper than two voxels in solids nothing reads phi: liquid_phi_into_solids extrapolates it there
/// and reads only voxels less than one voxel deep. Under a river that is most of the ground.
static bool is_deep(const liquid *s, size_t t, int n, const double p[3])
{
    const uint32_t row = s->solids.row[t];
    if (row == SP_FLOW_TILE_OPEN) return false;
    if (row == SP_FLOW_TILE_SOLID)
        return sp_solids_distance(s->solids.bodies, p, NULL, NULL) < -2.0 * (double)s->grid.voxel;
    return sp_flow_solid_depth(&s->solids.tile[row], n & 7, n >> 3 & 7, n >> 6) <
           -2.0f * s->grid.voxel;
}

static void find_phi(void *arg, size_t begin, size_t end)
{
    const start *w = arg;
    liquid *s = w->s;
    for (size_t t = begin; t < end; ++t) {
        const bool near_solid = s->solids.row[t] != SP_FLOW_TILE_OPEN, buried = is_buried(s, t);
        for (int n = 0; n < SP_TILE_VOXELS; ++n) {
            double p[3];
            float *phi = &s->grid.phi[t * SP_TILE_VOXELS + (size_t)n];
            *phi = s->grid.band;
            if (buried) continue;
            liquid_voxel_center(&s->grid, (uint32_t)t, n, p);
            if (is_deep(s, t, n, p)) continue;
            const float d = (float)surface_distance(w, p, near_solid);
            *phi = fminf(fmaxf(d, -s->grid.band), s->grid.band);
        }
    }
}

/// ---- u -----------------------------------------------------------------------------------------

/// The fill that a point is in, or nearest to.
static size_t fill_at(const start *w, const double p[3])
{
    double least = (double)INFINITY;
    size_t nearest = 0;
    for (size_t i = 0; w->fills > 1 && i < w->fills; ++i) {
        const double d = sp_shape_distance(w->fill[i].shape, 0.0, p, NULL);
        if (d < least) {
            least = d;
            nearest = i;
        }
        if (d < 0.0) break; // the first fill wins
    }
    return nearest;
}

static void find_u(void *arg, size_t begin, size_t end)
{
    const start *w = arg;
    liquid *s = w->s;
    for (size_t t = begin; t < end; ++t)
        for (int a = 0; a < 3; ++a) {
            float below[SP_TILE_VOXELS];
            const float *phi = s->grid.phi + t * SP_TILE_VOXELS;
            sp_tiles_shift(&s->grid.tiles, s->grid.phi, (uint32_t)t, a, -1, s->grid.band, below);
            memset(s->grid.known[a][t], 0, sizeof *s->grid.known[a]);
            for (int n = 0; n < SP_TILE_VOXELS; ++n) {
                float *u = &s->grid.u[a][t * SP_TILE_VOXELS + (size_t)n];
                *u = 0.0f;
                if (!(phi[n] < 0.0f || below[n] < 0.0f)) continue;
                double p[3];
                liquid_voxel_center(&s->grid, (uint32_t)t, n, p);
                p[a] -= 0.5 * (double)s->grid.voxel;
                if (w->fills > 0) *u = w->fill[fill_at(w, p)].velocity[a];
                s->grid.known[a][t][n >> 6] |= (uint64_t)1 << (n & 63);
            }
        }
}

/// ---- Particles ---------------------------------------------------------------------------------

static bool is_in_fill(const start *w, size_t i, const double p[3])
{
    return sp_shape_distance_within(w->fill[i].shape, 0.0, p, (double)w->s->grid.voxel, NULL) < 0.0;
}

static bool keep_point(const void *arg, const double p[3])
{
    const start *w = arg;
    if (!is_in_fill(w, w->now, p)) return false;
    for (size_t i = 0; i < w->now; ++i)
        if (is_in_fill(w, i, p)) return false;
    return true;
}

/// Voxels that may contain points of a fill and lie within the narrow band.
static void want(void *arg, size_t begin, size_t end)
{
    const start *w = arg;
    const liquid *s = w->s;
    const double h = (double)s->grid.voxel;
    const float deepest =
        s->def.narrow_band > 0 ? -(float)s->def.narrow_band * s->grid.voxel : -INFINITY;
    for (size_t t = begin; t < end; ++t) {
        memset(w->wanted[t], 0, sizeof *w->wanted);
        if (s->solids.row[t] == SP_FLOW_TILE_SOLID) continue;
        for (int n = 0; n < SP_TILE_VOXELS; ++n) {
            double p[3];
            if (s->grid.phi[t * SP_TILE_VOXELS + (size_t)n] < deepest) continue;
            liquid_voxel_center(&s->grid, (uint32_t)t, n, p);
            if (sp_shape_distance_within(w->fill[w->now].shape, 0.0, p, h, NULL) < 0.87 * h)
                w->wanted[t][n >> 6] |= (uint64_t)1 << (n & 63);
        }
    }
}

static sp_status seed_fills(start *w, sp_error *err)
{
    liquid *s = w->s;
    const sp_scratch_mark mark = sp_scratch_here(&s->scratch);
    const liquid_seeder seeder = liquid_seeder_of(s);
    w->wanted = sp_scratch_array(&s->scratch, sp_tile_mask, s->grid.tiles.count);
    sp_status status = w->wanted ? SP_OK : no_memory("the particles of the start", err);
    for (w->now = 0; w->now < w->fills && status == SP_OK; ++w->now) {
        uint64_t count;
        sp_tiles_parallel(&s->grid.tiles, want, w);
        status = liquid_seed(&seeder, (const sp_tile_mask *)w->wanted, w->fill[w->now].velocity,
                             keep_point, w, &count, err);
    }
    sp_scratch_rewind(&s->scratch, mark);
    return status;
}

/// ---- All of it ---------------------------------------------------------------------------------

static sp_status open_fills(start *w, const sp_world_def *world, sp_error *err)
{
    const sp_host *host = w->s->host;
    w->fill = sp_allocate(host, world->emitter_count, sizeof *w->fill);
    if (!w->fill) return no_memory("the fills", err);
    for (size_t i = 0; i < world->emitter_count; ++i) {
        const sp_emitter_def *e = &world->emitters[i];
        if (e->mode != SP_EMIT_FILL) continue;
        const sp_collider_def def = {.name = e->name, .shape = e->shape};
        water_fill *f = &w->fill[w->fills];
        SP_TRY(sp_shape_open(&def, NULL, host, &f->shape, err));
        f->number = i;
        memcpy(f->velocity, e->velocity, sizeof f->velocity);
        ++w->fills;
    }
    return SP_OK;
}

static sp_status fail_dry(const sp_world_def *world, sp_error *err)
{
    const sp_emitter_def *first = world->emitters;
    if (world->emitter_count > 1)
        return sp_fail(
            err, SP_BAD_INPUT,
            "emitters: all %zu lie within colliders or outside the domain; expected some "
            "water in the open",
            world->emitter_count);
    return sp_fail(err, SP_BAD_INPUT,
                   "emitters[0]%s%.40s%s: lies within colliders or outside the domain; expected "
                   "some water in the open",
                   first->name ? " \"" : "", first->name ? first->name : "",
                   first->name ? "\"" : "");
}

static sp_status check_wet(const liquid *s, const sp_world_def *world, sp_error *err)
{
    bool any = s->sources.emitters > 0 || liquid_has_level(&s->def);
    for (size_t t = 0; t < s->grid.tiles.count && !any; ++t)
        for (int n = 0; n < SP_TILE_VOXELS && s->solids.row[t] != SP_FLOW_TILE_SOLID; ++n)
            any |= s->grid.phi[t * SP_TILE_VOXELS + (size_t)n] < 0.0f;
    return any ? SP_OK : fail_dry(world, err);
}

sp_status liquid_start(liquid *s, const sp_world_def *world, sp_error *err)
{
    start w = {.s = s, .reach = 2.0 * (double)s->grid.band};
    for (int a = 0; a < 3; ++a) // open_distance needs the nearest point at any distance
        if (s->grid.period[a]) w.reach = HUGE_VAL;
    sp_status status = open_fills(&w, world, err);
    if (status == SP_OK) status = lay_tiles(&w, err);
    if (status == SP_OK) {
        sp_tiles_parallel(&s->grid.tiles, find_phi, &w);
        status = liquid_phi_into_solids(&s->grid, &s->solids, liquid_has_particles(&s->def),
                                        &s->scratch, err);
    }
    if (status == SP_OK) status = check_wet(s, world, err);
    for (size_t i = 0; i < w.fills && status == SP_OK; ++i)
        liquid_warn_outside(s, w.fill[i].shape, w.fill[i].number);
    if (status == SP_OK) {
        sp_tiles_parallel(&s->grid.tiles, find_u, &w);
        if (liquid_has_particles(&s->def)) status = seed_fills(&w, err);
    }
    if (status == SP_OK)
        status = liquid_extend_velocity(&s->grid, &s->solids, s->gravity,
                                        liquid_has_particles(&s->def), 0.0, &s->scratch, err);
    for (int a = 0; a < 3 && status == SP_OK && liquid_has_spread(&s->def); ++a)
        memset(s->grid.spread[a], 0, s->grid.tiles.count * SP_TILE_VOXELS * sizeof(float));
    if (status == SP_OK) status = liquid_aerate(s, err);
    for (size_t i = 0; i < w.fills; ++i)
        sp_shape_close(w.fill[i].shape);
    sp_release(s->host, w.fill);
    sp_release(s->host, w.at);
    return status;
}

// SPDX-License-Identifier: Apache-2.0
/// Estimates how much memory and time a scene needs, from its numbers alone.
///
/// Memory is needed for each tile and each particle. The number of tiles that water will reach is
/// not known before the run, but water falls: finally it lies on the floor of the domain, as deep
/// as its volume makes it, and each column of tiles holds that depth plus the layers of
/// extrapolation on both sides. Splashes take SPLASH times that (dam breaks, falling balls,
/// propellers and a river took 1.0 to 1.4). Particles fill a narrow band below a surface that is
/// WAVY times as large as the floor (1.2 to 1.7 were seen), but no more than all water. The rest is
/// counting bytes.
#include "liquid/internal.h"

#define SPLASH 1.4
#define WAVY 1.75

/// ---- Shapes ------------------------------------------------------------------------------------

/// Height of a height field (ground or water) between its samples; beyond them as at its border.
static double height_at(const sp_heightfield_def *g, double x, double z)
{
    const sp_heights *s = &g->heights;
    const double low = (double)g->min[1], rise = (double)g->max[1] - low;
    if (!s->values) return low + rise * (double)s->constant;
    const double from[2] = {(double)g->min[0], (double)g->max[2]}; // row 0 lies where z is largest
    const double to[2] = {(double)g->max[0], (double)g->min[2]}, p[2] = {x, z};
    const size_t count[2] = {s->width, s->height};
    size_t cell[2], next[2];
    double f[2];
    for (int a = 0; a < 2; ++a) {
        const double last = (double)(count[a] - 1);
        const double at = fmin(fmax((p[a] - from[a]) / (to[a] - from[a]) * last, 0.0), last);
        cell[a] = (size_t)at;
        next[a] = cell[a] + 1 < count[a] ? cell[a] + 1 : cell[a];
        f[a] = at - (double)cell[a];
    }
    double value = 0.0;
    for (int c = 0; c < 4; ++c) {
        const size_t i = c & 1 ? next[0] : cell[0], j = c & 2 ? next[1] : cell[1];
        value += (c & 1 ? f[0] : 1.0 - f[0]) * (c & 2 ? f[1] : 1.0 - f[1]) *
                 (double)s->values[j * s->width + i];
    }
    return low + rise * value;
}

/// How high a shape without sides reaches: water below a plane or in a height field. Where that is
/// unknown (a mesh, a plane that is upside down), everything counts as water.
static double top_of(const sp_shape_def *shape, double x, double z)
{
    if (shape->heightfield) return height_at(shape->heightfield, x, z);
    const sp_plane_def *p = shape->plane;
    if (!p || !(p->normal[1] > 0.0f)) return (double)INFINITY;
    return (double)p->point[1] - ((x - (double)p->point[0]) * (double)p->normal[0] +
                                  (z - (double)p->point[2]) * (double)p->normal[2]) /
                                     (double)p->normal[1];
}

static double ground_at(const sp_world_def *w, double x, double z)
{
    double highest = (double)w->domain->min[1];
    for (size_t i = 0; i < w->collider_count; ++i)
        if (w->colliders[i].shape.heightfield && w->colliders[i].motion.key_count == 0)
            highest = fmax(highest, height_at(w->colliders[i].shape.heightfield, x, z));
    return highest;
}

/// Mean depth of such a shape within the domain, m, down to the ground or to the domain's floor.
static double depth_of(const sp_world_def *w, const sp_shape_def *shape, bool to_ground)
{
    enum { SIDE = 64 };
    const sp_domain_def *d = w->domain;
    const double width = (double)d->max[0] - (double)d->min[0],
                 length = (double)d->max[2] - (double)d->min[2];
    double sum = 0.0;
    for (int n = 0; n < SIDE * SIDE; ++n) {
        const double x = (double)d->min[0] + width * (n % SIDE + 0.5) / SIDE;
        const double z = (double)d->min[2] + length * (n / SIDE + 0.5) / SIDE;
        const double bottom = to_ground ? ground_at(w, x, z) : (double)d->min[1];
        sum += fmax(0.0, fmin((double)d->max[1], top_of(shape, x, z)) - bottom);
    }
    return sum / (SIDE * SIDE);
}

/// Sides of a box around a shape, clipped to the domain, m.
static void sides_of(const sp_world_def *w, const sp_shape_def *shape, double side[3])
{
    const sp_domain_def *d = w->domain;
    const sp_cylinder_def *rod = shape->cylinder ? shape->cylinder : shape->capsule;
    for (int a = 0; a < 3; ++a) {
        const double room = (double)d->max[a] - (double)d->min[a];
        side[a] = room;
        if (shape->box)
            side[a] = (double)fminf(shape->box->max[a], d->max[a]) -
                      (double)fmaxf(shape->box->min[a], d->min[a]);
        else if (shape->sphere)
            side[a] = 2.0 * (double)shape->sphere->radius;
        else if (rod)
            side[a] = fabs((double)rod->to[a] - (double)rod->from[a]) + 2.0 * (double)rod->radius;
        else if (shape->torus)
            side[a] = 2.0 * ((double)shape->torus->radius + (double)shape->torus->tube);
        else if (a == 1)
            side[a] = depth_of(w, shape, false);
        side[a] = fmin(fmax(side[a], 0.0), room);
    }
}

/// Volume of a shape within the domain, m3; for a round shape other than a ball, of the box around
/// it.
static double volume_of(const sp_world_def *w, const sp_shape_def *shape)
{
    double side[3];
    sides_of(w, shape, side);
    if (shape->heightfield || shape->plane) side[1] = depth_of(w, shape, true);
    const double share = shape->sphere ? 0.5236 : 1.0; // pi/6
    return share * side[0] * side[1] * side[2];
}

/// ---- Water -------------------------------------------------------------------------------------

/// Inflow of an emitter until the end of the run, m3.
static double inflow_of(const sp_setup *setup, const sp_emitter_def *e)
{
    const double running = fmax(0.0, fmin(setup->seconds, (double)e->stop) - (double)e->start);
    if (e->mode == SP_EMIT_JET)
        return 3.14159 * (double)e->radius * (double)e->radius * (double)e->speed * running;
    if (e->mode != SP_EMIT_FLOW) return 0.0;
    double side[3], rate = 0.0;
    sides_of(setup->world, &e->shape, side);
    for (int a = 0; a < 3; ++a)
        rate += fabs((double)e->velocity[a]) * side[(a + 1) % 3] * side[(a + 2) % 3];
    return rate * running;
}

double liquid_water_cells(const sp_setup *setup)
{
    const sp_liquid_def *d = setup->def;
    const sp_world_def *w = setup->world;
    double room = 1.0, water = 0.0;
    for (int a = 0; a < 3; ++a)
        room *= (double)w->domain->max[a] - (double)w->domain->min[a];
    for (size_t i = 0; i < w->emitter_count; ++i) {
        if (w->emitters[i].mode != SP_EMIT_JET) water += volume_of(w, &w->emitters[i].shape);
        water += inflow_of(setup, &w->emitters[i]);
    }
    const sp_plane_def level = {.point = {0.0f, d->sides.level, 0.0f},
                                .normal = {0.0f, 1.0f, 0.0f}};
    const sp_shape_def outside = {.plane = &level};
    water = fmax(water, volume_of(w, &outside)); // open sides may let that much in
    return fmin(water, room) / liquid_voxel_volume(d);
}

/// ---- Tiles and particles -----------------------------------------------------------------------

static double tiles_along(double voxels)
{
    return ceil((voxels + 2.0 * LIQUID_MARGIN) / SP_TILE);
}

typedef struct tile_counts {
    double all;  ///< largest number at one time
    double late; ///< the same after the water has fallen
    double wet;  ///< of `late`, those with water
} tile_counts;

/// Upper bound on the tiles that a run reaches, as far as it can be known.
static tile_counts tiles_of(const sp_setup *setup, double cells)
{
    const sp_liquid_def *d = setup->def;
    const sp_world_def *w = setup->world;
    const double h = (double)d->voxel, beyond = d->extrapolate_cells > 0
                                                    ? (double)d->extrapolate_cells + 1.0
                                                    : ceil((double)d->cfl) + 3.0;
    double n[3], box[3], start = 0.0;
    for (int a = 0; a < 3; ++a) {
        n[a] = ((double)w->domain->max[a] - (double)w->domain->min[a]) / h;
        box[a] = tiles_along(n[a]);
    }
    for (size_t i = 0; i < w->emitter_count; ++i) {
        double side[3], tiles = 1.0;
        if (w->emitters[i].mode == SP_EMIT_JET) continue;
        sides_of(w, &w->emitters[i].shape, side);
        for (int a = 0; a < 3; ++a)
            tiles *= fmin(box[a], (side[a] / h + 2.0 * beyond) / SP_TILE + 1.0);
        start += tiles;
    }
    // A film thinner than a voxel does not count: little water does not cover a large floor.
    const double columns = fmin(box[0] * box[2], cells / (SP_TILE * SP_TILE) + 8.0);
    const double depth = cells / fmin(n[0] * n[2], columns * SP_TILE * SP_TILE);
    const double most = box[0] * box[1] * box[2];
    const double late = SPLASH * columns * ((depth + 2.0 * beyond) / SP_TILE + 1.0);
    return (tile_counts){.all = fmin(most, fmax(start, late)),
                         .late = fmin(most, late),
                         .wet = fmin(most, SPLASH * columns * (depth / SP_TILE + 1.0))};
}

double sp_liquid_most_tiles(const sp_setup *setup)
{
    return tiles_of(setup, liquid_water_cells(setup)).all;
}

static double particles_of(const sp_setup *setup, double cells)
{
    const sp_liquid_def *d = setup->def;
    const sp_domain_def *domain = setup->world->domain;
    if (d->method == SP_LIQUID_EULERIAN) return 0.0;
    const double floor = ((double)domain->max[0] - (double)domain->min[0]) *
                         ((double)domain->max[2] - (double)domain->min[2]) /
                         ((double)d->voxel * (double)d->voxel);
    if (d->narrow_band > 0) cells = fmin(cells, WAVY * floor * d->narrow_band);
    return cells * d->particles_per_cell;
}

/// ---- Bytes -------------------------------------------------------------------------------------

/// Bytes of tiles: fields (with room for a quarter more), scratch, buffers of frames (with as much
/// room), past velocities and checkpoints, the frame's file as HDF5 builds it; solids in cut tiles, which are most
/// tiles with water; the pressure solver.
static double tile_bytes(const sp_liquid_def *d, double pasts, const tile_counts *tiles)
{
    const bool particles = d->method != SP_LIQUID_EULERIAN, band = particles && d->narrow_band > 0,
               pairs = d->method == SP_LIQUID_APIC && !band, carried = band || !particles,
               spread = liquid_has_spread(d);
    const double field = SP_TILE_VOXELS * sizeof(float), mask = sizeof(sp_tile_mask);
    const double fields =
        3.0 * (2 + carried + 2 * pairs + spread) + 3.0 + pairs + carried + d->aeration;
    const double shown = 4.0 + d->cache.pressure + d->aeration;
    const double saved = 5.0 + 4.0 * pairs + 3.0 * spread + d->aeration + 3.0 * pasts,
                 scratch = 6.5;
    const double all = 3.0 * pasts * field + 1.25 * (fields * field + 8.0 * mask) +
                       scratch * field + (1.25 + 1.0) * shown * field + saved * field + 3.0 * mask;
    const double solid = 0.75 * (double)(sizeof(sp_solid_tile) + sizeof(sp_flow_escape));
    const double solve = d->pressure.precision == SP_POISSON_DOUBLE ? 34.0 : 17.0;
    return tiles->all * all + tiles->late * solid + tiles->wet * solve * field;
}

/// Time from frame to frame, s.
static double frame_seconds(const sp_setup *setup)
{
    return setup->frame_seconds > 0.0 ? setup->frame_seconds : SP_BULK_AERATION_TIME;
}

/// Past velocities that aeration needs (bulk/past.c); 24 frames a second need two.
static double pasts_of(const sp_setup *setup)
{
    const sp_liquid_def *d = setup->def;
    const double frame = frame_seconds(setup);
    return d->aeration ? fmin(ceil(SP_BULK_AERATION_TIME / frame - 1e-6) + 1.0, SP_BULK_PASTS)
                       : 0.0;
}

/// Bytes of a particle: two sets of columns with room for half as many more, scratch, a checkpoint.
static double particle_bytes(const sp_liquid_def *d)
{
    const double columns = 8.0 + 4.0 * (d->method == SP_LIQUID_APIC ? 15.0 : 6.0);
    const double shown = d->cache.particles ? 36.0 : 0.0;
    return 3.0 * columns + 10.0 + columns + (1.25 + 1.0) * shown;
}

double liquid_estimate(const sp_setup *setup)
{
    const double program = 2e7, cells = liquid_water_cells(setup);
    const tile_counts tiles = tiles_of(setup, cells);
    return program + tile_bytes(setup->def, pasts_of(setup), &tiles) +
           particles_of(setup, cells) * particle_bytes(setup->def);
}

/// ---- Seconds -----------------------------------------------------------------------------------

/// Speed that water reaches, m/s: that of emitters, and of a fall through half of the domain.
static double top_speed(const sp_world_def *w, double gravity)
{
    double fastest = 0.0;
    for (size_t i = 0; i < w->emitter_count; ++i) {
        const sp_emitter_def *e = &w->emitters[i];
        double v2 = 0.0;
        for (int a = 0; a < 3; ++a)
            v2 += (double)e->velocity[a] * (double)e->velocity[a];
        fastest = fmax(fastest, e->mode == SP_EMIT_JET ? (double)e->speed : sqrt(v2));
    }
    return sqrt(fastest * fastest +
                gravity * ((double)w->domain->max[1] - (double)w->domain->min[1]));
}

/// All tiles of the settled water, in substeps as liquid_substep_length() takes them.
double liquid_seconds(const sp_setup *setup)
{
    const double each = 0.5e-6; // s per voxel of a tile and substep, measured
    const sp_liquid_def *d = setup->def;
    const float *g = setup->world->gravity;
    const double gravity = sqrt((double)g[0] * (double)g[0] + (double)g[1] * (double)g[1] +
                                (double)g[2] * (double)g[2]),
                 h = (double)d->voxel, fall = sqrt(h * gravity), frame = frame_seconds(setup);
    double dt = (double)d->cfl * h / fmax(top_speed(setup->world, gravity) + fall, 1e-9);
    if (fall > 0.0) dt = fmin(dt, 0.65 * h / fall);
    if (d->surface_tension > 0.0f)
        dt = fmin(dt, 0.3 * sqrt((double)d->density * h * h * h / (double)d->surface_tension));
    const double substeps = fmin(fmax(ceil(frame / dt), d->min_steps), d->max_steps);
    const tile_counts tiles = tiles_of(setup, liquid_water_cells(setup));
    return each * setup->seconds / frame * substeps * tiles.late * SP_TILE_VOXELS;
}

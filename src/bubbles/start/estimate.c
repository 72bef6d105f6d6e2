// SPDX-License-Identifier: Apache-2.0
/// Estimates how much memory and time a scene needs, from its numbers alone.
///
/// Memory is needed for each tile and each particle. How many particles there will be follows from the
/// emitters. How many tiles they need is not known before the run, but they rise (or sink) along gravity:
/// an emitter that acts once makes a cloud SPREAD times as wide as its shape, which leaves a trail behind
/// and widens where no tension holds it; one that runs makes a column of them that grows by RISE until it
/// reaches the end of the domain. In that space particles lie at random. Around them there are rings of
/// tiles with water alone. The rest is counting bytes.
///
/// RISE, TRAIL, TORN and WIDER are fitted to ten scenes (docs/bubbles.md tells what they took).
#include "bubbles/sources/sizes.h"
#include "core/numbers/portable_math.h"

#define SPREAD 1.25   // voxels of a cloud along an axis, over those of its shape
#define RISE 0.45     // m/s
#define TRAIL 0.35    // speed at which a trail grows over sqrt(g width)
#define TORN 1.0      // the same without surface tension
#define WIDER 0.1     // the same to the sides
#define PROGRAM 4.3e7 // bytes, and its libraries
#define MARGIN 1.12

/// ---- Shapes ------------------------------------------------------------------------------------

/// Sides of a box around a shape, within the domain, m. Of meshes, planes and height fields only the
/// domain's are known.
static void sides_of(const sp_domain_def *d, const sp_shape_def *shape, double side[3])
{
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
        side[a] = fmin(fmax(side[a], 0.0), room);
    }
}

static double length_of(const sp_cylinder_def *rod)
{
    double sum = 0.0;
    for (int a = 0; a < 3; ++a) {
        const double d = (double)rod->to[a] - (double)rod->from[a];
        sum += d * d;
    }
    return sqrt(sum);
}

/// Volume of a shape within the domain, m3; of the whole domain where it is not known.
static double volume_of(const sp_domain_def *d, const sp_shape_def *shape)
{
    double side[3], volume;
    sides_of(d, shape, side);
    const double box = side[0] * side[1] * side[2];
    if (shape->sphere) {
        const double r = (double)shape->sphere->radius;
        volume = 4.0 / 3.0 * SP_PI_D * r * r * r;
    } else if (shape->torus) {
        const double tube = (double)shape->torus->tube;
        volume = 2.0 * SP_PI_D * SP_PI_D * (double)shape->torus->radius * tube * tube;
    } else if (shape->cylinder || shape->capsule) {
        const sp_cylinder_def *rod = shape->cylinder ? shape->cylinder : shape->capsule;
        const double r = (double)rod->radius, ends = shape->capsule ? 4.0 / 3.0 * r : 0.0;
        volume = SP_PI_D * r * r * (length_of(rod) + ends);
    } else {
        volume = box;
    }
    return fmin(volume, box);
}

/// ---- Particles ---------------------------------------------------------------------------------

/// How long an emitter runs, s.
static double running(const sp_setup *setup, const sp_bubbles_emitter_def *e)
{
    return fmax(0.0, fmin(setup->seconds, (double)e->stop) - (double)e->start);
}

/// What an emitter lets in until the end.
static double count_of(const sp_setup *setup, const sp_bubbles_emitter_def *e)
{
    const sp_bubbles_def *d = setup->def;
    const sp_domain_def *domain = setup->world->domain;
    const double spacing = (double)e->spacing * (double)d->voxel,
                 places = volume_of(domain, &e->shape) / (spacing * spacing * spacing);
    if (e->mode == SP_BUBBLES_RATE) return (double)e->rate * running(setup, e);
    if (e->mode == SP_BUBBLES_ONCE && e->fraction > 0.0f)
        return (double)e->fraction * volume_of(domain, &e->shape) /
               bubbles_mean_volume(e, d->voxel);
    if (e->mode == SP_BUBBLES_ONCE) return places;
    double side[3], area = 0.0; // times speed
    sides_of(domain, &e->shape, side);
    for (int a = 0; a < 3; ++a)
        area += fabs((double)e->velocity[a]) * side[(a + 1) % 3] * side[(a + 2) % 3];
    return places + area * running(setup, e) / (spacing * spacing * spacing);
}

static double particles_of(const sp_setup *setup)
{
    const sp_bubbles_def *d = setup->def;
    double sum = 0.0;
    for (size_t i = 0; i < d->emitter_count; ++i)
        sum += count_of(setup, &d->emitters[i]);
    return sum;
}

/// ---- Tiles -------------------------------------------------------------------------------------

typedef struct tile_counts {
    double all;
    double busy; ///< those with particles
} tile_counts;

/// The axis along which bubbles rise or sink; -1: none.
static int axis_of_rise(const sp_world_def *world)
{
    int most = 0;
    for (int a = 1; a < 3; ++a)
        if (fabsf(world->gravity[a]) > fabsf(world->gravity[most])) most = a;
    return world->gravity[most] != 0.0f ? most : -1;
}

/// Of `tiles` in which n particles lie at random, those within `reach` voxels of one.
static double tiles_near(double tiles, double n, double reach)
{
    const double wide = (SP_TILE + 2.0 * reach) / SP_TILE, each = wide * wide * wide;
    return tiles * (1.0 - (double)sp_expf((float)(-each * n / tiles)));
}

/// By how much a cloud that was let in at once has grown along an axis in the end, m.
static double growth_of(const sp_setup *setup, const sp_bubbles_emitter_def *e, double width,
                        int axis)
{
    const sp_bubbles_def *d = setup->def;
    const int along = axis_of_rise(setup->world);
    if (along < 0) return 0.0;
    const double speed = sqrt(fabs((double)setup->world->gravity[along]) * width),
                 seconds = fmax(0.0, setup->seconds - (double)e->start);
    const bool torn = !(d->tension.coefficient > 0.0f) && !(e->fraction > 0.0f);
    return speed * seconds * (axis != along ? torn ? WIDER : 0.0 : torn ? TORN : TRAIL);
}

static bool same_bytes(const void *a, const void *b, size_t size)
{
    return a && b && memcmp(a, b, size) == 0;
}

static bool same_place(const sp_shape_def *a, const sp_shape_def *b)
{
    return same_bytes(a->box, b->box, sizeof *a->box) ||
           same_bytes(a->sphere, b->sphere, sizeof *a->sphere) ||
           same_bytes(a->cylinder, b->cylinder, sizeof *a->cylinder) ||
           same_bytes(a->capsule, b->capsule, sizeof *a->capsule);
}

/// Particles of all emitters in the same place.
static double count_at(const sp_setup *setup, const sp_bubbles_emitter_def *e)
{
    const sp_bubbles_def *d = setup->def;
    double n = 0.0;
    for (size_t k = 0; k < d->emitter_count; ++k)
        if (&d->emitters[k] == e || same_place(&d->emitters[k].shape, &e->shape))
            n += count_of(setup, &d->emitters[k]);
    return n;
}

/// Tiles that an emitter's particles need at one time, at most.
static tile_counts tiles_around(const sp_setup *setup, const sp_bubbles_emitter_def *e)
{
    const sp_bubbles_def *d = setup->def;
    const sp_domain_def *domain = setup->world->domain;
    const bool once = e->mode == SP_BUBBLES_ONCE;
    const double h = (double)d->voxel, reach = d->basis == SP_BUBBLES_POWER ? 2.5 : 1.5;
    tile_counts tiles = {1.0, 1.0};
    double side[3];
    sides_of(domain, &e->shape, side);
    for (int a = 0; a < 3; ++a) {
        const double room = (double)domain->max[a] - (double)domain->min[a];
        double wide = SPREAD * side[a];
        if (once) wide += growth_of(setup, e, side[0], a);
        if (!once && a == axis_of_rise(setup->world))
            wide += RISE * fmax(0.0, setup->seconds - (double)e->start);
        if (!once) wide += fabs((double)e->velocity[a]) * running(setup, e);
        const double busy = (fmin(wide, room) / h + 2.0 * reach) / SP_TILE + 1.0;
        tiles.busy *= busy;
        tiles.all *= busy + 2.0 * d->padding;
    }
    const double n = count_at(setup, e);
    tiles.busy = tiles_near(tiles.busy, n, reach);
    tiles.all = tiles_near(tiles.all, n, reach + SP_TILE * d->padding);
    return tiles;
}

/// Whether an emitter's particles are in the tiles of another one that counts: one in the same place with more
/// tiles, or with as many and before it.
static bool is_within_another(const sp_setup *setup, size_t i, double tiles)
{
    const sp_bubbles_def *d = setup->def;
    for (size_t k = 0; k < d->emitter_count; ++k) {
        if (k == i || !same_place(&d->emitters[i].shape, &d->emitters[k].shape)) continue;
        const double more = tiles_around(setup, &d->emitters[k]).all - tiles;
        if (more > 0.0 || (more == 0.0 && k < i)) return true;
    }
    return false;
}

/// The setup of the water of a scene with bubbles.liquid.
static sp_setup setup_of_water(const sp_setup *setup)
{
    sp_setup of_water = *setup;
    of_water.def = ((const sp_bubbles_def *)setup->def)->liquid;
    return of_water;
}

static tile_counts tiles_of(const sp_setup *setup)
{
    const sp_bubbles_def *d = setup->def;
    const sp_domain_def *domain = setup->world->domain;
    tile_counts most = {1.0, 1.0}, sum = {0.0, 0.0};
    for (int a = 0; a < 3; ++a) {
        const double n =
            ceil(((double)domain->max[a] - (double)domain->min[a]) / ((double)d->voxel * SP_TILE));
        most.busy *= n + 2.0;
        most.all *= n + 2.0 * (d->padding + 1);
    }
    for (size_t i = 0; i < d->emitter_count; ++i) {
        const tile_counts one = tiles_around(setup, &d->emitters[i]);
        if (is_within_another(setup, i, one.all)) continue;
        sum.busy += one.busy;
        sum.all += one.all;
    }
    if (d->liquid) { // on all of its tiles
        const sp_setup of_water = setup_of_water(setup);
        const double all = sp_liquid_most_tiles(&of_water);
        return (tile_counts){all, fmin(fmin(sum.busy, most.busy), all)};
    }
    most.all = fmin(most.all, (double)d->max_tiles);
    return (tile_counts){fmin(sum.all, most.all), fmin(sum.busy, most.busy)};
}

/// ---- Bytes -------------------------------------------------------------------------------------

/// Bytes of tiles: 48 fields and one to copy through, with room for a quarter more; scratch; the pressure
/// solver, which needs more where particles are; buffers of frames and their file as HDF5 builds it;
/// checkpoints.
static double tile_bytes(const sp_bubbles_def *d, const tile_counts *tiles)
{
    const double field = SP_TILE_VOXELS * sizeof(float),
                 vectors = d->pressure.precision == SP_POISSON_DOUBLE ? 2.0 : 1.0,
                 shown = 4.0 * d->cache.tiles + d->cache.pressure, saved = 4.0;
    const double all = 1.25 * 49.0 + 6.0 + 8.0 * vectors + (1.25 + 1.0) * shown + saved,
                 busy = 9.0 * vectors + 10.0 + 6.0;
    return field * (all * tiles->all + busy * tiles->busy);
}

/// Bytes of a particle: two sets of columns with room for half as many more, what it holds within a
/// substep, its entry when it is let in, frames, a checkpoint.
static double particle_bytes(void)
{
    const double columns = 11.0 * sizeof(float) + sizeof(uint32_t) + sizeof(uint64_t);
    const double within = 26.0 * sizeof(float) + 16.0, entry = 1.5 * 48.0,
                 shown = 2.0 * 40.0 + 36.0;
    return 3.0 * columns + within + entry + shown + columns;
}

double bubbles_estimate(const sp_setup *setup)
{
    const sp_bubbles_def *d = setup->def;
    const sp_setup of_water = setup_of_water(setup);
    const double water = d->liquid ? sp_liquid_solver.estimate(&of_water) : PROGRAM;
    const tile_counts tiles = tiles_of(setup);
    return water +
           MARGIN * (tile_bytes(setup->def, &tiles) + particles_of(setup) * particle_bytes());
}

/// ---- Seconds -----------------------------------------------------------------------------------

double bubbles_seconds(const sp_setup *setup)
{
    // s, of a voxel and of a particle, for a substep and for each Newton iteration; measured
    const double voxel[2] = {0.15e-6, 0.06e-6}, particle[2] = {0.15e-6, 0.2e-6};
    const sp_bubbles_def *d = setup->def;
    const sp_setup of_water = setup_of_water(setup);
    const double water = d->liquid ? sp_liquid_solver.seconds(&of_water) : 0.0;
    const double frame = setup->frame_seconds > 0.0 ? setup->frame_seconds : 1.0 / 24.0;
    const double substeps = setup->seconds / frame * bubbles_substeps(setup), newton = d->newton,
                 voxels = tiles_of(setup).all * SP_TILE_VOXELS, particles = particles_of(setup);
    return water + substeps * (voxels * (voxel[0] + newton * voxel[1]) +
                               particles * (particle[0] + newton * particle[1]));
}

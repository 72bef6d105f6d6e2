// SPDX-License-Identifier: Apache-2.0
/// Drops that crests emit. Water that moves outwards with u.n at a surface of curvature kappa = div n shoots up to a
/// height of (u.n)^2/2g, against the size 1/kappa of the crest:
///
///     Fr = kappa (u.n)^2/|g|,      rate per area = rate max(0, 1 - 1/Fr)   where u.n > crest, kappa > 0
///
/// A linear wave of slope ak has Fr <= 0.385 (ak)^3, 0.03 for the steepest: only jets, fingers and the tips of sheets
/// emit, on any voxel that holds them. In a voxel of edge h near the surface the area is h^2 (1 - |phi|/h). Drops begin
/// on the surface with the water's velocity, and along the normal up to twice what it has beyond `crest`.
///
/// Water without tiles (a procedural ocean) emits none this way.
#include "tiles/levelset.h"
#include "whitewater/surface/internal.h"

#define CLEAR 2.0 // radii; how far above the surface a drop begins

typedef struct emitting {
    whitewater_surface *s;
    const whitewater_world *world;
    const sp_bulk_moment *moment;
    float *kappa;    ///< 1/m; then expected particles, by cell
    uint32_t *first; ///< by tile: how many; then the place of its first one
    surface_deciding d;
} emitting;

/// ---- How many ----------------------------------------------------------------------------------

/// u.n at the centres of a tile's voxels.
static void find_outward(const sp_bulk_moment *m, uint32_t t, float outward[SP_TILE_VOXELS])
{
    float length[SP_TILE_VOXELS] = {0};
    memset(outward, 0, SP_TILE_VOXELS * sizeof *outward);
    for (int a = 0; a < 3; ++a) {
        float low[SP_TILE_VOXELS], high[SP_TILE_VOXELS], u[SP_TILE_VOXELS];
        const float *here = m->u[a] + (size_t)t * SP_TILE_VOXELS;
        sp_tiles_shift(m->tiles, m->phi, t, a, -1, m->band, low);
        sp_tiles_shift(m->tiles, m->phi, t, a, 1, m->band, high);
        sp_tiles_shift(m->tiles, m->u[a], t, a, 1, 0.0f, u);
        for (int n = 0; n < SP_TILE_VOXELS; ++n) {
            const float slope = high[n] - low[n];
            outward[n] += 0.5f * (here[n] + u[n]) * slope;
            length[n] += slope * slope;
        }
    }
    for (int n = 0; n < SP_TILE_VOXELS; ++n)
        outward[n] /= fmaxf(sqrtf(length[n]), 1e-20f);
}

/// Expected particles of a voxel.
static float expect(const emitting *e, float phi, float kappa, float outward)
{
    const sp_spray_def *def = &e->s->spray;
    const float *g = e->world->gravity, h = e->moment->tiles->voxel;
    const float weight = sqrtf(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]),
                area = h * h * (1.0f - fabsf(phi) / h);
    if (!(area > 0.0f) || !(outward > def->crest) || !(kappa > 0.0f)) return 0.0f;
    const float share = fmaxf(0.0f, 1.0f - weight / (kappa * outward * outward));
    return def->rate * area * (float)e->world->dt * share / def->number;
}

/// By voxel of the world, not of the array.
static uint64_t voxel_id(const emitting *e, uint32_t t, int n)
{
    const int32_t *at = e->moment->tiles->at[t];
    uint64_t id = (uint64_t)n;
    for (int a = 0; a < 3; ++a)
        id = sp_mix64(id) ^ (uint64_t)(uint32_t)at[a];
    return id;
}

/// A number whose mean is the expected one.
static uint32_t count_of(const emitting *e, uint32_t t, int n)
{
    const float expected = e->kappa[(size_t)t * SP_TILE_VOXELS + (size_t)n];
    if (!(expected > 0.0f)) return 0;
    const sp_random4 random = sp_random(e->world->seed, WHITEWATER_RANDOM_SPRAY, voxel_id(e, t, n),
                                        (uint32_t)e->world->step, 0);
    return (uint32_t)(fminf(expected, 1e6f) + sp_unit(random.x[0]));
}

static void count_tiles(void *arg, size_t begin, size_t end)
{
    const emitting *e = arg;
    for (size_t t = begin; t < end; ++t) {
        float outward[SP_TILE_VOXELS], *kappa = e->kappa + t * SP_TILE_VOXELS;
        const float *phi = e->moment->phi + t * SP_TILE_VOXELS;
        e->first[t] = 0;
        find_outward(e->moment, (uint32_t)t, outward);
        for (int n = 0; n < SP_TILE_VOXELS; ++n) {
            kappa[n] = expect(e, phi[n], kappa[n], outward[n]);
            e->first[t] += count_of(e, (uint32_t)t, n);
        }
    }
}

/// ---- Where -------------------------------------------------------------------------------------

static float draw_radius(const emitting *e, float x)
{
    const sp_spray_def *def = &e->s->spray;
    const float low = def->radius_min > 0.0f ? def->radius_min : 0.05f * e->world->voxel,
                high = fmaxf(low, def->radius_max > 0.0f ? def->radius_max : 3.0f * low),
                ratio = low / high;
    return low / sqrtf(1.0f - x * (1.0f - ratio * ratio)); // their number falls with the cube
}

/// A point of the moment moves with the water to the end of the step.
static void carry(const emitting *e, double x[3])
{
    float u[3];
    const double since = e->d.water.t - e->moment->time;
    const sp_bulk_query query = {
        .n = 1, .x = &x[0], .y = &x[1], .z = &x[2], .u = {&u[0], &u[1], &u[2]}};
    sp_bulk_look(&e->d.water, &query, 0, 1);
    for (int a = 0; a < 3; ++a)
        x[a] += since * (double)u[a];
}

/// False: there is no surface near.
static bool place_drop(const emitting *e, uint32_t t, int n, uint32_t k, size_t i)
{
    const whitewater_set *set = e->d.set;
    const uint64_t id = voxel_id(e, t, n);
    const uint32_t step = (uint32_t)e->world->step;
    const sp_random4 at = sp_random(e->world->seed, WHITEWATER_RANDOM_SPRAY, id, step, 2 * k + 1),
                     how = sp_random(e->world->seed, WHITEWATER_RANDOM_SPRAY, id, step, 2 * k + 2);
    const double h = (double)e->moment->tiles->voxel;
    double normal[3], u[3], x[3];
    for (int a = 0; a < 3; ++a) {
        const int32_t cell = SP_TILE * e->moment->tiles->at[t][a] + (n >> 3 * a & 7);
        x[a] = e->moment->origin[a] + h * (cell + (double)sp_unit(at.x[a]));
    }
    carry(e, x);
    for (int a = 0; a < 3; ++a)
        set->x[a][i] = x[a];
    set->radius[i] = draw_radius(e, sp_unit(how.x[0]));
    set->number[i] = e->s->spray.number;
    set->speed[i] = -1.0f;
    set->state[i] = WHITEWATER_ABOVE | WHITEWATER_NEW;
    if (!surface_project(&e->d, i, normal, u)) return false;
    const double more =
        fmax(0.0, sp_dot3(u, normal) - (double)e->s->spray.crest) * (double)sp_unit(how.x[1]);
    for (int a = 0; a < 3; ++a) {
        set->x[a][i] += CLEAR * (double)set->radius[i] * normal[a];
        set->v[a][i] = (float)(u[a] + more * normal[a]);
    }
    return true;
}

static void place_drops(void *arg, size_t begin, size_t end)
{
    const emitting *e = arg;
    for (size_t t = begin; t < end; ++t) {
        size_t i = e->first[t];
        for (int n = 0; n < SP_TILE_VOXELS; ++n)
            for (uint32_t k = 0, m = count_of(e, (uint32_t)t, n); k < m; ++k, ++i)
                e->d.fate[i] = !place_drop(e, (uint32_t)t, n, k, i);
    }
}

/// ---- All of it ---------------------------------------------------------------------------------

/// Ids in the order of tiles and voxels.
static sp_status let_in(emitting *e, whitewater_set *spray, uint64_t *next_id,
                        whitewater_ledger *ledger, sp_error *err)
{
    whitewater_set *drops = e->d.set;
    const size_t n = drops->set.count;
    for (size_t i = 0; i < n; ++i) {
        if (e->d.fate[i]) continue;
        drops->id[i] = (*next_id)++;
        ++ledger->count[WHITEWATER_EMITTED_SPRAY];
        ledger->volume[WHITEWATER_EMITTED_SPRAY] += whitewater_volume(drops, i);
    }
    SP_TRY(whitewater_set_reserve(spray, spray->set.count + n, err));
    for (size_t i = 0; i < n; ++i)
        if (!e->d.fate[i]) whitewater_set_copy(spray, drops, i);
    drops->set.count = 0;
    return SP_OK;
}

static sp_status emit(emitting *e, whitewater_set *spray, uint64_t *next_id,
                      whitewater_ledger *ledger, sp_error *err)
{
    const sp_tiles *tiles = e->moment->tiles;
    sp_scratch *scratch = &e->s->scratch;
    e->kappa = sp_scratch_array(scratch, float, tiles->count *SP_TILE_VOXELS);
    e->first = sp_scratch_array(scratch, uint32_t, tiles->count);
    if (!e->kappa || !e->first)
        return sp_fail(err, SP_NO_MEMORY, "whitewater: no memory for %zu tiles", tiles->count);
    sp_levelset_curvature(tiles, e->moment->phi, e->moment->band, 1.0f, e->kappa);
    sp_tiles_parallel(tiles, count_tiles, e);
    const size_t n = sp_scan(e->first, tiles->count);
    SP_TRY(whitewater_set_reserve(e->d.set, n, err));
    sp_particles_append(&e->d.set->set, n);
    e->d.fate = sp_scratch_array(scratch, uint8_t, n);
    if (!e->d.fate) return sp_fail(err, SP_NO_MEMORY, "whitewater: no memory for %zu drops", n);
    sp_tiles_parallel(tiles, place_drops, e);
    return let_in(e, spray, next_id, ledger, err);
}

sp_status surface_emit_crests(whitewater_surface *s, const whitewater_world *world,
                              whitewater_set *spray, uint64_t *next_id, whitewater_ledger *ledger,
                              sp_error *err)
{
    const double t = world->t + world->dt;
    emitting e = {.s = s, .world = world, .d = {.s = s, .world = world}};
    if (!s->spray.on || !(s->spray.rate > 0.0f) || world->bulk->answer) return SP_OK;
    SP_TRY(sp_bulk_view_at(world->bulk, t, &e.d.water, err));
    const sp_bulk_moment *before = e.d.water.before, *after = e.d.water.after;
    e.moment = after->time - t <= t - before->time ? after : before;
    e.d.set = &s->moving[WHITEWATER_SPRAY];
    return emit(&e, spray, next_id, ledger, err);
}

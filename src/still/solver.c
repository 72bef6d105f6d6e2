// SPDX-License-Identifier: Apache-2.0
/// The still life as a Spume solver: everything is placed at open, and a step only advances the
/// time.
#include "shapes/world.h"
#include "still/internal.h"

#include <math.h>
#include <string.h>

enum { SETS = 2, FIELDS = 1, STATS = 3, BAND = 4 };

typedef struct still_solver {
    const sp_host *host;
    sp_still_def def; ///< its lists are read at open only
    double time;
    sp_published points[SETS]; ///< bubbles, foam
    sp_tiles tiles;
    float *surface;
    sp_column columns[SETS][SP_PUBLISHED_COLUMNS];
    sp_set sets[SETS];
    sp_field fields[FIELDS];
    sp_stat stats[STATS];
    uint64_t hash; ///< of everything that was placed
} still_solver;

static void solver_close(void *solver)
{
    still_solver *s = solver;
    if (!s) return;
    for (int k = 0; k < SETS; ++k)
        sp_published_close(&s->points[k]);
    sp_release(s->host, s->surface);
    sp_tiles_close(&s->tiles);
    sp_release(s->host, s);
}

/// ---- The water's level set --------------------------------------------------------------------

static void fill_tiles(void *arg, size_t begin, size_t end)
{
    still_solver *s = arg;
    const float h = s->tiles.voxel, band = BAND * h;
    for (size_t t = begin; t < end; ++t)
        for (int place = 0; place < SP_TILE_VOXELS; ++place) {
            const int32_t *at = s->tiles.at[t];
            const sp_vec3 p = {((float)(8 * at[0] + (place & 7)) + 0.5f) * h,
                               ((float)(8 * at[1] + ((place >> 3) & 7)) + 0.5f) * h,
                               ((float)(8 * at[2] + (place >> 6)) + 0.5f) * h};
            s->surface[SP_TILE_VOXELS * t + (size_t)place] =
                sp_clamp(still_water_distance(&s->def.water, p), -band, band);
        }
}

static void tile_range(const sp_still_def *def, int32_t low[3], int32_t high[3])
{
    for (int c = 0; c < 3; ++c) {
        const float grow = BAND * def->voxel + (c == 1 ? 2.0f * def->water.ripple : 0.0f);
        low[c] = (int32_t)floorf((def->water.min[c] - grow) / (8.0f * def->voxel));
        high[c] = (int32_t)floorf((def->water.max[c] + grow) / (8.0f * def->voxel));
    }
}

static double tile_count(const sp_still_def *def)
{
    double count = 1.0;
    for (int c = 0; c < 3; ++c)
        count *= (double)(def->water.max[c] - def->water.min[c]) / (8.0 * (double)def->voxel) + 3.0;
    return count;
}

static sp_status make_surface(still_solver *s, sp_error *err)
{
    int32_t low[3], high[3];
    tile_range(&s->def, low, high);
    const size_t n = (size_t)(high[0] - low[0] + 1) * (size_t)(high[1] - low[1] + 1) *
                     (size_t)(high[2] - low[2] + 1);
    int32_t(*at)[3] = sp_allocate(s->host, n, sizeof *at);
    if (!at) return sp_fail(err, SP_NO_MEMORY, "still: no memory for %zu tiles", n);
    size_t t = 0;
    for (int32_t z = low[2]; z <= high[2]; ++z)
        for (int32_t y = low[1]; y <= high[1]; ++y)
            for (int32_t x = low[0]; x <= high[0]; ++x, ++t)
                memcpy(at[t], (int32_t[3]){x, y, z}, sizeof *at);
    const sp_status status =
        sp_tiles_open(&s->tiles, s->host, s->def.voxel, (const int32_t(*)[3])at, n, err);
    sp_release(s->host, at);
    SP_TRY(status);
    s->surface = sp_tiles_field(&s->tiles, 0.0f);
    if (!s->surface) return sp_fail(err, SP_NO_MEMORY, "still: no memory for %zu tiles", n);
    sp_parallel(s->host, s->tiles.count, 16, fill_tiles, s);
    return SP_OK;
}

/// ---- Open -------------------------------------------------------------------------------------

static sp_status place_all(still_solver *s, uint64_t seed, sp_error *err)
{
    const sp_still_def *def = &s->def;
    bool good = true;
    for (size_t i = 0; good && i < def->hero_count; ++i)
        good = still_fill_hero(def, i, seed, &s->points[0]);
    for (size_t i = 0; good && i < def->plume_count; ++i)
        good = still_fill_plume(def, i, seed, &s->points[0]);
    for (size_t i = 0; good && i < def->raft_count; ++i)
        good = still_fill_raft(def, i, seed, &s->points[1]);
    return good ? SP_OK : sp_fail(err, SP_NO_MEMORY, "still: no memory for the bubbles");
}

static void describe(still_solver *s)
{
    static const char *const names[SETS] = {"bubbles", "foam"};
    s->hash = sp_hash(0, s->surface, s->tiles.count * SP_TILE_VOXELS * sizeof *s->surface);
    for (int k = 0; k < SETS; ++k) {
        const sp_published *p = &s->points[k];
        s->sets[k] = sp_published_set(p, names[k], s->columns[k], NULL, 0);
        s->hash = sp_hash(s->hash, p->position, p->count * sizeof *p->position);
        s->hash = sp_hash(s->hash, p->radius, p->count * sizeof *p->radius);
        s->stats[k] = (sp_stat){names[k], (double)p->count};
    }
    s->stats[2] = (sp_stat){"water_m3", sp_levelset_volume(&s->tiles, s->surface)};
    s->fields[0] = (sp_field){.name = "surface",
                              .layout = SP_FIELD_TILES,
                              .components = 1,
                              .values = s->surface,
                              .tiles = &s->tiles.at[0][0],
                              .tile_count = s->tiles.count};
}

static sp_status solver_open(const sp_setup *setup, const sp_host *host, void **out, sp_error *err)
{
    *out = NULL;
    still_solver *s = sp_allocate(host, 1, sizeof *s);
    if (!s) return sp_fail(err, SP_NO_MEMORY, "still: no memory for the solver");
    s->host = host;
    s->def = *(const sp_still_def *)setup->def;
    for (int k = 0; k < SETS; ++k)
        s->points[k].host = host;
    sp_status status = make_surface(s, err);
    if (status == SP_OK) status = place_all(s, setup->seed, err);
    if (status == SP_OK) describe(s);
    if (status == SP_OK)
        *out = s;
    else
        solver_close(s);
    return status;
}

/// ---- The rest of a solver ---------------------------------------------------------------------

static sp_status solver_step(void *solver, double t_end, sp_error *err)
{
    (void)err;
    ((still_solver *)solver)->time = t_end;
    return SP_OK;
}

static sp_status solver_publish(void *solver, sp_frame *frame, sp_error *err)
{
    (void)err;
    still_solver *s = solver;
    frame->time = s->time;
    frame->voxel = (double)s->def.voxel;
    frame->hash = sp_hash(s->hash, &s->time, sizeof s->time);
    frame->sets = s->sets;
    frame->set_count = SETS;
    frame->fields = s->fields;
    frame->field_count = FIELDS;
    frame->stats = s->stats;
    frame->stat_count = STATS;
    return SP_OK;
}

static sp_status solver_save(const void *solver, sp_blob *blob, sp_error *err)
{
    const still_solver *s = solver;
    sp_blob_put(blob, &s->time, sizeof s->time);
    return blob->failed ? sp_fail(err, SP_NO_MEMORY, "still: no memory to save the time") : SP_OK;
}

static sp_status solver_restore(void *solver, sp_blob *blob, sp_error *err)
{
    still_solver *s = solver;
    sp_blob_get(blob, &s->time, sizeof s->time);
    return blob->failed ? sp_fail(err, SP_DAMAGED, "still: the saved state is too short") : SP_OK;
}

static sp_status check_radii(const char *list, size_t i, float smallest, float largest,
                             sp_error *err)
{
    if (smallest <= largest) return SP_OK;
    return sp_fail(err, SP_BAD_INPUT,
                   "still.%s[%zu].smallest: %g m; expected at most largest, %g m", list, i,
                   (double)smallest, (double)largest);
}

/// Bubbles that are placed at most: of plumes, rafts and heroes.
static double most_points(const sp_still_def *d)
{
    double points = 0.0;
    for (size_t i = 0; i < d->plume_count; ++i)
        points += (double)d->plumes[i].count;
    for (size_t i = 0; i < d->raft_count; ++i)
        points += (double)d->rafts[i].count;
    for (size_t i = 0; i < d->hero_count; ++i)
        points += 4.2 * pow((double)(2.0f * d->heroes[i].radius / d->voxel), 3.0);
    return points;
}

static sp_status check_count(const sp_still_def *d, sp_error *err)
{
    const double points = most_points(d), most = 2e7; // half a minute, 2 GB
    if (points <= most) return SP_OK;
    return sp_fail(err, SP_BAD_INPUT,
                   "still: %.3g bubbles in plumes, rafts and heroes (at half a voxel); expected at "
                   "most %g in all",
                   points, most);
}

static sp_status solver_check(const sp_setup *setup, sp_error *err)
{
    const sp_still_def *d = setup->def;
    SP_TRY(check_count(d, err));
    for (int c = 0; c < 3; ++c)
        if (!(d->water.min[c] < d->water.max[c]))
            return sp_fail(err, SP_BAD_INPUT,
                           "still.water.max: %g m along axis %d; expected more than min, %g m",
                           (double)d->water.max[c], c, (double)d->water.min[c]);
    for (int c = 0; c < 3; ++c)
        if (!(fmaxf(fabsf(d->water.min[c]), fabsf(d->water.max[c])) <
              8.0f * d->voxel * (float)(SP_TILES_REACH - 8)))
            return sp_fail(err, SP_BAD_INPUT,
                           "still.voxel: %g m is too small for water that reaches to %g m",
                           (double)d->voxel, (double)d->water.max[c]);
    for (size_t i = 0; i < d->plume_count; ++i)
        SP_TRY(check_radii("plumes", i, d->plumes[i].smallest, d->plumes[i].largest, err));
    for (size_t i = 0; i < d->raft_count; ++i)
        SP_TRY(check_radii("rafts", i, d->rafts[i].smallest, d->rafts[i].largest, err));
    return SP_OK;
}

static double solver_estimate(const sp_setup *setup)
{
    const sp_still_def *d = setup->def;
    // Arrays grow by doubling; the frame's file takes each point and tile once more.
    return (72.0 + 36.0) * most_points(d) + (2300.0 + 2060.0) * tile_count(d) + 5e5;
}

const sp_solver_type sp_still_solver = {
    .name = "still",
    .about = "water, large and small bubbles and foam, placed and never moving: for pictures",
    .paper = "none: it is no physics",
    .keys = &sp_still_keys,
    .grain = "still.voxel",
    .uses = SP_USES_COLLIDERS, // drawn only
    .check = solver_check,
    .estimate = solver_estimate,
    .open = solver_open,
    .step = solver_step,
    .publish = solver_publish,
    .save = solver_save,
    .restore = solver_restore,
    .close = solver_close,
};

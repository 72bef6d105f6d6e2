// SPDX-License-Identifier: Apache-2.0
/// 2  What particles fill at faces (WSB25, 30 to 32), and the share of water at particles:
///
///     fill  = sum V_q w / (V_face v)            v: the part of the face's volume that solids leave open
///     mass  = sum rho_q V_q w / (V_face v)      so that mass/fill is the density of what is there
///     share = min(fill, max_fraction)
///
///     place = the same sum of the volumes that particles stand for (particles.place)
///
/// and where fill is below 1e-6 there is none.
#include "bubbles/internal.h"

typedef struct filling {
    bubbles *s;
    float *volume, *mass, *place; ///< by particle: over the volume of a voxel
} filling;

static void weigh_particles(void *arg, size_t begin, size_t end)
{
    const filling *f = arg;
    const bubbles_particles *p = &f->s->particles;
    const float h = f->s->grid.voxel, per_voxel = 1.0f / (h * h * h);
    SP_VECTOR_LOOP
    for (size_t i = begin; i < end; ++i) {
        const float volume = bubbles_volume_of(p, i) * per_voxel;
        f->volume[i] = volume;
        f->mass[i] = p->density[i] * volume;
        if (f->place) f->place[i] = p->place[i] > 0.0f ? p->place[i] * per_voxel : volume;
    }
}

static void clear_tiles(void *arg, size_t begin, size_t end)
{
    const bubbles_grid *g = &((const filling *)arg)->s->grid;
    const size_t bytes = (end - begin) * SP_TILE_VOXELS * sizeof(float);
    for (int a = 0; a < 3; ++a) {
        memset(g->fill[a] + begin * SP_TILE_VOXELS, 0, bytes);
        memset(g->mass[a] + begin * SP_TILE_VOXELS, 0, bytes);
        memset(g->place[a] + begin * SP_TILE_VOXELS, 0, bytes);
        memset(g->share[a] + begin * SP_TILE_VOXELS, 0, bytes);
    }
}

/// ---- Faces -------------------------------------------------------------------------------------

void bubbles_open_volume(const bubbles *s, uint32_t t, int axis, float volume[SP_TILE_VOXELS])
{
    static const int step[3] = {1, 9, 81};
    sp_tile_fill(volume, 1.0f);
    if (!s->has_solids || !sp_flow_is_cut(&s->solids, t)) return;
    const sp_solid_tile *cut = &s->solids.tile[s->solids.row[t]];
    const int b = step[(axis + 1) % 3], c = step[(axis + 2) % 3];
    for (int n = 0; n < SP_TILE_VOXELS; ++n) {
        const float *corner = cut->psi + (n & 7) + 9 * (n >> 3 & 7) + 81 * (n >> 6);
        // The face's volume reaches half a voxel to both sides. The mean distance at the face tells how
        // much of that is open, for a flat wall of any direction to within a few percent.
        const float psi = 0.25f * (corner[0] + corner[b] + corner[c] + corner[b + c]);
        volume[n] = sp_clamp(0.5f + psi / s->grid.voxel, 0.2f, 1.0f);
    }
}

static void clamp_faces(const bubbles *s, uint32_t t, int axis)
{
    const bubbles_grid *g = &s->grid;
    const size_t first = (size_t)t * SP_TILE_VOXELS;
    float *restrict fill = g->fill[axis] + first, *restrict mass = g->mass[axis] + first,
                    *restrict share = g->share[axis] + first,
                    *restrict place = g->place[axis] + first;
    const float most = s->def.max_fraction;
    float volume[SP_TILE_VOXELS];
    bubbles_open_volume(s, t, axis, volume);
    for (int n = 0; n < SP_TILE_VOXELS; ++n) {
        const float all = fill[n] / volume[n];
        const bool some = all >= BUBBLES_EMPTY;
        fill[n] = some ? all : 0.0f;
        mass[n] = some ? mass[n] / volume[n] : 0.0f;
        place[n] = some ? place[n] / volume[n] : 0.0f;
        share[n] = all < most ? fill[n] : most;
    }
}

static void clamp_tiles(void *arg, size_t begin, size_t end)
{
    const bubbles *s = ((const filling *)arg)->s;
    for (size_t t = begin; t < end; ++t)
        for (int a = 0; bubbles_is_busy(&s->grid, t) && a < 3; ++a)
            clamp_faces(s, (uint32_t)t, a);
}

void bubbles_mean_of_faces(const sp_tiles *tiles, float *const field[3], uint32_t t,
                           float out[SP_TILE_VOXELS])
{
    sp_tile_fill(out, 0.0f);
    for (int axis = 0; axis < 3; ++axis) {
        const float *restrict low = field[axis] + (size_t)t * SP_TILE_VOXELS;
        float high[SP_TILE_VOXELS];
        sp_tiles_shift(tiles, field[axis], t, axis, 1, 0.0f, high);
        for (int n = 0; n < SP_TILE_VOXELS; ++n)
            out[n] += (low[n] + high[n]) * (1.0f / 6.0f);
    }
}

/// ---- Water at particles ------------------------------------------------------------------------

static void take_rest(void *arg, size_t begin, size_t end)
{
    const bubbles *s = arg;
    for (int a = 0; a < 3; ++a) {
        float *restrict share = s->at.share[a];
        for (size_t i = begin; i < end; ++i)
            share[i] = sp_clamp(1.0f - share[i], 0.0f, 1.0f);
    }
}

static sp_status rasterise(bubbles *s, filling *f, sp_error *err)
{
    bubbles_grid *g = &s->grid;
    bubbles_raster raster = {0};
    for (int a = 0; a < 3; ++a) {
        float *const from[] = {f->volume, f->mass, f->place};
        float *const to[] = {g->fill[a], g->mass[a], f->place ? g->place[a] : NULL};
        memcpy(raster.from[a], from, sizeof from);
        memcpy(raster.to[a], to, sizeof to);
    }
    sp_parallel(s->host, s->particles.set.count, BUBBLES_GRAIN, weigh_particles, f);
    sp_tiles_parallel(&g->tiles, clear_tiles, f);
    memset(g->plain, 0, g->tiles.count);
    SP_TRY(s->basis->rasterise(s, &raster, g->busy, err));
    sp_tiles_parallel(&g->tiles, clamp_tiles, f);
    SP_TRY(s->basis->interpolate(s, g->share, s->at.share, err));
    sp_parallel(s->host, s->particles.set.count, BUBBLES_GRAIN, take_rest, s);
    return SP_OK;
}

sp_status bubbles_fractions(bubbles *s, sp_error *err)
{
    const size_t n = s->particles.set.count + SP_LANES;
    const sp_scratch_mark mark = sp_scratch_here(&s->scratch);
    filling f = {s, sp_scratch_array(&s->scratch, float, n),
                 sp_scratch_array(&s->scratch, float, n),
                 s->places ? sp_scratch_array(&s->scratch, float, n) : NULL};
    const sp_status status =
        f.volume && f.mass && (f.place || !s->places)
            ? rasterise(s, &f, err)
            : sp_fail(err, SP_NO_MEMORY, "bubbles: no memory for %zu particles", n);
    sp_scratch_rewind(&s->scratch, mark);
    return status;
}

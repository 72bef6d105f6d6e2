// SPDX-License-Identifier: Apache-2.0
/// Advects the water (MacCormack, flow/advect.h), and gives a velocity to the faces that no solve
/// gives one: at the border of the tiles and in solids.
#include "bubbles/internal.h"

/// ---- Advection ---------------------------------------------------------------------------------

sp_status bubbles_advect_water(bubbles *s, double dt, sp_error *err)
{
    bubbles_grid *g = &s->grid;
    const size_t tiles = g->tiles.count;
    if (tiles == 0) return SP_OK; // no particle has come yet, and there are no arrays
    const sp_scratch_mark mark = sp_scratch_here(&s->scratch);
    sp_tile_mask *all = sp_scratch_array(&s->scratch, sp_tile_mask, tiles + 1);
    if (!all) return sp_fail(err, SP_NO_MEMORY, "bubbles: no memory to advect %zu tiles", tiles);
    memset(all, 0xff, tiles * sizeof *all); // every face has a velocity
    const sp_tile_mask *known = (const sp_tile_mask *)all;
    const sp_flow_advection advection = {
        .tiles = &g->tiles,
        .u = {g->u[0], g->u[1], g->u[2]},
        .known = {known, known, known},
        .faces = {g->u[0], g->u[1], g->u[2]},
        .outside = &s->ambient.sampler,
    };
    const sp_status status = sp_flow_advect(&advection, dt, g->u0, NULL, &s->scratch, err);
    sp_scratch_rewind(&s->scratch, mark);
    for (int a = 0; a < 3 && status == SP_OK; ++a)
        memcpy(g->u[a], g->u0[a], tiles * SP_TILE_VOXELS * sizeof(float));
    return status;
}

/// ---- The border of the tiles -------------------------------------------------------------------

typedef struct extending {
    const bubbles_grid *g;
    const sp_flow_solids *solids;
    float *const *u;
    sp_tile_mask *known[3];
} extending;

/// The outermost faces of an axis are beside one cell only. They take the value of the next face.
static void copy_outward(const extending *e, size_t t, int axis)
{
    static const int step[3] = {1, SP_TILE, SP_TILE * SP_TILE};
    float *u = e->u[axis] + t * SP_TILE_VOXELS;
    const int b = step[(axis + 1) % 3], c = step[(axis + 2) % 3];
    for (int j = 0; j < SP_TILE; ++j)
        for (int i = 0; i < SP_TILE; ++i)
            u[i * b + j * c] = u[i * b + j * c + step[axis]];
}

static void copy_at_border(void *arg, size_t begin, size_t end)
{
    static const int beside[3] = {1, 3, 9}; // steps in the table of neighbours
    const extending *e = arg;
    for (size_t t = begin; t < end; ++t)
        for (int a = 0; a < 3; ++a)
            if (e->g->tiles.around[t][SP_TILES_SELF - beside[a]] == SP_NO_TILE)
                copy_outward(e, t, a);
}

void bubbles_copy_outward(const bubbles *s, float *const u[3])
{
    extending e = {.g = &s->grid, .u = u};
    sp_tiles_parallel(&s->grid.tiles, copy_at_border, &e);
}

/// ---- Solids ------------------------------------------------------------------------------------

/// Faces that are open have a velocity of their own.
static void find_open(void *arg, size_t begin, size_t end)
{
    const extending *e = arg;
    for (size_t t = begin; t < end; ++t)
        for (int a = 0; a < 3; ++a) {
            const bool solid = sp_flow_is_solid(e->solids, t);
            memset(e->known[a][t], solid ? 0 : 0xff, sizeof(sp_tile_mask));
            if (!sp_flow_is_cut(e->solids, t)) continue;
            const float *open = e->solids->tile[e->solids->row[t]].open[a];
            for (int n = 0; n < SP_TILE_VOXELS; ++n)
                if (open[n] <= 0.0f) e->known[a][t][n >> 6] &= ~((uint64_t)1 << (n & 63));
        }
}

/// Layers of faces in solids that interpolation and advection near walls read.
enum { LAYERS = 3 };

static sp_status extend_into_solids(bubbles *s, extending *e, bool solid, sp_error *err)
{
    const sp_tiles *tiles = &s->grid.tiles;
    for (int a = 0; a < 3; ++a) {
        e->known[a] = sp_scratch_array(&s->scratch, sp_tile_mask, tiles->count + 1);
        if (!e->known[a])
            return sp_fail(err, SP_NO_MEMORY, "bubbles: no memory for %zu tiles", tiles->count);
    }
    sp_tiles_parallel(tiles, find_open, e);
    SP_TRY(sp_tiles_extrapolate_faces(tiles, e->u, e->known, LAYERS, err));
    return solid ? sp_flow_constrain(tiles, &s->solids, e->u, &s->scratch, err) : SP_OK;
}

sp_status bubbles_extend(bubbles *s, float *const u[3], bool solid, sp_error *err)
{
    extending e = {.g = &s->grid, .solids = &s->solids, .u = u};
    bubbles_copy_outward(s, u);
    if (!s->has_solids) return SP_OK;
    const sp_scratch_mark mark = sp_scratch_here(&s->scratch);
    const sp_status status = extend_into_solids(s, &e, solid, err);
    sp_scratch_rewind(&s->scratch, mark);
    return status;
}

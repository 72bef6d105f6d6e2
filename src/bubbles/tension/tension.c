// SPDX-License-Identifier: Apache-2.0
/// Surface tension as a force on faces and on particles (WSB25 section 5.4).
///
///     shares of cells, without single cells of air     (41), section 5.4.1
///     their curvature
///     f on faces                                       (42)
///     no net force on a pocket                         (43 to 45)
///     f at particles                                   (46)
///
/// Equation 46 is printed with a factor phi_c = phi_b/fill. But the gradient of the pressure at
/// particles (35) has none, and where particles crowd the two must balance: with the factor the
/// inside of a bubble was pushed out (its radius grew by a third in 40 substeps). So it is left
/// out, unless `clamp_on_particles`.
#include "bubbles/tension/tension.h"

/// ---- Without forces ----------------------------------------------------------------------------

typedef struct clearing {
    const bubbles_grid *grid;
    bool all; ///< else busy tiles alone
} clearing;

static void clear_tiles(void *arg, size_t begin, size_t end)
{
    const clearing *c = arg;
    for (size_t t = begin; t < end; ++t)
        for (int axis = 0; axis < 3; ++axis)
            if (c->all || bubbles_is_busy(c->grid, t))
                sp_tile_fill(c->grid->force[axis] + t * SP_TILE_VOXELS, 0.0f);
}

static void clear(bubbles *s, bool all)
{
    sp_tiles_parallel(&s->grid.tiles, clear_tiles, &(clearing){&s->grid, all});
    for (int axis = 0; axis < 3; ++axis)
        memset(s->at.force[axis], 0, s->particles.set.count * sizeof(float));
}

/// ---- At particles ------------------------------------------------------------------------------

typedef struct clamping {
    const bubbles_grid *grid;
    float *force[3];
} clamping;

static void clamp_tiles(void *arg, size_t begin, size_t end)
{
    const clamping *c = arg;
    for (int axis = 0; axis < 3; ++axis) {
        const float *restrict force = c->grid->force[axis], *restrict share = c->grid->share[axis],
                              *restrict fill = c->grid->fill[axis];
        float *restrict out = c->force[axis];
        for (size_t i = begin * SP_TILE_VOXELS; i < end * SP_TILE_VOXELS; ++i)
            out[i] = force[i] * (fill[i] > 0.0f ? share[i] / fill[i] : 1.0f);
    }
}

/// f at particles as printed in (46).
static sp_status interpolate_clamped(bubbles *s, sp_error *err)
{
    const sp_tiles *tiles = &s->grid.tiles;
    clamping c = {.grid = &s->grid};
    for (int axis = 0; axis < 3; ++axis)
        c.force[axis] = sp_scratch_array(&s->scratch, float, tiles->count *SP_TILE_VOXELS);
    if (!c.force[0] || !c.force[1] || !c.force[2])
        return sp_fail(err, SP_NO_MEMORY, "bubbles: no memory for the tension of %zu tiles",
                       tiles->count);
    sp_tiles_parallel(tiles, clamp_tiles, &c);
    return s->basis->interpolate(s, c.force, s->at.force, err);
}

/// ---- All together ------------------------------------------------------------------------------

static sp_status find_forces(bubbles *s, sp_error *err)
{
    tension_work w = {.s = s};
    SP_TRY(bubbles_find_air(s, &w.air, err));
    SP_TRY(bubbles_find_pockets(s, &w.air, &w.pockets, err));
    s->figures.pockets = w.pockets.large_count;
    if (w.pockets.large_count == 0) {
        clear(s, true);
        return SP_OK;
    }
    SP_TRY(bubbles_filter_fractions(&w, err));
    SP_TRY(bubbles_find_curvature(&w, err));
    SP_TRY(bubbles_find_face_forces(&w, err));
    SP_TRY(bubbles_remove_drift(&w, err));
    return s->def.tension.clamp_on_particles
               ? interpolate_clamped(s, err)
               : s->basis->interpolate(s, s->grid.force, s->at.force, err);
}

sp_status bubbles_tension(bubbles *s, sp_error *err)
{
    const sp_scratch_mark mark = sp_scratch_here(&s->scratch);
    sp_status status = SP_OK;
    s->figures.pockets = 0;
    if (s->def.tension.coefficient > 0.0f)
        status = find_forces(s, err);
    else
        clear(s, false);
    sp_scratch_rewind(&s->scratch, mark);
    return status;
}

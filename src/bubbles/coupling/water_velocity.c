// SPDX-License-Identifier: Apache-2.0
/// f, g  The velocity of water before the pressure solve, and with it the flux and the compliance of the
/// mixture. The water of a face obeys, per volume of water (WSB25, 23),
///
///     rho_w (u - u0)/dt = rho_w g - D - K (u - u_n) + f - grad p
///
/// where D and K are of the present iterate u_n. For the pressure p_n of the last iterate this gives
///
///     u~ = u_n + ((dt/rho_w)(f - D) - grad q_n + u0 - u_n)/(1 + dt K/rho_w)
///
/// and the solve then replaces grad q_n by grad q: u = u~ + grad q_n - grad q. (As printed, the pressure
/// is not divided by 1 + dt K/rho_w although weight is, and a cloud as heavy as water rises.)
#include "bubbles/guided/internal.h"

struct predicting;
/// Predicts the faces of an axis of a busy tile, and mixes them.
typedef void predict_faces(const struct predicting *w, size_t first, int axis);

typedef struct predicting {
    bubbles *s;
    predict_faces *faces;
    float dt;
    float fall[3]; ///< m/s; what gravity adds in dt
} predicting;

/// The mixture's flux and compliance over that of free water: particles' share times theirs, and the
/// rest. `loose`: compliance of water; NULL: 1.
SP_INLINE void mix(const bubbles_grid *g, size_t first, int axis, const float *loose)
{
    const float *restrict share = g->share[axis] + first, *restrict ub = g->ub[axis] + first,
                          *restrict soft = g->soft[axis] + first, *restrict u = g->u[axis] + first;
    float *restrict flux = g->flux[axis] + first, *restrict beta = g->beta[axis] + first;
    for (int n = 0; n < SP_TILE_VOXELS; ++n) {
        const float water = 1.0f - share[n];
        flux[n] = share[n] * ub[n] + water * u[n];
        beta[n] = share[n] * soft[n] + (loose ? water * loose[n] : water);
    }
}

/// u0 - u_n + (dt/rho_w)(f - D): what acts on water but pressure and weight.
SP_INLINE float push_at(const bubbles_grid *g, size_t n, int axis, float by)
{
    return by * (g->force[axis][n] - g->drag[axis][n]) + (g->u0[axis][n] - g->u[axis][n]);
}

static void predict_ours(const predicting *w, size_t first, int axis)
{
    const bubbles_grid *g = &w->s->grid;
    const float *gradient = g->gradient[axis], *slope = g->slope[axis];
    float *u = g->u[axis];
    const float by = w->dt / w->s->def.density;
    SP_VECTOR_LOOP
    for (size_t n = first; n < first + SP_TILE_VOXELS; ++n)
        u[n] += (push_at(g, n, axis, by) - gradient[n]) / (1.0f + by * slope[n]) + gradient[n];
    mix(g, first, axis, NULL);
}

/// m/s; what the pressure that q lacks takes off weight: all of it in still water, dt (g - a_B) in water that
/// follows a bulk.
typedef struct held_weight {
    float fall;
    const float *lift; ///< by face of the tile
} held_weight;

static held_weight held_of(const predicting *w, size_t first, int axis)
{
    static const float none[SP_TILE_VOXELS];
    const bubbles_guide *guide = w->s->guide;
    return (held_weight){w->fall[axis], guide ? guide->fall[axis] + first : none};
}

/// q lacks the pressure of still water, so what weight adds is taken off whole.
static void predict_as_printed(const predicting *w, size_t first, int axis)
{
    const bubbles_grid *g = &w->s->grid;
    const float *slope = g->slope[axis];
    float *u = g->u[axis];
    const float by = w->dt / w->s->def.density;
    const held_weight held = held_of(w, first, axis);
    SP_VECTOR_LOOP
    for (size_t n = first; n < first + SP_TILE_VOXELS; ++n) {
        const float fall = held.fall - held.lift[n - first];
        u[n] += (push_at(g, n, axis, by) + fall) / (1.0f + by * slope[n]) - fall;
    }
    mix(g, first, axis, NULL);
}

/// All terms are divided by rho*, the pressure of the solve too: weight and the pressure of still water
/// cancel.
static void predict_inertia(const predicting *w, size_t first, int axis)
{
    const bubbles_grid *g = &w->s->grid;
    float *u = g->u[axis], *slope = g->slope[axis];
    const float by = w->dt / w->s->def.density;
    SP_VECTOR_LOOP
    for (size_t n = first; n < first + SP_TILE_VOXELS; ++n) {
        slope[n] = 1.0f / (1.0f + by * slope[n]);
        u[n] += push_at(g, n, axis, by) * slope[n];
    }
    mix(g, first, axis, g->slope[axis] + first);
}

/// Only the pressure of the solve is divided by rho*: the rest of weight stays.
static void predict_restated(const predicting *w, size_t first, int axis)
{
    const bubbles_grid *g = &w->s->grid;
    float *u = g->u[axis], *slope = g->slope[axis];
    const float by = w->dt / w->s->def.density;
    const held_weight held = held_of(w, first, axis);
    SP_VECTOR_LOOP
    for (size_t n = first; n < first + SP_TILE_VOXELS; ++n) {
        const float fall = held.fall - held.lift[n - first];
        slope[n] = 1.0f / (1.0f + by * slope[n]);
        u[n] += push_at(g, n, axis, by) + fall * (1.0f - slope[n]);
    }
    mix(g, first, axis, g->slope[axis] + first);
}

/// ---- Tiles -------------------------------------------------------------------------------------

/// Water alone has no drag, so its prediction is the same in all iterations of a substep. u is written after
/// the solve.
static void predict_alone(bubbles_grid *g, size_t t)
{
    const size_t first = t * SP_TILE_VOXELS;
    if (g->plain[t] && !g->in_liquid) return; // a liquid adds weight to it in each iteration
    g->plain[t] = 1;
    for (int a = 0; a < 3; ++a) {
        memcpy(g->flux[a] + first, g->u0[a] + first, SP_TILE_VOXELS * sizeof(float));
        sp_tile_fill(g->beta[a] + first, 1.0f);
    }
}

static void predict_mixed(const predicting *w, size_t t)
{
    const bubbles_grid *g = &w->s->grid;
    const size_t first = t * SP_TILE_VOXELS;
    for (int a = 0; a < 3; ++a) {
        memcpy(g->u_last[a] + first, g->u[a] + first, SP_TILE_VOXELS * sizeof(float));
        w->faces(w, first, a);
    }
}

static void predict_tiles(void *arg, size_t begin, size_t end)
{
    const predicting *w = arg;
    bubbles_grid *g = &w->s->grid;
    for (size_t t = begin; t < end; ++t)
        if (bubbles_is_busy(g, t))
            predict_mixed(w, t);
        else
            predict_alone(g, t);
}

static void predict(bubbles *s, predict_faces *faces, double dt)
{
    predicting w = {.s = s, .faces = faces, .dt = (float)dt};
    for (int a = 0; a < 3; ++a)
        w.fall[a] = (float)((double)s->gravity[a] * dt);
    sp_tiles_parallel(&s->grid.tiles, predict_tiles, &w);
}

void bubbles_predict_water(bubbles *s, double dt)
{
    predict(s, predict_ours, dt);
}

void bubbles_predict_water_as_printed(bubbles *s, double dt)
{
    predict(s, predict_as_printed, dt);
}

void bubbles_predict_water_inertia(bubbles *s, double dt)
{
    predict(s, predict_inertia, dt);
}

void bubbles_predict_water_restated(bubbles *s, double dt)
{
    predict(s, predict_restated, dt);
}

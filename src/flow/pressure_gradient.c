// SPDX-License-Identifier: Apache-2.0
/// Subtracts the pressure gradient from a velocity, and measures the divergence of a velocity.
#include "flow/pressure_side.h"

/// ---- Gradient ----------------------------------------------------------------------------------

typedef struct gradient_job {
    const sp_flow_equation *equation;
    const uint8_t *state; ///< by tile: 0 if it has no unknown; NULL: not known
    const float *x;
    const float *const *scale; ///< NULL: 1
    float *const *u;
    sp_tile_mask *const *touched;
} gradient_job;

/// A tile of a field that is not given. Loops read it instead of testing for NULL: compilers turn
/// the test into masked loads from near address 0, and each of those costs hundreds of cycles.
static const float zeros[SP_TILE_VOXELS];

/// Values one voxel below those of a tile along an axis.
typedef struct below_view {
    float level[SP_TILE_VOXELS], x[SP_TILE_VOXELS], open[SP_TILE_VOXELS];
    const float *fixed, *jump; ///< the arrays below, or zeros
    float fixed_room[SP_TILE_VOXELS], jump_room[SP_TILE_VOXELS];
} below_view;

/// A field one voxel below a tile: copied to `room`; zeros if it is not given.
static const float *look_at(const sp_flow_equation *e, const float *field, uint32_t t, int axis,
                            float room[SP_TILE_VOXELS])
{
    if (!field) return zeros;
    sp_tiles_shift(e->tiles, field, t, axis, -1, 0.0f, room);
    return room;
}

static void look_below(const sp_flow_equation *e, const float *x, uint32_t t, int axis,
                       below_view *v)
{
    sp_tiles_shift(e->tiles, e->level, t, axis, -1, e->level_outside, v->level);
    sp_tiles_shift(e->tiles, x, t, axis, -1, 0.0f, v->x);
    v->fixed = look_at(e, e->fixed, t, axis, v->fixed_room);
    v->jump = look_at(e, e->jump, t, axis, v->jump_room);
    float high[SP_TILE_VOXELS];
    sp_flow_load_fractions(e, t, axis, v->open, high);
}

/// The gradient at each low face: the difference between two unknowns, or between an unknown and
/// the point where x is known.
static void find_gradient(const sp_flow_equation *e, const float *restrict x, uint32_t t,
                          const below_view *restrict v, float *restrict gradient,
                          uint8_t *restrict touched)
{
    const size_t first = (size_t)t * SP_TILE_VOXELS;
    const float *restrict level = e->level + first;
    const float *fixed = e->fixed ? e->fixed + first : zeros, *fixed_below = v->fixed;
    const float *jump = e->jump ? e->jump + first : zeros, *jump_below = v->jump;
    const float jump_scale = e->jump_scale;
    x += first;
    for (int n = 0; n < SP_TILE_VOXELS; ++n) {
        const float c = level[n], m = v->level[n];
        const bool up = c < 0.0f, down = m < 0.0f;
        const float theta = sp_flow_theta(up ? c : m, up ? m : c);
        const float jump_c = jump[n], jump_m = jump_below[n], fixed_c = fixed[n],
                    fixed_m = fixed_below[n];
        const float inside = up ? jump_c : jump_m, outside = up ? jump_m : jump_c;
        const float at_fixed = up ? fixed_m : fixed_c;
        const float known = at_fixed + jump_scale * (inside + theta * (outside - inside));
        const float above = up ? x[n] : known, below = down ? v->x[n] : known;
        const float way = (up & down) ? 1.0f : theta;
        gradient[n] = (above - below) / way;
        touched[n] = (up | down) & (v->open[n] > 0.0f) & (c < INFINITY) & (m < INFINITY);
    }
}

static void update_faces(const gradient_job *j, uint32_t t, int axis)
{
    const sp_flow_equation *e = j->equation;
    below_view below;
    float gradient[SP_TILE_VOXELS];
    uint8_t touched[SP_TILE_VOXELS];
    look_below(e, j->x, t, axis, &below);
    find_gradient(e, j->x, t, &below, gradient, touched);
    float *restrict u = j->u[axis] + (size_t)t * SP_TILE_VOXELS;
    if (j->scale) {
        const float *restrict scale = j->scale[axis] + (size_t)t * SP_TILE_VOXELS;
        for (int n = 0; n < SP_TILE_VOXELS; ++n)
            gradient[n] *= scale[n];
    }
    for (int n = 0; n < SP_TILE_VOXELS; ++n)
        u[n] -= touched[n] ? gradient[n] : 0.0f;
    for (int k = 0; k < SP_TILE; ++k) {
        uint64_t bits = 0;
        for (int b = 0; b < 64; ++b)
            bits |= (uint64_t)touched[64 * k + b] << b;
        j->touched[axis][t][k] = bits;
    }
}

/// Whether a face of the tile may touch an unknown.
static bool any_unknown_near(const gradient_job *j, size_t t)
{
    static const int low[3] = {SP_TILES_SELF - 1, SP_TILES_SELF - 3, SP_TILES_SELF - 9};
    if (!j->state) return true;
    bool any = j->state[t] != 0;
    for (int a = 0; a < 3; ++a) {
        const uint32_t there = j->equation->tiles->around[t][low[a]];
        any |= there != SP_NO_TILE && j->state[there] != 0;
    }
    return any;
}

static void update_tiles(void *arg, size_t begin, size_t end)
{
    const gradient_job *j = arg;
    for (size_t t = begin; t < end; ++t) {
        const bool any = any_unknown_near(j, t);
        for (int axis = 0; axis < 3; ++axis)
            if (any)
                update_faces(j, (uint32_t)t, axis);
            else
                memset(j->touched[axis][t], 0, sizeof(sp_tile_mask));
    }
}

void sp_flow_subtract_gradient(const sp_flow_system *system, const float *x,
                               const float *const scale[3], float *const u[3],
                               sp_tile_mask *const touched[3])
{
    const sp_flow_equation *e = &system->equation;
    sp_tiles_parallel(e->tiles, update_tiles,
                      &(gradient_job){e, system->state, x, scale, u, touched});
}

void sp_flow_subtract_gradient_of(const sp_flow_equation *e, const float *x, float *const u[3],
                                  sp_tile_mask *const touched[3])
{
    sp_tiles_parallel(e->tiles, update_tiles, &(gradient_job){e, NULL, x, NULL, u, touched});
}

/// ---- Divergence --------------------------------------------------------------------------------

void sp_flow_divergence(const sp_flow_equation *e, uint32_t t, float out[SP_TILE_VOXELS])
{
    float open[SP_TILE_VOXELS] = {0}, excess[SP_TILE_VOXELS];
    memset(out, 0, SP_TILE_VOXELS * sizeof *out);
    for (int axis = 0; axis < 3; ++axis) {
        float low[SP_TILE_VOXELS], high[SP_TILE_VOXELS], solid[2][SP_TILE_VOXELS] = {{0}};
        float u[SP_TILE_VOXELS], up[SP_TILE_VOXELS];
        sp_flow_load_flux(e, e->flux[axis], t, axis, u, up);
        if (sp_flow_load_fractions(e, t, axis, low, high))
            sp_flow_solid_velocity(e->solids, e->tiles, t, axis, solid[0], solid[1]);
        for (int n = 0; n < SP_TILE_VOXELS; ++n) {
            const float a = low[n], b = high[n];
            open[n] += a + b;
            out[n] += b * up[n] + (1.0f - b) * solid[1][n] - a * u[n] - (1.0f - a) * solid[0][n];
        }
    }
    if (e->solids && sp_flow_solid_excess(e->solids, e->tiles, t, excess))
        for (int n = 0; n < SP_TILE_VOXELS; ++n)
            out[n] += excess[n];
    const float *level = e->level + (size_t)t * SP_TILE_VOXELS;
    for (int n = 0; n < SP_TILE_VOXELS; ++n)
        out[n] = level[n] < 0.0f && open[n] > 0.0f ? out[n] : 0.0f;
}

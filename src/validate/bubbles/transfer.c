// SPDX-License-Identifier: Apache-2.0
/// From particles to faces and back: sums and centres of weights, the momentum that drag exchanges, and
/// the power basis' bounds.
#include "bubbles/basis/power_state.h"
#include "validate/bubbles/proofs.h"

/// Random numbers of a particle or a face, in 0 ... 1.
static double draw(size_t n, uint32_t which)
{
    return (double)sp_unit(sp_random(7, which, n, 0, 0).x[0]);
}

/// ---- Weights -----------------------------------------------------------------------------------

enum { WEIGHED = 10000 };

/// Particles at random places in a box of 1 m, of an eighth of a voxel each.
static sp_status make_random(bubbles_case *c, int basis, const sp_host *host, bubbles **out,
                             sp_error *err)
{
    const float h = 1.0f / 16.0f, none[3] = {0};
    const float radius = h * (float)bubbles_ball_radius(0.125);
    bubbles_case_domain(c, h, 0.01, (const int[3]){0}, (const int[3]){16, 16, 16});
    c->def.basis = basis;
    SP_TRY(bubbles_case_open(c, host, out, err));
    for (uint32_t i = 0; i < WEIGHED; ++i) {
        const double at[3] = {16.0 * draw(i, 0), 16.0 * draw(i, 1), 16.0 * draw(i, 2)};
        SP_TRY(bubbles_case_add(*out, at, none, radius, 0.0f, err));
    }
    return SP_OK;
}

/// Sets a field on low faces of an axis: 1, or the coordinate `along` of the face, m.
static void set_faces(bubbles *s, float *field, int axis, int along)
{
    for (size_t t = 0; t < s->grid.tiles.count; ++t)
        for (int n = 0; n < SP_TILE_VOXELS; ++n) {
            const int in[3] = {n & 7, n >> 3 & 7, n >> 6};
            const double x = SP_TILE * s->grid.tiles.at[t][along < 0 ? 0 : along] +
                             in[along < 0 ? 0 : along] + (along == axis ? 0.0 : 0.5);
            field[t * SP_TILE_VOXELS + (size_t)n] =
                along < 0 ? 1.0f : (float)((double)s->grid.voxel * x);
        }
}

typedef struct weight_errors {
    double sum, place; ///< of 1, and of the particle's place over the box' side
    size_t held;       ///< particles that the power basis moved less far than to their centre
} weight_errors;

/// Whether the power basis stopped a particle half a voxel from where it was.
static bool is_held(const bubbles *s, size_t i)
{
    const power_state *p = s->power;
    double sum = 0.0;
    for (int a = 0; a < 3 && p; ++a)
        sum += pow((double)s->particles.x[a][i] - (double)p->x[a][i], 2.0);
    return sum > 0.2499;
}

static void compare_places(const bubbles *s, float *const out[3], int along, weight_errors *e)
{
    for (size_t t = 0; t < s->grid.tiles.count; ++t)
        for (size_t i = s->particles.start[t]; i < s->particles.start[t + 1]; ++i) {
            const float x[3] = {s->particles.x[0][i], s->particles.x[1][i], s->particles.x[2][i]};
            double p[3];
            bubbles_point(&s->grid, t, x, p);
            for (int axis = 0; axis < 3 && along < 0; ++axis)
                e->sum = fmax(e->sum, fabs((double)out[axis][i] - 1.0));
            if (along < 0) continue;
            if (is_held(s, i)) {
                e->held += along == 0;
                continue;
            }
            for (int axis = 0; axis < 3; ++axis)
                e->place = fmax(e->place, fabs((double)out[axis][i] - p[along]));
        }
}

static sp_status weigh(bubbles *s, weight_errors *e, sp_error *err)
{
    sp_scratch_mark mark;
    *e = (weight_errors){0};
    SP_TRY(bubbles_case_prepare(s, 0.01, &mark, err));
    for (int along = -1; along < 3; ++along) {
        for (int axis = 0; axis < 3; ++axis)
            set_faces(s, s->grid.u[axis], axis, along);
        SP_TRY(s->basis->interpolate(s, s->grid.u, s->at.water, err));
        compare_places(s, s->at.water, along, e);
    }
    sp_scratch_rewind(&s->scratch, mark);
    return SP_OK;
}

sp_status bubbles_prove_weights(sp_check_report *report, sp_error *err)
{
    static const char *const names[] = {"trilinear", "power"};
    for (int basis = SP_BUBBLES_TRILINEAR; basis <= SP_BUBBLES_POWER; ++basis) {
        bubbles_case c;
        bubbles *s = NULL;
        weight_errors e;
        sp_status status = make_random(&c, basis, report->host, &s, err);
        if (status == SP_OK) status = weigh(s, &e, err);
        bubbles_close(s);
        SP_TRY(status);
        sp_at_most(report,
                   sp_label(report, "sum of 10000 particles' weights - 1, %s", names[basis]), e.sum,
                   1e-6, "in floats");
        sp_at_most(
            report,
            sp_label(report, "centre of weights - place, over the box' side, %s", names[basis]),
            e.place, 1e-6, "in floats");
        if (basis == SP_BUBBLES_POWER)
            sp_reported(report, "particles that stop half a voxel short of their centre",
                        (double)e.held, "left out above");
    }
    return SP_OK;
}

/// ---- Drag --------------------------------------------------------------------------------------

/// Particles that fill faces up to three times (power: as densely as there is room), in a box of 8^3
/// voxels, with random velocities in water with another random velocity at each face.
static sp_status make_crowd(bubbles_case *c, int basis, const sp_host *host, bubbles **out,
                            sp_error *err)
{
    const float h = 0.02f;
    bubbles_case_domain(c, h, 0.01, (const int[3]){0}, (const int[3]){16, 16, 16});
    c->def.basis = basis;
    SP_TRY(bubbles_case_open(c, host, out, err));
    for (uint32_t i = 0; i < 4000; ++i) {
        const double at[3] = {4.0 + 8.0 * draw(i, 0), 4.0 + 8.0 * draw(i, 1),
                              4.0 + 8.0 * draw(i, 2)};
        const float v[3] = {(float)draw(i, 3) - 0.5f, (float)draw(i, 4), (float)draw(i, 5) - 0.5f};
        const double volume = basis == SP_BUBBLES_POWER ? 0.1 : 0.5 * draw(i, 6);
        SP_TRY(bubbles_case_add(*out, at, v, h * (float)bubbles_ball_radius(volume), 0.0f, err));
    }
    return SP_OK;
}

static void stir(bubbles *s)
{
    for (uint32_t a = 0; a < 3; ++a)
        for (size_t n = 0; n < s->grid.tiles.count * SP_TILE_VOXELS; ++n)
            s->grid.u[a][n] = (float)draw(n, 8 + a) - 0.5f;
}

typedef struct exchange {
    double off;     ///< difference of both sums over the sum of sizes, largest of three axes
    double fullest; ///< fill of a face
} exchange;

static exchange compare_sums(const bubbles *s)
{
    const double h = (double)s->grid.voxel;
    exchange e = {0};
    for (int a = 0; a < 3; ++a) {
        double water = 0.0, air = 0.0, size = 0.0;
        for (size_t n = 0; n < s->grid.tiles.count * SP_TILE_VOXELS; ++n) {
            if (!s->grid.busy[n / SP_TILE_VOXELS]) continue;
            water += h * h * h * (1.0 - (double)s->grid.share[a][n]) * (double)s->grid.drag[a][n];
            e.fullest = fmax(e.fullest, (double)s->grid.fill[a][n]);
        }
        for (size_t i = 0; i < s->particles.set.count; ++i) {
            const double force = (double)bubbles_volume(s->particles.radius[i]) *
                                 (double)s->at.share[a][i] * (double)s->at.drag[a][i];
            air += force;
            size += fabs(force);
        }
        e.off = fmax(e.off, fabs(water - air) / size);
    }
    return e;
}

static sp_status exchange_drag(bubbles *s, exchange *e, sp_error *err)
{
    const double dt = 0.01;
    sp_scratch_mark mark;
    SP_TRY(bubbles_case_prepare(s, dt, &mark, err));
    const float *const v[3] = {s->particles.v[0], s->particles.v[1], s->particles.v[2]};
    stir(s);
    sp_status status = bubbles_look_around(s, err);
    if (status == SP_OK) {
        bubbles_drag_at(s, v, true, dt);
        status = bubbles_rasterise_forces(s, dt, err);
    }
    if (status == SP_OK) *e = compare_sums(s);
    sp_scratch_rewind(&s->scratch, mark);
    return status;
}

sp_status bubbles_prove_exchange(sp_check_report *report, sp_error *err)
{
    static const char *const names[] = {"trilinear", "power"};
    for (int basis = SP_BUBBLES_TRILINEAR; basis <= SP_BUBBLES_POWER; ++basis) {
        bubbles_case c;
        bubbles *s = NULL;
        exchange e;
        sp_status status = make_crowd(&c, basis, report->host, &s, err);
        if (status == SP_OK) status = exchange_drag(s, &e, err);
        bubbles_close(s);
        SP_TRY(status);
        sp_at_most(
            report,
            sp_label(report, "drag on particles and on water do not cancel, %s", names[basis]),
            e.off, 1e-5, "over the sum of sizes; the same weights both ways, in floats");
        if (basis == SP_BUBBLES_TRILINEAR)
            sp_at_least(report, "fill of the fullest face", e.fullest, 3.0,
                        "so that the clamp of the share is at work");
    }
    return SP_OK;
}

/// ---- The power basis ---------------------------------------------------------------------------

typedef struct layout {
    const char *name;
    double jitter, spread; ///< of places (spacings; 1e9: at random) and of volumes
    int count;
    bool overfull;
} layout;

static const layout layouts[] = {
    {"lattice", 0.0, 0.0, 4096, false},       {"jittered", 1.0, 0.0, 4096, false},
    {"random", 1e9, 0.0, 4096, false},        {"mixed sizes", 1e9, 0.9, 4096, false},
    {"twice overfull", 1e9, 0.0, 8192, true},
};

/// A cube of 8^3 voxels that eight particles a voxel fill.
static sp_status make_layout(bubbles_case *c, const layout *l, const sp_host *host, bubbles **out,
                             sp_error *err)
{
    const float h = 0.01f, none[3] = {0};
    bubbles_case_domain(c, h, 0.01, (const int[3]){0}, (const int[3]){16, 16, 16});
    c->def.basis = SP_BUBBLES_POWER;
    c->def.power.iterations = 60;
    c->def.power.tolerance = 1e-6f;
    SP_TRY(bubbles_case_open(c, host, out, err));
    for (size_t i = 0; i < (size_t)l->count; ++i) {
        double at[3];
        for (uint32_t a = 0; a < 3; ++a) {
            const double place = 0.25 + 0.5 * (double)(i >> (4 * a) & 15);
            at[a] = 4.0 + (l->jitter < 1e9 ? place + 0.5 * l->jitter * (draw(i, a) - 0.5)
                                           : 8.0 * draw(i, a));
        }
        const double volume = 0.125 * (1.0 + l->spread * (2.0 * draw(i, 3) - 1.0));
        SP_TRY(bubbles_case_add(*out, at, none, h * (float)bubbles_ball_radius(volume), 0.0f, err));
    }
    return SP_OK;
}

static sp_status fill_layout(sp_check_report *report, const layout *l, bubbles *s, sp_error *err)
{
    sp_scratch_mark mark;
    double fullest = 0.0;
    SP_TRY(bubbles_case_prepare(s, 0.01, &mark, err));
    for (int a = 0; a < 3; ++a)
        for (size_t n = 0; n < s->grid.tiles.count * SP_TILE_VOXELS; ++n)
            fullest = fmax(fullest, (double)s->grid.fill[a][n]);
    const power_state *p = s->power;
    const double off = (double)p->error;
    sp_scratch_rewind(&s->scratch, mark);
    sp_at_most(
        report, sp_label(report, "fill of the fullest face, %s", l->name), fullest,
        (1.0 + 1e-5) / (1.0 - off),
        "the slack of the transport bounds it by 1; then each particle gets its whole volume");
    if (l->overfull)
        sp_reported(report, sp_label(report, "volume of a particle off, %s", l->name), off,
                    "there is no room for them");
    else
        sp_at_most(report, sp_label(report, "volume of a particle off, %s", l->name), off, 1e-2,
                   "after 60 iterations, over its volume");
    return SP_OK;
}

sp_status bubbles_prove_power(sp_check_report *report, sp_error *err)
{
    for (size_t k = 0; k < sizeof layouts / sizeof *layouts; ++k) {
        bubbles_case c;
        bubbles *s = NULL;
        sp_status status = make_layout(&c, &layouts[k], report->host, &s, err);
        if (status == SP_OK) status = fill_layout(report, &layouts[k], s, err);
        bubbles_close(s);
        SP_TRY(status);
    }
    return SP_OK;
}

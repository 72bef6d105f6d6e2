// SPDX-License-Identifier: Apache-2.0
/// The mixture of bubbles and water has the wanted divergence after each substep. It is found from the
/// velocities that the solver ends with, not from its residual:
///
///     |sum over the faces of a cell of F/h - S| dt,   F = w (phi_b ub + (1 - phi_b) u) + (1 - w) u_s
///
/// with the part w of a face that solids leave open.
#include "validate/bubbles/proofs.h"

/// ---- The divergence of a state -----------------------------------------------------------------

/// Fluxes through the low faces of all tiles, without solids, m/s.
static void mix(const bubbles *s, float *flux[3])
{
    const bubbles_grid *g = &s->grid;
    for (int a = 0; a < 3; ++a)
        for (size_t n = 0; n < g->tiles.count * SP_TILE_VOXELS; ++n) {
            const float share = bubbles_is_busy(g, n / SP_TILE_VOXELS) ? g->share[a][n] : 0.0f;
            flux[a][n] = (1.0f - share) * g->u[a][n] + (share > 0.0f ? share * g->ub[a][n] : 0.0f);
        }
}

/// Adds the flux out of each voxel of a tile along an axis.
static void add_axis(const bubbles *s, uint32_t t, int axis, const float *flux,
                     double out[SP_TILE_VOXELS])
{
    const sp_tiles *tiles = &s->grid.tiles;
    float open[2][SP_TILE_VOXELS], solid[2][SP_TILE_VOXELS] = {{0}}, high[SP_TILE_VOXELS];
    const float *low = flux + (size_t)t * SP_TILE_VOXELS;
    sp_tiles_shift(tiles, flux, t, axis, 1, 0.0f, high);
    const bool cut =
        s->has_solids && sp_flow_open_fractions(&s->solids, tiles, t, axis, open[0], open[1]);
    if (cut) sp_flow_solid_velocity(&s->solids, tiles, t, axis, solid[0], solid[1]);
    for (int n = 0; n < SP_TILE_VOXELS; ++n) {
        double f[2] = {(double)low[n], (double)high[n]};
        for (int k = 0; k < 2 && cut; ++k)
            f[k] = (double)open[k][n] * f[k] + (1.0 - (double)open[k][n]) * (double)solid[k][n];
        out[n] += f[1] - f[0];
    }
}

static double largest_divergence(const bubbles *s, double dt, float *flux[3])
{
    const bubbles_grid *g = &s->grid;
    double most = 0.0;
    mix(s, flux);
    for (uint32_t t = 0; t < g->tiles.count; ++t) {
        const size_t first = (size_t)t * SP_TILE_VOXELS;
        double out[SP_TILE_VOXELS] = {0};
        float excess[SP_TILE_VOXELS] = {0};
        if (s->has_solids && s->solids.row[t] == SP_FLOW_TILE_SOLID) continue;
        for (int a = 0; a < 3; ++a)
            add_axis(s, t, a, flux[a], out);
        if (s->has_solids) sp_flow_solid_excess(&s->solids, &g->tiles, t, excess);
        for (size_t n = 0; n < SP_TILE_VOXELS; ++n) {
            if (!(g->level[first + n] < 0.0f)) continue; // pressure is given there
            const double wanted = s->figures.deep ? (double)g->source[first + n] : 0.0;
            most = fmax(most, fabs(out[n] + (double)excess[n] - wanted));
        }
    }
    return most * dt / (double)g->voxel;
}

static sp_status divergence_of(const bubbles *s, double dt, double *out, sp_error *err)
{
    float *flux[3];
    bool enough = true;
    for (int a = 0; a < 3; ++a) {
        flux[a] = sp_allocate(s->host, s->grid.tiles.count * SP_TILE_VOXELS, sizeof(float));
        enough &= flux[a] != NULL;
    }
    if (enough) *out = largest_divergence(s, dt, flux);
    for (int a = 0; a < 3; ++a)
        sp_release(s->host, flux[a]);
    return enough ? SP_OK : sp_fail(err, SP_NO_MEMORY, "bubbles: no memory for fluxes");
}

/// What rounding leaves: q is a float, so the two values at each of a cell's six faces are off by up to
/// 2^-24 of their size, and their difference moves the mixture by beta times as much.
static double rounding_of(const bubbles *s, double dt)
{
    const bubbles_grid *g = &s->grid;
    double most = 0.0;
    for (int a = 0; a < 3; ++a)
        for (size_t n = 0; n < g->tiles.count * SP_TILE_VOXELS; ++n)
            most = fmax(most, (double)g->beta[a][n] * fabs((double)g->q[n]));
    return 12.0 * 0x1p-24 * most * dt / (double)g->voxel;
}

/// ---- Scenes ------------------------------------------------------------------------------------

static void make_lone(bubbles_case *c)
{
    bubbles_case_domain(c, 0.01f, 1.0 / 96.0, (const int[3]){-20, -20, -20},
                        (const int[3]){20, 40, 20});
    bubbles_case_ball(c, (const double[3]){0.3, 0.2, 0.1}, 0.2);
    c->emitter.sizes = SP_BUBBLES_GIVEN;
    c->emitter.radius_min = 0.005f;
}

static void make_cloud(bubbles_case *c)
{
    const sp_box_def box = {{-0.08f, -0.08f, -0.08f}, {0.08f, 0.08f, 0.08f}};
    bubbles_case_domain(c, 0.02f, 1.0 / 48.0, (const int[3]){-16, -16, -16},
                        (const int[3]){16, 40, 16});
    bubbles_case_cloud(c, box, 0.004f, 0.2f);
}

static void make_inertia(bubbles_case *c)
{
    make_cloud(c);
    c->def.coupling = SP_BUBBLES_INERTIA_AWARE;
}

static void make_periodic(bubbles_case *c)
{
    const sp_box_def box = {{0.0f, 0.0f, 0.0f}, {0.48f, 0.24f, 0.48f}};
    bubbles_case_domain(c, 0.02f, 1.0 / 48.0, (const int[3]){0}, (const int[3]){24, 24, 24});
    bubbles_case_cloud(c, box, 0.004f, 0.1f);
    c->def.periodic_x = c->def.periodic_y = c->def.periodic_z = true;
}

static void make_large(bubbles_case *c)
{
    bubbles_case_domain(c, 0.00125f, 1.0 / 1440.0, (const int[3]){-24, -16, -24},
                        (const int[3]){24, 80, 24});
    bubbles_case_hero(c, false);
    bubbles_case_ball(c, (const double[3]){0}, 4.0);
}

static void make_light(bubbles_case *c)
{
    make_large(c);
    bubbles_case_hero(c, true);
}

static void make_power(bubbles_case *c)
{
    make_large(c);
    c->def.basis = SP_BUBBLES_POWER;
    c->emitter.sizes = SP_BUBBLES_FILL;
}

/// A large bubble against a ball at rest and a plate that moves.
static void make_solids(bubbles_case *c)
{
    make_large(c);
    c->scene.solid_shape[0].sphere = (sp_sphere_def){{0.004f, 0.011f, 0.002f}, 0.005f};
    sp_collider_def *ball = &c->scene.solid[c->scene.world.collider_count++];
    sp_keys_defaults(&sp_collider_keys, ball);
    ball->shape.sphere = &c->scene.solid_shape[0].sphere;
    sp_collider_def *plate =
        proof_box(&c->scene, (sp_box_def){{-0.013f, -0.01f, -0.013f}, {0.013f, -0.0061f, 0.013f}});
    proof_move(&c->scene, plate, (const float[3]){0.03f, 0.05f, 0.0f});
}

typedef struct scene {
    const char *name;
    void (*make)(bubbles_case *c);
    int steps;
} scene;

/// The largest divergence of all substeps, and the largest that rounding may leave.
static sp_status worst_of(const scene *e, bool exact, const sp_host *host, double *worst,
                          double *rounding, sp_error *err)
{
    bubbles_case c;
    bubbles *s;
    e->make(&c);
    if (exact) {
        c.def.pressure.tolerance = 1e-9;
        c.def.pressure.precision = SP_POISSON_DOUBLE;
        c.def.phantom_eps = 1e-7f; // nearly full faces would change their flux after the solve
    }
    SP_TRY(bubbles_case_open(&c, host, &s, err));
    sp_status status = SP_OK;
    *worst = *rounding = 0.0;
    for (int n = 0; n < e->steps && status == SP_OK; ++n) {
        double now = 0.0;
        status = bubbles_case_run(s, c.dt, 1, err);
        if (status == SP_OK) status = divergence_of(s, c.dt, &now, err);
        *worst = fmax(*worst, now);
        *rounding = fmax(*rounding, rounding_of(s, c.dt));
    }
    bubbles_close(s);
    return status;
}

static const scene scenes[] = {
    {"a lone bubble", make_lone, 12},
    {"a cloud", make_cloud, 12},
    {"a cloud, inertia_aware", make_inertia, 6},
    {"a periodic cloud", make_periodic, 12},
    {"1:10", make_large, 12},
    {"1:1000", make_light, 12},
    {"basis power", make_power, 6},
    {"at solids", make_solids, 12},
};
enum { SCENES = sizeof scenes / sizeof *scenes };

sp_status bubbles_prove_divergence(sp_check_report *report, sp_error *err)
{
    for (int k = 0; k < SCENES; ++k) {
        double worst, rounding;
        SP_TRY(worst_of(&scenes[k], false, report->host, &worst, &rounding, err));
        sp_at_most(report, sp_label(report, "largest divergence times dt, %s", scenes[k].name),
                   worst, 20.0 * 1e-4, "20 times the pressure's tolerance");
    }
    return SP_OK;
}

sp_status bubbles_prove_divergence_exact(sp_check_report *report, sp_error *err)
{
    for (int k = 0; k < SCENES; ++k) {
        double worst, rounding;
        SP_TRY(worst_of(&scenes[k], true, report->host, &worst, &rounding, err));
        sp_at_most(report,
                   sp_label(report, "divergence times dt, tolerance 1e-9, %s", scenes[k].name),
                   worst, fmax(1e-6, rounding),
                   "1e-6, or what rounding q to float leaves: more where air is light, q is large");
    }
    return SP_OK;
}

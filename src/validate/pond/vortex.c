// SPDX-License-Identifier: Apache-2.0
/// Proofs about bubbles that carry each other (P7, P8; T07's figure 6).
#include "validate/pond/proofs.h"

/// A tall glass: four metres of water, so that nothing meets the surface.
static sp_pond_def tall_glass(void)
{
    sp_pond_def def = pond_proof_basin(32, 32, 0.03125f, 4.0f);
    def.coalescence = false;
    return def;
}

/// Two bubbles of 5 mm, the second `gap` radii above the first, which stands `aside` radii to the
/// east of it. `share` of the terminal speed is what both start with.
static sp_status open_pair(sp_check_report *report, float gap, float aside, float share,
                           sp_pond **pond, sp_error *err)
{
    const sp_pond_def def = tall_glass();
    SP_TRY(sp_pond_open(&def, report->host, pond, err));
    const float r = 0.005f, middle = 0.5f, u = share * pond_terminal_speed(&def, r);
    pond_add_bubble(*pond, middle + aside * r, middle, 0.5f, r, u);
    pond_add_bubble(*pond, middle, middle, 0.5f + gap * r, r, u);
    (*pond)->bubbles.sz[0] = (*pond)->bubbles.sz[1] = u;
    return SP_OK;
}

sp_status pond_prove_wake(sp_check_report *report, sp_error *err)
{
    static const struct {
        float aside;
        double x, z;
    } rows[] = {{0.0f, 0.0, 0.630}, {1.0f, -0.222, 0.496}};
    for (size_t k = 0; k < 2; ++k) {
        sp_pond *pond;
        SP_TRY(open_pair(report, 6.0f, rows[k].aside, 1.0f, &pond, err));
        const pond_bubbles *b = &pond->bubbles;
        pond_gather_sources(pond);
        pond_vortex_sums(pond, 2, b->px, b->py, b->pz, true, pond->wx, pond->wy, pond->wz);
        const double u_t = pond_proof_terminal_speed(&pond->def, 0.005);
        sp_within(
            report,
            sp_label(report, "w_z/u_T on the trailing one, %g r aside", (double)rows[k].aside),
            (double)pond->wz[0] / u_t, rows[k].z, 1e-3,
            "P5 at 3.5 r behind the centre; printed to three digits");
        sp_within(
            report,
            sp_label(report, "w_x/u_T on the trailing one, %g r aside", (double)rows[k].aside),
            (double)pond->wx[0] / u_t, rows[k].x, 1e-3,
            "toward the axis: it is drawn into the wake");
        if (k == 0)
            sp_within(report, "w_z/u_T on the leading one", (double)pond->wz[1] / u_t, 0.0033, 1e-4,
                      "8.5 r ahead of a centre, nearly faded");
        sp_pond_close(pond);
    }
    return SP_OK;
}

static double apart(const pond_bubbles *b)
{
    const double x = (double)b->px[0] - (double)b->px[1], y = (double)b->py[0] - (double)b->py[1],
                 z = (double)b->pz[0] - (double)b->pz[1];
    return sqrt(x * x + y * y + z * z);
}

/// Seconds until the pair touches, by linear interpolation; NAN when it does not within 2 s.
static sp_status time_to_touch(sp_check_report *report, float gap, double dt, double *time,
                               sp_error *err)
{
    sp_pond *pond;
    SP_TRY(open_pair(report, gap, 1.0f, 1.0f, &pond, err));
    double before = apart(&pond->bubbles);
    *time = (double)NAN;
    for (double t = 0.0; t < 2.0; t += dt) {
        pond_proof_move_bubbles(pond, (float)dt);
        const double now = apart(&pond->bubbles);
        if (now < 0.01) {
            *time = t + dt * (before - 0.01) / (before - now);
            break;
        }
        before = now;
    }
    sp_pond_close(pond);
    return SP_OK;
}

sp_status pond_prove_attraction(sp_check_report *report, sp_error *err)
{
    static const struct {
        float gap;
        double time;
    } rows[] = {{6.0f, 0.073}, {8.0f, 0.229}};
    for (size_t k = 0; k < 2; ++k) {
        double fine, coarse;
        SP_TRY(time_to_touch(report, rows[k].gap, 1.0 / 4000.0, &fine, err));
        SP_TRY(time_to_touch(report, rows[k].gap, 1.0 / 120.0, &coarse, err));
        sp_within(report, sp_label(report, "contact from a gap of %g r, s", (double)rows[k].gap),
                  fine, rows[k].time, 2e-3,
                  "figure 6: the wake of the first draws the second in; steps of 1/4000 s");
        sp_within(report, "the same in steps of 1/120 s", coarse, rows[k].time, 0.015, "two steps");
    }
    return SP_OK;
}

/// ---- Leapfrog ----------------------------------------------------------------------------------

typedef struct race {
    int exchanges;
    double fastest;  ///< m/s
    float x[2][361]; ///< m from the middle, every step of 3 s
} race;

static sp_status run_race(sp_check_report *report, float aside, race *r, sp_error *err)
{
    sp_pond *pond;
    *r = (race){0};
    SP_TRY(open_pair(report, 6.0f, aside, 0.0f, &pond, err));
    const pond_bubbles *b = &pond->bubbles;
    bool second_leads = true;
    for (int k = 0; k <= 360; ++k) {
        for (int i = 0; i < 2; ++i) {
            const sp_vec3 u = {b->ux[i], b->uy[i], b->uz[i]};
            const double speed = (double)sp_length(u);
            r->fastest = speed > r->fastest ? speed : r->fastest;
            r->x[i][k] = b->px[i] - 0.5f;
        }
        if ((b->pz[1] > b->pz[0]) != second_leads) {
            second_leads = !second_leads;
            ++r->exchanges;
        }
        pond_proof_move_bubbles(pond, 1.0f / 120.0f);
    }
    sp_pond_close(pond);
    return SP_OK;
}

sp_status pond_prove_leapfrog(sp_check_report *report, sp_error *err)
{
    race east, west;
    SP_TRY(run_race(report, 0.5f, &east, err));
    SP_TRY(run_race(report, -0.5f, &west, err));
    const sp_pond_def def = tall_glass();
    double worst = 0.0, widest = 0.0;
    for (int i = 0; i < 2; ++i)
        for (int k = 0; k <= 360; ++k) {
            const double error = fabs((double)east.x[i][k] + (double)west.x[i][k]);
            worst = error > worst ? error : worst;
            widest = fabs((double)east.x[i][k]) > widest ? fabs((double)east.x[i][k]) : widest;
        }
    sp_at_least(report, "exchanges of order in 3 s", east.exchanges, 1,
                "figure 6: the one behind is sucked through and leads, again and again");
    sp_at_most(report, "fastest over u_T", east.fastest / pond_proof_terminal_speed(&def, 0.005),
               4.0, "P8 bounds what feeds back");
    sp_at_most(report, "mirrored start against mirrored path, over its width", worst / widest, 1e-3,
               "no side is preferred; positions near 0.5 m are rounded to 6e-8, and grow apart");
    return SP_OK;
}

/// ---- Bounded -----------------------------------------------------------------------------------

enum { CLOUD = 160 };

/// 160 bubbles of 5 mm at random in a cube of 8 cm (16 % gas) for 1 s; the fastest over u_T, NAN
/// when one is lost.
static sp_status stir(sp_check_report *report, int model, uint64_t seed, double *fastest,
                      sp_error *err)
{
    sp_pond_def def = tall_glass();
    def.vortex_model = model;
    sp_pond *pond;
    SP_TRY(sp_pond_open(&def, report->host, &pond, err));
    for (uint64_t n = 0; n < CLOUD; ++n)
        pond_add_bubble(pond, 0.46f + 0.08f * (float)pond_proof_unit(10 + seed, n, 0),
                        0.46f + 0.08f * (float)pond_proof_unit(10 + seed, n, 1),
                        0.5f + 0.08f * (float)pond_proof_unit(10 + seed, n, 2), 0.005f, 0.0f);
    const pond_bubbles *b = &pond->bubbles;
    double most = 0.0;
    for (int k = 0; k < 120; ++k) {
        pond_proof_move_bubbles(pond, 1.0f / 120.0f);
        for (size_t i = 0; i < CLOUD; ++i) {
            const sp_vec3 u = {b->ux[i], b->uy[i], b->uz[i]};
            const double speed = (double)sp_length(u);
            if (!(speed <= most)) most = speed; // keeps NaN
        }
    }
    *fastest = most / pond_proof_terminal_speed(&def, 0.005);
    sp_pond_close(pond);
    return SP_OK;
}

sp_status pond_prove_bounded(sp_check_report *report, sp_error *err)
{
    double fastest;
    for (uint64_t seed = 0; seed < 3; ++seed) {
        SP_TRY(stir(report, SP_POND_BOUNDED, seed, &fastest, err));
        sp_at_most(report,
                   sp_label(report, "fastest of 160 bubbles over u_T, cloud %d", (int)seed + 1),
                   fastest, 5.5, "vortices carry 4 u_T at most (P7), buoyancy adds one");
    }
    SP_TRY(stir(report, SP_POND_PAPER, 0, &fastest, err));
    sp_at_most(report, "the same with strength from raw velocity (T07)", fastest, 5.5,
               "P7 alone keeps it finite");
    return SP_OK;
}

// SPDX-License-Identifier: Apache-2.0
/// Free water: blocks that are too dense, momentum, a cube that becomes a drop.
#include "validate/sph/proofs.h"

/// n[0] n[1] n[2] particles at this distance from each other, beginning at `low`, with velocities
/// drawn at random up to `speed`.
static sp_status lay_block(sph *s, const float low[3], const int n[3], float step, float speed,
                           sp_error *err)
{
    sph_phase *w = &s->liquid;
    for (int k = 0; k < n[0] * n[1] * n[2]; ++k) {
        const sp_random4 r = sp_random(5, 0, (uint64_t)k, 0, 0);
        const size_t i = sph_case_add(s, w, low[0] + step * (float)(k % n[0]),
                                      low[1] + step * (float)(k / n[0] % n[1]),
                                      low[2] + step * (float)(k / n[0] / n[1]), err);
        if (i == SIZE_MAX) return SP_NO_MEMORY;
        for (int c = 0; c < 3; ++c)
            w->v[c][i] = speed * (2.0f * sp_unit(r.x[c]) - 1.0f);
    }
    return SP_OK;
}

/// ---- A start that is too dense ----------------------------------------------------------------

/// A block on the floor of a wide tank, denser than water by a share.
static sp_status open_packed(const sp_host *host, double share, sph **out, sp_error *err)
{
    const float d = 0.02f, step = d / (float)cbrt(1.0 + share), low[3] = {0.2f, d, 0.2f};
    sph_case c;
    sph_case_tank(&c, 0.62f, 0.6f, 0.62f, d);
    c.def.air.enabled = false;
    SP_TRY(sph_case_open(&c, host, out, err));
    const sp_status status = lay_block(*out, low, (const int[3]){12, 12, 12}, step, 0.0f, err);
    if (status != SP_OK) sph_close(*out);
    return status;
}

static sp_status relax(sp_check_report *report, sph *s, sp_error *err)
{
    sph_watch first = {0}, soon = {0}, late = {0};
    SP_TRY(sph_check_start(s, err));
    const double start = s->figures.compression;
    SP_TRY(sph_case_watch(s, 0.02, &first, err));
    SP_TRY(sph_case_watch(s, 0.18, &soon, err));
    SP_TRY(sph_case_watch(s, 0.2, &late, err));
    sp_within(report, "4 % too dense: compression of the start", start, 0.04, 5e-3,
              "lattices are packed by the cube root; walls add a little");
    sp_at_most(report, "4 % too dense: most in the first 0.02 s", first.worst, start,
               "it only falls");
    sp_at_most(report, "4 % too dense: most after 0.02 s", soon.worst, 0.03,
               "one step and another bring it to what a jet may show");
    sp_at_most(report, "4 % too dense: most after 0.18 s", late.worst, 0.015, "as water at rest");
    return SP_OK;
}

sp_status sph_prove_packed(sp_check_report *report, sp_error *err)
{
    static const char sentence[] = "sph: initial liquid is compressed by ";
    sph *s;
    SP_TRY(open_packed(report->host, 0.04, &s, err));
    sp_status status = relax(report, s, err);
    sph_close(s);
    SP_TRY(status);
    sp_error refusal = {0};
    SP_TRY(open_packed(report->host, 0.06, &s, err));
    status = sph_check_start(s, &refusal);
    sph_close(s);
    sp_exact(report, "6 % too dense: refused, with the sentence",
             status == SP_BAD_INPUT && strncmp(refusal.text, sentence, sizeof sentence - 1) == 0, 1,
             "above 5 % the first step would throw it apart");
    return SP_OK;
}

/// ---- Momentum ---------------------------------------------------------------------------------

static sp_status count_momentum(sp_check_report *report, sph *s, sp_error *err)
{
    double before[3], scale = 0.0, off = 0.0, turned = 0.0;
    SP_TRY(lay_block(s, (const float[3]){0}, (const int[3]){12, 12, 12}, s->d, 1.0f, err));
    memcpy(before, sp_sph_look(s).momentum, sizeof before);
    for (size_t i = 0; i < s->liquid.set.count; ++i)
        scale +=
            (double)s->liquid.mass * sqrt((double)s->liquid.v[0][i] * (double)s->liquid.v[0][i] +
                                          (double)s->liquid.v[1][i] * (double)s->liquid.v[1][i] +
                                          (double)s->liquid.v[2][i] * (double)s->liquid.v[2][i]);
    const double kinetic = sp_sph_look(s).kinetic;
    SP_TRY(sph_case_run(s, 0.3, err));
    const sp_sph_figures now = sp_sph_look(s);
    for (int c = 0; c < 3; ++c)
        off = fmax(off, fabs(now.momentum[c] - before[c]) / scale);
    turned = 1.0 - now.kinetic / kinetic;
    sp_at_most(report, "momentum gained, share of sum m|v|", off, 1e-4,
               "pairs push each other alike, but lanes round each side by itself");
    sp_at_least(report, "kinetic energy that was used up, share", turned, 0.1,
                "so that pressure and viscosity had something to do");
    return SP_OK;
}

/// Water without gravity, walls and air, whose particles `prove` lays down and watches.
static sp_status prove_afloat(sp_check_report *report, float tension, sph_case_proof *prove,
                              sp_error *err)
{
    sph_case c;
    sph_case_nothing(&c, 0.02f);
    c.scene.world.gravity[1] = 0.0f;
    c.def.surface_tension = tension;
    c.def.air.enabled = false;
    return sph_case_prove(report, &c, prove, err);
}

sp_status sph_prove_momentum(sp_check_report *report, sp_error *err)
{
    return prove_afloat(report, 0.002f, count_momentum, err); // 5 d^2: where docs/scene.md begins
}

/// ---- A drop -----------------------------------------------------------------------------------

/// Longest over shortest extent along axes, diagonals of faces and of the cube; particles are one
/// spacing wide. A cube's is 1.73, a ball's 1.
static double aspect(const sph *s)
{
    double least = HUGE_VAL, most = 0.0;
    for (int k = 1; k < 27; ++k) { // a direction and its opposite: both are looked at
        const double to[3] = {k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1},
                     length = sqrt(to[0] * to[0] + to[1] * to[1] + to[2] * to[2]);
        double low = HUGE_VAL, high = -HUGE_VAL;
        for (size_t i = 0; i < s->liquid.set.count && length > 0.0; ++i) {
            const double along =
                (to[0] * (double)s->liquid.x[0][i] + to[1] * (double)s->liquid.x[1][i] +
                 to[2] * (double)s->liquid.x[2][i]) /
                length;
            low = fmin(low, along);
            high = fmax(high, along);
        }
        if (!(length > 0.0)) continue;
        least = fmin(least, high - low + (double)s->d);
        most = fmax(most, high - low + (double)s->d);
    }
    return most / least;
}

static sp_status round_off(sp_check_report *report, sph *s, sp_error *err)
{
    SP_TRY(lay_block(s, (const float[3]){0}, (const int[3]){10, 10, 10}, s->d, 0.0f, err));
    sp_at_least(report, "a cube, longest over shortest extent", aspect(s), 1.6,
                "its diagonal is 1.73 times its side, less a particle's rounding");
    SP_TRY(sph_case_run(s, 2.0, err));
    sp_at_most(report, "the same after 2 s", aspect(s), 1.1, "surface tension makes a ball of it");
    return SP_OK;
}

sp_status sph_prove_drop(sp_check_report *report, sp_error *err)
{
    return prove_afloat(report, 0.01f, round_off,
                        err); // 25 d^2: strong; as printed, the drop flies apart
}

// SPDX-License-Identifier: Apache-2.0
/// A bubble of 5 cm3 from particles of two sizes and in two bases, with and without surface tension (WSB25 figure
/// 14). Particles as large as their faces need (sqrt(3/4) voxels) make a full bubble in the trilinear basis. Of the
/// volume of their places, they leave gaps there, and fill the bubble in the power basis.
#include "validate/bubbles/proofs.h"

static const double fps = 24.0;
enum { FRAMES = 12, VARIANTS = 6 };

typedef struct variant {
    const char *name;
    int basis, sizes;
    float sigma; ///< N/m
} variant;

static const variant variants[VARIANTS] = {
    {"trilinear, large", SP_BUBBLES_TRILINEAR, SP_BUBBLES_SURFACING, 0.0f},
    {"trilinear, of their places", SP_BUBBLES_TRILINEAR, SP_BUBBLES_FILL, 0.0f},
    {"power, of their places", SP_BUBBLES_POWER, SP_BUBBLES_FILL, 0.0f},
    {"trilinear, large, with tension", SP_BUBBLES_TRILINEAR, SP_BUBBLES_SURFACING, 0.36f},
    {"trilinear, of their places, with tension", SP_BUBBLES_TRILINEAR, SP_BUBBLES_FILL, 0.36f},
    {"power, of their places, with tension", SP_BUBBLES_POWER, SP_BUBBLES_FILL, 0.36f},
};

/// The scene particle_size.json.
static void make_bubble(bubbles_case *c, const variant *v)
{
    bubbles_case_domain(c, 0.002f, 1.0 / fps, (const int[3]){-30, 0, -30},
                        (const int[3]){30, 150, 30});
    c->def.density = 1000.0f;
    c->def.density_air = 100.0f;
    c->def.substeps = 20;
    c->def.substeps_max = 64;
    c->def.newton = 2;
    c->def.basis = v->basis;
    c->def.tension.coefficient = v->sigma;
    bubbles_case_ball(c, (const double[3]){0.0, 15.0, 0.0}, 5.3);
    c->emitter.sizes = v->sizes;
}

typedef double curve[FRAMES + 1][1 + VARIANTS]; ///< s; by variant
typedef struct curves {
    curve air, rise; ///< over that at the start; m
} curves;

static sp_status follow(const variant *v, const sp_host *host, int column, curves *out,
                        sp_error *err)
{
    bubbles_case c;
    bubbles *s;
    make_bubble(&c, v);
    SP_TRY(bubbles_case_open(&c, host, &s, err));
    const double air = bubbles_air(s), begin = bubbles_swarm_of(s).place[1];
    sp_status status = SP_OK;
    for (int n = 0; n <= FRAMES && status == SP_OK; ++n) {
        if (n > 0) status = sp_bubbles_frame(s, n / fps, NULL, NULL, err);
        out->air[n][0] = out->rise[n][0] = n / fps;
        out->air[n][column] = (n > 0 ? sp_bubbles_look(s).air_volume : air) / air;
        out->rise[n][column] = bubbles_swarm_of(s).place[1] - begin;
    }
    bubbles_close(s);
    return status;
}

static void judge(sp_check_report *report, const variant *v, const curves *c, int column)
{
    double least = 1.0, most = 1.0;
    for (int n = 0; n <= FRAMES; ++n) {
        least = fmin(least, c->air[n][column]);
        most = fmax(most, c->air[n][column]);
    }
    static const char *const ends[2] = {"most", "least"};
    const double air[2] = {most, least};
    for (int k = 0; k < 2; ++k) {
        const char *label = sp_label(report, "%s air in 0.5 s, %s", ends[k], v->name);
        if (v->basis == SP_BUBBLES_POWER)
            sp_within(report, label, air[k], 1.0, 0.01,
                      "each particle has its volume; power_tol is 0.01");
        else if (v->sizes == SP_BUBBLES_SURFACING && v->sigma > 0.0f)
            sp_within(report, label, air[k], 1.0, 0.08, "as that of a bubble that rises for 1 s");
        else
            sp_reported(report, label, air[k], "it breaks up, or has gaps from the start");
    }
    sp_reported(report, sp_label(report, "rise in 0.5 s, m, %s", v->name), c->rise[FRAMES][column],
                "");
}

sp_status bubbles_prove_bases(sp_check_report *report, sp_error *err)
{
    curves c;
    for (int k = 0; k < VARIANTS; ++k) {
        SP_TRY(follow(&variants[k], report->host, 1 + k, &c, err));
        judge(report, &variants[k], &c, 1 + k);
    }
    static const char columns[] = "time_s,trilinear_large,trilinear_fill,power_fill,"
                                  "trilinear_large_tension,trilinear_fill_tension,"
                                  "power_fill_tension";
    sp_check_curve(report, "bases_air", columns, c.air[0], FRAMES + 1);
    sp_check_curve(report, "bases_rise", columns, c.rise[0], FRAMES + 1);
    return SP_OK;
}

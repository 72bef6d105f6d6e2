// SPDX-License-Identifier: Apache-2.0
/// Proofs about energy: the light that comes out is the light that went in.
#include "validate/render/proofs.h"

#if defined(SPUME_WITH_EMBREE)

/// A glass tank of five slabs. Water extends a millimetre into them; there are bubbles in the water
/// and foam on it.
static sp_status build_tank(sp_tracer *t, size_t bubbles, sp_error *err)
{
    // Slabs overlap at the corners, and no two faces are coplanar: there a ray could leave a face
    // that it never entered.
    static const float slabs[5][2][3] = {
        {{-0.206f, -0.006f, -0.126f}, {0.206f, 0.0f, 0.126f}},
        {{-0.2062f, -0.003f, -0.1258f}, {-0.2f, 0.27f, 0.1258f}},
        {{0.2f, -0.0032f, -0.1256f}, {0.2062f, 0.2698f, 0.1256f}},
        {{-0.203f, -0.002f, -0.1262f}, {0.203f, 0.269f, -0.12f}},
        {{-0.2032f, -0.0022f, 0.12f}, {0.2032f, 0.2688f, 0.1262f}},
    };
    static const float low[3] = {-0.201f, -0.001f, -0.121f}, high[3] = {0.201f, 0.215f, 0.121f};
    static const float in_low[3] = {-0.15f, 0.0f, -0.09f}, in_high[3] = {0.0f, 0.215f, 0.09f};
    static const float on_low[3] = {-0.1f, 0.214f, -0.08f}, on_high[3] = {0.1f, 0.219f, 0.08f};
    for (int i = 0; i < 5; ++i)
        SP_TRY(prove_add_box(t, slabs[i][0], slabs[i][1], SP_TRACE_GLASS, 0, err));
    SP_TRY(prove_add_box(t, low, high, SP_TRACE_WATER, 0, err));
    SP_TRY(prove_add_crowd(t, bubbles, in_low, in_high, 0.25e-3f, 2.5e-3f, SP_TRACE_BUBBLE, err));
    SP_TRY(prove_add_crowd(t, 800, on_low, on_high, 1e-3f, 4e-3f, SP_TRACE_FOAM, err));
    SP_TRY(prove_add_sphere(t, 0.09f, 0.1f, 0.03f, 0.04f, SP_TRACE_BUBBLE, 0, err));
    return prove_white(t, err);
}

static sp_status furnace(sp_check_report *report, size_t bubbles, int width, int samples, int depth,
                         double bound, const char *why, sp_error *err)
{
    sp_tracer *t;
    SP_TRY(sp_tracer_open(report->host, &t, err));
    sp_status status = build_tank(t, bubbles, err);
    prove_picture p;
    const int height = width * 9 / 16;
    const sp_trace_settings s = {.width = width,
                                 .height = height,
                                 .samples = samples,
                                 .depth = depth,
                                 .split = 1,
                                 .seed = 1};
    if (status == SP_OK)
        status = prove_render(t, prove_camera(0.26f, 0.262f, 0.88f, 0.0f, 0.128f, 0.0f, 25.0f), s,
                              &p, err);
    if (status == SP_OK) {
        sp_within(report, "mean of the picture", prove_mean(&p, width, height, 1), 1.0, bound, why);
        sp_at_most(report, "leaks per ray", (double)p.stats.leaks / (double)p.stats.rays, 1e-4,
                   "beyond it counters drift and bubbles fill with water");
        prove_picture_close(&p);
    }
    sp_tracer_close(t);
    return status;
}

sp_status prove_furnace(sp_check_report *report, sp_error *err)
{
    return furnace(
        report, 2000, 160, 8, 400, 1e-2,
        "1 % is what is asked for; nothing absorbs, so only paths cut at 400 bounces and "
        "the noise of the roulette are left",
        err);
}

sp_status prove_furnace_crowded(sp_check_report *report, sp_error *err)
{
    return furnace(report, 20000, 320, 32, 400, 1e-3,
                   "a thousandth: cut paths, lost counters and roulette together", err);
}

/// A single object in the furnace, so that only one kind of event occurs.
typedef struct event_case {
    const char *what;
    sp_trace_class kind;
    sp_trace_material material;
    float film_nm;
} event_case;

static const event_case events[] = {
    {"glass ball, light per bounce - 1", SP_TRACE_GLASS, {.rough = 0}, 0},
    {"water ball, light per bounce - 1", SP_TRACE_WATER, {.rough = 0}, 0},
    {"soap bubble, light per bounce - 1", SP_TRACE_BUBBLE, {.rough = 0}, 0},
    {"soap bubble with colours, light per bounce - 1", SP_TRACE_BUBBLE, {.rough = 0}, 400},
    {"foam bubble, light per bounce - 1", SP_TRACE_FOAM, {.rough = 0}, 0},
    {"white diffuse ball, light per bounce - 1", SP_TRACE_OPAQUE, {.color = {1, 1, 1}}, 0},
    {"white ball with a coat, light per bounce - 1",
     SP_TRACE_OPAQUE,
     {.color = {1, 1, 1}, .coat = 1.0f, .rough = 0.05f},
     0},
    {"white smooth metal, light per bounce - 1",
     SP_TRACE_OPAQUE,
     {.color = {1, 1, 1}, .metal = true, .rough = 0.05f},
     0},
};

static sp_status prove_event(sp_check_report *report, const event_case *e, sp_error *err)
{
    enum { SIDE = 32 };
    const int samples =
        e->film_nm > 0.0f ? 1024 : 64; // only interference differs by channel, which adds noise
    sp_tracer *t;
    SP_TRY(sp_tracer_open(report->host, &t, err));
    const int material = sp_tracer_material(t, &e->material);
    sp_status status = material < 0 ? sp_fail(err, SP_NO_MEMORY, "validate: no memory") : SP_OK;
    if (status == SP_OK)
        status = prove_add_sphere(t, 0.0f, 0.0f, 0.0f, 0.1f, e->kind, material, err);
    if (status == SP_OK) status = prove_white(t, err);
    sp_tracer_foam(t, &(sp_trace_foam){0.04f, 0.55f, 1.0f, e->film_nm});
    prove_picture p;
    const sp_trace_settings s = {
        .width = SIDE, .height = SIDE, .samples = samples, .depth = 400, .seed = 1};
    // The sphere fills the view: 0.14 of 0.2 m.
    if (status == SP_OK)
        status =
            prove_render(t, prove_camera(0.3f, 0.2f, 0.9f, 0.0f, 0.0f, 0.0f, 8.0f), s, &p, err);
    if (status == SP_OK) {
        // All channels together: a coloured film may shift light between channels.
        const double mean = (prove_mean(&p, SIDE, SIDE, 0) + prove_mean(&p, SIDE, SIDE, 1) +
                             prove_mean(&p, SIDE, SIDE, 2)) /
                            3.0;
        const double each = (double)p.stats.bounces / ((double)SIDE * SIDE * samples);
        sp_within(report, e->what, (mean - 1.0) / fmax(each, 0.1), 0.0, 1e-3,
                  "reflected and passed on must add up; facets of roughness "
                  "0.05 hide a few 1e-5 of each other at the limb");
        prove_picture_close(&p);
    }
    sp_tracer_close(t);
    return status;
}

sp_status prove_energy(sp_check_report *report, sp_error *err)
{
    for (size_t i = 0; i < sizeof events / sizeof *events; ++i)
        SP_TRY(prove_event(report, &events[i], err));
    return SP_OK;
}

static sp_status see_through_a_metre(sp_check_report *report, sp_tracer *t, sp_error *err)
{
    static const float low[3] = {-5.0f, -5.0f, -0.5f}, high[3] = {5.0f, 5.0f, 0.5f};
    static const float absorb[3] = {0.264f, 0.0565f, 0.0101f};
    static const char *const names[3] = {"red through 1 m of water", "green through 1 m of water",
                                         "blue through 1 m of water"};
    SP_TRY(prove_add_box(t, low, high, SP_TRACE_WATER, 0, err));
    SP_TRY(prove_white(t, err));
    sp_tracer_water(t, &(sp_trace_medium){1.0f, {absorb[0], absorb[1], absorb[2]}});
    prove_picture p;
    const sp_trace_settings s = {.width = 4, .height = 4, .samples = 4, .depth = 16, .seed = 1};
    SP_TRY(prove_render(t, prove_camera(0.0f, 0.0f, 5.0f, 0.0f, 0.0f, 0.0f, 0.1f), s, &p, err));
    for (int c = 0; c < 3; ++c)
        sp_within(report, names[c], prove_mean(&p, 4, 4, c), exp(-(double)absorb[c]), 1e-4,
                  "exp(-sigma), index 1 so that nothing is reflected; floats "
                  "at 5 m leave 1e-6");
    prove_picture_close(&p);
    return SP_OK;
}

sp_status prove_absorption(sp_check_report *report, sp_error *err)
{
    return prove_with_tracer(report, see_through_a_metre, err);
}

/// Layers of foam bubbles in closest packing over black ground, under a white dome: the camera sees
/// the layers' reflectance. It looks at 45 degrees, where half of a dome lies by projected area;
/// from straight above eight layers reflect 0.59, and more at lower angles.
static sp_status layers(const sp_host *host, int count, double *reflectance, sp_error *err)
{
    enum { SIDE = 40 };
    const float r = 1e-3f;
    sp_tracer *t;
    SP_TRY(sp_tracer_open(host, &t, err));
    float(*s)[4] = sp_allocate(host, (size_t)count * SIDE * SIDE, sizeof *s);
    const int black = sp_tracer_material(t, &(sp_trace_material){.color = {0}});
    static const float low[3] = {-1.0f, -0.1f, -1.0f}, high[3] = {1.0f, -0.001f, 1.0f};
    sp_status status = s && black >= 0 ? prove_add_box(t, low, high, SP_TRACE_OPAQUE, black, err)
                                       : sp_fail(err, SP_NO_MEMORY, "validate: no memory");
    size_t n = 0;
    for (int l = 0; l < count && status == SP_OK; ++l)
        for (int j = 0; j < SIDE; ++j)
            for (int i = 0; i < SIDE; ++i) {
                const float stack = (float)(l % 3); // A, B, C stacking: no straight gaps
                s[n][0] =
                    2.0f * r * ((float)i + 0.5f * (float)(j & 1) + 0.5f * stack - 0.5f * SIDE);
                s[n][1] = r * (1.0f + 1.633f * (float)l);
                s[n][2] = 2.0f * r * (0.866f * (float)(j - SIDE / 2) + 0.2887f * stack);
                s[n++][3] = 1.05f * r; // neighbours overlap a little, as in foam
            }
    if (status == SP_OK)
        status =
            sp_tracer_spheres(t, n, (const float(*)[4])s, NULL, SP_TRACE_FOAM, 0, NULL, NULL, err);
    if (status == SP_OK) status = prove_white(t, err);
    sp_tracer_foam(t, &(sp_trace_foam){0.04f, 0.55f, 0.995f, 0.0f});
    prove_picture p;
    const sp_trace_settings set = {
        .width = 48, .height = 48, .samples = 8, .depth = 256, .seed = 1};
    if (status == SP_OK)
        status =
            prove_render(t, prove_camera(0.0f, 0.21f, 0.21f, 0.0f, 0.0f, 0.0f, 3.0f), set, &p, err);
    if (status == SP_OK) {
        *reflectance = prove_mean(&p, 48, 48, 1);
        prove_picture_close(&p);
    }
    sp_release(host, s);
    sp_tracer_close(t);
    return status;
}

sp_status prove_foam(sp_check_report *report, sp_error *err)
{
    static const char *const names[4] = {"one layer of foam over black", "two layers: gain",
                                         "four layers: gain", "eight layers: gain"};
    double last = 0.0;
    for (int k = 0; k < 4; ++k) {
        double now;
        SP_TRY(layers(report->host, 1 << k, &now, err));
        sp_at_least(report, names[k], now - last, 0.02,
                    "each doubling must show; 0.02 is ten times the noise");
        last = now;
    }
    sp_at_least(report, "eight layers over black", last, 0.6,
                "foam that is not at least this white looks like wet glass");
    return SP_OK;
}

#endif

// SPDX-License-Identifier: Apache-2.0
/// Proofs about the whole pond at work: water and air are kept, and the answer does not depend on
/// threads or on having been saved.
#include "validate/pond/proofs.h"

#include <stdio.h>
#include <stdlib.h>

static sp_status run_frames(sp_pond *pond, int frames, sp_error *err)
{
    for (int k = 0; k < frames; ++k)
        SP_TRY(sp_pond_step(pond, pond->time + 1.0 / 60.0, err));
    return SP_OK;
}

/// ---- Water -------------------------------------------------------------------------------------

static sp_status watch_water(sp_check_report *report, sp_pond *pond, int frames, sp_error *err)
{
    const int64_t before = pond_proof_water(pond);
    int64_t worst = 0;
    size_t waves = 0, crowd = 0;
    for (int k = 0; k < frames; ++k) {
        SP_TRY(run_frames(pond, 1, err));
        const int64_t off = llabs(pond_proof_water(pond) - before);
        size_t events;
        sp_pond_events(pond, &events);
        worst = off > worst ? off : worst;
        waves += events;
        crowd = pond->bubbles.set.count > crowd ? pond->bubbles.set.count : crowd;
    }
    sp_exact(report, sp_label(report, "most water gained or lost in %d frames, quanta", frames),
             (double)worst, 0, "whole quanta move; ring waves and obstacles only shift them");
    sp_at_least(report, "bubbles broken, merged and popped, a frame", (double)waves / frames, 1,
                "so that there was something to lose water by");
    sp_at_least(report, "most bubbles at once", (double)crowd, 300,
                "the same, with an obstacle going round");
    return SP_OK;
}

static sp_status prove_mass(sp_check_report *report, int frames, sp_error *err)
{
    for (int open_side = 0; open_side < 2; ++open_side) {
        sp_pond_def def = pond_proof_busy(50, 80);
        def.boundary[1] = open_side ? SP_POND_OPEN : SP_POND_REFLECT;
        sp_pond *pond;
        SP_TRY(sp_pond_open(&def, report->host, &pond, err));
        const sp_status status = watch_water(report, pond, frames, err);
        sp_pond_close(pond);
        SP_TRY(status);
    }
    return SP_OK;
}

sp_status pond_prove_mass(sp_check_report *report, sp_error *err)
{
    return prove_mass(report, 600, err);
}

sp_status pond_prove_mass_long(sp_check_report *report, sp_error *err)
{
    return prove_mass(report, 10000, err);
}

/// ---- Air ---------------------------------------------------------------------------------------

static sp_status put_ledger(sp_check_report *report, const char *name, const sp_pond_def *def,
                            sp_error *err)
{
    sp_pond *pond;
    SP_TRY(sp_pond_open(def, report->host, &pond, err));
    const sp_status status = run_frames(pond, 300, err);
    const sp_pond_stats s = sp_pond_statistics(pond);
    sp_at_most(report, sp_label(report, "air missing over air let in, %s", name),
               fabs(s.gas_in_m3 - s.gas_m3 - s.gas_out_m3) / s.gas_in_m3, 1e-12,
               "volumes are double and change hands whole; sums of 10^4 terms round");
    sp_pond_close(pond);
    return status;
}

/// Calls `put` with the pond of a built-in scene.
static sp_status with_scene(sp_check_report *report, const char *name,
                            sp_status put(sp_check_report *, const char *, const sp_pond_def *,
                                          sp_error *),
                            sp_error *err)
{
    const sp_scene_options options = sp_scene_options_defaults();
    sp_scene *scene;
    SP_TRY(sp_scene_open(name, &options, report->host, &scene, err));
    const sp_pond_def def = pond_proof_scene_def(scene);
    const sp_status status = put(report, name, &def, err);
    sp_scene_close(scene);
    return status;
}

/// Small limits, so that bubbles wait, are refused or burst at once.
static sp_pond_def cramped(void)
{
    sp_pond_def def = pond_proof_busy(50, 80);
    def.max_bubbles = 64;
    def.max_foam = 32;
    def.max_ghosts = 8;
    def.merge_probability = 0.5f;
    def.merge_delay = 0.05f;
    def.foam_life = 0.3f;
    return def;
}

sp_status pond_prove_gas_ledger(sp_check_report *report, sp_error *err)
{
    enum { N = 64 };
    static const char *const scenes[] = {"pond/fig7", "pond/fig8", "pond/fig9", "pond/fig10"};
    for (size_t k = 0; k < sizeof scenes / sizeof *scenes; ++k)
        SP_TRY(with_scene(report, scenes[k], put_ledger, err));
    const sp_pond_def busy = pond_proof_busy(50, 80), tight = cramped();
    SP_TRY(put_ledger(report, "obstacle among foam", &busy, err));
    SP_TRY(put_ledger(report, "full lists", &tight, err));
    float heights[N * N];
    pond_proof_island(heights, N, 0.05f, 0.35f);
    sp_pond_def island = pond_proof_busy(50, 80);
    island.ground = (sp_heights){.values = heights, .width = N, .height = N};
    island.boundary[1] = SP_POND_OPEN;
    return put_ledger(report, "island, open side", &island, err);
}

/// ---- Same answer -------------------------------------------------------------------------------

/// The hash after `frames`, on so many threads; `saved` goes through save and a fresh pond half
/// way.
static sp_status hash_after(const sp_pond_def *def, int threads, int frames, bool saved,
                            uint64_t *hash, sp_error *err)
{
    const sp_host host = sp_host_default(threads);
    sp_pond *pond;
    SP_TRY(sp_pond_open(def, &host, &pond, err));
    sp_status status = run_frames(pond, frames / 2, err);
    if (status == SP_OK && saved) {
        const size_t bytes = sp_pond_save(pond, NULL, 0);
        void *state = sp_allocate(&host, bytes, 1);
        if (!state) status = sp_fail(err, SP_NO_MEMORY, "pond: no memory for %zu bytes", bytes);
        if (state) sp_pond_save(pond, state, bytes);
        sp_pond_close(pond);
        pond = NULL;
        if (status == SP_OK) status = sp_pond_open(def, &host, &pond, err);
        if (status == SP_OK) status = sp_pond_load(pond, state, bytes, err);
        sp_release(&host, state);
    }
    if (status == SP_OK) status = run_frames(pond, frames - frames / 2, err);
    *hash = pond ? sp_pond_hash(pond) : 0;
    sp_pond_close(pond);
    return status;
}

static sp_status put_same(sp_check_report *report, const char *name, const sp_pond_def *def,
                          int frames, sp_error *err)
{
    static const int threads[] = {2, 3, 4, 5};
    uint64_t reference, hash;
    SP_TRY(hash_after(def, 1, frames, false, &reference, err));
    int different = 0;
    for (size_t k = 0; k < sizeof threads / sizeof *threads; ++k) {
        SP_TRY(hash_after(def, threads[k], frames, false, &hash, err));
        different += hash != reference;
    }
    sp_exact(report, sp_label(report, "%s: hashes off on 2, 3, 4 and 5 threads", name), different,
             0, "work is cut the same for any number of threads, sums are closed in a fixed order");
    SP_TRY(hash_after(def, 2, frames, true, &hash, err));
    sp_exact(report, sp_label(report, "%s: hash off after save and load", name), hash != reference,
             0, "save writes all of the state, to the bit");
    return SP_OK;
}

static sp_status put_same_for_ten_seconds(sp_check_report *report, const char *name,
                                          const sp_pond_def *def, sp_error *err)
{
    return put_same(report, name, def, 600, err);
}

sp_status pond_prove_determinism(sp_check_report *report, sp_error *err)
{
    SP_TRY(with_scene(report, "pond/fig9", put_same_for_ten_seconds, err));
    SP_TRY(with_scene(report, "pond/fig10", put_same_for_ten_seconds, err));
    static const sp_pond_nozzle_field many = {60, 80, true, 20.0f, 0.002f, 0.25f, 0.01f, 0.1f};
    sp_pond_def large = pond_proof_busy(96, 144); // so that every loop has work for several threads
    large.nozzle_fields = &many;
    large.max_bubbles = large.max_foam = 20000;
    large.rest_level = 0.05f;
    return put_same(report, "4800 nozzles, 30 frames", &large, 30, err);
}

/// ---- Anything goes -----------------------------------------------------------------------------

typedef struct monkey {
    sp_pond *pond;
    uint64_t turn;
    int64_t water; ///< quanta that should be there
    size_t broken, accepted, refused;
} monkey;

static double chance(const monkey *m, uint32_t k)
{
    return pond_proof_unit(7, m->turn, k);
}

/// A coordinate: mostly on the pond, sometimes far away, sometimes NaN.
static float somewhere(const monkey *m, uint32_t k)
{
    const double x = chance(m, k), kind = chance(m, k + 1);
    return kind < 0.9 ? (float)(0.1 * x - 0.01) : kind < 0.97 ? (float)(1e6 * (x - 0.5)) : NAN;
}

static void note(monkey *m, sp_status status)
{
    ++*(status == SP_OK ? &m->accepted : &m->refused);
}

/// A key of the pond, or of one or all of its things. Ranges reach from millimetres to kilometres,
/// so half of the values are small ones.
static void set_something(monkey *m)
{
    static const char *const lists[] = {"heaters", "obstacles", "nozzles"};
    const double dice = 6.0 * chance(m, 12);
    const char *list = dice < 3.0 ? lists[(int)dice] : NULL;
    const sp_keys *keys = list ? sp_keys_find(&sp_pond_keys, list)->items : &sp_pond_keys;
    const sp_key *key = &keys->keys[(size_t)(chance(m, 4) * (double)keys->count)];
    const double share = 1.1 * chance(m, 5) - 0.05, // now and then out of range
        part = chance(m, 13) < 0.5 ? share : share * share * share * share;
    const double span = key->choices ? 4.0 : key->max - key->min;
    char path[80];
    if (list && chance(m, 14) < 0.7)
        snprintf(path, sizeof path, "%s[%d].%s", list, (int)(2.5 * chance(m, 15)), key->name);
    else
        snprintf(path, sizeof path, "%s%s%s", list ? list : "", list ? "." : "", key->name);
    note(m, sp_pond_set(m->pond, path, key->min + part * span, NULL));
}

static void add_something(monkey *m)
{
    const sp_pond_nozzle nozzle = {.x = somewhere(m, 4),
                                   .y = somewhere(m, 6),
                                   .rate = (float)(200.0 * chance(m, 8)),
                                   .radius = (float)(1e-4 + 0.03 * chance(m, 9)),
                                   .spread = (float)chance(m, 10),
                                   .jitter = 0.01f,
                                   .on = true};
    note(m, sp_pond_add_nozzle(m->pond, &nozzle, NULL));
}

static void restart(monkey *m)
{
    note(m, sp_pond_reset(m->pond, NULL));
    m->water = pond_proof_water(m->pond);
}

static void do_something(monkey *m)
{
    const double dice = chance(m, 0);
    if (dice < 0.25)
        set_something(m);
    else if (dice < 0.45)
        note(m, sp_pond_move(m->pond, (sp_pond_thing)(3.2 * chance(m, 1)),
                             (size_t)(3.0 * chance(m, 2)), somewhere(m, 4), somewhere(m, 6), NULL));
    else if (dice < 0.60)
        add_something(m);
    else if (dice < 0.75)
        note(m, sp_pond_remove_nozzle(m->pond, (size_t)(8.0 * chance(m, 1)), NULL));
    else if (dice < 0.87)
        note(m, sp_pond_tap(m->pond, somewhere(m, 4), somewhere(m, 6), somewhere(m, 8), NULL));
    else if (dice < 0.998)
        note(m, sp_pond_splash(m->pond, somewhere(m, 4), somewhere(m, 6),
                               (float)pow(10.0, -10.0 + 13.0 * chance(m, 8)), NULL));
    else
        restart(m);
}

/// All values to draw are finite, and no water is lost.
static bool is_sound(const monkey *m)
{
    const sp_pond_view *v = sp_pond_draw_things(m->pond);
    bool sound = pond_proof_water(m->pond) == m->water;
    for (size_t k = 0; k < (size_t)v->width * v->height; ++k)
        sound &= fabsf(v->level[k]) < 1e3f && v->depth[k] >= 0.0f;
    for (size_t k = 0; k < 8 * (size_t)v->bubble_count; ++k)
        sound &= isfinite(v->bubbles[k]) != 0;
    for (size_t k = 0; k < 8 * (size_t)v->foam_count; ++k)
        sound &= isfinite(v->foam[k]) != 0;
    for (size_t k = 0; k < 8 * (size_t)v->obstacle_count; ++k)
        sound &= isfinite(v->obstacles[k]) != 0;
    return sound;
}

static sp_status prove_fuzz(sp_check_report *report, int frames, sp_error *err)
{
    const sp_pond_heater heater = {0.04f, 0.04f, 0.02f, 30.0f, 0.003f, 0.25f, true, NULL};
    const sp_pond_obstacle box = {SP_POND_BOX, 0.02f, 0.06f, 0.005f, 0.01f, 30.0f, NULL};
    sp_pond_def def = sp_pond_defaults();
    def.nx = def.ny = 8;
    def.rest_level = 0.06f;
    def.boundary[2] = SP_POND_OPEN;
    def.max_bubbles = def.max_foam = 96;
    def.max_ghosts = 32;
    def.tracers = 16;
    def.heaters = &heater;
    def.heater_count = 1;
    def.obstacles = &box;
    def.obstacle_count = 1;
    monkey m = {0};
    SP_TRY(sp_pond_open(&def, report->host, &m.pond, err));
    m.water = pond_proof_water(m.pond);
    sp_status status = SP_OK;
    for (; m.turn < (uint64_t)frames && status == SP_OK; ++m.turn) {
        do_something(&m);
        status = sp_pond_step(m.pond, m.pond->time + (0.01 + chance(&m, 11)) / 60.0, err);
        m.broken += !is_sound(&m);
    }
    sp_exact(report, "frames with lost water or no number", (double)m.broken, 0,
             "random commands on 8 x 8 cells: nothing a person does may break it");
    sp_at_least(report, "commands taken", (double)m.accepted, frames / 4,
                "so that something happened");
    sp_at_least(report, "commands refused", (double)m.refused, frames / 50,
                "no numbers, wrong indices, out of range");
    sp_pond_close(m.pond);
    return status;
}

sp_status pond_prove_fuzz(sp_check_report *report, sp_error *err)
{
    return prove_fuzz(report, 20000, err);
}

sp_status pond_prove_fuzz_long(sp_check_report *report, sp_error *err)
{
    return prove_fuzz(report, 100000, err);
}

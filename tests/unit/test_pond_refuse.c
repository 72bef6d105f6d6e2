// SPDX-License-Identifier: Apache-2.0
// links: validate pond
/// Defs that a pond refuses, each with one sentence that gives the key's path and the allowed
/// values, and without a leak.
#include "test_pond.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void assert_refused(const sp_pond_def *def, const char *path, const char *allowed)
{
    sp_budget budget;
    const sp_host ordinary = sp_host_default(1), host = sp_budget_host(&budget, &ordinary, 0);
    sp_pond *pond = (sp_pond *)(uintptr_t)64; // must be overwritten
    if (sp_pond_open(def, &host, &pond, ERR) != SP_BAD_INPUT) fail_msg("%s: not refused", path);
    assert_null(pond);
    assert_int_equal(budget.used, 0);
    if (!strstr(ERR->text, path)) fail_msg("\"%s\" does not name %s", ERR->text, path);
    if (!strstr(ERR->text, allowed)) fail_msg("\"%s\" does not say \"%s\"", ERR->text, allowed);
}

static void every_number_out_of_its_range_is_refused(void **state)
{
    (void)state;
    size_t tried = 0;
    for (size_t k = 0; k < sp_pond_keys.count; ++k) {
        const sp_key *key = &sp_pond_keys.keys[k];
        if (key->type != SP_KEY_F32 && key->type != SP_KEY_I32) continue;
        char path[96], allowed[64];
        snprintf(path, sizeof path, "pond.%s: ", key->name);
        snprintf(allowed, sizeof allowed, "expected %.10g to ", key->min);
        const double margin = key->type == SP_KEY_I32 ? 1.0 : 0.01 * (key->max - key->min);
        const double beyond[] = {key->min - margin, key->max + margin, (double)NAN,
                                 (double)INFINITY};
        for (size_t b = 0; b < (key->type == SP_KEY_I32 ? 2 : 4); ++b) {
            sp_pond_def def = sp_pond_defaults();
            sp_key_set_number(key, &def, beyond[b]);
            assert_refused(&def, path, allowed);
            ++tried;
        }
    }
    assert_true(tried > 100);
}

/// ---- Rules beyond ranges: each function breaks one of them

static sp_pond_nozzle nozzle = {.radius = 0.004f, .rate = 8.0f, .on = true};
static sp_pond_nozzle_field field = {.columns = 200, .rows = 200, .rate = 1.0f, .radius = 0.004f};
static sp_pond_heater heater = {.radius = 0.05f, .rate = 9.0f, .on = true, .bubble_radius = 0.003f};
static sp_pond_obstacle obstacle = {.size = 0.04f, .length = 0.04f};
static sp_pond_start start = {.radius = 0.004f};
static sp_pond_circle circle = {.radius = 0.1f, .period = 1.0f};
static sp_pond_keyframe keyframes[] = {{0.0f, 0.1f, 0.1f}, {1.0f, 0.2f, 0.1f}, {1.0f, 0.3f, 0.1f}};
static sp_pond_path path;
static float heights[] = {0.1f, 0.2f, 0.1f, -0.1f};

static void no_struct_size(sp_pond_def *def)
{
    def->struct_size = 0;
}
static void scale_of_three(sp_pond_def *def)
{
    def->render_scale = 3;
}
static void least_above_most(sp_pond_def *def)
{
    def->sw_min_substeps = 40;
}
static void unknown_side(sp_pond_def *def)
{
    def->boundary[2] = 2;
}
static void unknown_model(sp_pond_def *def)
{
    def->vortex_model = -1;
}
static void dry(sp_pond_def *def)
{
    def->ground.constant = 0.2f;
}
static void dry_everywhere(sp_pond_def *def)
{
    static float high[] = {0.3f, 0.2f, 0.4f, 0.25f};
    def->ground = (sp_heights){.values = high, .width = 2, .height = 2};
}
static void ground_below_zero(sp_pond_def *def)
{
    def->ground = (sp_heights){.values = heights, .width = 2, .height = 2};
}
static void ground_without_rows(sp_pond_def *def)
{
    def->ground = (sp_heights){.values = heights, .width = 2};
}
static void ground_sky_high(sp_pond_def *def)
{
    static float tower[] = {0.0f, 30.0f};
    def->ground = (sp_heights){.values = tower, .width = 2, .height = 1};
}
static void deep_for_its_cells(sp_pond_def *def)
{
    def->rest_level = 20.0f;
}
static void too_many_nozzles(sp_pond_def *def)
{
    def->nozzle_fields = &field;
    def->nozzle_field_count = 1;
}
static void list_without_entries(sp_pond_def *def)
{
    def->nozzles = NULL;
    def->nozzle_count = 2;
}
static void nozzle_outside(sp_pond_def *def)
{
    nozzle.x = 0.6f;
    def->nozzles = &nozzle;
    def->nozzle_count = 1;
}
static void nozzle_nowhere(sp_pond_def *def)
{
    nozzle.x = NAN;
    def->nozzles = &nozzle;
    def->nozzle_count = 1;
}
static void heater_outside(sp_pond_def *def)
{
    heater.y = 0.9f;
    def->heaters = &heater;
    def->heater_count = 1;
}
static void nine_heaters(sp_pond_def *def)
{
    def->heaters = &heater;
    def->heater_count = 9;
}
static void obstacle_outside(sp_pond_def *def)
{
    obstacle.x = 7.0f;
    def->obstacles = &obstacle;
    def->obstacle_count = 1;
}
static void lead(sp_pond_def *def)
{
    obstacle.x = 0.1f;
    obstacle.path = &path;
    def->obstacles = &obstacle;
    def->obstacle_count = 1;
}
static void circle_and_keyframes(sp_pond_def *def)
{
    path = (sp_pond_path){.circle = &circle, .keyframes = keyframes, .keyframe_count = 2};
    lead(def);
}
static void round_in_no_time(sp_pond_def *def)
{
    circle.period = 0.0f;
    path = (sp_pond_path){.circle = &circle};
    lead(def);
}
static void two_places_at_once(sp_pond_def *def)
{
    path = (sp_pond_path){.keyframes = keyframes, .keyframe_count = 3};
    lead(def);
}
static void bubble_outside(sp_pond_def *def)
{
    start.y = 3.0f;
    def->bubbles = &start;
    def->bubble_count = 1;
}
static void bubble_in_the_sky(sp_pond_def *def)
{
    static sp_pond_start high = {0.1f, 0.1f, 500.0f, 0.004f};
    def->bubbles = &high;
    def->bubble_count = 1;
}
static void more_bubbles_than_room(sp_pond_def *def)
{
    static sp_pond_start three[3] = {
        {0.1f, 0.1f, 0.1f, 0.004f}, {0.2f, 0.1f, 0.1f, 0.004f}, {0.3f, 0.1f, 0.1f, 0.004f}};
    def->bubbles = three;
    def->bubble_count = 3;
    def->max_bubbles = 2;
}

static void contradictory_defs_are_refused(void **state)
{
    (void)state;
    static const struct {
        void (*spoil)(sp_pond_def *def);
        const char *path, *allowed;
    } rows[] = {
        {no_struct_size, "struct_size 0", "sp_pond_defaults()"},
        {scale_of_three, "pond.render_scale", "expected 1, 2 or 4"},
        {least_above_most, "pond.sw_min_substeps", "expected at most sw_max_substeps, 32"},
        {unknown_side, "pond.boundary", "expected reflect or open"},
        {unknown_model, "pond.vortex_model", "expected bounded or paper"},
        {dry, "pond.rest_level", "expected more than the lowest ground, 0.2 m"},
        {dry_everywhere, "pond.rest_level", "the pond is dry"},
        {ground_below_zero, "pond.ground", "expected 0 to 1000"},
        {ground_without_rows, "pond.ground", "expected at least one"},
        {ground_sky_high, "pond.ground", "expected at most 100 times rest_level"},
        {deep_for_its_cells, "pond.dx", "expected larger cells"},
        {too_many_nozzles, "pond.nozzle_fields", "expected at most 32768"},
        {list_without_entries, "pond.nozzles", "no list"},
        {nozzle_outside, "pond.nozzles[0].x", "expected 0 to 0.5, the pond's width"},
        {nozzle_nowhere, "pond.nozzles[0].x", "expected 0 to 100000"},
        {heater_outside, "pond.heaters[0].y", "expected 0 to 0.8, the pond's length"},
        {nine_heaters, "pond.heaters", "expected 0 to 8"},
        {obstacle_outside, "pond.obstacles[0].x", "expected 0 to 0.5"},
        {circle_and_keyframes, "pond.obstacles[0].path", "expected one of them"},
        {round_in_no_time, "pond.obstacles[0].path.circle.period", "expected"},
        {two_places_at_once, "pond.obstacles[0].path.keyframes[2].t", "expected more than 1"},
        {bubble_outside, "pond.bubbles[0].y", "expected 0 to 0.8"},
        {bubble_in_the_sky, "pond.bubbles[0].z: 500 m", "expected 0 to 0.2, the highest water"},
        {more_bubbles_than_room, "pond.bubbles", "expected at most max_bubbles, 2"},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; ++k) {
        sp_pond_def def = sp_pond_defaults();
        rows[k].spoil(&def);
        assert_refused(&def, rows[k].path, rows[k].allowed);
    }
}

static void the_defaults_are_accepted(void **state)
{
    (void)state;
    const sp_pond_def def = sp_pond_defaults();
    sp_pond_close(open_pond(&def, NULL));
    sp_pond_close(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_number_out_of_its_range_is_refused),
        cmocka_unit_test(contradictory_defs_are_refused),
        cmocka_unit_test(the_defaults_are_accepted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: Apache-2.0
// links: frame core
#include "frame/frame.h"
#include "testing.h"

#include <string.h>

enum { N = 5000 }; // more than one block of the finite check

typedef struct sample {
    float x[N][3], radius[N], height[12];
    double mass[N];
    uint64_t id[N];
    sp_column columns[4];
    sp_set set;
    sp_field field;
    sp_body bodies[2];
    sp_stat stat;
    sp_frame frame;
} sample;

static void fill(sample *s)
{
    memset(s, 0, sizeof *s);
    for (uint64_t i = 0; i < N; ++i)
        s->id[i] = 3 * i;
    s->columns[0] = (sp_column){"position", SP_F32, 3, s->x};
    s->columns[1] = (sp_column){"id", SP_U64, 1, s->id};
    s->columns[2] = (sp_column){"radius", SP_F32, 1, s->radius};
    s->columns[3] = (sp_column){"mass", SP_F64, 1, s->mass};
    s->set = (sp_set){"foam", N, s->columns, 4};
    s->field = (sp_field){.name = "height",
                          .layout = SP_FIELD_PLANE,
                          .components = 1,
                          .values = s->height,
                          .nu = 4,
                          .nv = 3};
    s->bodies[0].name = "rock";
    s->bodies[1].name = "boat";
    s->stat = (sp_stat){"water_m3", 1.0};
    s->frame = (sp_frame){.sets = &s->set,
                          .set_count = 1,
                          .fields = &s->field,
                          .field_count = 1,
                          .bodies = s->bodies,
                          .body_count = 2,
                          .stats = &s->stat,
                          .stat_count = 1};
}

static sample one; // too large for a stack

static void valid_frame_passes(void **state)
{
    (void)state;
    fill(&one);
    *ERR = (sp_error){0};
    assert_ok(sp_frame_check(&one.frame, ERR));
    assert_ok(sp_frame_check_finite(&one.frame, ERR));
    assert_ok(sp_frame_check(&(sp_frame){0}, ERR));
    assert_ok(sp_frame_check_finite(&(sp_frame){0}, ERR));
    assert_string_equal(ERR->text, "");
}

static void each_broken_rule_is_named(void **state)
{
    (void)state;
    static const char *const named[] = {"/points/foam/position",
                                        "/points/foam/id",
                                        "/points/foam/id",
                                        "/points/foam/radius",
                                        "/points/foam/mass",
                                        "/fields/height",
                                        "/fields/height",
                                        "\"boat\"",
                                        "\"a/b\"",
                                        "\"\""};
    for (size_t row = 0; row < sizeof named / sizeof *named; ++row) {
        fill(&one);
        if (row == 0) one.columns[0].kind = SP_F64;
        if (row == 1) one.columns[1].name = "identity";
        if (row == 2) one.id[4999] = one.id[4998];
        if (row == 3) one.columns[2].components = 2;
        if (row == 4) one.columns[3].kind = (sp_kind)99;
        if (row == 5) one.field.layout = (sp_field_layout)7;
        if (row == 6) one.field.components = 0;
        if (row == 7) one.bodies[0].name = "boat";
        if (row == 8) one.bodies[0].name = "a/b";
        if (row == 9) one.stat.name = NULL;
        assert_fails(sp_frame_check(&one.frame, ERR), SP_BAD_INPUT, named[row]);
    }
}

static void every_number_that_is_not_finite_is_found(void **state)
{
    (void)state;
    static const char *const named[] = {"foam 14997 has a position",
                                        "foam 0 has a radius",
                                        "foam 12300 has a radius",
                                        "foam 3 has a mass",
                                        "field height is not finite at sample 11",
                                        "time"};
    for (size_t row = 0; row < sizeof named / sizeof *named; ++row) {
        fill(&one);
        if (row == 0) one.x[4999][2] = NAN;
        if (row == 1) one.radius[0] = -INFINITY;
        if (row == 2) one.radius[4100] = one.radius[4200] = INFINITY; // the first is named
        if (row == 3) one.mass[1] = (double)NAN;
        if (row == 4) one.height[11] = NAN;
        if (row == 5) one.frame.time = (double)INFINITY;
        assert_fails(sp_frame_check_finite(&one.frame, ERR), SP_DIVERGED, named[row]);
    }
}

/// A statistic may be NaN (unknown), and the largest float is a finite number.
static void largest_float_and_unknown_statistics_pass(void **state)
{
    (void)state;
    fill(&one);
    one.radius[7] = 3.402823466e38f;
    one.stat.value = (double)NAN;
    assert_ok(sp_frame_check_finite(&one.frame, ERR));
}

static void names_that_cannot_be_paths_are_refused(void **state)
{
    (void)state;
    char name[102];
    memset(name, 'n', sizeof name);
    name[101] = '\0';
    assert_false(sp_frame_name_ok(name));
    name[100] = '\0';
    assert_true(sp_frame_name_ok(name));
    assert_true(sp_frame_name_ok("rock 2 (left)"));
    assert_true(sp_frame_name_ok("...") && !sp_frame_name_ok(".") && !sp_frame_name_ok(".."));
    assert_false(sp_frame_name_ok("") || sp_frame_name_ok(NULL) || sp_frame_name_ok("a\nb"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(valid_frame_passes),
        cmocka_unit_test(each_broken_rule_is_named),
        cmocka_unit_test(every_number_that_is_not_finite_is_found),
        cmocka_unit_test(largest_float_and_unknown_statistics_pass),
        cmocka_unit_test(names_that_cannot_be_paths_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

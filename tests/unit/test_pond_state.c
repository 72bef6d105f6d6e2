// SPDX-License-Identifier: Apache-2.0
// links: validate pond frame
/// Refusal of damaged states, and validity of published frames.
#include "pond/errata.h"
#include "solver/solver.h"
#include "test_pond.h"

#include <stdlib.h>
#include <string.h>

typedef struct saved {
    sp_pond *pond;
    unsigned char *bytes;
    size_t count;
} saved;

static saved save_busy(void)
{
    const sp_pond_def def = small_busy();
    saved s = {.pond = open_pond(&def, NULL)};
    step_frames(s.pond, 30);
    s.count = sp_pond_save(s.pond, NULL, 0);
    s.bytes = malloc(s.count + 64);
    assert_non_null(s.bytes);
    sp_pond_save(s.pond, s.bytes, s.count);
    return s;
}

static void drop(saved *s)
{
    free(s->bytes);
    sp_pond_close(s->pond);
}

/// The state is refused in one sentence, and the pond does not change.
static void assert_damaged(sp_pond *pond, const void *bytes, size_t count)
{
    const uint64_t before = sp_pond_hash(pond);
    assert_fails(sp_pond_load(pond, bytes, count, ERR), SP_DAMAGED, "state");
    assert_int_equal(sp_pond_hash(pond), before);
}

static void a_state_of_another_length_is_refused(void **state)
{
    (void)state;
    saved s = save_busy();
    step_frames(s.pond, 3);
    for (size_t cut = 1; cut < s.count; cut = cut * 3 / 2 + 1)
        assert_damaged(s.pond, s.bytes, s.count - cut);
    assert_damaged(s.pond, s.bytes, 0);
    assert_damaged(s.pond, s.bytes, s.count + 8);
    drop(&s);
}

static void a_flipped_bit_is_refused(void **state)
{
    (void)state;
    saved s = save_busy();
    step_frames(s.pond, 3);
    for (size_t k = 0; k < 200;
         ++k) { // every byte of the header, then bytes evenly spaced over the rest
        const size_t at = k < 104 ? k : (k - 104) * (s.count / 96);
        s.bytes[at] ^= (unsigned char)(1u << (k % 8));
        assert_damaged(s.pond, s.bytes, s.count);
        s.bytes[at] ^= (unsigned char)(1u << (k % 8));
    }
    assert_ok(sp_pond_load(s.pond, s.bytes, s.count, ERR));
    drop(&s);
}

static void a_state_of_another_pond_is_refused(void **state)
{
    (void)state;
    saved s = save_busy();
    sp_pond_def others[5];
    for (size_t k = 0; k < 5; ++k)
        others[k] = small_busy();
    others[0].nx = 49;
    others[1].ny = 61;
    others[2].max_bubbles = 8;
    others[3].obstacle_count = 0;
    others[4].tracers = 8;
    for (size_t k = 0; k < 5; ++k) {
        sp_pond *other = open_pond(&others[k], NULL);
        assert_damaged(other, s.bytes, s.count);
        step_frames(other, 3); // and the pond still steps
        sp_pond_close(other);
    }
    drop(&s);
}

/// Cells beyond the border exist for vector loops only. Water that leaves is counted and removed;
/// otherwise it would accumulate until an integer overflows.
static void no_water_accumulates_beyond_an_open_side(void **state)
{
    (void)state;
    sp_pond_def def = small_busy();
    for (int side = 0; side < 4; ++side)
        def.boundary[side] = SP_POND_OPEN;
    sp_pond *pond = open_pond(&def, NULL);
    const pond_water *w = &pond->water;
    const int64_t before = pond_proof_water(pond);
    step_frames(pond, 60);
    assert_true(w->entered != 0);
    assert_int_equal(pond_proof_water(pond), before);
    int64_t all = 0, inside = sp_pond_statistics(pond).water_quanta;
    for (size_t c = 0; c < w->cells; ++c)
        all += w->q[c];
    assert_int_equal(all, inside);
    sp_pond_close(pond);
}

/// Every published frame is valid.
static void published_frames_are_valid(void **state)
{
    (void)state;
    const sp_pond_def def = small_busy();
    void *solver;
    const sp_setup setup = {.def = &def, .seed = 3};
    assert_ok(sp_pond_solver.open(&setup, HOST, &solver, ERR));
    for (int k = 0; k <= 40; ++k) {
        sp_frame frame = {.frame = (uint64_t)k, .fps = 60.0};
        assert_ok(sp_pond_solver.step(solver, k / 60.0, ERR));
        assert_ok(sp_pond_solver.publish(solver, &frame, ERR));
        if (sp_frame_check(&frame, ERR) != SP_OK || sp_frame_check_finite(&frame, ERR) != SP_OK)
            fail_msg("frame %d: %s", k, ERR->text);
    }
    sp_pond_solver.close(solver);
}

/// Large sets are stored in the order of space, and published by ascending id.
static void particles_of_a_frame_are_in_order_of_ids(void **state)
{
    (void)state;
    enum { BUBBLES = 6000 };
    sp_pond_start *bubbles = malloc(BUBBLES * sizeof *bubbles);
    assert_non_null(bubbles);
    for (uint64_t n = 0; n < BUBBLES; ++n)
        bubbles[n] = (sp_pond_start){2.0f * (float)pond_proof_unit(50, n, 0),
                                     2.0f * (float)pond_proof_unit(50, n, 1), 0.02f, 0.002f};
    sp_pond_def def = sp_pond_defaults();
    def.nx = def.ny = 200;
    def.max_bubbles = 8000;
    def.coalescence = false;
    def.bubbles = bubbles;
    def.bubble_count = BUBBLES;
    void *solver;
    const sp_setup setup = {.def = &def, .seed = 3};
    assert_ok(sp_pond_solver.open(&setup, HOST, &solver, ERR));
    sp_frame frame = {.frame = 2, .fps = 60.0};
    assert_ok(sp_pond_solver.step(solver, 2 / 60.0, ERR));
    assert_ok(sp_pond_solver.publish(solver, &frame, ERR));
    const sp_set *set = &frame.sets[0];
    assert_int_equal(set->count, BUBBLES);
    const float *position = set->columns[0].data;
    const uint64_t *id = set->columns[3].data;
    for (size_t k = 0; k < BUBBLES; ++k) {
        assert_int_equal(id[k], k + 1);
        assert_true(fabsf(position[3 * k] - bubbles[k].x) < 0.01f); // has moved a few millimetres
        assert_true(fabsf(-position[3 * k + 2] - bubbles[k].y) < 0.01f);
    }
    sp_pond_solver.close(solver);
    free(bubbles);
}

static void errata_are_complete(void **state)
{
    (void)state;
    for (size_t k = 0; k < SP_POND_ERRATA; ++k) {
        const sp_erratum *e = &sp_pond_errata[k];
        assert_true(e->where && e->printed && e->problem && e->ours);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_state_of_another_length_is_refused),
        cmocka_unit_test(a_flipped_bit_is_refused),
        cmocka_unit_test(a_state_of_another_pond_is_refused),
        cmocka_unit_test(no_water_accumulates_beyond_an_open_side),
        cmocka_unit_test(published_frames_are_valid),
        cmocka_unit_test(particles_of_a_frame_are_in_order_of_ids),
        cmocka_unit_test(errata_are_complete),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: Apache-2.0
// links: core
/// Walks through the pieces of a state.
#include "core/core.h"
#include "testing.h"

#include <string.h>

typedef struct state {
    double time;
    uint32_t count;
    float values[5];
    float *none; ///< an array of no entries
} state;

enum { BYTES = 8 + 4 + 20 };
static const state filled = {.time = 0.25, .count = 5, .values = {1, 2, 3, 4, 5}};

static void list(state *s, sp_walk *w)
{
    SP_PIECE(w, s->time);
    SP_PIECE(w, s->count);
    sp_walk_piece(w, s->none, 0);
    sp_walk_piece(w, s->values, sizeof s->values);
}

static void what_is_saved_is_restored(void **unused)
{
    (void)unused;
    unsigned char bytes[BYTES];
    state from = filled, to = {0};
    sp_walk count = {.way = SP_WALK_COUNT};
    list(&from, &count);
    assert_int_equal(count.bytes, BYTES);
    sp_walk save = {.way = SP_WALK_SAVE, .at = bytes, .left = BYTES};
    list(&from, &save);
    assert_true(!save.failed && save.left == 0);
    sp_walk restore = {.way = SP_WALK_RESTORE, .at = bytes, .left = BYTES};
    list(&to, &restore);
    assert_true(!restore.failed && restore.left == 0);
    assert_memory_equal(&to, &filled, sizeof to);
    assert_memory_equal(&from, &filled, sizeof from);
}

static void pieces_beyond_the_end_are_zero(void **unused)
{
    (void)unused;
    unsigned char bytes[BYTES];
    state from = filled;
    sp_walk save = {.way = SP_WALK_SAVE, .at = bytes, .left = BYTES};
    list(&from, &save);
    for (size_t left = 0; left < BYTES; ++left) {
        state to = filled;
        sp_walk restore = {.way = SP_WALK_RESTORE, .at = bytes, .left = left};
        list(&to, &restore);
        assert_true(restore.failed);
        assert_true(to.time == (left >= 8 ? 0.25 : 0.0));
        assert_int_equal(to.count, left >= 12 ? 5 : 0);
        assert_true(to.values[0] == 0.0f && to.values[4] == 0.0f);
    }
}

static void saving_stops_at_the_end_of_memory(void **unused)
{
    (void)unused;
    unsigned char bytes[BYTES];
    memset(bytes, 7, sizeof bytes);
    state from = filled;
    sp_walk save = {.way = SP_WALK_SAVE, .at = bytes, .left = 12};
    list(&from, &save);
    assert_true(save.failed && bytes[12] == 7);
}

static void a_hash_is_that_of_the_pieces_in_order(void **unused)
{
    (void)unused;
    state from = filled;
    sp_walk walk = {.way = SP_WALK_HASH, .hash = 9};
    list(&from, &walk);
    uint64_t hash = sp_hash(9, &from.time, sizeof from.time);
    hash = sp_hash(hash, &from.count, sizeof from.count);
    hash = sp_hash(hash, NULL, 0); // an empty piece counts
    assert_int_equal(walk.hash, sp_hash(hash, from.values, sizeof from.values));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_saved_is_restored),
        cmocka_unit_test(pieces_beyond_the_end_are_zero),
        cmocka_unit_test(saving_stops_at_the_end_of_memory),
        cmocka_unit_test(a_hash_is_that_of_the_pieces_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

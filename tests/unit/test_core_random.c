// SPDX-License-Identifier: Apache-2.0
// links: core
#include "core/numbers/hash.h"
#include "core/numbers/random.h"
#include "testing.h"

#include <math.h>
#include <string.h>

/// The published results of XXH64 for texts with seed 0.
static void hashes_equal_the_published_xxh64_vectors(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t hash;
    } rows[] = {
        {"", 0xef46db3751d8e999u},
        {"a", 0xd24ec4f1a98c6e5bu},
        {"abc", 0x44bc2cf5ad770999u},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i)
        assert_true(sp_hash(0, rows[i].text, strlen(rows[i].text)) == rows[i].hash);
    assert_true(sp_hash(0, NULL, 0) == rows[0].hash);
}

/// Every length takes another path through the loops (32, 8, 4, 1 bytes at a time): one flipped
/// bit, another seed or another length always changes the hash.
static void every_byte_length_and_seed_changes_the_hash(void **state)
{
    (void)state;
    unsigned char bytes[100];
    for (size_t i = 0; i < sizeof bytes; ++i)
        bytes[i] = (unsigned char)(i * 37 + 11);
    for (size_t n = 1; n <= sizeof bytes; ++n) {
        const uint64_t hash = sp_hash(5, bytes, n);
        assert_true(hash != sp_hash(6, bytes, n));
        assert_true(hash != sp_hash(5, bytes, n - 1));
        for (size_t i = 0; i < n; ++i) {
            bytes[i] ^= 1u << (i % 8);
            assert_true(hash != sp_hash(5, bytes, n));
            bytes[i] ^= 1u << (i % 8);
        }
    }
}

/// x*m*m^-1 = x modulo 2^64, by Newton's iteration; each step doubles the good bits.
static uint64_t odd_inverse(uint64_t m)
{
    uint64_t inverse = m;
    for (int i = 0; i < 6; ++i)
        inverse *= 2 - m * inverse;
    return inverse;
}

static uint64_t unshift(uint64_t x, int by)
{
    uint64_t y = x;
    for (int i = 0; i < 64 / by; ++i)
        y = x ^ (y >> by);
    return y;
}

/// sp_mix64 backwards, so that a test can ask for a raw Philox key.
static uint64_t unmix(uint64_t x)
{
    x = unshift(x, 31) * odd_inverse(0x94d049bb133111ebu);
    x = unshift(x, 27) * odd_inverse(0xbf58476d1ce4e5b9u);
    return unshift(x, 30) - 0x9e3779b97f4a7c15u;
}

/// The known answers that come with Random123 (Salmon et al. 2011) for philox4x32, ten rounds.
static void philox_gives_the_published_answers(void **state)
{
    (void)state;
    static const struct {
        uint32_t counter[4], key[2], answer[4];
    } rows[] = {
        {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5u, 0xe169c58du, 0xbc57ac4cu, 0x9b00dbd8u}},
        {{~0u, ~0u, ~0u, ~0u}, {~0u, ~0u}, {0x408f276du, 0x41c83b0eu, 0xa20bc7c6u, 0x6d5451fdu}},
        {{0x243f6a88u, 0x85a308d3u, 0x13198a2eu, 0x03707344u},
         {0xa4093822u, 0x299f31d0u},
         {0xd16cfe09u, 0x94fdccebu, 0x5001e420u, 0x24126ea1u}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        const uint64_t seed = unmix(rows[i].key[0] | (uint64_t)rows[i].key[1] << 32);
        const uint64_t id = rows[i].counter[0] | (uint64_t)rows[i].counter[1] << 32;
        const sp_random4 r = sp_random(seed, 0, id, rows[i].counter[2], rows[i].counter[3]);
        assert_memory_equal(r.x, rows[i].answer, sizeof r.x);
    }
}

static void each_argument_changes_the_numbers(void **state)
{
    (void)state;
    const sp_random4 r = sp_random(1, 2, 3, 4, 5);
    const sp_random4 others[] = {sp_random(2, 2, 3, 4, 5), sp_random(1, 3, 3, 4, 5),
                                 sp_random(1, 2, 4, 4, 5), sp_random(1, 2, 3, 5, 5),
                                 sp_random(1, 2, 3, 4, 6), sp_random(1, 2, 3ull << 32, 4, 5)};
    for (size_t i = 0; i < sizeof others / sizeof *others; ++i)
        assert_memory_not_equal(&r, &others[i], sizeof r);
}

/// 1e5 uniform numbers have mean 1/2 within 0.5/sqrt(12e5)*5 = 0.0046 (five standard deviations)
/// and variance 1/12 within 5*sqrt(1/180/1e5) = 0.0012.
static void uniform_numbers_have_the_right_range_mean_and_variance(void **state)
{
    (void)state;
    double sum = 0.0, squares = 0.0;
    enum { N = 100000 };
    for (uint64_t i = 0; i < N; ++i) {
        const uint32_t x = sp_random(9, 1, i, 0, 0).x[i % 4];
        const double u = (double)sp_unit(x);
        assert_true(u >= 0.0 && u < 1.0);
        sum += u;
        squares += (u - 0.5) * (u - 0.5);
    }
    assert_true(fabs(sum / N - 0.5) < 0.0046);
    assert_true(fabs(squares / N - 1.0 / 12.0) < 0.0012);
    assert_true(sp_unit(0) == 0.0f && sp_unit(~0u) < 1.0f);
    assert_true(sp_unit_open(0) > 0.0f && sp_unit_open(~0u) < 1.0f);
}

static void pair_id_does_not_depend_on_the_order(void **state)
{
    (void)state;
    assert_true(sp_pair_id(3, 8) == sp_pair_id(8, 3));
    assert_true(sp_pair_id(3, 8) != sp_pair_id(3, 9));
    assert_true(sp_pair_id(3, 8) != sp_pair_id(2, 8));
    assert_true(sp_pair_id(5, 5) != 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hashes_equal_the_published_xxh64_vectors),
        cmocka_unit_test(every_byte_length_and_seed_changes_the_hash),
        cmocka_unit_test(philox_gives_the_published_answers),
        cmocka_unit_test(each_argument_changes_the_numbers),
        cmocka_unit_test(uniform_numbers_have_the_right_range_mean_and_variance),
        cmocka_unit_test(pair_id_does_not_depend_on_the_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

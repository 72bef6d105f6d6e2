// SPDX-License-Identifier: Apache-2.0
// links: exchange bulk tiles frame core
// A damaged byte anywhere in a VDB file is refused in one sentence or does no harm. OpenVDB alone
// would write beyond its arrays; sanitizers would show that here.
#include "exchange/exchange.h"
#include "exchange/import.h"
#include "logging_host.h"
#include "temporary.h"
#include "testing.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/// OpenVDB leaks the handles of point pages when a page is damaged. The leak sanitizer asks this
/// function which leaks to ignore.
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:PagedInputStream";
}

enum { TILES = 8, VOXELS = 512 * TILES, DROPS = 500 };

static const char *path;
static unsigned char *whole;
static size_t size;

/// Points of the same ball, which the surface can be built from.
static void place_drops(float (*x)[3], uint64_t *id)
{
    for (uint64_t n = 0; n < DROPS; ++n) {
        id[n] = n;
        for (uint64_t a = 0; a < 3; ++a) {
            const uint64_t key[2] = {n, a};
            x[n][a] = 0.5f * ((float)(sp_hash(3, key, sizeof key) >> 40) / (1 << 24) - 0.5f);
        }
    }
}

/// A ball of water of half a metre, turning about its axis.
static void write_ball(const char *to)
{
    static float drops[DROPS][3];
    static uint64_t id[DROPS];
    static float phi[VOXELS], velocity[3 * VOXELS];
    static const int32_t tiles[TILES][3] = {{-1, -1, -1}, {0, -1, -1}, {-1, 0, -1}, {0, 0, -1},
                                            {-1, -1, 0},  {0, -1, 0},  {-1, 0, 0},  {0, 0, 0}};
    const double voxel = 0.1;
    for (size_t v = 0; v < VOXELS; ++v) {
        const size_t place = v % 512, in[3] = {place & 7, place >> 3 & 7, place >> 6};
        double p[3];
        for (int a = 0; a < 3; ++a)
            p[a] = (8.0 * tiles[v / 512][a] + (double)in[a] + 0.5) * voxel;
        const double d = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]) - 0.5;
        phi[v] = (float)fmin(0.3, fmax(-0.3, d));
        velocity[3 * v] = (float)-p[2];
        velocity[3 * v + 2] = (float)p[0];
    }
    const sp_field fields[] = {{.name = "surface",
                                .layout = SP_FIELD_TILES,
                                .components = 1,
                                .values = phi,
                                .tiles = tiles[0],
                                .tile_count = TILES},
                               {.name = "velocity",
                                .layout = SP_FIELD_TILES,
                                .components = 3,
                                .values = velocity,
                                .tiles = tiles[0],
                                .tile_count = TILES,
                                .staggered = true}};
    const sp_column columns[] = {{"position", SP_F32, 3, drops}, {"id", SP_U64, 1, id}};
    const sp_set set = {"drops", DROPS, columns, 2};
    const sp_frame frame = {.frame = 1,
                            .fps = 24.0,
                            .voxel = voxel,
                            .sets = &set,
                            .set_count = 1,
                            .fields = fields,
                            .field_count = 2};
    place_drops(drops, id);
    assert_ok(sp_export_vdb(to, &frame, NULL, ERR));
}

static int open_all(void **state)
{
    (void)state;
    const char *dir = temporary_directory();
    path = path_in(dir, "spume.000001.vdb");
    if (sp_export_vdb_missing()) return 0;
    write_ball(dir);
    whole = read_file(path, &size);
    return size > 0 ? 0 : 1;
}

static int close_all(void **state)
{
    (void)state;
    free(whole);
    return 0;
}

static sp_status read_with(size_t at, unsigned char flip, const char *surface, const sp_host *host,
                           sp_error *err)
{
    sp_import *import;
    sp_import_water water;
    const char *const paths[] = {path};
    sp_import_options o = sp_import_defaults();
    whole[at] ^= flip;
    write_file(path, whole, size);
    whole[at] ^= flip;
    o.style = SP_IMPORT_PLAIN;
    o.surface = surface;
    SP_TRY(sp_import_open(paths, 1, &o, host, &import, err));
    const sp_status status = sp_import_water_read(import, 0, &water, err);
    if (status == SP_OK) sp_import_water_close(&water);
    sp_import_close(import);
    return status;
}

/// Every byte is equally likely to be damaged. 100 damages reach each part of the file, whose nodes
/// consist mostly of four kilobytes of child masks.
static void damage(const char *surface)
{
    const sp_host host = logging_host(1);
    *ERR = (sp_error){0};
    int refused = 0;
    assert_ok(read_with(0, 0, surface, &host, ERR));
    for (uint64_t n = 0; n < 100; ++n) {
        const uint64_t dice = sp_hash(7, &n, sizeof n);
        const unsigned char flip = (unsigned char)(1u << (dice >> 60 & 7));
        *ERR = (sp_error){0};
        if (read_with((size_t)(dice % size), flip, surface, &host, ERR) == SP_OK) continue;
        ++refused;
        assert_true(ERR->text[0] != '\0' && strchr(ERR->text, '\n') == NULL);
    }
    assert_true(refused > 30); // masks are half of the file, and two of its three grids are read
}

static void damaged_byte_in_grids_is_refused_or_harmless(void **state)
{
    (void)state;
    if (sp_export_vdb_missing()) skip();
    damage("surface");
}

static void damaged_byte_in_points_is_refused_or_harmless(void **state)
{
    (void)state;
    if (sp_export_vdb_missing()) skip();
    damage("drops");
}

/// Whether a text begins here: its length, then as many printable characters.
static bool is_text(size_t at)
{
    uint32_t length;
    memcpy(&length, whole + at, sizeof length);
    if (length < 3 || length > 64 || at + sizeof length + length > size) return false;
    for (size_t i = 0; i < length; ++i)
        if (whole[at + sizeof length + i] < ' ' || whole[at + sizeof length + i] > '~')
            return false;
    return true;
}

static double most_memory(void)
{
    struct rusage usage;
    assert_int_equal(getrusage(RUSAGE_SELF, &usage), 0);
    return 1024.0 * (double)usage.ru_maxrss;
}

/// Lengths of names, types and values in front of a grid: OpenVDB allocates a text before it reads it, and the counts
/// within what it stores for delayed loading (behind that word and the value's size) likewise.
static void false_length_is_refused_before_it_is_allocated(void **state)
{
    (void)state;
    if (sp_export_vdb_missing()) skip();
    static const char delayed[] = "__delayedload";
    const sp_host host = logging_host(1);
    assert_ok(read_with(0, 0, "surface", &host, ERR));
    const double before = most_memory();
    int texts = 0, counts = 0;
    for (size_t at = 0; at + 64 < size; ++at) {
        const bool count = memcmp(whole + at, delayed, sizeof delayed - 1) == 0;
        const size_t place = count ? at + sizeof delayed - 1 + 4 : at;
        if (!count && !is_text(at)) continue;
        unsigned char kept[8];
        memcpy(kept, whole + place, sizeof kept);
        memset(whole + place, 0xff, count ? 8 : 4);
        *ERR = (sp_error){0};
        const sp_status status = read_with(0, 0, "surface", &host, ERR);
        if (status != SP_OK) assert_true(ERR->text[0] != '\0' && strchr(ERR->text, '\n') == NULL);
        memcpy(whole + place, kept, sizeof kept);
        texts += !count;
        counts += count;
    }
    assert_true(texts > 50 && counts > 0);
    assert_true(most_memory() - before < 2e8); // 4.2e9 in OpenVDB alone
}

/// The memory of a tree counts for the host's limit, although OpenVDB takes it from elsewhere.
static void limit_holds_for_what_openvdb_takes(void **state)
{
    (void)state;
    if (sp_export_vdb_missing()) skip();
    const sp_host inner = logging_host(1);
    sp_budget budget;
    const sp_host host = sp_budget_host(&budget, &inner, 300000);
    assert_fails(read_with(0, 0, "surface", &host, ERR), SP_NO_MEMORY, "no memory for grid");
    assert_true(atomic_load(&budget.refused) > 300000);
    assert_int_equal(atomic_load(&budget.used), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(damaged_byte_in_grids_is_refused_or_harmless),
        cmocka_unit_test(damaged_byte_in_points_is_refused_or_harmless),
        cmocka_unit_test(false_length_is_refused_before_it_is_allocated),
        cmocka_unit_test(limit_holds_for_what_openvdb_takes),
    };
    return cmocka_run_group_tests(tests, open_all, close_all);
}

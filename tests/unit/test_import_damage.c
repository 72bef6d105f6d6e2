// SPDX-License-Identifier: Apache-2.0
// links: exchange bulk tiles frame core
// A damaged byte in somebody's file is a sentence or does no harm, wherever it is. OpenVDB by itself
// writes beyond its arrays then; under sanitizers that would be seen here.
#include "exchange/exchange.h"
#include "exchange/import.h"
#include "testing.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { TILES = 8, VOXELS = 512 * TILES, MOST = 1 << 20 };

static char dir[64], path[96];
static unsigned char whole[MOST];
static size_t size;

/// A ball of water of half a metre, turning about its axis.
static void write_ball(const char *to)
{
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
    const sp_frame frame = {
        .frame = 1, .fps = 24.0, .voxel = voxel, .fields = fields, .field_count = 2};
    sp_error err = {0};
    if (sp_export_vdb(to, &frame, NULL, &err) != SP_OK) fail_msg("%s", err.text);
}

static int open_all(void **state)
{
    (void)state;
    strcpy(dir, "/tmp/spume-damage-XXXXXX");
    if (!mkdtemp(dir)) return 1;
    snprintf(path, sizeof path, "%s/spume.000001.vdb", dir);
    if (sp_export_vdb_missing()) return 0;
    write_ball(dir);
    FILE *in = fopen(path, "rb");
    size = in ? fread(whole, 1, MOST, in) : 0;
    return in && fclose(in) == 0 && size > 0 && size < MOST ? 0 : 1;
}

static int close_all(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(dir);
}

static sp_status read_with(size_t at, unsigned char flip, const sp_host *host, sp_error *err)
{
    sp_import *import;
    sp_import_water water;
    const char *const paths[] = {path};
    sp_import_options o = sp_import_defaults();
    FILE *out = fopen(path, "wb");
    assert_non_null(out);
    whole[at] ^= flip;
    assert_int_equal(fwrite(whole, 1, size, out), size);
    whole[at] ^= flip;
    assert_int_equal(fclose(out), 0);
    o.style = SP_IMPORT_PLAIN;
    SP_TRY(sp_import_open(paths, 1, &o, host, &import, err));
    const sp_status status = sp_import_read(import, 0, &water, err);
    if (status == SP_OK) sp_import_water_close(&water);
    sp_import_close(import);
    return status;
}

static void quiet(void *user, sp_log_level level, const char *text)
{
    (void)user, (void)level, (void)text;
}

/// Every place is equally likely; 200 of them see each part of the file, whose nodes are mostly the
/// four kilobytes of bits that say where children are.
static void a_damaged_byte_is_a_sentence_or_harmless(void **state)
{
    (void)state;
    if (sp_export_vdb_missing()) skip();
    sp_host host = sp_host_default(1);
    sp_error err = {0};
    int refused = 0;
    host.log = quiet;
    assert_int_equal(read_with(0, 0, &host, &err), SP_OK);
    for (uint64_t n = 0; n < 200; ++n) {
        const uint64_t dice = sp_hash(7, &n, sizeof n);
        const unsigned char flip = (unsigned char)(1u << (dice >> 60 & 7));
        err = (sp_error){0};
        if (read_with((size_t)(dice % size), flip, &host, &err) == SP_OK) continue;
        ++refused;
        assert_true(err.text[0] != '\0' && strchr(err.text, '\n') == NULL);
    }
    assert_true(refused > 70); // bits of nodes alone are half of the file
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_damaged_byte_is_a_sentence_or_harmless)};
    return cmocka_run_group_tests(tests, open_all, close_all);
}

// SPDX-License-Identifier: Apache-2.0
/// Fuzzes the reader of OpenVDB files (libFuzzer): the input is the file, and every grid is read.
/// The bridge to OpenVDB and the library itself are compiled without sanitizers and give no
/// coverage; a damaged file must not crash them. Inputs are mutated where they have content: most
/// bytes of a small file are empty masks.
#include "exchange/import/import_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);

static void expect(bool truth)
{
    if (!truth) abort();
}

/// ---- Mutation ----------------------------------------------------------------------------------

static uint64_t random_state;

static uint64_t random_below(uint64_t n)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (random_state >> 33) % n;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    static const uint64_t values[] = {0,          1,        UINT64_MAX, 0x7fffffff, 0x80000000,
                                      0x7f800000, 0x100000, 512,        0xffff,     4096};
    random_state = seed;
    if (size < 16 || random_below(4) == 0) return LLVMFuzzerMutate(data, size, most);
    for (uint64_t changes = 1 + random_below(3); changes > 0; --changes) {
        const size_t width = (size_t)1 << random_below(4);
        size_t at = random_below(size - 8);
        for (int tries = 0; tries < 16 && !data[at]; ++tries)
            at = random_below(size - 8);
        uint64_t value;
        memcpy(&value, data + at, sizeof value);
        switch (random_below(4)) {
        case 0:
            value ^= (uint64_t)1 << random_below(8 * width);
            break;
        case 1:
            value += random_below(33) - 16;
            break;
        case 2:
            value = values[random_below(sizeof values / sizeof *values)];
            break;
        default:
            value = random_below(UINT32_MAX) << 8 * random_below(4);
            break;
        }
        memcpy(data + at, &value, width);
    }
    return size;
}

/// ---- Reading -----------------------------------------------------------------------------------

static void expect_sentence(sp_status status, const sp_error *err)
{
    expect(err->status == status && err->text[0] && !strpbrk(err->text, "\n\r"));
}

static void read_points(sp_vdb_file *file, size_t grid, const sp_host *host)
{
    sp_error err = {0};
    sp_vdb_cloud *cloud;
    const sp_status opened = sp_vdb_cloud_open(file, grid, &cloud, &err);
    if (opened != SP_OK) {
        expect_sentence(opened, &err);
        return;
    }
    double(*at)[3] = sp_allocate(host, sp_vdb_cloud_count(cloud), sizeof *at);
    const sp_status filled = at ? sp_vdb_cloud_fill(cloud, at, &err) : SP_OK;
    if (filled != SP_OK) expect_sentence(filled, &err);
    sp_release(host, at);
    sp_vdb_cloud_close(cloud);
}

static void read_grid(sp_vdb_file *file, size_t index, const sp_host *host)
{
    const sp_import_plan plan = {.scale = 1.0};
    sp_error err = {0};
    import_grid grid = {0};
    const sp_status status = import_grid_open(&grid, file, (int)index, 0.5, &plan, host, &err);
    if (status != SP_OK) expect_sentence(status, &err);
    import_grid_close(&grid);
}

static void read_file(const char *path, const sp_host *host)
{
    const sp_import_options options = sp_import_defaults();
    sp_error err = {0};
    sp_import_plan plan;
    sp_vdb_file *file;
    const sp_status status = sp_vdb_file_open(path, 1, host, &file, &err);
    if (status != SP_OK) {
        expect_sentence(status, &err);
        return;
    }
    const sp_status planned = import_plan_make(&plan, file, path, &options, &err);
    if (planned != SP_OK) expect_sentence(planned, &err);
    for (size_t i = 0; i < sp_vdb_file_count(file); ++i) {
        const sp_vdb_kind kind = sp_vdb_file_look(file, i)->kind;
        if (kind == SP_VDB_POINTS) read_points(file, i, host);
        if (kind == SP_VDB_NUMBERS || kind == SP_VDB_VECTORS) read_grid(file, i, host);
    }
    sp_vdb_file_close(file);
}

/// A file without a name, and a path to it.
static int open_file(char path[64])
{
    char name[] = "/tmp/spume_fuzz_XXXXXX";
    const int fd = mkstemp(name);
    expect(fd >= 0 && unlink(name) == 0);
    snprintf(path, 64, "/proc/self/fd/%d", fd);
    return fd;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static int fd = -1;
    static char path[64];
    if (fd < 0) fd = open_file(path);
    expect(ftruncate(fd, 0) == 0 && pwrite(fd, data, size, 0) == (ssize_t)size);
    // A region of one value takes a few bytes in a file and much memory as tiles.
    sp_budget budget;
    const sp_host plenty = sp_host_default(1), host = sp_budget_host(&budget, &plenty, 64 << 20);
    read_file(path, &host);
    expect(budget.used == 0);
    return 0;
}

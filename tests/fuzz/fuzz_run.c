// SPDX-License-Identifier: Apache-2.0
/// Fuzzes the readers of a run's text files (libFuzzer). The first byte chooses run.json, seals.json, stats.jsonl as it
/// is checked, or stats.jsonl as it is cut when a run goes on; the rest is the file. With bit 2 set, seals.json gets the
/// right digest of itself, so that changed bytes get past it.
#include "cache/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char dir[64], path[80];

static void expect(bool truth)
{
    if (!truth) abort();
}

static void remove_directory(void)
{
    unlink(path);
    rmdir(dir);
}

static void make_directory(void)
{
    snprintf(dir, sizeof dir, "%s",
             access("/dev/shm", W_OK) == 0 ? "/dev/shm/spume_fuzz_XXXXXX"
                                           : "/tmp/spume_fuzz_XXXXXX");
    expect(mkdtemp(dir) != NULL);
    expect(atexit(remove_directory) == 0);
}

static void write_bytes(const char *name, const void *bytes, size_t count)
{
    if (path[0]) unlink(path);
    snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE *file = fopen(path, "wb");
    expect(file != NULL);
    expect(fwrite(bytes, 1, count, file) == count);
    expect(fclose(file) == 0);
}

static void expect_sentence(sp_status status, const sp_error *err)
{
    if (status != SP_OK)
        expect(err->status == status && err->text[0] && !strpbrk(err->text, "\n\r"));
}

static void read_facts(const sp_host *host)
{
    sp_run_facts facts;
    sp_error err = {0};
    const sp_status status = sp_run_facts_read(dir, &facts, host, &err);
    expect_sentence(status, &err);
    if (status == SP_OK)
        expect(facts.fps > 0.0 && strlen(facts.solver) < sizeof facts.solver &&
               strlen(facts.origin) < sizeof facts.origin);
}

/// The text, with its last line: the digest of all before it.
static void write_seals(const char *text, size_t count, bool sealed)
{
    char tail[64];
    char *whole = malloc(count + sizeof tail);
    expect(whole != NULL);
    memcpy(whole, text, count);
    if (sealed)
        count += (size_t)snprintf(whole + count, sizeof tail, "  \"seal\": \"%016llx\"\n}\n",
                                  (unsigned long long)sp_hash(0, text, count));
    write_bytes("seals.json", whole, count);
    free(whole);
}

static void read_seals(const sp_host *host)
{
    sp_seals seals;
    sp_error err = {0};
    const sp_status status = sp_seals_read(dir, host, &seals, &err);
    expect_sentence(status, &err);
    expect(seals.given == (status == SP_OK));
}

static void check_statistics(const sp_host *host)
{
    const sp_cache_item frames[] = {{.frame = 0}, {.frame = 1}, {.frame = 7}};
    sp_error err = {0};
    expect_sentence(sp_cache_stats_check(path, frames, 3, host, &err), &err);
}

/// What is cut off does not come back, and what is left is cut no further.
static void cut_statistics(const sp_host *host)
{
    uint64_t seal, again;
    sp_error err = {0};
    expect(sp_cache_stats_cut(path, 1, host, &seal, &err) == SP_OK);
    const uint64_t left = sp_cache_file_size(path);
    expect(sp_cache_stats_cut(path, 1, host, &again, &err) == SP_OK);
    expect(seal == again && sp_cache_file_size(path) == left);
    expect(sp_cache_stats_cut(path, -1, host, &seal, &err) == SP_OK);
    expect(seal == 0 && sp_cache_file_size(path) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1) return 0;
    const sp_host host = sp_host_default(1);
    const char *text = (const char *)data + 1;
    if (!dir[0]) make_directory();
    switch (data[0] & 3) {
    case 0:
        write_bytes("run.json", text, size - 1);
        read_facts(&host);
        break;
    case 1:
        write_seals(text, size - 1, data[0] & 4);
        read_seals(&host);
        break;
    case 2:
        write_bytes("stats.jsonl", text, size - 1);
        check_statistics(&host);
        break;
    default:
        write_bytes("stats.jsonl", text, size - 1);
        cut_statistics(&host);
        break;
    }
    return 0;
}

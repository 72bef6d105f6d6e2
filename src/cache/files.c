// SPDX-License-Identifier: Apache-2.0
/// Creates, lists and removes the files and directories of a run.
#include "cache/internal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

sp_status sp_cache_file_write(const char *path, const sp_file_part *parts, size_t part_count,
                              bool sync, sp_error *err)
{
    char dir[SP_PATH];
    SP_TRY(sp_file_write(path, parts, part_count, sync, err));
    if (!sync) return SP_OK;
    const char *slash = strrchr(path, '/');
    snprintf(dir, sizeof dir, "%.*s", slash ? (int)(slash - path) + 1 : 1, slash ? path : ".");
    return sp_sync_directory(dir, err);
}

sp_status sp_cache_file_write_text(const char *path, const char *text, bool sync, sp_error *err)
{
    return sp_cache_file_write(path, &(sp_file_part){text, strlen(text)}, 1, sync, err);
}

sp_status sp_cache_file_remove(const char *path, sp_error *err)
{
    if (unlink(path) != 0 && errno != ENOENT) return sp_file_failed(err, path, "removed");
    return SP_OK;
}

bool sp_run_is_here(const char *dir)
{
    char path[SP_PATH];
    struct stat facts;
    const int n = snprintf(path, sizeof path, "%s/run.json", dir);
    return n > 0 && n < (int)sizeof path && stat(path, &facts) == 0;
}

uint64_t sp_cache_file_size(const char *path)
{
    struct stat facts;
    return stat(path, &facts) == 0 ? (uint64_t)facts.st_size : 0;
}

/// Reports a directory that cannot be used: SP_BAD_INPUT when its name is wrong, else the disk
/// error.
static sp_status no_directory(const char *path, const char *what, sp_error *err)
{
    static const int reasons[] = {ENOENT, ENOTDIR, EACCES, EPERM, EROFS, ELOOP, ENAMETOOLONG};
    bool name = false;
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; ++i)
        name = name || errno == reasons[i];
    const sp_status st = sp_file_failed(err, path, what);
    if (name && err) err->status = SP_BAD_INPUT;
    return name ? SP_BAD_INPUT : st;
}

sp_status sp_cache_dir_make(const char *path, sp_error *err)
{
    char part[SP_PATH];
    const size_t length = strlen(path);
    if (length == 0) return sp_fail(err, SP_BAD_INPUT, "the directory has no name");
    if (length > SP_DIR_LONGEST + 100)
        return sp_fail(err, SP_BAD_INPUT, "%.100s...: the directory's name is too long", path);
    for (size_t i = 1; i <= length; ++i) {
        if (path[i] != '/' && path[i] != '\0') continue;
        snprintf(part, sizeof part, "%.*s", (int)i, path);
        if (mkdir(part, 0777) == 0 || errno == EEXIST) continue;
        // A read-only parent is fine when it exists; only the last directory must be writable.
        struct stat facts;
        const int reason = errno;
        if (stat(part, &facts) == 0 && S_ISDIR(facts.st_mode)) continue;
        errno = reason;
        return no_directory(part, "made", err);
    }
    struct stat facts;
    if (stat(path, &facts) != 0) return no_directory(path, "made", err);
    if (!S_ISDIR(facts.st_mode))
        return sp_fail(err, SP_BAD_INPUT, "%s: is a file; expected a directory", path);
    return access(path, W_OK | X_OK) == 0 ? SP_OK : no_directory(path, "written to", err);
}

/// Parses NNNNNN<suffix>. Accepts only the exact form we write, so that a frame has one name.
static bool frame_of_name(const char *name, const char *suffix, uint64_t *frame)
{
    uint64_t n = 0;
    for (const char *c = name; *c >= '0' && *c <= '9'; ++c) {
        if (n > UINT64_MAX / 20) return false;
        n = n * 10 + (uint64_t)(*c - '0');
    }
    char again[64];
    snprintf(again, sizeof again, "%06llu%s", (unsigned long long)n, suffix);
    *frame = n;
    return strcmp(name, again) == 0;
}

/// Whether a file is a temporary file of an interrupted sp_cache_file_write(). Other programs may
/// have temporary files in the same directory.
static bool is_our_litter(const char *entry)
{
    static const char *const ours[] = {"run.json",  "scene.json", "run.xmf",
                                       "static.h5", "crash.h5",   SP_SEALS_FILE};
    uint64_t frame;
    const char *name = sp_file_of_temporary(entry);
    for (size_t i = 0; name && i < sizeof ours / sizeof *ours; ++i)
        if (strcmp(name, ours[i]) == 0) return true;
    return name && (frame_of_name(name, ".h5", &frame) || frame_of_name(name, ".ckpt", &frame));
}

void sp_cache_dir_tidy(const char *path)
{
    DIR *dir = opendir(path);
    if (!dir) return;
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;)
        if (is_our_litter(entry->d_name)) unlinkat(dirfd(dir), entry->d_name, 0);
    closedir(dir);
}

static int by_number(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

sp_status sp_cache_dir_frames(const char *run, const char *folder, const char *suffix,
                              const sp_host *host, uint64_t **frames, size_t *count, sp_error *err)
{
    char path[SP_PATH];
    *frames = NULL;
    *count = 0;
    snprintf(path, sizeof path, "%s/%s", run, folder);
    DIR *dir = opendir(path);
    if (!dir) return errno == ENOENT ? SP_OK : sp_file_failed(err, path, "read");
    sp_status st = SP_OK;
    size_t capacity = 0;
    for (struct dirent *entry; st == SP_OK && (entry = readdir(dir)) != NULL;) {
        uint64_t frame;
        if (!frame_of_name(entry->d_name, suffix, &frame)) continue;
        if (*count == capacity) {
            capacity = capacity ? 2 * capacity : 64;
            if (!sp_regrow(host, (void **)frames, *count, capacity, sizeof **frames))
                st = sp_fail(err, SP_NO_MEMORY, "%s: no memory for the list of files", path);
        }
        if (st == SP_OK) (*frames)[(*count)++] = frame;
    }
    closedir(dir);
    if (st == SP_OK && *count > 0) qsort(*frames, *count, sizeof **frames, by_number);
    if (st == SP_OK) return SP_OK;
    sp_release(host, *frames);
    *frames = NULL;
    *count = 0;
    return st;
}

// SPDX-License-Identifier: Apache-2.0
/// Files that are there whole or not at all: written beside their place, synced, then renamed into
/// it. Every call that the system may interrupt or cut short is carried through or named.
#include "cache/internal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

sp_status sp_cache_io_fail(sp_error *err, const char *path, const char *what)
{
    const int reason = errno;
    if (reason == ENOSPC || reason == EDQUOT)
        return sp_fail(err, SP_IO, "%s: no room left on the disk", path);
    if (reason == EROFS || reason == EACCES || reason == EPERM)
        return sp_fail(err, SP_IO, "%s: may not be %s (%s)", path, what, strerror(reason));
    return sp_fail(err, SP_IO, "%s: could not be %s (%s)", path, what, strerror(reason));
}

bool sp_cache_write_all(int fd, const void *bytes, size_t count)
{
    const char *at = bytes;
    while (count > 0) {
        const ssize_t n = write(fd, at, count < (1u << 30) ? count : (1u << 30));
        if (n < 0 && errno == EINTR) continue;
        if (n == 0)
            errno = EIO; // a file that takes nothing and names no reason would loop for ever
        if (n <= 0) return false;
        at += n;
        count -= (size_t)n;
    }
    return true;
}

int sp_cache_sync(int fd)
{
    int rc;
    do
        rc = fsync(fd);
    while (rc != 0 && errno == EINTR);
    return rc;
}

int sp_cache_open(const char *path, int flags)
{
    int fd;
    do
        fd = open(path, flags | O_CLOEXEC, 0666);
    while (fd < 0 && errno == EINTR);
    return fd;
}

/// Splits a path: the length of its directory part, 0 when it has none.
static size_t directory_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

/// DIR/name becomes DIR/.name.tmp: the same directory, because rename does not cross file systems.
static bool temporary_name(const char *path, char *temporary, size_t size)
{
    const size_t dir = directory_length(path);
    const int n = snprintf(temporary, size, "%.*s.%s.tmp", (int)dir, path, path + dir);
    return n > 0 && (size_t)n < size;
}

sp_status sp_cache_dir_sync(const char *path, sp_error *err)
{
    const int fd = sp_cache_open(path, O_RDONLY | O_DIRECTORY);
    if (fd < 0) return sp_cache_io_fail(err, path, "synced");
    int rc = sp_cache_sync(fd);
    if (rc != 0 && errno == EINVAL) rc = 0; // some file systems have nothing to sync in a directory
    const sp_status st = rc == 0 ? SP_OK : sp_cache_io_fail(err, path, "synced");
    close(fd);
    return st;
}

static sp_status fill_temporary(const char *temporary, const sp_cache_part *parts,
                                size_t part_count, bool sync, const char *path, sp_error *err)
{
    const int fd = sp_cache_open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW);
    if (fd < 0) return sp_cache_io_fail(err, path, "written");
    bool ok = true;
    for (size_t i = 0; ok && i < part_count; ++i)
        ok = sp_cache_write_all(fd, parts[i].bytes, parts[i].count);
    if (ok && sync) ok = sp_cache_sync(fd) == 0;
    sp_status st = ok ? SP_OK : sp_cache_io_fail(err, path, "written");
    // EINTR at close leaves the descriptor closed on Linux, and what matters was synced before.
    if (close(fd) != 0 && errno != EINTR && st == SP_OK)
        st = sp_cache_io_fail(err, path, "written");
    return st;
}

sp_status sp_cache_file_write(const char *path, const sp_cache_part *parts, size_t part_count,
                              bool sync, sp_error *err)
{
    char temporary[SP_PATH];
    if (!temporary_name(path, temporary, sizeof temporary))
        return sp_fail(err, SP_IO, "%.200s...: the path is too long", path);
    sp_status st = fill_temporary(temporary, parts, part_count, sync, path, err);
    if (st == SP_OK && rename(temporary, path) != 0)
        st = sp_cache_io_fail(err, path, "put in place");
    if (st != SP_OK) {
        unlink(temporary);
        return st;
    }
    if (!sync) return SP_OK;
    char dir[SP_PATH];
    const size_t length = directory_length(path);
    snprintf(dir, sizeof dir, "%.*s", (int)length, path);
    return sp_cache_dir_sync(length ? dir : ".", err);
}

sp_status sp_cache_file_write_text(const char *path, const char *text, bool sync, sp_error *err)
{
    return sp_cache_file_write(path, &(sp_cache_part){text, strlen(text)}, 1, sync, err);
}

sp_status sp_cache_file_remove(const char *path, sp_error *err)
{
    if (unlink(path) != 0 && errno != ENOENT) return sp_cache_io_fail(err, path, "removed");
    return SP_OK;
}

uint64_t sp_cache_file_size(const char *path)
{
    struct stat facts;
    return stat(path, &facts) == 0 ? (uint64_t)facts.st_size : 0;
}

/// Of a directory that was named: whether the name is to blame, or the disk.
static sp_status no_directory(const char *path, const char *what, sp_error *err)
{
    static const int reasons[] = {ENOENT, ENOTDIR, EACCES, EPERM, EROFS, ELOOP, ENAMETOOLONG};
    bool name = false;
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; ++i)
        name = name || errno == reasons[i];
    const sp_status st = sp_cache_io_fail(err, path, what);
    if (name && err) err->status = SP_BAD_SCENE;
    return name ? SP_BAD_SCENE : st;
}

sp_status sp_cache_dir_make(const char *path, sp_error *err)
{
    char part[SP_PATH];
    const size_t length = strlen(path);
    if (length == 0) return sp_fail(err, SP_BAD_SCENE, "the directory has no name");
    if (length > SP_DIR_LONGEST + 100)
        return sp_fail(err, SP_BAD_SCENE, "%.100s...: the directory's name is too long", path);
    for (size_t i = 1; i <= length; ++i) {
        if (path[i] != '/' && path[i] != '\0') continue;
        snprintf(part, sizeof part, "%.*s", (int)i, path);
        if (mkdir(part, 0777) == 0 || errno == EEXIST) continue;
        // A parent we may not write to is fine as long as it is there; the last one decides.
        struct stat facts;
        const int reason = errno;
        if (stat(part, &facts) == 0 && S_ISDIR(facts.st_mode)) continue;
        errno = reason;
        return no_directory(part, "made", err);
    }
    struct stat facts;
    if (stat(path, &facts) != 0) return no_directory(path, "made", err);
    if (!S_ISDIR(facts.st_mode))
        return sp_fail(err, SP_BAD_SCENE, "%s: is a file; expected a directory", path);
    return access(path, W_OK | X_OK) == 0 ? SP_OK : no_directory(path, "written to", err);
}

void sp_cache_dir_tidy(const char *path)
{
    DIR *dir = opendir(path);
    if (!dir) return;
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
        const size_t n = strlen(entry->d_name);
        if (n < 6 || entry->d_name[0] != '.' || strcmp(entry->d_name + n - 4, ".tmp") != 0)
            continue;
        unlinkat(dirfd(dir), entry->d_name, 0);
    }
    closedir(dir);
}

static sp_status read_all(int fd, const char *path, char *bytes, size_t count, sp_error *err)
{
    for (size_t at = 0; at < count;) {
        const ssize_t n = read(fd, bytes + at, count - at);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return sp_cache_io_fail(err, path, "read");
        if (n == 0) return sp_fail(err, SP_IO, "%s: became shorter while it was read", path);
        at += (size_t)n;
    }
    return SP_OK;
}

sp_status sp_cache_read_file(const char *path, const sp_host *host, char **bytes, size_t *count,
                             sp_error *err)
{
    *bytes = NULL;
    *count = 0;
    const int fd = sp_cache_open(path, O_RDONLY | O_NONBLOCK); // a pipe must not make us wait
    if (fd < 0) return sp_cache_io_fail(err, path, "read");
    struct stat facts;
    sp_status st = SP_OK;
    if (fstat(fd, &facts) != 0) st = sp_cache_io_fail(err, path, "read");
    if (st == SP_OK && !S_ISREG(facts.st_mode))
        st = sp_fail(err, SP_IO, "%s: is not an ordinary file", path);
    if (st == SP_OK) {
        *count = (size_t)facts.st_size;
        *bytes = sp_allocate(host, *count + 1, 1);
        st = *bytes ? read_all(fd, path, *bytes, *count, err)
                    : sp_fail(err, SP_NO_MEMORY, "%s: no memory for its %zu bytes", path, *count);
    }
    close(fd);
    if (st == SP_OK) return SP_OK;
    sp_release(host, *bytes);
    *bytes = NULL;
    *count = 0;
    return st;
}

/// NNNNNN<suffix>, written exactly as we write it, so that one frame has one name.
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

static int by_number(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

sp_status sp_cache_dir_frames(const char *path, const char *suffix, const sp_host *host,
                              uint64_t **frames, size_t *count, sp_error *err)
{
    *frames = NULL;
    *count = 0;
    DIR *dir = opendir(path);
    if (!dir) return errno == ENOENT ? SP_OK : sp_cache_io_fail(err, path, "read");
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

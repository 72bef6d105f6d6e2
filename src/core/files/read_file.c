// SPDX-License-Identifier: Apache-2.0
#include "core/files/files.h"
#include "core/memory/memory.h"
#include "core/numbers/hash.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static sp_status not_read(sp_error *err)
{
    return sp_fail(err, SP_IO, "%s", strerror(errno));
}

/// A descriptor of an ordinary file, and its size.
static sp_status open_ordinary(const char *path, int *fd, uint64_t *size, sp_error *err)
{
    struct stat facts;
    *fd = sp_open(path, O_RDONLY | O_NONBLOCK); // a pipe must not make us wait
    if (*fd < 0) return not_read(err);
    sp_status st = SP_OK;
    if (fstat(*fd, &facts) != 0)
        st = not_read(err);
    else if (S_ISDIR(facts.st_mode))
        st = sp_fail(err, SP_IO, "%s", strerror(EISDIR));
    else if (!S_ISREG(facts.st_mode))
        st = sp_fail(err, SP_IO, "is not an ordinary file");
    if (st != SP_OK) close(*fd);
    *size = st == SP_OK ? (uint64_t)facts.st_size : 0;
    return st;
}

static sp_status read_bytes(int fd, char *bytes, size_t count, sp_error *err)
{
    for (size_t at = 0; at < count;) {
        const ssize_t n = read(fd, bytes + at, count - at);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return not_read(err);
        if (n == 0) return sp_fail(err, SP_IO, "became shorter while it was read");
        at += (size_t)n;
    }
    return SP_OK;
}

static sp_status read_whole(int fd, uint64_t size, size_t limit, const sp_host *host, char **bytes,
                            sp_error *err)
{
    if (limit && size > limit)
        return sp_fail(err, SP_IO, "more than %zu MB; expected at most that", limit >> 20);
    *bytes = size < SIZE_MAX ? sp_allocate(host, (size_t)size + 1, 1) : NULL;
    if (!*bytes)
        return sp_fail(err, SP_NO_MEMORY, "no memory for its %llu bytes", (unsigned long long)size);
    return read_bytes(fd, *bytes, (size_t)size, err);
}

sp_status sp_file_read_unnamed(const char *path, size_t limit, const sp_host *host, char **bytes,
                               size_t *count, sp_error *err)
{
    int fd;
    uint64_t size = 0;
    *bytes = NULL;
    *count = 0;
    SP_TRY(open_ordinary(path, &fd, &size, err));
    const sp_status st = read_whole(fd, size, limit, host, bytes, err);
    close(fd);
    if (st == SP_OK) {
        *count = (size_t)size;
        return SP_OK;
    }
    sp_release(host, *bytes);
    *bytes = NULL;
    return st;
}

sp_status sp_file_read(const char *path, size_t limit, const sp_host *host, char **bytes,
                       size_t *count, sp_error *err)
{
    const sp_status st = sp_file_read_unnamed(path, limit, host, bytes, count, err);
    if (st != SP_OK) sp_error_prefix(err, "%s: ", path);
    return st;
}

sp_status sp_file_hash(const char *path, uint64_t *hash, sp_error *err)
{
    char bytes[SP_FILE_BUFFER];
    int fd;
    uint64_t left = 0;
    sp_status st = open_ordinary(path, &fd, &left, err);
    const bool open = st == SP_OK;
    while (st == SP_OK && left > 0) {
        const size_t n = left < sizeof bytes ? (size_t)left : sizeof bytes;
        st = read_bytes(fd, bytes, n, err);
        if (st == SP_OK) *hash = sp_hash(*hash, bytes, n);
        left -= n;
    }
    if (open) close(fd);
    if (st != SP_OK) sp_error_prefix(err, "%s: ", path);
    return st;
}

sp_status sp_file_read_head(const char *path, void *bytes, size_t count, size_t *read,
                            uint64_t *size, sp_error *err)
{
    int fd;
    *read = 0;
    sp_status st = open_ordinary(path, &fd, size, err);
    if (st == SP_OK) {
        const size_t wanted = *size < count ? (size_t)*size : count;
        st = read_bytes(fd, bytes, wanted, err);
        close(fd);
        if (st == SP_OK) *read = wanted;
    }
    if (st != SP_OK) sp_error_prefix(err, "%s: ", path);
    return st;
}

// SPDX-License-Identifier: Apache-2.0
/// Calls that the system may interrupt or cut short, carried through; and why they fail, in words.
#include "core/files/files.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

sp_status sp_file_failed(sp_error *err, const char *path, const char *what)
{
    const int reason = errno;
    if (reason == ENOSPC || reason == EDQUOT)
        return sp_fail(err, SP_IO, "%s: no room left on the disk (%s)", path, strerror(reason));
    if (reason == EROFS || reason == EACCES || reason == EPERM)
        return sp_fail(err, SP_IO, "%s: may not be %s (%s)", path, what, strerror(reason));
    return sp_fail(err, SP_IO, "%s: could not be %s (%s)", path, what, strerror(reason));
}

bool sp_is_directory(const char *path)
{
    struct stat facts;
    return stat(path, &facts) == 0 && S_ISDIR(facts.st_mode);
}

int sp_open(const char *path, int flags)
{
    int fd;
    do
        fd = open(path, flags | O_CLOEXEC, 0666);
    while (fd < 0 && errno == EINTR);
    return fd;
}

int sp_sync(int fd)
{
    int rc;
    do
        rc = fsync(fd);
    while (rc != 0 && errno == EINTR);
    if (rc != 0 && (errno == EINVAL || errno == EROFS)) rc = 0; // nothing there to sync
    return rc;
}

sp_status sp_sync_directory(const char *path, sp_error *err)
{
    const int fd = sp_open(path, O_RDONLY | O_DIRECTORY);
    if (fd < 0) return sp_file_failed(err, path, "synced");
    const sp_status st = sp_sync(fd) == 0 ? SP_OK : sp_file_failed(err, path, "synced");
    close(fd);
    return st;
}

bool sp_write_all(int fd, const void *bytes, size_t count)
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

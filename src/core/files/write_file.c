// SPDX-License-Identifier: Apache-2.0
#include "core/files/files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char prefix[] = ".tmp.";

/// DIR/name becomes DIR/.tmp.<process>.name: the same directory, because rename does not cross file systems; the
/// process, because two may write the same file; the name at the end, because ffmpeg goes by how a file ends.
sp_status sp_file_name(sp_file *file, const char *path, sp_error *err)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    file->fd = -1;
    file->error = 0;
    file->used = 0;
    snprintf(file->path, sizeof file->path, "%s", path);
    const int n = snprintf(file->temporary, sizeof file->temporary, "%.*s%s%ld.%s",
                           (int)(name - path), path, prefix, (long)getpid(), name);
    if (n < 0 || (size_t)n >= sizeof file->temporary)
        return sp_fail(err, SP_IO, "%.200s...: the path is too long", path);
    struct stat facts;
    if (stat(path, &facts) == 0 && !S_ISREG(facts.st_mode)) // a rename would replace a device
        return sp_fail(err, SP_IO, "%s: is not an ordinary file", path);
    return SP_OK;
}

sp_status sp_file_open(sp_file *file, const char *path, sp_error *err)
{
    SP_TRY(sp_file_name(file, path, err));
    file->fd = sp_open(file->temporary, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW);
    return file->fd >= 0 ? SP_OK : sp_file_failed(err, path, "written");
}

static void write_out(sp_file *file, const void *bytes, size_t count)
{
    if (!file->error && !sp_write_all(file->fd, bytes, count)) file->error = errno;
}

void sp_file_put(sp_file *file, const void *bytes, size_t count)
{
    if (count > SP_FILE_BUFFER - file->used) {
        write_out(file, file->buffer, file->used);
        file->used = 0;
    }
    if (count > SP_FILE_BUFFER) {
        write_out(file, bytes, count);
    } else if (count > 0) {
        memcpy(file->buffer + file->used, bytes, count);
        file->used += count;
    }
}

void sp_file_abandon(sp_file *file)
{
    if (file->fd >= 0) close(file->fd);
    unlink(file->temporary);
    file->fd = -1;
}

/// Writes what is left and closes; the first reason to fail is in `error`.
static void finish(sp_file *file, bool sync)
{
    if (file->fd < 0) file->fd = sp_open(file->temporary, O_WRONLY | O_NOFOLLOW); // another's work
    if (file->fd < 0) {
        file->error = errno;
        return;
    }
    write_out(file, file->buffer, file->used);
    if (!file->error && sync && sp_sync(file->fd) != 0) file->error = errno;
    // EINTR at close leaves the descriptor closed on Linux, and what matters was synced before.
    if (close(file->fd) != 0 && errno != EINTR && !file->error) file->error = errno;
    file->fd = -1;
}

sp_status sp_file_close(sp_file *file, bool sync, sp_error *err)
{
    finish(file, sync);
    const char *what = file->error ? "written" : "put in place";
    if (!file->error && rename(file->temporary, file->path) != 0) file->error = errno;
    if (!file->error) return SP_OK;
    unlink(file->temporary);
    errno = file->error;
    return sp_file_failed(err, file->path, what);
}

sp_status sp_file_write(const char *path, const sp_file_part *parts, size_t part_count, bool sync,
                        sp_error *err)
{
    sp_file file;
    SP_TRY(sp_file_open(&file, path, err));
    for (size_t i = 0; i < part_count; ++i)
        sp_file_put(&file, parts[i].bytes, parts[i].count);
    return sp_file_close(&file, sync, err);
}

const char *sp_file_of_temporary(const char *entry)
{
    if (strncmp(entry, prefix, sizeof prefix - 1) != 0) return NULL;
    const char *process = entry + sizeof prefix - 1;
    const size_t digits = strspn(process, "0123456789");
    return digits > 0 && process[digits] == '.' ? process + digits + 1 : NULL;
}

// SPDX-License-Identifier: Apache-2.0
/// The page's files: finding the directory and reading them into memory.
#include "view/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const sp_view_file sp_view_files[SP_VIEW_FILES] = {
    {.name = "index.html", .type = "text/html; charset=utf-8"},
    {.name = "page.js", .type = "text/javascript; charset=utf-8"},
    {.name = "page.css", .type = "text/css; charset=utf-8"},
    {.name = "pond.wasm", .type = "application/wasm"},
    {.name = "pond-plain.wasm", .type = "application/wasm"},
    {.name = "scenes.json", .type = "application/json"},
    {.name = "icon.svg", .type = "image/svg+xml"},
};

/// ---- The directory -----------------------------------------------------------------------------

/// The directory of the running program, without a slash at the end.
static sp_status program_dir(char *dir, size_t size, sp_error *err)
{
    const ssize_t length = readlink("/proc/self/exe", dir, size - 1);
    if (length <= 0)
        return sp_fail(err, SP_IO, "cannot find the program's own directory (%s); give --dir DIR",
                       strerror(errno));
    dir[length] = '\0';
    char *slash = strrchr(dir, '/');
    if (!slash || (size_t)length == size - 1)
        return sp_fail(err, SP_IO, "the program's path is too long; give --dir DIR");
    *slash = '\0';
    return SP_OK;
}

sp_status sp_view_page_dir(const char *given, char *dir, size_t size, sp_error *err)
{
    static const char *const places[] = {"page", "share/spume/page"};
    char program[4096];
    if (given) {
        if ((size_t)snprintf(dir, size, "%s", given) < size) return SP_OK;
        return sp_fail(err, SP_IO, "%.60s...: the path is too long", given);
    }
    SP_TRY(program_dir(program, sizeof program, err));
    // cut the last part instead of adding "..": users read this path
    char *slash = strrchr(program, '/');
    if (slash) *slash = '\0';
    for (size_t i = 0; i < sizeof places / sizeof *places; ++i) {
        if ((size_t)snprintf(dir, size, "%s/%s", program, places[i]) >= size)
            return sp_fail(err, SP_IO, "the program's path is too long; give --dir DIR");
        if (sp_is_directory(dir)) return SP_OK;
    }
    return sp_fail(err, SP_IO, "%s/%s: %s is missing; `make page` builds it", program, places[0],
                   sp_view_files[0].name);
}

/// ---- Reading -----------------------------------------------------------------------------------

static sp_status refuse(sp_error *err, const char *dir, const char *name, const char *why)
{
    return sp_fail(err, SP_IO, "%s: %s %s; `make page` builds it", dir, name, why);
}

/// Reads all of an open regular file.
static sp_status read_open(int fd, const char *dir, sp_view_file *file, const sp_host *host,
                           sp_error *err)
{
    struct stat what;
    if (fstat(fd, &what) != 0 || !S_ISREG(what.st_mode))
        return refuse(err, dir, file->name, "is not a regular file");
    if (what.st_size > SP_VIEW_MOST_BYTES)
        return sp_fail(err, SP_IO, "%s: %s has %lld bytes; at most %d are served", dir, file->name,
                       (long long)what.st_size, (int)SP_VIEW_MOST_BYTES);
    file->bytes = sp_allocate(host, (size_t)what.st_size, 1);
    if (!file->bytes) return sp_fail(err, SP_NO_MEMORY, "%s: no memory for %s", dir, file->name);
    while (file->size < (size_t)what.st_size) {
        const ssize_t got = read(fd, file->bytes + file->size, (size_t)what.st_size - file->size);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0)
            return sp_fail(err, SP_IO, "%s: cannot read %s: %s", dir, file->name, strerror(errno));
        if (got == 0) return refuse(err, dir, file->name, "shrank while it was read");
        file->size += (size_t)got;
    }
    snprintf(file->tag, sizeof file->tag, "\"%016" PRIx64 "\"",
             sp_hash(0, file->bytes, file->size));
    return SP_OK;
}

static sp_status read_file(int folder, const char *dir, sp_view_file *file, const sp_host *host,
                           sp_error *err)
{
    // no links: serve nothing outside the directory; no waiting on a pipe
    const int fd = openat(folder, file->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0 && errno == ENOENT) return refuse(err, dir, file->name, "is missing");
    if (fd < 0 && errno == ELOOP) return refuse(err, dir, file->name, "is not a regular file");
    if (fd < 0)
        return sp_fail(err, SP_IO, "%s: cannot open %s: %s", dir, file->name, strerror(errno));
    const sp_status status = read_open(fd, dir, file, host, err);
    close(fd);
    return status;
}

sp_status sp_view_page_read(const char *dir, const sp_host *host, sp_view_page *page, sp_error *err)
{
    *page = (sp_view_page){.host = host};
    memcpy(page->files, sp_view_files, sizeof page->files);
    const int folder = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0)
        return sp_fail(err, SP_IO, "%s: cannot read %s there: %s; `make page` builds the page", dir,
                       sp_view_files[0].name, strerror(errno));
    sp_status status = SP_OK;
    for (int i = 0; i < SP_VIEW_FILES && status == SP_OK; ++i)
        status = read_file(folder, dir, &page->files[i], host, err);
    close(folder);
    if (status != SP_OK) sp_view_page_release(page);
    return status;
}

void sp_view_page_release(sp_view_page *page)
{
    for (int i = 0; i < SP_VIEW_FILES; ++i)
        if (page->files[i].bytes) sp_release(page->host, page->files[i].bytes);
    *page = (sp_view_page){0};
}

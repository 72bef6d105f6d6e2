// SPDX-License-Identifier: Apache-2.0
#ifndef SP_CORE_FILES_FILES_H
#define SP_CORE_FILES_FILES_H

/// Files that are read whole, and files that are written whole or not at all: under a temporary name in the
/// same directory, and renamed when all of it is there. Every failure is one sentence that names the file
/// and the reason. Calls that a signal interrupts are made again.

#include "core/text/status.h"

#include <spume/host.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SP_FILE_PATH = 4096, SP_FILE_BUFFER = 1 << 14 };

/// ---- Reading (read_file.c) ---------------------------------------------------------------------

/// The whole of a file, with a zero behind it; release it. Only ordinary files: a pipe would make us wait. With a
/// limit, a file of more bytes is refused before it is read. SP_IO, SP_NO_MEMORY; then *bytes is NULL.
sp_status sp_file_read(const char *path, size_t limit, const sp_host *host, char **bytes,
                       size_t *count, sp_error *err);
/// The same; the sentence is without the file's name, for callers that name it in their own way.
sp_status sp_file_read_unnamed(const char *path, size_t limit, const sp_host *host, char **bytes,
                               size_t *count, sp_error *err);
/// Adds all bytes of a file to a hash, without keeping them. On failure the hash is undefined.
sp_status sp_file_hash(const char *path, uint64_t *hash, sp_error *err);
/// The first bytes of a file: how many there were, at most `count`, and how many the file has.
sp_status sp_file_read_head(const char *path, void *bytes, size_t count, size_t *read,
                            uint64_t *size, sp_error *err);

/// ---- Writing (write_file.c) --------------------------------------------------------------------

/// A file in the making. Puts are buffered; after one that failed, the others do nothing.
typedef struct sp_file {
    char path[SP_FILE_PATH], temporary[SP_FILE_PATH];
    int fd;    ///< of the temporary; -1: not open
    int error; ///< errno of the first call that failed
    size_t used;
    unsigned char buffer[SP_FILE_BUFFER];
} sp_file;

/// Opens the temporary. On failure there is nothing to close.
sp_status sp_file_open(sp_file *file, const char *path, sp_error *err);
/// For a file that another library or program writes: only chooses the name, `temporary`, which ends like `path`.
sp_status sp_file_name(sp_file *file, const char *path, sp_error *err);
void sp_file_put(sp_file *file, const void *bytes, size_t count);
/// Writes out what is left and renames; with `sync` only after all of it reached the disk. On failure the
/// temporary is gone and what was at `path` before is untouched.
sp_status sp_file_close(sp_file *file, bool sync, sp_error *err);
void sp_file_abandon(sp_file *file); ///< closes and removes a file that came to nothing

/// Bytes that follow each other in a file, so that a header needs no copy of what it heads.
typedef struct sp_file_part {
    const void *bytes;
    size_t count;
} sp_file_part;
/// All of these at once.
sp_status sp_file_write(const char *path, const sp_file_part *parts, size_t part_count, bool sync,
                        sp_error *err);
/// The name of the file whose temporary an entry of a directory is; NULL when it is none.
const char *sp_file_of_temporary(const char *entry);

/// ---- What both are made of (system_calls.c) ----------------------------------------------------

/// The sentence for a call that failed, from errno: "PATH: no room left on the disk". `what` was not done:
/// "written".
sp_status sp_file_failed(sp_error *err, const char *path, const char *what);
bool sp_is_directory(const char *path);
int sp_open(const char *path, int flags); ///< closed on exec
int sp_sync(int fd);
sp_status sp_sync_directory(const char *path, sp_error *err);
/// All bytes, however the system chops them up; false leaves the reason in errno.
bool sp_write_all(int fd, const void *bytes, size_t count);

#endif

// SPDX-License-Identifier: Apache-2.0
#ifndef SP_TEMPORARY_H
#define SP_TEMPORARY_H

/// Directories for tests and files in them. Every directory is removed with its contents when the test program
/// ends, also when a test failed. A test that makes many removes each of them itself.

#include "testing.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TEMPORARY_MOST = 64, TEMPORARY_PATH = 600 };

static char temporary_names[TEMPORARY_MOST][TEMPORARY_PATH / 2]; // empty: not in use
static pid_t temporary_owner; // a child that a test forks must not remove anything

/// Removes a file, or a directory with all that is in it.
static inline void remove_tree(const char *path)
{
    DIR *dir = unlink(path) == 0 ? NULL : opendir(path); // unlink first: links are not followed
    if (!dir) return;
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
        char inner[4096];
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        const int n = snprintf(inner, sizeof inner, "%s/%s", path, entry->d_name);
        if (n > 0 && (size_t)n < sizeof inner) remove_tree(inner);
    }
    closedir(dir);
    rmdir(path);
}

static inline void temporary_remove_all(void)
{
    for (size_t i = 0; i < TEMPORARY_MOST && getpid() == temporary_owner; ++i)
        if (temporary_names[i][0] != '\0') remove_tree(temporary_names[i]);
}

/// Makes an empty directory. Its name stays valid until the program ends or remove_directory() is called.
static inline const char *temporary_directory(void)
{
    const char *parent = getenv("TMPDIR");
    size_t i = 0;
    if (temporary_owner != getpid()) atexit(temporary_remove_all);
    temporary_owner = getpid();
    while (i < TEMPORARY_MOST - 1 && temporary_names[i][0] != '\0')
        ++i;
    assert_true(temporary_names[i][0] == '\0');
    snprintf(temporary_names[i], sizeof temporary_names[i], "%s/spume-test-XXXXXX",
             parent && parent[0] != '\0' ? parent : "/tmp");
    if (!mkdtemp(temporary_names[i])) fail_msg("cannot make %s", temporary_names[i]);
    return temporary_names[i];
}

/// Removes a directory that temporary_directory() made, before the program ends.
static inline void remove_directory(const char *dir)
{
    remove_tree(dir);
    for (size_t i = 0; i < TEMPORARY_MOST; ++i)
        if (dir == temporary_names[i]) temporary_names[i][0] = '\0';
}

/// "DIR/NAME". The text stays valid until sixteen more were asked for.
static inline const char *path_in(const char *dir, const char *name)
{
    static char paths[16][TEMPORARY_PATH];
    static unsigned next;
    char *path = paths[next++ % 16];
    const int n = snprintf(path, TEMPORARY_PATH, "%s/%s", dir, name);
    assert_true(n > 0 && n < TEMPORARY_PATH);
    return path;
}

static inline bool has_file(const char *dir, const char *name)
{
    return access(path_in(dir, name), F_OK) == 0;
}

/// How many entries of a directory have names that hold `part`; 0 when there is no such directory.
static inline size_t count_files(const char *path, const char *part)
{
    size_t n = 0;
    DIR *dir = opendir(path);
    for (struct dirent *entry; dir && (entry = readdir(dir)) != NULL;)
        n += entry->d_name[0] != '.' && strstr(entry->d_name, part) != NULL;
    if (dir) closedir(dir);
    return n;
}

static inline void write_file(const char *path, const void *bytes, size_t count)
{
    FILE *file = fopen(path, "wb");
    if (!file) fail_msg("cannot write %s", path);
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    assert_int_equal(fclose(file), 0);
}

static inline void write_text(const char *path, const char *text)
{
    write_file(path, text, strlen(text));
}

/// The bytes of a file and a zero behind them; the caller frees them. `count` may be NULL.
static inline void *read_file(const char *path, size_t *count)
{
    FILE *file = fopen(path, "rb");
    if (!file) fail_msg("cannot read %s", path);
    fseek(file, 0, SEEK_END);
    const long size = ftell(file);
    rewind(file);
    char *bytes = malloc((size_t)size + 1);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, (size_t)size, file), size);
    fclose(file);
    bytes[size] = '\0';
    if (count) *count = (size_t)size;
    return bytes;
}

#endif

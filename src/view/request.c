// SPDX-License-Identifier: Apache-2.0
/// Parsing of requests. Nothing is decoded, trimmed or normalised: a word equals what we expect, or
/// the request is refused.
#include "view/internal.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

bool sp_view_host_is_ours(const char *host, int port)
{
    static const char *const names[] = {"127.0.0.1", "localhost"};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        char ours[32];
        snprintf(ours, sizeof ours, "%s:%d", names[i], port);
        if (strcasecmp(host, ours) == 0) return true;
        if (port == 80 && strcasecmp(host, names[i]) == 0) return true;
    }
    return false;
}

int sp_view_file_of(const char *target)
{
    if (target[0] != '/') return -1;
    const char *name = target + 1;
    const size_t length = strcspn(name, "?");
    if (length == 0) return 0;
    for (int i = 0; i < SP_VIEW_FILES; ++i)
        if (strlen(sp_view_files[i].name) == length &&
            memcmp(sp_view_files[i].name, name, length) == 0)
            return i;
    return -1;
}

bool sp_view_tag_matches(const char *list, const char *tag)
{
    const size_t length = strlen(tag);
    while (*list) {
        list += strspn(list, " \t,");
        if (*list == '*') return true;
        if (strncmp(list, "W/", 2) == 0) list += 2; // weak and strong tags compare alike here
        if (strncmp(list, tag, length) == 0) return true;
        if (*list == '"') ++list, list += strcspn(list, "\""); // a tag may contain commas
        list += strcspn(list, ",");
    }
    return false;
}

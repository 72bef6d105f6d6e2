// SPDX-License-Identifier: Apache-2.0
#ifndef SP_VIEW_H
#define SP_VIEW_H

/// The page, served on this machine only.
///
/// A fixed list of files is read into memory once; while serving no file is opened, so there is
/// nothing to traverse. The server listens on 127.0.0.1, answers GET and nothing else, and only to
/// those who call it by that address or as localhost with the right port: a page elsewhere whose
/// name was made to point here (DNS rebinding) is refused. A connection carries one request.

#include "core/core.h"

/// ---- The files (page.c) ------------------------------------------------------------------------

enum { SP_VIEW_FILES = 7, SP_VIEW_MOST_BYTES = 8 << 20 };

/// One file of the page as it lies in memory.
typedef struct sp_view_file {
    const char *name; ///< "page.js"; static
    const char *type; ///< its Content-Type; static
    unsigned char *bytes;
    size_t size;
    char tag[20]; ///< the ETag, quotes included: equal for equal bytes
} sp_view_file;

/// The page, whole. A zeroed one is safe to release.
typedef struct sp_view_page {
    const sp_host *host;
    sp_view_file files[SP_VIEW_FILES];
} sp_view_page;

/// Where the page lies: `given` if it is not NULL, else "../page" from the directory of the running
/// program (build/release/spume finds build/page), else "../share/spume/page" from there. Whether
/// it is complete is not asked. On failure err names the first place that was looked at.
sp_status sp_view_page_dir(const char *given, char *dir, size_t size, sp_error *err);
/// Reads every file of the list: regular files only, no links, SP_VIEW_MOST_BYTES each at most. On
/// failure the page is empty, and err names the directory, the file and what to do.
sp_status sp_view_page_read(const char *dir, const sp_host *host, sp_view_page *page,
                            sp_error *err);
void sp_view_page_release(sp_view_page *page);

/// ---- The server (server.c) ---------------------------------------------------------------------

typedef struct sp_view sp_view;

/// Start from sp_view_defaults().
typedef struct sp_view_def {
    int port;             ///< 0 to 65535; 0 takes a free one
    double head_seconds;  ///< a request's head must be there so long after the connection began
    double whole_seconds; ///< and its answer taken so long after
} sp_view_def;
sp_view_def sp_view_defaults(void);

/// Listens, so that requests queue from here on. The page must outlive the server. On failure *out
/// is NULL; SP_BUSY when the port is taken, SP_UNSUPPORTED in a build without SPUME_WITH_PAGE.
sp_status sp_view_open(const sp_view_def *def, const sp_view_page *page, const sp_host *host,
                       sp_view **out, sp_error *err);
int sp_view_port(const sp_view *view); ///< the one it listens on, never 0
/// Answers requests until sp_view_stop() was called, before or meanwhile.
sp_status sp_view_serve(sp_view *view, sp_error *err);
void sp_view_stop(sp_view *view);  ///< from any thread, and from a signal handler
void sp_view_close(sp_view *view); ///< NULL is welcome

/// ---- Requests (request.c) ----------------------------------------------------------------------

/// Whether a Host header means this server: 127.0.0.1:port or localhost:port (in any case), to the
/// letter. Port 80 may be left out, as browsers do.
bool sp_view_host_is_ours(const char *host, int port);
/// The file that a request's raw target asks for, or -1: the list's names after a slash, and "/"
/// itself. A query is passed over. Nothing is decoded, so no encoding can name anything else.
int sp_view_file_of(const char *target);
/// Whether an If-None-Match header names the tag (RFC 9110 13.1.2: a list of tags, or "*").
bool sp_view_tag_matches(const char *list, const char *tag);

#endif

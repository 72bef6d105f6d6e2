// SPDX-License-Identifier: Apache-2.0
#ifndef SPUME_STATUS_H
#define SPUME_STATUS_H

#include <spume/api.h>

#ifdef __cplusplus
extern "C" {
#endif

/// How a call ended. The library never prints and never exits: it returns one of these. Each has one
/// meaning. Numbers never change; new ones are added at the end.
typedef enum sp_status {
    SP_OK = 0,
    SP_BAD_INPUT, ///< a key, a value or an argument is wrong; the text names it and what is allowed
    SP_NO_MEMORY, ///< the host gave no memory, or the budget is used up
    SP_IO,        ///< a file could not be read or written (full disk, permissions, ...)
    SP_DAMAGED,   ///< a file exists but its contents are not what was written
    SP_DIVERGED,  ///< the numbers are no longer finite, or a solver stopped converging
    SP_BUSY,      ///< another process holds it: a run's directory, a network port
    SP_CANCELLED, ///< asked to stop (Ctrl-C); what was written is whole
    SP_UNSUPPORTED, ///< this build cannot do it: a part was left out, a file is of a newer version
    SP_FULL,        ///< a queue or table of fixed length has no place left
} sp_status;

/// One sentence for a person, and the status it came with. Starts as {0}; written only on failure. Every call takes
/// NULL instead of an sp_error. All other pointers must be valid, unless a comment allows NULL.
typedef struct sp_error {
    sp_status status;
    char text[512];
} sp_error;

/// A short English name of a status, such as "bad input".
SP_API const char *sp_status_name(sp_status status);

#ifdef __cplusplus
}
#endif
#endif

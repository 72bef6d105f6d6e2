// SPDX-License-Identifier: Apache-2.0
#ifndef SP_CORE_TEXT_STATUS_H
#define SP_CORE_TEXT_STATUS_H

#include <spume/status.h>

#include <stdlib.h>

#if defined(__GNUC__)
#define SP_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define SP_PRINTF(text, first)
#endif

/// Writes one sentence into err (which may be NULL) and returns the status, so that a failure is one
/// line: return sp_fail(err, SP_BAD_INPUT, "pond.dx: %g m; expected 0.001 to 10", dx);
sp_status sp_fail(sp_error *err, sp_status status, const char *format, ...) SP_PRINTF(3, 4);

/// Puts text in front of an error's sentence on its way up: "scene.json: " + the solver's sentence.
void sp_error_prefix(sp_error *err, const char *format, ...) SP_PRINTF(2, 3);

/// SP_BAD_INPUT when a struct that the caller filled has not the size that this library expects: it was not made
/// by the function named `start`, or the program was compiled with headers of another version.
sp_status sp_struct_check(size_t struct_size, size_t expected, const char *start, sp_error *err);

/// Returns from the calling function with the call's status unless that is SP_OK.
#define SP_TRY(call)                                                                               \
    do {                                                                                           \
        const sp_status sp_try_status = (call);                                                    \
        if (sp_try_status != SP_OK) return sp_try_status;                                          \
    } while (0)

/// Conditions that only a bug in Spume can break. Checked in debug and test builds.
#if defined(SP_DEBUG)
#define SP_ASSERT(truth) ((truth) ? (void)0 : sp_assert_failed(#truth, __FILE__, __LINE__))
#else
#define SP_ASSERT(truth) ((void)sizeof(truth))
#endif
/// Checks that walk through a whole structure: debug builds only.
#define SP_VALIDATE(truth) SP_ASSERT(truth)
_Noreturn void sp_assert_failed(const char *truth, const char *file, int line);

#endif

// SPDX-License-Identifier: Apache-2.0
#ifndef SPUME_HOST_H
#define SPUME_HOST_H

#include <spume/api.h>

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum sp_log_level { SP_LOG_DEBUG, SP_LOG_INFO, SP_LOG_WARNING, SP_LOG_ERROR } sp_log_level;

/// Everything Spume needs from its environment. A game engine or a browser provides its own;
/// sp_host_default() gives malloc, OpenMP, no log and the monotonic clock. The struct and whatever
/// `user` points at must outlive every object opened with it.
///
/// Threads. The library has no global state, so different objects (simulations, runs, ponds, meshes)
/// may be used by different threads at the same time; one object by one thread at a time. A call returns
/// when all its work is done: nothing goes on in the background.
///
/// Callbacks. The functions of a host may be called by several threads at once, from inside
/// `parallel_for`, and must allow it. All other callbacks (progress, cancel) are called by the thread
/// that made the call, between two pieces of work, one at a time. A callback must return (no longjmp, no
/// C++ exception) and must not use the object whose call it is called from, unless its comment says
/// which calls are allowed; other objects are fine.
///
/// struct_size. Structs that a program fills begin with their own size. The function that makes the defaults sets it,
/// and calls refuse another size: it means a struct that was not made from the defaults, or a program that was
/// compiled with headers of another version. Layouts stay the same within a minor version (the library's soname).
typedef struct sp_host {
    size_t struct_size; ///< sizeof(sp_host); set by sp_host_default()
    /// Passed to each function below.
    void *user;
    /// Returns `bytes` bytes aligned to 64, contents undefined, or NULL when out of memory.
    void *(*allocate)(void *user, size_t bytes);
    /// Frees memory from `allocate`; `bytes` is the same size.
    void (*release)(void *user, void *memory, size_t bytes);
    /// Calls body(arg, i) once for each i in [0, n), in any order, on any threads, and returns when
    /// all are done. No result of Spume depends on the order.
    void (*parallel_for)(void *user, size_t n, void (*body)(void *arg, size_t i), void *arg);
    /// How many calls parallel_for may have under way at once; at least 1. Advice only.
    int threads;
    /// One line of text without a newline. May be NULL: then nothing is logged.
    void (*log)(void *user, sp_log_level level, const char *text);
    /// Seconds since any fixed moment. May be NULL: then stage times are zero.
    double (*clock)(void *user);
} sp_host;

/// The default host. `threads` 0 means as many as the machine has (or OMP_NUM_THREADS).
SP_API sp_host sp_host_default(int threads);

#ifdef __cplusplus
}
#endif
#endif

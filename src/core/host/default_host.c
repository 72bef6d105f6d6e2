// SPDX-License-Identifier: Apache-2.0
/// The default host: malloc, OpenMP and the monotonic clock. No other file uses these.
#include <spume/host.h>

#include <stdlib.h>
#include <time.h>

#if defined(_OPENMP)
#include <omp.h>
#endif

static void *allocate(void *user, size_t bytes)
{
    (void)user;
    return aligned_alloc(64, (bytes + 63) & ~(size_t)63);
}

static void release(void *user, void *memory, size_t bytes)
{
    (void)user;
    (void)bytes;
    free(memory);
}

static double seconds(void *user)
{
    (void)user;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

#if defined(_OPENMP)
// `user` carries the number of threads itself, so that the host needs no memory of its own.
static void parallel_for(void *user, size_t n, void (*body)(void *, size_t), void *arg)
{
    const int threads = (int)(size_t)user;
    if (threads == 1) { // OpenMP does not start, which it could not where memory is scarce
        for (size_t i = 0; i < n; ++i)
            body(arg, i);
        return;
    }
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
    for (size_t i = 0; i < n; ++i)
        body(arg, i);
}
#else
static void parallel_for(void *user, size_t n, void (*body)(void *, size_t), void *arg)
{
    (void)user;
    for (size_t i = 0; i < n; ++i)
        body(arg, i);
}
#endif

sp_host sp_host_default(int threads)
{
#if defined(_OPENMP)
    if (threads <= 0) threads = omp_get_max_threads();
#else
    threads = 1;
#endif
    return (sp_host){
        .struct_size = sizeof(sp_host),
        .user = (void *)(size_t)threads,
        .allocate = allocate,
        .release = release,
        .parallel_for = parallel_for,
        .threads = threads,
        .clock = seconds,
    };
}

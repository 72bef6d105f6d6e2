// SPDX-License-Identifier: Apache-2.0
/// Fourier transforms by FFTW. A transform runs on one thread, and plans are estimated, not measured, so they are the
/// same in every run on a machine.
#include "ocean/internal.h"

#if defined(SPUME_WITH_FFTW)

#include <fftw3.h>
#include <pthread.h>

/// FFTW's planner has state of the whole process.
static pthread_mutex_t planner = PTHREAD_MUTEX_INITIALIZER;

struct ocean_plans {
    fftwf_plan by_size[OCEAN_SIZES]; ///< by the logarithm of n
};

static int logarithm(int32_t n)
{
    int log = 0;
    while (n >> (log + 1))
        ++log;
    return log;
}

/// From n rows of complex numbers to n rows of real ones in their place; both begin ocean_stride(n) floats apart.
static fftwf_plan plan(int32_t n, float *plane)
{
    const int sides[2] = {n, n}, real[2] = {n, (int)ocean_stride(n)},
              complex[2] = {n, (int)ocean_stride(n) / 2};
    return fftwf_plan_many_dft_c2r(2, sides, 1, (fftwf_complex *)plane, complex, 1, 0, plane, real,
                                   1, 0, FFTW_ESTIMATE);
}

sp_status ocean_plans_open(ocean *o, sp_error *err)
{
    bool good = true;
    o->plans = sp_arena_take(o->host, &o->blocks, 1, sizeof *o->plans);
    if (!o->plans) return sp_fail(err, SP_NO_MEMORY, "ocean: no memory");
    pthread_mutex_lock(&planner);
    for (int k = 0; k < o->cascades; ++k)
        for (int g = 0; g < o->cascade[k].groups; ++g) {
            const int32_t n = o->cascade[k].size[g];
            fftwf_plan *p = &o->plans->by_size[logarithm(n)];
            if (!*p) *p = plan(n, o->moment[0].plane[k][g][0]);
            good = good && *p;
        }
    pthread_mutex_unlock(&planner);
    return good ? SP_OK : sp_fail(err, SP_NO_MEMORY, "ocean: no memory for the plans of FFTW");
}

void ocean_plans_close(ocean *o)
{
    if (!o->plans) return;
    pthread_mutex_lock(&planner);
    for (int n = 0; n < OCEAN_SIZES; ++n)
        if (o->plans->by_size[n]) fftwf_destroy_plan(o->plans->by_size[n]);
    pthread_mutex_unlock(&planner);
}

void ocean_transform(const ocean_plans *plans, int32_t n, float *plane)
{
    fftwf_execute_dft_c2r(plans->by_size[logarithm(n)], (fftwf_complex *)plane, plane);
}

const char *sp_ocean_missing(void)
{
    return NULL;
}

#else

sp_status ocean_plans_open(ocean *o, sp_error *err)
{
    (void)o;
    return sp_fail(err, SP_UNSUPPORTED, "%s", sp_ocean_missing());
}

void ocean_plans_close(ocean *o)
{
    (void)o;
}

void ocean_transform(const ocean_plans *plans, int32_t n, float *plane)
{
    (void)plans, (void)n, (void)plane;
}

const char *sp_ocean_missing(void)
{
    return "ocean: this build has no FFTW, which computes its waves; install libfftw3-dev and "
           "build "
           "Spume again with -DSPUME_WITH_FFTW=ON";
}

#endif

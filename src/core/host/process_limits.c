// SPDX-License-Identifier: Apache-2.0
#include "core/host/process_limits.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

/// Pages of address space and of data that the process has now; 0 where the system does not tell.
static void count_pages(double *all, double *data)
{
    FILE *in = fopen("/proc/self/statm", "r");
    *all = *data = 0.0;
    if (!in) return;
    if (fscanf(in, "%lf %*f %*f %*f %*f %lf", all, data) != 2) *all = *data = 0.0;
    fclose(in);
}

static double room_below(int resource, double used)
{
    struct rlimit limit;
    if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return (double)INFINITY;
    return fmax(0.0, (double)limit.rlim_cur - used);
}

double sp_memory_room(void)
{
    double all, data;
    const double page = (double)sysconf(_SC_PAGE_SIZE);
    count_pages(&all, &data);
    return fmin(room_below(RLIMIT_AS, page * all), room_below(RLIMIT_DATA, page * data));
}

/// ---- Threads -----------------------------------------------------------------------------------

static void *pass_gate(void *arg)
{
    pthread_mutex_t *gate = arg;
    pthread_mutex_lock(gate);
    pthread_mutex_unlock(gate);
    return NULL;
}

int sp_threads_possible(int wanted)
{
    enum { MOST = 1024 };
    // A thread takes its stack, and its first allocation up to 128 MB of address space: below this, one thread.
    const double least = 1e9;
    pthread_t threads[MOST];
    pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
    int started = 0;
    if (wanted > MOST) wanted = MOST;
    if (wanted < 2 || sp_memory_room() < least) return 1;
    pthread_mutex_lock(&gate); // all are there at once
    while (started < wanted - 1 && pthread_create(&threads[started], NULL, pass_gate, &gate) == 0)
        ++started;
    pthread_mutex_unlock(&gate);
    for (int i = 0; i < started; ++i)
        pthread_join(threads[i], NULL);
    return started + 1;
}

// SPDX-License-Identifier: Apache-2.0
/// Tests whether a new point is too near to one of those placed already: yes or no, after every
/// addition. This is not a neighbour search: that of src/particles sorts points which are all there,
/// and would have to sort them again after each addition.
///
/// A cube is two reaches wide, so a ball of one reach around any point touches at most 2 x 2 x 2
/// cubes. Cubes with the same hash share a chain: their points are tested too, which costs a little
/// time and changes no result. The memory grows with the points; that of a dense grid would grow
/// with the volume.
#include "shapes/internal.h"

#include <math.h>
#include <string.h>

/// The hash of one coordinate of a cube. Cubes stay in double, because the quotient of two floats
/// may exceed every integer type.
static uint64_t hash_along(double cube, uint64_t axis)
{
    const double plain = cube + 0.0; // turns -0 into 0
    uint64_t bits;
    memcpy(&bits, &plain, sizeof bits);
    return sp_mix64(bits ^ axis << 62);
}

static void link_point(points_near *near, size_t i)
{
    const sp_shape_points *p = near->points;
    const double at[3] = {(double)p->x[i], (double)p->y[i], (double)p->z[i]};
    uint64_t hash = 0;
    for (uint64_t k = 0; k < 3; ++k)
        hash += hash_along(floor(at[k] / (2.0 * near->reach)), k);
    uint32_t *first = &near->first[hash & near->mask];
    near->next[i] = *first;
    *first = (uint32_t)i + 1;
}

/// Allocates room for `capacity` points, with one chain per point, and links the points again.
static sp_status enlarge(points_near *near, size_t capacity, sp_error *err)
{
    const sp_host *host = near->points->host;
    size_t chains = 16;
    while (chains < capacity)
        chains *= 2;
    SP_TRY(points_reserve(near->points, capacity, err));
    if (!sp_regrow(host, (void **)&near->next, 0, capacity, sizeof *near->next) ||
        !sp_regrow(host, (void **)&near->first, 0, chains, sizeof *near->first))
        return sp_fail(err, SP_NO_MEMORY, "no memory to find %zu points", capacity);
    near->capacity = capacity;
    near->mask = chains - 1;
    for (size_t i = 0; i < near->points->count; ++i)
        link_point(near, i);
    return SP_OK;
}

sp_status points_near_open(points_near *near, sp_shape_points *points, double reach,
                           size_t capacity, sp_error *err)
{
    *near = (points_near){.points = points, .reach = reach};
    return enlarge(near, capacity, err);
}

void points_near_close(points_near *near)
{
    if (!near->points) return;
    sp_release(near->points->host, near->first);
    sp_release(near->points->host, near->next);
    *near = (points_near){0};
}

static bool any_of_chain(const points_near *near, uint64_t hash, const double p[3], double square)
{
    const sp_shape_points *points = near->points;
    for (uint32_t i = near->first[hash & near->mask]; i > 0; i = near->next[i - 1]) {
        const double from[3] = {(double)points->x[i - 1] - p[0], (double)points->y[i - 1] - p[1],
                                (double)points->z[i - 1] - p[2]};
        if (sp_dot3(from, from) < square) return true;
    }
    return false;
}

bool points_near_any(const points_near *near, const double p[3], double within)
{
    uint64_t hash[3][2];
    int cubes[3];
    for (int k = 0; k < 3; ++k) {
        const double low = floor((p[k] - within) / (2.0 * near->reach));
        const double high = floor((p[k] + within) / (2.0 * near->reach));
        hash[k][0] = hash_along(low, (uint64_t)k);
        hash[k][1] = hash_along(high, (uint64_t)k);
        cubes[k] = low < high ? 2 : 1;
    }
    bool found = false;
    for (int c = 0; c < cubes[2]; ++c)
        for (int b = 0; b < cubes[1]; ++b)
            for (int a = 0; a < cubes[0] && !found; ++a)
                found =
                    any_of_chain(near, hash[0][a] + hash[1][b] + hash[2][c], p, within * within);
    return found;
}

sp_status points_near_add(points_near *near, const double p[3], sp_error *err)
{
    if (near->points->count == near->capacity) {
        SP_TRY(points_check_count((double)near->capacity + 1.0, near->reach, err));
        SP_TRY(enlarge(near, 2 * near->capacity, err));
    }
    points_put(near->points, p);
    link_point(near, near->points->count - 1);
    return SP_OK;
}

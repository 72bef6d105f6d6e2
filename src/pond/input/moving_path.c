// SPDX-License-Identifier: Apache-2.0
/// Position of an object on its path at a given time.
#include "pond/internal.h"

static void on_circle(const sp_pond_circle *circle, double t, float *x, float *y)
{
    const double turns = t / (double)circle->period;
    const float angle =
        (float)((turns - floor(turns)) * 2.0 * SP_PI_D); // sp_sinf() needs a small angle
    *x += circle->radius * sp_cosf(angle);
    *y += circle->radius * sp_sinf(angle);
}

static void on_keyframes(const sp_pond_path *path, double t, float *x, float *y)
{
    const sp_pond_keyframe *key = path->keyframes;
    const size_t last = path->keyframe_count - 1;
    const double end = (double)key[last].t;
    if (path->repeat && end > 0.0) t -= floor(t / end) * end;
    size_t k = 0;
    while (k < last && t >= (double)key[k + 1].t)
        ++k;
    const size_t next = k < last ? k + 1 : last;
    const double span = (double)key[next].t - (double)key[k].t;
    const float share =
        span > 0.0 ? sp_clamp((float)((t - (double)key[k].t) / span), 0.0f, 1.0f) : 0.0f;
    *x = sp_mix(key[k].x, key[next].x, share);
    *y = sp_mix(key[k].y, key[next].y, share);
}

void pond_path_at(const sp_pond_path *path, float x0, float y0, double t, float *x, float *y)
{
    *x = x0;
    *y = y0;
    if (!path) return;
    if (path->circle)
        on_circle(path->circle, t, x, y);
    else if (path->keyframe_count > 0)
        on_keyframes(path, t, x, y);
}

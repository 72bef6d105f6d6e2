// SPDX-License-Identifier: Apache-2.0
#include "core/text/pace.h"

#include <math.h>

void sp_pace_begin(sp_pace *pace, double now, double from, double to, double frame)
{
    *pace = (sp_pace){.begun = now,
                      .from = from,
                      .to = to,
                      .frame_from = from,
                      .frame_to = from + frame,
                      .frame_begun = now};
}

void sp_pace_frame(sp_pace *pace, double now, double time)
{
    pace->frame_to = time + (pace->frame_to - pace->frame_from);
    pace->frame_from = time;
    pace->frame_begun = now;
}

/// Seconds for a second of the present frame.
static double own_pace(const sp_pace *pace, double now, double time)
{
    const double within = time - pace->frame_from;
    return within > 0.0 ? (now - pace->frame_begun) / within : (double)INFINITY;
}

double sp_pace_frame_left(const sp_pace *pace, double now, double time)
{
    return own_pace(pace, now, time) * fmax(0.0, pace->frame_to - time);
}

double sp_pace_total(const sp_pace *pace, double now, double time)
{
    const double before = pace->frame_from - pace->from, own = own_pace(pace, now, time);
    const double mean = before > 0.0 ? (pace->frame_begun - pace->begun) / before : own;
    const double frame = isfinite(own) ? own : mean, end = fmin(pace->frame_to, pace->to);
    double left = frame * fmax(0.0, end - time);
    if (pace->to > pace->frame_to) left += mean * (pace->to - pace->frame_to);
    return now - pace->begun + left;
}

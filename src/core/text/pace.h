// SPDX-License-Identifier: Apache-2.0
#ifndef SP_CORE_TEXT_PACE_H
#define SP_CORE_TEXT_PACE_H

/// How long a run takes, told from how far it has come. Clock times are seconds by any clock.
typedef struct sp_pace {
    double begun;       ///< clock time of the start
    double from, to;    ///< simulated time at the start and at the end, s
    double frame_from;  ///< simulated time at which the present frame begins, s
    double frame_to;    ///< simulated time at which it ends, s
    double frame_begun; ///< clock time at which it began
} sp_pace;

/// A run that begins at time `from`, with frames of `frame` seconds.
void sp_pace_begin(sp_pace *pace, double now, double from, double to, double frame);
/// A frame ended at time `time`.
void sp_pace_frame(sp_pace *pace, double now, double time);
/// Seconds to the end of the present frame, at its own pace; infinite while nothing is known.
double sp_pace_frame_left(const sp_pace *pace, double now, double time);
/// Seconds from the start to the end of the run, when `time` is reached: the present frame at its own
/// pace, the rest at the mean pace of the frames that are done. Infinite while nothing is known.
double sp_pace_total(const sp_pace *pace, double now, double time);

#endif

// SPDX-License-Identifier: Apache-2.0
#ifndef SP_CLI_OUTPUT_RUN_PACE_H
#define SP_CLI_OUTPUT_RUN_PACE_H

/// Says how long a run takes: before it begins, from the solver's estimate, and from its first frame
/// on, from its pace. With --max-hours a run that takes longer is refused or stopped.

#include "cli/cli.h"
#include "scene/scene.h"

typedef struct cli_pace {
    const cli_call *call;
    const sp_host *host;
    sp_progress *progress; ///< its line is cleared before something is said
    sp_pace pace;
    double limit;  ///< s, of --max-hours; infinite: none
    double told;   ///< s: the last total that was said
    char why[320]; ///< why the run is stopped; empty: it is not
} cli_pace;

/// Seconds that --max-hours allows; infinite when it is not given. False for a value that is none.
bool cli_max_seconds(const cli_call *call, double *seconds);
/// Refuses a scene whose estimate is above --max-hours and returns the exit status. Without the option
/// it warns of an estimate of more than a day.
int cli_check_time(const cli_call *call, const cli_machine *machine, const sp_scene *scene);

/// A run from `first` to `last`, frames.
void cli_pace_begin(cli_pace *pace, uint64_t first, uint64_t last, double fps);
/// Watches substeps; true when the run must stop, also if it was interrupted and its frame takes too long to finish.
/// `user` is a cli_pace.
bool cli_pace_within(void *user, double time);
/// A frame ended at `time`, s; true when the run must stop.
bool cli_pace_after(cli_pace *pace, double time);

#endif

// SPDX-License-Identifier: Apache-2.0
#include "cli/output/run_pace.h"

#include <math.h>

enum { HOUR = 3600, DAY = 24 * HOUR };
static const double least = 5.0;         // s of work before a pace is believed
static const double worth_saying = 60.0; // s: shorter runs are not announced
static const double patience = 30.0;     // s that an interrupted run takes to finish its frame

bool cli_max_seconds(const cli_call *call, double *seconds)
{
    double hours = (double)INFINITY;
    if (!cli_real(call, "max-hours", 1e-6, 1e6, &hours)) return false;
    *seconds = HOUR * hours;
    return true;
}

int cli_check_time(const cli_call *call, const cli_machine *machine, const sp_scene *scene)
{
    double limit;
    char estimate[32];
    if (!cli_max_seconds(call, &limit)) return CLI_BAD_INPUT;
    const double seconds = sp_scene_seconds(scene, machine->host.threads);
    sp_seconds_text(seconds, estimate, sizeof estimate);
    if (seconds > limit)
        return cli_bad_input(
            call,
            "%s: takes about %s, and --max-hours allows %s; coarsen %s, shorten the "
            "scene or allow more",
            scene->name, estimate, cli_value(call, "max-hours"), scene->solver->grain);
    if (seconds > DAY && !isfinite(limit))
        cli_say(call, SP_LOG_WARNING, "%s: takes about %s; --max-hours refuses such scenes",
                scene->name, estimate);
    return CLI_FINE;
}

void cli_pace_begin(cli_pace *pace, uint64_t first, uint64_t last, double fps)
{
    sp_pace_begin(&pace->pace, sp_now(pace->host), (double)first / fps, (double)last / fps,
                  1.0 / fps);
    pace->told = 0.0;
}

/// Says the total if it is worth it, or if it is several times what was said before.
static void tell(cli_pace *pace, const char *where, double total)
{
    char text[32];
    if (total < worth_saying || total < 4.0 * pace->told) return;
    pace->told = total;
    sp_seconds_text(total, text, sizeof text);
    sp_progress_end(pace->progress);
    cli_say(pace->call, total > DAY ? SP_LOG_WARNING : SP_LOG_INFO,
            "%s: at this pace the run takes about %s%s", where, text,
            total > DAY && !isfinite(pace->limit) ? "; --max-hours stops such runs" : "");
}

static bool stop(cli_pace *pace, const char *where, double total)
{
    char text[32];
    if (!(total > pace->limit)) return false;
    sp_seconds_text(total, text, sizeof text);
    snprintf(pace->why, sizeof pace->why,
             "%s: at this pace the run takes about %s, and --max-hours allows %s", where, text,
             cli_value(pace->call, "max-hours"));
    return true;
}

bool cli_pace_within(void *user, double time)
{
    cli_pace *pace = user;
    const double now = sp_now(pace->host), spent = now - pace->pace.frame_begun;
    char where[96];
    if (spent < least) return false;
    const double total = sp_pace_total(&pace->pace, now, time);
    snprintf(where, sizeof where, "%.3g of %.3g s simulated after %.0f s",
             time - pace->pace.frame_from, pace->pace.frame_to - pace->pace.frame_from, spent);
    tell(pace, where, total);
    if (cli_was_interrupted(NULL) && sp_pace_frame_left(&pace->pace, now, time) > patience)
        return true;
    return stop(pace, where, total);
}

bool cli_pace_after(cli_pace *pace, double time)
{
    const double now = sp_now(pace->host);
    char where[96];
    if (time <= pace->pace.from) return false; // the frame that is there at the start
    sp_pace_frame(&pace->pace, now, time);
    const double total = sp_pace_total(&pace->pace, now, time), spent = now - pace->pace.begun;
    snprintf(where, sizeof where, "%.3g of %.3g s simulated after %.1f s", time, pace->pace.to,
             spent);
    tell(pace, where, total);
    return spent >= least && stop(pace, where, total);
}

// SPDX-License-Identifier: Apache-2.0
#include "cache/cache.h"
#include "cli/commands.h"
#include "cli/options/solver_files.h"
#include "cli/output/run_pace.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/// Everything that a run owns, so that one function frees it.
typedef struct job {
    const cli_call *call;
    cli_machine machine;
    sp_scene *scene;
    char *scene_text; ///< resolved
    sp_text about;    ///< of the build, as JSON
    char dir[4096];
    uint64_t first, last;
    sp_writer *run;
    sp_host run_host;
    sp_driver *driver;
    sp_progress progress;
    cli_pace pace;
    cli_scene_opener *open;
    sp_watch substeps; ///< for the pace
    bool too_long;     ///< the pace says so
    uint64_t frames_done, last_done, last_hash;
    double began;
} job;

static void after_frame(void *user, const sp_frame *frame, double seconds)
{
    job *j = user;
    (void)seconds;
    ++j->frames_done;
    j->too_long = cli_pace_after(&j->pace, frame->time);
    j->last_done = frame->frame;
    j->last_hash = frame->hash;
    char note[200];
    sp_driver_note(j->driver, note, sizeof note);
    sp_progress_frame(&j->progress, frame->frame, atomic_load(&j->machine.budget.used), note);
}

/// --redo and --keep go together: foam and spray are done again on the bubbles of the run that is kept.
static bool check_redo(const cli_call *call)
{
    static const char *const words[] = {"foam", "spray", NULL};
    const char *kept = cli_value(call, "keep");
    int what = 0;
    if (!cli_word(call, "redo", words, &what)) return false;
    if (cli_given(call, "redo") != (kept != NULL))
        return cli_refuse(
            call, "--redo foam and --keep DIR go together: the bubbles of the run in DIR are kept");
    return !kept || sp_run_is_here(kept) || cli_refuse(call, "--keep: %s holds no run", kept);
}

static int open_scene(job *j)
{
    const cli_call *call = j->call;
    uint64_t first = 0;
    bool is_range = false;
    if (cli_given(call, "resume") + cli_given(call, "from") + cli_given(call, "overwrite") > 1)
        return cli_bad_input(call, "--resume, --from and --overwrite exclude each other");
    if (!check_redo(call)) return CLI_BAD_INPUT;
    const int code = j->open(call, &j->machine, &j->scene, &j->first);
    if (code != CLI_FINE) return code;
    j->last = j->scene->common.frames;
    if (!cli_range(call, "frames", &first, &j->last, &is_range)) return CLI_BAD_INPUT;
    if (is_range) j->first = first;
    j->scene->common.frames = j->last; // so that scene.json says what was run
    if (!cli_max_seconds(call, &j->pace.limit)) return CLI_BAD_INPUT;
    // How much of it is left to do is not known here when a run goes on.
    const bool goes_on = cli_given(call, "resume") || cli_given(call, "from");
    return goes_on ? CLI_FINE : cli_check_time(call, &j->machine, j->scene);
}

static bool describe_build(job *j)
{
    j->about.host = &j->machine.host;
    sp_text_format(&j->about, "{\"seed\":%" PRIu64 ",\"build\":", j->scene->common.seed);
    cli_build_json(&j->about);
    sp_text_add(&j->about, "}");
    return !j->about.failed;
}

static sp_status open_run(job *j, sp_error *err)
{
    const cli_call *call = j->call;
    const sp_scene_common *common = &j->scene->common;
    SP_TRY(sp_scene_resolved(j->scene, &j->scene_text, err));
    if (!describe_build(j)) return sp_fail(err, SP_NO_MEMORY, "no memory to describe the build");
    sp_writer_options how = sp_writer_defaults();
    how.scene_hash = j->scene->hash;
    how.dir = j->dir;
    how.fps = common->fps;
    how.first = j->first;
    how.checkpoint_every = (uint64_t)common->cache.checkpoint_every;
    how.keep = (uint64_t)common->cache.keep;
    how.sync = common->cache.sync;
    how.half = common->cache.half;
    how.scene_text = j->scene_text;
    how.solver = j->scene->solver->name;
    how.about = j->about.bytes;
    if (cli_given(call, "resume")) how.mode = SP_RUN_RESUME;
    if (cli_given(call, "overwrite")) how.mode = SP_RUN_OVERWRITE;
    if (cli_given(call, "from")) {
        long from = 0;
        how.mode = SP_RUN_FROM;
        if (!cli_number(call, "from", 0, 999999, &from)) return SP_BAD_INPUT; // already said
        how.from = (uint64_t)from;
    }
    return sp_writer_open(&how, &j->machine.host, &j->run, err);
}

static void begin_progress(job *j)
{
    const int64_t from = sp_writer_resumes_at(j->run);
    j->began = sp_now(&j->machine.host);
    cli_progress_begin(&j->progress, &j->machine, j->last);
    j->pace.call = j->call;
    j->pace.host = &j->machine.host;
    j->pace.progress = &j->progress;
    cli_pace_begin(&j->pace, from > 0 ? (uint64_t)from : 0, j->last, j->scene->common.fps);
}

/// Asked before each frame only, so that Ctrl-C leaves a whole frame and a checkpoint.
static bool interrupted(void *user, double time)
{
    (void)time;
    return cli_was_interrupted(NULL) || ((const job *)user)->too_long;
}

static sp_status simulate(job *j, sp_error *err)
{
    const sp_watch watch = {.stop = interrupted, .user = j};
    const double memory = (double)j->machine.budget.limit;
    j->run_host = sp_writer_host(j->run);
    j->substeps = (sp_watch){.stop = cli_pace_within, .user = &j->pace};
    const sp_status opened =
        sp_scene_drive(j->scene, memory, watch, &j->substeps, &j->run_host, &j->driver, err);
    if (opened == SP_BAD_INPUT) sp_writer_withdraw(j->run);
    if (opened != SP_OK) return opened;
    const sp_writer_hooks hooks = {.user = j, .after_frame = after_frame};
    cli_catch_interrupts();
    begin_progress(j);
    const sp_status status = sp_writer_go(j->run, j->driver, j->last, &hooks, err);
    sp_progress_end(&j->progress);
    return status;
}

static void say_what_was_written(const job *j)
{
    char took[32];
    if (j->call->quiet) return;
    sp_seconds_text(sp_now(&j->machine.host) - j->began, took, sizeof took);
    if (j->frames_done == 0)
        printf("%s already holds frames up to %" PRIu64 ": nothing to do.\n", j->dir, j->last);
    else
        printf("%s: %" PRIu64 " frame%s up to %" PRIu64 " in %s, hash %016" PRIx64 "\n", j->dir,
               j->frames_done, j->frames_done == 1 ? "" : "s", j->last_done, took, j->last_hash);
    printf("Next: spume render %s\n", j->dir);
}

/// The options that made this scene what it is, so that the hint can be typed as it stands.
static void list_scene_options(const cli_call *call, char *text, size_t size)
{
    static const char *const kept[] = {"set", "size", "frames", "budget", "redo", "keep"};
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; i < call->given_count; ++i)
        for (size_t k = 0; k < sizeof kept / sizeof *kept; ++k)
            if (strcmp(call->given[i]->name, kept[k]) == 0 && used < size)
                used += (size_t)snprintf(text + used, size - used, " --%s '%s'", kept[k],
                                         call->values[i]);
}

static int end_of_run(const job *j, sp_status status, const sp_error *err)
{
    const cli_call *call = j->call;
    if (status == SP_OK) {
        say_what_was_written(j);
        return CLI_FINE;
    }
    if (status == SP_CANCELLED) {
        char options[300];
        list_scene_options(call, options, sizeof options);
        cli_say(call, SP_LOG_ERROR,
                "%s%safter frame %" PRIu64 "; continue with: spume %s %s -o %s%s --resume",
                j->pace.why, j->pace.why[0] ? "; stopped " : "interrupted ", j->last_done,
                call->command->name, call->operands[0], j->dir, options);
        return CLI_FAILED;
    }
    if (!err->text[0]) return CLI_BAD_INPUT; // an option was wrong, and that was said
    const int code =
        status == SP_NO_MEMORY ? cli_machine_refused(&j->machine, err) : cli_failed(call, err);
    return j->driver ? CLI_FAILED : code; // once it runs, the input is no longer to blame
}

int cli_run_scene(const cli_call *call, cli_scene_opener *open)
{
    job j = {.call = call, .open = open};
    sp_error err = {0};
    int code = open_scene(&j);
    if (code == CLI_FINE) {
        const char *dir = cli_value(call, "output");
        snprintf(j.dir, sizeof j.dir, dir ? "%s" : "out/%s", dir ? dir : j.scene->title);
        sp_status status = open_run(&j, &err);
        if (status == SP_OK) status = simulate(&j, &err);
        code = end_of_run(&j, status, &err);
    }
    sp_driver_close(j.driver);
    sp_writer_close(j.run);
    cli_solver_files_close(&j.machine);
    sp_release(&j.machine.host, j.scene_text);
    sp_text_close(&j.about);
    sp_scene_close(j.scene);
    return code;
}

static int open_named(const cli_call *call, cli_machine *machine, sp_scene **scene, uint64_t *first)
{
    *first = 0;
    return cli_open_scene(call, machine, scene);
}

static int run(const cli_call *call)
{
    return cli_run_scene(call, open_named);
}

static const cli_option options[] = {
    {"output", 'o', "DIR", "the run's directory (default out/<scene>)"},
    {"frames", 0, "N|A-B", "up to frame N; A-B computes from 0 but keeps only A to B"},
    CLI_SCENE_OPTIONS,
    {"threads", 0, "N", "threads (default: all); the result is the same"},
    {"resume", 0, NULL, "continue from the newest good checkpoint, or start"},
    {"from", 0, "K", "continue from the checkpoint of frame K"},
    {"overwrite", 0, NULL, "remove the existing run and start again"},
    {"redo", 0, "WHAT", "whitewater: only foam and spray, on the bubbles of the run in --keep"},
    {"keep", 0, "DIR", "the run whose bubbles are kept"},
    {0},
};

const cli_command cli_run = {
    .name = "run",
    .operands = "SCENE",
    .least = 1,
    .most = 1,
    .about = "simulate a scene into a directory of frames",
    .details =
        "SCENE is a file, or the name of a built-in scene (spume scenes lists them).\n"
        "A run that was killed continues with --resume and gives the same result; a\n"
        "finished one is extended with --resume --frames N. Ctrl-C finishes the frame, writes a\n"
        "checkpoint and ends with exit status 1; a second Ctrl-C, or a frame that takes longer "
        "than\n"
        "half a minute, ends at once. The time that a run takes is told from its pace.\n",
    .examples = "  spume run pond/fig10\n"
                "  spume run sph/pour --size full -o out/pour_full\n"
                "  spume run pond/fig7 --frames 120 --set pond.foam_life=4 -o out/long_foam\n"
                "  spume run pond/fig10 --resume --frames 1200\n",
    .options = options,
    .run = run,
};

// SPDX-License-Identifier: Apache-2.0
#include "cli/render/render_job.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { INTERRUPTED = 130, MOST_THUMBS = 400 };

/// ---- Drawing -----------------------------------------------------------------------------------

/// The current job and its results.
typedef struct work {
    render_job *job;
    sp_progress progress;
    size_t done, drawn;
    uint64_t *numbers; ///< of a movie's frames, then their states
} work;

static sp_status draw(void *user, size_t i, unsigned char *pixels, sp_error *err)
{
    render_job *job = ((work *)user)->job;
    const sp_frame *frame;
    SP_TRY(cli_frames_get(&job->frames, i, &frame, err));
    return sp_render_pixels(frame, &job->options, pixels, &job->machine.host, err);
}

static void after_picture(void *user, size_t i, bool drawn)
{
    work *w = user;
    (void)i;
    w->drawn += drawn;
    ++w->done;
    sp_progress_frame(&w->progress, w->done, atomic_load(&w->job->machine.budget.used),
                      drawn ? NULL : "exists already");
}

/// Draws the job's frames as a movie's pictures in `dir`; existing equal ones are kept.
static sp_status draw_all(work *w, const char *dir, const char *label, sp_movie *movie,
                          sp_error *err)
{
    const render_job *job = w->job;
    const sp_host *host = &job->machine.host;
    const size_t count = job->frames.count;
    SP_TRY(sp_cache_dir_make(dir, err));
    w->numbers = sp_allocate(host, 2 * count, sizeof *w->numbers);
    if (!w->numbers) return sp_fail(err, SP_NO_MEMORY, "no memory for a list of %zu frames", count);
    for (size_t i = 0; i < count; ++i) {
        w->numbers[i] = job->frames.items[i]->frame;
        w->numbers[count + i] = job->frames.items[i]->hash;
    }
    const double fps = job->frames.list.fps > 0.0 ? job->frames.list.fps : 24.0;
    *movie = (sp_movie){.dir = dir,
                        .label = label,
                        .width = job->width,
                        .height = job->height,
                        .fps = fps / (double)job->range.step, // plays in real time
                        .count = count,
                        .frames = w->numbers,
                        .states = w->numbers + count,
                        .texts = job->texts,
                        .text_count = RENDER_TEXTS,
                        .draw = draw,
                        .done = after_picture,
                        .cancelled = cli_was_interrupted,
                        .user = w};
    cli_progress_begin(&w->progress, &job->machine, count);
    const sp_status status = sp_movie_draw(movie, host, NULL, err);
    sp_progress_end(&w->progress);
    return status;
}

/// ---- Output ------------------------------------------------------------------------------------

/// Prints how it ended and returns the exit status.
static int end(const work *w, sp_status status, const char *dir, const sp_error *err)
{
    const render_job *job = w->job;
    if (status == SP_OK) return CLI_FINE;
    if (status != SP_CANCELLED) return cli_failed(job->call, err);
    if (dir)
        cli_say(job->call, SP_LOG_ERROR,
                "interrupted: %zu of %zu pictures are in %s; the same command continues", w->done,
                job->frames.count, dir);
    else
        cli_say(job->call, SP_LOG_ERROR, "interrupted: no picture was written");
    return INTERRUPTED;
}

/// Prints the file's name, or with --json a full description.
static void print_result(const work *w, const char *what, const char *path)
{
    const render_job *job = w->job;
    if (!cli_given(job->call, "json")) {
        if (!job->call->quiet) puts(path);
        return;
    }
    sp_text out = {.host = &job->machine.host};
    sp_text_format(&out, "{\"%s\":", what);
    sp_text_quote(&out, path);
    sp_text_format(&out, ",\"width\":%d,\"height\":%d,\"samples\":%d,\"frames\":[", job->width,
                   job->height, render_samples(job));
    for (size_t i = 0; i < job->frames.count; ++i)
        sp_text_format(&out, "%s%" PRIu64, i ? "," : "", job->frames.items[i]->frame);
    sp_text_format(&out, "],\"drawn\":%zu,\"look\":%s}\n", w->drawn, job->look_text.bytes);
    cli_print(job->call, &out);
}

static const char *output_name(const cli_call *call)
{
    return cli_given(call, "output") ? cli_value(call, "output") : cli_value(call, "out");
}

/// Diagnostic looks have their own names, so that they do not replace a picture.
static const char *label_of(const render_job *job)
{
    return job->options.kind == SP_RENDER_PICTURE ? NULL : render_kind_name(job);
}

/// Whether a name ends like a picture's, not like a directory's.
static bool names_a_picture(const char *path)
{
    static const char *const endings[] = {".png",  ".jpg", ".jpeg", ".exr", ".tif",
                                          ".tiff", ".bmp", ".webp", ".ppm"};
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot && i < sizeof endings / sizeof *endings; ++i)
        if (strcmp(dot, endings[i]) == 0) return true;
    return false;
}

static int draw_picture(work *w)
{
    const render_job *job = w->job;
    const sp_host *host = &job->machine.host;
    const char *out = output_name(job->call);
    char dir[4200], path[4300], frame[24], state[24];
    sp_error err = {0};
    if (out && !render_is_png(out))
        return cli_bad_input(job->call, "-o %s; expected a name that ends in .png", out);
    snprintf(dir, sizeof dir, "%s/pictures", job->call->operands[0]);
    if (!out && sp_cache_dir_make(dir, &err) != SP_OK) return cli_failed(job->call, &err);
    sp_movie_picture_path(dir, label_of(job), job->frames.items[0]->frame, path, sizeof path);
    if (!out) out = path;
    snprintf(frame, sizeof frame, "%" PRIu64, job->frames.items[0]->frame);
    snprintf(state, sizeof state, "%016" PRIx64, job->frames.items[0]->hash);
    sp_png_text texts[RENDER_TEXTS];
    memcpy(texts, job->texts, sizeof texts);
    texts[2].value = frame;
    texts[3].value = state;
    unsigned char *pixels = sp_allocate(host, (size_t)job->width * (size_t)job->height, 3);
    sp_status st =
        pixels ? draw(w, 0, pixels, &err)
               : sp_fail(&err, SP_NO_MEMORY, "no memory for %dx%d pixels", job->width, job->height);
    const sp_picture picture = {.width = job->width,
                                .height = job->height,
                                .pixels = pixels,
                                .texts = texts,
                                .text_count = RENDER_TEXTS,
                                .cancelled = cli_was_interrupted};
    if (st == SP_OK) st = sp_picture_write(out, &picture, host, &err);
    sp_release(host, pixels);
    w->drawn = 1;
    if (st == SP_OK) print_result(w, "picture", out);
    return end(w, st, NULL, &err);
}

static int draw_pictures(work *w)
{
    const render_job *job = w->job;
    const char *out = output_name(job->call);
    char dir[4200];
    sp_movie movie;
    sp_error err = {0};
    if (out && names_a_picture(out))
        return cli_bad_input(job->call, "-o %s; expected a directory for %zu pictures", out,
                             job->frames.count);
    snprintf(dir, sizeof dir, out ? "%s" : "%s/pictures", out ? out : job->call->operands[0]);
    const sp_status st = draw_all(w, dir, label_of(job), &movie, &err);
    for (size_t i = 0; i < w->done && !job->call->quiet && !cli_given(job->call, "json"); ++i) {
        char path[4300];
        sp_movie_picture_path(dir, movie.label, movie.frames[i], path, sizeof path);
        puts(path);
    }
    if (st == SP_OK && cli_given(job->call, "json")) print_result(w, "pictures", dir);
    return end(w, st, dir, &err);
}

static int make_movie_file(work *w)
{
    const render_job *job = w->job;
    const char *path = cli_value(job->call, "movie");
    char dir[4200];
    sp_movie movie;
    sp_error err = {0};
    snprintf(dir, sizeof dir, "%s/render/%s", job->call->operands[0], job->look_hash);
    if (!sp_movie_has_encoder()) {
        sp_fail(&err, SP_IO, "ffmpeg not found, and movies need it: install ffmpeg and repeat");
        return cli_failed(job->call, &err);
    }
    sp_status st = draw_all(w, dir, NULL, &movie, &err);
    if (st == SP_OK) {
        char comment[1200];
        snprintf(comment, sizeof comment, "spume %s, scene %s, look %s: %s", SPUME_VERSION,
                 job->scene_text, job->look_hash, job->command_text.bytes);
        st = sp_movie_encode(&movie, path, comment, &job->machine.host, &err);
    }
    if (st == SP_OK) print_result(w, "movie", path);
    return end(w, st, dir, &err);
}

/// Draws the thumbnails one after the other.
static sp_status fill_sheet(work *w, const sp_sheet *sheet, unsigned char *thumb,
                            unsigned char *pixels, sp_error *err)
{
    const render_job *job = w->job;
    sp_sheet_clear(sheet, pixels);
    for (int i = 0; i < sheet->count; ++i) {
        const size_t k = sp_sheet_frame((size_t)i, (size_t)sheet->count, job->frames.count);
        const sp_cache_item *item = job->frames.items[k];
        if (cli_was_interrupted(NULL)) return SP_CANCELLED;
        SP_TRY(draw(w, k, thumb, err));
        sp_sheet_put(sheet, i, thumb, item->frame, item->time, pixels);
        after_picture(w, k, true);
    }
    return SP_OK;
}

static int make_sheet_file(work *w)
{
    const render_job *job = w->job;
    const sp_host *host = &job->machine.host;
    const char *path = cli_value(job->call, "sheet");
    sp_sheet sheet;
    sp_error err = {0};
    long count = 12;
    if (!cli_number(job->call, "count", 1, MOST_THUMBS, &count)) return CLI_BAD_INPUT;
    if ((size_t)count > job->frames.count) count = (long)job->frames.count;
    if (sp_sheet_plan((int)count, job->width, job->height, &sheet, &err) != SP_OK)
        return cli_failed(job->call, &err);
    unsigned char *thumb = sp_allocate(host, (size_t)job->width * (size_t)job->height, 3);
    unsigned char *pixels = sp_allocate(host, (size_t)sheet.width * (size_t)sheet.height, 3);
    sp_status st = SP_OK;
    if (!thumb || !pixels)
        st = sp_fail(&err, SP_NO_MEMORY, "%s: no memory for %dx%d pixels", path, sheet.width,
                     sheet.height);
    cli_progress_begin(&w->progress, &job->machine, (uint64_t)count);
    if (st == SP_OK) st = fill_sheet(w, &sheet, thumb, pixels, &err);
    sp_progress_end(&w->progress);
    sp_png_text texts[RENDER_TEXTS]; // without frame and state: a sheet has several
    memcpy(texts, job->texts, 2 * sizeof *texts);
    memcpy(texts + 2, job->texts + 4, 3 * sizeof *texts);
    const sp_picture picture = {.width = sheet.width,
                                .height = sheet.height,
                                .pixels = pixels,
                                .texts = texts,
                                .text_count = 5,
                                .cancelled = cli_was_interrupted};
    if (st == SP_OK) st = sp_picture_write(path, &picture, host, &err);
    sp_release(host, thumb);
    sp_release(host, pixels);
    if (st == SP_OK) print_result(w, "sheet", path);
    return end(w, st, NULL, &err);
}

static int run(const cli_call *call)
{
    render_job job;
    work w = {.job = &job};
    int code = render_job_open(&job, call);
    job.options.cancelled = cli_was_interrupted;
    if (code == CLI_FINE) {
        const bool movie = cli_given(call, "movie"), sheet = cli_given(call, "sheet");
        cli_catch_interrupts();
        if (!movie && !sheet) code = job.frames.count > 1 ? draw_pictures(&w) : draw_picture(&w);
        if (movie) code = make_movie_file(&w);
        if (sheet) code = make_sheet_file(&w);
    }
    sp_release(&job.machine.host, w.numbers);
    render_job_close(&job);
    return code;
}

static const cli_option options[] = {
    {"output", 'o', "FILE",
     "the picture (default DIR/pictures/<frame>[.LOOK].png), or where many go"},
    {"out", 0, "FILE", "the same"},
    {"frame", 0, "K", "which frame (default: the newest)"},
    {"frames", 0, "RANGE", "several frames: A-B, A:B:STEP, or last"},
    {"movie", 0, "FILE", "all frames, or --frames, as .mp4, .webm, .mkv (lossless) or .gif"},
    {"sheet", 0, "FILE", "several frames in one picture; --size is that of each"},
    {"count", 0, "N", "number of frames on the sheet (default 12)"},
    {"preset", 0, "WORD", "draft (640x360, 4 rays a pixel) or final (1280x720, 64, motion blur)"},
    {"size", 0, "WxH", "pixels (default: the look's, or the preset's)"},
    {"samples", 0, "N", "rays a pixel (default: the look's, or the preset's)"},
    {"shutter", 0, "S", "exposure in frames, 0 to 2 (default: the look's, or the preset's)"},
    {"camera", 0, "POSE", "x,y,z:x,y,z:fov: position, target, degrees"},
    {"set", 0, "look.KEY=VALUE", "change a key of the scene's look; may be given often"},
    {"look", 0, "WORD", "picture, particles, slice, tiles, wire or normals"},
    {"color", 0, "WORD", "of particles: set, speed, size, age or id"},
    {"field", 0, "NAME", "of a slice: the field"},
    {"axis", 0, "x|y|z", "of a slice: its normal (default z)"},
    {"at", 0, "SHARE", "of a slice: position along the axis, 0 to 1 (default 0.5)"},
    {"still-noise", 0, NULL, "the same noise in all frames"},
    {"skip-bad", 0, NULL, "skip damaged and missing frames, and lost mesh files"},
    {"threads", 0, "N", "threads (default: all); the picture is the same"},
    {"memory", 0, "GB", "refuse to need more (default 80 % of what there is)"},
    {"json", 0, NULL, "print the result as a JSON object"},
    {0},
};

const cli_command cli_render = {
    .name = "render",
    .operands = "DIR",
    .least = 1,
    .most = 1,
    .about = "draw frames of a run: pictures, contact sheets, movies",
    .details =
        "Prints the path of each file. A movie's frames are kept in DIR/render, so that an\n"
        "interrupted movie resumes; ffmpeg encodes them. It plays in real time. Ctrl-C keeps\n"
        "complete pictures and ends with exit status 130.\n",
    .examples = "  spume render out/fig10\n"
                "  spume render out/fig10 --frame 300 --preset final -o fig10.png\n"
                "  spume render out/fig10 --camera 1,0.8,1:0.25,0.1,-0.25:30 --set look.light=sky\n"
                "  spume render out/fig10 --sheet sheet.png --count 12\n"
                "  spume render out/fig10 --movie fig10.mp4 --frames 0:300:2\n"
                "  spume render out/fig10 --look particles --color speed\n",
    .options = options,
    .run = run,
};

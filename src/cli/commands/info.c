// SPDX-License-Identifier: Apache-2.0
#include "cache/cache.h"
#include "cli/commands.h"
#include "cli/options/scene_change.h"
#include "cli/output/frame_summary.h"

#include <inttypes.h>
#include <math.h>

static double bytes_of(const sp_cache_item *items, size_t count)
{
    double bytes = 0.0;
    for (size_t i = 0; i < count; ++i)
        bytes += (double)items[i].bytes;
    return bytes;
}

static void item_json(sp_text *out, const sp_cache_item *item)
{
    sp_text_format(out,
                   "{\"frame\":%" PRIu64 ",\"bytes\":%" PRIu64 ",\"hash\":\"%016" PRIx64
                   "\",\"digest\":\"%016" PRIx64 "\",\"voxel\":%.9g,\"speed\":",
                   item->frame, item->bytes, item->hash, item->digest, item->voxel);
    sp_text_number(out, item->speed >= 0.0 ? item->speed : (double)NAN, 9);
    if (item->half) sp_text_add(out, ",\"half\":true");
    sp_text_add(out, ",\"trouble\":");
    sp_text_quote(out, item->trouble);
    sp_text_add(out, "}");
}

static void items_json(sp_text *out, const char *name, const sp_cache_item *items, size_t count)
{
    sp_text_format(out, ",\"%s\":[", name);
    for (size_t i = 0; i < count; ++i) {
        if (i) sp_text_add(out, ",");
        item_json(out, &items[i]);
    }
    sp_text_add(out, "]");
}

/// ---- Files besides frames and checkpoints -------------------------------------------------------

/// What became of scene.json.
typedef enum scene_state {
    SCENE_AS_RUN,
    SCENE_LOOK,
    SCENE_EDITED,
    SCENE_GONE,
    SCENE_UNKNOWN
} scene_state;

static scene_state state_of_scene(const sp_cache_list *list, const sp_host *host)
{
    if (!list->scene_text && list->frame_count > 0) return SCENE_GONE;
    if (!list->scene_text || !list->scene_sealed) return SCENE_UNKNOWN;
    const sp_scene_change change = cli_scene_change(list, host);
    return change == SP_SCENE_SAME          ? SCENE_AS_RUN
           : change == SP_SCENE_LOOK_EDITED ? SCENE_LOOK
                                            : SCENE_EDITED;
}

static void files_json(sp_text *out, const sp_cache_list *list, scene_state scene)
{
    static const char *const words[] = {"as run", "look edited", "edited", "unreadable",
                                        "not sealed"};
    sp_text_format(out, ",\"scene\":\"%s\",\"files\":{", words[scene]);
    for (int i = 0; i < SP_CACHE_FILES; ++i) {
        sp_text_add(out, i ? "," : "");
        sp_text_quote(out, list->files[i].name);
        sp_text_add(out, ":");
        sp_text_quote(out, list->files[i].trouble);
    }
    sp_text_add(out, "}");
}

static void files_text(const sp_cache_list *list, scene_state scene)
{
    if (scene == SCENE_GONE) printf("DAMAGED  %s/scene.json: cannot be read\n", list->dir);
    if (scene == SCENE_LOOK)
        printf("EDITED   %s/scene.json: its look, after the run; pictures have the edited look\n",
               list->dir);
    if (scene == SCENE_EDITED)
        printf("EDITED   %s/scene.json: after the run, and not only its look: it is not the scene "
               "of these frames\n",
               list->dir);
    for (int i = 0; i < SP_CACHE_FILES; ++i)
        if (list->files[i].trouble) printf("DAMAGED  %s\n", list->files[i].trouble);
}

/// ---- All of it ---------------------------------------------------------------------------------

static void list_json(sp_text *out, const char *dir, const sp_cache_list *list,
                      const sp_frame *last, scene_state scene)
{
    sp_text_add(out, "{\"run\":");
    sp_text_quote(out, dir);
    sp_text_add(out, ",\"solver\":");
    sp_text_quote(out, list->solver ? list->solver : "");
    sp_text_add(out, ",\"origin\":");
    sp_text_quote(out, list->origin ? list->origin : "");
    sp_text_format(out,
                   ",\"fps\":%.9g,\"scene_hash\":\"%016" PRIx64 "\",\"missing\":%" PRIu64
                   ",\"damaged\":%zu",
                   list->fps, list->scene_hash, list->missing, list->damaged);
    files_json(out, list, scene);
    items_json(out, "frames", list->frames, list->frame_count);
    items_json(out, "checkpoints", list->checkpoints, list->checkpoint_count);
    sp_text_add(out, ",\"last_frame\":");
    if (last)
        cli_frame_json(out, last);
    else
        sp_text_add(out, "null");
    sp_text_add(out, "}\n");
}

static void troubles_text(const sp_cache_item *items, size_t count)
{
    for (size_t i = 0; i < count; ++i)
        if (items[i].trouble) printf("DAMAGED  %s\n", items[i].trouble);
}

/// Voxel and largest speed, if frames have a velocity on tiles.
static void water_text(const sp_cache_list *list)
{
    const sp_cache_item *fastest = NULL;
    for (size_t i = 0; i < list->frame_count; ++i) {
        const sp_cache_item *item = &list->frames[i];
        if (item->status == SP_OK && item->speed >= 0.0 &&
            (!fastest || item->speed > fastest->speed))
            fastest = item;
    }
    if (fastest)
        printf("\nvoxel %g m; surface in m, velocity in m/s; largest speed %.4g m/s, in frame "
               "%" PRIu64,
               fastest->voxel, fastest->speed, fastest->frame);
}

static size_t count_halves(const sp_cache_list *list)
{
    size_t count = 0;
    for (size_t i = 0; i < list->frame_count; ++i)
        count += list->frames[i].half;
    return count;
}

static void list_text(const cli_call *call, const char *dir, const sp_cache_list *list,
                      const sp_frame *last, scene_state scene)
{
    const size_t halves = count_halves(list);
    char frames[32], checkpoints[32];
    sp_bytes_text(bytes_of(list->frames, list->frame_count), frames, sizeof frames);
    sp_bytes_text(bytes_of(list->checkpoints, list->checkpoint_count), checkpoints,
                  sizeof checkpoints);
    printf("%s: a run of %s at %g frames a second, scene hash %016" PRIx64 "\n", dir,
           list->solver ? list->solver : "an unknown solver", list->fps, list->scene_hash);
    if (list->origin) printf("made of %s\n", list->origin);
    printf("%zu frames, %s", list->frame_count, frames);
    if (list->frame_count)
        printf(", %" PRIu64 " to %" PRIu64, list->frames[0].frame,
               list->frames[list->frame_count - 1].frame);
    if (list->missing)
        printf(", %" PRIu64 " missing from %" PRIu64 " on", list->missing, list->first_missing);
    if (halves == list->frame_count && halves)
        printf(", at half precision");
    else if (halves)
        printf(", %zu of them at half precision", halves);
    water_text(list);
    printf("\n%zu checkpoints, %s%s", list->checkpoint_count, checkpoints,
           list->checkpoint_count ? ", at" : "");
    for (size_t i = 0; i < list->checkpoint_count; ++i)
        printf(" %" PRIu64, list->checkpoints[i].frame);
    putchar('\n');
    if (cli_given(call, "frames"))
        for (size_t i = 0; i < list->frame_count; ++i)
            printf("  %6" PRIu64 "  hash %016" PRIx64 "  digest %016" PRIx64 "\n",
                   list->frames[i].frame, list->frames[i].hash, list->frames[i].digest);
    if (last) cli_frame_text(stdout, last);
    files_text(list, scene);
    troubles_text(list->frames, list->frame_count);
    troubles_text(list->checkpoints, list->checkpoint_count);
}

/// The newest readable frame, or NULL.
static sp_frame_file *newest_good(const char *dir, const sp_cache_list *list, const sp_host *host)
{
    for (size_t i = list->frame_count; i > 0; --i) {
        char path[4096];
        sp_frame_file *file;
        if (list->frames[i - 1].status != SP_OK) continue;
        sp_cache_frame_path(dir, list->frames[i - 1].frame, path, sizeof path);
        if (sp_frame_file_open(path, host, &file, NULL) == SP_OK) return file;
    }
    return NULL;
}

static int info_of_run(const cli_call *call, const char *dir, const sp_host *host)
{
    sp_cache_list list = {0};
    sp_error err = {0};
    if (sp_cache_list_open(dir, host, &list, &err) != SP_OK ||
        sp_cache_list_check(&list, &err) != SP_OK) {
        sp_cache_list_close(&list);
        return cli_unreadable(call, &err);
    }
    sp_frame_file *file = newest_good(dir, &list, host);
    const sp_frame *last = file ? sp_frame_file_frame(file) : NULL;
    const scene_state scene = state_of_scene(&list, host);
    sp_text json = {.host = host};
    if (cli_given(call, "json"))
        list_json(&json, dir, &list, last, scene);
    else
        list_text(call, dir, &list, last, scene);
    int code = cli_print(call, &json);
    if (list.damaged || scene == SCENE_EDITED || scene == SCENE_GONE) code = CLI_FAILED;
    sp_frame_file_close(file);
    sp_cache_list_close(&list);
    return code;
}

static int info_of_file(const cli_call *call, const char *path, const sp_host *host)
{
    sp_frame_file *file;
    sp_error err = {0};
    const sp_status status = sp_frame_file_open(path, host, &file, &err);
    if (status == SP_DAMAGED) return cli_failed(call, &err);
    if (status != SP_OK) return cli_unreadable(call, &err);
    sp_text json = {.host = host};
    if (cli_given(call, "json")) {
        cli_frame_json(&json, sp_frame_file_frame(file));
        sp_text_add(&json, "\n");
    } else {
        cli_frame_text(stdout, sp_frame_file_frame(file));
        if (sp_frame_file_is_half(file)) puts("  stored at half precision");
    }
    sp_frame_file_close(file);
    return cli_print(call, &json);
}

static int run(const cli_call *call)
{
    cli_machine machine;
    const char *path = call->operands[0];
    if (!cli_machine_open(&machine, call)) return CLI_BAD_INPUT;
    return sp_is_directory(path) ? info_of_run(call, path, &machine.host)
                                 : info_of_file(call, path, &machine.host);
}

static const cli_option options[] = {
    {"json", 0, NULL, "as one JSON object, every frame's hash and digest included"},
    {"frames", 0, NULL, "list every frame's hash and digest"},
    {0},
};

const cli_command cli_info = {
    .name = "info",
    .operands = "DIR|FILE",
    .least = 1,
    .most = 1,
    .about = "print what is in a run or a frame: contents, statistics, hashes, damage",
    .details = "Every file's digest is checked. Exit status 1 when something is damaged, or when "
               "the scene\n"
               "of the run was edited; its look may be, which is said.\n",
    .examples = "  spume info out/fig10\n"
                "  spume info out/fig10 --frames\n"
                "  spume info out/fig10/frames/000100.h5 --json\n",
    .options = options,
    .run = run,
};

// SPDX-License-Identifier: Apache-2.0
/// The provenance texts of a picture. All texts but "spume:command" determine the pixels: pictures
/// with equal texts are considered equal.
#include "cli/render/render_job.h"

#include <inttypes.h>
#include <string.h>

int render_samples(const render_job *job)
{
    if (job->options.samples > 0) return job->options.samples;
    if (job->look.samples > 0) return (int)job->look.samples;
    return job->options.preset == SP_PRESET_FINAL ? 64 : 4;
}

/// Writes JSON without blanks between tokens.
static void write_compact(sp_text *out, const char *text, size_t length)
{
    bool quoted = false;
    for (size_t i = 0; i < length; ++i) {
        if (!quoted && (text[i] == ' ' || text[i] == '\n')) continue;
        sp_text_put(out, &text[i], 1);
        if (quoted && text[i] == '\\' && i + 1 < length)
            sp_text_put(out, &text[++i], 1);
        else if (text[i] == '"')
            quoted = !quoted;
    }
}

static void write_vector(sp_text *out, const char *name, const float v[3])
{
    sp_text_format(out, "\"%s\":[%.9g,%.9g,%.9g],", name, (double)v[0], (double)v[1], (double)v[2]);
}

static void write_camera(sp_text *out, const sp_look_camera *c)
{
    sp_text_add(out, "{");
    write_vector(out, "from", c->from);
    write_vector(out, "to", c->to);
    write_vector(out, "up", c->up);
    sp_text_format(out, "\"fov\":%.9g,\"aperture\":%.9g,\"focus\":%.9g,\"shutter\":%.9g}",
                   (double)c->fov, (double)c->aperture, (double)c->focus, (double)c->shutter);
}

/// Everything besides the frame that determines the pixels: the options, the scene's look with its
/// changes, and a hash of its colliders.
static void write_look(const render_job *job, sp_text *out, const char *resolved)
{
    const sp_render_options *o = &job->options;
    size_t length;
    sp_text_format(out, "{\"preset\":\"%s\",\"kind\":\"%s\",\"size\":[%d,%d],\"samples\":%d",
                   o->preset == SP_PRESET_FINAL ? "final" : "draft", render_kind_name(job),
                   job->width, job->height, render_samples(job));
    if (o->kind == SP_RENDER_PARTICLES)
        sp_text_format(out, ",\"color\":\"%s\"", render_color_name(job));
    if (o->kind == SP_RENDER_SLICE) {
        sp_text_add(out, ",\"field\":");
        sp_text_quote(out, o->field ? o->field : "");
        sp_text_format(out, ",\"axis\":\"%c\",\"at\":%.9g", 'x' + o->axis, o->at);
    }
    if (o->has_shutter) sp_text_format(out, ",\"shutter\":%.9g", (double)o->shutter);
    sp_text_format(out, ",\"still_noise\":%s,\"camera\":", o->still_noise ? "true" : "false");
    if (o->camera)
        write_camera(out, o->camera);
    else
        sp_text_add(out, "null");
    const char *solids = sp_resolved_value(resolved, "colliders", &length);
    sp_text_format(out, ",\"colliders\":\"%016" PRIx64 "\",\"look\":", sp_hash(0, solids, length));
    const char *look = sp_resolved_value(resolved, "look", &length);
    if (look)
        write_compact(out, look, length);
    else
        sp_text_add(out, "null");
    sp_text_add(out, "}");
}

/// Whether an option affects the picture; the others affect only how the program works.
static bool is_about_the_picture(const char *option)
{
    static const char *const others[] = {"threads", "memory", "quiet", "log",   "no-color",
                                         "json",    "output", "out",   "movie", "sheet"};
    for (size_t i = 0; i < sizeof others / sizeof *others; ++i)
        if (strcmp(option, others[i]) == 0) return false;
    return true;
}

/// Writes a word quoted for a shell.
static void write_word(sp_text *out, const char *word)
{
    if (word[0] && !strpbrk(word, " \t\n'\"\\$&|;<>()*?[]{}#~`!")) {
        sp_text_add(out, word);
        return;
    }
    sp_text_add(out, "'");
    for (; *word; ++word)
        sp_text_add(out, *word == '\'' ? "'\\''" : (const char[]){*word, '\0'});
    sp_text_add(out, "'");
}

static void write_command(const render_job *job, sp_text *out)
{
    const cli_call *call = job->call;
    sp_text_add(out, "spume render ");
    write_word(out, call->operands[0]);
    for (int i = 0; i < call->given_count; ++i) {
        if (!is_about_the_picture(call->given[i]->name)) continue;
        sp_text_format(out, " --%s", call->given[i]->name);
        if (!call->values[i]) continue;
        sp_text_add(out, " ");
        write_word(out, call->values[i]);
    }
}

/// The resolved scene of the run with --set; empty if it cannot be read.
static bool resolve(const render_job *job, char **text)
{
    *text = NULL;
    return !job->scene || sp_scene_resolved(job->scene, text, NULL) == SP_OK;
}

bool render_describe(render_job *job)
{
    sp_text *look = &job->look_text, *command = &job->command_text;
    char *resolved;
    look->host = command->host = &job->machine.host;
    if (!resolve(job, &resolved)) return false;
    write_look(job, look, resolved);
    if (job->scene) sp_release(job->scene->host, resolved);
    write_command(job, command);
    if (look->failed || command->failed) return false;
    snprintf(job->scene_text, sizeof job->scene_text, "%016" PRIx64, job->frames.list.scene_hash);
    snprintf(job->samples_text, sizeof job->samples_text, "%d", render_samples(job));
    snprintf(job->look_hash, sizeof job->look_hash, "%08" PRIx32,
             (uint32_t)sp_hash(0, look->bytes, look->size));
    const sp_png_text texts[RENDER_TEXTS] = {{"Software", "spume " SPUME_VERSION},
                                             {"spume:scene", job->scene_text},
                                             {"spume:frame", NULL},
                                             {"spume:state", NULL},
                                             {"spume:command", command->bytes},
                                             {"spume:look", look->bytes},
                                             {"spume:samples", job->samples_text}};
    memcpy(job->texts, texts, sizeof texts);
    return true;
}

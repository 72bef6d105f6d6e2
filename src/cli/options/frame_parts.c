// SPDX-License-Identifier: Apache-2.0
#include "cli/options/frame_parts.h"

#include <string.h>

bool cli_names_read(const cli_call *call, const char *option, cli_names *out)
{
    const char *text = cli_value(call, option);
    *out = (cli_names){.given = text != NULL};
    if (!text || strcmp(text, "none") == 0) return true;
    if (strlen(text) >= sizeof out->text)
        return cli_refuse(call, "--%s: more than %zu letters", option, sizeof out->text - 1);
    memcpy(out->text, text, strlen(text));
    for (char *at = out->text, *end; at; at = end ? end + 1 : NULL) {
        end = strchr(at, ',');
        if (end) *end = '\0';
        if (!*at)
            return cli_refuse(call, "--%s \"%s\"; expected names such as foam,spray", option, text);
        if (out->count == CLI_MOST_NAMES)
            return cli_refuse(call, "--%s: more than %zu names", option, out->count);
        if (!cli_names_hold(out, at)) out->name[out->count++] = at;
    }
    return true;
}

bool cli_names_hold(const cli_names *names, const char *name)
{
    for (size_t i = 0; i < names->count; ++i)
        if (strcmp(names->name[i], name) == 0) return true;
    return false;
}

static bool keeps_field(const cli_names *only, const sp_field *field)
{
    const char *name = field->layout == SP_FIELD_PLANE ? "height" : field->name;
    return !only->given || cli_names_hold(only, name);
}

/// Arrivals are what `spume run --redo` reads again, and the same bubbles are in other sets: only where they are asked for.
static bool keeps_set(const cli_names *only, const char *name)
{
    return only->given ? cli_names_hold(only, name) : strcmp(name, "arrivals") != 0;
}

sp_status cli_frame_parts_choose(cli_frame_parts *parts, const sp_frame *frame,
                                 const cli_names *only, sp_error *err)
{
    const sp_host *host = parts->host;
    cli_frame_parts_close(parts);
    sp_set *sets = parts->sets = sp_allocate(host, frame->set_count, sizeof *sets);
    sp_field *fields = parts->fields = sp_allocate(host, frame->field_count, sizeof *fields);
    if (!sets || !fields) return sp_fail(err, SP_NO_MEMORY, "no memory for a list of sets");
    parts->frame = *frame;
    parts->frame.sets = sets;
    parts->frame.fields = fields;
    parts->frame.set_count = parts->frame.field_count = 0;
    for (size_t i = 0; i < frame->set_count; ++i)
        if (keeps_set(only, frame->sets[i].name)) sets[parts->frame.set_count++] = frame->sets[i];
    for (size_t i = 0; i < frame->field_count; ++i)
        if (keeps_field(only, &frame->fields[i]))
            fields[parts->frame.field_count++] = frame->fields[i];
    return SP_OK;
}

void cli_frame_parts_close(cli_frame_parts *parts)
{
    if (parts->host) {
        sp_release(parts->host, parts->sets);
        sp_release(parts->host, parts->fields);
    }
    *parts = (cli_frame_parts){.host = parts->host};
}

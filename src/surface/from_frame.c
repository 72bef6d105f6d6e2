// SPDX-License-Identifier: Apache-2.0
/// A mesh from whatever a frame holds: a set, a level set on tiles, or a plane of heights.
#include "surface/clip.h"

#include <string.h>

/// ---- What to mesh ------------------------------------------------------------------------------

static bool is_height(const sp_field *field)
{
    return field && field->layout == SP_FIELD_PLANE && field->components == 1;
}

static bool has_source(const sp_frame *frame, const char *name)
{
    const sp_field *field = sp_frame_field(frame, name);
    return sp_frame_set(frame, name) || sp_field_on_tiles(field, 1) ||
           (strcmp(name, "height") == 0 && is_height(field));
}

const char *sp_surface_source(const sp_frame *frame, const char *wanted)
{
    static const char *const water[] = {"surface", "liquid", "height"};
    if (wanted) return has_source(frame, wanted) ? wanted : NULL;
    for (size_t i = 0; i < sizeof water / sizeof *water; ++i)
        if (has_source(frame, water[i])) return water[i];
    return NULL;
}

static sp_status no_source(const sp_frame *frame, const char *name, sp_error *err)
{
    char names[256] = "";
    for (size_t i = 0; i < frame->set_count; ++i)
        snprintf(names + strlen(names), sizeof names - strlen(names), " %s", frame->sets[i].name);
    for (size_t i = 0; i < frame->field_count; ++i)
        if (has_source(frame, frame->fields[i].name))
            snprintf(names + strlen(names), sizeof names - strlen(names), " %s",
                     frame->fields[i].name);
    return sp_fail(err, SP_BAD_INPUT, "frame %llu has no %s; expected one of:%s",
                   (unsigned long long)frame->frame, name ? name : "surface, liquid or height",
                   names);
}

/// ---- Sets --------------------------------------------------------------------------------------

typedef struct job {
    const sp_surface_def *def;
    const sp_frame *frame;
    const char *name;
    sp_surface_isolated isolated;
    const sp_clip *clip;
    const sp_host *host;
} job;

/// Sets whose particles are always isolated, never parts of a surface.
static bool never_connects(const char *set)
{
    return strcmp(set, "foam") == 0 || strcmp(set, "spray") == 0 || strcmp(set, "sand") == 0;
}

/// Only grid solvers represent pockets of air by many particles. Their frames have fields on tiles, or
/// none at all if the water around the bubbles is left out; others have particles of liquid, or a plane of
/// heights.
static bool is_on_grid(const sp_frame *frame)
{
    bool on_tiles = false;
    for (size_t i = 0; i < frame->field_count; ++i)
        on_tiles = on_tiles || frame->fields[i].layout == SP_FIELD_TILES;
    return on_tiles ||
           (frame->field_count == 0 && frame->voxel > 0.0 && !sp_frame_set(frame, "liquid"));
}

static sp_status find_isolated(const job *j, size_t count, uint8_t *flags, sp_error *err)
{
    memset(flags, 1, count);
    if (!is_on_grid(j->frame) || never_connects(j->name)) return SP_OK;
    return sp_surface_split(j->frame, j->name, j->host, flags, err);
}

static sp_status mesh_parts(const job *j, size_t count, uint8_t *flags, uint32_t *chosen,
                            sp_mesh *mesh, sp_error *err)
{
    size_t connected = 0;
    SP_TRY(find_isolated(j, count, flags, err));
    for (size_t i = 0; i < count; ++i)
        if (!flags[i]) chosen[connected++] = (uint32_t)i;
    SP_TRY(sp_surface_some(j->def, j->frame, j->name, chosen, connected, j->clip, j->host, mesh,
                           NULL, err));
    if (j->isolated != SP_ISOLATED_MESH) return SP_OK;
    return sp_surface_balls(j->frame, j->name, flags, j->host, mesh, err);
}

static sp_status mesh_set(const job *j, const sp_set *set, uint8_t *flags, sp_mesh *mesh,
                          sp_error *err)
{
    const bool liquid = strcmp(j->name, "bubbles") != 0 && !never_connects(j->name);
    if (j->isolated == SP_ISOLATED_MESH && liquid) // isolated particles belong to the surface
        return sp_surface_points(j->def, j->frame, j->name, j->clip, j->host, mesh, NULL, err);
    if (set->count > UINT32_MAX)
        return sp_fail(err, SP_UNSUPPORTED, "set %s has more than 2^32 particles", j->name);
    uint8_t *own = flags ? NULL : sp_allocate(j->host, set->count, sizeof *own);
    uint32_t *chosen = sp_allocate(j->host, set->count, sizeof *chosen);
    const sp_status status =
        (flags || own) && chosen
            ? mesh_parts(j, set->count, flags ? flags : own, chosen, mesh, err)
            : sp_fail(err, SP_NO_MEMORY, "no memory to split %zu particles", set->count);
    sp_release(j->host, own);
    sp_release(j->host, chosen);
    return status;
}

/// ---- A frame -----------------------------------------------------------------------------------

static sp_status mesh_source(const job *j, uint8_t *flags, sp_mesh *mesh, sp_error *err)
{
    const sp_set *set = sp_frame_set(j->frame, j->name);
    const sp_field *field = sp_frame_field(j->frame, j->name);
    if (set) return mesh_set(j, set, flags, mesh, err);
    if (sp_field_on_tiles(field, 1))
        return sp_surface_field(j->def, j->frame, j->name, j->clip, j->host, mesh, NULL, err);
    const sp_field *depth = sp_frame_field(j->frame, "depth");
    return sp_surface_height(field, is_height(depth) ? depth : NULL, j->host, mesh, err);
}

sp_status sp_surface_make(const sp_surface_def *def, const sp_frame *frame, const char *name,
                          sp_surface_isolated isolated, const sp_clip_solids *solids,
                          const sp_host *host, uint8_t *flags, sp_mesh *mesh, sp_error *err)
{
    *mesh = (sp_mesh){0};
    const char *source = sp_surface_source(frame, name);
    if (!source) return no_source(frame, name, err);
    sp_clip_field clip = {0};
    if (strcmp(source, "height") != 0) // a pond ends where its cells do
        SP_TRY(sp_clip_field_open(&clip, solids, frame, source, err));
    const job j = {def, frame, source, isolated, &clip.clip, host};
    const sp_status status = mesh_source(&j, flags, mesh, err);
    sp_clip_field_close(&clip);
    if (status != SP_OK) sp_mesh_close(mesh);
    return status;
}

sp_status sp_surface_frame(const sp_surface_def *def, const sp_frame *frame, const char *name,
                           sp_surface_isolated isolated, const sp_clip_solids *solids,
                           const sp_host *host, sp_mesh *mesh, sp_error *err)
{
    *mesh = (sp_mesh){0};
    SP_TRY(sp_struct_check(host->struct_size, sizeof *host, "sp_host_default()", err));
    return sp_surface_make(def, frame, name, isolated, solids, host, NULL, mesh, err);
}

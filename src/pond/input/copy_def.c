// SPDX-License-Identifier: Apache-2.0
/// Copies the def's lists and paths into one block, so that the caller may free its own.
#include "pond/internal.h"

#include <string.h>

/// Bump allocator on the block. With base NULL it only counts bytes.
typedef struct bump {
    char *base;
    size_t used;
} bump;

static void *take(bump *b, const void *from, size_t count, size_t size)
{
    void *to = b->base ? b->base + b->used : NULL;
    if (to && count > 0) memcpy(to, from, count * size);
    b->used += (count * size + 15) & ~(size_t)15;
    return to;
}

static const sp_pond_path *copy_path(bump *b, const sp_pond_path *path)
{
    if (!path) return NULL;
    sp_pond_path *copy = take(b, path, 1, sizeof *path);
    const sp_pond_circle *circle = path->circle ? take(b, path->circle, 1, sizeof *circle) : NULL;
    const sp_pond_keyframe *keys = take(b, path->keyframes, path->keyframe_count, sizeof *keys);
    if (copy) {
        copy->circle = circle;
        copy->keyframes = keys;
    }
    return copy;
}

static void copy_all(bump *b, const sp_pond_def *def, sp_pond *pond)
{
    const sp_pond_start *bubbles = take(b, def->bubbles, def->bubble_count, sizeof *bubbles);
    if (b->base) pond->def.bubbles = bubbles;
    for (size_t k = 0; k < def->heater_count; ++k) {
        const sp_pond_path *path = copy_path(b, def->heaters[k].path);
        pond->heaters[k].def = def->heaters[k];
        pond->heaters[k].def.path = path;
    }
    for (size_t k = 0; k < def->obstacle_count; ++k) {
        const sp_pond_path *path = copy_path(b, def->obstacles[k].path);
        pond->obstacles[k].def = def->obstacles[k];
        pond->obstacles[k].def.path = path;
    }
}

bool pond_copy_lists(sp_pond *pond, const sp_pond_def *def)
{
    bump b = {0};
    copy_all(&b, def, pond);
    pond->lists = sp_allocate(pond->host, b.used + 1, 1);
    if (!pond->lists) return false;
    b = (bump){.base = pond->lists};
    copy_all(&b, def, pond);
    pond->def.nozzles = NULL; // pond->nozzles, ->heaters and ->obstacles hold the copies
    pond->def.nozzle_fields = NULL;
    pond->def.heaters = NULL;
    pond->def.obstacles = NULL;
    return true;
}

static void scatter(const sp_pond *pond, sp_pond_nozzle *nozzle, uint64_t number)
{
    const pond_water *w = &pond->water;
    const sp_random4 x = sp_random(pond->seed, POND_DRAW_SCATTER, number, 0, 0);
    nozzle->x = sp_unit(x.x[0]) * (float)w->nx * w->dx;
    nozzle->y = sp_unit(x.x[1]) * (float)w->ny * w->dx;
}

static void add_field(sp_pond *pond, const sp_pond_nozzle_field *field)
{
    const pond_water *w = &pond->water;
    for (int32_t j = 0; j < field->rows; ++j)
        for (int32_t i = 0; i < field->columns; ++i) {
            pond_nozzle *n = &pond->nozzles[pond->nozzle_count];
            n->def = (sp_pond_nozzle){
                .x = ((float)i + 0.5f) / (float)field->columns * (float)w->nx * w->dx,
                .y = ((float)j + 0.5f) / (float)field->rows * (float)w->ny * w->dx,
                .rate = field->rate,
                .radius = field->radius,
                .spread = field->spread,
                .jitter = field->jitter,
                .speed = field->speed,
                .on = true,
            };
            if (field->scattered) scatter(pond, &n->def, pond->nozzle_count);
            ++pond->nozzle_count;
        }
}

size_t pond_count_nozzles(const sp_pond_def *def)
{
    size_t count = def->nozzle_count;
    for (size_t k = 0; k < def->nozzle_field_count; ++k)
        count += (size_t)def->nozzle_fields[k].columns * (size_t)def->nozzle_fields[k].rows;
    return count;
}

void pond_copy_nozzles(sp_pond *pond, const sp_pond_def *def)
{
    for (size_t k = 0; k < def->nozzle_count; ++k)
        pond->nozzles[pond->nozzle_count++].def = def->nozzles[k];
    for (size_t k = 0; k < def->nozzle_field_count; ++k)
        add_field(pond, &def->nozzle_fields[k]);
}

// SPDX-License-Identifier: Apache-2.0
/// Checks a def: the ranges of its keys, and rules that involve several keys.
#include "pond/internal.h"

static sp_status check_path(const sp_pond_path *path, const char *owner, size_t k, sp_error *err)
{
    if (!path) return SP_OK;
    if (path->circle && path->keyframe_count > 0)
        return sp_fail(err, SP_BAD_INPUT,
                       "pond.%s[%zu].path: has circle and keyframes; expected one of them", owner,
                       k);
    if (path->circle && path->circle->period == 0.0f)
        return sp_fail(err, SP_BAD_INPUT,
                       "pond.%s[%zu].path.circle.period: 0 s; expected anything else", owner, k);
    for (size_t i = 1; i < path->keyframe_count; ++i)
        if (!(path->keyframes[i].t > path->keyframes[i - 1].t))
            return sp_fail(
                err, SP_BAD_INPUT,
                "pond.%s[%zu].path.keyframes[%zu].t: %g s; expected more than %g, the one before",
                owner, k, i, (double)path->keyframes[i].t, (double)path->keyframes[i - 1].t);
    return SP_OK;
}

static sp_status check_place(const sp_pond_def *def, const char *what, size_t k, float x, float y,
                             sp_error *err)
{
    const double width = (double)def->nx * (double)def->dx,
                 height = (double)def->ny * (double)def->dx;
    if ((double)x > width)
        return sp_fail(err, SP_BAD_INPUT,
                       "pond.%s[%zu].x: %g m; expected 0 to %g, the pond's width", what, k,
                       (double)x, width);
    if ((double)y > height)
        return sp_fail(err, SP_BAD_INPUT,
                       "pond.%s[%zu].y: %g m; expected 0 to %g, the pond's length", what, k,
                       (double)y, height);
    return SP_OK;
}

static float highest_ground(const sp_heights *ground)
{
    if (!ground->values) return ground->constant;
    float highest = 0.0f;
    for (size_t i = 0; i < ground->width * ground->height; ++i)
        highest = ground->values[i] > highest ? ground->values[i] : highest;
    return highest;
}

static float lowest_ground(const sp_heights *ground)
{
    if (!ground->values) return ground->constant;
    float lowest = INFINITY;
    for (size_t i = 0; i < ground->width * ground->height; ++i)
        lowest = ground->values[i] < lowest ? ground->values[i] : lowest;
    return lowest;
}

/// A bubble above all water would appear at the surface at once.
static sp_status check_bubble(const sp_pond_def *def, size_t k, float highest, sp_error *err)
{
    const sp_pond_start *b = &def->bubbles[k];
    SP_TRY(check_place(def, "bubbles", k, b->x, b->y, err));
    if (b->z <= highest) return SP_OK;
    return sp_fail(err, SP_BAD_INPUT,
                   "pond.bubbles[%zu].z: %g m; expected 0 to %g, the highest water or ground", k,
                   (double)b->z, (double)highest);
}

static sp_status check_things(const sp_pond_def *def, sp_error *err)
{
    for (size_t k = 0; k < def->nozzle_count; ++k)
        SP_TRY(check_place(def, "nozzles", k, def->nozzles[k].x, def->nozzles[k].y, err));
    for (size_t k = 0; k < def->heater_count; ++k) {
        SP_TRY(check_place(def, "heaters", k, def->heaters[k].x, def->heaters[k].y, err));
        SP_TRY(check_path(def->heaters[k].path, "heaters", k, err));
    }
    for (size_t k = 0; k < def->obstacle_count; ++k) {
        SP_TRY(check_place(def, "obstacles", k, def->obstacles[k].x, def->obstacles[k].y, err));
        SP_TRY(check_path(def->obstacles[k].path, "obstacles", k, err));
    }
    const float highest = pond_highest(def);
    for (size_t k = 0; k < def->bubble_count; ++k)
        SP_TRY(check_bubble(def, k, highest, err));
    return SP_OK;
}

/// Still water must not need more sub-steps than allowed: waves would be too slow from the first
/// frame.
static sp_status check_waves(const sp_pond_def *def, float deepest, sp_error *err)
{
    const float speed = sqrtf(def->gravity * deepest);
    const float wanted = ceilf(def->dt_frame * speed / (def->cfl * def->dx));
    if (wanted <= (float)def->sw_max_substeps) return SP_OK;
    return sp_fail(
        err, SP_BAD_INPUT,
        "pond.dx: %g m; water %g m deep then needs %g sub-steps a frame and sw_max_substeps is %d; "
        "expected larger cells, a shorter dt_frame or more sub-steps",
        (double)def->dx, (double)deepest, (double)wanted, (int)def->sw_max_substeps);
}

sp_status pond_check_def(const sp_pond_def *def, sp_error *err)
{
    SP_TRY(sp_keys_check(&sp_pond_keys, def, "pond", err));
    if (def->ground.values && (def->ground.width < 1 || def->ground.height < 1))
        return sp_fail(err, SP_BAD_INPUT, "pond.ground: %zu x %zu values; expected at least one",
                       def->ground.width, def->ground.height);
    if (def->render_scale == 3)
        return sp_fail(err, SP_BAD_INPUT, "pond.render_scale: 3; expected 1, 2 or 4");
    if (def->sw_min_substeps > def->sw_max_substeps)
        return sp_fail(err, SP_BAD_INPUT,
                       "pond.sw_min_substeps: %d; expected at most sw_max_substeps, %d",
                       (int)def->sw_min_substeps, (int)def->sw_max_substeps);
    if (pond_count_nozzles(def) > SP_POND_MAX_NOZZLES)
        return sp_fail(err, SP_BAD_INPUT,
                       "pond.nozzle_fields: %zu nozzles in all; expected at most %d",
                       pond_count_nozzles(def), SP_POND_MAX_NOZZLES);
    if (def->bubble_count > (size_t)def->max_bubbles)
        return sp_fail(err, SP_BAD_INPUT,
                       "pond.bubbles: %zu bubbles; expected at most max_bubbles, %d",
                       def->bubble_count, (int)def->max_bubbles);
    const float lowest = lowest_ground(&def->ground), highest = highest_ground(&def->ground);
    if (!(lowest < def->rest_level))
        return sp_fail(
            err, SP_BAD_INPUT,
            "pond.rest_level: %g m; expected more than the lowest ground, %g m: the pond is dry",
            (double)def->rest_level, (double)lowest);
    if (highest > 100.0f * def->rest_level)
        return sp_fail(err, SP_BAD_INPUT,
                       "pond.ground: %g m; expected at most 100 times rest_level, %g m",
                       (double)highest, (double)def->rest_level);
    SP_TRY(check_waves(def, def->rest_level - lowest, err));
    return check_things(def, err);
}

float pond_highest(const sp_pond_def *def)
{
    const float ground = highest_ground(&def->ground),
                water = def->rest_level > def->dam_level ? def->rest_level : def->dam_level;
    return ground > water ? ground : water;
}

// SPDX-License-Identifier: Apache-2.0
/// The largest speed of a frame. Every stored frame has it as a statistic, so that readers need not
/// load the velocity field.
#include "cache/internal.h"

#include <string.h>

static const char name[] = "largest_speed_m_s";

/// Morton code of a tile. Coordinates from a file may be out of range; such tiles sort last.
static uint64_t code_of(const int32_t at[3])
{
    return sp_tiles_within_reach(at) ? sp_tiles_morton(at) : UINT64_MAX;
}

/// Distances of the tile at `at`; NULL when the field has no such tile. The search starts at
/// `*from` and advances it, because the tiles of all fields are in Morton order.
static const float *distances_at(const sp_field *phi, const int32_t at[3], size_t *from)
{
    const uint64_t code = code_of(at);
    while (*from < phi->tile_count && code_of(phi->tiles + 3 * *from) < code)
        ++*from;
    const bool found = *from < phi->tile_count && code_of(phi->tiles + 3 * *from) == code;
    return found ? phi->values + 512 * *from : NULL;
}

static float square(const float v[3])
{
    return v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
}

/// Only voxels in the water count: velocity is extrapolated beyond the water, where it may be
/// larger. For staggered velocity the low faces of a voxel are used, which is accurate enough for a
/// statistic.
static float fastest_voxel(const sp_field *u, const sp_field *phi)
{
    float most = 0.0f;
    size_t from = 0;
    for (size_t t = 0; t < u->tile_count; ++t) {
        const float *d = phi ? distances_at(phi, u->tiles + 3 * t, &from) : NULL;
        for (size_t v = 0; (d || !phi) && v < 512; ++v)
            if (!d || d[v] < 0.0f) most = fmaxf(most, square(u->values + 3 * (512 * t + v)));
    }
    return most;
}

/// The maximum of `most` and the squared speeds in the set; `most` when the set has no velocity.
static float fastest_particle(const sp_set *set, float most)
{
    const sp_column *u = sp_set_column(set, "velocity");
    if (!u || u->kind != SP_F32 || u->components != 3) return most;
    const float *v = u->data;
    most = fmaxf(most, 0.0f);
    for (size_t i = 0; i < set->count; ++i)
        most = fmaxf(most, square(v + 3 * i));
    return most;
}

static double measure(const sp_frame *frame)
{
    const sp_field *u = sp_frame_field(frame, "velocity"), *phi = sp_frame_field(frame, "surface");
    float most = -1.0f;
    if (sp_field_on_tiles(u, 3))
        most = fastest_voxel(u, sp_field_on_tiles(phi, 1) ? phi : NULL);
    else
        for (size_t i = 0; i < frame->set_count; ++i)
            most = fastest_particle(&frame->sets[i], most);
    return most >= 0.0f ? sqrt((double)most) : -1.0;
}

double sp_frame_speed(const sp_frame *frame)
{
    const double speed = sp_frame_stat(frame, name);
    return isnan(speed) ? measure(frame) : speed;
}

sp_status sp_stored_open(sp_stored *stored, const sp_frame *frame, const sp_host *host,
                         sp_error *err)
{
    *stored = (sp_stored){.host = host, .frame = *frame};
    SP_TRY(sp_frame_check(frame, err));
    const double speed = isnan(sp_frame_stat(frame, name)) ? measure(frame) : -1.0;
    if (speed < 0.0) return SP_OK;
    stored->stats = sp_allocate(host, frame->stat_count + 1, sizeof *stored->stats);
    if (!stored->stats) return sp_fail(err, SP_NO_MEMORY, "no memory for a frame's statistics");
    if (frame->stat_count > 0)
        memcpy(stored->stats, frame->stats, frame->stat_count * sizeof *frame->stats);
    stored->stats[frame->stat_count] = (sp_stat){name, speed};
    stored->frame.stats = stored->stats;
    stored->frame.stat_count = frame->stat_count + 1;
    return SP_OK;
}

void sp_stored_close(sp_stored *stored)
{
    if (stored->host) sp_release(stored->host, stored->stats);
    *stored = (sp_stored){0};
}

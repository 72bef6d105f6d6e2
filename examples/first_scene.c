// SPDX-License-Identifier: Apache-2.0
/// The shortest example: open a built-in scene, advance one second, and read the bubbles.
#include <spume/spume.h>

#include <stdio.h>

/// A column of a set is a plain array that belongs to the simulation; nothing is copied.
static double mean_of(const sp_set *set, const char *name, int component)
{
    const sp_column *column = sp_set_column(set, name);
    const float *values = column->data;
    double sum = 0.0;
    for (size_t i = 0; i < set->count; ++i)
        sum += (double)values[i * (size_t)column->components + (size_t)component];
    return set->count ? sum / (double)set->count : 0.0;
}

int main(void)
{
    sp_error err = {0};
    sp_sim *sim;
    // The path of a scene file works as well. The options (size, overrides) and the host may be NULL.
    if (sp_sim_open("pond/fig10", NULL, NULL, &sim, &err) != SP_OK) {
        fprintf(stderr, "%s\n", err.text); // one sentence: what is wrong, and what is allowed
        return 1;
    }
    for (int k = 0; k < 60; ++k) // fig10 has 60 frames a second
        if (sp_sim_step(sim, &err) != SP_OK) {
            fprintf(stderr, "%s\n", err.text);
            sp_sim_close(sim);
            return 1;
        }
    const sp_frame *frame = sp_sim_frame(sim, &err); // valid until the next step
    const sp_set *bubbles = frame ? sp_frame_set(frame, "bubbles") : NULL;
    const sp_field *height = frame ? sp_frame_field(frame, "height") : NULL;
    if (bubbles && height) {
        printf("frame %llu of %llu, %.3f s\n", (unsigned long long)frame->frame,
               (unsigned long long)sp_sim_frames(sim), frame->time);
        // Frames are y up, so component 1 of a velocity is how fast a bubble rises.
        printf("%zu bubbles of %.1f mm rise at %.2f m/s\n", bubbles->count,
               1e3 * mean_of(bubbles, "radius", 0), mean_of(bubbles, "velocity", 1));
        printf("the surface has %zu x %zu samples; its corner lies at %.1f mm\n", height->nu,
               height->nv, 1e3 * (double)height->values[0]);
    }
    sp_sim_close(sim);
    return bubbles && height ? 0 : 1;
}

// SPDX-License-Identifier: Apache-2.0
/// A boat on a bubbling pond, for a game. Needs spume_pond.c and spume_pond.h and nothing else:
///     cc -std=c17 -O2 boat.c spume_pond.c -lm
/// A game gives sp_pond_open() its own memory and job system as an sp_host instead of NULL.
#include "spume_pond.h"

#include <stdio.h>

int main(void)
{
    const sp_pond_nozzle_field vents = {.columns = 4, .rows = 6, .rate = 8, .radius = 0.004f};
    sp_pond_def def = sp_pond_defaults(); // 0.5 m x 0.8 m, 0.2 m deep
    def.nozzle_fields = &vents;
    def.nozzle_field_count = 1;
    sp_error err = {0};
    sp_pond *pond;
    if (sp_pond_open(&def, NULL, &pond, &err) != SP_OK) return puts(err.text), 1;
    float boat[2] = {0.25f, 0.1f}; // m
    size_t sounds = 0, count;
    for (int k = 1; k <= 300; ++k) {
        if (k % 30 == 0) sp_pond_splash(pond, boat[0], boat[1] - 0.05f, 2e-4f, &err); // the oars
        if (sp_pond_step(pond, k / 60.0, &err) != SP_OK) return puts(err.text), 1;
        sp_pond_flow water; // level and velocity of the water under the boat
        sp_pond_sample(pond, 1, boat, &water);
        boat[0] += water.vx / 60.0f;
        boat[1] += (water.vy + 0.12f) / 60.0f; // rowed at 12 cm/s
        const sp_pond_event *events = sp_pond_events(pond, &count);
        for (size_t e = 0; e < count;
             ++e) // play a sound at events[e].x, .y; its pitch from .radius
            sounds += events[e].kind != SP_POND_MERGE;
        if (k % 100 == 0)
            printf("the boat is at (%.2f, %.2f) m, %.1f mm high\n", (double)boat[0],
                   (double)boat[1], 1e3 * (double)water.level);
    }
    printf("%zu bubbles broke or popped\n", sounds);
    sp_pond_close(pond);
    return 0;
}

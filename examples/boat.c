// SPDX-License-Identifier: Apache-2.0
/// A boat on a bubbling pond, for a game. Needs spume_pond.c and spume_pond.h and nothing else:
///     cc -std=c17 -O2 boat.c spume_pond.c -lm
#include "spume_pond.h"

#include <stdio.h>

/// The game's own memory: the pond takes what it needs at open and never asks again.
static _Alignas(64) unsigned char arena[8 << 20];
static size_t used;
static void *take(void *user, size_t bytes)
{
    (void)user;
    const size_t at = used, rounded = (bytes + 63) & ~(size_t)63;
    if (rounded > sizeof arena - at) return NULL;
    used += rounded;
    return arena + at;
}
static void give_back(void *user, void *memory, size_t bytes)
{
    (void)user, (void)memory, (void)bytes; // the whole arena goes at once
}
static void run_all(void *user, size_t n, void (*body)(void *, size_t), void *arg)
{
    (void)user; // a game would hand these to its job system
    for (size_t i = 0; i < n; ++i)
        body(arg, i);
}

int main(void)
{
    const sp_host host = {
        .allocate = take, .release = give_back, .parallel_for = run_all, .threads = 1};
    const sp_pond_nozzle_field vents = {.columns = 4, .rows = 6, .rate = 8, .radius = 0.004f};
    sp_pond_def def = sp_pond_defaults(); // 0.5 m x 0.8 m, 0.2 m deep
    def.nozzle_fields = &vents;
    def.nozzle_field_count = 1;
    sp_error err = {0};
    sp_pond *pond;
    if (sp_pond_open(&def, &host, &pond, &err) != SP_OK) return puts(err.text), 1;
    const size_t at_open = used;
    float x = 0.25f, y = 0.1f, z = 0.2f, low = z, high = z;
    size_t sounds = 0, count;
    for (int k = 1; k <= 300; ++k) {
        if (k % 30 == 0) sp_pond_splash(pond, x, y - 0.05f, 2e-4f, &err); // the oars
        if (sp_pond_step(pond, k / 60.0, &err) != SP_OK) return puts(err.text), 1;
        sp_pond_flow water; // level and velocity of the water under the boat
        sp_pond_sample(pond, 1, (const float[]){x, y}, &water);
        x += water.vx / 60.0f;
        y += (water.vy + 0.12f) / 60.0f; // rowed at 12 cm/s
        z += 0.3f * (water.level - z);   // a light boat follows the surface
        low = z < low ? z : low;
        high = z > high ? z : high;
        const sp_pond_event *events = sp_pond_events(pond, &count);
        for (size_t e = 0; e < count; ++e) // a sound at (x, y), its pitch from the radius
            sounds += events[e].kind == SP_POND_BREAK || events[e].kind == SP_POND_POP;
    }
    printf("the boat came to (%.2f, %.2f) m and bobbed from %.1f to %.1f mm\n", (double)x,
           (double)y, 1e3 * (double)low, 1e3 * (double)high);
    printf("%zu bubbles broke or popped\n", sounds);
    printf("%zu kB at open and %zu bytes more in 300 frames\n", at_open / 1000, used - at_open);
    sp_pond_close(pond);
    return 0;
}

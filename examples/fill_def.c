// SPDX-License-Identifier: Apache-2.0
/// A pond made in code: fill a def, open it, step it, read its statistics.
#include <spume/spume.h>

#include <stdio.h>

int main(void)
{
    // A hot disc on the floor that moves in a circle in four seconds, and one nozzle beside it.
    const sp_pond_circle circle = {.radius = 0.12f, .period = 4.0f};
    const sp_pond_path path = {.circle = &circle};
    const sp_pond_heater heater = {.x = 0.2f,
                                   .y = 0.2f,
                                   .radius = 0.05f,
                                   .rate = 150,
                                   .on = true,
                                   .bubble_radius = 0.003f,
                                   .spread = 0.25f,
                                   .path = &path};
    const sp_pond_nozzle nozzle = {
        .x = 0.35f, .y = 0.35f, .rate = 10, .radius = 0.005f, .spread = 0.1f, .on = true};

    sp_pond_def def = sp_pond_defaults(); // always start from the defaults
    def.nx = def.ny = 40;                 // cells of dx = 1 cm
    def.rest_level = 0.15f;               // m of water
    def.foam_life = 3.0f;                 // s
    def.heaters = &heater;
    def.heater_count = 1;
    def.nozzles = &nozzle;
    def.nozzle_count = 1;

    sp_error err = {0};
    sp_pond *pond;
    sp_status status = sp_pond_open(&def, NULL, &pond, &err); // copies the lists
    const int64_t water = status == SP_OK ? sp_pond_statistics(pond).water_quanta : 0;
    for (int k = 1; k <= 180 && status == SP_OK; ++k)
        status = sp_pond_step(pond, (double)k / 60.0, &err); // advances to this time
    if (status != SP_OK) {
        fprintf(stderr, "%s: %s\n", sp_status_name(status), err.text);
        sp_pond_close(pond);
        return 1;
    }
    const sp_pond_stats s = sp_pond_statistics(pond);
    printf("after %.1f s: %u bubbles, %u foam bubbles\n", s.time, s.bubbles, s.foam);
    printf("%.2f litres of air came in, %.2f are left\n", 1e3 * s.gas_in_m3, 1e3 * s.gas_m3);
    // Depth is counted in whole quanta, so no water is ever lost, not even by rounding.
    printf("%.1f litres of water; %lld quanta were lost\n", 1e3 * s.water_m3,
           (long long)(water - s.water_quanta));
    sp_pond_close(pond);
    return 0;
}

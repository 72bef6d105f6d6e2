// SPDX-License-Identifier: Apache-2.0
/// Seas, single waves, and points to ask.
#include "validate/ocean/proofs.h"

#include <string.h>

sp_ocean_def ocean_case_def(void)
{
    sp_ocean_def def;
    sp_keys_defaults(&sp_ocean_keys, &def);
    def.grid = 256;
    return def;
}

void ocean_case_one_wave(sp_bulk *bulk, int32_t i, int32_t j, double amplitude)
{
    ocean *o = bulk->user;
    ocean_cascade *c = &o->cascade[0];
    const size_t all = (size_t)c->n * c->columns,
                 at = (size_t)ocean_row(j, c->n) * c->columns + (size_t)i;
    for (int a = 0; a < 2; ++a) {
        memset(c->ahead[a], 0, all * sizeof *c->ahead[a]);
        memset(c->back[a], 0, all * sizeof *c->back[a]);
    }
    // the response of the spline, which coefficients are over
    const double turn = 2.0 * SP_PI_D / c->n,
                 response = (2.0 + cos(turn * i)) * (2.0 + cos(turn * j)) / 9.0;
    c->ahead[0][at] = (float)(0.5 * amplitude / response);
    o->chop = 1.0f;
    for (int m = 0; m < OCEAN_MOMENTS; ++m)
        o->moment[m].known = false;
}

void ocean_asked_scatter(ocean_asked *a, double side, double y)
{
    for (size_t i = 0; i < OCEAN_ASKED; ++i) {
        const sp_random4 random = sp_random(1, 0, i, 0, 0);
        a->at[0][i] = side * (double)sp_unit(random.x[0]);
        a->at[1][i] = y;
        a->at[2][i] = side * (double)sp_unit(random.x[1]);
    }
}

sp_status ocean_ask(ocean_asked *a, const sp_bulk *bulk, const sp_host *host, double t,
                    sp_error *err)
{
    const sp_bulk_query query = {.n = OCEAN_ASKED,
                                 .x = a->at[0],
                                 .y = a->at[1],
                                 .z = a->at[2],
                                 .phi = a->phi,
                                 .gradient = {a->normal[0], a->normal[1], a->normal[2]},
                                 .u = {a->u[0], a->u[1], a->u[2]}};
    return sp_bulk_sample(bulk, host, t, &query, err);
}

/// The distance is that along the vertical times the normal's vertical component.
void ocean_asked_sink(ocean_asked *a, double depth)
{
    for (size_t i = 0; i < OCEAN_ASKED; ++i)
        a->at[1][i] -= (double)a->phi[i] / (double)a->normal[1][i] + depth;
}

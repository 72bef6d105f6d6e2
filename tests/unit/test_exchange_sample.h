// SPDX-License-Identifier: Apache-2.0
#ifndef TEST_EXCHANGE_SAMPLE_H
#define TEST_EXCHANGE_SAMPLE_H

/// A small frame far from the origin of the world, in a temporary directory.

#include "exchange/exchange.h"
#include "temporary.h"
#include "testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLE_N = 3, SAMPLE_NU = 4, SAMPLE_NV = 3 };

typedef struct sample {
    float position[3 * SAMPLE_N], velocity[3 * SAMPLE_N], radius[SAMPLE_N], age[SAMPLE_N];
    uint64_t id[SAMPLE_N];
    int32_t parent[SAMPLE_N];
    float height[SAMPLE_NU * SAMPLE_NV], depth[SAMPLE_NU * SAMPLE_NV];
    sp_column columns[6];
    sp_set sets[2];
    sp_field fields[2];
    sp_frame frame;
    const char *dir;
} sample;

static inline void sample_open(sample *s)
{
    *s = (sample){.dir = temporary_directory()};
    for (size_t i = 0; i < SAMPLE_N; ++i) {
        for (size_t k = 0; k < 3; ++k) {
            s->position[3 * i + k] = 0.1f * (float)(3 * i + k) + 0.013f;
            s->velocity[3 * i + k] = 1.0f / (float)(1 + 3 * i + k);
        }
        s->radius[i] = 0.001f * (float)(i + 1);
        s->age[i] = 0.3f * (float)i;
        s->id[i] = ((uint64_t)1 << 60) + 7 * i + 5; // needs all 64 bits: a double would round it
        s->parent[i] = -(int32_t)i;
    }
    // A dry corner: three samples about (0, 0) hold no water.
    for (size_t i = 0; i < SAMPLE_NU * SAMPLE_NV; ++i) {
        const bool dry = i == 0 || i == 1 || i == SAMPLE_NU || i == SAMPLE_NU + 1;
        s->height[i] = 0.2f + 0.01f * (float)i;
        s->depth[i] = dry ? 0.0f : 0.1f;
    }
    s->columns[0] = (sp_column){"position", SP_F32, 3, s->position};
    s->columns[1] = (sp_column){"velocity", SP_F32, 3, s->velocity};
    s->columns[2] = (sp_column){"radius", SP_F32, 1, s->radius};
    s->columns[3] = (sp_column){"id", SP_U64, 1, s->id};
    s->columns[4] = (sp_column){"age", SP_F32, 1, s->age};
    s->columns[5] = (sp_column){"parent", SP_I32, 1, s->parent};
    s->sets[0] = (sp_set){"bubbles", SAMPLE_N, s->columns, 6};
    s->sets[1] = (sp_set){"foam", 0, s->columns, 6};
    for (int k = 0; k < 2; ++k)
        s->fields[k] = (sp_field){.name = k ? "depth" : "height",
                                  .layout = SP_FIELD_PLANE,
                                  .components = 1,
                                  .values = k ? s->depth : s->height,
                                  .nu = SAMPLE_NU,
                                  .nv = SAMPLE_NV,
                                  .corner = {1e6, 2.0, -1e6},
                                  .du = {0.5, 0, 0},
                                  .dv = {0, 0, -0.25}};
    s->frame = (sp_frame){.frame = 42,
                          .time = 0.7,
                          .fps = 60,
                          .origin = {1e6, 0.25, -1e6},
                          .sets = s->sets,
                          .set_count = 2,
                          .fields = s->fields,
                          .field_count = 2};
}

static inline void sample_close(sample *s)
{
    remove_directory(s->dir);
}

#endif

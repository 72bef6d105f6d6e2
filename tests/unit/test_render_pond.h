// SPDX-License-Identifier: Apache-2.0
#ifndef TEST_RENDER_POND_H
#define TEST_RENDER_POND_H

#include "render/render.h"
#include "testing.h"

#include <stdlib.h>

/// A made-up pond in the shape a solver publishes: 0.5 m x 0.8 m, waves and domes, rising bubbles
/// in a few columns, foam in rafts.
enum { NU = 101, NV = 161, BUBBLES = 600, FOAM = 1100, FOAM_MANY = 250000 };

typedef struct pond {
    float level[NU * NV], depth[NU * NV];
    float *bubble[4], *foam[2]; ///< position, radius, axis, stretch
    uint64_t *ids;
    sp_column bubble_columns[5], foam_columns[3];
    sp_set sets[2];
    sp_field fields[2];
    sp_frame frame;
} pond;

static inline float chance(uint64_t id, uint32_t k)
{
    return sp_unit(sp_random(7, 1, id, 0, k).x[0]);
}

/// About normal, from three uniform ones; the exact shape does not matter.
static inline float spread(uint64_t id, uint32_t k)
{
    return chance(id, k) + chance(id, k + 1) + chance(id, k + 2) - 1.5f;
}

static const float wells[4][2] = {{0.14f, 0.20f}, {0.36f, 0.34f}, {0.17f, 0.55f}, {0.38f, 0.66f}};

static inline void make_bubbles(pond *p)
{
    for (size_t i = 0; i < BUBBLES; ++i) {
        const size_t well = i % 4;
        const float rise = chance(i, 1), wide = 0.02f + 0.07f * rise;
        p->bubble[0][3 * i] = sp_clamp(wells[well][0] + wide * spread(i, 2), 0.01f, 0.49f);
        p->bubble[0][3 * i + 1] = 0.01f + 0.19f * rise;
        p->bubble[0][3 * i + 2] = -sp_clamp(wells[well][1] + wide * spread(i, 5), 0.01f, 0.79f);
        p->bubble[1][i] = 0.002f + 0.0035f * chance(i, 8) * chance(i, 9);
        p->bubble[2][3 * i + 1] = 1.0f;
        p->bubble[3][i] = -0.25f * chance(i, 10);
    }
}

static inline float level_at(float x, float y)
{
    float h = 0.22f + 0.0016f * sinf(31.0f * x + 17.0f * y) +
              0.0012f * sinf(23.0f * y - 41.0f * x) + 0.0007f * sinf(97.0f * x + 61.0f * y);
    for (int k = 0; k < 4; ++k) {
        const float dx = x - wells[k][0], dy = y - wells[k][1], d = sqrtf(dx * dx + dy * dy);
        h += 0.0045f * expf(-d * d / 0.0012f) +
             0.0022f * cosf(140.0f * d - (float)k) * expf(-d / 0.12f);
    }
    return h;
}

static inline void make_foam(pond *p, size_t count, float radius)
{
    for (size_t i = 0; i < count; ++i) {
        const size_t raft = i % 23;
        const float size = 0.02f + 0.05f * chance(raft, 40);
        const float cx = 0.05f + 0.40f * chance(raft, 41), cy = 0.06f + 0.68f * chance(raft, 42);
        const float x = sp_clamp(cx + size * spread(i, 20), 0.005f, 0.495f);
        const float y = sp_clamp(cy + size * spread(i, 23), 0.005f, 0.795f);
        p->foam[0][3 * i] = x;
        p->foam[0][3 * i + 1] = level_at(x, y);
        p->foam[0][3 * i + 2] = -y;
        p->foam[1][i] = radius * (0.7f + 1.2f * chance(i, 26) * chance(i, 27));
    }
}

static inline void make_fields(pond *p)
{
    for (size_t j = 0; j < NV; ++j)
        for (size_t i = 0; i < NU; ++i) {
            p->level[j * NU + i] = level_at(0.005f * (float)i, 0.005f * (float)j);
            p->depth[j * NU + i] = p->level[j * NU + i];
        }
    for (int k = 0; k < 2; ++k)
        p->fields[k] = (sp_field){.name = k ? "depth" : "height",
                                  .layout = SP_FIELD_PLANE,
                                  .components = 1,
                                  .values = k ? p->depth : p->level,
                                  .nu = NU,
                                  .nv = NV,
                                  .du = {0.005, 0, 0},
                                  .dv = {0, 0, -0.005}};
}

static inline pond *make_pond(size_t foam, float foam_radius)
{
    pond *p = calloc(1, sizeof *p);
    static const int wide[4] = {3, 1, 3, 1};
    for (int k = 0; k < 4; ++k)
        p->bubble[k] = calloc(BUBBLES, (size_t)wide[k] * sizeof(float));
    for (int k = 0; k < 2; ++k)
        p->foam[k] = calloc(foam, (size_t)wide[k] * sizeof(float));
    p->ids = calloc(foam > BUBBLES ? foam : BUBBLES, sizeof *p->ids);
    for (size_t i = 0; i < (foam > BUBBLES ? foam : BUBBLES); ++i)
        p->ids[i] = i;
    make_fields(p);
    make_bubbles(p);
    make_foam(p, foam, foam_radius);
    static const char *const names[4] = {"position", "radius", "axis", "stretch"};
    for (int k = 0; k < 4; ++k)
        p->bubble_columns[k] = (sp_column){names[k], SP_F32, wide[k], p->bubble[k]};
    for (int k = 0; k < 2; ++k)
        p->foam_columns[k] = (sp_column){names[k], SP_F32, wide[k], p->foam[k]};
    p->bubble_columns[4] = p->foam_columns[2] = (sp_column){"id", SP_U64, 1, p->ids};
    p->sets[0] = (sp_set){"bubbles", BUBBLES, p->bubble_columns, 5};
    p->sets[1] = (sp_set){"foam", foam, p->foam_columns, 3};
    p->frame = (sp_frame){.frame = 120,
                          .time = 2.0,
                          .fps = 60.0,
                          .voxel = 0.01,
                          .sets = p->sets,
                          .set_count = 2,
                          .fields = p->fields,
                          .field_count = 2};
    return p;
}

static inline void free_pond(pond *p)
{
    for (int k = 0; k < 4; ++k)
        free(p->bubble[k]);
    free(p->foam[0]);
    free(p->foam[1]);
    free(p->ids);
    free(p);
}

#endif

// SPDX-License-Identifier: Apache-2.0
#ifndef SP_WHITEWATER_PUBLISH_H
#define SP_WHITEWATER_PUBLISH_H

/// Parts of a frame.

#include "whitewater/internal.h"

enum { SHOWN_BUBBLES, SHOWN_FOAM, SHOWN_SPRAY, SHOWN_ARRIVALS, SHOWN_SETS };
enum { SHOWN_COLUMNS = 12, SHOWN_FIELDS = 4 };

/// A set of particles in a frame.
typedef struct shown_set {
    size_t room;
    float (*position)[3], (*velocity)[3];
    float *radius, *count, *age, *floated, *life;
    uint32_t *state;
    uint64_t *id;
    sp_column columns[SHOWN_COLUMNS];
    // Of arrivals, which are read again exactly:
    double (*place)[3];
    float *speed;
    uint32_t *step;
} shown_set;

/// Fields on one list of tiles.
typedef struct shown_fields {
    size_t tiles, room;
    int32_t (*at)[3];
    float *surface, *velocity;
} shown_fields;

/// Copies particles; sets[1] may be NULL. Ids ascend in each and in the result.
sp_status whitewater_show_set(const whitewater *s, const whitewater_set *const sets[2],
                              const char *name, shown_set *to, sp_set *out, sp_error *err);
sp_status whitewater_show_arrivals(const whitewater *s, shown_set *to, sp_set *out, sp_error *err);
void whitewater_close_set(const sp_host *host, shown_set *set);

/// Surface and velocity of the bulk at s->time.
sp_status whitewater_show_water(whitewater *s, shown_fields *to, sp_error *err);
/// Velocity of the guided water, and the share of bubbles.
sp_status whitewater_show_guided(const whitewater *s, shown_fields *to, sp_error *err);
void whitewater_close_fields(const sp_host *host, shown_fields *fields);

#endif

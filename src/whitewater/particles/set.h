// SPDX-License-Identifier: Apache-2.0
#ifndef SP_WHITEWATER_SET_H
#define SP_WHITEWATER_SET_H

/// Particles of whitewater. Bubbles, foam and spray have the same columns, so that a particle keeps all it has when
/// it changes from one set to another. A set is in ascending order of ids.

#include "particles/particles.h"

enum { WHITEWATER_BUBBLES, WHITEWATER_FOAM, WHITEWATER_SPRAY, WHITEWATER_KINDS };

typedef struct whitewater_set {
    sp_particles set; ///< columns as below, in this order
    double *x[3];     ///< m; world
    float *v[3];      ///< m/s
    float *radius;    ///< m; of one bubble or drop; the same for life
    float *number;    ///< bubbles or drops that the particle stands for, at least 1
    float *age;       ///< s; since it was let in
    float *floated;   ///< s; as foam
    float *life;      ///< s; as foam, until it bursts; 0: not drawn yet
    float *speed;    ///< m/s; as foam: along the surface after the last substep; below 0: not known
    uint32_t *state; ///< WHITEWATER_... bits
    uint64_t *id;
} whitewater_set;

/// Bits of `state`.
enum {
    WHITEWATER_ABOVE = 1,    ///< it was above the surface at the end of the last step
    WHITEWATER_NEW = 2,      ///< let in in this step: it has no last side
    WHITEWATER_RETURNED = 4, ///< a bubble that was foam or spray before: one way coupled
};

sp_status whitewater_set_open(whitewater_set *s, const sp_host *host, sp_error *err);
void whitewater_set_close(whitewater_set *s); ///< may be zeroed
/// Room for n particles in total; arrays may move.
sp_status whitewater_set_reserve(whitewater_set *s, size_t n, sp_error *err);
/// Appends a particle of another set. The caller has reserved the room; whitewater_set_sort() restores the order.
void whitewater_set_copy(whitewater_set *to, const whitewater_set *from, size_t i);
/// Removes particles i with gone[i] != 0; keeps the order.
void whitewater_set_remove(whitewater_set *s, const uint8_t *gone);
/// Merges the particles from place `sorted` on, in any order, with those before, which are in order.
sp_status whitewater_set_sort(whitewater_set *s, size_t sorted, sp_error *err);
/// m3; of all bubbles that particle i stands for.
static inline double whitewater_volume(const whitewater_set *s, size_t i)
{
    const double r = (double)s->radius[i];
    return 4.0 / 3.0 * SP_PI_D * r * r * r * (double)s->number[i];
}

#endif

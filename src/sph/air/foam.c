// SPDX-License-Identifier: Apache-2.0
/// Decides which air is foam, and how long foam lives.
///
///     rising -> foam    phi < t_phi, or no water above
///     foam -> rising    phi > t_phi + 0.15, and water above
///
/// Air that becomes foam for the first time gets a life. It joins a young group of foam beside it or starts
/// one, so that particles that surface together burst together. In the paper foam takes the shortest life
/// of its neighbours in every step, and a raft bursts with the first of its bubbles. There are three passes
/// (foam test, clocks, writing), so that no particle reads a neighbour of the next step.
#include "sph/internal.h"

/// Bits of air_data.next: is foam after this step; for the first time.
enum { FLOATS = 1, FIRST = 2 };

typedef struct foaming {
    sph *s;
    float dt;
} foaming;

static void decide(void *arg, size_t begin, size_t end)
{
    const sph *s = ((const foaming *)arg)->s;
    const sph_phase *air = &s->air;
    const float little = s->def.foam.liquid_fraction, more = little + 0.15f;
    for (size_t k = begin; k < end; ++k) {
        const size_t i = air->cells.order[k];
        const float phi = s->air_data.phi[k];
        const bool covered = s->air_data.covered[k], was = air->tag[i] & SPH_FOAM,
                   floats = was ? !(phi > more && covered) : phi < little || !covered;
        s->air_data.next[k] = (uint8_t)(floats ? FLOATS | (isnan(air->life[i]) ? FIRST : 0) : 0);
    }
}

/// ---- Clocks ------------------------------------------------------------------------------------

/// 2 t_f u, s: uniform from 0 to twice the mean.
static float draw_life(const sph *s, uint64_t id)
{
    const sp_random4 random = sp_random(s->seed, SPH_RANDOM_LIFE, id, (uint32_t)s->steps, 0);
    return 2.0f * s->def.foam.float_time * sp_unit(random.x[0]);
}

/// Life and group age of particle k, which becomes foam. It joins the group of the foam neighbour with the
/// smallest id among those in a young group. Without one it draws a life with the smallest id among itself and
/// the neighbours that become foam in this step.
static void find_group(const foaming *f, size_t k)
{
    const float young = 0.15f; // s
    const sph *s = f->s;
    const sph_phase *air = &s->air;
    const sp_neighbour_list list = air->lists.list[k];
    uint64_t smallest = air->id[air->cells.order[k]], oldest = UINT64_MAX;
    size_t host = SIZE_MAX;
    for (size_t e = 0; e < list.count; ++e) {
        const size_t j = air->lists.index[list.start + e], i = air->cells.order[j];
        if (!sph_near(air->at + 4 * k, air->at + 4 * j, s->h)) continue;
        if ((s->air_data.next[j] & FIRST) && air->id[i] < smallest) smallest = air->id[i];
        if (!(air->tag[i] & SPH_FOAM) || !(air->group_age[i] < young) || air->id[i] > oldest)
            continue;
        oldest = air->id[i];
        host = i;
    }
    const bool joins = host != SIZE_MAX;
    s->air_data.life[k] = joins ? air->life[host] - f->dt : draw_life(s, smallest);
    s->air_data.group_age[k] = joins ? air->group_age[host] + f->dt : 0.0f;
}

/// The paper's rule: the shortest life of all foam neighbours.
static void take_shortest(const foaming *f, size_t k)
{
    const sph_phase *air = &f->s->air;
    const sp_neighbour_list list = air->lists.list[k];
    float *life = &f->s->air_data.life[k];
    for (size_t e = 0; e < list.count; ++e) {
        const size_t j = air->lists.index[list.start + e], i = air->cells.order[j];
        if (!(air->tag[i] & SPH_FOAM) || !sph_near(air->at + 4 * k, air->at + 4 * j, f->s->h))
            continue;
        *life = fminf(*life, air->life[i] - f->dt);
    }
}

/// A life decreases only while its particle is foam; the age of a group always increases.
static void run_clocks(void *arg, size_t begin, size_t end)
{
    const foaming *f = arg;
    const sph *s = f->s;
    const sph_phase *air = &s->air;
    const int share = s->def.foam.share;
    for (size_t k = begin; k < end; ++k) {
        const size_t i = air->cells.order[k];
        const uint8_t next = s->air_data.next[k];
        if (!(next & FIRST)) {
            s->air_data.life[k] = air->life[i] - (next & FLOATS ? f->dt : 0.0f);
            s->air_data.group_age[k] = air->group_age[i] + f->dt;
        } else if (share == SP_SPH_SHARE_GROUP) {
            find_group(f, k);
        } else {
            s->air_data.life[k] = draw_life(s, air->id[i]);
            s->air_data.group_age[k] = 0.0f;
        }
        if (share == SP_SPH_SHARE_PAPER && next & FLOATS) take_shortest(f, k);
    }
}

/// ---- Writing -----------------------------------------------------------------------------------

/// Time that air has fallen without water neighbours, s. While it moves up, the time does not
/// advance.
static float time_alone(const foaming *f, size_t k, size_t i)
{
    const sph_phase *air = &f->s->air;
    const float *g = f->s->gravity;
    if (f->s->air_data.phi[k] > 0.0f) return 0.0f;
    const float along = air->v[0][i] * g[0] + air->v[1][i] * g[1] + air->v[2][i] * g[2];
    return air->alone[i] + (along > 0.0f ? f->dt : 0.0f);
}

static void write_back(void *arg, size_t begin, size_t end)
{
    const foaming *f = arg;
    const sph_air *data = &f->s->air_data;
    const sph_phase *air = &f->s->air;
    for (size_t k = begin; k < end; ++k) {
        const size_t i = air->cells.order[k];
        air->life[i] = data->life[k];
        air->group_age[i] = data->group_age[k];
        air->alone[i] = time_alone(f, k, i);
        air->tag[i] = (air->tag[i] & ~(uint32_t)SPH_FOAM) |
                      (data->next[k] & FLOATS ? (uint32_t)SPH_FOAM : 0u);
    }
}

void sph_foam(sph *s, double dt)
{
    foaming f = {s, (float)dt};
    const size_t n = s->air.cells.count; // without particles created in this step
    sp_parallel(s->host, n, SPH_CHUNK, decide, &f);
    sp_parallel(s->host, n, SPH_CHUNK, run_clocks, &f);
    sp_parallel(s->host, n, SPH_CHUNK, write_back, &f);
}

// SPDX-License-Identifier: Apache-2.0
/// Projected Gauss-Seidel with momentum. See contacts.h for the equations of a contact.
///
/// A sweep visits colour by colour; contacts of a colour are solved in lanes. Velocities change with each
/// contact, and the forces p that did it are kept, so that friction and the sign of p.n bound all of a
/// force and not its last change.
///
/// Sweeps alone carry a force from grain to grain: a column of n grains needs some n^2 of them. So each but
/// the first goes on in the direction of the last ones (Silcowitz, Niebe, Erleben 2010, "A nonsmooth
/// nonlinear conjugate gradient method for interactive contact force problems"):
///
///     p_k+1 = sweep(p_k) + beta (p_k - p_k-1),   beta = E_k/E_k-1,  0 where that is above 1
///
/// E_k = sum W |sweep(p_k) - p_k|^2 is how much the sweep changed. The last sweep is not followed by a
/// step, so its forces are within their bounds. Thirty grains stay upright with 30 sweeps that way; plain
/// sweeps take 270, and with 30 the column is thrown about.
#include "bubbles/contacts/contacts.h"
#include "core/numbers/gather_quads.h"

#include <math.h>

enum {
    CHUNK = 1024, // contacts of a task; whole vectors of 16
    FEW = 4,      // sweeps of the first solve in a substep
};
#define TINY 1e-30f // s/kg, N^2

/// What a sweep has done to a part of the contacts.
typedef struct contact_change {
    float way;     ///< largest change of n.u, times dt over the smaller radius
    double energy; ///< W; sum of W |dp|^2
} contact_change;

typedef struct relaxing {
    const bubbles *s;
    contact_state *c;
    double dt;
    bool scaled; ///< drag is scaled by the share of water
    float friction, beta;
    size_t first;           ///< contact of the colour
    contact_change *change; ///< by task
} relaxing;

/// ---- One contact -------------------------------------------------------------------------------

/// Applies the force that a contact starts with. Scalar: it is done once for some thirty sweeps.
static void start(contact_state *c, size_t k)
{
    float *va = c->body + 4 * (size_t)c->a[k], *vb = c->body + 4 * (size_t)c->b[k];
    for (int i = 0; i < 3; ++i) {
        const float p = c->p[i][k];
        va[i] += p * va[3];
        vb[i] -= p * vb[3];
        c->from[i][k] = p;
        c->step[i][k] = 0.0f;
    }
}

/// The same as relax() for one contact, operation by operation. Returns W |dp|^2.
static float relax_one(const relaxing *x, size_t k, float *way)
{
    contact_state *c = x->c;
    float *va = c->body + 4 * (size_t)c->a[k], *vb = c->body + 4 * (size_t)c->b[k];
    float n[3], p[3], q[3], d[3];
    const float both = va[3] + vb[3], hard = 1.0f / (both > TINY ? both : TINY);
    for (int i = 0; i < 3; ++i) {
        n[i] = c->n[i][k];
        p[i] = c->p[i][k] + x->beta * c->step[i][k];
        c->step[i][k] = p[i] - c->from[i][k];
        c->from[i][k] = p[i];
        q[i] = p[i] + (c->target[k] * n[i] - (va[i] - vb[i])) * hard;
    }
    const float along = (q[0] * n[0] + q[1] * n[1]) + q[2] * n[2];
    const float push = along > 0.0f ? along : 0.0f, most = x->friction * push;
    for (int i = 0; i < 3; ++i)
        q[i] = q[i] - along * n[i];
    const float slide = (q[0] * q[0] + q[1] * q[1]) + q[2] * q[2];
    const float share = slide > most * most ? most / sqrtf(slide > TINY ? slide : TINY) : 1.0f;
    for (int i = 0; i < 3; ++i) {
        q[i] = push * n[i] + share * q[i];
        d[i] = q[i] - p[i];
        c->p[i][k] = q[i];
        va[i] = va[i] + d[i] * va[3];
        vb[i] = vb[i] - d[i] * vb[3];
    }
    const float change = ((d[0] * n[0] + d[1] * n[1]) + d[2] * n[2]) * both * c->rate[k];
    *way = fmaxf(*way, fabsf(change));
    return ((d[0] * d[0] + d[1] * d[1]) + d[2] * d[2]) * both;
}

/// ---- A register of contacts --------------------------------------------------------------------

SP_INLINE sp_part dot(const sp_part a[3], const sp_part b[3])
{
    return (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2];
}

/// Velocities of different bodies; padding writes its 0 more than once.
SP_INLINE void put_velocity(float *body, const uint32_t *index, const sp_part v[3])
{
    float lane[3][SP_PART];
    for (int i = 0; i < 3; ++i)
        sp_part_store(lane[i], v[i]);
    for (int l = 0; l < SP_PART; ++l) {
        float *to = body + 4 * (size_t)index[l];
        to[0] = lane[0][l];
        to[1] = lane[1][l];
        to[2] = lane[2][l];
    }
}

SP_INLINE void relax(const contact_state *c, float friction, float beta, size_t k, sp_part *way,
                     sp_lanes *energy)
{
    const sp_quad a = sp_quad_take(c->body, c->a + k), b = sp_quad_take(c->body, c->b + k);
    const sp_part target = sp_part_load(c->target + k), tiny = sp_part_all(TINY);
    const sp_part both = a.w + b.w, hard = 1.0f / sp_part_max(both, tiny);
    const sp_part u[3] = {a.x - b.x, a.y - b.y, a.z - b.z};
    sp_part n[3], p[3], q[3], d[3];
    for (int i = 0; i < 3; ++i) {
        n[i] = sp_part_load(c->n[i] + k);
        p[i] = sp_part_load(c->p[i] + k) + beta * sp_part_load(c->step[i] + k);
        sp_part_store(c->step[i] + k, p[i] - sp_part_load(c->from[i] + k));
        sp_part_store(c->from[i] + k, p[i]);
        q[i] = p[i] + (target * n[i] - u[i]) * hard;
    }
    const sp_part along = dot(q, n), push = sp_part_max(along, (sp_part){0}),
                  most = friction * push;
    for (int i = 0; i < 3; ++i)
        q[i] = q[i] - along * n[i];
    const sp_part slide = dot(q, q), length = sp_part_sqrt(sp_part_max(slide, tiny));
    const sp_part share = sp_part_select(slide > most * most, most / length, sp_part_all(1.0f));
    for (int i = 0; i < 3; ++i) {
        q[i] = push * n[i] + share * q[i];
        d[i] = q[i] - p[i];
        sp_part_store(c->p[i] + k, q[i]);
    }
    const sp_part va[3] = {a.x + d[0] * a.w, a.y + d[1] * a.w, a.z + d[2] * a.w},
                  vb[3] = {b.x - d[0] * b.w, b.y - d[1] * b.w, b.z - d[2] * b.w};
    put_velocity(c->body, c->a + k, va);
    put_velocity(c->body, c->b + k, vb);
    const sp_part change = dot(d, n) * both * sp_part_load(c->rate + k);
    *way = sp_part_max(sp_part_max(change, -change), *way);
    sp_lanes_add(energy, k, dot(d, d) * both);
}

/// ---- Sweeps ------------------------------------------------------------------------------------

static float largest_lane(sp_part v)
{
    float most = v[0];
    for (int l = 1; l < SP_PART; ++l)
        most = fmaxf(most, v[l]);
    return most;
}

static contact_change relax_plainly(const relaxing *x, size_t begin, size_t end)
{
    contact_change change = {0.0f, 0.0};
    float lane[SP_LANES] = {0};
    for (size_t k = begin; k < end; ++k)
        lane[k % SP_LANES] += relax_one(x, k, &change.way);
    change.energy = (double)sp_f16_sum(sp_f16_load(lane));
    return change;
}

static contact_change relax_in_lanes(const relaxing *x, size_t begin, size_t end)
{
    const contact_state c = *x->c;
    const float friction = x->friction, beta = x->beta;
    sp_part way = {0};
    sp_lanes energy = {{0}};
    for (size_t k = begin; k < end; k += SP_PART)
        relax(&c, friction, beta, k, &way, &energy);
    return (contact_change){largest_lane(way), (double)sp_lanes_sum(energy)};
}

/// Contacts begin ... end - 1 of a colour, whose number is padded.
static void relax_colour(void *arg, size_t begin, size_t end)
{
    const relaxing *x = arg;
    for (size_t at = begin; at < end; at += CHUNK) { // one thread gets all of them in one call
        const size_t from = x->first + at, to = x->first + (at + CHUNK < end ? at + CHUNK : end);
        x->change[at / CHUNK] =
            x->c->plain ? relax_plainly(x, from, to) : relax_in_lanes(x, from, to);
    }
}

static void add_change(contact_change *sum, contact_change part)
{
    sum->way = fmaxf(sum->way, part.way);
    sum->energy += part.energy;
}

static contact_change sweep(relaxing *x)
{
    const contact_state *c = x->c;
    contact_change sum = {0.0f, 0.0};
    for (int colour = 0; colour < c->colours; ++colour) {
        const size_t n = c->first[colour + 1] - c->first[colour];
        x->first = c->first[colour];
        sp_parallel(x->s->host, n, CHUNK, relax_colour, x);
        for (size_t at = 0; at < n; at += CHUNK)
            add_change(&sum, x->change[at / CHUNK]);
    }
    add_change(&sum, relax_plainly(x, c->first[CONTACT_COLOURS], c->count));
    return sum;
}

/// ---- Bodies ------------------------------------------------------------------------------------

/// Speed of particle i in the water, with the velocity v.
static float slip_of(const bubbles *s, size_t i, const float v[3])
{
    float sum = 0.0f;
    for (int a = 0; a < 3; ++a) {
        const float u = v[a] - s->at.water[a][i];
        sum += u * u;
    }
    return sqrtf(sum);
}

/// 1/(V_q a_q), from velocities without and with contacts.
static float mobility(const relaxing *x, size_t i, const float free[3], const float held[3])
{
    const bubbles *s = x->s;
    const sp_bubbles_def *d = &s->def;
    const float r = s->particles.radius[i], c0 = 4.5f * d->viscosity / (r * r),
                c1 = 0.375f * d->density / r;
    const float share =
        x->scaled ? (s->at.share[0][i] + s->at.share[1][i] + s->at.share[2][i]) * (1.0f / 3.0f)
                  : 1.0f;
    const float slip = slip_of(s, i, free) + slip_of(s, i, held),
                drag = d->drag_scale * share * (c0 + c1 * slip);
    return 1.0f / (bubbles_volume(r) * (s->particles.density[i] * (float)(1.0 / x->dt) + drag));
}

static void load_bodies(void *arg, size_t begin, size_t end)
{
    const relaxing *x = arg;
    for (size_t k = begin; k < end; ++k) {
        const uint32_t i = x->c->particle[k];
        float *body = x->c->body + 4 * k, free[3];
        for (int a = 0; a < 3; ++a) {
            free[a] = x->s->particles.v[a][i];
            if (x->c->fresh) body[a] = x->s->at.v0[a][i];
        }
        body[3] = mobility(x, i, free, body);
        memcpy(body, free, sizeof free);
    }
}

static void store_bodies(void *arg, size_t begin, size_t end)
{
    const relaxing *x = arg;
    for (size_t k = begin; k < end; ++k)
        for (int a = 0; a < 3; ++a)
            x->s->particles.v[a][x->c->particle[k]] = x->c->body[4 * k + (size_t)a];
}

/// Velocities go on as the forces do; the first time (`from` is not set yet) they stay. Their fourth
/// numbers, which never change, take part for nothing.
static void step_bodies(void *arg, size_t begin, size_t end)
{
    const relaxing *x = arg;
    float *restrict v = x->c->body, *restrict from = x->c->body_from,
                    *restrict step = x->c->body_step;
    const float beta = x->beta;
    for (size_t k = 4 * begin; k < 4 * end; ++k) {
        v[k] += beta * step[k];
        step[k] = v[k] - from[k];
        from[k] = v[k];
    }
}

/// ---- All of it ---------------------------------------------------------------------------------

static void start_colour(void *arg, size_t begin, size_t end)
{
    const relaxing *x = arg;
    for (size_t k = x->first + begin; k < x->first + end; ++k)
        start(x->c, k);
}

/// Velocities without contacts, then those with the forces that contacts start from.
static void start_all(relaxing *x)
{
    contact_state *c = x->c;
    sp_parallel(x->s->host, c->particles, CHUNK, load_bodies, x);
    for (int colour = 0; colour < c->colours; ++colour) {
        x->first = c->first[colour];
        sp_parallel(x->s->host, c->first[colour + 1] - x->first, CHUNK, start_colour, x);
    }
    x->first = c->first[CONTACT_COLOURS];
    start_colour(x, 0, c->count - x->first);
    memcpy(c->body_from, c->body, 4 * c->particles * sizeof *c->body);
    memset(c->body_step, 0, 4 * c->particles * sizeof *c->body);
}

static void iterate(relaxing *x, int most)
{
    contact_state *c = x->c;
    double before = 0.0;
    x->beta = 0.0f;
    for (c->sweeps = 1;; ++c->sweeps) {
        const contact_change change = sweep(x);
        if (change.way < CONTACT_DONE || c->sweeps >= most) return;
        x->beta = change.energy < before ? (float)(change.energy / before) : 0.0f;
        before = change.energy;
        sp_parallel(x->s->host, c->particles, CHUNK, step_bodies, x);
    }
}

sp_status contacts_solve(bubbles *s, contact_state *c, double dt, sp_error *err)
{
    const size_t contacts = c->count;
    const sp_scratch_mark mark = sp_scratch_here(&s->scratch);
    c->sweeps = 0;
    if (contacts == 0) return SP_OK;
    relaxing x = {.s = s,
                  .c = c,
                  .dt = dt,
                  .scaled = s->def.coupling == SP_BUBBLES_STABILIZED ||
                            s->def.coupling == SP_BUBBLES_STABILIZED_PAPER,
                  .friction = s->def.friction,
                  .change = sp_scratch_array(&s->scratch, contact_change, contacts / CHUNK + 1)};
    if (!x.change) return contacts_no_memory(c->particles, err);
    if (c->fresh) { // a short solve, to know about how fast they are
        start_all(&x);
        iterate(&x, FEW);
        c->fresh = false;
    }
    start_all(&x);
    iterate(&x, s->def.contact_iterations);
    sp_parallel(s->host, c->particles, CHUNK, store_bodies, &x);
    sp_scratch_rewind(&s->scratch, mark);
    return SP_OK;
}

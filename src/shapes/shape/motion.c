// SPDX-License-Identifier: Apache-2.0
/// Motion of a body: it spins in its own space, and keys move that space through the world,
///
///     x = K(t) [S(t) (p - c) + c] + k(t),
///
/// with K and k interpolated between keys and S a steady rotation about an axis through c. Between
/// two keys the rotation has a constant rate about one axis of the world (slerp), and positions
/// follow a straight line or a cubic with given velocities at its ends.
#include "shapes/internal.h"

#include <math.h>
#include <string.h>

/// ---- Opening -----------------------------------------------------------------------------------

static void key_quaternion(const sp_pose_def *key, double q[4])
{
    double axis[3] = {0, 0, 0};
    shape_unit(key->axis, axis);
    shape_quaternion(axis, (double)key->angle / 360.0, q);
}

/// The rotation from one key to the next. If both have the same axis their angles are subtracted,
/// so that whole turns are kept; a key with angle zero matches every axis.
static void leg_turn(const sp_pose_def *a, const sp_pose_def *b, shape_leg *leg)
{
    double u[3] = {0, 1, 0}, v[3] = {0, 1, 0};
    if (a->angle != 0.0f) shape_unit(a->axis, u);
    if (b->angle != 0.0f) shape_unit(b->axis, v);
    const double first = (double)a->angle / 360.0, last = (double)b->angle / 360.0;
    const double along = sp_dot3(u, v);
    if (first == 0.0 || last == 0.0 || fabs(along) > 1.0 - 1e-12) {
        sp_copy3(leg->axis, first == 0.0 ? v : u);
        leg->turns = (first == 0.0 || along > 0.0 || last == 0.0 ? last : -last) - first;
        return;
    }
    double qa[4], qb[4], q[4];
    key_quaternion(a, qa);
    key_quaternion(b, qb);
    for (int k = 1; k < 4; ++k)
        qa[k] = -qa[k];
    shape_quaternion_product(qb, qa, q);
    const double sign = q[0] < 0.0 ? -1.0 : 1.0; // the short way
    const double sine = sqrt(sp_dot3(q + 1, q + 1));
    leg->turns = 2.0 * sp_atan2_turns(sine, sign * q[0]);
    for (int k = 0; k < 3; ++k)
        leg->axis[k] = sine > 0.0 ? sign * q[k + 1] / sine : k == 1;
}

static void leg_straight(shape_leg *leg)
{
    for (int k = 0; k < 3; ++k)
        leg->leave[k] = leg->arrive[k] = (leg->to[k] - leg->from[k]) / leg->span;
}

/// Catmull-Rom for nonuniform times: the velocity at a key is that of the parabola through it and
/// its neighbours. It is zero at both ends, because the body rests before and after.
static void smooth_velocities(shape_leg *legs, size_t count)
{
    for (size_t i = 0; i + 1 < count; ++i)
        for (int k = 0; k < 3; ++k) {
            const double before = (legs[i].to[k] - legs[i].from[k]) / legs[i].span;
            const double after = (legs[i + 1].to[k] - legs[i + 1].from[k]) / legs[i + 1].span;
            const double v = (legs[i + 1].span * before + legs[i].span * after) /
                             (legs[i].span + legs[i + 1].span);
            legs[i].arrive[k] = legs[i + 1].leave[k] = v;
        }
}

sp_status shape_open_motion(sp_shape *shape, sp_error *err)
{
    const sp_motion_def *motion = &shape->def.motion;
    const size_t count = motion->key_count;
    shape->moves = count > 0 || motion->spin;
    shape->resting[0] = 1.0;
    if (count > 0) key_quaternion(&motion->keys[0], shape->resting);
    if (motion->spin) shape_unit(motion->spin->axis, shape->spin_axis);
    if (count < 2) return SP_OK;
    shape->legs = sp_allocate(shape->host, count - 1, sizeof *shape->legs);
    if (!shape->legs) return sp_fail(err, SP_NO_MEMORY, "no memory for %zu keys", count);
    for (size_t i = 0; i + 1 < count; ++i) {
        const sp_pose_def *a = &motion->keys[i], *b = a + 1;
        shape_leg *leg = &shape->legs[i];
        leg->time = (double)a->time;
        leg->span = (double)b->time - (double)a->time;
        for (int k = 0; k < 3; ++k) {
            leg->from[k] = (double)a->position[k];
            leg->to[k] = (double)b->position[k];
        }
        key_quaternion(a, leg->turned);
        leg_turn(a, b, leg);
        if (motion->path == SP_PATH_LINEAR) leg_straight(leg);
    }
    if (motion->path == SP_PATH_SMOOTH) smooth_velocities(shape->legs, count - 1);
    return SP_OK;
}

/// ---- At a moment -------------------------------------------------------------------------------

/// Position and velocity on a leg, by cubic Hermite interpolation (a straight line is a special
/// case).
static void follow(const shape_leg *leg, double t, shape_moment *m)
{
    const double u = (t - leg->time) / leg->span, h = leg->span;
    const double b = u * u * (3.0 - 2.0 * u), db = 6.0 * u * (1.0 - u) / h;
    const double c = h * u * (1.0 - u) * (1.0 - u), dc = (1.0 - u) * (1.0 - 3.0 * u);
    const double d = h * u * u * (u - 1.0), dd = u * (3.0 * u - 2.0);
    for (int k = 0; k < 3; ++k) {
        const double step = leg->to[k] - leg->from[k];
        m->position[k] = leg->from[k] + b * step + c * leg->leave[k] + d * leg->arrive[k];
        m->velocity[k] = db * step + dc * leg->leave[k] + dd * leg->arrive[k];
        m->omega[k] = 2.0 * SP_PI_D * leg->turns / h * leg->axis[k];
    }
    double turn[4], q[4];
    shape_quaternion(leg->axis, u * leg->turns, turn);
    shape_quaternion_product(turn, leg->turned, q);
    shape_quaternion_matrix(q, m->rotation);
}

/// The last leg that has begun.
static const shape_leg *find_leg(const sp_shape *shape, double t)
{
    size_t low = 0, high = shape->def.motion.key_count - 1;
    while (high - low > 1) {
        const size_t middle = (low + high) / 2;
        *(shape->legs[middle].time <= t ? &low : &high) = middle;
    }
    return &shape->legs[low];
}

static void rest_at(const sp_pose_def *key, const double q[4], shape_moment *m)
{
    for (int k = 0; k < 3; ++k)
        m->position[k] = (double)key->position[k];
    shape_quaternion_matrix(q, m->rotation);
}

static void follow_keys(const sp_shape *shape, double t, shape_moment *m)
{
    const sp_motion_def *motion = &shape->def.motion;
    const size_t count = motion->key_count;
    const sp_pose_def *last = &motion->keys[count - 1];
    if (t < (double)motion->keys[0].time || count == 1) {
        rest_at(&motion->keys[0], shape->resting, m);
    } else if (t >= (double)last->time) {
        double q[4];
        key_quaternion(last, q);
        rest_at(last, q, m);
    } else {
        follow(find_leg(shape, t), t, m);
    }
}

/// Adds the spin, which is applied before the keys: the body's origin rotates about c.
static void add_spin(const sp_shape *shape, double t, shape_moment *m)
{
    const sp_spin_def *spin = shape->def.motion.spin;
    const double c[3] = {(double)spin->center[0], (double)spin->center[1], (double)spin->center[2]};
    const double rate = (double)spin->rpm / 60.0;
    double q[4], s[9], together[9], swung[3], zero[3], carried[3], omega[3], v[3];
    shape_quaternion(shape->spin_axis, rate * t, q);
    shape_quaternion_matrix(q, s);
    shape_rotate(s, c, swung);
    sp_sub3(c, swung, zero); // the body's origin after the spin
    shape_rotate(m->rotation, zero, carried);
    sp_cross3(m->omega, carried, v);
    for (int k = 0; k < 3; ++k) {
        m->position[k] += carried[k];
        m->velocity[k] += v[k]; // velocity of that point due to the keys
        zero[k] -= c[k];
    }
    shape_rotate(m->rotation, shape->spin_axis, omega);
    shape_rotate(m->rotation, zero, carried);
    for (int k = 0; k < 3; ++k)
        omega[k] *= 2.0 * SP_PI_D * rate;
    sp_cross3(omega, carried, v);
    for (int k = 0; k < 3; ++k) {
        m->velocity[k] += v[k];
        m->omega[k] += omega[k];
    }
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            together[3 * i + j] = m->rotation[3 * i] * s[j] + m->rotation[3 * i + 1] * s[3 + j] +
                                  m->rotation[3 * i + 2] * s[6 + j];
    memcpy(m->rotation, together, sizeof together);
}

shape_moment shape_moment_at(const sp_shape *shape, double t)
{
    shape_moment m = {.rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    if (!shape->moves) return m;
    if (shape->def.motion.key_count > 0) follow_keys(shape, t, &m);
    if (shape->def.motion.spin) add_spin(shape, t, &m);
    return m;
}

void shape_into_body(const shape_moment *moment, const double world[3], double body[3])
{
    double from[3];
    sp_sub3(world, moment->position, from);
    shape_rotate_back(moment->rotation, from, body);
}

bool sp_shape_moves(const sp_shape *shape)
{
    return shape->moves || shape->frames;
}

void shape_moment_velocity(const shape_moment *m, const double p[3], double velocity[3])
{
    double from[3], turning[3];
    sp_sub3(p, m->position, from);
    sp_cross3(m->omega, from, turning);
    for (int k = 0; k < 3; ++k)
        velocity[k] = m->velocity[k] + turning[k];
}

void shape_velocity_at(const sp_shape *shape, const shape_moment *m, const double p[3], double deep,
                       double reach, double velocity[3])
{
    double q[3], own[3], turned[3];
    shape_moment_velocity(m, p, velocity);
    if (!shape->frames) return;
    shape_into_body(m, p, q);
    frames_velocity(shape, q, deep, reach, own);
    shape_rotate(m->rotation, own, turned);
    for (int k = 0; k < 3; ++k)
        velocity[k] += turned[k];
}

void sp_shape_velocity(const sp_shape *shape, double t, const double p[3], double velocity[3])
{
    const shape_moment m = shape_moment_at(shape, t);
    shape_velocity_at(shape, &m, p, 0.0, HUGE_VAL, velocity);
}

// SPDX-License-Identifier: Apache-2.0
/// Keeps particles out of colliders.
///
/// Most particles near a wall are in a box-shaped tank and stay there: for them a few comparisons
/// in the tank's space suffice. A particle that leaves the hollow through a side is clamped to it,
/// axis by axis. In all other cases the path from the old to the new position is sphere-traced with
/// the distance to the solid, so that even a thin sheet stops the particle; there it slides along
/// the solid.
///
///     from o-----------o hit           skin:   half the margin; a nearer point is a hit
///     ______ skin ______\____________  margin: distance to which a hit is lifted before it slides
///     ///////////////////\///////////
///                         o wanted
#include "sph/internal.h"

/// ---- Opening -----------------------------------------------------------------------------------

static sph_solid describe_solid(const sp_shape *shape)
{
    const sp_collider_def *def = sp_shape_def_of(shape);
    sph_solid b = {
        .moves = sp_shape_moves(shape), .start.time = (double)NAN, .end.time = (double)NAN};
    if (!def->shape.box) return b;
    b.kind = def->inside_out ? SPH_SOLID_TANK : SPH_SOLID_BOX;
    b.open = def->inside_out && def->open == SP_OPEN_TOP;
    b.wall = def->thickness > 0.0f ? def->thickness : INFINITY;
    for (int k = 0; k < 3; ++k) {
        b.low[k] = def->shape.box->min[k];
        b.high[k] = def->shape.box->max[k];
    }
    return b;
}

/// The inside of a mesh with a hole is not defined, and water that enters through the hole would be
/// moved by a wall that has no particles.
static sp_status refuse_holes(const sph *s, sp_error *err)
{
    for (size_t k = 0; k < s->solids; ++k) {
        const sp_collider_def *def = sp_shape_def_of(s->solid[k]);
        const size_t edges = sp_shape_open_edges(s->solid[k]);
        if (edges > 0)
            return sp_fail(err, SP_BAD_INPUT,
                           "collider \"%s\": %s has %zu open edges; close them or give it a "
                           "thickness",
                           def->name ? def->name : "", def->shape.mesh->file, edges);
    }
    return SP_OK;
}

sp_status sph_solids_open(sph *s, const sp_world_def *world, sp_error *err)
{
    const size_t n = world->collider_count;
    s->solid = sp_allocate(s->host, n, sizeof(sp_shape *));
    s->body = sp_allocate(s->host, n, sizeof *s->body);
    if (!s->solid || !s->body)
        return sp_fail(err, SP_NO_MEMORY, "sph: no memory for %zu colliders", n);
    sp_collider_namer namer = {.colliders = world->colliders, .count = n};
    for (; s->solids < n; ++s->solids) {
        sp_shape **shape = &s->solid[s->solids];
        const sp_collider_def def = sp_collider_named(&namer, s->solids);
        SP_TRY(sp_shape_open(&def, NULL, s->host, shape, err));
        s->body[s->solids] = describe_solid(*shape);
    }
    return refuse_holes(s, err);
}

void sph_solids_close(sph *s)
{
    for (size_t k = 0; k < s->solids; ++k)
        sp_shape_close(s->solid[k]);
    sp_release(s->host, s->solid);
    sp_release(s->host, s->body);
    s->solid = NULL;
    s->body = NULL;
    s->solids = 0;
}

sp_status sph_shape_open(const sph *s, const sp_shape_def *def, sp_shape **out, sp_error *err)
{
    return sp_shape_open(&(sp_collider_def){.shape = *def}, NULL, s->host, out, err);
}

/// ---- Poses -------------------------------------------------------------------------------------

sph_pose sph_pose_at(const sp_shape *shape, double t)
{
    const sp_body body = sp_shape_pose(shape, t);
    sph_pose pose = {.time = t};
    memcpy(pose.rotation, body.rotation, sizeof pose.rotation);
    memcpy(pose.position, body.position, sizeof pose.position);
    return pose;
}

void sph_into_body(const sph_pose *pose, const float world[3], double body[3])
{
    const double *r = pose->rotation;
    double from[3];
    for (int k = 0; k < 3; ++k)
        from[k] = (double)world[k] - pose->position[k];
    for (int k = 0; k < 3; ++k)
        body[k] = r[k] * from[0] + r[3 + k] * from[1] + r[6 + k] * from[2];
}

static void rotate(const sph_pose *pose, const double body[3], double world[3])
{
    const double *r = pose->rotation;
    for (int k = 0; k < 3; ++k)
        world[k] = r[3 * k] * body[0] + r[3 * k + 1] * body[1] + r[3 * k + 2] * body[2];
}

void sph_out_of_body(const sph_pose *pose, const double body[3], double world[3])
{
    rotate(pose, body, world);
    for (int k = 0; k < 3; ++k)
        world[k] += pose->position[k];
}

void sph_update_poses(sph *s, double t)
{
    for (size_t k = 0; k < s->solids; ++k)
        if (s->body[k].moves) {
            s->body[k].start = sph_pose_at(s->solid[k], s->time);
            s->body[k].end = sph_pose_at(s->solid[k], t);
        }
}

static sph_pose known_pose(const sp_shape *shape, const sph_pose *known, double t)
{
    return known->time == t ? *known : sph_pose_at(shape, t);
}

/// ---- Boxes -------------------------------------------------------------------------------------

typedef enum outcome { FREE, MOVED, UNSURE } outcome;

/// Share of the margin that suffices, so that rounding does not move a point again.
static const float margin_share = 0.999f;

/// FREE when both ends of the path lie outside the same side.
static outcome test_same_side(const float low[3], const float high[3], const float from[3],
                              const float x[3], float margin)
{
    const float near = margin_share * margin;
    for (int k = 0; k < 3; ++k)
        if ((x[k] <= low[k] - near && from[k] <= low[k]) ||
            (x[k] >= high[k] + near && from[k] >= high[k]))
            return FREE;
    return UNSURE;
}

static outcome test_outside_tank(const sph_solid *b, const float from[3], const float x[3],
                                 float margin)
{
    float low[3], high[3];
    for (int k = 0; k < 3; ++k) {
        low[k] = b->low[k] - b->wall;
        high[k] = b->open && k == 1 ? b->high[k] : b->high[k] + b->wall;
    }
    return test_same_side(low, high, from, x, margin);
}

/// Whether a path that begins in the hollow of an open tank leaves it through the open top.
static bool leaves_over_rim(const sph_solid *b, const float from[3], const float x[3])
{
    if (!b->open || !(x[1] > b->high[1])) return false;
    const float share = (b->high[1] - from[1]) / (x[1] - from[1]); // of the path, up to the rim
    for (int k = 0; k < 3; k += 2) {
        const float at = from[k] + share * (x[k] - from[k]);
        if (at < b->low[k] || at > b->high[k]) return false;
    }
    return true;
}

static void clamp_to_hollow(const sph_solid *b, float x[3], float margin, float normal[3])
{
    float push2 = 0.0f;
    for (int k = 0; k < 3; ++k) {
        const float in = fminf(margin, 0.5f * (b->high[k] - b->low[k])), was = x[k];
        x[k] = fmaxf(x[k], b->low[k] + in);
        if (!b->open || k != 1) x[k] = fminf(x[k], b->high[k] - in);
        normal[k] = x[k] - was;
        push2 += normal[k] * normal[k];
    }
    const float push = sqrtf(push2);
    for (int k = 0; k < 3; ++k)
        normal[k] = push > 0.0f ? normal[k] / push : 0.0f;
}

static outcome keep_in_tank(const sph_solid *b, const float from[3], float x[3], float margin,
                            float normal[3])
{
    const float near = margin_share * margin;
    bool inside = true, clear = true; // of the hollow and, for an open tank, of the space above it
    for (int k = 0; k < 3; ++k) {
        const bool endless = b->open && k == 1;
        inside = inside && from[k] >= b->low[k] && (from[k] <= b->high[k] || endless);
        clear = clear && x[k] >= b->low[k] + near && (x[k] <= b->high[k] - near || endless);
    }
    if (inside && clear) return FREE;
    if (!inside || from[1] > b->high[1]) return test_outside_tank(b, from, x, margin);
    if (leaves_over_rim(b, from, x)) return UNSURE;
    clamp_to_hollow(b, x, margin, normal);
    return MOVED;
}

static outcome keep_by_sides(const sph_solid *b, const float from[3], float x[3], float margin,
                             float normal[3])
{
    if (b->kind == SPH_SOLID_TANK) return keep_in_tank(b, from, x, margin, normal);
    return test_same_side(b->low, b->high, from, x, margin);
}

/// ---- All shapes, by distance -------------------------------------------------------------------

typedef struct obstacle {
    const sp_shape *shape;
    double t, margin;
} obstacle;

static double distance(const obstacle *o, const double p[3], double n[3])
{
    return sp_shape_distance(o->shape, o->t, p, n);
}

/// Sphere-traces a path. Returns whether it comes nearer than `skin` to the solid; then `stop` is
/// the first such point found, half a skin to a skin away. Each step ends half a skin before the
/// solid, so none is shorter.
static bool trace(const obstacle *o, double skin, const double from[3], const double to[3],
                  double stop[3])
{
    const double way[3] = {to[0] - from[0], to[1] - from[1], to[2] - from[2]};
    const double length = sqrt(sp_dot3(way, way));
    for (double gone = 0.0; gone < length;) {
        for (int k = 0; k < 3; ++k)
            stop[k] = from[k] + way[k] * (gone / length);
        const double d = distance(o, stop, NULL);
        if (d < skin) return true;
        gone += d - 0.5 * skin;
    }
    return false;
}

/// Moves x away from the solid until the margin is kept; in a corner that takes several iterations.
/// In a gap narrower than the margin x stays.
static void push_out(const obstacle *o, double x[3], double n[3])
{
    enum { TURNS = 6 };
    double d = distance(o, x, n);
    for (int turn = 0; turn < TURNS && d < (double)margin_share * o->margin; ++turn) {
        double next[3], stop[3];
        for (int k = 0; k < 3; ++k)
            next[k] = x[k] + (o->margin - d) * n[k];
        if (d > 0.0 && trace(o, 0.5 * d, x, next, stop)) return;
        memcpy(x, next, sizeof next);
        d = distance(o, x, n);
    }
}

/// Moves from `from` towards x and slides along the solid: the rest of the path loses its part into
/// the solid.
static void slide(const obstacle *o, const double from[3], double x[3])
{
    enum { TURNS = 4 };
    const double skin = 0.5 * o->margin;
    double at[3] = {from[0], from[1], from[2]}, stop[3], n[3];
    for (int turn = 0; turn < TURNS; ++turn) {
        if (!trace(o, skin, at, x, stop)) return;
        const double lift = o->margin - distance(o, stop, n);
        double rest[3];
        for (int k = 0; k < 3; ++k) {
            rest[k] = x[k] - stop[k];
            at[k] = stop[k] + lift * n[k];
        }
        const double inward = fmin(0.0, sp_dot3(rest, n));
        for (int k = 0; k < 3; ++k)
            x[k] = at[k] + rest[k] - inward * n[k];
        if (distance(o, at, NULL) < skin) break; // no room to be lifted
    }
    memcpy(x, stop, sizeof stop);
}

static bool keep_by_distance(const obstacle *o, const double from[3], double x[3], double n[3])
{
    const double skin = 0.5 * o->margin, d = distance(o, x, n);
    const double way[3] = {x[0] - from[0], x[1] - from[1], x[2] - from[2]};
    double start[3] = {from[0], from[1], from[2]}, m[3], stop[3];
    const bool clear = d >= (double)margin_share * o->margin;
    if (clear && d * d >= sp_dot3(way, way)) return false;
    const double before = distance(o, start, m);
    if (before > 0.0) { // else it is not known which side it came from: push out only
        if (before < skin) push_out(o, start, m);
        if (clear && !trace(o, skin, start, x, stop)) return false;
        slide(o, start, x);
    }
    push_out(o, x, n);
    return true;
}

/// ---- One solid, and all ------------------------------------------------------------------------

static bool trace_around(const sp_shape *shape, double t, const double from[3], float x[3],
                         float margin, float normal[3])
{
    const obstacle o = {shape, t, (double)margin};
    double to[3] = {(double)x[0], (double)x[1], (double)x[2]}, n[3];
    if (!keep_by_distance(&o, from, to, n)) return false;
    for (int k = 0; k < 3; ++k) {
        x[k] = (float)to[k];
        normal[k] = (float)n[k];
    }
    return true;
}

static bool keep_out_of_resting(const sp_shape *shape, const sph_solid *b, double t,
                                const float from[3], float x[3], float margin, float normal[3])
{
    outcome known = UNSURE;
    if (b->kind != SPH_SOLID_OTHER) known = keep_by_sides(b, from, x, margin, normal);
    if (known != UNSURE) return known == MOVED;
    const double start[3] = {(double)from[0], (double)from[1], (double)from[2]};
    return trace_around(shape, t, start, x, margin, normal);
}

/// keep_by_sides() for a box that has moved; `from` is in the body's space.
static outcome keep_by_moved_sides(const sph_solid *b, const sph_pose *end, const double from[3],
                                   float x[3], float margin, float normal[3])
{
    double to[3], world[3], n[3];
    sph_into_body(end, x, to);
    const float first[3] = {(float)from[0], (float)from[1], (float)from[2]};
    float last[3] = {(float)to[0], (float)to[1], (float)to[2]}, up[3];
    const outcome known = keep_by_sides(b, first, last, margin, up);
    if (known != MOVED) return known;
    for (int k = 0; k < 3; ++k) {
        to[k] = (double)last[k];
        n[k] = (double)up[k];
    }
    sph_out_of_body(end, to, world);
    rotate(end, n, to);
    for (int k = 0; k < 3; ++k) {
        x[k] = (float)world[k];
        normal[k] = (float)to[k];
    }
    return MOVED;
}

/// In the body's space the path begins where the body would have moved the particle from its old
/// position.
static bool keep_out_of_moving(const sph *s, size_t solid, double t, const float from[3],
                               float x[3], float margin, float normal[3])
{
    const sp_shape *shape = s->solid[solid];
    const sph_solid *b = &s->body[solid];
    const sph_pose start = known_pose(shape, &b->start, s->time),
                   end = known_pose(shape, &b->end, t);
    double was[3], carried[3];
    outcome known = UNSURE;
    sph_into_body(&start, from, was);
    if (b->kind != SPH_SOLID_OTHER) known = keep_by_moved_sides(b, &end, was, x, margin, normal);
    if (known != UNSURE) return known == MOVED;
    sph_out_of_body(&end, was, carried);
    return trace_around(shape, t, carried, x, margin, normal);
}

static bool keep_out_of(const sph *s, size_t solid, double t, const float from[3], float x[3],
                        float margin, float normal[3])
{
    if (s->body[solid].moves) return keep_out_of_moving(s, solid, t, from, x, margin, normal);
    return keep_out_of_resting(s->solid[solid], &s->body[solid], t, from, x, margin, normal);
}

static bool in_a_solid(const sph *s, double t, const float x[3])
{
    const double p[3] = {(double)x[0], (double)x[1], (double)x[2]};
    for (size_t k = 0; k < s->solids; ++k)
        if (sp_shape_distance(s->solid[k], t, p, NULL) < 0.0) return true;
    return false;
}

bool sph_keep_out(const sph *s, double t, const float from[3], float x[3], float margin,
                  float normal[3])
{
    enum { PASSES = 6 }; // a particle pushed out of one solid may be in another
    bool moved = false, again = true;
    for (int pass = 0; pass < PASSES && again; ++pass) {
        again = false;
        for (size_t k = 0; k < s->solids; ++k)
            again |= keep_out_of(s, k, t, from, x, margin, normal);
        moved |= again;
        again = again && s->solids > 1;
    }
    if (again && in_a_solid(s, t, x))
        memcpy(x, from, 3 * sizeof *x); // no way out: it does not move
    return moved;
}

bool sph_over_rim(const sph *s, const float x[3])
{
    for (size_t k = 0; k < s->solids; ++k) {
        const sp_collider_def *def = sp_shape_def_of(s->solid[k]);
        if (!def->inside_out || def->open != SP_OPEN_TOP || def->thickness > 0.0f) continue;
        const sph_solid *b = &s->body[k];
        const bool simple = b->kind == SPH_SOLID_TANK && !b->moves;
        if (!simple || x[0] < b->low[0] || x[0] > b->high[0] || x[2] < b->low[2] ||
            x[2] > b->high[2])
            return true;
    }
    return false;
}

// SPDX-License-Identifier: Apache-2.0
/// Lets particles in: a lattice in a shape, random places in it, or a lattice that flows through it.
///
/// A particle's place and size are random numbers of its id, and ids are given in the order of a list that
/// one thread walks. So nothing depends on threads. Ids follow the order of emission: two emitters that
/// run at once take turns in each substep.
#include "bubbles/sources/sizes.h"

#include <inttypes.h>

/// What lets in particles, and when.
typedef struct emission {
    bubbles *s;
    bubbles_emitter *e;
    double from, until;     ///< s; the part of the substep in which it runs
    double low[3], high[3]; ///< m; the box around its shape, within the domain
} emission;

static sp_status no_memory(size_t n, sp_error *err)
{
    return sp_fail(err, SP_NO_MEMORY, "bubbles: no memory for %zu new particles", n);
}

/// ---- New particles -----------------------------------------------------------------------------

static bool make_room(bubbles_new *n)
{
    const size_t room = n->count < 512 ? 1024 : 2 * n->count;
    if (n->count < n->room) return true;
    if (!sp_regrow(n->host, (void **)&n->x, n->count, room, sizeof *n->x) ||
        !sp_regrow(n->host, (void **)&n->v, n->count, room, sizeof *n->v) ||
        !sp_regrow(n->host, (void **)&n->radius, n->count, room, sizeof *n->radius) ||
        !sp_regrow(n->host, (void **)&n->place, n->count, room, sizeof *n->place) ||
        !sp_regrow(n->host, (void **)&n->density, n->count, room, sizeof *n->density) ||
        !sp_regrow(n->host, (void **)&n->material, n->count, room, sizeof *n->material))
        return false;
    n->room = room;
    return true;
}

sp_status bubbles_new_add(bubbles_new *fresh, const double x[3], const float v[3], float radius,
                          float density, float place, uint32_t material, sp_error *err)
{
    const size_t i = fresh->count;
    if (!make_room(fresh)) return no_memory(i + 1, err);
    memcpy(fresh->x[i], x, sizeof *fresh->x);
    memcpy(fresh->v[i], v, sizeof *fresh->v);
    fresh->radius[i] = radius;
    fresh->density[i] = density;
    fresh->place[i] = place;
    fresh->material[i] = material;
    ++fresh->count;
    return SP_OK;
}

static void close_new(bubbles_new *n)
{
    void *const all[] = {n->x, n->v, n->radius, n->density, n->place, n->material};
    for (size_t i = 0; n->host && i < sizeof all / sizeof *all; ++i)
        sp_release(n->host, all[i]);
    *n = (bubbles_new){.host = n->host};
}

/// The id that the next new particle will get.
static uint64_t next_id(const bubbles *s)
{
    return s->particles.next_id + s->fresh.count;
}

static sp_status add(const emission *m, const double x[3], sp_error *err)
{
    bubbles *s = m->s;
    const sp_bubbles_emitter_def *def = m->e->def;
    const float radius = bubbles_draw_radius(def, s->grid.voxel, s->seed, next_id(s));
    return bubbles_new_add(&s->fresh, x, def->velocity, radius, s->material[m->e->material].density,
                           bubbles_place_volume(def, s->grid.voxel, radius), m->e->material, err);
}

/// ---- Opening -----------------------------------------------------------------------------------

/// The part of the domain that may hold points of a shape; false if there is none.
static bool box_of(const bubbles_grid *g, const sp_shape *shape, double low[3], double high[3])
{
    bool some = true;
    sp_shape_bounds(shape, 0.0, low, high);
    if (sp_shape_def_of(shape)->shape.heightfield) { // it goes on below and beside its samples
        low[0] = low[1] = low[2] = -HUGE_VAL;
        high[0] = high[2] = HUGE_VAL;
    }
    for (int a = 0; a < 3; ++a) {
        low[a] = fmax(low[a], g->domain[0][a]);
        high[a] = fmin(high[a], g->domain[1][a]);
        some &= low[a] < high[a];
    }
    return some;
}

static uint32_t material_of(const bubbles *s, const char *name)
{
    for (size_t i = 0; name && i < s->materials; ++i)
        if (strcmp(s->material[i].name, name) == 0) return (uint32_t)i;
    return 0;
}

sp_status bubbles_emitters_open(bubbles *s, const sp_world_def *world, sp_error *err)
{
    (void)world;
    s->fresh.host = s->host;
    s->emitter = sp_allocate(s->host, s->def.emitter_count, sizeof *s->emitter);
    if (!s->emitter) return sp_fail(err, SP_NO_MEMORY, "bubbles: no memory for the emitters");
    for (size_t i = 0; i < s->def.emitter_count; ++i) {
        const sp_bubbles_emitter_def *def = &s->def.emitters[i];
        const sp_collider_def shape = {.name = def->name, .shape = def->shape};
        bubbles_emitter *e = &s->emitter[s->emitters];
        double low[3], high[3];
        *e = (bubbles_emitter){.def = def, .number = i, .material = material_of(s, def->material)};
        SP_TRY(sp_shape_open(&shape, NULL, s->host, &e->shape, err));
        ++s->emitters;
        s->places |= bubbles_has_places(def);
        if (!box_of(&s->grid, e->shape, low, high))
            sp_log(s->host, SP_LOG_WARNING,
                   "bubbles: bubbles.emitters[%zu] lies outside the domain and lets nothing in", i);
    }
    return SP_OK;
}

void bubbles_emitters_close(bubbles *s)
{
    for (size_t i = 0; i < s->emitters; ++i)
        sp_shape_close(s->emitter[i].shape);
    sp_release(s->host, s->emitter);
    s->emitter = NULL;
    s->emitters = 0;
    close_new(&s->fresh);
}

/// ---- Where particles may be --------------------------------------------------------------------

static bool is_inside(const emission *m, const double p[3])
{
    const double reach = (double)m->s->grid.voxel; // beyond it the sign is right, and enough
    return sp_shape_distance_within(m->e->shape, 0.0, p, reach, NULL) < 0.0;
}

/// Whether a point is within the domain and outside of solids.
static bool is_open(const bubbles *s, const double p[3])
{
    for (int a = 0; a < 3; ++a)
        if (!(p[a] >= s->grid.domain[0][a] && p[a] < s->grid.domain[1][a])) return false;
    return !s->has_solids || sp_solids_distance(s->solids.bodies, p, NULL, NULL) >= 0.0;
}

/// ---- Lattices ----------------------------------------------------------------------------------

/// Point (i, j, k) is at corner + i step[0] + j step[1] + k step[2]. A lattice that flows moves along
/// `along`, the direction of step[0].
typedef struct lattice {
    const emission *m;
    double corner[3], step[3][3]; ///< m
    size_t count[3];
    double along[3];
    double moved;    ///< m; in this substep; 0: at rest
    double since;    ///< m; since it began
    bool begins;     ///< it did not exist before this substep
    double least;    ///< m; thinner parts of the shape may be missed
    uint8_t *chosen; ///< by point: 1 if it gets a particle
} lattice;

static void point_of(const lattice *l, size_t n, double p[3])
{
    const size_t at[3] = {n % l->count[0], n / l->count[0] % l->count[1],
                          n / (l->count[0] * l->count[1])};
    for (int a = 0; a < 3; ++a) {
        p[a] = l->corner[a];
        for (int b = 0; b < 3; ++b)
            p[a] += (double)at[b] * l->step[b][a];
    }
}

/// A lower bound of the distance to the part of the shape that is in the domain, m; negative inside.
static double distance_to(const emission *m, const double p[3])
{
    double d = sp_shape_distance(m->e->shape, 0.0, p, NULL);
    for (int a = 0; a < 3; ++a)
        d = fmax(d, fmax(m->low[a] - p[a], p[a] - m->high[a]));
    return d;
}

/// Whether a point that is at p now was in the shape when it was between `near` and `far` metres
/// behind. Outside, the distance to the shape says how far the next look may be.
static bool was_inside(const lattice *l, const double p[3], double near, double far)
{
    for (double back = near;;) {
        const double at[3] = {p[0] - back * l->along[0], p[1] - back * l->along[1],
                              p[2] - back * l->along[2]};
        const double d = distance_to(l->m, at);
        if (d < 0.0) return true;
        if (back >= far) return false;
        back = fmin(far, back + fmax(d, l->least));
    }
}

/// Points in the shape, if the lattice is at rest. If it flows, those that have come into the shape in
/// this substep and were never in it before.
static void choose_points(void *arg, size_t begin, size_t end)
{
    const lattice *l = arg;
    for (size_t n = begin; n < end; ++n) {
        double p[3];
        point_of(l, n, p);
        if (l->moved > 0.0)
            l->chosen[n] = was_inside(l, p, 0.0, l->moved) &&
                           (l->begins || !was_inside(l, p, l->moved, l->since));
        else
            l->chosen[n] = is_inside(l->m, p);
    }
}

/// Marks the points that get particles. `chosen` is memory of the scratch.
static sp_status choose(lattice *l, size_t *points, sp_error *err)
{
    const double count = (double)l->count[0] * (double)l->count[1] * (double)l->count[2];
    if (!(count < 1e12)) return no_memory(SIZE_MAX, err);
    *points = l->count[0] * l->count[1] * l->count[2];
    l->chosen = sp_scratch_array(&l->m->s->scratch, uint8_t, *points);
    if (!l->chosen) return no_memory(*points, err);
    sp_parallel(l->m->s->host, *points, 256, choose_points, l);
    return SP_OK;
}

static sp_status add_chosen(const lattice *l, size_t points, sp_error *err)
{
    const emission *m = l->m;
    const bubbles *s = m->s;
    for (size_t n = 0; n < points; ++n) {
        double p[3];
        if (!l->chosen[n]) continue;
        point_of(l, n, p);
        const sp_random4 random = sp_random(s->seed, BUBBLES_RANDOM_PLACE, next_id(s), 0, 0);
        for (int b = 0; b < 3; ++b) {
            const double off = (double)m->e->def->jitter * ((double)sp_unit(random.x[b]) - 0.5);
            for (int a = 0; a < 3; ++a)
                p[a] += off * l->step[b][a];
        }
        if (is_open(s, p)) SP_TRY(add(m, p, err));
    }
    return SP_OK;
}

/// Three perpendicular unit vectors, the first along v: the axes themselves where v is along one.
static void frame_of(const float v[3], double axis[3][3])
{
    const double x[3] = {(double)v[0], (double)v[1], (double)v[2]}, length = sqrt(sp_dot3(x, x));
    int most = 0, least = 0;
    for (int a = 0; a < 3; ++a) {
        axis[0][a] = x[a] / length;
        if (fabs(x[a]) > fabs(x[most])) most = a;
        if (fabs(x[a]) < fabs(x[least])) least = a;
    }
    double other[3] = {0.0, 0.0, 0.0};
    other[least == most ? (most + 1) % 3 : least] = 1.0;
    const double along = sp_dot3(other, axis[0]);
    for (int a = 0; a < 3; ++a)
        axis[1][a] = other[a] - along * axis[0][a];
    const double width = sqrt(sp_dot3(axis[1], axis[1]));
    for (int a = 0; a < 3; ++a)
        axis[1][a] /= width;
    for (int a = 0; a < 3; ++a)
        axis[2][a] = axis[0][(a + 1) % 3] * axis[1][(a + 2) % 3] -
                     axis[0][(a + 2) % 3] * axis[1][(a + 1) % 3];
}

/// Lays a lattice along three axes so that its points at rest are in the middle of the box: a side of n
/// spacings gets n points. A lattice that has moved has points where such a one would be now.
static void lay(lattice *l, const double axis[3][3])
{
    const emission *m = l->m;
    const double spacing = (double)m->e->def->spacing * (double)m->s->grid.voxel;
    for (int a = 0; a < 3; ++a)
        l->corner[a] = 0.5 * (m->low[a] + m->high[a]);
    for (int b = 0; b < 3; ++b) {
        double half = 0.0;
        for (int a = 0; a < 3; ++a)
            half += fabs(axis[b][a]) * 0.5 * (m->high[a] - m->low[a]);
        const double n = fmax(1.0, round(2.0 * half / spacing));
        const double shift = b == 0 ? l->since : 0.0, reach = b == 0 ? l->moved : 0.0;
        const double first = shift - 0.5 * (n - 1.0) * spacing; // from the middle of the box
        const double low = ceil((-half - first) / spacing - 1e-9),
                     high = floor((half + reach - first) / spacing + 1e-9);
        l->count[b] = high >= low ? (size_t)(high - low) + 1 : 0;
        for (int a = 0; a < 3; ++a) {
            l->corner[a] += (first + low * spacing) * axis[b][a];
            l->step[b][a] = spacing * axis[b][a];
        }
    }
    l->least = spacing / 16.0;
}

static sp_status emit_lattice(lattice *l, const double axis[3][3], sp_error *err)
{
    sp_scratch *scratch = &l->m->s->scratch;
    const sp_scratch_mark mark = sp_scratch_here(scratch);
    size_t points;
    lay(l, axis);
    sp_status status = choose(l, &points, err);
    if (status == SP_OK) status = add_chosen(l, points, err);
    sp_scratch_rewind(scratch, mark);
    return status;
}

/// ---- Once --------------------------------------------------------------------------------------

/// Volume of the part of the shape where particles may be, m3, by counting points. Of a box without
/// solids it is exact, of a ball good to 1e-4.
static sp_status measure(const emission *m, double *volume, sp_error *err)
{
    enum { SIDE = 64 };
    const sp_scratch_mark mark = sp_scratch_here(&m->s->scratch);
    lattice l = {.m = m};
    size_t points, inside = 0;
    double all = 1.0;
    for (int a = 0; a < 3; ++a) {
        l.step[a][a] = (m->high[a] - m->low[a]) / SIDE;
        l.corner[a] = m->low[a] + 0.5 * l.step[a][a];
        l.count[a] = SIDE;
        all *= m->high[a] - m->low[a];
    }
    SP_TRY(choose(&l, &points, err));
    for (size_t n = 0; n < points; ++n) {
        double p[3];
        if (!l.chosen[n]) continue;
        point_of(&l, n, p);
        inside += is_open(m->s, p);
    }
    sp_scratch_rewind(&m->s->scratch, mark);
    *volume = all * (double)inside / (double)points;
    return SP_OK;
}

/// A random place in the shape, where particles may be; false if there is none, as far as one can see.
static bool random_place(const emission *m, uint64_t id, double p[3])
{
    enum { TRIES = 1 << 16 };
    for (uint32_t k = 0; k < TRIES; ++k) {
        const sp_random4 random = sp_random(m->s->seed, BUBBLES_RANDOM_PLACE, id, k, 0);
        for (int a = 0; a < 3; ++a)
            p[a] = m->low[a] + (m->high[a] - m->low[a]) * ((double)random.x[a] * 0x1p-32);
        if (is_inside(m, p) && is_open(m->s, p)) return true;
    }
    return false;
}

static void warn_of_nothing(const emission *m)
{
    if (m->e->done) return;
    m->e->done = true;
    sp_log(
        m->s->host, SP_LOG_WARNING,
        "bubbles: bubbles.emitters[%zu] lets nothing in at t = %.4g s: its shape is too small, or "
        "lies within solids",
        m->e->number, m->until);
}

/// Particles at random places, until the next one would not bring their volume nearer to the wanted share.
static sp_status fill_at_random(const emission *m, sp_error *err)
{
    const bubbles *s = m->s;
    double volume, filled = 0.0;
    SP_TRY(measure(m, &volume, err));
    const double wanted = volume * (double)m->e->def->fraction;
    for (;;) {
        double p[3];
        const float radius = bubbles_draw_radius(m->e->def, s->grid.voxel, s->seed, next_id(s));
        const double more = (double)bubbles_volume(radius);
        if (filled + 0.5 * more > wanted) return SP_OK;
        if (!random_place(m, next_id(s), p)) return SP_OK;
        SP_TRY(add(m, p, err));
        filled += more;
    }
}

static sp_status emit_once(const emission *m, sp_error *err)
{
    static const double axes[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    lattice l = {.m = m, .begins = true};
    const size_t before = m->s->fresh.count;
    SP_TRY(m->e->def->fraction > 0.0f ? fill_at_random(m, err) : emit_lattice(&l, axes, err));
    if (m->s->fresh.count == before) warn_of_nothing(m);
    m->e->done = true;
    return SP_OK;
}

/// ---- Rate --------------------------------------------------------------------------------------

static sp_status emit_rate(const emission *m, sp_error *err)
{
    bubbles_emitter *e = m->e;
    e->owed += (double)e->def->rate * fmax(0.0, m->until - m->from);
    const double due = floor(e->owed + 1e-9); // so that 24 times 1/24 is 1
    e->owed -= due;
    for (double n = 0.0; n < due; ++n) {
        double p[3];
        if (!random_place(m, next_id(m->s), p)) { // the others would find none either
            warn_of_nothing(m);
            return SP_OK;
        }
        SP_TRY(add(m, p, err));
    }
    return SP_OK;
}

/// ---- Flow --------------------------------------------------------------------------------------

/// The lattice fills the shape when the emitter starts, and flows from then on. What flows in is area
/// times speed times time, in whole layers.
static sp_status emit_flow(const emission *m, sp_error *err)
{
    bubbles_emitter *e = m->e;
    const float *v = e->def->velocity;
    const double speed = sqrt((double)v[0] * (double)v[0] + (double)v[1] * (double)v[1] +
                              (double)v[2] * (double)v[2]);
    const double since = speed * fmax(0.0, m->until - (double)e->def->start);
    lattice l = {
        .m = m, .begins = !e->done, .since = since, .moved = fmax(0.0, since - e->travelled)};
    double axis[3][3];
    frame_of(v, axis);
    memcpy(l.along, axis[0], sizeof l.along);
    if (l.begins || l.moved > 0.0) SP_TRY(emit_lattice(&l, (const double(*)[3])axis, err));
    e->travelled = since;
    e->done = true;
    return SP_OK;
}

/// ---- All of them -------------------------------------------------------------------------------

static sp_status run(bubbles *s, bubbles_emitter *e, double dt, sp_error *err)
{
    emission m = {.s = s, .e = e};
    const double start = (double)e->def->start, stop = (double)e->def->stop,
                 now = s->time + dt * (1.0 + 1e-6); // a start at a frame's time acts in this frame
    if (start > now || (e->def->mode == SP_BUBBLES_ONCE && e->done)) return SP_OK;
    m.from = fmax(s->time, start);
    m.until = fmin(s->time + dt, stop);
    if (!box_of(&s->grid, e->shape, m.low, m.high)) return SP_OK;
    if (e->def->mode == SP_BUBBLES_ONCE) return emit_once(&m, err);
    if (e->def->mode == SP_BUBBLES_RATE) return emit_rate(&m, err);
    return emit_flow(&m, err);
}

bool bubbles_emit_at_once(const bubbles *s, double until)
{
    bool at_once = false;
    for (size_t i = 0; i < s->emitters; ++i)
        at_once |= s->emitter[i].def->mode == SP_BUBBLES_ONCE && !s->emitter[i].done &&
                   (double)s->emitter[i].def->start <= until;
    return at_once;
}

sp_status bubbles_emit(bubbles *s, double dt, sp_error *err)
{
    const size_t before = s->fresh.count;
    for (size_t i = 0; i < s->emitters; ++i)
        SP_TRY(run(s, &s->emitter[i], dt, err));
    s->figures.emitted += s->fresh.count - before;
    for (size_t n = before; n < s->fresh.count; ++n)
        for (int a = 0; a < 3; ++a) // for the length of the next substep
            s->figures.fastest = fmax(s->figures.fastest, fabs((double)s->fresh.v[n][a]));
    return SP_OK;
}

// SPDX-License-Identifier: Apache-2.0
/// The initial water: cubic lattices of spacing d.
///
/// A lattice begins at the low corner of the box container around it, or else of the shape to fill. It keeps
/// the points that are inside the shape (not on its surface), a spacing away from every collider, and at least
/// 0.9 d away from wall particles and other water. So a box of n spacings holds n - 1 layers, the first at
/// distance d from the wall where the lattice begins:
///
///     |   o   o   o   |      n = 4
///     wall        end of the box: a wall, or the surface half a spacing below
#include "sph/internal.h"

/// Tolerance for rounding, in spacings.
static const double slack = 1e-3;

/// Points to add, in order.
typedef struct points {
    const sp_host *host;
    float *x[3];
    size_t count;
} points;

typedef struct filling {
    const sph *s;
    const sp_shape *shape;
    double zero[3]; ///< a point of the lattice, m
    double first[3];
    size_t n[3];
    uint8_t *keep;
} filling;

/// ---- Which points ------------------------------------------------------------------------------

static void point_at(const filling *f, const size_t at[3], double p[3])
{
    for (int k = 0; k < 3; ++k)
        p[k] = f->zero[k] + (f->first[k] + (double)at[k]) * (double)f->s->d;
}

static bool is_wanted(const filling *f, const double p[3])
{
    const sph *s = f->s;
    const double d = (double)s->d;
    const float x[3] = {(float)p[0], (float)p[1], (float)p[2]};
    for (int k = 0; k < 3 && s->has_domain; ++k)
        if (!(x[k] > s->domain[0][k] && x[k] < s->domain[1][k])) return false;
    if (!(sp_shape_distance(f->shape, 0.0, p, NULL) < -slack * d)) return false;
    for (size_t k = 0; k < s->solids; ++k)
        if (!(sp_shape_distance(s->solid[k], 0.0, p, NULL) > (1.0 - slack) * d)) return false;
    for (size_t k = 0; k < s->emitters; ++k)
        if (sph_pipe_holds(&s->emitter[k], x, 0.0f)) return false;
    return true;
}

static void choose_rows(void *arg, size_t begin, size_t end)
{
    const filling *f = arg;
    for (size_t row = begin; row < end; ++row) {
        uint8_t *keep = f->keep + row * f->n[0];
        for (size_t i = 0; i < f->n[0]; ++i) {
            const size_t at[3] = {i, row % f->n[1], row / f->n[1]};
            double p[3];
            point_at(f, at, p);
            keep[i] = is_wanted(f, p);
        }
    }
}

/// The hollow of the first axis-aligned box container that overlaps the box low..high.
static bool find_hollow(const sph *s, const double low[3], const double high[3], double from[3],
                        double to[3])
{
    static const double upright[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    for (size_t i = 0; i < s->solids; ++i) {
        const sph_solid *b = &s->body[i];
        if (b->kind != SPH_SOLID_TANK) continue;
        bool meets = true;
        for (int k = 0; k < 9; ++k)
            meets = meets && b->placed.rotation[k] == upright[k];
        for (int k = 0; k < 3; ++k) {
            from[k] = (double)b->low[k] + b->placed.position[k];
            to[k] = (double)b->high[k] + b->placed.position[k];
            meets = meets && low[k] < to[k] && high[k] > from[k];
        }
        if (meets) return true;
    }
    return false;
}

/// Size of the lattice; it may have one layer too many at its ends.
static sp_status lay_lattice(filling *f, const char *name, sp_error *err)
{
    const sph *s = f->s;
    double low[3], high[3], from[3], to[3], total = 1.0;
    sp_shape_bounds(f->shape, 0.0, low, high);
    const bool held = find_hollow(s, low, high, from, to);
    for (int k = 0; k < 3; ++k) {
        if (s->has_domain) {
            low[k] = fmax(low[k], (double)s->domain[0][k]);
            high[k] = fmin(high[k], (double)s->domain[1][k]);
        }
        if (held && isinf(low[k])) low[k] = from[k];
        if (held && isinf(high[k])) high[k] = to[k];
        if (isinf(low[k]) || isinf(high[k]))
            return sp_fail(err, SP_BAD_INPUT,
                           "emitter \"%s\": fills an infinite shape; expected a domain or a box "
                           "container around it",
                           name);
        f->zero[k] = held ? from[k] : low[k];
        f->first[k] = floor((low[k] - f->zero[k]) / (double)s->d);
        const double n = ceil((high[k] - f->zero[k]) / (double)s->d) - f->first[k] + 1.0;
        f->n[k] = n > 0.0 ? (size_t)n : 0;
        total *= fmax(n, 0.0);
    }
    if (total < 0x1p31) return SP_OK;
    return sp_fail(err, SP_BAD_INPUT,
                   "emitter \"%s\": %.3g particles at sph.spacing %g m; expected fewer than 2^31",
                   name, total, (double)s->d);
}

/// ---- From marks to particles -------------------------------------------------------------------

static void close_points(points *p)
{
    for (int k = 0; k < 3; ++k)
        sp_release(p->host, p->x[k]);
    *p = (points){0};
}

static sp_status open_points(points *p, const sp_host *host, size_t count, sp_error *err)
{
    *p = (points){.host = host, .count = count};
    bool good = true;
    for (int k = 0; k < 3; ++k)
        good &= (p->x[k] = sp_allocate(host, count + SP_LANES, sizeof(float))) != NULL;
    if (good) return SP_OK;
    close_points(p);
    return sp_fail(err, SP_NO_MEMORY, "sph: no memory for %zu particles", count);
}

static sp_status collect(const filling *f, points *out, sp_error *err)
{
    const size_t total = f->n[0] * f->n[1] * f->n[2];
    size_t count = 0;
    for (size_t i = 0; i < total; ++i)
        count += f->keep[i];
    SP_TRY(open_points(out, f->s->host, count, err));
    count = 0;
    for (size_t i = 0; i < total; ++i) {
        const size_t at[3] = {i % f->n[0], i / f->n[0] % f->n[1], i / f->n[0] / f->n[1]};
        double p[3];
        if (!f->keep[i]) continue;
        point_at(f, at, p);
        for (int k = 0; k < 3; ++k)
            out->x[k][count] = (float)p[k];
        ++count;
    }
    return SP_OK;
}

/// The points that new ones must keep away from: wall particles and existing water.
static sp_status collect_others(const sph *s, points *out, sp_error *err)
{
    const size_t walls = s->walls.count, water = s->liquid.set.count;
    SP_TRY(open_points(out, s->host, walls + water, err));
    for (int k = 0; k < 3; ++k) {
        memcpy(out->x[k], s->walls.x[k], walls * sizeof(float));
        memcpy(out->x[k] + walls, s->liquid.x[k], water * sizeof(float));
    }
    return SP_OK;
}

static sp_status sort_points(sp_cells *out, const sp_lattice *lattice, const points *p,
                             sp_error *err)
{
    const float *const x[3] = {p->x[0], p->x[1], p->x[2]};
    SP_TRY(sp_cells_open_sparse(out, p->host, err));
    SP_TRY(sp_cells_sort(out, lattice, p->count, x, NULL, NULL, err));
    return sp_cells_copy_positions(out, x, err);
}

/// Clears the marks of new points nearer than `reach` to others.
static sp_status find_crowded(const points *new, const points *others, float reach, uint8_t *good,
                              sp_error *err)
{
    sp_lattice lattice;
    sp_cells a = {0}, b = {0};
    sp_rows rows = {.host = new->host};
    const float *const x[3] = {new->x[0], new->x[1], new->x[2]};
    float low[3], high[3];
    SP_TRY(sp_bounds(new->host, 3, new->count, x, low, high, err));
    sp_lattice_shape(&lattice, 3, low, high, reach, SP_LATTICE_MOST);
    sp_status status = sort_points(&a, &lattice, new, err);
    if (status == SP_OK) status = sort_points(&b, &lattice, others, err);
    if (status == SP_OK) status = sp_rows_make(&rows, &a, &b, reach, err);
    for (size_t r = 0; r < rows.count && status == SP_OK; ++r)
        if (rows.row[r].count > 0) good[a.order[rows.row[r].who]] = 0;
    sp_rows_close(&rows);
    sp_cells_close(&a);
    sp_cells_close(&b);
    return status;
}

static sp_status add_good(sph *s, const points *new, const uint8_t *good, const float v[3],
                          sp_error *err)
{
    SP_TRY(sph_phase_reserve(&s->liquid, s->liquid.set.count + new->count, err));
    for (size_t i = 0; i < new->count; ++i) {
        const float x[3] = {new->x[0][i], new->x[1][i], new->x[2][i]};
        if (good[i]) sph_phase_add(s, &s->liquid, x, v, 0);
    }
    return SP_OK;
}

static sp_status add_points(sph *s, const points *new, const float v[3], sp_error *err)
{
    if (new->count == 0) return SP_OK;
    points others;
    uint8_t *good = sp_allocate(s->host, new->count, sizeof *good);
    if (!good) return sp_fail(err, SP_NO_MEMORY, "sph: no memory for %zu particles", new->count);
    memset(good, 1, new->count);
    sp_status status = collect_others(s, &others, err);
    if (status == SP_OK) {
        if (others.count > 0) status = find_crowded(new, &others, 0.9f * s->d, good, err);
        close_points(&others);
    }
    if (status == SP_OK) status = add_good(s, new, good, v, err);
    sp_release(s->host, good);
    return status;
}

/// ---- Shapes and pipes --------------------------------------------------------------------------

static sp_status fill_lattice(sph *s, filling *f, const sp_emitter_def *def, sp_error *err)
{
    const char *name = def->name ? def->name : "fill";
    points new;
    SP_TRY(lay_lattice(f, name, err));
    f->keep = sp_allocate(s->host, f->n[0] * f->n[1] * f->n[2], 1);
    if (!f->keep) return sp_fail(err, SP_NO_MEMORY, "sph: no memory to fill \"%s\"", name);
    sp_parallel(s->host, f->n[1] * f->n[2], 16, choose_rows, f);
    sp_status status = collect(f, &new, err);
    sp_release(s->host, f->keep);
    if (status != SP_OK) return status;
    const size_t before = s->liquid.set.count;
    status = add_points(s, &new, def->velocity, err);
    close_points(&new);
    if (status == SP_OK && s->liquid.set.count == before)
        sp_log(s->host, SP_LOG_WARNING, "sph: emitter \"%s\" has no room for any particle", name);
    return status;
}

static sp_status fill_shape(sph *s, const sp_emitter_def *def, sp_error *err)
{
    sp_shape *shape;
    SP_TRY(sph_shape_open(s, &def->shape, &shape, err));
    filling f = {.s = s, .shape = shape};
    const sp_status status = fill_lattice(s, &f, def, err);
    sp_shape_close(shape);
    return status;
}

/// Fills a pipe whose mouth is under water, so that its jet meets no gap.
static sp_status fill_pipe(sph *s, size_t emitter, sp_error *err)
{
    const sph_emitter *e = &s->emitter[emitter];
    const uint32_t tag = (uint32_t)(emitter + 1) << SPH_SOURCE_SHIFT | SPH_PINNED;
    const size_t layers = e->submerged ? sph_pipe_layers(e, s->d) : 0;
    const float speed = sph_emitter_speed(e, 0.0);
    const float v[3] = {speed * e->axis[0], speed * e->axis[1], speed * e->axis[2]};
    SP_TRY(sph_phase_reserve(&s->liquid, s->liquid.set.count + layers * e->points, err));
    for (size_t layer = 0; layer < layers; ++layer)
        for (size_t k = 0; k < e->points; ++k) {
            float x[3];
            sph_pipe_point(e, k, (double)layer * (double)s->d, x);
            sph_phase_add(s, &s->liquid, x, v, tag);
        }
    return SP_OK;
}

sp_status sph_fill(sph *s, const sp_world_def *world, sp_error *err)
{
    for (size_t k = 0; k < s->emitters; ++k)
        SP_TRY(fill_pipe(s, k, err));
    for (size_t k = 0; k < world->emitter_count; ++k)
        if (world->emitters[k].mode == SP_EMIT_FILL)
            SP_TRY(fill_shape(s, &world->emitters[k], err));
    return SP_OK;
}

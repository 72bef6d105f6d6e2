// SPDX-License-Identifier: Apache-2.0
/// Represents colliders and pipes by one layer of particles (Akinci et al. 2012). The volume of
/// each particle completes the density of the water beside it:
///
///     V_b = min(d^3, gamma_b / sum_b' W_bb')                                                  (B1)
///
/// With gamma_b 0.7 a plane at spacing d gets V_b = 0.999 d^3, the volume of the missing lattice layer. The
/// minimum acts at rims, where there are few neighbours.
#include "sph/internal.h"

/// ---- Memory ------------------------------------------------------------------------------------

static sp_status reserve(sph *s, size_t n, sp_error *err)
{
    sph_walls *w = &s->walls;
    const size_t padded = n + SP_LANES, kept = w->count;
    float **columns[] = {&w->x[0],    &w->x[1],      &w->x[2],      &w->rest[0],   &w->rest[1],
                         &w->rest[2], &w->sorted[0], &w->sorted[1], &w->sorted[2], &w->volume};
    bool good = sp_regrow(s->host, (void **)&w->body, kept, padded, sizeof *w->body) &&
                sp_regrow(s->host, (void **)&w->at, 0, 4 * padded, sizeof *w->at);
    for (size_t c = 0; c < sizeof columns / sizeof *columns; ++c)
        good = good && sp_regrow(s->host, (void **)columns[c], kept, padded, sizeof(float));
    return good ? SP_OK : sp_fail(err, SP_NO_MEMORY, "sph: no memory for %zu wall particles", n);
}

void sph_walls_close(sph *s)
{
    sph_walls *w = &s->walls;
    for (int k = 0; k < 3; ++k) {
        sp_release(s->host, w->x[k]);
        sp_release(s->host, w->rest[k]);
        sp_release(s->host, w->sorted[k]);
    }
    sp_release(s->host, w->volume);
    sp_release(s->host, w->body);
    sp_release(s->host, w->first);
    sp_release(s->host, w->at);
    sp_release(s->host, w->moved_at);
    sp_cells_close(&w->cells);
    *w = (sph_walls){0};
    sph_solids_close(s);
}

/// ---- Points ------------------------------------------------------------------------------------

/// The box in which infinite colliders get particles: the domain. Without a domain, the bounds of the initial
/// water, extended on each side by their largest width.
static sp_status find_extent(const sph *s, const sp_world_def *world, double low[3], double high[3],
                             sp_error *err)
{
    for (int k = 0; k < 3; ++k) {
        low[k] = s->has_domain ? (double)s->domain[0][k] : HUGE_VAL;
        high[k] = s->has_domain ? (double)s->domain[1][k] : -HUGE_VAL;
    }
    if (s->has_domain) return SP_OK;
    for (size_t i = 0; i < world->emitter_count; ++i) {
        const sp_emitter_def *def = &world->emitters[i];
        double from[3], to[3];
        for (int k = 0; k < 3; ++k)
            from[k] = to[k] = (double)def->center[k];
        if (def->mode == SP_EMIT_FILL) {
            sp_shape *water;
            SP_TRY(sph_shape_open(s, &def->shape, &water, err));
            sp_shape_bounds(water, 0.0, from, to);
            sp_shape_close(water);
        }
        for (int k = 0; k < 3; ++k) {
            if (isfinite(from[k])) low[k] = fmin(low[k], from[k]);
            if (isfinite(to[k])) high[k] = fmax(high[k], to[k]);
        }
    }
    double widest = 10.0 * (double)s->h;
    for (int k = 0; k < 3; ++k) {
        if (!(low[k] <= high[k])) low[k] = high[k] = isfinite(low[k]) ? low[k] : 0.0;
        widest = fmax(widest, high[k] - low[k]);
    }
    for (int k = 0; k < 3; ++k) {
        low[k] -= widest;
        high[k] += widest;
    }
    return SP_OK;
}

static bool in_a_pipe(const sph *s, const float x[3])
{
    for (size_t k = 0; k < s->emitters; ++k)
        if (sph_pipe_holds(&s->emitter[k], x, 0.5f * s->d)) return true;
    return false;
}

static void add_point(sph *s, uint32_t body, const float rest[3], const float x[3])
{
    sph_walls *w = &s->walls;
    for (int k = 0; k < 3; ++k) {
        w->rest[k][w->count] = rest[k];
        w->x[k][w->count] = x[k];
    }
    w->body[w->count++] = body;
}

static void to_world(const sph_pose *pose, const float rest[3], float x[3])
{
    const double body[3] = {(double)rest[0], (double)rest[1], (double)rest[2]};
    double world[3];
    sph_out_of_body(pose, body, world);
    for (int k = 0; k < 3; ++k)
        x[k] = (float)world[k];
}

/// Bounds of a solid that is not a box: those of its points.
static void add_to_bounds(sph_solid *b, size_t nth, const float x[3])
{
    for (int k = 0; k < 3 && b->kind == SPH_SOLID_OTHER; ++k) {
        b->low[k] = nth ? fminf(b->low[k], x[k]) : x[k];
        b->high[k] = nth ? fmaxf(b->high[k], x[k]) : x[k];
    }
}

/// Irregular points leave gaps that a lattice does not have, and water is pressed into them. In a glass 0.3 m
/// deep (d 0.02 m, 0.4 s) sph_keep_out moved particles 70,000 times with points one spacing apart, 10,000
/// times with 0.75 and 3,000 times with 0.6 spacings; steps were 331, 205 and 213. (B1) makes volumes
/// smaller where points are dense.
static float point_spacing(const sph *s, const sp_shape *shape)
{
    const sp_shape_def *given = &sp_shape_def_of(shape)->shape;
    return given->box || given->plane ? s->d : 0.75f * s->d;
}

/// Adds a collider's points, except where a pipe leads through it.
static sp_status cover_collider(sph *s, size_t solid, const double low[3], const double high[3],
                                sp_error *err)
{
    sp_shape_points points;
    const sp_shape *shape = s->solid[solid];
    sph_solid *b = &s->body[solid];
    SP_TRY(sp_shape_points_make(shape, point_spacing(s, shape), low, high, &points, err));
    const sp_status status = reserve(s, s->walls.count + points.count, err);
    b->placed = sph_pose_at(shape, 0.0);
    for (size_t i = 0; i < points.count && status == SP_OK; ++i) {
        const float rest[3] = {points.x[i], points.y[i], points.z[i]};
        float x[3];
        to_world(&b->placed, rest, x);
        add_to_bounds(b, i, rest);
        if (!in_a_pipe(s, x)) add_point(s, (uint32_t)solid, rest, x);
    }
    sp_shape_points_close(&points);
    return status;
}

static sp_status cover_pipe(sph *s, const sph_emitter *e, sp_error *err)
{
    const size_t n = sph_pipe_shell(e, s->d, NULL);
    SP_TRY(reserve(s, s->walls.count + n, err));
    float(*x)[3] = sp_allocate(s->host, n, sizeof *x);
    if (!x) return sp_fail(err, SP_NO_MEMORY, "sph: no memory for a pipe of %zu points", n);
    sph_pipe_shell(e, s->d, x);
    for (size_t i = 0; i < n; ++i)
        add_point(s, SPH_PIPE, x[i], x[i]);
    sp_release(s->host, x);
    return SP_OK;
}

static sp_status cover_all(sph *s, const sp_world_def *world, sp_error *err)
{
    double low[3], high[3];
    sph_walls *w = &s->walls;
    w->first = sp_allocate(s->host, s->solids + 1, sizeof *w->first);
    if (!w->first) return sp_fail(err, SP_NO_MEMORY, "sph: no memory for %zu walls", s->solids);
    SP_TRY(find_extent(s, world, low, high, err));
    SP_TRY(reserve(s, 0, err));
    for (size_t k = 0; k < s->solids; ++k) {
        SP_TRY(cover_collider(s, k, low, high, err));
        w->moving |= s->body[k].moves;
        w->first[k + 1] = w->count;
    }
    for (size_t k = 0; k < s->emitters; ++k)
        SP_TRY(cover_pipe(s, &s->emitter[k], err));
    return SP_OK;
}

/// ---- Volumes -----------------------------------------------------------------------------------

typedef struct volume_job {
    const sph *s;
    const sp_lists *lists;
} volume_job;

static void compute_volumes(void *arg, size_t begin, size_t end)
{
    const volume_job *job = arg;
    const sph *s = job->s;
    const sph_walls *w = &s->walls;
    const double h = (double)s->h, d = (double)s->d;
    for (size_t k = begin; k < end; ++k) {
        const sp_neighbour_list list = job->lists->list[k];
        double sum = sph_kernel(0.0, h);
        for (uint32_t n = 0; n < list.count; ++n) {
            const float *a = w->at + 4 * k, *b = w->at + 4 * job->lists->index[list.start + n];
            const double x = (double)a[0] - (double)b[0], y = (double)a[1] - (double)b[1],
                         z = (double)a[2] - (double)b[2];
            sum += sph_kernel(sqrt(x * x + y * y + z * z), h);
        }
        w->volume[w->cells.order[k]] =
            (float)fmin(d * d * d, (double)s->def.boundary_volume_scale / sum);
    }
}

static sp_status find_volumes(sph *s, sp_error *err)
{
    sph_walls *w = &s->walls;
    sp_lattice lattice;
    sp_lists lists = {.host = s->host};
    sp_lattice_shape(&lattice, 3, w->low, w->high, s->h, SP_LATTICE_MOST);
    SP_TRY(sph_walls_sort(s, &lattice, err));
    const sp_status status = sp_lists_make(&lists, &w->cells, s->h, NULL, err);
    if (status == SP_OK)
        sp_parallel(s->host, w->count, SPH_CHUNK, compute_volumes, &(volume_job){s, &lists});
    sp_lists_close(&lists);
    w->moved = true; // so that the next sorting copies the volumes to places
    return status;
}

/// ---- Moving ------------------------------------------------------------------------------------

static sp_status find_bounds(sph *s, sp_error *err)
{
    sph_walls *w = &s->walls;
    const float *const x[3] = {w->x[0], w->x[1], w->x[2]};
    return sp_bounds(s->host, 3, w->count, x, w->low, w->high, err);
}

/// Speed of the fastest corner of a body's bounding box: no point of the body is faster.
static double fastest_corner(const sp_shape *shape, const sph_solid *b, const sph_pose *pose)
{
    double most = 0.0;
    for (int corner = 0; corner < 8; ++corner) {
        double body[3], world[3], v[3];
        for (int k = 0; k < 3; ++k)
            body[k] = (double)(corner >> k & 1 ? b->high[k] : b->low[k]);
        sph_out_of_body(pose, body, world);
        sp_shape_velocity(shape, pose->time, world, v);
        most = fmax(most, sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]));
    }
    return most;
}

static bool same_pose(const sph_pose *a, const sph_pose *b)
{
    return memcmp(a->rotation, b->rotation, sizeof a->rotation) == 0 &&
           memcmp(a->position, b->position, sizeof a->position) == 0;
}

typedef struct placing {
    sph_walls *w;
    const sph_pose *pose;
    size_t first;
} placing;

static void place_points(void *arg, size_t begin, size_t end)
{
    const placing *p = arg;
    for (size_t i = p->first + begin; i < p->first + end; ++i) {
        const float rest[3] = {p->w->rest[0][i], p->w->rest[1][i], p->w->rest[2][i]};
        float x[3];
        to_world(p->pose, rest, x);
        for (int k = 0; k < 3; ++k)
            p->w->x[k][i] = x[k];
    }
}

static void predict_points(void *arg, size_t begin, size_t end)
{
    const sph *s = arg;
    const sph_walls *w = &s->walls;
    for (size_t k = begin; k < end; ++k) {
        const size_t i = w->cells.order[k];
        const float rest[3] = {w->rest[0][i], w->rest[1][i], w->rest[2][i]};
        float *to = w->moved_at + 4 * k;
        memcpy(to, w->at + 4 * k, 4 * sizeof *to);
        if (w->body[i] != SPH_PIPE && s->body[w->body[i]].moves)
            to_world(&s->body[w->body[i]].end, rest, to);
    }
}

sp_status sph_walls_ahead(sph *s, double t, sp_error *err)
{
    sph_walls *w = &s->walls;
    sph_update_poses(s, t);
    w->ahead = w->at;
    if (!w->moving) return SP_OK;
    if (!w->moved_at)
        w->moved_at = sp_allocate(s->host, 4 * (w->count + SP_LANES), sizeof *w->moved_at);
    if (!w->moved_at) return sp_fail(err, SP_NO_MEMORY, "sph: no memory for moving walls");
    w->ahead = w->moved_at;
    sp_parallel(s->host, w->count, 4 * SPH_CHUNK, predict_points, s);
    return SP_OK;
}

sp_status sph_walls_place(sph *s, double t, sp_error *err)
{
    sph_walls *w = &s->walls;
    bool moved = false;
    w->speed = 0.0;
    for (size_t k = 0; k < s->solids; ++k) {
        sph_solid *b = &s->body[k];
        if (!b->moves) continue;
        const sph_pose pose = sph_pose_at(s->solid[k], t);
        w->speed = fmax(w->speed, fastest_corner(s->solid[k], b, &pose));
        if (same_pose(&pose, &b->placed)) continue;
        b->placed = pose;
        moved = true;
        sp_parallel(s->host, w->first[k + 1] - w->first[k], 4 * SPH_CHUNK, place_points,
                    &(placing){w, &pose, w->first[k]});
    }
    w->moved |= moved;
    return moved ? find_bounds(s, err) : SP_OK;
}

static bool same_lattice(const sp_lattice *a, const sp_lattice *b)
{
    return memcmp(a->low, b->low, sizeof a->low) == 0 && a->edge == b->edge &&
           memcmp(a->n, b->n, sizeof a->n) == 0;
}

static void copy_places(void *arg, size_t begin, size_t end)
{
    sph_walls *w = arg;
    for (size_t k = begin; k < end; ++k) {
        const size_t i = w->cells.order[k];
        for (size_t c = 0; c < 3; ++c)
            w->at[4 * k + c] = w->sorted[c][k] = w->x[c][i];
        w->at[4 * k + 3] = w->volume[i];
    }
}

sp_status sph_walls_sort(sph *s, const sp_lattice *lattice, sp_error *err)
{
    sph_walls *w = &s->walls;
    if (!w->moved && same_lattice(&w->lattice, lattice)) return SP_OK;
    const float *const x[3] = {w->x[0], w->x[1], w->x[2]};
    SP_TRY(sp_cells_sort(&w->cells, lattice, w->count, x, NULL, w->at, err));
    sp_parallel(s->host, w->count, 4 * SPH_CHUNK, copy_places, w);
    w->cells.x = w->sorted[0], w->cells.y = w->sorted[1], w->cells.z = w->sorted[2];
    w->lattice = *lattice;
    w->moved = false;
    return SP_OK;
}

sp_status sph_walls_open(sph *s, const sp_world_def *world, sp_error *err)
{
    SP_TRY(sp_cells_open_sparse(&s->walls.cells, s->host, err));
    SP_TRY(sph_solids_open(s, world, err));
    SP_TRY(cover_all(s, world, err));
    SP_TRY(find_bounds(s, err));
    s->walls.moved = true;
    s->figures.boundary = s->walls.count;
    return find_volumes(s, err);
}

// SPDX-License-Identifier: Apache-2.0
// links: bubbles
#include "bubbles/basis/power.h"
#include "bubbles/basis/power_state.h"
#include "scarce_host.h"

#include <math.h>
#include <stdlib.h>

/// ---- Bubbles made by hand: a cube of tiles with particles, without a solver --------------------

/// A particle: place in voxels from the low corner of the first tile, and volume in voxels.
typedef struct point {
    double x[3], volume;
    uint32_t tile, voxel;
} point;
typedef struct points {
    point *at;
    size_t count;
} points;

enum { MOST_POINTS = 20000 };
static const float VOXEL = 0.02f; // m

static double random_unit(uint32_t n, uint32_t lane)
{
    return (double)sp_unit(sp_random(11, 3, n, 0, lane / 4).x[lane % 4]);
}

static sp_status open_tiles(bubbles *s, int edge, bool periodic, sp_error *err)
{
    int32_t at[64][3];
    size_t n = 0;
    for (int32_t k = 0; k < edge; ++k)
        for (int32_t j = 0; j < edge; ++j)
            for (int32_t i = 0; i < edge; ++i, ++n)
                memcpy(at[n], (int32_t[3]){i, j, k}, sizeof *at);
    const int32_t period = periodic ? edge : 0;
    return sp_tiles_open_periodic(&s->grid.tiles, s->host, VOXEL,
                                  (int32_t[3]){period, period, period}, (const int32_t(*)[3])at, n,
                                  err);
}

static int in_order(const void *a, const void *b)
{
    const point *p = a, *q = b;
    if (p->tile != q->tile) return p->tile < q->tile ? -1 : 1;
    return p->voxel < q->voxel ? -1 : p->voxel > q->voxel;
}

static void find_place(const point *p, int32_t tile[3], float x[3])
{
    for (int a = 0; a < 3; ++a) {
        tile[a] = (int32_t)floor(p->x[a] / 8.0);
        x[a] = (float)(p->x[a] - 8.0 * tile[a]);
    }
}

/// Sorts the points by tile and voxel, and makes particles of them. The places of the points become
/// those of the particles, in float.
static sp_status add_points(bubbles *s, points p, sp_error *err)
{
    bubbles_particles *b = &s->particles;
    for (int a = 0; a < 3; ++a)
        b->x[a] = sp_allocate(s->host, p.count + SP_LANES, sizeof(float));
    b->radius = sp_allocate(s->host, p.count + SP_LANES, sizeof(float));
    b->scale = sp_allocate(s->host, p.count + SP_LANES, sizeof(float));
    b->start = sp_allocate(s->host, s->grid.tiles.count + 1, sizeof *b->start);
    if (!b->x[0] || !b->x[1] || !b->x[2] || !b->radius || !b->scale || !b->start)
        return sp_fail(err, SP_NO_MEMORY, "test: no memory");
    int32_t tile[3];
    float x[3];
    for (size_t i = 0; i < p.count; ++i) {
        find_place(&p.at[i], tile, x);
        p.at[i].tile = sp_tiles_find(&s->grid.tiles, tile);
        p.at[i].voxel = sp_point_voxel(x[0], x[1], x[2]);
    }
    if (p.count) qsort(p.at, p.count, sizeof *p.at, in_order);
    for (size_t i = 0; i < p.count; ++i) {
        find_place(&p.at[i], tile, x);
        for (int a = 0; a < 3; ++a) {
            b->x[a][i] = x[a];
            p.at[i].x[a] = 8.0 * tile[a] + (double)x[a];
        }
        b->radius[i] = VOXEL * (float)cbrt(p.at[i].volume * 0.75 / 3.14159265358979);
        ++b->start[p.at[i].tile + 1];
    }
    for (size_t t = 0; t < s->grid.tiles.count; ++t)
        b->start[t + 1] += b->start[t];
    b->set.count = p.count;
    return SP_OK;
}

static void close_bubbles(bubbles *s)
{
    for (int a = 0; a < 3; ++a)
        sp_release(s->host, s->particles.x[a]);
    sp_release(s->host, s->particles.radius);
    sp_release(s->host, s->particles.scale);
    sp_release(s->host, s->particles.start);
    sp_release(s->host, s->solids.row);
    sp_release(s->host, s->solids.tile);
    bubbles_power_close(s);
    sp_tiles_close(&s->grid.tiles);
    sp_scratch_close(&s->scratch);
}

/// `edge`^3 tiles with these particles. Sinkhorn's iteration always takes all its iterations.
static sp_status open_bubbles(bubbles *s, const sp_host *host, int edge, bool periodic, points p,
                              sp_error *err)
{
    *s = (bubbles){.host = host, .basis = &bubbles_power, .grid = {.voxel = VOXEL}};
    s->def.power = (sp_bubbles_power_def){
        .eps = 1.0f / 9.0f, .cut = 1.5f, .iterations = 20, .tolerance = 0.0f};
    s->scratch.host = host;
    const sp_status status = open_tiles(s, edge, periodic, err);
    return status == SP_OK ? add_points(s, p, err) : status;
}

static points new_points(void)
{
    point *at = malloc(MOST_POINTS * sizeof *at);
    assert_non_null(at);
    return (points){at, 0};
}

static void add_point(points *p, const double x[3], double volume)
{
    assert_true(p->count < MOST_POINTS);
    p->at[p->count] = (point){.x = {x[0], x[1], x[2]}, .volume = volume};
    ++p->count;
}

/// A cube of `side` voxels from `low` on: eight particles a voxel on a lattice, displaced by up to
/// `jitter`/4 voxels.
static void add_lattice(points *p, double low, int side, double jitter, double volume)
{
    for (int n = 0; n < 8 * side * side * side; ++n) {
        const int at[3] = {n % (2 * side), n / (2 * side) % (2 * side), n / (4 * side * side)};
        double x[3];
        for (int a = 0; a < 3; ++a)
            x[a] = low + 0.5 * at[a] + 0.25 +
                   0.25 * jitter * (2.0 * random_unit((uint32_t)n, (uint32_t)a) - 1.0);
        add_point(p, x, volume);
    }
}

/// `count` particles at random places in a cube, of the mean volume `volume`; `spread` 0: all equal.
static void add_random(points *p, double low, double side, int count, double volume, double spread)
{
    for (int n = 0; n < count; ++n) {
        double x[3];
        for (int a = 0; a < 3; ++a)
            x[a] = low + side * random_unit((uint32_t)n, (uint32_t)a);
        add_point(p, x, volume * (1.0 + spread * (2.0 * random_unit((uint32_t)n, 3) - 1.0)));
    }
}

/// Fields on faces, and values by particle.
static void open_fields(const bubbles *s, float *field[3], float *value[3])
{
    for (int a = 0; a < 3; ++a) {
        field[a] = calloc(s->grid.tiles.count, SP_TILE_VOXELS * sizeof *field[a]);
        value[a] = calloc(s->particles.set.count + SP_LANES, sizeof *value[a]);
        assert_non_null(field[a]);
        assert_non_null(value[a]);
    }
}
static void close_fields(float *field[3], float *value[3])
{
    for (int a = 0; a < 3; ++a) {
        free(field[a]);
        free(value[a]);
    }
}

/// Coordinate b of face v of a tile, voxels.
static double face_place(const bubbles *s, size_t t, int v, int axis, int b)
{
    const int in[3] = {v % 8, v / 8 % 8, v / 64};
    return 8.0 * s->grid.tiles.at[t][b] + in[b] + (b == axis ? 0.0 : 0.5);
}

/// The particle's place now, voxels from the low corner of the first tile.
static double particle_place(const bubbles *s, const points *p, size_t i, int a)
{
    return 8.0 * s->grid.tiles.at[p->at[i].tile][a] + (double)s->particles.x[a][i];
}

/// ---- Reference: WSB25 section 5.1.1 in double, on a dense periodic grid ------------------------

typedef struct dense {
    int cells;             ///< along an edge
    bool wall;             ///< beyond which everything is solid
    double (*weight)[216]; ///< of particle q at its cells: T_qj/V_q
    double (*centre)[3];   ///< voxels
    int (*first)[3];       ///< of a particle's cells
    double *t;
} dense;

/// Distance to an oblique wall at a point, voxels. No cell's centre is closer to it than 0.02.
static double wall_distance(double x, double y)
{
    return 11.02 - 0.6 * x - 0.8 * y;
}

static double *dense_cell(const dense *d, double *values, const int first[3], int n)
{
    const int at[3] = {n % 6, n / 6 % 6, n / 36};
    size_t index = 0;
    for (int a = 2; a >= 0; --a)
        index = index * (size_t)d->cells + (size_t)((first[a] + at[a] + d->cells) % d->cells);
    return values + index;
}

static double kernel(const point *p, const int first[3], int n)
{
    const int at[3] = {n % 6, n / 6 % 6, n / 36};
    double d2 = 0.0;
    for (int a = 0; a < 3; ++a) {
        const double d = 0.5 * (first[a] + at[a] + 0.5) - p->x[a];
        d2 += d * d;
    }
    return exp(-9.0 * d2);
}

/// `relaxed`: the step is half as long again.
static void dense_iterate(dense *d, const points *p, double *scale, bool relaxed)
{
    const size_t cells = (size_t)d->cells * (size_t)d->cells * (size_t)d->cells;
    memset(d->t, 0, cells * sizeof *d->t);
    for (size_t q = 0; q < p->count; ++q)
        for (int n = 0; n < 216; ++n)
            *dense_cell(d, d->t, d->first[q], n) += scale[q] * kernel(&p->at[q], d->first[q], n);
    for (size_t j = 0; j < cells; ++j) {
        const size_t edge = (size_t)d->cells;
        const double x = 0.5 * (double)(j % edge) + 0.25,
                     y = 0.5 * (double)(j / edge % edge) + 0.25;
        d->t[j] = (d->wall && wall_distance(x, y) < 0.0 ? 1e-9 : 1.0) / fmax(1.0, d->t[j]);
    }
    for (size_t q = 0; q < p->count; ++q) {
        double m = 0.0;
        for (int n = 0; n < 216; ++n)
            m += 0.125 * kernel(&p->at[q], d->first[q], n) * *dense_cell(d, d->t, d->first[q], n);
        const double plain = p->at[q].volume / m, ratio = plain / scale[q];
        scale[q] = fmin(1e6, relaxed && ratio > 0.5 && ratio < 2.0 ? plain * sqrt(ratio) : plain);
    }
}

static void dense_weigh(dense *d, const points *p)
{
    for (size_t q = 0; q < p->count; ++q) {
        double sum = 0.0;
        for (int n = 0; n < 216; ++n) {
            d->weight[q][n] =
                kernel(&p->at[q], d->first[q], n) * *dense_cell(d, d->t, d->first[q], n);
            sum += d->weight[q][n];
        }
        memset(d->centre[q], 0, sizeof d->centre[q]);
        for (int n = 0; n < 216; ++n) {
            const int at[3] = {n % 6, n / 6 % 6, n / 36};
            d->weight[q][n] /= sum;
            for (int a = 0; a < 3; ++a)
                d->centre[q][a] += d->weight[q][n] * 0.5 * (d->first[q][a] + at[a] + 0.5);
        }
    }
}

static dense dense_open(const points *p, int tiles, bool wall, int iterations)
{
    dense d = {.cells = 16 * tiles, .wall = wall};
    const size_t n = p->count, cells = (size_t)d.cells * (size_t)d.cells * (size_t)d.cells;
    double *scale = calloc(n, sizeof *scale);
    d.weight = calloc(n, sizeof *d.weight);
    d.centre = calloc(n, sizeof *d.centre);
    d.first = calloc(n, sizeof *d.first);
    d.t = calloc(cells, sizeof *d.t);
    assert_true(scale && d.weight && d.centre && d.first && d.t);
    for (size_t q = 0; q < n; ++q) {
        scale[q] = 1.0;
        for (int a = 0; a < 3; ++a)
            d.first[q][a] = (int)floor(2.0 * p->at[q].x[a] - 2.5);
    }
    for (int k = 0; k < iterations; ++k)
        dense_iterate(&d, p, scale, k >= 3 && k + 1 < iterations);
    dense_weigh(&d, p);
    free(scale);
    return d;
}

static void dense_close(dense *d)
{
    free(d->weight);
    free(d->centre);
    free(d->first);
    free(d->t);
}

/// Weights of particle q at the faces of an axis, added to a dense array times `value`.
static void dense_faces(const dense *d, size_t q, int axis, double value, double *faces)
{
    const int edge = d->cells / 2;
    for (int n = 0; n < 216; ++n) {
        const int at[3] = {n % 6, n / 6 % 6, n / 36};
        for (int corner = 0; corner < 8; ++corner) {
            double w = value * d->weight[q][n];
            size_t index = 0;
            for (int a = 2; a >= 0; --a) {
                const double x = 0.5 * (d->first[q][a] + at[a] + 0.5) - (a == axis ? 0.0 : 0.5);
                const int low = (int)floor(x), up = corner >> a & 1;
                w *= up ? x - low : 1.0 - (x - low);
                index = index * (size_t)edge + (size_t)((low + up + 2 * edge) % edge);
            }
            faces[index] += w;
        }
    }
}

static size_t dense_index(const bubbles *s, size_t t, int v, int edge)
{
    const int32_t *at = s->grid.tiles.at[t];
    return (size_t)(8 * at[0] + v % 8 +
                    edge * (8 * at[1] + v / 8 % 8 + edge * (8 * at[2] + v / 64)));
}

/// ---- Tests -------------------------------------------------------------------------------------

/// Rasterises values of particles for one axis and component and compares all faces.
static void compare_sums(bubbles *s, const dense *d, const points *p)
{
    const int edge = d->cells / 2;
    const size_t faces = (size_t)edge * (size_t)edge * (size_t)edge, n = p->count + SP_LANES;
    float *field[3], *value[3], *more = calloc(n, sizeof *more);
    double *want = calloc(faces, sizeof *want);
    open_fields(s, field, value);
    float *second = calloc(s->grid.tiles.count, SP_TILE_VOXELS * sizeof *second);
    for (size_t i = 0; i < p->count; ++i) {
        more[i] = (float)random_unit((uint32_t)i, 7);
        for (int a = 0; a < 3; ++a)
            value[a][i] = (float)random_unit((uint32_t)i, 4 + (uint32_t)a) - 0.5f;
    }
    const bubbles_raster raster = {.from = {{value[0]}, {NULL, more, NULL, value[1]}, {value[2]}},
                                   .to = {{field[0]}, {NULL, second, NULL, field[1]}, {field[2]}}};
    assert_ok(bubbles_power.rasterise(s, &raster, NULL, ERR));
    for (int pass = 0; pass < 4; ++pass) {
        const int axis = pass < 3 ? pass : 1;
        const float *from = pass < 3 ? value[axis] : more, *got = pass < 3 ? field[axis] : second;
        memset(want, 0, faces * sizeof *want);
        for (size_t i = 0; i < p->count; ++i)
            dense_faces(d, i, axis, (double)from[i], want);
        for (size_t t = 0; t < s->grid.tiles.count; ++t)
            for (int v = 0; v < SP_TILE_VOXELS; ++v) {
                const double u = (double)got[t * SP_TILE_VOXELS + (size_t)v];
                assert_true(fabs(u - want[dense_index(s, t, v, edge)]) < 1e-5);
            }
    }
    close_fields(field, value);
    free(second);
    free(more);
    free(want);
}

static void compare_values(bubbles *s, const dense *d, const points *p)
{
    const int edge = d->cells / 2;
    const size_t faces = (size_t)edge * (size_t)edge * (size_t)edge;
    float *field[3], *value[3];
    double *weight = calloc(faces, sizeof *weight);
    open_fields(s, field, value);
    for (int a = 0; a < 3; ++a)
        for (size_t n = 0; n < s->grid.tiles.count * SP_TILE_VOXELS; ++n)
            field[a][n] = (float)random_unit((uint32_t)n, 8 + (uint32_t)a) - 0.5f;
    assert_ok(bubbles_power.interpolate(s, field, value, ERR));
    for (size_t i = 0; i < p->count; ++i)
        for (int a = 0; a < 3; ++a) {
            double want = 0.0;
            memset(weight, 0, faces * sizeof *weight);
            dense_faces(d, i, a, 1.0, weight);
            for (size_t t = 0; t < s->grid.tiles.count; ++t)
                for (int v = 0; v < SP_TILE_VOXELS; ++v)
                    want += weight[dense_index(s, t, v, edge)] *
                            (double)field[a][t * SP_TILE_VOXELS + (size_t)v];
            assert_true(fabs((double)value[a][i] - want) < 1e-5);
        }
    close_fields(field, value);
    free(weight);
}

/// Gives the tiles the solids of the reference's wall.
static void build_wall(bubbles *s)
{
    const size_t tiles = s->grid.tiles.count;
    s->has_solids = true;
    s->solids.row = sp_allocate(s->host, tiles, sizeof *s->solids.row);
    s->solids.tile = sp_allocate(s->host, tiles, sizeof *s->solids.tile);
    assert_true(s->solids.row && s->solids.tile);
    for (size_t t = 0; t < tiles; ++t) {
        const int32_t *at = s->grid.tiles.at[t];
        int inside = 0;
        for (int n = 0; n < SP_TILE_CORNERS; ++n) {
            const double psi = wall_distance(8.0 * at[0] + n % 9, 8.0 * at[1] + n / 9 % 9);
            s->solids.tile[t].psi[n] = VOXEL * (float)psi;
            inside += psi <= 0.0;
        }
        s->solids.row[t] = inside == 0                 ? SP_FLOW_TILE_OPEN
                           : inside == SP_TILE_CORNERS ? SP_FLOW_TILE_SOLID
                                                       : (uint32_t)t;
    }
}

/// Removes points that are nearer to the wall than this, or deeper in it, voxels.
static void keep_outside(points *p, double distance)
{
    size_t kept = 0;
    for (size_t n = 0; n < p->count; ++n)
        if (wall_distance(p->at[n].x[0], p->at[n].x[1]) > distance) p->at[kept++] = p->at[n];
    p->count = kept;
}

static void compare_places(const bubbles *s, const dense *d, const points *p)
{
    for (size_t i = 0; i < p->count; ++i) {
        double length = 0.0;
        for (int a = 0; a < 3; ++a) {
            const double shift = d->centre[i][a] - p->at[i].x[a];
            length += shift * shift;
        }
        const double part = fmin(1.0, 0.5 / sqrt(length)); // moves by half a voxel at most
        for (int a = 0; a < 3; ++a) {
            const double shift = part * (d->centre[i][a] - p->at[i].x[a]);
            assert_true(fabs(particle_place(s, p, i, a) - p->at[i].x[a] - shift) < 1e-5);
        }
    }
}

/// Particles of many sizes that compete for space, across all tiles, around periodic space, and at a
/// wall, against WSB25 section 5.1.1 in double with every weight written out. Weights come from ten
/// iterations with sums of a hundred floats, so 1e-6 of rounding is to be expected; 1e-5 leaves room
/// for ten of those. A single cell or face that is missed costs more than 1e-3.
static void weights_agree_with_brute_force(void **state)
{
    (void)state;
    enum { OPEN, PERIODIC, WALL, SPACES };
    for (int space = OPEN; space < SPACES; ++space) {
        const int tiles = space == PERIODIC ? 2 : 3; // 2: a tile has the same tile on both sides
        bubbles s;
        points p = new_points();
        add_random(&p, space == PERIODIC ? 0.0 : 6.0, space == PERIODIC ? 16.0 : 12.0, 60, 2.0,
                   0.9);
        add_random(&p, 6.0, 4.0, 60, 1.0, 0.9); // crowded, around a corner of tiles
        if (space == WALL) keep_outside(&p, -1.0);
        assert_ok(open_bubbles(&s, HOST, tiles, space == PERIODIC, p, ERR));
        if (space == WALL) build_wall(&s);
        for (size_t i = 0; i < p.count; ++i)
            s.particles.scale[i] = 1.0f;
        s.def.power.iterations = 10;
        assert_ok(bubbles_power.prepare(&s, ERR));
        dense d = dense_open(&p, tiles, space == WALL, 10);
        compare_places(&s, &d, &p);
        compare_sums(&s, &d, &p);
        compare_values(&s, &d, &p);
        dense_close(&d);
        close_bubbles(&s);
        free(p.at);
    }
}

/// A constant field is interpolated to itself, and a linear one to its value at the centre c_q, where
/// the particle is afterwards. Each is a sum of two hundred floats, rounded to about 1e-7 of the largest
/// value, which is 1: within 1e-6.
static void weights_have_sum_one_and_the_new_place_as_centre(void **state)
{
    (void)state;
    bubbles s;
    points p = new_points();
    float *field[3], *value[3];
    add_random(&p, 4.0, 24.0, 10000, 0.125, 0.5);
    assert_ok(open_bubbles(&s, HOST, 4, false, p, ERR));
    open_fields(&s, field, value);
    assert_ok(bubbles_power.prepare(&s, ERR));
    for (int b = -1; b < 3; ++b) {
        for (int a = 0; a < 3; ++a)
            for (size_t t = 0; t < s.grid.tiles.count; ++t)
                for (int v = 0; v < SP_TILE_VOXELS; ++v)
                    field[a][t * SP_TILE_VOXELS + (size_t)v] =
                        b < 0 ? 1.0f : (float)((face_place(&s, t, v, a, b) - 16.0) / 16.0);
        assert_ok(bubbles_power.interpolate(&s, field, value, ERR));
        for (size_t i = 0; i < p.count; ++i)
            for (int a = 0; a < 3; ++a) {
                const double want = b < 0 ? 1.0 : (particle_place(&s, &p, i, b) - 16.0) / 16.0;
                assert_true(fabs((double)value[a][i] - want) < 1e-6);
            }
    }
    close_fields(field, value);
    close_bubbles(&s);
    free(p.at);
}

/// The sum over particles of a_q field(x_q) is the sum over faces of field times the rasterised a. This
/// makes drag on particles and on the grid add up to zero (WSB25, Appendix B). Both sides are sums
/// of floats with an error of 1e-7 of their largest terms, added in double: 1e-6 of the sum of all
/// absolute values has room for ten of those.
static void rasterising_is_the_transpose_of_interpolating(void **state)
{
    (void)state;
    bubbles s;
    points p = new_points();
    float *field[3], *value[3], *sum[3], *a_q[3];
    add_lattice(&p, 8.0, 8, 1.0, 0.125);
    add_random(&p, 4.0, 24.0, 500, 1.0, 0.9);
    assert_ok(open_bubbles(&s, HOST, 4, false, p, ERR));
    open_fields(&s, field, value);
    open_fields(&s, sum, a_q);
    for (int a = 0; a < 3; ++a) {
        for (size_t n = 0; n < s.grid.tiles.count * SP_TILE_VOXELS; ++n)
            field[a][n] = (float)random_unit((uint32_t)n, (uint32_t)a) - 0.5f;
        for (size_t i = 0; i < p.count; ++i)
            a_q[a][i] = (float)random_unit((uint32_t)i, 4 + (uint32_t)a) - 0.5f;
    }
    assert_ok(bubbles_power.prepare(&s, ERR));
    assert_ok(bubbles_power.interpolate(&s, field, value, ERR));
    const bubbles_raster raster = {.from = {{a_q[0]}, {a_q[1]}, {a_q[2]}},
                                   .to = {{sum[0]}, {sum[1]}, {sum[2]}}};
    assert_ok(bubbles_power.rasterise(&s, &raster, NULL, ERR));
    for (int a = 0; a < 3; ++a) {
        double particles = 0.0, faces = 0.0, size = 0.0;
        for (size_t i = 0; i < p.count; ++i) {
            particles += (double)a_q[a][i] * (double)value[a][i];
            size += fabs((double)a_q[a][i] * (double)value[a][i]);
        }
        for (size_t n = 0; n < s.grid.tiles.count * SP_TILE_VOXELS; ++n)
            faces += (double)field[a][n] * (double)sum[a][n];
        assert_true(fabs(particles - faces) < 1e-6 * size);
    }
    close_fields(field, value);
    close_fields(sum, a_q);
    close_bubbles(&s);
    free(p.at);
}

/// ---- Volume ------------------------------------------------------------------------------------

typedef enum layout { LATTICE, JITTERED, RANDOM, MIXED, OVERFULL, LAYOUTS } layout;

static points layout_of(int n)
{
    points p = new_points();
    const int side = 8;
    if (n == LATTICE || n == JITTERED)
        add_lattice(&p, 8.0, side, n == JITTERED ? 1.0 : 0.0, 0.125);
    else if (n == OVERFULL)
        add_lattice(&p, 8.0, side, 1.0, 0.25);
    else
        add_random(&p, 8.0, side, 8 * side * side * side, 0.125, n == MIXED ? 0.9 : 0.0);
    return p;
}

/// The largest fill of a face before the last scaling: particles have the volume that the last
/// iteration gave them. So one more iteration is made, from known scales, at the same places.
static double largest_fill(bubbles *s, const points *p)
{
    const power_state *power = s->power;
    float *field[3], *value[3], *volume;
    double largest = 0.0;
    open_fields(s, field, value);
    volume = value[0];
    for (size_t i = 0; i < p->count; ++i) {
        volume[i] = 0.125f * s->particles.scale[i];
        for (int a = 0; a < 3; ++a)
            s->particles.x[a][i] = power->x[a][i];
    }
    s->def.power.iterations = 1;
    assert_ok(bubbles_power.prepare(s, ERR));
    for (size_t i = 0; i < p->count; ++i)
        volume[i] /= power->norm[i];
    const bubbles_raster raster = {.from = {{volume}, {volume}, {volume}},
                                   .to = {{field[0]}, {field[1]}, {field[2]}}};
    assert_ok(bubbles_power.rasterise(s, &raster, NULL, ERR));
    for (int a = 0; a < 3; ++a)
        for (size_t n = 0; n < s->grid.tiles.count * SP_TILE_VOXELS; ++n)
            largest = fmax(largest, (double)field[a][n]);
    close_fields(field, value);
    return largest;
}

/// WSB25: "the unclamped fraction [...] will be in the range [0,1]". t = 1/max(1, Z) makes this so for
/// every cell to rounding, and each face is a mean of cells. Particles get their own volume to 1 % in
/// 60 iterations, unless there is twice as much as there is room.
static void no_face_is_overfull(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(2);
    for (int n = 0; n < LAYOUTS; ++n) {
        bubbles s;
        points p = layout_of(n);
        assert_ok(open_bubbles(&s, &host, 3, false, p, ERR));
        assert_ok(bubbles_power.prepare(&s, ERR));
        const power_state *power = s.power;
        assert_int_equal(power->iterations, 60); // the first substep has this many
        if (n != OVERFULL) assert_true(power->error < 1e-2f);
        const double fill = largest_fill(&s, &p);
        assert_true(fill < 1.0 + 1e-5 && fill > 0.95);
        close_bubbles(&s);
        free(p.at);
    }
}

/// Nothing competes with a bubble that is alone. Its weights are those of a Gaussian, whose centre is
/// the bubble but for the spacing of the cells: the sum over a lattice of spacing d differs from the
/// integral by 2 exp(-pi^2 eps/d^2) = 0.025, so the centre is off by some hundredths of a voxel. The
/// iteration ends as soon as it is within its tolerance.
static void a_lone_bubble_stays_where_it_is(void **state)
{
    (void)state;
    for (int n = 0; n < 20; ++n) {
        bubbles s;
        points p = new_points();
        add_random(&p, 11.0 + 0.1 * n, 2.0, 1, 0.125, 0.0);
        assert_ok(open_bubbles(&s, HOST, 3, false, p, ERR));
        s.def.power.tolerance = 1e-2f;
        assert_ok(bubbles_power.prepare(&s, ERR));
        for (int a = 0; a < 3; ++a)
            assert_true(fabs(particle_place(&s, &p, 0, a) - p.at[0].x[a]) < 0.05);
        assert_true(((const power_state *)s.power)->iterations <= 3);
        close_bubbles(&s);
        free(p.at);
    }
}

/// The narrowest kernel must not vanish in float between cells, where the nearest one is farthest.
static void a_narrow_kernel_has_weights_between_cells(void **state)
{
    (void)state;
    bubbles s;
    points p = new_points();
    float *field[3], *value[3];
    add_point(&p, (double[3]){12.0, 12.5, 13.0}, 0.125); // corners of eight cells
    add_random(&p, 9.0, 6.0, 100, 0.125, 0.9);
    assert_ok(open_bubbles(&s, HOST, 3, false, p, ERR));
    open_fields(&s, field, value);
    s.def.power.eps = 1e-3f;
    s.def.power.cut = 0.5f;
    for (int a = 0; a < 3; ++a)
        for (size_t n = 0; n < s.grid.tiles.count * SP_TILE_VOXELS; ++n)
            field[a][n] = 1.0f;
    assert_ok(bubbles_power.prepare(&s, ERR));
    assert_ok(bubbles_power.interpolate(&s, field, value, ERR));
    for (int a = 0; a < 3; ++a)
        for (size_t i = 0; i < p.count; ++i)
            assert_true(fabsf(value[a][i] - 1.0f) < 1e-6f);
    close_fields(field, value);
    close_bubbles(&s);
    free(p.at);
}

/// ---- Solids ------------------------------------------------------------------------------------

/// Faces that no open cell is near get next to nothing. A particle that is so deep in the wall that it
/// has no open cell still has weights with a sum of 1, so that it feels the water's velocity there.
static void walls_keep_weights_out(void **state)
{
    (void)state;
    bubbles s;
    points p = new_points();
    float *field[3], *value[3];
    add_random(&p, 5.0, 6.0, 400, 0.125, 0.0);
    keep_outside(&p, -0.5);
    const size_t deep = p.count;
    add_point(&p, (double[3]){14.0, 14.0, 14.0}, 0.125); // last after sorting, too
    assert_ok(open_bubbles(&s, HOST, 3, false, p, ERR));
    build_wall(&s);
    open_fields(&s, field, value);
    assert_ok(bubbles_power.prepare(&s, ERR));
    for (int a = 0; a < 3; ++a)
        for (size_t n = 0; n < s.grid.tiles.count * SP_TILE_VOXELS; ++n)
            field[a][n] = 1.0f;
    assert_ok(bubbles_power.interpolate(&s, field, value, ERR));
    for (int a = 0; a < 3; ++a) {
        for (size_t i = 0; i < p.count; ++i)
            assert_true(fabsf(value[a][i] - 1.0f) < 1e-6f);
        value[a][deep] = 0.0f;
    }
    assert_true(p.at[deep].x[0] == 14.0);
    const bubbles_raster raster = {.from = {{value[0]}, {value[1]}, {value[2]}},
                                   .to = {{field[0]}, {field[1]}, {field[2]}}};
    assert_ok(bubbles_power.rasterise(&s, &raster, NULL, ERR));
    for (int a = 0; a < 3; ++a)
        for (size_t t = 0; t < s.grid.tiles.count; ++t)
            for (int v = 0; v < SP_TILE_VOXELS; ++v) {
                // N reaches less than a voxel along x and along y
                const double far = wall_distance(face_place(&s, t, v, a, 0) - 1.0,
                                                 face_place(&s, t, v, a, 1) - 1.0);
                const float sum = field[a][t * SP_TILE_VOXELS + (size_t)v];
                if (far < 0.0 && sum != 1.0f) assert_true(sum < 1e-6f); // 1: not reached
            }
    close_fields(field, value);
    close_bubbles(&s);
    free(p.at);
}

/// ---- Tiles and threads -------------------------------------------------------------------------

static void only_tiles_that_are_reached_are_written(void **state)
{
    (void)state;
    bubbles s;
    points p = new_points();
    float *field[3], *value[3];
    uint8_t reached[64];
    add_point(&p, (double[3]){9.9, 14.2, 12.0}, 0.125);  // two tiles: the next one along -x
    add_point(&p, (double[3]){22.1, 12.0, 12.0}, 0.125); // two tiles: along +x
    add_point(&p, (double[3]){20.0, 20.0, 28.0}, 0.125); // one tile
    assert_ok(open_bubbles(&s, HOST, 4, false, p, ERR));
    open_fields(&s, field, value);
    for (size_t i = 0; i < p.count; ++i)
        value[0][i] = 1.0f;
    for (int a = 0; a < 3; ++a)
        for (size_t n = 0; n < s.grid.tiles.count * SP_TILE_VOXELS; ++n)
            field[a][n] = 7.0f;
    const bubbles_raster raster = {.from = {{value[0]}, {value[0]}, {value[0]}},
                                   .to = {{field[0]}, {field[1]}, {field[2]}}};
    assert_ok(bubbles_power.prepare(&s, ERR));
    assert_ok(bubbles_power.rasterise(&s, &raster, reached, ERR));
    int count = 0;
    for (size_t t = 0; t < s.grid.tiles.count; ++t) {
        bool any = false;
        for (int a = 0; a < 3; ++a)
            for (int v = 0; v < SP_TILE_VOXELS; ++v) {
                const float sum = field[a][t * SP_TILE_VOXELS + (size_t)v];
                any |= sum != 0.0f && sum != 7.0f;
                assert_true(reached[t] ? sum < 7.0f : sum == 7.0f);
            }
        assert_int_equal(reached[t], any);
        count += reached[t];
    }
    assert_int_equal(count, 5);
    close_fields(field, value);
    close_bubbles(&s);
    free(p.at);
}

/// Prepares twice, the second time from the scales of the first, and rasterises and interpolates;
/// everything is hashed.
static uint64_t hash_on(int threads)
{
    const sp_host host = sp_host_default(threads);
    bubbles s;
    points p = new_points();
    float *field[3], *value[3];
    uint64_t hash = 0;
    add_lattice(&p, 5.0, 7, 1.0, 0.125);
    add_random(&p, 4.0, 24.0, 300, 0.5, 0.9);
    assert_ok(open_bubbles(&s, &host, 4, false, p, ERR));
    open_fields(&s, field, value);
    for (int pass = 0; pass < 2; ++pass) {
        assert_ok(bubbles_power.prepare(&s, ERR));
        for (size_t i = 0; i < p.count; ++i)
            for (int a = 0; a < 3; ++a)
                value[a][i] = (float)random_unit((uint32_t)i, (uint32_t)a);
        const bubbles_raster raster = {.from = {{value[0]}, {value[1]}, {value[2]}},
                                       .to = {{field[0]}, {field[1]}, {field[2]}}};
        assert_ok(bubbles_power.rasterise(&s, &raster, NULL, ERR));
        assert_ok(bubbles_power.interpolate(&s, field, value, ERR));
        hash = sp_hash(hash, s.particles.scale, p.count * sizeof(float));
        for (int a = 0; a < 3; ++a) {
            hash = sp_hash(hash, s.particles.x[a], p.count * sizeof(float));
            hash = sp_hash(hash, value[a], p.count * sizeof(float));
            hash = sp_hash(hash, field[a], s.grid.tiles.count * SP_TILE_VOXELS * sizeof(float));
        }
    }
    close_fields(field, value);
    close_bubbles(&s);
    free(p.at);
    return hash;
}

static void results_do_not_depend_on_threads(void **state)
{
    (void)state;
    const uint64_t one = hash_on(1);
    assert_true(hash_on(2) == one);
    assert_true(hash_on(3) == one);
}

/// ---- Edge cases --------------------------------------------------------------------------------

static void no_particles_are_no_work(void **state)
{
    (void)state;
    bubbles s;
    points p = new_points();
    float *field[3], *value[3];
    uint8_t reached[8] = {1};
    assert_ok(open_bubbles(&s, HOST, 2, false, p, ERR));
    open_fields(&s, field, value);
    const bubbles_raster raster = {.from = {{value[0]}}, .to = {{field[0]}}};
    assert_ok(bubbles_power.prepare(&s, ERR));
    assert_ok(bubbles_power.rasterise(&s, &raster, reached, ERR));
    assert_ok(bubbles_power.interpolate(&s, field, value, ERR));
    assert_int_equal(reached[0], 0);
    close_fields(field, value);
    close_bubbles(&s);
    free(p.at);
}

static sp_status one_substep(const sp_host *host, sp_error *err)
{
    static float values[3][64], fields[3][27 * SP_TILE_VOXELS];
    float *const value[3] = {values[0], values[1], values[2]}, *const field[3] = {
                                                                   fields[0], fields[1], fields[2]};
    const bubbles_raster raster = {.from = {{value[0]}, {value[1]}, {value[2]}},
                                   .to = {{field[0]}, {field[1]}, {field[2]}}};
    bubbles s;
    points p = new_points();
    add_random(&p, 8.0, 8.0, 40, 0.125, 0.0);
    sp_status status = open_bubbles(&s, host, 3, false, p, err);
    if (status == SP_OK) status = bubbles_power.prepare(&s, err);
    if (status == SP_OK) status = bubbles_power.rasterise(&s, &raster, NULL, err);
    if (status == SP_OK) status = bubbles_power.interpolate(&s, field, value, err);
    close_bubbles(&s);
    free(p.at);
    return status;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights_agree_with_brute_force),
        cmocka_unit_test(weights_have_sum_one_and_the_new_place_as_centre),
        cmocka_unit_test(rasterising_is_the_transpose_of_interpolating),
        cmocka_unit_test(no_face_is_overfull),
        cmocka_unit_test(a_lone_bubble_stays_where_it_is),
        cmocka_unit_test(a_narrow_kernel_has_weights_between_cells),
        cmocka_unit_test(walls_keep_weights_out),
        cmocka_unit_test(only_tiles_that_are_reached_are_written),
        cmocka_unit_test(results_do_not_depend_on_threads),
        cmocka_unit_test(no_particles_are_no_work),
        test_failing_allocations(one_substep, 1, 15),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

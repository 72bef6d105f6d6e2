// SPDX-License-Identifier: Apache-2.0
// links: validate poisson tiles core
#include "test_poisson.h"

#include "poisson/faces.h"
#include "scarce_host.h"
#include "validate/poisson/cases.h"

static sp_poisson_def wanting(double tolerance, int precision)
{
    sp_poisson_def def = sp_poisson_defaults();
    def.tolerance = tolerance;
    def.precision = precision;
    return def;
}

/// ---- Solutions ---------------------------------------------------------------------------------

/// Gaussian elimination on the n unknowns listed; good to some 1e-13 times the condition.
static void eliminate(double *matrix, double *right, size_t n)
{
    for (size_t k = 0; k < n; ++k)
        for (size_t i = k + 1; i < n; ++i) {
            const double f = matrix[i * n + k] / matrix[k * n + k];
            if (f == 0.0) continue;
            for (size_t j = k; j < n; ++j)
                matrix[i * n + j] -= f * matrix[k * n + j];
            right[i] -= f * right[k];
        }
    for (size_t k = n; k-- > 0;) {
        for (size_t j = k + 1; j < n; ++j)
            right[k] -= matrix[k * n + j] * right[j];
        right[k] /= matrix[k * n + k];
    }
}

/// x by elimination, 0 where there is no unknown. The columns of the matrix are A times unit
/// vectors, so that only the definition is used.
static double *eliminated(const sp_poisson_system *s, const float *b)
{
    const size_t cells = s->tiles->count * SP_TILE_VOXELS;
    double *x = calloc(cells, sizeof *x), diagonal;
    size_t *unknown = malloc(cells * sizeof *unknown), n = 0;
    for (size_t c = 0; c < cells; ++c) {
        apply_at(s, x, c, &diagonal);
        if (diagonal > 0.0) unknown[n++] = c;
    }
    double *matrix = malloc(n * n * sizeof *matrix), *right = malloc(n * sizeof *right);
    for (size_t j = 0; j < n; ++j) {
        x[unknown[j]] = 1.0;
        for (size_t i = 0; i < n; ++i)
            matrix[i * n + j] = apply_at(s, x, unknown[i], &diagonal);
        x[unknown[j]] = 0.0;
        right[j] = (double)b[unknown[j]];
    }
    eliminate(matrix, right, n);
    for (size_t j = 0; j < n; ++j)
        x[unknown[j]] = right[j];
    free(matrix);
    free(right);
    free(unknown);
    return x;
}

/// Every connected piece has an extra, so elimination has a pivot. The residual is at most 1e-7 of
/// |b|, and a condition number of some hundreds makes that 1e-5 of |x|.
static void solution_equals_gaussian_elimination(void **state)
{
    (void)state;
    static const drawing drawings[] = {
        {.side = 2, .tiles = 0.3, .cells = 0.3, .extras = 1.0, .contrast = 1.0, .seed = 1},
        {.side = 2, .tiles = 0.3, .cells = 0.4, .extras = 1.0, .contrast = 100.0, .seed = 2},
        {.side = 4, .tiles = 0.05, .cells = 0.3, .extras = 1.0, .contrast = 10.0, .seed = 3},
    };
    for (size_t i = 0; i < sizeof drawings / sizeof *drawings; ++i)
        for (int precision = 0; precision < 2; ++precision) {
            drawn w = draw_system(&drawings[i], HOST);
            w.system.tiles = &w.tiles;
            const sp_poisson_def def = wanting(1e-7, precision);
            const sp_poisson_report report = solved(&def, HOST, &w.system, w.b, w.x);
            assert_true(report.converged);
            double *x = eliminated(&w.system, w.b), largest = 0.0, off = 0.0;
            for (size_t c = 0; c < w.tiles.count * SP_TILE_VOXELS; ++c) {
                largest = fmax(largest, fabs(x[c]));
                off = fmax(off, fabs(x[c] - (double)w.x[c]));
            }
            assert_true(largest > 0.1);
            assert_true(off < 1e-5 * largest);
            free(x);
            drop_drawn(&w);
        }
}

/// Rounding x to floats adds at most 6 faces * 2 * 2^-24 |x| * coefficient to the residual.
static void residual_meets_the_tolerance_in_every_case(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(2);
    for (int kind = SP_POISSON_FLAT; kind <= SP_POISSON_GUIDED; ++kind) {
        sp_poisson_case c;
        assert_ok(sp_poisson_case_open(&c, &host, (sp_poisson_scene)kind, 28, ERR));
        float *x = sp_tiles_field(&c.tiles, 0.0f), largest = 0.0f;
        const sp_poisson_def def = wanting(1e-6, SP_POISSON_FLOAT);
        const sp_poisson_report report = solved(&def, &host, &c.system, c.b, x);
        assert_true(report.converged && !report.fell_back);
        assert_true(report.residual <= 1e-6);
        for (size_t i = 0; i < c.tiles.count * SP_TILE_VOXELS; ++i)
            largest = fmaxf(largest, fabsf(x[i]));
        const double stiff = kind == SP_POISSON_CLUSTERS ? 350.0
                             : kind == SP_POISSON_FLAT   ? 1
                                                         : 100,
                     rounding = 12.0 * stiff * 0x1p-24 * (double)largest;
        assert_true(worst_residual(&c.system, c.b, x) <=
                    1e-6 * report.start + rounding + report.incompatible);
        sp_release(&host, x);
        sp_poisson_case_close(&c);
    }
}

/// Scattered voxels make hundreds of pieces, most of them singular or of one voxel.
static void scattered_voxels_are_solved(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(2);
    const drawing d = {
        .side = 4, .tiles = 0.6, .cells = 0.35, .extras = 0.02, .contrast = 5.0, .seed = 4};
    drawn w = draw_system(&d, &host);
    w.system.tiles = &w.tiles;
    const sp_poisson_def def = wanting(1e-5, SP_POISSON_FLOAT);
    const sp_poisson_report report = solved(&def, &host, &w.system, w.b, w.x);
    assert_true(report.converged && !report.fell_back);
    assert_true(report.components > 100 && report.singular > 100);
    drop_drawn(&w);
}

static void exact_initial_guess_takes_no_iteration(void **state)
{
    (void)state;
    sp_poisson_case c;
    assert_ok(sp_poisson_case_open(&c, HOST, SP_POISSON_WAVY, 24, ERR));
    float *x = sp_tiles_field(&c.tiles, 0.0f);
    sp_poisson_def def = wanting(1e-6, SP_POISSON_FLOAT);
    const int first = solved(&def, HOST, &c.system, c.b, x).iterations;
    def.tolerance = 1e-4; // above what rounding x to floats costs
    assert_true(first > 2);
    assert_int_equal(solved(&def, HOST, &c.system, c.b, x).iterations, 0);
    sp_release(HOST, x);
    sp_poisson_case_close(&c);
}

/// ---- Coefficients ------------------------------------------------------------------------------

/// A voxel's faces in the solver's order: in x the neighbour that shares its place comes first.
static void six_faces(const sp_poisson_system *s, size_t cell, float face[POISSON_FACES])
{
    for (int a = 0; a < 3; ++a)
        for (int side = 0; side < 2; ++side) {
            const int which = 2 * a + (a == 0 && !(cell & 1) ? 1 - side : side);
            face[which] = (float)low_face(s, side ? beside(s->tiles, cell, a, 1) : cell, a);
        }
}

/// Coefficients that are stored once for two voxels are right for both, exactly or without the
/// lower half of their bits.
static void packed_coefficients_equal_the_system(void **state)
{
    (void)state;
    const drawing d = {.side = 3, .tiles = 0.7, .cells = 0.9, .contrast = 40.0, .seed = 11};
    drawn w = draw_system(&d, HOST);
    w.system.tiles = &w.tiles;
    const sp_poisson_def def = wanting(1e-5, SP_POISSON_FLOAT);
    sp_poisson *s;
    assert_ok(sp_poisson_open(&def, HOST, &s, ERR));
    assert_ok(sp_poisson_build(s, &w.system, ERR));
    const poisson_level *l = &s->level[0];
    for (size_t c = 0; c < l->count * SP_TILE_VOXELS; ++c) { // no tile is empty: slots are tiles
        const uint32_t faces = l->kind[l->row[c / SP_TILE_VOXELS]].faces;
        const size_t place = poisson_place(c & 7, c >> 3 & 7, c >> 6 & 7);
        static unpacked kept[2];
        assert_true(faces != UINT32_MAX);
        for (int exact = 0; exact < 2 && c % SP_TILE_VOXELS == 0; ++exact)
            unpack(&l->faces[faces], exact, &kept[exact]);
        float face[POISSON_FACES];
        six_faces(&w.system, c, face);
        for (int f = 0; f < POISSON_FACES; ++f) {
            const int colour = (int)(place / POISSON_HALF);
            const float known = faces_of(&kept[0], colour, f)[place % POISSON_HALF],
                        exact = faces_of(&kept[1], colour, f)[place % POISSON_HALF];
            assert_true(exact == face[f]);
            assert_true(known <= exact && known >= exact * (1.0f - 0x1p-7f));
        }
    }
    sp_poisson_close(s);
    drop_drawn(&w);
}

/// ---- Symmetry ----------------------------------------------------------------------------------

static double symmetry_gap(sp_poisson *s, int precision)
{
    const poisson_level *l = &s->level[0];
    const size_t n = l->count * SP_TILE_VOXELS;
    double *v[4], dots[2] = {0}, norms[2] = {0};
    for (int i = 0; i < 4; ++i)
        v[i] = malloc(n * sizeof *v[i]);
    for (int i = 0; i < 2; ++i) {
        for (size_t c = 0; c < n; ++c) {
            const uint32_t row = l->row[c / SP_TILE_VOXELS];
            const size_t place = c % SP_TILE_VOXELS;
            const bool there =
                row == SP_POISSON_FULL || l->diagonal[row].inverse[place / 256][place % 256] > 0.0f;
            const float value = 2.0f * sp_unit(sp_random(3, (uint32_t)i, c, 0, 0).x[0]) - 1.0f;
            v[i][c] = there ? (double)value : 0.0;
            if (precision)
                ((double *)l->b)[c] = v[i][c];
            else
                ((float *)l->b)[c] = (float)v[i][c];
        }
        (precision ? poisson_cycle_double : poisson_cycle_float)(s);
        for (size_t c = 0; c < n; ++c)
            v[2 + i][c] = precision ? ((double *)l->x)[c] : (double)((float *)l->x)[c];
    }
    for (size_t c = 0; c < n; ++c) {
        dots[0] += v[2][c] * v[1][c];
        dots[1] += v[0][c] * v[3][c];
        norms[0] += v[2][c] * v[2][c];
        norms[1] += v[1][c] * v[1][c];
    }
    for (int i = 0; i < 4; ++i)
        free(v[i]);
    return fabs(dots[0] - dots[1]) / sqrt(norms[0] * norms[1]);
}

/// (Mx, y) = (x, My), which conjugate gradients need. Rounding is 2^-24 or 2^-53, times some ten
/// levels and sweeps.
static void multigrid_cycle_is_symmetric(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(2);
    static const double most[] = {1e-5, 1e-12};
    for (int kind = SP_POISSON_FLAT; kind <= SP_POISSON_GUIDED; ++kind)
        for (int precision = 0; precision < 2; ++precision) {
            sp_poisson_case c;
            sp_poisson *s;
            const sp_poisson_def def = wanting(1e-5, precision);
            assert_ok(sp_poisson_case_open(&c, &host, (sp_poisson_scene)kind, 36, ERR));
            assert_ok(sp_poisson_open(&def, &host, &s, ERR));
            assert_ok(sp_poisson_build(s, &c.system, ERR));
            if (kind != SP_POISSON_CLOSED) // M is undefined outside the range of A
                assert_true(symmetry_gap(s, precision) < most[precision]);
            sp_poisson_close(s);
            sp_poisson_case_close(&c);
        }
}

/// ---- Singular pieces ---------------------------------------------------------------------------

/// Three tiles in a row that share no face: two closed boxes and one with an extra. The mean of b
/// is subtracted in the closed ones, and their x has mean 0.
static void mean_is_removed_from_closed_boxes(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(2);
    const drawing d = {.side = 3, .tiles = 1.0, .cells = 1.0, .contrast = 3.0, .seed = 5};
    drawn w = draw_system(&d, &host);
    w.system.tiles = &w.tiles;
    for (size_t c = 0; c < w.tiles.count * SP_TILE_VOXELS; ++c)
        if (c % 8 == 0) w.face[0][c] = 0.0f; // slabs of a tile's width
    const uint32_t with_extra = sp_tiles_find(&w.tiles, (const int32_t[3]){1, 0, 0});
    w.extra[with_extra * (size_t)SP_TILE_VOXELS + 77] = 1.0f;
    double mean[3] = {0}, expected = 0.0;
    for (size_t c = 0; c < w.tiles.count * SP_TILE_VOXELS; ++c)
        mean[w.tiles.at[c / SP_TILE_VOXELS][0] + 1] += (double)w.b[c] / (9 * 512);
    expected = 9 * 512 * (fabs(mean[0]) + fabs(mean[1]));
    const sp_poisson_def def = wanting(1e-6, SP_POISSON_FLOAT);
    const sp_poisson_report report = solved(&def, &host, &w.system, w.b, w.x);
    assert_true(report.converged);
    assert_int_equal(report.components, 3);
    assert_int_equal(report.singular, 2);
    assert_true(fabs(report.incompatible - expected) < 1e-9 * expected);
    assert_int_equal(report.worst_piece_cells, 9 * 512);
    assert_int_equal(report.worst_piece[0] >> 3, fabs(mean[0]) > fabs(mean[1]) ? -1 : 0);
    double left[3] = {0}, largest = 0.0;
    for (size_t c = 0; c < w.tiles.count * SP_TILE_VOXELS; ++c) {
        const int slab = w.tiles.at[c / SP_TILE_VOXELS][0] + 1;
        left[slab] += (double)w.x[c];
        w.b[c] -= slab < 2 ? (float)mean[slab] : 0.0f;
        largest = fmax(largest, fabs((double)w.x[c]));
    }
    assert_true(fabs(left[0]) < 1e-6 * 9 * 512 * largest); // rounding of floats
    assert_true(fabs(left[1]) < 1e-6 * 9 * 512 * largest);
    assert_true(worst_residual(&w.system, w.b, w.x) < 1e-6 + 40.0 * 0x1p-24 * largest);
    drop_drawn(&w);
}

/// ---- Periodic sides ----------------------------------------------------------------------------

/// A ring of n tiles along x, closed on the other sides: for b = cos(2 pi (i + 1/2) / 8n) the
/// solution is b / (2 - 2 cos(2 pi / 8n)). One tile is its own neighbour; odd rings need a third
/// colour.
static void periodic_rings_match_the_closed_form(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(2);
    for (int32_t n = 1; n <= 6; ++n) {
        int32_t at[6][3] = {{0}};
        for (int32_t i = 0; i < n; ++i)
            at[i][0] = i;
        sp_tiles tiles;
        const int32_t period[3] = {n, 0, 0};
        assert_ok(sp_tiles_open_periodic(&tiles, &host, 1.0f, period, (const int32_t(*)[3])at,
                                         (size_t)n, ERR));
        uint32_t row[6] = {0, 1, 2, 3, 4, 5};
        static float face[3][6 * 512], extra[6 * 512], b[6 * 512], x[6 * 512];
        const double step = 2.0 * 3.14159265358979 / (8.0 * n);
        for (size_t c = 0; c < (size_t)n * 512; ++c) {
            face[0][c] = 1.0f;
            face[1][c] = c >> 3 & 7 ? 1.0f : 0.0f;
            face[2][c] = c >> 6 & 7 ? 1.0f : 0.0f;
            x[c] = 0.0f;
            b[c] = (float)cos(step * (8.0 * tiles.at[c / 512][0] + (double)(c & 7) + 0.5));
        }
        const sp_poisson_system system = {
            &tiles, row, (size_t)n, {face[0], face[1], face[2]}, extra};
        const sp_poisson_def def = wanting(1e-6, SP_POISSON_FLOAT);
        const sp_poisson_report report = solved(&def, &host, &system, b, x);
        assert_true(report.converged && !report.fell_back);
        assert_int_equal(report.singular, 1);
        const double scale = 1.0 / (2.0 - 2.0 * cos(step));
        for (size_t c = 0; c < (size_t)n * 512; ++c) // the residual, times the largest solution
            assert_true(fabs((double)x[c] - scale * (double)b[c]) < 2e-5 * scale);
        sp_tiles_close(&tiles);
    }
}

/// Space that is periodic along every axis: all tiles are FULL, some are their own neighbours, and
/// an odd period needs a third colour.
static void fully_periodic_tiles_match_the_closed_form(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(2);
    static const int32_t period[3] = {3, 1, 2};
    int32_t at[6][3];
    for (int32_t i = 0; i < 6; ++i)
        memcpy(at[i], (const int32_t[3]){i % 3, 0, i / 3}, sizeof at[i]);
    sp_tiles tiles;
    assert_ok(sp_tiles_open_periodic(&tiles, &host, 1.0f, period, (const int32_t(*)[3])at, 6, ERR));
    uint32_t row[6];
    float b[6 * 512], x[6 * 512] = {0};
    const double step[3] = {2.0 * 3.14159265358979 / 24.0, 2.0 * 3.14159265358979 / 8.0,
                            2.0 * 3.14159265358979 / 16.0};
    double scale = 0.0;
    for (int a = 0; a < 3; ++a)
        scale += 2.0 - 2.0 * cos(step[a]);
    for (size_t c = 0; c < 6 * 512; ++c) {
        const int32_t *tile = tiles.at[c / 512];
        row[c / 512] = SP_POISSON_FULL;
        b[c] = (float)(cos(step[0] * (8.0 * tile[0] + (double)(c & 7))) *
                       cos(step[1] * (8.0 * tile[1] + (double)(c >> 3 & 7))) *
                       cos(step[2] * (8.0 * tile[2] + (double)(c >> 6 & 7))));
    }
    const sp_poisson_system system = {.tiles = &tiles, .row = row};
    const sp_poisson_def def = wanting(1e-6, SP_POISSON_FLOAT);
    const sp_poisson_report report = solved(&def, &host, &system, b, x);
    assert_true(report.converged && !report.fell_back);
    assert_int_equal(report.singular, 1);
    for (size_t c = 0; c < 6 * 512; ++c) // the residual, times the largest solution
        assert_true(fabs((double)x[c] * scale - (double)b[c]) < 2e-5);
    sp_tiles_close(&tiles);
}

/// Symmetry of the cycle, also where tiles are their own neighbours and coarse levels wrap twice.
static void assert_symmetric(const sp_poisson_system *system, const sp_host *host)
{
    for (int precision = 0; precision < 2; ++precision) {
        const sp_poisson_def def = wanting(1e-5, precision);
        sp_poisson *s;
        assert_ok(sp_poisson_open(&def, host, &s, ERR));
        assert_ok(sp_poisson_build(s, system, ERR));
        assert_true(symmetry_gap(s, precision) < (precision ? 1e-12 : 1e-5));
        sp_poisson_close(s);
    }
}

/// Water with a period of p tiles along x and q along z (0: walls, four tiles apart), 32 voxels
/// deep under a surface, with noise as right side. Returns the iterations to 1e-5; 9999: not
/// converged.
static int iterations_around(int32_t p, int32_t q, const sp_host *host)
{
    enum { HIGH = 4, MOST = 7 * 7 * HIGH };
    static int32_t at[MOST][3];
    static float face[3][MOST * 512], extra[MOST * 512], b[MOST * 512], x[MOST * 512];
    static uint32_t row[MOST];
    const int32_t wide = p ? p : 4, deep = q ? q : 4, period[3] = {p, 0, q};
    const size_t n = (size_t)(wide * deep * HIGH);
    for (int32_t i = 0; i < (int32_t)n; ++i)
        memcpy(at[i], (const int32_t[3]){i % wide, i / wide % HIGH, i / wide / HIGH}, sizeof *at);
    sp_tiles tiles;
    assert_ok(sp_tiles_open_periodic(&tiles, host, 1.0f, period, (const int32_t(*)[3])at, n, ERR));
    for (size_t c = 0; c < n * 512; ++c) {
        const int32_t *tile = tiles.at[c / 512];
        row[c / 512] = (uint32_t)(c / 512);
        face[0][c] = p || tile[0] || (c & 7) ? 1.0f : 0.0f;
        face[1][c] = tile[1] || (c >> 3 & 7) ? 1.0f : 0.0f;
        face[2][c] = q || tile[2] || (c >> 6 & 7) ? 1.0f : 0.0f;
        extra[c] = tile[1] == HIGH - 1 && (c >> 3 & 7) == 7 ? 2.0f : 0.0f;
        b[c] = sp_unit(sp_random(1, 1, c, 0, 0).x[0]) - 0.4f;
        x[c] = 0.0f;
    }
    const sp_poisson_system system = {&tiles, row, n, {face[0], face[1], face[2]}, extra};
    assert_symmetric(&system, host);
    const sp_poisson_def def = wanting(1e-5, SP_POISSON_FLOAT);
    const sp_poisson_report report = solved(&def, host, &system, b, x);
    sp_tiles_close(&tiles);
    return report.converged && !report.fell_back ? report.iterations : 9999;
}

/// With powers of two, coarse levels are periodic like the finest, so such water takes about as
/// many iterations as a box (8). With odd periods they are not, and conjugate gradients must
/// correct the rest: more iterations, but far from the hundreds that a diverging cycle takes.
static void short_periods_take_few_iterations(void **state)
{
    (void)state;
    const sp_host host = sp_host_default(2);
    static const struct {
        int32_t p, q;
        int most;
    } rows[] = {{0, 0, 8}, {1, 0, 9}, {2, 0, 9},  {4, 0, 9},  {1, 1, 9},
                {2, 1, 9}, {2, 2, 9}, {3, 0, 20}, {6, 0, 20}, {7, 3, 30}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i)
        assert_true(iterations_around(rows[i].p, rows[i].q, &host) <= rows[i].most);
}

/// ---- Threads and failures ----------------------------------------------------------------------

static void results_do_not_depend_on_threads(void **state)
{
    (void)state;
    static const int threads[] = {1, 2, 3, 5};
    for (int precision = 0; precision < 2; ++precision) {
        float *first = NULL;
        for (size_t i = 0; i < sizeof threads / sizeof *threads; ++i) {
            const sp_host host = sp_host_default(threads[i]);
            sp_poisson_case c;
            assert_ok(sp_poisson_case_open(&c, &host, SP_POISSON_COMPLEX, 44, ERR));
            const sp_poisson_def def = wanting(1e-5, precision);
            const size_t bytes = c.tiles.count * SP_TILE_VOXELS * sizeof(float);
            float *x = calloc(1, bytes);
            solved(&def, &host, &c.system, c.b, x);
            if (first) assert_memory_equal(first, x, bytes);
            if (first) free(x);
            if (!first) first = x;
            sp_poisson_case_close(&c);
        }
        free(first);
    }
}

static void failure_to_converge_is_reported(void **state)
{
    (void)state;
    sp_poisson_case c;
    assert_ok(sp_poisson_case_open(&c, HOST, SP_POISSON_WAVY, 16, ERR));
    float *x = sp_tiles_field(&c.tiles, 0.0f);
    sp_poisson_def def = wanting(1e-5, SP_POISSON_FLOAT);
    def.max_iterations = 1;
    sp_poisson_report report = solved(&def, HOST, &c.system, c.b, x);
    assert_true(report.fell_back && report.converged);
    memset(x, 0, c.tiles.count * SP_TILE_VOXELS * sizeof *x);
    def.tolerance = 0.0;
    report = solved(&def, HOST, &c.system, c.b, x);
    assert_true(!report.converged && report.residual > 0.0 && report.residual < 1e-5);
    sp_release(HOST, x);
    sp_poisson_case_close(&c);
}

static void empty_systems_are_solved(void **state)
{
    (void)state;
    const drawing d = {.side = 2, .tiles = 1.0, .cells = 0.0, .seed = 1};
    drawn w = draw_system(&d, HOST);
    w.system.tiles = &w.tiles;
    const sp_poisson_def def = sp_poisson_defaults();
    for (int empty = 0; empty < 2; ++empty) {
        for (size_t c = 0; c < w.tiles.count * SP_TILE_VOXELS; ++c)
            w.x[c] = 3.0f;
        for (size_t t = 0; t < w.tiles.count && empty; ++t)
            w.row[t] = SP_POISSON_EMPTY;
        const sp_poisson_report report = solved(&def, HOST, &w.system, w.b, w.x);
        assert_true(report.converged && report.unknowns == 0 && report.iterations == 0);
        for (size_t c = 0; c < w.tiles.count * SP_TILE_VOXELS; ++c)
            assert_true(w.x[c] == 0.0f);
    }
    drop_drawn(&w);
}

static sp_status build_twice_and_solve(const sp_host *host, sp_error *err)
{
    const sp_host ample = sp_host_default(1);
    sp_poisson_case c[2];
    for (int i = 0; i < 2; ++i)
        assert_ok(sp_poisson_case_open(&c[i], &ample, SP_POISSON_WAVY, 12 + 8 * i, ERR));
    const sp_poisson_def def = sp_poisson_defaults();
    sp_poisson *s = NULL;
    sp_poisson_report report;
    sp_status status = sp_poisson_open(&def, host, &s, err);
    for (int i = 0; i < 2; ++i) {
        float *x = sp_tiles_field(&c[i].tiles, 0.0f);
        if (status == SP_OK) status = sp_poisson_build(s, &c[i].system, err);
        if (status == SP_OK) status = sp_poisson_solve(s, c[i].b, x, &report, err);
        sp_release(&ample, x);
    }
    sp_poisson_close(s);
    for (int i = 0; i < 2; ++i)
        sp_poisson_case_close(&c[i]);
    return status;
}

static void bad_defs_are_refused(void **state)
{
    (void)state;
    sp_poisson_def bad[6];
    for (int i = 0; i < 6; ++i)
        bad[i] = sp_poisson_defaults();
    bad[0].tolerance = (double)NAN;
    bad[1].tolerance = 1.0;
    bad[2].cycle = 7;
    bad[3].smooth = 0;
    bad[4].max_iterations = -1;
    bad[5].precision = 2;
    for (int i = 0; i < 6; ++i) {
        sp_poisson *s;
        assert_int_equal(sp_poisson_open(&bad[i], HOST, &s, ERR), SP_BAD_INPUT);
        assert_true(!s && strncmp(ERR->text, "pressure.", 9) == 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solution_equals_gaussian_elimination),
        cmocka_unit_test(residual_meets_the_tolerance_in_every_case),
        cmocka_unit_test(scattered_voxels_are_solved),
        cmocka_unit_test(exact_initial_guess_takes_no_iteration),
        cmocka_unit_test(packed_coefficients_equal_the_system),
        cmocka_unit_test(multigrid_cycle_is_symmetric),
        cmocka_unit_test(mean_is_removed_from_closed_boxes),
        cmocka_unit_test(periodic_rings_match_the_closed_form),
        cmocka_unit_test(fully_periodic_tiles_match_the_closed_form),
        cmocka_unit_test(short_periods_take_few_iterations),
        cmocka_unit_test(results_do_not_depend_on_threads),
        cmocka_unit_test(failure_to_converge_is_reported),
        cmocka_unit_test(empty_systems_are_solved),
        test_failing_allocations(build_twice_and_solve, 1, 40),
        cmocka_unit_test(bad_defs_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

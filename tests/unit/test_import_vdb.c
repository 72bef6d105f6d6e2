// SPDX-License-Identifier: Apache-2.0
// links: exchange bulk tiles frame core
// Import of OpenVDB files. tests/programs/import_make.cpp writes them with OpenVDB itself and the
// same closed forms as here.
#include "exchange/exchange.h"
#include "exchange/import/import_internal.h"
#include "scarce_host.h"
#include "test_import_place.h"
#include "testing.h"
#include "tiles/levelset.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef SPUME_IMPORT_MAKE
#define SPUME_IMPORT_MAKE "" // built without OpenVDB: nothing is read
#endif

static int open_all(void **state)
{
    (void)state;
    return open_place(2);
}

/// Writes DIR/NAME with these arguments of import_make.
static const char *make(const char *name, const char *words)
{
    const char *path = path_in(dir, name);
    char command[2048];
    snprintf(command, sizeof command, "'%s' '%s' %s", SPUME_IMPORT_MAKE, path, words);
    assert_int_equal(system(command), 0);
    return path;
}

/// ---- The closed forms --------------------------------------------------------------------------

static const double start[3] = {1.0, 2.0, -0.5}, travel[3] = {0.6, -1.2, 0.3}, radius = 0.5;

static double distance_at(const double p[3], double time)
{
    double sum = 0.0;
    for (int a = 0; a < 3; ++a) {
        const double d = p[a] - start[a] - time * travel[a];
        sum += d * d;
    }
    return sqrt(sum) - radius;
}

static double velocity_at(const double p[3], int axis)
{
    const double wave = 2.0, swirl = 0.8;
    const double u = swirl * sin(wave * p[0]) * cos(wave * p[1]),
                 v = -swirl * cos(wave * p[0]) * sin(wave * p[1]);
    return travel[axis] + (axis == 0 ? u : axis == 1 ? v : 0.0);
}

/// The largest errors in the water: of the distance within two voxels, m, and of the velocity on
/// faces with water on both sides, m/s. Vectors at centres come back as means of two.
typedef struct errors {
    double phi, u;
    size_t cells;
} errors;

static void place_of(const sp_import_water *w, size_t v, double p[3])
{
    const size_t t = v / SP_TILE_VOXELS, place = v % SP_TILE_VOXELS;
    const double in[3] = {(double)(place & 7), (double)(place >> 3 & 7), (double)(place >> 6)};
    for (int a = 0; a < 3; ++a)
        p[a] = w->origin[a] + (8.0 * w->tiles.at[t][a] + in[a] + 0.5) * w->voxel;
}

static errors compare(const sp_import_water *w, bool centres)
{
    errors e = {0};
    const double h = w->voxel;
    for (size_t v = 0; v < w->tiles.count * SP_TILE_VOXELS; ++v) {
        double p[3];
        place_of(w, v, p);
        const double d = distance_at(p, 0.0);
        if (fabs(d) < 2.0 * h) e.phi = fmax(e.phi, fabs((double)w->phi[v] - d));
        if (!(d < -1.5 * h)) continue;
        ++e.cells;
        for (int a = 0; a < 3; ++a) {
            double low[3] = {p[0], p[1], p[2]}, face[3] = {p[0], p[1], p[2]};
            low[a] -= h;
            face[a] -= 0.5 * h;
            const double want =
                centres ? 0.5 * (velocity_at(p, a) + velocity_at(low, a)) : velocity_at(face, a);
            e.u = fmax(e.u, fabs((double)w->u[a][v] - want));
        }
    }
    return e;
}

static sp_status read_one(const char *path, const sp_import_options *o, sp_import_water *water,
                          sp_import_plan *plan, sp_error *err)
{
    sp_import *import;
    clear_log();
    SP_TRY(sp_import_open(&path, 1, o, &host, &import, err));
    const sp_status status = sp_import_water_read(import, 0, water, err);
    if (plan) *plan = *sp_import_get_plan(import);
    sp_import_close(import);
    return status;
}

/// The file that these words make, which must be readable.
static void read_made(const char *words, const sp_import_options *o, sp_import_water *water,
                      sp_import_plan *plan)
{
    if (read_one(make("one.0001.vdb", words), o, water, plan, ERR) != SP_OK)
        fail_msg("%s: %s", words, ERR->text);
}

/// On the same grid only rounding is left: of floats (values up to 2, so 2e-7 each) and of half
/// floats (1/2048 of the value). Blender's distances are clamped and computed again, which keeps
/// the zero and changes the rest by some hundredths of a voxel. Grids of another size or rotation
/// are sampled: 2 % of the speed and of the radius.
static void every_kind_of_source_is_imported(void **state)
{
    (void)state;
    if (sp_export_vdb_missing()) skip();
    static const struct row {
        const char *words;
        double phi, u; ///< m, m/s
        bool centres;
        sp_import_up up;
        sp_import_style style;
    } rows[] = {
        {"plain", 1e-6, 2e-6, false, SP_IMPORT_UP_AUTO, SP_IMPORT_PLAIN},
        {"plain unlabelled", 1e-6, 2e-6, false, SP_IMPORT_UP_AUTO, SP_IMPORT_PLAIN},
        {"plain centres", 1e-6, 2e-6, true, SP_IMPORT_UP_AUTO, SP_IMPORT_PLAIN},
        {"houdini scalars", 1e-6, 2e-6, false, SP_IMPORT_UP_AUTO, SP_IMPORT_HOUDINI},
        {"houdini zup centres", 1e-6, 2e-6, true, SP_IMPORT_UP_Z, SP_IMPORT_HOUDINI},
        {"houdini zup integer", 1e-6, 2e-6, false, SP_IMPORT_UP_Z, SP_IMPORT_HOUDINI},
        {"houdini half", 1e-4, 1.1e-3, false, SP_IMPORT_UP_AUTO, SP_IMPORT_HOUDINI},
        {"blender", 0.01, 1.1e-3, false, SP_IMPORT_UP_AUTO, SP_IMPORT_BLENDER},
        {"houdini ratio=1.7", 1e-6, 0.044, false, SP_IMPORT_UP_AUTO, SP_IMPORT_HOUDINI},
        {"houdini centres ratio=1.7", 1e-6, 0.044, false, SP_IMPORT_UP_AUTO, SP_IMPORT_HOUDINI},
        {"houdini stretch=1.3", 0.01, 0.044, false, SP_IMPORT_UP_AUTO, SP_IMPORT_HOUDINI},
        {"houdini scalars turned", 0.01, 0.044, false, SP_IMPORT_UP_AUTO, SP_IMPORT_HOUDINI},
    };
    for (size_t r = 0; r < sizeof rows / sizeof *rows; ++r) {
        sp_import_options o = sp_import_defaults();
        sp_import_water w;
        sp_import_plan plan;
        o.up = rows[r].up;
        read_made(rows[r].words, &o, &w, &plan);
        const errors e = compare(&w, rows[r].centres);
        if (e.phi > rows[r].phi || e.u > rows[r].u || e.cells < 100)
            fail_msg("%s: phi off by %g m, u by %g m/s, %zu cells", rows[r].words, e.phi, e.u,
                     e.cells);
        assert_int_equal(plan.style, rows[r].style);
        assert_true(fabs(w.voxel - 0.1) < 1e-9);
        sp_import_water_close(&w);
    }
}

/// The files are 100 times too large or in other units; scale and unit undo that.
static void scale_and_unit_are_applied(void **state)
{
    (void)state;
    if (sp_export_vdb_missing()) skip();
    sp_import_options o = sp_import_defaults();
    sp_import_water w;
    o.scale = 0.01; // centimetres
    o.unit = SP_IMPORT_UNIT_METER;
    read_made("houdini", &o, &w, NULL);
    assert_true(fabs(w.voxel - 0.001) < 1e-12 && w.speed < 0.03);
    sp_import_water_close(&w);
    o.scale = 1.0;
    o.unit = SP_IMPORT_UNIT_CELL;
    read_made("houdini", &o, &w, NULL);
    assert_true(w.speed > 0.1 * 2.5 * 0.1 && w.speed < 2.5 * 2.5 * 0.1);
    sp_import_water_close(&w);
}

static void distances_are_extended_beyond_the_source_band(void **state)
{
    (void)state;
    if (sp_export_vdb_missing()) skip();
    sp_import_options o = sp_import_defaults();
    sp_import_water w;
    read_made("houdini voxel=0.05", &o, &w, NULL);
    assert_true(fabsf(w.band - 0.3f) < 1e-6f); // twice three voxels
    for (size_t v = 0; v < w.tiles.count * SP_TILE_VOXELS; ++v) {
        double p[3];
        place_of(&w, v, p);
        const double d = fmax(-0.3, fmin(0.3, distance_at(p, 0.0)));
        assert_true(fabs((double)w.phi[v] - d) < 0.1 * 0.05); // a tenth of a voxel
    }
    sp_import_water_close(&w);
}

/// Points in a shell become a ball: its surface is within half a voxel (blobs of Zhu and Bridson, or
/// Blender's spheres), and its inside is filled.
static void shell_of_points_becomes_a_filled_ball(void **state)
{
    (void)state;
    if (sp_export_vdb_missing()) skip();
    static const struct {
        const char *words, *surface;
        sp_import_style style;
        double u; ///< m/s; the plain velocity lies half a voxel off and is sampled
    } rows[] = {{"blender points voxel=0.06", NULL, SP_IMPORT_BLENDER, 1.1e-3},
                {"points voxel=0.06", "particles", SP_IMPORT_PLAIN, 0.044}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; ++r) {
        sp_import_options o = sp_import_defaults();
        sp_import_water w;
        sp_import_plan plan;
        o.surface = rows[r].surface;
        o.style = rows[r].style;
        read_made(rows[r].words, &o, &w, &plan);
        assert_int_equal(plan.style, rows[r].style);
        assert_string_equal(plan.points, "particles");
        assert_non_null(strstr(logged, "deep inside: it was filled in"));
        const errors e = compare(&w, false);
        if (!(e.phi < 0.5 * w.voxel && e.u < rows[r].u && e.cells > 500))
            fail_msg("%s: phi off by %g voxels, u by %g m/s, %zu cells", rows[r].words,
                     e.phi / w.voxel, e.u, e.cells);
        for (size_t v = 0; v < w.tiles.count * SP_TILE_VOXELS; ++v) {
            double p[3];
            place_of(&w, v, p);
            const double d = distance_at(p, 0.0);
            if (d < -0.5 * w.voxel) assert_true(w.phi[v] < 0.0f);
            if (d > 0.5 * w.voxel) assert_true(w.phi[v] > 0.0f);
            if (d < -4.5 * w.voxel) assert_true(w.phi[v] == -w.band);
        }
        sp_import_water_close(&w);
    }
}

/// Walls 0.75 radii from the centre cut six caps off the ball, each of pi (R - a)^2 (2 R + a) / 3.
/// Blender's surface and its velocity continue in the walls, the latter 20 times too fast; a cache
/// with points only has the size of the domain, whose outermost cells are walls.
static void water_ends_at_walls(void **state)
{
    (void)state;
    if (sp_export_vdb_missing()) skip();
    static const char *const words[] = {"blender walls voxel=0.05",
                                        "blender walls points voxel=0.05"};
    const double pi = 3.14159265358979, a = 0.375;
    const double expected = pi * (4.0 / 3.0 * radius * radius * radius -
                                  2.0 * (radius - a) * (radius - a) * (2.0 * radius + a));
    for (int k = 0; k < 2; ++k) {
        const sp_import_options o = sp_import_defaults();
        sp_import_water w;
        read_made(words[k], &o, &w, NULL);
        const double volume = sp_levelset_volume(&w.tiles, w.phi);
        if (fabs(volume / expected - 1.0) > (k ? 0.05 : 0.01) || w.speed > 2.5)
            fail_msg("%s: %g m3 instead of %g, %g m/s", words[k], volume, expected, w.speed);
        sp_import_water_close(&w);
    }
}

static void pressure_is_imported(void **state)
{
    (void)state;
    if (sp_export_vdb_missing()) skip();
    sp_import_options o = sp_import_defaults();
    sp_import_water w;
    read_made("houdini pressure", &o, &w, NULL);
    assert_non_null(w.pressure);
    for (size_t v = 0; v < w.tiles.count * SP_TILE_VOXELS; ++v) {
        double p[3];
        place_of(&w, v, p);
        if (w.phi[v] < 0.0f) assert_true(fabs((double)w.pressure[v] - p[1]) < 1e-6);
    }
    sp_import_water_close(&w);
}

static void fog_becomes_a_surface_on_request(void **state)
{
    (void)state;
    if (sp_export_vdb_missing()) skip();
    sp_import_options o = sp_import_defaults();
    sp_import_water w;
    const char *path = make("fog.0001.vdb", "plain fog");
    assert_int_equal(read_one(path, &o, &w, NULL, ERR), SP_BAD_INPUT);
    assert_string_equal(ERR->text, "fog.0001.vdb has no level set; grids found: density (fog), "
                                   "velocity (staggered vec3). Name one with --surface or use "
                                   "--fog");
    o.fog = true;
    assert_ok(read_one(path, &o, &w, NULL, ERR));
    assert_non_null(strstr(logged, "holds densities"));
    assert_true(compare(&w, false).phi < 0.2 * 0.1);
    sp_import_water_close(&w);
    o.fog = false;
    o.surface = "density";
    assert_ok(read_one(path, &o, &w, NULL, ERR));
    sp_import_water_close(&w);
}

static void inverted_sign_is_detected(void **state)
{
    (void)state;
    if (sp_export_vdb_missing()) skip();
    sp_import_options o = sp_import_defaults();
    sp_import_water w;
    read_made("houdini flip", &o, &w, NULL);
    assert_non_null(strstr(logged, "sign was inverted"));
    assert_true(compare(&w, false).phi < 1e-6);
    sp_import_water_close(&w);
    static const char *const sound[] = {"houdini", "houdini deep voxel=0.05"};
    for (int k = 0; k < 2; ++k) {
        read_made(sound[k], &o, &w, NULL);
        assert_null(strstr(logged, "inverted"));
        sp_import_water_close(&w);
    }
}

static void placement_of_vectors_is_detected_and_logged(void **state)
{
    (void)state;
    if (sp_export_vdb_missing()) skip();
    sp_import_options o = sp_import_defaults();
    sp_import_water w;
    sp_import_plan plan;
    static const char *const words[] = {"plain centres", "plain unlabelled"};
    for (int k = 0; k < 2; ++k) {
        read_made(words[k], &o, &w, &plan);
        assert_int_equal(plan.staggered, k == 1);
        assert_non_null(strstr(logged, k ? "taken as faces" : "taken as centres"));
        sp_import_water_close(&w);
    }
}

/// ---- What is missing ---------------------------------------------------------------------------

static void deep_water_without_velocity_is_flagged_no_data(void **state)
{
    (void)state;
    if (sp_export_vdb_missing()) skip();
    sp_import_options o = sp_import_defaults();
    sp_import *import;
    sp_bulk bulk;
    const char *path = make("one.0001.vdb", "houdini deep voxel=0.03");
    clear_log();
    assert_ok(sp_import_open(&path, 1, &o, &host, &import, ERR));
    assert_non_null(strstr(logged, "this cache was band-compressed"));
    assert_ok(sp_import_bulk(import, &bulk, ERR));
    const double x[2] = {start[0], start[0] + 0.47}, y[2] = {start[1], start[1]},
                 z[2] = {start[2], start[2]};
    uint8_t mask[2];
    float phi[2];
    const sp_bulk_query q = {.n = 2, .x = x, .y = y, .z = z, .mask = mask, .phi = phi};
    assert_ok(sp_bulk_sample(&bulk, &host, bulk.first, &q, ERR));
    assert_int_equal(mask[0], SP_BULK_NO_DATA);
    assert_int_equal(mask[1], 0);
    assert_true(phi[0] < 0.0f && phi[1] < 0.0f);
    sp_bulk_close(&bulk);
}

static void refuse(const char *path, const sp_import_options *o, sp_status status,
                   const char *sentence)
{
    sp_import_water w;
    assert_fails(read_one(path, o, &w, NULL, ERR), status, sentence);
}

static void unusable_files_are_refused_with_the_grids_found(void **state)
{
    (void)state;
    if (sp_export_vdb_missing()) skip();
    sp_import_options o = sp_import_defaults();
    refuse(make("bulk.0001.vdb", "plain bare"), &o, SP_BAD_INPUT,
           "bulk.0001.vdb has no level set; grids found: velocity (staggered vec3). Name one with "
           "--surface or use --fog");
    refuse(make("bulk.0001.vdb", "plain none"), &o, SP_BAD_INPUT,
           "no velocity grid found; bubbles need one. Grids: surface (level set). With --velocity "
           "none only foam on a still surface is possible");
    refuse(make("bulk.0001.vdb", "plain control none"), &o, SP_BAD_INPUT,
           "bubbles need one. Grids: wa?ter?[1m (level set). With"); // one line, no escapes
    refuse(make("bulk.0001.vdb", "plain wild"), &o, SP_BAD_INPUT,
           " m/s with voxel 0.1 m: velocity is probably in cells per unit (Blender)? use "
           "--velocity-unit cells/unit");
    refuse(make("bulk.0001.vdb", "plain nan"), &o, SP_DAMAGED,
           "frame 1 is incomplete (grid surface holds a value that is not a number)");
    o.surface = "water";
    refuse(make("bulk.0001.vdb", "plain"), &o, SP_BAD_INPUT,
           "has no surface 'water'; grids found:");
    o.surface = NULL;
    o.velocity = "speed";
    refuse(make("bulk.0001.vdb", "plain"), &o, SP_BAD_INPUT, "no velocity grid 'speed' found");
    o.velocity = "none";
    sp_import_water w;
    assert_ok(read_one(make("bulk.0001.vdb", "plain none"), &o, &w, NULL, ERR));
    assert_true(w.speed == 0.0 && w.known[0]);
    sp_import_water_close(&w);
}

/// A truncated file is refused in one sentence that names its frame: at open if its header is cut,
/// at read if its body is cut.
static void truncated_file_is_named(void **state)
{
    (void)state;
    if (sp_export_vdb_missing()) skip();
    sp_import_options o = sp_import_defaults();
    const char *path = make("cut.0088.vdb", "houdini");
    struct stat what;
    assert_int_equal(stat(path, &what), 0);
    for (int n = 24; n-- > 0;) { // ever shorter
        assert_int_equal(truncate(path, what.st_size * n / 24 + n), 0);
        refuse(path, &o, SP_DAMAGED, "frame 88 is incomplete (");
    }
    refuse("/nowhere/at/all.0001.vdb", &o, SP_IO, "No such file");
}

/// ---- Sequences ---------------------------------------------------------------------------------

static void frame_numbers_come_from_file_names(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint64_t frame;
        uint32_t fraction;
    } rows[] = {
        {"water.0012.vdb", 12, 0},        {"fluid_data_0012.vdb", 12, 0},
        {"a/b7/water12.vdb", 12, 0},      {"water.0012.50.vdb", 12, 5000},
        {"water.0012.125.vdb", 12, 1250}, {"take.3.0012.vdb", 12, 0},
        {"v2.0100.vdb", 100, 0},          {"water_12_final.vdb", 12, 0},
        {"water.v03.0007.vdb", 7, 0},
    };
    for (size_t r = 0; r < sizeof rows / sizeof *rows; ++r) {
        uint64_t frame;
        uint32_t fraction;
        assert_true(import_name_parse(rows[r].name, &frame, &fraction));
        if (frame != rows[r].frame || fraction != rows[r].fraction)
            fail_msg("%s: frame %llu, fraction %u", rows[r].name, (unsigned long long)frame,
                     (unsigned)fraction);
    }
    uint64_t frame;
    uint32_t fraction;
    assert_false(import_name_parse("water.vdb", &frame, &fraction));
}

static sp_status sequence(const char *const *paths, size_t n, uint64_t max_gap, import_sequence *q,
                          sp_error *err)
{
    sp_import_options o = sp_import_defaults();
    o.max_gap = max_gap;
    clear_log();
    SP_TRY(import_sequence_list(q, paths, n, &o, &host, err));
    return import_sequence_number(q, o.max_gap, err);
}

static void gaps_are_bridged_or_refused(void **state)
{
    (void)state;
    const char *const paths[] = {"w.0043.vdb", "w.0030.vdb", "w.0029.vdb"};
    import_sequence q;
    assert_int_equal(sequence(paths, 3, 3, &q, ERR), SP_BAD_INPUT);
    assert_string_equal(ERR->text,
                        "frames 31-42 are missing (12 > max_gap 3); give --max-gap 12 to "
                        "bridge them or start at frame 43");
    import_sequence_close(&q);
    assert_ok(sequence(paths, 3, 12, &q, ERR));
    assert_int_equal(q.files[0].frame, 29);
    assert_non_null(strstr(logged, "frames 31-42 are missing: bridged"));
    import_sequence_close(&q);
    const char *const twice[] = {"w.0030.vdb", "v.0030.vdb"};
    assert_fails(sequence(twice, 2, 3, &q, ERR), SP_BAD_INPUT, "both hold frame 30");
    import_sequence_close(&q);
    const char *const nameless[] = {"w.vdb", "v.0030.vdb"};
    assert_fails(sequence(nameless, 2, 3, &q, ERR), SP_BAD_INPUT,
                 "has no frame number in its name");
    import_sequence_close(&q);
}

static void sub_frames_are_additional_samples(void **state)
{
    (void)state;
    const char *const paths[] = {"w.0012.vdb", "w.0012.25.vdb", "w.0012.50.vdb", "w.0013.vdb"};
    static const uint64_t numbers[] = {48, 49, 50, 52};
    import_sequence q;
    assert_ok(sequence(paths, 4, 3, &q, ERR));
    assert_int_equal(q.per_frame, 4);
    for (int k = 0; k < 4; ++k)
        assert_int_equal(q.files[k].number, numbers[k]);
    import_sequence_close(&q);
}

/// Ten frames of a moving ball, frame 5 missing: at frames and between them the centre is right
/// within half a voxel, which allows for the swirl over two frames.
static void vdb_files_serve_as_bulk(void **state)
{
    (void)state;
    if (sp_export_vdb_missing()) skip();
    static char names[9][128];
    const char *paths[9];
    for (int k = 0, frame = 1; k < 9; ++k, ++frame) {
        char name[32], words[64];
        if (frame == 5) ++frame;
        snprintf(name, sizeof name, "ball.%04d.vdb", frame);
        snprintf(words, sizeof words, "houdini time=%.17g", frame / 24.0);
        snprintf(names[k], sizeof names[k], "%s", make(name, words));
        paths[k] = names[k];
    }
    sp_import_options o = sp_import_defaults();
    sp_import *import;
    sp_bulk bulk;
    clear_log();
    assert_ok(sp_import_open(paths, 9, &o, &host, &import, ERR));
    assert_non_null(strstr(logged, "frame 5 is missing: bridged from 4 to 6"));
    assert_ok(sp_import_bulk(import, &bulk, ERR));
    assert_true(fabs(bulk.first - 1.0 / 24.0) < 1e-12 && fabs(bulk.last - 10.0 / 24.0) < 1e-12);
    static const double frames[] = {1.0, 2.5, 5.0, 9.75, 10.0};
    for (int k = 0; k < 5; ++k) {
        const double t = fmin(bulk.last, frames[k] / 24.0);
        for (int side = 0; side < 6; ++side) {
            double p[3];
            for (int a = 0; a < 3; ++a)
                p[a] = start[a] + t * travel[a];
            p[side / 2] += side % 2 ? radius : -radius;
            float phi;
            const sp_bulk_query q = {.n = 1, .x = &p[0], .y = &p[1], .z = &p[2], .phi = &phi};
            assert_ok(sp_bulk_sample(&bulk, &host, t, &q, ERR));
            assert_true(fabsf(phi) < 0.5f * 0.1f);
        }
    }
    for (int a = 0; a < 3; ++a) {
        const double from = start[a] + bulk.first * travel[a],
                     to = start[a] + bulk.last * travel[a];
        assert_true(bulk.low[a] < fmin(from, to) - radius);
        assert_true(bulk.high[a] > fmax(from, to) + radius);
    }
    sp_bulk_close(&bulk);
}

/// A cache in Blender's units that is read as m/s moves four times slower than its velocity says,
/// and the other way round. The message names the right unit.
static void velocity_unit_that_contradicts_the_motion_is_refused(void **state)
{
    (void)state;
    if (sp_export_vdb_missing()) skip();
    static char names[2][128];
    for (int style = 0; style < 2; ++style) {
        const char *paths[2];
        for (int k = 0; k < 2; ++k) {
            char name[32], words[64];
            snprintf(name, sizeof name, "unit.%04d.vdb", k + 1);
            snprintf(words, sizeof words, "%s time=%.17g", style ? "houdini" : "blender",
                     (k + 1) / 24.0);
            snprintf(names[k], sizeof names[k], "%s", make(name, words));
            paths[k] = names[k];
        }
        sp_import_options o = sp_import_defaults();
        sp_import *import;
        assert_ok(sp_import_open(paths, 2, &o, &host, &import, ERR));
        sp_import_close(import);
        o.unit = style ? SP_IMPORT_UNIT_CELL : SP_IMPORT_UNIT_METER;
        assert_fails(sp_import_open(paths, 2, &o, &host, &import, ERR), SP_BAD_INPUT,
                     style ? "use --velocity-unit m/s" : "use --velocity-unit cells/unit");
    }
}

/// ---- The machine -------------------------------------------------------------------------------

static void import_does_not_depend_on_threads(void **state)
{
    (void)state;
    if (sp_export_vdb_missing()) skip();
    const char *path = make("one.0001.vdb", "houdini zup centres ratio=1.7");
    uint64_t hashes[3];
    for (int n = 1; n <= 3; ++n) {
        const sp_host own = sp_host_default(n);
        sp_import_options o = sp_import_defaults();
        sp_import *import;
        const sp_frame *frame;
        o.up = SP_IMPORT_UP_Z;
        o.threads = n;
        assert_ok(sp_import_open(&path, 1, &o, &own, &import, ERR));
        assert_ok(sp_import_read(import, 0, &frame, ERR));
        assert_ok(sp_frame_check(frame, ERR));
        hashes[n - 1] = frame->hash;
        sp_import_close(import);
        assert_true(hashes[n - 1] == hashes[0]);
    }
}

static const char *scarce_path;
static sp_status import_once(const sp_host *poor, sp_error *err)
{
    sp_import_options o = sp_import_defaults();
    sp_import *import;
    const sp_frame *frame;
    o.threads = 1;
    SP_TRY(sp_import_open(&scarce_path, 1, &o, poor, &import, err)); // which reads it once already
    const sp_status status = sp_import_read(import, 0, &frame, err);
    sp_import_close(import);
    return status;
}

static void failed_allocations_leak_nothing(void **state)
{
    (void)state;
    if (sp_export_vdb_missing()) skip();
    scarce_path = make("one.0001.vdb", "houdini centres voxel=0.2");
    scarce_fail_each(import_once, 1, 60);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_of_source_is_imported),
        cmocka_unit_test(scale_and_unit_are_applied),
        cmocka_unit_test(distances_are_extended_beyond_the_source_band),
        cmocka_unit_test(shell_of_points_becomes_a_filled_ball),
        cmocka_unit_test(water_ends_at_walls),
        cmocka_unit_test(pressure_is_imported),
        cmocka_unit_test(fog_becomes_a_surface_on_request),
        cmocka_unit_test(inverted_sign_is_detected),
        cmocka_unit_test(placement_of_vectors_is_detected_and_logged),
        cmocka_unit_test(deep_water_without_velocity_is_flagged_no_data),
        cmocka_unit_test(unusable_files_are_refused_with_the_grids_found),
        cmocka_unit_test(truncated_file_is_named),
        cmocka_unit_test(frame_numbers_come_from_file_names),
        cmocka_unit_test(gaps_are_bridged_or_refused),
        cmocka_unit_test(sub_frames_are_additional_samples),
        cmocka_unit_test(vdb_files_serve_as_bulk),
        cmocka_unit_test(velocity_unit_that_contradicts_the_motion_is_refused),
        cmocka_unit_test(import_does_not_depend_on_threads),
        cmocka_unit_test(failed_allocations_leak_nothing),
    };
    return cmocka_run_group_tests(tests, open_all, NULL);
}

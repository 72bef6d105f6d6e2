// SPDX-License-Identifier: Apache-2.0
/// Checks of shapes. A signed distance is exact if and only if its Lipschitz constant is 1 (it is
/// never too large) and a step of its own length down the gradient ends on the surface (it is never
/// too small). Both are measured for every sample.
#include "validate/shapes/proofs.h"

#include <math.h>

static double length(const double a[3])
{
    return sqrt(sp_dot3(a, a));
}

/// ---- Distances ---------------------------------------------------------------------------------

enum { POINTS = 4000 };

static void distance_rows(sp_check_report *report, const shape_sample *sample, const sp_shape *s)
{
    double unit = 0.0, foot = 0.0, faster = 0.0, along = 0.0;
    for (uint64_t i = 0; i < POINTS; ++i) {
        double p[3], q[3], n[3], other[3], step[3];
        shape_sample_point(2 * i, p);
        shape_sample_point(2 * i + 1, q);
        const double d = sp_shape_distance(s, 0.0, p, n);
        const double there = sp_shape_distance(s, 0.0, q, NULL);
        sp_sub3(p, q, step);
        unit = fmax(unit, fabs(length(n) - 1.0));
        faster = fmax(faster, fabs(d - there) - length(step));
        for (int k = 0; k < 3; ++k)
            other[k] = p[k] - d * n[k];
        foot = fmax(foot, fabs(sp_shape_distance(s, 0.0, other, NULL)));
        for (int k = 0; k < 3; ++k)
            other[k] = p[k] - 0.5 * d * n[k];
        along = fmax(along, fabs(sp_shape_distance(s, 0.0, other, NULL) - 0.5 * d));
    }
    sp_at_most(report, sp_label(report, "%s: ||gradient| - 1|", sample->name), unit, 1e-14,
               "a unit vector, to rounding");
    sp_at_most(report,
               sp_label(report, "%s: |distance| one distance down the gradient, m", sample->name),
               foot, 1e-14, "never too small: the nearest point is there, to rounding");
    sp_at_most(
        report,
        sp_label(report, "%s: change of the distance minus length of the step, m", sample->name),
        faster, 1e-14, "never too large: no surface is nearer");
    sp_at_most(report, sp_label(report, "%s: error half way down the gradient, m", sample->name),
               along, 1e-14, "straight to the nearest point");
}

static sp_status prove_distance(sp_check_report *report, sp_error *err)
{
    for (size_t i = 0; i < shape_sample_count; ++i) {
        sp_shape *s;
        SP_TRY(sp_shape_open(&shape_samples[i].def, NULL, report->host, &s, err));
        distance_rows(report, &shape_samples[i], s);
        sp_shape_close(s);
    }
    return SP_OK;
}

/// ---- Meshes ------------------------------------------------------------------------------------

static sp_status volume_error(const sp_shape *s, float edge, double expected, double *error,
                              sp_error *err)
{
    sp_mesh mesh;
    SP_TRY(sp_shape_mesh(s, edge, NULL, 2.0, &mesh, err));
    *error = fabs(sp_mesh_volume(&mesh) / expected - 1.0);
    sp_mesh_close(&mesh);
    return SP_OK;
}

/// Closed, outward, on the surface.
static sp_status mesh_rows(sp_check_report *report, const shape_sample *sample, const sp_shape *s,
                           sp_error *err)
{
    sp_mesh mesh;
    sp_mesh_edges edges;
    SP_TRY(sp_shape_mesh(s, 0.02f, NULL, 4.0, &mesh, err));
    const sp_status status = sp_mesh_look(&mesh, &edges, err);
    double off = 0.0, turned = 0.0;
    const bool bounded = sample->volume > 0.0; // else the mesh is finite and the solid is not
    for (size_t i = 0; i < mesh.vertex_count && bounded; ++i) {
        double p[3], n[3], m[3];
        for (int k = 0; k < 3; ++k) {
            p[k] = (double)mesh.x[i][k];
            m[k] = mesh.n ? (double)mesh.n[i][k] : 0.0;
        }
        off = fmax(off, fabs(sp_shape_distance(s, 0.0, p, n)));
        if (mesh.n) turned = fmax(turned, 1.0 - sp_dot3(n, m));
    }
    sp_at_most(
        report, sp_label(report, "%s: edges that are open, crowded or flipped", sample->name),
        (double)(edges.open + edges.crowded + edges.flipped), 0, "closed and consistently wound");
    if (bounded)
        sp_at_most(report, sp_label(report, "%s: vertices off the surface, m", sample->name), off,
                   2.5e-7, "coordinates up to 1.5 m are rounded to floats");
    if (bounded && mesh.n)
        sp_at_most(report, sp_label(report, "%s: 1 - cos(mesh normal, gradient)", sample->name),
                   turned, 1e-6, "the same direction, to a float");
    sp_mesh_close(&mesh);
    return status;
}

static sp_status volume_rows(sp_check_report *report, const shape_sample *sample, const sp_shape *s,
                             sp_error *err)
{
    double coarse, fine;
    SP_TRY(volume_error(s, 0.016f, sample->volume, &coarse, err));
    SP_TRY(volume_error(s, 0.008f, sample->volume, &fine, err));
    const bool flat = sample->def.shape.box;
    sp_at_most(report, sp_label(report, "%s: relative error of the mesh's volume", sample->name),
               fine, flat ? 1e-6 : 1e-3,
               flat ? "flat faces: only rounding"
                    : "chords lie inside circles by (edge/radius)^2/8");
    if (flat) return SP_OK;
    sp_within(report, sp_label(report, "%s: order of convergence of its volume", sample->name),
              log2(coarse / fine), 2.0, 0.15,
              "chords; the number of segments is a multiple of four, which shifts it slightly");
    return SP_OK;
}

static sp_status prove_meshes(sp_check_report *report, sp_error *err)
{
    for (size_t i = 0; i < shape_sample_count; ++i) {
        sp_shape *s;
        SP_TRY(sp_shape_open(&shape_samples[i].def, NULL, report->host, &s, err));
        sp_status status = mesh_rows(report, &shape_samples[i], s, err);
        if (status == SP_OK && shape_samples[i].volume > 0.0)
            status = volume_rows(report, &shape_samples[i], s, err);
        sp_shape_close(s);
        SP_TRY(status);
    }
    return SP_OK;
}

/// ---- Trees over meshes -------------------------------------------------------------------------

/// Distance and winding number of a mesh, against its closed form.
static sp_status tree_rows(sp_check_report *report, const shape_sample *sample, const sp_shape *s,
                           const sp_mesh *mesh, sp_error *err)
{
    enum { QUERIES = 2000 };
    sp_bvh *bvh;
    SP_TRY(sp_bvh_open(mesh, report->host, &bvh, err));
    double off = 0.0, inside = 0.0, outside = 0.0;
    for (uint64_t i = 0; i < QUERIES; ++i) {
        double p[3];
        float at[3] = {0}, from[3];
        shape_sample_point(i, p);
        for (int k = 0; k < 3; ++k)
            from[k] = (float)p[k];
        const double d = sp_shape_distance(s, 0.0, p, NULL);
        sp_bvh_closest(bvh, from, INFINITY, at, NULL, NULL);
        const double r[3] = {p[0] - (double)at[0], p[1] - (double)at[1], p[2] - (double)at[2]};
        off = fmax(off, fabs(fabs(d) - length(r)));
        if (fabs(d) < 2e-3) continue; // within a chord of the surface either answer is right
        const double winding = (double)sp_bvh_winding(bvh, from);
        if (d < 0.0)
            inside = fmax(inside, fabs(winding - 1.0));
        else
            outside = fmax(outside, fabs(winding));
    }
    sp_bvh_close(bvh);
    sp_at_most(report,
               sp_label(report, "%s: distance to its mesh against closed form, m", sample->name),
               off, 1e-3, "chords of 0.03 m on a radius of 0.125 m and up, edge^2/(8 radius)");
    sp_at_most(report, sp_label(report, "%s: |winding number - 1| inside", sample->name), inside,
               0.05, "distant clusters are approximated; the sign needs 0.5");
    sp_at_most(report, sp_label(report, "%s: |winding number| outside", sample->name), outside,
               0.05, "distant clusters are approximated; the sign needs 0.5");
    return SP_OK;
}

static sp_status prove_trees(sp_check_report *report, sp_error *err)
{
    for (size_t i = 0; i < shape_sample_count; ++i) {
        const shape_sample *sample = &shape_samples[i];
        if (!(sample->volume > 0.0)) continue;
        sp_shape *s;
        sp_mesh mesh;
        SP_TRY(sp_shape_open(&sample->def, NULL, report->host, &s, err));
        sp_status status = sp_shape_mesh(s, 0.03f, NULL, 2.0, &mesh, err);
        if (status == SP_OK) status = tree_rows(report, sample, s, &mesh, err);
        sp_mesh_close(&mesh);
        sp_shape_close(s);
        SP_TRY(status);
    }
    return SP_OK;
}

/// ---- Motion ------------------------------------------------------------------------------------

static void place(const sp_shape *s, double t, const double body[3], double out[3])
{
    const sp_body pose = sp_shape_pose(s, t);
    shape_rotate(pose.rotation, body, out);
    for (int k = 0; k < 3; ++k)
        out[k] += pose.position[k];
}

/// Times between keys only: at a key a straight path has two velocities.
static void motion_rows(sp_check_report *report, const char *name, const sp_shape *s)
{
    const double h = 1e-4;
    double off = 0.0, skew = 0.0;
    for (uint64_t i = 0; i < 400; ++i) {
        const double t = (double)i / 150.0 + 0.0011;
        double p[3], before[3], after[3], now[3], v[3];
        shape_sample_point(i, p);
        place(s, t - h, p, before);
        place(s, t, p, now);
        place(s, t + h, p, after);
        sp_shape_velocity(s, t, now, v);
        for (int k = 0; k < 3; ++k)
            off = fmax(off, fabs((after[k] - before[k]) / (2.0 * h) - v[k]));
        const sp_body pose = sp_shape_pose(s, t);
        for (int a = 0; a < 3; ++a)
            for (int b = 0; b < 3; ++b)
                skew = fmax(skew,
                            fabs(sp_dot3(pose.rotation + 3 * a, pose.rotation + 3 * b) - (a == b)));
    }
    // The third derivative is omega^3 r: (17.5 + 9.4)^3 * 2.6 m at most, times h^2/6.
    sp_at_most(report,
               sp_label(report, "%s: velocity against finite differences of position, m/s", name),
               off, 1e-4, "central differences over 0.2 ms have an error of 8.4e-5");
    sp_at_most(report, sp_label(report, "%s: rotation times its transpose against 1", name), skew,
               1e-14, "a rotation, to rounding");
}

static sp_status prove_motion(sp_check_report *report, sp_error *err)
{
    sp_collider_def def = shape_samples[0].def;
    for (int smooth = 0; smooth < 2; ++smooth) {
        sp_shape *s;
        def.motion = smooth ? shape_sample_smooth_motion : shape_sample_motion;
        SP_TRY(sp_shape_open(&def, NULL, report->host, &s, err));
        motion_rows(report, smooth ? "smooth path with spin" : "straight path with spin", s);
        sp_shape_close(s);
    }
    return SP_OK;
}

static const sp_check checks[] = {
    {"distance", false, "distances and gradients of all shapes are exact, inside and outside",
     prove_distance},
    {"meshes", false, "meshes of all shapes are closed, on the surface and of the right volume",
     prove_meshes},
    {"trees", false, "closest points and winding numbers of meshes agree with closed forms",
     prove_trees},
    {"motion", false, "the velocity of a moving body is the time derivative of its points",
     prove_motion},
    {"shares", false, "the open fraction of faces cut by planes is exact", shape_prove_shares},
    {"solids", false, "solids on a grid have the right volume, and displace it when they move",
     shape_prove_solids},
};
const sp_subject sp_validate_shapes = {"shapes", checks, sizeof checks / sizeof *checks};

// SPDX-License-Identifier: Apache-2.0
/// One sample of each shape: solid, as a container, as a container without lid, as an infinite
/// container. All fit into a cube from -1.5 to 1.5 m and are tilted where possible.
#include "validate/shapes/proofs.h"

#define PI SP_PI_D

static const sp_box_def box = {{-0.6f, -0.5f, -0.4f}, {0.5f, 0.7f, 0.3f}};
static const sp_sphere_def sphere = {{0.1f, -0.2f, 0.15f}, 0.7f};
static const sp_cylinder_def rod = {{-0.4f, -0.3f, 0.2f}, {0.4f, 0.3f, 0.2f}, 0.35f};
static const sp_cylinder_def glass = {{0.1f, 0.6f, 0.0f}, {0.1f, -0.5f, 0.0f}, 0.5f};
static const sp_torus_def ring = {{0.0f, 0.1f, 0.0f}, {1.0f, 2.0f, 2.0f}, 0.8f, 0.25f};
static const sp_plane_def floor_plane = {{0.0f, -0.2f, 0.0f}, {0.3f, 1.0f, -0.2f}};

/// Volume after growing by w on every side.
#define BOX(w) ((1.1 + 2 * (w)) * (1.2 + 2 * (w)) * (0.7 + 2 * (w)))
#define SPHERE(w) (4.0 / 3.0 * PI * (0.7 + (w)) * (0.7 + (w)) * (0.7 + (w)))
#define ROD(w) (PI * (0.35 + (w)) * (0.35 + (w)) * (1.0 + 2 * (w)))
#define CAPSULE(w) (PI * (0.35 + (w)) * (0.35 + (w)) * (1.0 + 4.0 / 3.0 * (0.35 + (w))))
#define RING(w) (2.0 * PI * PI * 0.8 * (0.25 + (w)) * (0.25 + (w)))
#define WALL 0.125
#define WALLS .inside_out = true, .thickness = 0.125f
#define ENDLESS .inside_out = true

const shape_sample shape_samples[] = {
    {"box", {.shape.box = &box}, BOX(0), false},
    {"sphere", {.shape.sphere = &sphere}, SPHERE(0), true},
    {"cylinder", {.shape.cylinder = &rod}, ROD(0), false},
    {"capsule", {.shape.capsule = &rod}, CAPSULE(0), true},
    {"torus", {.shape.torus = &ring}, RING(0), true},
    {"plane", {.shape.plane = &floor_plane}, 0, false},
    {"box around a hollow", {.shape.box = &box, WALLS}, BOX(WALL) - BOX(0), false},
    {"sphere around a hollow", {.shape.sphere = &sphere, WALLS}, SPHERE(WALL) - SPHERE(0), true},
    {"cylinder around a hollow", {.shape.cylinder = &rod, WALLS}, ROD(WALL) - ROD(0), false},
    {"capsule around a hollow", {.shape.capsule = &rod, WALLS}, CAPSULE(WALL) - CAPSULE(0), true},
    {"torus around a hollow", {.shape.torus = &ring, WALLS}, RING(WALL) - RING(0), true},
    {"slab", {.shape.plane = &floor_plane, WALLS}, 0, false},
    {"tank",
     {.shape.box = &box, WALLS, .open = SP_OPEN_TOP},
     (1.1 + 2 * WALL) * (1.2 + WALL) * (0.7 + 2 * WALL) - BOX(0),
     false},
    {"glass",
     {.shape.cylinder = &glass, WALLS, .open = SP_OPEN_TOP},
     PI *((0.5 + WALL) * (0.5 + WALL) * (1.1 + WALL) - 0.25 * 1.1),
     false},
    {"hollow in everything", {.shape.sphere = &sphere, ENDLESS}, 0, true},
    {"room", {.shape.box = &box, ENDLESS}, 0, false},
    {"pit", {.shape.box = &box, ENDLESS, .open = SP_OPEN_TOP}, 0, false},
    {"well", {.shape.cylinder = &glass, ENDLESS, .open = SP_OPEN_TOP}, 0, false},
};
const size_t shape_sample_count = sizeof shape_samples / sizeof *shape_samples;

static const sp_spin_def spin = {{0.2f, 0.1f, -0.3f}, {1.0f, 1.0f, 0.5f}, 90.0f};
static const sp_pose_def keys[] = {
    {0.0f, {0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f}, 0.0f},
    {0.5f, {0.4f, 0.1f, 0.0f}, {0.0f, 1.0f, 0.0f}, 500.0f},
    {1.25f, {0.3f, 0.6f, -0.2f}, {1.0f, 0.0f, 1.0f}, 120.0f},
    {2.0f, {-0.1f, 0.2f, 0.5f}, {1.0f, -1.0f, 0.0f}, -60.0f},
};
const sp_motion_def shape_sample_motion = {keys, 4, SP_PATH_LINEAR, &spin};
const sp_motion_def shape_sample_smooth_motion = {keys, 4, SP_PATH_SMOOTH, &spin};

double shape_sample_unit(uint64_t n, uint32_t k)
{
    enum { PURPOSE = 2000 };
    return (double)sp_unit(sp_random(1, PURPOSE, n, 0, k / 4).x[k % 4]);
}

void shape_sample_point(uint64_t n, double p[3])
{
    for (uint32_t k = 0; k < 3; ++k)
        p[k] = 3.0 * shape_sample_unit(n, k) - 1.5;
}

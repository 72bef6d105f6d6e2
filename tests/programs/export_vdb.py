# SPDX-License-Identifier: Apache-2.0
"""What OpenVDB reads back of the ball of tests/unit/test_exchange_tiles.h, against its closed forms.

Floats have 24 bits: values of the ball are below 32, so 4e-6 is two roundings. World positions are sums of
doubles that are exact in binary here but for the centre: 1e-12.
"""
import json
import math
import sys

VOXEL, CENTER, RADIUS, BAND = 0.125, (10.1, -1.9, 0.6), 0.7, 0.375
ORIGIN = (10.0, -2.0, 0.5)
FLOAT = 4e-6
REACH = 16  # voxels on each side of the tiles' zero


def phi(p):
    return min(BAND, max(-BAND, math.dist(p, CENTER) - RADIUS))


def every_center():
    for i in range(-REACH, REACH):
        for j in range(-REACH, REACH):
            for k in range(-REACH, REACH):
                yield tuple(o + (n + 0.5) * VOXEL for o, n in zip(ORIGIN, (i, j, k)))


def level_set_is_the_ball(grid):
    assert grid["type"] == "float" and grid["class"] == "level set" and not grid["half"], grid["class"]
    assert abs(grid["background"] - BAND) < FLOAT and grid["outside"] == grid["background"]
    near = sum(1 for p in every_center() if abs(phi(p)) < BAND - FLOAT)
    assert len(grid["voxels"]) == near, (len(grid["voxels"]), near)
    for p, value in grid["voxels"]:
        assert abs(value - phi(p)) < FLOAT, (p, value)


def velocity_is_linear_in_the_world(grid):
    assert grid["type"] == "vec3s" and grid["vector"] == "contravariant relative" and grid["class"] == "unknown"
    assert len(grid["voxels"]) == (2 * REACH) ** 3  # every voxel of every tile
    for p, v in grid["voxels"]:
        assert all(abs(v[k] - (k + 1) * p[k]) < FLOAT for k in range(3)), (p, v)


def fraction_is_one_voxel(grid):
    assert grid["class"] == "fog volume" and grid["background"] == 0
    (p, value), = grid["voxels"]
    assert value == 0.5 and math.dist(p, [o + (n + 0.5) * VOXEL for o, n in zip(ORIGIN, (-1, 2, 3))]) < 1e-12


def points_are_the_particles(grid):
    points = sorted(grid["points"], key=lambda q: q["id"])
    assert [q["id"] for q in points] == [(1 << 40) + 3 * i for i in range(5)]
    for i, q in enumerate(points):
        for k in range(3):
            assert abs(q["P"][k] - ORIGIN[k] - (0.11 * i - 0.2 + 0.03 * k)) < 1e-7, (i, q)  # floats below 1
            assert q["v"][k] == i - 0.25 * k
        assert abs(q["pscale"] - (0.02 + 0.05 * i)) < 1e-8


def density_holds_the_volume(grid, voxel):
    """The weights of a particle sum to 1, and each voxel is rounded once to a float."""
    assert grid["class"] == "fog volume" and grid["background"] == 0
    volume = sum(value for _, value in grid["voxels"]) * voxel**3
    spheres = sum(4 / 3 * math.pi * (0.02 + 0.05 * i) ** 3 for i in range(5))
    assert abs(volume / spheres - 1) < 1e-6, (volume, spheres)


def density_carries_the_momentum(density, velocity):
    """Particle i moves with (i, i - 0.25, i - 0.5), so the mean differs between axes by exactly that."""
    assert velocity["type"] == "vec3s" and velocity["vector"] == "contravariant relative"
    at = {tuple(p): v for p, v in velocity["voxels"]}
    flow = sum(share * at[tuple(p)][0] for p, share in density["voxels"])
    mass = sum(share for _, share in density["voxels"])
    spheres = [(0.02 + 0.05 * i) ** 3 for i in range(5)]
    assert abs(flow / mass - sum(i * v for i, v in enumerate(spheres)) / sum(spheres)) < 1e-6, flow / mass
    for p, _ in density["voxels"]:
        v = at[tuple(p)]
        assert abs(v[0] - v[1] - 0.25) < FLOAT and abs(v[1] - v[2] - 0.25) < FLOAT, (p, v)


def cube_is_a_cube(path):
    """Distances of a unit cube, sampled at voxels of 0.05 m: exact to rounding wherever they are active."""
    grid, = json.load(open(path))["grids"]
    assert grid["name"] == "surface" and grid["class"] == "level set" and len(grid["voxels"]) > 1000
    for p, value in grid["voxels"]:
        d = [abs(p[k] - CENTER[k]) - 0.5 for k in range(3)]
        exact = math.hypot(*(max(x, 0) for x in d)) if max(d) > 0 else max(d)
        assert abs(value - exact) < 1e-5, (p, value, exact)


def main():
    look = json.load(open(sys.argv[1]))
    if len(sys.argv) == 3:  # densities alone, with their voxel
        grid, = look["grids"]
        return density_holds_the_volume(grid, float(sys.argv[2]))
    names = sys.argv[2].split(",")
    grids = {g["name"]: g for g in look["grids"]}
    assert look["creator"].startswith("Spume") and look["frame"] == 7 and abs(look["time"] - 7 / 24) < 1e-15
    assert set(grids) == set(names), (set(grids), names)
    surface, velocity, fraction, points, density, flow = (grids[n] for n in names)
    level_set_is_the_ball(surface)
    velocity_is_linear_in_the_world(velocity)
    fraction_is_one_voxel(fraction)
    points_are_the_particles(points)
    density_holds_the_volume(density, VOXEL)
    density_carries_the_momentum(density, flow)
    cube_is_a_cube(sys.argv[3])


main()

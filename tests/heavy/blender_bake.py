# SPDX-License-Identifier: Apache-2.0
"""Lets Blender's own fluid solver bake a block of water that falls, and writes down where Blender sees its particles.

    blender -b --factory-startup --python-exit-code 1 -P blender_bake.py -- DIR [--resumable] [--tank | --dam] [--spray]
        [--resolution 32] [--frames 12] [--fps 24]

DIR/data holds the OpenVDB files. All settings are Blender's defaults but for the domain's size and, when asked for, a
cache that can be resumed (which adds the grids phi and phi_obstacle). --tank fills the lower part of the domain
instead; --dam fills one half of it, and the water falls on a pillar. --spray adds DIR/particles, Blender's spray, foam
and bubbles. DIR/particles.npz holds, for each frame, what Blender's particle system shows: places in the domain (m, from
its lowest corner, z up) and velocities (in a unit of Blender's own that is the same for all).
"""
import argparse
import os
import sys

import bpy
import numpy as np

LOW, HIGH = (-1, -1, 0), (1, 1, 4)


def options():
    parser = argparse.ArgumentParser()
    parser.add_argument("dir")
    parser.add_argument("--resumable", action="store_true")
    parser.add_argument("--tank", action="store_true")
    parser.add_argument("--dam", action="store_true")
    parser.add_argument("--spray", action="store_true")
    parser.add_argument("--resolution", type=int, default=32)
    parser.add_argument("--frames", type=int, default=12)
    parser.add_argument("--fps", type=int, default=24)
    return parser.parse_args(sys.argv[sys.argv.index("--") + 1:])


def add_box(name, low, high, kind):
    middle = [0.5 * (a + b) for a, b in zip(low, high)]
    bpy.ops.mesh.primitive_cube_add(size=1, location=middle)
    box = bpy.context.object
    box.name = name
    box.scale = [b - a for a, b in zip(low, high)]
    bpy.ops.object.transform_apply(location=False, rotation=False, scale=True)
    box.modifiers.new("fluid", "FLUID").fluid_type = kind
    return box


def bake(o):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    scene.render.fps = o.fps
    scene.frame_start, scene.frame_end = 1, o.frames

    domain = add_box("domain", LOW, HIGH, "DOMAIN")
    settings = domain.modifiers["fluid"].domain_settings
    settings.domain_type = "LIQUID"
    settings.resolution_max = o.resolution
    settings.cache_directory = o.dir
    settings.cache_frame_start, settings.cache_frame_end = 1, o.frames
    settings.cache_type = "ALL"
    settings.cache_resumable = o.resumable

    for kind in ("spray", "foam", "bubble"):
        setattr(settings, f"use_{kind}_particles", o.spray)

    water = ((-0.5, -0.5, 2.5), (0.5, 0.5, 3.5))
    if o.tank:
        water = ((-1.5, -1.5, -0.5), (1.5, 1.5, 1.6))
    if o.dam:
        water = ((-1.5, -1.5, -0.5), (-0.2, 1.5, 2.1))
        add_box("pillar", (0.3, -0.2, -0.5), (0.7, 0.2, 1.5), "EFFECTOR")
    flow = add_box("water", *water, "FLOW").modifiers["fluid"].flow_settings
    flow.flow_type = "LIQUID"
    flow.flow_behavior = "GEOMETRY"

    bpy.context.view_layer.objects.active = domain
    bpy.ops.fluid.bake_all()
    return domain


def seen(domain, frame):
    """Places and velocities of Blender's particles in a frame."""
    bpy.context.scene.frame_set(frame)
    system = domain.evaluated_get(bpy.context.evaluated_depsgraph_get()).particle_systems[0]
    place = np.empty(3 * len(system.particles))
    velocity = np.empty_like(place)
    system.particles.foreach_get("location", place)
    system.particles.foreach_get("velocity", velocity)
    return place.reshape(-1, 3) - np.array(LOW), velocity.reshape(-1, 3)


def main():
    o = options()
    domain = bake(o)
    arrays = {}
    for frame in range(1, o.frames + 1):
        arrays[f"place_{frame}"], arrays[f"velocity_{frame}"] = seen(domain, frame)
        assert len(arrays[f"place_{frame}"]) > 1000, frame
    np.savez(os.path.join(o.dir, "particles.npz"), fps=o.fps, **arrays)


main()

# SPDX-License-Identifier: Apache-2.0
"""Lets Blender's own fluid solver bake a block of water that falls, and writes down what Blender thinks of it.

    blender -b -P blender_bake.py -- DIR [--resumable] [--resolution 32] [--frames 12] [--fps 24]

DIR/data holds the OpenVDB files, all settings being Blender's defaults but for the domain's size and, when asked, a
cache that can be resumed (which adds the grids phi and phi_obstacle).
"""
import argparse
import sys

import bpy


def options():
    parser = argparse.ArgumentParser()
    parser.add_argument("dir")
    parser.add_argument("--resumable", action="store_true")
    parser.add_argument("--resolution", type=int, default=32)
    parser.add_argument("--frames", type=int, default=12)
    parser.add_argument("--fps", type=int, default=24)
    return parser.parse_args(sys.argv[sys.argv.index("--") + 1:])


def add_box(name, low, high):
    middle = [0.5 * (a + b) for a, b in zip(low, high)]
    bpy.ops.mesh.primitive_cube_add(size=1, location=middle)
    box = bpy.context.object
    box.name = name
    box.scale = [b - a for a, b in zip(low, high)]
    bpy.ops.object.transform_apply(location=False, rotation=False, scale=True)
    box.modifiers.new("fluid", "FLUID")
    return box


def main():
    o = options()
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    scene.render.fps = o.fps
    scene.frame_start, scene.frame_end = 1, o.frames

    domain = add_box("domain", (-1, -1, 0), (1, 1, 4))
    domain.modifiers["fluid"].fluid_type = "DOMAIN"
    settings = domain.modifiers["fluid"].domain_settings
    settings.domain_type = "LIQUID"
    settings.resolution_max = o.resolution
    settings.cache_directory = o.dir
    settings.cache_frame_start, settings.cache_frame_end = 1, o.frames
    settings.cache_type = "ALL"
    settings.cache_resumable = o.resumable

    block = add_box("block", (-0.5, -0.5, 2.5), (0.5, 0.5, 3.5))
    block.modifiers["fluid"].fluid_type = "FLOW"
    flow = block.modifiers["fluid"].flow_settings
    flow.flow_type = "LIQUID"
    flow.flow_behavior = "GEOMETRY"

    bpy.context.view_layer.objects.active = domain
    bpy.ops.fluid.bake_all()


main()

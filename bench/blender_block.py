# SPDX-License-Identifier: Apache-2.0
"""Seconds a frame that Blender's fluid solver takes for the block of `spume bench liquid --case block_96`.

    blender -b --factory-startup -t 2 --python-exit-code 1 -P bench/blender_block.py -- [--voxels 96] [--frames 24]

The same domain, water, obstacle, voxels, frames and cfl; 8 particles a cell, a narrow band of 3 voxels, up to 32 substeps a
frame. All else is Blender's default; no mesh is made, and the cache is written, as in the bench. The time is that between
the cache files of the first and the last frame. Blender counts one layer of the voxels as walls. Run both programs one after
the other on the same machine.
"""
import argparse
import glob
import json
import os
import sys
import tempfile

import bpy

SIZE = (2.0, 1.5, 1.5)  # x, depth, height; m
POOL = ((-1.0, -1.0, -1.0), (3.0, 3.0, 0.28))
BLOCK = ((0.15, 0.35, 0.65), (0.65, 1.15, 1.25))
OBSTACLE = ((1.325, 0.6, -0.1), (1.575, 0.9, 0.44))


def options():
    parser = argparse.ArgumentParser()
    parser.add_argument("--voxels", type=int, default=96, help="along the longest side")
    parser.add_argument("--frames", type=int, default=24)
    return parser.parse_args(sys.argv[sys.argv.index("--") + 1:] if "--" in sys.argv else [])


def add_box(name, low, high, kind):
    bpy.ops.mesh.primitive_cube_add(size=1, location=[0.5 * (a + b) for a, b in zip(low, high)])
    box = bpy.context.object
    box.name = name
    box.scale = [b - a for a, b in zip(low, high)]
    bpy.ops.object.transform_apply(location=False, rotation=False, scale=True)
    modifier = box.modifiers.new("fluid", "FLUID")
    modifier.fluid_type = kind
    return box, modifier


def add_water(name, low, high):
    flow = add_box(name, low, high, "FLOW")[1].flow_settings
    flow.flow_type = "LIQUID"
    flow.flow_behavior = "GEOMETRY"


def bake(o, folder):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    scene.render.fps = 24
    scene.frame_start, scene.frame_end = 1, o.frames + 1
    domain, modifier = add_box("domain", (0.0, 0.0, 0.0), SIZE, "DOMAIN")
    settings = modifier.domain_settings
    settings.domain_type = "LIQUID"
    settings.resolution_max = o.voxels
    settings.cache_directory = folder
    settings.cache_frame_start, settings.cache_frame_end = 1, o.frames + 1
    settings.cache_type = "ALL"
    settings.cfl_condition = 4.0
    settings.timesteps_max = 32
    settings.particle_band_width = 3.0
    settings.particle_number = 2  # along each axis of a cell
    settings.use_mesh = False
    add_water("pool", *POOL)
    add_water("block", *BLOCK)
    add_box("obstacle", *OBSTACLE, "EFFECTOR")
    bpy.context.view_layer.objects.active = domain
    bpy.ops.fluid.bake_all()
    return [int(n) for n in settings.domain_resolution]


def main():
    o = options()
    with tempfile.TemporaryDirectory() as folder:
        resolution = bake(o, folder)
        files = sorted(glob.glob(os.path.join(folder, "data", "fluid_data_*.vdb")))
        assert len(files) == o.frames + 1, files
        seconds = os.path.getmtime(files[-1]) - os.path.getmtime(files[0])
    print(json.dumps({"bench": "blender", "case": f"block_{o.voxels}", "version": bpy.app.version_string,
                      "resolution": resolution, "frames": o.frames, "seconds_per_frame": round(seconds / o.frames, 4)}))


main()

# SPDX-License-Identifier: Apache-2.0
"""Blender's half of tools/blender_whitewater.sh: bakes water, compares Spume's with it, and draws both side by side.

    blender -b --factory-startup --python-exit-code 1 -P tools/blender_whitewater.py -- bake CACHE [--resolution 96] [--frames 50]
    blender ... -- check CACHE EXPORT [--frames 10,25]
    blender ... -- draw CACHE EXPORT PICTURES [--step 1] [--size 960x400] [--samples 16]

bake   A block of water falls into a pool, by Blender's fluid solver. All settings are Blender's defaults but for the
       resolution and for the mesh, which is switched on so that there is a surface to compare with. CACHE gets the
       OpenVDB files (data/), the meshes (mesh/) and the scene (scene.blend).
check  EXPORT holds frames of `spume export --names blender`, as PLY and VDB files. Nineteen of twenty corners of Spume's
       surface must lie within a voxel of Blender's own mesh and the other way round, and as many points of foam within
       two voxels of it. Two voxels next to the walls are left out.
draw   Blender's own water on the left, Spume's water and whitewater on the right: one picture for each frame.

Spume has y up and its origin at the domain's lowest corner: (x, y, z) of Spume is the corner + (x, -z, y) here.
"""
import argparse
import importlib.util
import os
import sys

import bpy
import numpy as np
from mathutils import Vector
from mathutils.bvhtree import BVHTree

LOW, HIGH = (-1.0, -1.0, 0.0), (1.0, 1.0, 1.5)  # the domain, m, z up
POOL = ((-2.0, -2.0, -1.0), (2.0, 2.0, 0.4))
BLOCK = ((-0.75, -0.35, 0.8), (-0.05, 0.35, 1.35))


def spume_blender():
    """The loader of exported files beside this script."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "spume_blender.py")
    spec = importlib.util.spec_from_file_location("spume_blender", path)
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    return tool


# ---- Baking

def add_box(name, low, high, kind):
    bpy.ops.mesh.primitive_cube_add(size=1, location=[0.5 * (a + b) for a, b in zip(low, high)])
    box = bpy.context.object
    box.name = name
    box.scale = [b - a for a, b in zip(low, high)]
    bpy.ops.object.transform_apply(location=False, rotation=False, scale=True)
    box.modifiers.new("fluid", "FLUID").fluid_type = kind
    return box


def add_water(name, low, high):
    box = add_box(name, low, high, "FLOW")
    flow = box.modifiers["fluid"].flow_settings
    flow.flow_type = "LIQUID"
    flow.flow_behavior = "GEOMETRY"
    box.hide_render = True


def bake(o):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    scene.render.fps = o.fps
    scene.frame_start, scene.frame_end = 1, o.frames
    domain = add_box("domain", LOW, HIGH, "DOMAIN")
    settings = domain.modifiers["fluid"].domain_settings
    settings.domain_type = "LIQUID"
    settings.resolution_max = o.resolution
    settings.cache_directory = os.path.abspath(o.cache)
    settings.cache_frame_start, settings.cache_frame_end = 1, o.frames
    settings.cache_type = "ALL"
    settings.use_mesh = True
    add_water("pool", *POOL)
    add_water("block", *BLOCK)
    bpy.context.view_layer.objects.active = domain
    bpy.ops.fluid.bake_all()
    bpy.ops.wm.save_as_mainfile(filepath=os.path.join(os.path.abspath(o.cache), "scene.blend"))


# ---- Both waters of a frame

class Tank:
    """The baked scene, its domain's box and voxel, m."""

    def __init__(self, cache):
        bpy.ops.wm.open_mainfile(filepath=os.path.join(cache, "scene.blend"))
        self.domain = bpy.data.objects["domain"]
        settings = self.domain.modifiers["fluid"].domain_settings
        settings.cache_directory = os.path.abspath(cache)  # it may have moved
        corners = [self.domain.matrix_world @ v.co for v in self.domain.data.vertices]  # not those of the water
        self.low = Vector(map(min, zip(*corners)))
        self.high = Vector(map(max, zip(*corners)))
        self.voxel = max(self.high - self.low) / settings.resolution_max

    def own_water(self, frame):
        bpy.context.scene.frame_set(frame)
        return mesh_of(self.domain)

    def load(self, tool, directory, frame, aside=0.0):
        """Spume's objects of a frame, moved to the domain and aside along x."""
        things = tool.load(directory, frame)
        for thing in things.values():
            thing.location += self.low + Vector((aside, 0, 0))
        bpy.context.view_layer.update()
        return things

    def inside(self, points):
        """Those that are more than two voxels from the domain's sides."""
        room = 2 * self.voxel
        return points[np.all((points > np.array(self.low) + room) & (points < np.array(self.high) - room), axis=1)]


def mesh_of(thing):
    """(vertices in the world, triangles) of an object as the scene shows it."""
    shown = thing.evaluated_get(bpy.context.evaluated_depsgraph_get())
    mesh = shown.to_mesh()
    mesh.calc_loop_triangles()
    vertices, triangles = np.empty(3 * len(mesh.vertices)), np.empty(3 * len(mesh.loop_triangles), np.int32)
    mesh.vertices.foreach_get("co", vertices)
    mesh.loop_triangles.foreach_get("vertices", triangles)
    shown.to_mesh_clear()
    m = np.array(thing.matrix_world)
    return vertices.reshape(-1, 3) @ m[:3, :3].T + m[:3, 3], triangles.reshape(-1, 3)


def distances(points, mesh, most=20000):
    """Distances of points (evenly chosen ones, if there are many) to a mesh, m."""
    tree = BVHTree.FromPolygons(mesh[0].tolist(), mesh[1].tolist())
    chosen = points[::max(1, len(points) // most)]
    return np.array([tree.find_nearest(Vector(p))[3] for p in chosen])


# ---- Checking

def report(what, far, voxel, limit):
    """One line; limit: for nineteen of twenty, voxels. The rest may be drops and sheets that only one of them has."""
    mean, most = far.mean() / voxel, np.percentile(far, 95) / voxel
    good = most <= limit
    print(f"blender_whitewater: {what}: mean {mean:.2f}, 95 % within {most:.2f} voxels (limit {limit:g})"
          f"{'' if good else ': TOO FAR'}")
    return good


def check_frame(tank, tool, directory, frame):
    own = tank.own_water(frame)
    things = tank.load(tool, directory, frame)
    surface = next((t for name, t in things.items() if name.endswith(" surface")), None)
    good = True
    if surface:
        ours = mesh_of(surface)
        good &= report(f"frame {frame}: Spume's surface to Blender's", distances(tank.inside(ours[0]), own),
                       tank.voxel, 1)
        good &= report(f"frame {frame}: Blender's surface to Spume's", distances(tank.inside(own[0]), ours),
                       tank.voxel, 1)
    foam = things.get("foam")
    if foam and len(foam.data.vertices):
        points = np.empty(3 * len(foam.data.vertices), np.float32)
        foam.data.vertices.foreach_get("co", points)
        points = points.reshape(-1, 3) + np.array(foam.location)
        good &= report(f"frame {frame}: {len(points)} points of foam to Blender's surface",
                       distances(tank.inside(points), own), tank.voxel, 2)
    remove(things)
    return good


def remove(things):
    for thing in things.values():
        data = thing.data
        bpy.data.objects.remove(thing)
        (bpy.data.meshes if isinstance(data, bpy.types.Mesh) else bpy.data.volumes).remove(data)


def check(o):
    tank, tool = Tank(o.cache), spume_blender()
    found = sorted(tool.find_files(o.export))
    frames = [int(n) for n in o.frames.split(",")] if o.frames else found[len(found) // 4::max(1, len(found) // 4)]
    good = [check_frame(tank, tool, o.export, frame) for frame in frames]
    if not (good and all(good)):
        raise SystemExit("blender_whitewater: the waters do not lie in the same place")


# ---- Drawing

def draw(o):
    tank, tool = Tank(o.cache), spume_blender()
    scene, size = bpy.context.scene, tank.high - tank.low
    aside = 1.15 * size.x
    for thing in scene.objects:
        thing.hide_render = thing != tank.domain
    tank.domain.data.materials.clear()
    tank.domain.data.materials.append(tool.water_material())
    middle = 0.5 * (tank.low + tank.high) + Vector((0.5 * aside, 0, -0.2 * size.z))
    camera = tool.link(scene.collection, "camera", bpy.data.cameras.new("camera"))
    camera.location = middle + Vector((0.15, -2.25, 1.15)) * size.x
    camera.rotation_euler = (middle - camera.location).to_track_quat("-Z", "Y").to_euler()
    camera.data.lens = 30
    scene.camera = camera
    tool.add_light()
    tool.add_floor([tank.domain])
    for frame in sorted(tool.find_files(o.export))[::o.step]:
        scene.frame_set(frame)
        things = tank.load(tool, o.export, frame, aside)
        tool.render(os.path.join(o.pictures, f"{frame:06d}.png"), [int(n) for n in o.size.split("x")], o.samples)
        remove(things)


# ---- The command line

def options():
    parser = argparse.ArgumentParser(prog="blender ... -P tools/blender_whitewater.py --")
    steps = parser.add_subparsers(dest="step_name", required=True)
    step = steps.add_parser("bake")
    step.add_argument("cache")
    step.add_argument("--resolution", type=int, default=96, help="cells along the longest side")
    step.add_argument("--frames", type=int, default=50)
    step.add_argument("--fps", type=int, default=24)
    step.set_defaults(run=bake)
    step = steps.add_parser("check")
    step.add_argument("cache")
    step.add_argument("export", help="directory of exported PLY and VDB files")
    step.add_argument("--frames", help="such as 10,25 (default: four of them)")
    step.set_defaults(run=check)
    step = steps.add_parser("draw")
    step.add_argument("cache")
    step.add_argument("export")
    step.add_argument("pictures", help="directory")
    step.add_argument("--step", type=int, default=1, help="draw every n-th frame")
    step.add_argument("--size", default="960x400")
    step.add_argument("--samples", type=int, default=16)
    step.set_defaults(run=draw)
    return parser.parse_args(sys.argv[sys.argv.index("--") + 1:])


if __name__ == "__main__":
    given = options()
    given.run(given)

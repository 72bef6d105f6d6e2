# SPDX-License-Identifier: Apache-2.0
"""Loads files of `spume export` and `spume surface` into Blender (3.4 or later).

    spume export out/run --to ply --names blender
    spume export out/run --to vdb --names blender            # if the run has volumes
    blender -b -P tools/spume_blender.py -- out/run --render picture.png --save run.blend

The directory is a run (the script searches its ply/, vdb/ and surface/) or any directory with such files.
Options: --frame N (default: the last), --render FILE.png, --save FILE.blend, --size WxH, --samples N.
In Blender's text editor: put the directory into RUN below and press Run Script.

Particle sets become point clouds with each particle's own radius (a mesh of vertices with a geometry nodes
modifier, so that radius, velocity, age and id stay attributes); surfaces become meshes, volumes
become volumes. Blender has z up, Spume y up: (x, y, z) of Spume is (x, -z, y) here. Existing objects stay; only
in background mode are the default cube, camera and light removed.

PLY files are read here and not by Blender, whose importer drops every attribute but colours.
"""
import argparse
import glob
import math
import os
import re
import sys

import bpy
import numpy as np
from mathutils import Vector

RUN = ""  # for the text editor: the directory of a run or of exported files
FRAME = None  # the frame; None: the last

PLY_TYPES = {"char": "i1", "uchar": "u1", "short": "<i2", "ushort": "<u2", "int": "<i4", "uint": "<u4",
             "float": "<f4", "double": "<f8", "int8": "i1", "uint8": "u1", "int16": "<i2", "uint16": "<u2",
             "int32": "<i4", "uint32": "<u4", "float32": "<f4", "float64": "<f8"}
FILE_NAME = re.compile(r"^(?P<name>[\w-]+)\.(?P<frame>\d{6})\.(?P<kind>ply|vdb)$")


# ---- Files

def find_files(directory):
    """{frame: {(name, kind): path}} of the exported files in the directory and its sub-directories."""
    found = {}
    for place in (".", "ply", "vdb", "surface"):
        for path in sorted(glob.glob(os.path.join(directory, place, "*.*"))):
            match = FILE_NAME.match(os.path.basename(path))
            if match:
                key = (match["name"] if place != "surface" else match["name"] + "_surface", match["kind"])
                found.setdefault(int(match["frame"]), {})[key] = os.path.abspath(path)
    return found


def read_header(stream):
    """(format, [(element, count, [(property, dtype or None for a list)])]) of a PLY file."""
    if stream.readline().strip() != b"ply":
        raise ValueError(f"{stream.name} is not a PLY file")
    form, elements = None, []
    for line in stream:
        words = line.decode("ascii").split()
        if words[0] == "format":
            form = words[1]
        elif words[0] == "element":
            elements.append((words[1], int(words[2]), []))
        elif words[0] == "property":
            elements[-1][2].append((words[-1], None if words[1] == "list" else PLY_TYPES[words[1]]))
        elif words[0] == "end_header":
            return form, elements
    raise ValueError(f"{stream.name} ends within its header")


def read_ply(path):
    """(columns, faces): a dictionary of arrays, one value a vertex; and an (n, 3) array of triangles."""
    with open(path, "rb") as stream:
        form, elements = read_header(stream)
        columns, faces = {}, np.zeros((0, 3), np.int32)
        for name, count, properties in elements:
            if name == "vertex":
                dtype = np.dtype(properties)
                if form == "ascii":
                    rows = [stream.readline().split() for _ in range(count)]
                    table = np.array([tuple(row) for row in rows], dtype) if rows else np.zeros(0, dtype)
                else:
                    table = np.frombuffer(stream.read(count * dtype.itemsize), dtype, count)
                columns = {key: table[key] for key in dtype.names}
            elif form == "ascii":
                faces = np.array([stream.readline().split()[1:4] for _ in range(count)], np.int32).reshape(-1, 3)
            else:
                dtype = np.dtype([("n", "u1"), ("v", "<i4", 3)])
                faces = np.frombuffer(stream.read(count * dtype.itemsize), dtype, count)["v"]
        return columns, faces


def positions_of(columns):
    """z up, as an (n, 3) array of doubles."""
    return np.stack([columns["x"], -columns["z"], columns["y"]], 1).astype(np.float64)


# ---- Attributes

def grouped(columns):
    """velocity_x, velocity_y, velocity_z as one column of vectors; the rest as it is."""
    out, rest = {}, dict(columns)
    for name in list(columns):
        stem = name[:-2]
        if name.endswith("_x") and stem + "_y" in columns and stem + "_z" in columns:
            x, y, z = (rest.pop(stem + axis) for axis in ("_x", "_y", "_z"))
            out[stem] = np.stack([x, -z, y], 1)
    for name in ("x", "y", "z", "nx", "ny", "nz", "id_high"):
        rest.pop(name, None)
    return {**out, **rest}


def add_attributes(mesh, columns):
    for name, values in grouped(columns).items():
        vector = values.ndim == 2
        whole = not vector and values.dtype.kind in "iu"
        kind = "FLOAT_VECTOR" if vector else "INT" if whole else "FLOAT"
        attribute = mesh.attributes.new(name=name, type=kind, domain="POINT")
        data = values.astype(np.uint32).view(np.int32) if whole else values.astype(np.float32)
        if len(data):
            attribute.data.foreach_set("vector" if vector else "value", np.ascontiguousarray(data).ravel())


def new_mesh(name, points, faces, columns):
    mesh = bpy.data.meshes.new(name)
    mesh.vertices.add(len(points))
    if len(points):
        mesh.vertices.foreach_set("co", points.astype(np.float32).ravel())
    if len(faces):
        mesh.loops.add(3 * len(faces))
        mesh.loops.foreach_set("vertex_index", np.ascontiguousarray(faces, np.int32).ravel())
        mesh.polygons.add(len(faces))
        mesh.polygons.foreach_set("loop_start", np.arange(0, 3 * len(faces), 3, dtype=np.int32))
        mesh.polygons.foreach_set("loop_total", np.full(len(faces), 3, np.int32))
        mesh.polygons.foreach_set("use_smooth", np.ones(len(faces), bool))
    add_attributes(mesh, columns)
    mesh.update(calc_edges=len(faces) > 0)
    return mesh


# ---- Materials

def new_material(name, fill):
    """A material of one shader node; `fill` sets it up and returns the socket of the output."""
    old = bpy.data.materials.get(name)
    if old:
        return old
    material = bpy.data.materials.new(name)
    material.use_nodes = True
    nodes, links = material.node_tree.nodes, material.node_tree.links
    nodes.clear()
    out = nodes.new("ShaderNodeOutputMaterial")
    shader, socket = fill(nodes)
    links.new(shader.outputs[0], out.inputs[socket])
    return material


def film_material(name, color, rim):
    """A thin film: clear at normal incidence, bright at the rim. For bubbles and for a pond's surface, which is not
    closed; `rim` is the width of the rim, 0 to 1."""
    def fill(nodes):
        links = nodes.id_data.links
        weight, clear, shine = (nodes.new(f"ShaderNode{kind}") for kind in
                                ("LayerWeight", "BsdfTransparent", "BsdfGlossy"))
        weight.inputs["Blend"].default_value = rim
        clear.inputs["Color"].default_value = color
        shine.inputs["Roughness"].default_value = 0.05
        mix = nodes.new("ShaderNodeMixShader")
        links.new(weight.outputs["Facing"], mix.inputs[0])
        links.new(clear.outputs[0], mix.inputs[1])
        links.new(shine.outputs[0], mix.inputs[2])
        return mix, "Surface"
    return new_material(name, fill)


def bubble_material():
    return film_material("Spume bubbles", (0.97, 0.99, 1, 1), 0.35)


def sheet_material():
    return film_material("Spume sheet", (0.8, 0.93, 0.97, 1), 0.1)


def foam_material():
    def fill(nodes):
        shader = nodes.new("ShaderNodeBsdfPrincipled")
        shader.inputs["Base Color"].default_value = (0.9, 0.93, 0.95, 1)
        shader.inputs["Roughness"].default_value = 0.25
        return shader, "Surface"
    return new_material("Spume foam", fill)


def water_material():
    def fill(nodes):
        shader = nodes.new("ShaderNodeBsdfGlass")
        shader.inputs["Color"].default_value = (0.75, 0.92, 0.98, 1)
        shader.inputs["IOR"].default_value = 1.333
        shader.inputs["Roughness"].default_value = 0.0
        return shader, "Surface"
    return new_material("Spume water", fill)


def fog_material(grids):
    """Scatters in proportion to the sum of the grids."""
    def fill(nodes):
        links = nodes.id_data.links
        shader = nodes.new("ShaderNodeVolumePrincipled")
        shader.inputs["Density Attribute"].default_value = ""
        total = None
        for grid in grids:
            share = nodes.new("ShaderNodeAttribute")
            share.attribute_name = grid
            more = nodes.new("ShaderNodeMath")
            more.operation = "MULTIPLY_ADD"
            more.inputs[1].default_value = 375.0  # 3/(4 r) for bubbles with a radius of 2 mm
            more.inputs[2].default_value = 0.0
            links.new(share.outputs["Fac"], more.inputs[0])
            if total:
                links.new(total.outputs[0], more.inputs[2])
            total = more
        links.new(total.outputs[0], shader.inputs["Density"])
        return shader, "Volume"
    return new_material("Spume " + " ".join(grids), fill)


# ---- Objects

def link(collection, name, data):
    thing = bpy.data.objects.new(name, data)
    collection.objects.link(thing)
    return thing


def geometry_group(name):
    """An empty geometry node group with its input and output."""
    group = bpy.data.node_groups.new(name, "GeometryNodeTree")
    if hasattr(group, "interface"):  # Blender 4
        group.interface.new_socket("Geometry", in_out="INPUT", socket_type="NodeSocketGeometry")
        group.interface.new_socket("Geometry", in_out="OUTPUT", socket_type="NodeSocketGeometry")
    else:
        group.inputs.new("NodeSocketGeometry", "Geometry")
        group.outputs.new("NodeSocketGeometry", "Geometry")
    return group, group.nodes.new("NodeGroupInput"), group.nodes.new("NodeGroupOutput")


def points_group(material, attribute):
    """Vertices -> points with the radius of the attribute -> material."""
    group, start, end = geometry_group(f"Spume points, {material.name}")
    nodes, links = group.nodes, group.links
    radius = nodes.new("GeometryNodeInputNamedAttribute")
    radius.data_type = "FLOAT"
    radius.inputs["Name"].default_value = attribute
    to_points = nodes.new("GeometryNodeMeshToPoints")
    set_material = nodes.new("GeometryNodeSetMaterial")
    set_material.inputs["Material"].default_value = material
    links.new(start.outputs[0], to_points.inputs["Mesh"])
    links.new(next(s for s in radius.outputs if s.enabled), to_points.inputs["Radius"])
    links.new(to_points.outputs[0], set_material.inputs["Geometry"])
    links.new(set_material.outputs[0], end.inputs[0])
    return group


def add_points(collection, name, columns):
    if "radius" not in columns and "pscale" in columns:  # names for Houdini
        columns = {**columns, "radius": columns["pscale"]}
    attribute = "radius"
    if "count" in columns and "radius" in columns:  # a point stands for several bubbles: their cross-section
        attribute = "shown_radius"
        columns = {**columns, attribute: columns["radius"] * np.sqrt(columns["count"])}
    thing = link(collection, name, new_mesh(name, positions_of(columns), [], columns))
    material = bubble_material() if name.startswith("bubble") else foam_material()
    modifier = thing.modifiers.new("Points", "NODES")
    modifier.node_group = points_group(material, attribute)
    thing.data.materials.append(material)
    return thing


def add_surface(collection, name, columns, faces):
    thing = link(collection, name, new_mesh(name, positions_of(columns), faces, columns))
    thing.data.materials.append(sheet_material() if name == "height" else water_material())
    return thing


def new_volume(collection, name, path):
    """The file as a volume, y up to z up."""
    volume = bpy.data.volumes.new(name)
    volume.filepath = path
    volume.grids.load()
    thing = link(collection, name, volume)
    thing.rotation_euler = (math.pi / 2, 0, 0)
    return thing


def align(thing, grid_name):
    """Moves a volume to where it belongs for this grid: Blender 3.4 draws the values of a grid half a voxel too high along
    each of the grid's axes."""
    half = 0.5 * next(grid.matrix_object[0][0] for grid in thing.data.grids if grid.name == grid_name)
    thing.location = (-half, half, -half)


def add_volume(collection, name, path):
    """The file's densities as a volume, and its level set as a mesh. Returns the objects."""
    things = [new_volume(collection, name, path)]
    grids = [grid.name for grid in things[0].data.grids]
    fogs = [grid for grid in grids if grid.startswith("density") or grid.endswith("fraction")]
    if fogs:
        align(things[0], fogs[0])
        things[0].data.materials.append(fog_material(fogs))
    if "surface" in grids:
        if fogs:  # their voxel may be another one
            things.append(new_volume(collection, f"{name} level set", path))
        align(things[-1], "surface")
        skin = link(collection, f"{name} surface", bpy.data.meshes.new(f"{name} surface"))
        skin.rotation_euler = things[-1].rotation_euler  # the modifier adds half a voxel along the axes of its object
        modifier = skin.modifiers.new("Volume to mesh", "VOLUME_TO_MESH")
        modifier.object, modifier.grid_name, modifier.threshold = things[-1], "surface", 0.0
        skin.data.materials.append(water_material())
        things.append(skin)
    return things


def hide_doubles(things, names):
    """Data that is there in two forms is rendered once: a set's surface instead of the set, its particles instead of
    their density, a level set's mesh instead of the level set. All stay in the scene."""
    for name, thing in things.items():
        has_surface = f"{name}_surface" in names and f"{name}_isolated" not in names
        thing.hide_render = has_surface or (thing.type == "VOLUME" and (
            not thing.data.materials or any(n in names for n in ("bubbles", "foam", "spray"))))


def load(directory, frame=None):
    """Loads a frame. Returns the new objects, by name."""
    found = find_files(directory)
    if not found:
        raise SystemExit(f"spume_blender: no files such as bubbles.000012.ply in {directory}: run spume export first")
    frame = max(found) if frame is None else frame
    if frame not in found:
        raise SystemExit(f"spume_blender: no frame {frame} in {directory}; there are {min(found)} to {max(found)}")
    collection = bpy.data.collections.new(f"Spume {frame}")
    bpy.context.scene.collection.children.link(collection)
    things = {}
    for (name, kind), path in found[frame].items():
        if kind == "vdb" and (name, "ply") in found[frame]:
            continue  # the same surface, as a level set
        if kind == "vdb":
            for thing in add_volume(collection, name, path):
                things[thing.name] = thing
            continue
        columns, faces = read_ply(path)
        things[name] = add_surface(collection, name, columns, faces) if len(faces) else \
            add_points(collection, name, columns)
    hide_doubles(things, [name for name, kind in found[frame] if kind == "ply"])
    return things


# ---- A picture

def bounds(things):
    """Bounding box of all loaded meshes and volumes, z up."""
    bpy.context.view_layer.update()  # else the volumes' rotation would not be included
    low, high = Vector((math.inf,) * 3), Vector((-math.inf,) * 3)
    for thing in things:
        if thing.type == "MESH" and len(thing.data.vertices):
            co = np.empty(3 * len(thing.data.vertices), np.float32)
            thing.data.vertices.foreach_get("co", co)
            corners = [Vector(co.reshape(-1, 3).min(0)), Vector(co.reshape(-1, 3).max(0))]
        elif thing.type == "VOLUME" and len(thing.data.grids):
            corners = [thing.matrix_world @ Vector(c) for c in thing.bound_box]
        else:
            continue
        for c in corners:
            low = Vector(map(min, low, c))
            high = Vector(map(max, high, c))
    return (low, high) if low.x <= high.x else (Vector((-1, -1, -1)), Vector((1, 1, 1)))


def add_camera(things):
    low, high = bounds(things)
    middle, size = (low + high) / 2, max((high - low).length, 1e-3)
    data = bpy.data.cameras.new("Spume camera")
    data.lens, data.clip_start, data.clip_end = 50, size / 1000, size * 100
    camera = link(bpy.context.scene.collection, "Spume camera", data)
    away = Vector((0.55, -1.0, 0.6)).normalized() * (1.7 * size)
    camera.location = middle + away
    camera.rotation_euler = (-away).to_track_quat("-Z", "Y").to_euler()
    bpy.context.scene.camera = camera


def add_floor(things):
    """A background for bubbles, just below everything."""
    low, high = bounds(things)
    middle, reach = (low + high) / 2, 6 * max((high - low).length, 1e-3)
    z = low.z - 0.02 * reach / 6
    corners = np.array([[middle.x + sx * reach, middle.y + sy * reach, z] for sx, sy in
                        ((-1, -1), (1, -1), (1, 1), (-1, 1))])
    mesh = new_mesh("Spume floor", corners, np.array([[0, 1, 2], [0, 2, 3]]), {})

    def fill(nodes):
        shader = nodes.new("ShaderNodeBsdfDiffuse")
        shader.inputs["Color"].default_value = (0.1, 0.16, 0.22, 1)
        return shader, "Surface"
    mesh.materials.append(new_material("Spume floor", fill))
    link(bpy.context.scene.collection, "Spume floor", mesh)


def add_light():
    sun = bpy.data.lights.new("Spume sun", "SUN")
    sun.energy, sun.angle = 3.0, 0.05
    thing = link(bpy.context.scene.collection, "Spume sun", sun)
    thing.rotation_euler = (math.radians(40), math.radians(15), math.radians(30))
    world = bpy.context.scene.world or bpy.data.worlds.new("Spume world")
    bpy.context.scene.world = world
    world.use_nodes = True
    background = world.node_tree.nodes.get("Background")
    if background:
        background.inputs["Color"].default_value = (0.45, 0.6, 0.8, 1)
        background.inputs["Strength"].default_value = 0.8


def render(path, size, samples):
    """Cycles on the processor: it needs neither a display nor a graphics card."""
    scene = bpy.context.scene
    scene.render.engine = "CYCLES"
    scene.cycles.device = "CPU"
    scene.cycles.samples = samples
    scene.cycles.use_denoising = False
    scene.render.resolution_x, scene.render.resolution_y = size
    scene.render.resolution_percentage = 100
    scene.render.image_settings.file_format = "PNG"
    scene.render.filepath = os.path.abspath(path)
    bpy.ops.render.render(write_still=True)


def arguments(words):
    parser = argparse.ArgumentParser(prog="blender -b -P tools/spume_blender.py --", description=__doc__.split("\n")[0])
    parser.add_argument("directory", help="a run, or a directory with exported PLY and VDB files")
    parser.add_argument("--frame", type=int, help="which frame (default: the last)")
    parser.add_argument("--render", metavar="FILE.png", help="draw a picture with Cycles")
    parser.add_argument("--save", metavar="FILE.blend", help="save the scene")
    parser.add_argument("--size", default="960x540", help="pixels of the picture, such as 960x540")
    parser.add_argument("--samples", type=int, default=16, help="rays a pixel (default 16)")
    return parser.parse_args(words)


def main():
    if bpy.app.background and "--" in sys.argv:
        given = arguments(sys.argv[sys.argv.index("--") + 1:])
        for thing in list(bpy.data.objects):
            bpy.data.objects.remove(thing)
    elif RUN:
        given = arguments([RUN] + (["--frame", str(FRAME)] if FRAME is not None else []))
    else:
        raise SystemExit("spume_blender: put a run's directory into RUN at the top of this script, or run "
                         "blender -b -P tools/spume_blender.py -- DIRECTORY")
    things = load(given.directory, given.frame)
    add_camera(things.values())
    add_floor(things.values())
    add_light()
    for name, thing in things.items():
        count = len(thing.data.vertices) if thing.type == "MESH" else len(thing.data.grids)
        print(f"spume_blender: {name}: {count} {'vertices' if thing.type == 'MESH' else 'grids'}")
    if given.save:
        bpy.ops.wm.save_as_mainfile(filepath=os.path.abspath(given.save))
    if given.render:
        render(given.render, [int(n) for n in given.size.split("x")], given.samples)


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: Apache-2.0
"""Runs inside Blender (see blender_reads.sh): what tools/spume_blender.py loads equals what Spume says it wrote.

    blender -b --python-exit-code 1 -P tests/heavy/blender_reads.py -- SPUME_BLENDER.PY RUN FRAME.JSON PICTURE.PNG

FRAME.JSON is `spume info FRAME.h5 --json`: least, mean and largest value of every column. Blender keeps floats;
info prints nine digits: 1e-6 of the value, or 1e-6 m, is room for both. Means may add up in another order: 1e-5.
"""
import importlib.util
import json
import os
import sys

import bpy
import numpy as np


def load_tool(path):
    spec = importlib.util.spec_from_file_location("spume_blender", path)
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    return tool


def close(a, b, room):
    return abs(a - b) <= room * max(1.0, abs(b))


def read_attribute(mesh, name, width):
    values = np.empty(width * len(mesh.vertices), np.float32)
    mesh.attributes[name].data.foreach_get("vector" if width == 3 else "value", values)
    return values.reshape(-1, width).astype(np.float64)


def y_up(values):
    """Blender's (x, y, z) is Spume's (x, z, -y)."""
    return np.stack([values[:, 0], values[:, 2], -values[:, 1]], 1) if values.shape[1] == 3 else values


def compare(name, values, column):
    for c in range(values.shape[1]):
        for what, got, room in (("min", values[:, c].min(), 1e-6), ("max", values[:, c].max(), 1e-6),
                                ("mean", values[:, c].mean(), 1e-5), ("median", np.median(values[:, c]), 1e-6)):
            assert close(got, column[what][c], room), (name, what, c, got, column[what][c])


def check_set(thing, name, facts):
    mesh = thing.data
    assert len(mesh.vertices) == facts["count"], (name, len(mesh.vertices), facts["count"])
    if facts["count"] == 0:
        return
    co = np.empty(3 * len(mesh.vertices), np.float32)
    mesh.vertices.foreach_get("co", co)
    compare(f"{name} position", y_up(co.reshape(-1, 3)), facts["columns"]["position"])
    compare(f"{name} velocity", y_up(read_attribute(mesh, "velocity", 3)), facts["columns"]["velocity"])
    compare(f"{name} radius", read_attribute(mesh, "radius", 1), facts["columns"]["radius"])


def check_clouds(sets):
    """What the modifiers make: clouds with as many points, each of its own radius, for Cycles to draw as spheres."""
    clouds = []
    for instance in bpy.context.evaluated_depsgraph_get().object_instances:
        if instance.object.type != "POINTCLOUD":
            continue
        points = instance.object.data.points
        radii = np.empty(len(points), np.float32)
        points.foreach_get("radius", radii)
        clouds.append(radii.astype(np.float64))
    wanted = [facts for facts in sets.values() if facts["count"]]
    clouds = [radii for radii in clouds if len(radii)]
    assert sorted(map(len, clouds)) == sorted(f["count"] for f in wanted), [len(c) for c in clouds]
    for facts in wanted:
        radius = facts["columns"]["radius"]
        assert any(len(c) == facts["count"] and close(c.max(), radius["max"][0], 1e-6) and
                   close(c.min(), radius["min"][0], 1e-6) for c in clouds), radius


def check_volume(thing):
    grids = {grid.name: grid for grid in thing.data.grids}
    assert thing.data.grids.is_loaded or thing.data.grids.load(), thing.data.grids.error_message
    for grid in grids.values():
        assert grid.data_type in ("FLOAT", "VECTOR_FLOAT", "POINTS"), (grid.name, grid.data_type)
    return sorted(f"{grid.name}:{grid.data_type}" for grid in grids.values())


def check_picture(path):
    """Not one flat colour: bubbles and water are to be seen."""
    picture = bpy.data.images.load(path)
    pixels = np.array(picture.pixels[:]).reshape(-1, 4)[:, :3]
    spread = float(pixels.std(0).max())
    assert spread > 0.01, spread
    return spread


def main():
    tool_path, run, facts_path, picture = sys.argv[sys.argv.index("--") + 1:]
    tool = load_tool(tool_path)
    facts = json.load(open(facts_path))
    for thing in list(bpy.data.objects):
        bpy.data.objects.remove(thing)
    things = tool.load(run, facts["frame"])
    for name, set_facts in facts["sets"].items():
        check_set(things[name], name, set_facts)
        print(f"blender_reads: {name}: {set_facts['count']} particles as Spume has them")
    check_clouds(facts["sets"])
    if "height" in things:
        mesh = things["height"].data
        assert len(mesh.vertices) == facts["fields"]["height"]["samples"] and len(mesh.polygons) > 0
    volumes = [check_volume(thing) for thing in things.values() if thing.type == "VOLUME"]
    print(f"blender_reads: volumes {volumes}")
    assert volumes or not any(name.endswith(".vdb") for name in os.listdir(os.path.join(run, "vdb")))
    tool.add_camera(things.values())
    tool.add_floor(things.values())
    tool.add_light()
    tool.render(picture, (160, 90), 4)
    print(f"blender_reads: a picture whose colours spread by {check_picture(os.path.abspath(picture)):.3f}")


main()

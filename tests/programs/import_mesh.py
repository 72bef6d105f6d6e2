# SPDX-License-Identifier: Apache-2.0
"""Meshes of water for import_mesh.sh.

import_mesh.py compare A.ply B.ply VOXEL: both hold the same water: volume within 2 %, B's vertices within half a voxel
    of A's surface, and their velocities within 2 % of the largest speed on all but the hundredth that lies at edges.
import_mesh.py flip A.ply FRAME DIR VOXEL: A as the FLIP Fluids add-on keeps it in DIR, z up.
import_mesh.py words A.ply B.ply: A as text, with velocities called vx vy vz.
"""
import json
import math
import struct
import sys


def load(path):
    """Places, normals, velocities and faces of a PLY that spume wrote."""
    data = open(path, "rb").read()
    end = data.index(b"end_header\n") + len(b"end_header\n")
    counts, names, form = {}, [], "<"
    for words in (line.split() for line in data[:end].decode().splitlines()):
        if words[0] == "element":
            counts[words[1]] = int(words[2])
        elif words[0] == "property" and words[1] != "list":
            names.append(words[2])
            form += {"double": "d", "float": "f"}[words[1]]
    rows = [row for row in struct.iter_unpack(form, data[end:end + counts["vertex"] * struct.calcsize(form)])]
    faces = [row[1:] for row in struct.iter_unpack("<B3i", data[end + len(rows) * struct.calcsize(form):])]
    assert len(faces) == counts["face"] > 0

    def columns(*wanted):
        at = [names.index(name) for name in wanted]
        return [tuple(row[k] for k in at) for row in rows]

    return columns("x", "y", "z"), columns("nx", "ny", "nz"), columns("velocity_x", "velocity_y", "velocity_z"), faces


def volume(places, faces):
    total = 0.0
    for a, b, c in ((places[i], places[j], places[k]) for i, j, k in faces):
        total += (a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
                  a[2] * (b[0] * c[1] - b[1] * c[0])) / 6
    return total


def compare(first, second, voxel):
    x, normal, v, faces = load(first)
    other, _, w, other_faces = load(second)
    ratio = volume(other, other_faces) / volume(x, faces)
    assert abs(ratio - 1) < 0.02, ratio
    cells = {}
    for i, p in enumerate(x):
        cells.setdefault(tuple(math.floor(c / voxel) for c in p), []).append(i)
    speed = max(math.hypot(*u) for u in v)
    wrong = 0
    for p, u in zip(other, w):
        at = [math.floor(c / voxel) for c in p]
        near = [i for k in range(27) for i in cells.get((at[0] + k % 3 - 1, at[1] + k // 3 % 3 - 1, at[2] + k // 9 - 1), ())]
        assert near, ("nothing is near", p)
        i = min(near, key=lambda i: math.dist(p, x[i]))
        above = sum((a - b) * n for a, b, n in zip(p, x[i], normal[i]))
        assert abs(above) < 0.5 * voxel, (p, above)
        wrong += math.dist(u, v[i]) > 0.02 * speed
    assert speed > 1 and wrong <= len(other) / 100, (speed, wrong, len(other))


def put_bobj(path, vectors, faces):
    with open(path, "wb") as out:
        out.write(struct.pack("<i", len(vectors)))
        for x, y, z in vectors:
            out.write(struct.pack("<3f", x, -z, y))
        out.write(struct.pack("<i", len(faces)))
        for face in faces:
            out.write(struct.pack("<3i", *face))


def flip(path, frame, folder, voxel):
    x, _, v, faces = load(path)
    name = "%06d" % frame
    put_bobj(folder + "/" + name + ".bobj", x, faces)
    put_bobj(folder + "/velocity" + name + ".bobj", v, [])
    put_bobj(folder + "/preview" + name + ".bobj", x[:3], [(0, 1, 2)])
    put_bobj(folder + "/obstacle" + name + ".bobj", x[:3], [(0, 1, 2)])
    with open(folder + "/bounds" + name + ".bbox", "w") as out:
        json.dump({"x": 0.0, "y": -1.0, "z": 0.0, "width": 1.0, "height": 1.0, "depth": 1.0, "dx": voxel}, out)


def words(path, to):
    x, _, v, faces = load(path)
    with open(to, "w") as out:
        out.write("ply\nformat ascii 1.0\nelement vertex %d\n" % len(x))
        out.write("".join("property float %s\n" % name for name in ("x", "y", "z", "vx", "vy", "vz")))
        out.write("element face %d\nproperty list uchar int vertex_indices\nend_header\n" % len(faces))
        for row in zip(x, v):
            out.write(" ".join("%.9g" % number for part in row for number in part) + "\n")
        for face in faces:
            out.write("3 %d %d %d\n" % face)


if sys.argv[1] == "compare":
    compare(sys.argv[2], sys.argv[3], float(sys.argv[4]))
elif sys.argv[1] == "flip":
    flip(sys.argv[2], int(sys.argv[3]), sys.argv[4], float(sys.argv[5]))
else:
    words(sys.argv[2], sys.argv[3])

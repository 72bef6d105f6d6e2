# SPDX-License-Identifier: Apache-2.0
"""export_mesh.py FILE.obj VOLUME TOLERANCE: the mesh is closed, wound outward, has unit normals, and that volume."""
import math
import sys
from collections import Counter


def main():
    vertices, normals, faces = [], [], []
    for words in (line.split() for line in open(sys.argv[1])):
        if words and words[0] == "v":
            vertices.append(tuple(map(float, words[1:])))
        elif words and words[0] == "vn":
            normals.append(tuple(map(float, words[1:])))
        elif words and words[0] == "f":
            faces.append([int(w.split("/")[0]) - 1 for w in words[1:]])
    assert faces, "no faces"
    edges = Counter((f[k], f[(k + 1) % 3]) for f in faces for k in range(3))
    assert all(n == 1 and edges[b, a] == 1 for (a, b), n in edges.items()), "not closed"
    assert len(normals) == len(vertices) and all(abs(math.hypot(*n) - 1) < 1e-5 for n in normals)
    a0 = vertices[0]
    volume = 0.0
    for f in faces:
        a, b, c = ([x - o for x, o in zip(vertices[v], a0)] for v in f)
        volume += (a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
                   a[2] * (b[0] * c[1] - b[1] * c[0])) / 6
    wanted, room = float(sys.argv[2]), float(sys.argv[3])
    assert abs(volume / wanted - 1) < room, (volume, wanted)


main()

#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A deforming mesh as collider: surfaces are clipped by its shape at the time of each frame, pictures show that shape,
# and a run resumes only with unchanged mesh files.
. "$(dirname "$0")/common.sh"

python3 - "$work" <<'PYTHON'
import json, sys
work = sys.argv[1]
for n in range(4):
    half = 0.05 + 0.02 * n
    with open(f"{work}/cube_{n}.obj", "w") as out:
        for i in range(8):
            out.write("v %g %g %g\n" % tuple(half * (1 if i >> a & 1 else -1) for a in range(3)))
        for a, b, c, d in ((1, 3, 4, 2), (5, 6, 8, 7), (1, 2, 6, 5), (3, 7, 8, 4), (1, 5, 7, 3), (2, 4, 8, 6)):
            out.write(f"f {a} {b} {c}\nf {a} {c} {d}\n")
scene = {
    "spume": 1, "solver": "liquid", "fps": 24, "frames": 3,
    "domain": {"min": [0, 0, 0], "max": [0.4, 0.4, 0.4]},
    "colliders": [{"name": "cube", "shape": {"mesh": {
        "file": "cube_%d.obj", "position": [0.2, 0.16, 0.2], "frames": {"first": 0, "last": 3, "fps": 24}}}}],
    "emitters": [{"mode": "fill", "shape": {"box": {"min": [0, 0, 0], "max": [0.4, 0.32, 0.4]}}}],
    "liquid": {"voxel": 0.02},
}
json.dump(scene, open(f"{work}/cube.json", "w"))
PYTHON
expect 0 run "$work/cube.json" -o "$work/run" --quiet --set cache.sync=false
expect 0 surface "$work/run" --clip --to obj -o "$work/mesh"
python3 - "$work/mesh" <<'PYTHON' || fail "surfaces are not clipped by the cube of their frame"
import pathlib, sys
meshes = sorted(pathlib.Path(sys.argv[1]).glob("*.obj"))
assert len(meshes) == 4, meshes
for n, mesh in enumerate(meshes):
    half = 0.05 + 0.02 * n
    corners = [tuple(map(float, line.split()[1:4])) for line in mesh.read_text().splitlines() if line.startswith("v ")]
    off = [max(abs(c[a] - (0.2, 0.16, 0.2)[a]) for a in range(3)) - half for c in corners]
    # half a voxel: distances are linear between voxel centres, which rounds the cube's edges
    assert min(off) > -0.012 and sum(abs(o) < 0.006 for o in off) > 50, (mesh.name, min(off))
PYTHON
# A changed mesh file makes it another scene.
cp "$work/cube_2.obj" "$work/kept"
echo "# changed" >> "$work/cube_2.obj"
expect 2 run "$work/cube.json" -o "$work/run" --resume --frames 4
one_sentence
mv "$work/kept" "$work/cube_2.obj"
expect 0 run "$work/cube.json" -o "$work/run" --resume --frames 4 --quiet

if ! "$spume" version | grep -Eq '(libpng|embree) *left out'; then
    # A scene that begins without water shows its solids.
    sed 's/"fill"/"flow"/; s/0.32/0.1/' "$work/cube.json" > "$work/dry.json"
    expect 0 run "$work/dry.json" -o "$work/dry" --quiet --frames 1
    expect 0 render "$work/dry" --size 64x36 --samples 1 --frames 0-0
    expect 0 render "$work/run" --size 64x36 --samples 1
    rm "$work/cube_3.obj"
    expect 2 render "$work/run" --size 64x36 --samples 1 --frames 3-3
    one_sentence
fi
exit 0

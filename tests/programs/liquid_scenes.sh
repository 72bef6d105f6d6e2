#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Every scene of `liquid`, coarse and short: it starts, moves, keeps its water, and can be drawn.
# Usage: liquid_scenes.sh PROGRAM FRAMES
. "$(dirname "$0")/common.sh"

frames=${2:?} draws=yes
"$spume" version | grep -Eq '(libpng|embree) *left out' && draws=no
while read -r scene voxel; do
    run=$work/$scene
    expect 0 run "liquid/$scene" -o "$run" --frames "$frames" --quiet --set "liquid.voxel=$voxel" --set cache.sync=false
    expect 0 info "$run" --json
    python3 - "$work/out" "$scene" "$frames" <<'PYTHON' || fail "liquid/$scene"
import json, sys
run, scene, frames = json.load(open(sys.argv[1])), sys.argv[2], int(sys.argv[3])
stats = run["last_frame"]["stats"]
assert len(run["frames"]) == frames + 1 and len({f["hash"] for f in run["frames"]}) == frames + 1
assert stats["wet_voxels"] > 500 and stats["speed_m_s"] < 60, stats
# One layer of surface cells is several percent of so few voxels, in an eighth of a second.
assert scene == "river" or abs(stats["drift"]) < 0.05, stats
assert stats["emitted"] == 0 or scene in ("river", "flip_plume"), stats
PYTHON
    # The surface ends at the sides of the domain.
    expect 0 surface "$run" --to obj --frames last -o "$run/mesh"
    python3 - "$run" <<'PYTHON' || fail "liquid/$scene: its surface leaves the domain"
import json, pathlib, sys
run = pathlib.Path(sys.argv[1])
domain = json.loads((run / "scene.json").read_text())["domain"]
mesh, = (run / "mesh").glob("*.obj")
corners = [tuple(map(float, line.split()[1:4])) for line in mesh.read_text().splitlines() if line.startswith("v ")]
assert len(corners) > 100
for axis in range(3):
    near = 1e-5 * (domain["max"][axis] - domain["min"][axis])
    assert min(c[axis] for c in corners) > domain["min"][axis] - near
    assert max(c[axis] for c in corners) < domain["max"][axis] + near
PYTHON
    [ $draws = no ] || expect 0 render "$run" --size 64x36 --samples 1
done <<'SCENES'
dam_break 0.05
drop 0.05
flip_plume 0.03
hydrostatic 0.02
propellers 0.05
river 0.6
standing_wave 0.03125
submarine 4
toy 0.06
SCENES

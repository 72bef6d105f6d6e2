#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Export of a liquid: the program says what was written and what was not, positions are in world space, and in OpenVDB
# files the water ends at walls.
. "$(dirname "$0")/common.sh"
run=$work/run

# After a third of a second there is spray.
expect 0 run liquid/propellers -o "$run" --frames 8 --quiet --set liquid.voxel=0.05 --set cache.sync=false
for format in ply obj vtk usda; do
    expect 0 export "$run" --to $format --frames 8; one_sentence
    prints "1 frame exported to $run/$format: spray"
    says "not exported: surface, velocity, aeration: volumes; use --to vdb, or spume surface $run --to obj"
done

# `info` and PLY give the same positions, in world space.
expect 0 export "$run" --to ply --ascii --frames 8 -o "$work/text" --quiet
"$spume" info "$run/frames/000008.h5" --json > "$work/info.json"
python3 -B - "$work/info.json" "$work/text/spray.000008.ply" << 'END' || fail "info and PLY differ in places"
import json, sys
told = json.load(open(sys.argv[1]))["sets"]["spray"]["columns"]["position"]
lines = open(sys.argv[2]).read().split("end_header\n")[1].splitlines()
places = [[float(x) for x in line.split()[:3]] for line in lines]
assert places
for axis in range(3):
    column = [p[axis] for p in places]
    assert abs(min(column) - told["min"][axis]) < 1e-6 and abs(max(column) - told["max"][axis]) < 1e-6, (axis, told)
END

expect 2 export "$run" --to ply --no-clip; one_sentence; says "--no-clip does nothing without --to vdb"
if "$spume" version | grep -qi 'openvdb *left out'; then exit 0; fi

# reach OPTIONS...: how far the exported water reaches beyond the tank, in voxels, found by importing it again
reach() {
    rm -rf "$work/vdb" "$work/back"
    expect 0 export "$run" --to vdb --frames 8 -o "$work/vdb" "$@"
    prints "1 frame exported to $work/vdb: spray, surface, velocity, aeration"
    expect 0 import "$work/vdb" -o "$work/back"
    says "ignored: aeration (fog), spray (points)"
    expect 0 surface "$work/back" --to obj -o "$work/mesh" --quiet
    python3 -B - "$run/scene.json" "$work/mesh/surface.000008.obj" << 'END'
import json, sys
domain = json.load(open(sys.argv[1]))["domain"]
corners = [[float(x) for x in line.split()[1:4]] for line in open(sys.argv[2]) if line.startswith("v ")]
assert len(corners) > 100
beyond = max(max(domain["min"][a] - c[a], c[a] - domain["max"][a]) for c in corners for a in range(3))
print(round(beyond / 0.05, 2))
END
}
# Smoothing of the mesh moves walls by hundredths of a voxel; water that is not clipped reaches four voxels and more.
far=$(reach) || fail "no mesh"
awk "BEGIN { exit !($far < 0.1) }" || fail "water reaches $far voxels into walls"
far=$(reach --no-clip) || fail "no mesh"
awk "BEGIN { exit !($far > 3) }" || fail "--no-clip was clipped: $far voxels"

# An imported run has only volumes.
for format in ply obj vtk usda; do
    expect 2 export "$work/back" --to $format -o "$work/none"; one_sentence
    says "back: nothing to export to $format; it holds surface, velocity: volumes; use --to vdb"
    [ ! -e "$work/none" ] || fail "something was written"
done
exit 0

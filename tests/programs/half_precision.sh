#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# cache.half: smaller frames of the same states, rounded within the bound, that every command reads.
. "$(dirname "$0")/common.sh"

# pair NAME SCENE OPTIONS...: runs the scene at full and at half precision
pair() {
    local name=$1 scene=$2
    shift 2
    expect 0 run "$scene" -o "$work/$name.full" --quiet "$@"
    expect 0 run "$scene" -o "$work/$name.half" --quiet "$@" --set cache.half=true
    expect 0 info "$work/$name.half"; prints "at half precision"
    expect 0 info "$work/$name.half" --json; cp "$work/out" "$work/$name.half.json"
    expect 0 info "$work/$name.full"
    grep -q "half precision" "$work/out" && fail "$name: a frame at full precision is called half"
    expect 0 info "$work/$name.full" --json; cp "$work/out" "$work/$name.full.json"
    python3 - "$work/$name.full.json" "$work/$name.half.json" <<'PYTHON' || fail "$name: half and full do not agree"
import json, sys
full, half = (json.load(open(path)) for path in sys.argv[1:])
assert len(full["frames"]) == len(half["frames"]) > 0
for a, b in zip(full["frames"], half["frames"]):
    assert a["hash"] == b["hash"] and a["digest"] != b["digest"] and b["half"] and not a.get("half")
assert full["last_frame"]["stats"] == half["last_frame"]["stats"]
def same(what, a, b, exact):
    for key in ("min", "max", "median"):
        for x, y in zip(a[key], b[key]):
            if x is None: continue
            bound = 0 if exact else max(2.0**-11 * abs(x), 2.0**-25) * (1 + 1e-6)
            assert abs(x - y) <= bound, (what, key, x, y)
for name, a in full["last_frame"]["sets"].items():
    b = half["last_frame"]["sets"][name]
    assert a["count"] == b["count"]
    for column in a["columns"] if a["count"] else ():
        same((name, column), a["columns"][column], b["columns"][column], column in ("position", "id"))
for name, a in full["last_frame"]["fields"].items():
    same(name, a["values"], half["last_frame"]["fields"][name]["values"], name in ("height", "depth", "ground"))
PYTHON
}

# bytes DIR: of all frames
bytes() { cat "$1"/frames/*.h5 | wc -c; }

pair liquid liquid/dam_break --frames 3 --set liquid.voxel=0.05 --set liquid.cache.particles=true --set liquid.cache.pressure=true
[ $((100 * $(bytes "$work/liquid.half"))) -lt $((65 * $(bytes "$work/liquid.full"))) ] ||
    fail "frames of $(bytes "$work/liquid.full") bytes became $(bytes "$work/liquid.half")"
pair sph sph/pour --frames 2 --set sph.spacing=0.04
pair pond pond/fig10 --frames 20
pair still still/tank --size small

# Whoever reads frames reads these.
run=$work/liquid.half
for to in ply vtk obj usda; do expect 0 export "$run" --to $to -o "$work/$to" --quiet; done
expect 0 surface "$run" --to obj -o "$work/mesh" --quiet
expect 0 info "$run/frames/000003.h5"; prints "stored at half precision"
if "$spume" version | grep -q 'OpenVDB *[0-9]'; then
    expect 0 export "$run" --to vdb -o "$work/vdb" --quiet
    expect 0 import "$work/vdb" -o "$work/again" --quiet
    expect 0 info "$work/again"; prints "4 frames"
fi
if ! "$spume" version | grep -q 'libpng *left out'; then
    expect 0 render "$run" --size 64x36 --samples 1 -o "$work/picture.png" --quiet
fi
python3 - "$run/frames/000003.h5" <<'PYTHON' || fail "h5py does not read it"
import sys
try:
    import h5py
except ImportError:
    sys.exit(0)
frame = h5py.File(sys.argv[1], "r")
assert frame.attrs["format"] == 2 and frame["fields/surface/values"].dtype == "float16"
assert frame["points/liquid/position"].dtype == "float32" and frame["points/liquid/velocity"].dtype == "float16"
PYTHON

# Resumed runs have the same bytes, and a run may change its precision on the way.
digests "$work/pond.half" > "$work/straight"
expect 0 run pond/fig10 -o "$work/resumed" --quiet --frames 7 --set cache.half=true
expect 0 run pond/fig10 -o "$work/resumed" --quiet --frames 20 --set cache.half=true --resume
same "$work/resumed" "$work/straight" || fail "a resumed run differs from a straight one"
expect 0 run pond/fig10 -o "$work/resumed" --quiet --frames 24 --resume
expect 0 info "$work/resumed"; prints "20 of them at half precision"
exit 0

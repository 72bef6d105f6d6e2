#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# import_blender.sh PROGRAM: caches that Blender bakes here are imported without options, with the right values
set -euo pipefail
[ $# = 1 ] || { echo "Usage: tests/heavy/import_blender.sh PROGRAM" >&2; exit 2; }
spume=$(realpath "$1") here=$(cd "$(dirname "$0")" && pwd)
. "$here/../temporary.sh"
fail() { echo "import_blender: $*" >&2; exit 1; }

bake() { # NAME OPTIONS...
    local name=$1
    shift
    blender -b --factory-startup --python-exit-code 1 -P "$here/blender_bake.py" -- "$work/$name" "$@" \
        > "$work/log" 2>&1 || { tail -n 30 "$work/log" >&2; fail "Blender did not bake $name"; }
}

# refused SENTENCE ARGUMENTS...: spume import refuses with it and writes nothing
refused() {
    local sentence=$1 status=0
    shift
    "$spume" import "$@" -o "$work/none" > "$work/out" 2> "$work/err" || status=$?
    [ $status = 2 ] || fail "status $status of: import $*"
    grep -qF -- "$sentence" "$work/err" || { cat "$work/err" >&2; fail "no '$sentence'"; }
    [ ! -e "$work/none" ] || fail "a refused import left a directory"
}

for name in default resumable; do
    bake $name $([ $name = resumable ] && echo --resumable)
    "$spume" import "$work/$name"/data/fluid_data_*.vdb -o "$work/run_$name"
    "$spume" info "$work/run_$name" > "$work/out"
    grep -q '12 frames, .*, 1 to 12' "$work/out" || fail "info does not tell the frames"
    grep 'made of Blender files' "$work/out"
    /usr/bin/python3 -B "$here/import_reads.py" "$work/run_$name" "$work/$name/particles.npz" $name
done

# A tank whose deep water has no particles: 1.6 m deep in 2 m x 2 m, of which the walls take a voxel on each side. The
# surface lies up to a voxel outside the particles, as Blender's own does.
bake tank --tank --frames 3
"$spume" import "$work/tank/data" -o "$work/run_tank"
"$spume" info "$work/run_tank" --json | /usr/bin/python3 -c '
import json, sys
water = json.load(sys.stdin)["last_frame"]["stats"]["water_m3"]
box = 1.75 * 1.75 * (1.6 - 0.125)
assert abs(water / box - 1) < 0.125 / 1.475, water
print(f"import_reads: tank: {water:.2f} m3 in a box of {box:.2f}")'

# A dam that breaks, with a pillar and spray: the water has the volume of Blender's, read from phi and from particles.
# Files of spray in the same directory are skipped.
bake dam --dam --resumable --spray --resolution 64 --frames 40
c++ -O1 -std=c++17 "$here/vdb_count.cpp" -I/usr/include/Imath -lopenvdb -ltbb -lImath-3_1 -o "$work/vdb_count" ||
    fail "vdb_count does not compile"
"$work/vdb_count" "$work"/dam/data/fluid_data_*.vdb > "$work/counts"
cp "$work"/dam/particles/*.vdb "$work/dam/data"
"$spume" import "$work/dam/data" -o "$work/run_phi" 2>&1 | tee "$work/out"
grep -q 'skipped: 40 files without water, such as .*fluid_particles_' "$work/out" || fail "skipped files are not told"
"$spume" import "$work/dam/data" --surface particles -o "$work/run_points" --quiet
/usr/bin/python3 -B "$here/import_volume.py" "$work/counts" "$work/run_phi" "$work/run_points"

# Refusals.
cache=$work/default/data
refused "fluid_data_0001.vdb has no surface 'water'; grids found: velocity (staggered vec3), particles (points)" "$cache" --surface water
refused "no velocity grid 'v' found; bubbles need one. Grids: velocity (staggered vec3), particles (points)" "$cache" --velocity v
refused "velocity is probably in cells per unit (Blender)? use --velocity-unit cells/unit" "$cache" --velocity-unit m/s
mkdir "$work/cut"
cp "$cache"/*.vdb "$work/cut"
truncate -s 40000 "$work/cut/fluid_data_0008.vdb"
refused "frame 8 is incomplete (ends early); delete $work/cut/fluid_data_0008.vdb" "$work/cut"
rm "$work/cut"/fluid_data_000[4-8].vdb
refused "frames 4-8 are missing (5 > max_gap 3); give --max-gap 5 to bridge them or start at frame 9" "$work/cut"
"$spume" import "$work/cut" --max-gap 5 -o "$work/run_cut" > "$work/out" 2> "$work/err"
grep -q "frames 4-8 are missing: bridged from 3 to 9" "$work/err" || fail "a bridged gap is not told"

# Exported with Houdini's names and imported again, it is the same water.
"$spume" export "$work/run_resumable" --to vdb --names houdini --frames 3-6 --quiet -o "$work/houdini"
"$spume" import "$work"/houdini/*.vdb --as houdini -o "$work/run_houdini" --quiet
/usr/bin/python3 -B - "$work" "$here" << 'END'
import sys
work, here = sys.argv[1:]
sys.argv = ["", "", "", ""]
source = open(here + "/import_reads.py").read().replace("\nmain()\n", "\n")
exec(source)
for frame in range(3, 7):
    a, ua, low_a, h, o = load(f"{work}/run_resumable/frames/{frame:06d}.h5")
    b, ub, low_b, h2, o2 = load(f"{work}/run_houdini/frames/{frame:06d}.h5")
    i = np.argwhere(np.abs(a) < 3.9 * h)
    j = i + low_a - low_b + np.round((o - o2) / h).astype(int)
    assert abs(h - h2) < 1e-9 and np.abs(a[tuple(i.T)] - b[tuple(j.T)]).max() < 1e-6
    i = np.argwhere(a < -h)
    j = i + low_a - low_b + np.round((o - o2) / h).astype(int)
    assert np.nanmax(np.abs(ua[tuple(i.T)] - ub[tuple(j.T)])) < 1e-6
print("import_reads: houdini: four frames exported and read again are the same to 1e-6")
END

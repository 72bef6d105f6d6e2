#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# `spume import` of OpenVDB files: reading, `info`, export, reading again, and refusals. Arguments: the program,
# import_make.
. "$(dirname "$0")/common.sh"
maker=$2
run=$work/run

# Nine frames of a moving ball, the fifth missing, as Houdini writes it.
mkdir "$work/geo"
for frame in 1 2 3 4 6 7 8 9 10; do
    "$maker" "$work/geo/ball.$(printf %04d $frame).vdb" houdini "time=$(awk "BEGIN { print $frame / 24 }")" || fail "no ball"
done
expect 0 import "$work"/geo/ball.*.vdb -o "$run"
says "frame 5 is missing: bridged from 4 to 6"
says "Houdini files: surface from grid 'surface', velocity 'vel' on faces in m/s, y up, voxel 0.1 m"
prints "9 frames, 1 to 10, largest speed"
grep -q 'ignored\|agree' "$work/err" && fail "there is nothing odd about these files"
expect 0 info "$run"
prints "made of Houdini files"
prints "voxel 0.1 m; surface in m, velocity in m/s; largest speed"
prints "9 frames"
# Velocity is extrapolated beyond the water and larger there; it does not count as the largest speed.
speed() { grep -o 'largest speed [0-9.]*' "$1"; }
cp "$work/out" "$work/info"
"$spume" import "$work/geo" -o "$work/speed" 2> /dev/null > "$work/import"
[ -n "$(speed "$work/info")" ] && [ "$(speed "$work/info")" = "$(speed "$work/import")" ] || fail "import and info tell other speeds"
prints "1 missing from 5 on"
prints "velocity: "
digests "$run" > "$work/digests"

# A directory stands for its files, and results do not depend on threads.
expect 0 import "$work/geo" -o "$work/again" --threads 1 --quiet
same "$work/again" "$work/digests" || fail "frames depend on the number of threads"

# The ball was made at 24 frames a second; its swirl adds some percent to the velocity of the whole.
expect 0 import "$work/geo" -o "$work/again" --overwrite --fps 100
says "at 100 frames a second the water moves at"; says "they agree with --fps 2"

# Names of grids may be invalid UTF-8; the output is valid.
mkdir "$work/names"
"$maker" "$work/names/latin.vdb" latin || fail "no ball"
expect 0 import "$work/names" -o "$work/latin" --quiet
expect 0 info "$work/latin"; prints "surface from grid 'water ü'"
for file in run.json scene.json; do python3 -m json.tool "$work/latin/$file" > /dev/null || fail "$file is no JSON"; done

# Other commands read it as any run.
expect 0 surface "$run" --frames 3-3 --to obj --quiet
expect 0 export "$run" --to vdb --frames 3-4 --quiet -o "$work/back"
expect 0 import "$work/back" -o "$work/round" --quiet
"$spume" info "$run/frames/000004.h5" --json > "$work/a.json"
"$spume" info "$work/round/frames/000004.h5" --json > "$work/b.json"
python3 -B - "$work/a.json" "$work/b.json" << 'END' || fail "a frame exported and read again is not what it was"
import json, sys
a, b = (json.load(open(path))["fields"]["velocity"]["values"] for path in sys.argv[1:])
for what in ("min", "max"):
    assert all(abs(x - y) < 1e-5 for x, y in zip(a[what], b[what])), (what, a, b)
END

# Blender's directory of water may hold its spray too; files without water are skipped and named.
mkdir "$work/blender"
for frame in 1 2; do
    "$maker" "$work/blender/fluid_data_000$frame.vdb" blender "time=$(awk "BEGIN { print $frame / 24 }")" || fail "no ball"
    "$maker" "$work/blender/fluid_particles_000$frame.vdb" blender points none || fail "no points"
done
expect 0 import "$work/blender" -o "$work/beside"
says "skipped: 2 files without water, such as $work/blender/fluid_particles_0001.vdb; grids found: particles (points)"
prints "2 frames, 1 to 2, largest speed"
rm "$work"/blender/fluid_data_*
expect 2 import "$work/blender" -o "$work/none"; one_sentence; says "fluid_particles_0001.vdb has no level set; grids found: particles (points)"

# A directory holds one run.
expect 2 import "$work/geo" -o "$run"; one_sentence; says "--overwrite"
expect 0 import "$work/geo" -o "$run" --overwrite --frames 2-3 --quiet
[ "$(ls "$run/frames" | tr '\n' ' ')" = "000002.h5 000003.h5 " ] || fail "frames 2-3 became $(ls "$run/frames")"

# refused SENTENCE ARGUMENTS...: status 2, one sentence, nothing written
refused() {
    local sentence=$1
    shift
    expect 2 import "$@" -o "$work/none" --quiet; one_sentence; says "$sentence"
    [ ! -e "$work/none" ] || fail "a refused import left a directory"
}
refused "none of 1 files lies within frames 7-9" "$work/geo/ball.0001.vdb" --frames 7-9
refused "frame 5 is missing (1 > max_gap 0); give --max-gap 1 to bridge it or start at frame 6" "$work/geo" --max-gap 0
refused "has no surface 'water'; grids found: surface (level set), vel (staggered vec3)" "$work/geo" --surface water
refused "ball.0001.vdb has no surface 'water'" "$work/geo" --surface water
refused "no velocity grid 'v' found; bubbles need one" "$work/geo" --velocity v
refused "--memory 0.0000001: " "$work/geo" --memory 0.0000001
refused "--memory 0.001: " "$work/geo" --memory 0.001; says "expected more than"
# Only regular files are opened: a pipe would block.
mkdir "$work/odd" "$work/odd/w.0002.vdb"
refused "w.0002.vdb: is a directory; expected a file" "$work/odd"
rmdir "$work/odd/w.0002.vdb"
mkfifo "$work/odd/w.0002.vdb"
timeout 20 "$spume" import "$work/odd" -o "$work/none" --quiet > "$work/out" 2> "$work/err"
[ $? = 2 ] || fail "a pipe is no file"
one_sentence; says "w.0002.vdb: is not an ordinary file"
refused "contains no .vdb files" "$work"
refused "No such file" "$work/nothing.0001.vdb"
refused "--as maya; expected auto, houdini, blender or plain" "$work/geo" --as maya
refused "--up x; expected y or z" "$work/geo" --up x
refused "--velocity-unit knots; expected m/s or cells/unit" "$work/geo" --velocity-unit knots
refused "--scale 0; expected a number" "$work/geo" --scale 0
cp "$work/geo/ball.0003.vdb" "$work/whole"
head -c 9000 "$work/whole" > "$work/geo/ball.0003.vdb"
refused "frame 3 is incomplete (ends early); delete $work/geo/ball.0003.vdb" "$work/geo"
echo "no volume at all, but long enough to be looked at twice" > "$work/geo/ball.0003.vdb"
refused "$work/geo/ball.0003.vdb is not an OpenVDB file" "$work/geo"
: > "$work/geo/ball.0003.vdb"
refused "frame 3 is incomplete (" "$work/geo"
expect 2 import "$work/geo"; one_sentence; says "-o DIR"

# Damaged bytes in a header: read or refused, never a crash. (Inside a grid OpenVDB trusts the sizes that it reads.)
cp "$work/whole" "$work/geo/ball.0003.vdb"
for n in $(seq 0 32 600); do
    cp "$work/whole" "$work/rot.0003.vdb"
    printf '\xff\x7f\x80' | dd of="$work/rot.0003.vdb" bs=1 seek="$n" conv=notrunc 2> /dev/null
    timeout 60 "$spume" import "$work/rot.0003.vdb" -o "$work/rot" --overwrite --quiet > "$work/out" 2> "$work/err"
    status=$?
    [ $status -le 2 ] || fail "byte $n ended it with $status"
done
exit 0

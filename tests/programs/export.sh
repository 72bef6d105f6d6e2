#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Export to OBJ and USD, compared with PLY, which other tests check; and export of damaged and missing frames.
. "$(dirname "$0")/common.sh"
here=$(dirname "$0") run=$work/run

expect 0 run pond/fig10 -o "$run" --frames 24 --quiet --set pond.nx=20 --set pond.ny=20
expect 0 export "$run" --to ply --ascii --frames 20-24
expect 0 export "$run" --to usda --frames 20-24; prints "5 frames exported"
[ "$(ls "$run/usda")" = spume.usda ] || fail "files in usda/: $(ls "$run/usda")"
python3 -B "$here/export_usda.py" "$run/usda/spume.usda" "$run/ply" 60 20 21 22 23 24 || fail "spume.usda"

expect 0 export "$run" --to obj --frames 24
for set in bubbles foam height; do [ -s "$run/obj/$set.000024.obj" ] || fail "no OBJ of $set"; done
[ "$(grep -c '^v ' "$run/obj/bubbles.000024.obj")" = "$(grep -c '^p ' "$run/obj/bubbles.000024.obj")" ] ||
    fail "not every bubble is a point"
[ "$(grep -c '^v ' "$run/obj/bubbles.000024.obj")" = \
  "$(sed -n 's/^element vertex //p' "$run/ply/bubbles.000024.ply")" ] || fail "OBJ and PLY differ in bubbles"

if "$spume" version | grep -qi 'openvdb *left out'; then
    expect 2 export "$run" --to vdb; one_sentence; says "-DSPUME_WITH_VDB=ON"
fi

# A damaged frame is refused by name before anything is written; --skip-bad leaves it out.
printf 'x' | dd of="$run/frames/000022.h5" bs=1 seek=3000 conv=notrunc status=none
for format in ply vtk obj usda; do
    expect 1 export "$run" --to $format --frames 21-23 -o "$work/none"; one_sentence
    says "frame 22 is damaged"; says "000022.h5"; says "--skip-bad"
    [ -e "$work/none" ] && fail "something was written"
    expect 0 export "$run" --to $format --frames 21-23 -o "$work/$format" --skip-bad
    says "left out"; prints "2 frames exported"
done
ls "$work"/ply/*.000022.* 2> /dev/null && fail "the damaged frame was exported"
expect 0 export "$run" --to ply --frames 23-24 -o "$work/after" # a damaged frame outside the range does not matter
expect 2 export "$run" --to ply --frames 22 --skip-bad -o "$work/none"; says "no good frame"

# A missing frame is refused likewise.
rm "$run/frames/000022.h5"
for range in "" "--frames 21-23" "--frames 20:24:2"; do
    # shellcheck disable=SC2086
    expect 1 export "$run" --to ply $range -o "$work/none"; one_sentence
    says "1 of "; says "frames are missing, the first is frame 22; give --skip-bad"
    [ -e "$work/none" ] && fail "something was written"
done
expect 0 export "$run" --to ply --frames 21-23 -o "$work/gap" --skip-bad; says "1 of 3 frames are missing"

expect 2 export "$run" --to ply --density bubbles; one_sentence; says "--density does nothing without --to vdb"
for format in ply usda; do
    expect 0 export "$run" --to $format --only bubbles --frames 23 -o "$work/only_$format"; prints ": bubbles"
done
[ "$(ls "$work/only_ply")" = bubbles.000023.ply ] || fail "--only bubbles wrote $(ls "$work/only_ply")"
grep -q height "$work/only_usda/spume.usda" && fail "--only bubbles wrote the height"
expect 2 export "$run" --to ply --only none --frames 23 -o "$work/none"; one_sentence
expect 2 export "$run" --to obj --ascii; one_sentence; says "--ascii does nothing without"

# Ctrl-C leaves only complete files. USD is one file, so it leaves none.
expect 0 run pond/fig10 -o "$work/long" --frames 150 --quiet --set cache.sync=false
for format in usda ply; do
    "$spume" export "$work/long" --to $format > "$work/out" 2> "$work/err" &
    process=$!
    for _ in $(seq 1000); do [ -n "$(ls -A "$work/long/$format" 2> /dev/null)" ] && break; sleep 0.01; done
    kill -INT $process 2> /dev/null
    wait $process
    status=$?
    [ -z "$(find "$work/long/$format" -name '.tmp.*')" ] || fail "a part of a file was left behind"
    if [ $status = 0 ]; then
        echo "$format was done before it could be interrupted"
        continue
    fi
    [ $status = 130 ] || fail "an interrupted export ended with $status"
    one_sentence; says "interrupted: "
    [ $format = ply ] || [ -z "$(ls -A "$work/long/usda")" ] || fail "half a usda is there"
done
exit 0

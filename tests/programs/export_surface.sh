#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# `spume surface`: a pond's water and a ball on tiles become closed meshes of the right volume, bubbles are split into
# isolated ones and the rest, and refusals. Arguments: the program, test_exchange_vdb.
. "$(dirname "$0")/common.sh"
make_ball=$2 here=$(dirname "$0") run=$work/run

expect 0 run pond/fig10 -o "$run" --frames 24 --quiet --set pond.nx=20 --set pond.ny=20
expect 0 surface "$run" --to obj --frames 24; prints "1 frame, "
# The volume between ground and heights, sampled at cell corners, is the solver's within 1 %.
water=$("$spume" info "$run/frames/000024.h5" --json |
    python3 -c 'import json, sys; print(json.load(sys.stdin)["stats"]["water_m3"])')
python3 -B "$here/export_mesh.py" "$run/surface/height.000024.obj" "$water" 0.01 || fail "the pond's water"

# Every bubble of this run is isolated or meshed.
expect 0 surface "$run" --to ply --set bubbles --frames 24
expect 0 export "$run" --to ply --frames 24
count() { sed -n 's/^element vertex //p;/^end_header/q' "$1"; }
[ "$(count "$run/surface/bubbles_isolated.000024.ply")" -le "$(count "$run/ply/bubbles.000024.ply")" ] ||
    fail "more isolated bubbles than bubbles"
rm "$run"/surface/*
expect 0 surface "$run" --to ply --set bubbles --isolated drop --frames 24
[ "$(ls "$run/surface")" = bubbles.000024.ply ] || fail "dropped bubbles were written"
expect 0 surface "$run" --to obj --set bubbles --isolated mesh --method spheres --frames 24 -o "$work/balls"
# As balls, the bubbles of a pond have the volume of its gas. OBJ has six digits: 1e-6 m for positions around 0.1 m,
# which is 2e-4 of bubbles of 4 mm. Stretched bubbles are balls here, of the same volume.
gas=$("$spume" info "$run/frames/000024.h5" --json |
    python3 -c 'import json, sys; print(json.load(sys.stdin)["stats"]["gas_m3"])')
python3 -B "$here/export_mesh.py" "$work/balls/bubbles.000024.obj" "$gas" 0.01 || fail "the pond's gas"
expect 0 surface "$run" --to obj --set foam --frames 24 -o "$work/balls"; prints "1 frame, "

# Frame ranges work as in `spume render`, here and in `spume export`.
expect 0 surface "$run" --to obj --frames 0:24:8 -o "$work/steps"; prints "4 frames"
[ "$(cd "$work/steps" && echo *)" = "height.000000.obj height.000008.obj height.000016.obj height.000024.obj" ] ||
    fail "frames of 0:24:8: $(ls "$work/steps")"
expect 0 surface "$run" --to obj --frames last -o "$work/last"
[ "$(ls "$work/last")" = height.000024.obj ] || fail "the last frame: $(ls "$work/last")"
expect 0 export "$run" --to ply --frames 3:24:20 -o "$work/exported"
[ "$(cd "$work/exported" && echo bubbles.*)" = "bubbles.000003.ply bubbles.000023.ply" ] || fail "export of 3:24:20"
for range in 0:24:0 24:0 3-1 0-24-2 1000000 x 1: ""; do
    expect 2 surface "$run" --to obj --frames "$range"; one_sentence; says "A:B:STEP"
done

expect 2 surface "$run" --to obj --set no_such_set --frames 24
one_sentence; says "bubbles foam height"
expect 2 surface "$run" --to obj --clip; one_sentence; says "no colliders"
expect 2 surface "$run" --to stl; one_sentence; says "obj, ply or vdb"
expect 2 surface "$run"; one_sentence; says "--to"
expect 2 surface "$run" --to obj --isolated maybe; one_sentence; says "points, mesh or drop"
printf 'x' | dd of="$run/frames/000022.h5" bs=1 seek=3000 conv=notrunc status=none
expect 1 surface "$run" --to obj --frames 21-23 -o "$work/none"; one_sentence; says "000022.h5"; says "--skip-bad"
expect 0 surface "$run" --to obj --frames 21-23 -o "$work/some" --skip-bad; says "left out"; prints "2 frames"

# Clipped water does not enter the glass: the hollow is 0.4 m wide, from -0.2 to 0.2. Trilinear distances of flat walls
# are exact, and smoothing does not move a flat face: 1 mm is a third of a voxel.
if "$spume" scenes | grep -q '^still/tank '; then
    expect 0 run still/tank -o "$work/tank" --frames 0 --quiet
    expect 0 surface "$work/tank" --to obj -o "$work/free"
    expect 0 surface "$work/tank" --to obj -o "$work/clipped" --clip
    widest() { awk '/^v / { x = $2 < 0 ? -$2 : $2; if (x > most) most = x } END { print int(1e6 * most) }' "$1"; }
    free=$(widest "$work/free/surface.000000.obj") clipped=$(widest "$work/clipped/surface.000000.obj")
    [ "$free" -gt 201000 ] && [ "$clipped" -lt 201000 ] && [ "$clipped" -gt 195000 ] ||
        fail "the water reaches $free um, and clipped $clipped um"
fi

# A ball of radius 0.7 m on voxels of 0.125 m: one pass of curvature flow takes 0.1*voxel^2*2/r = 4.5 mm off its
# radius (1.9 % of the volume), and chords are about voxel^2/(8 r) = 2.8 mm inside (1.2 %): 5 %.
rm "$run"/frames/*
"$make_ball" "$run/frames" || fail "no frame with tiles was made"
rm "$run"/frames/cube.*
expect 0 surface "$run" --to obj -o "$work/ball"
python3 -B "$here/export_mesh.py" "$work/ball/surface.000007.obj" 1.43675504 0.05 || fail "the ball"
exit 0

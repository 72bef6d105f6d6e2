#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# From a scene to pictures: run, resume, extend, run again from a checkpoint, info, export, render.
. "$(dirname "$0")/common.sh"
run=$work/run

expect 0 run pond/fig10 -o "$run" --frames 8 --set cache.checkpoint_every=4
prints "Next: spume render $run"
expect 2 run pond/fig10 -o "$run" --frames 8; one_sentence
expect 0 run pond/fig10 -o "$run" --frames 8 --set cache.checkpoint_every=4 --resume
digests "$run" > "$work/short"

# Another scene in the same directory is refused; so is a frame without a checkpoint.
expect 2 run pond/fig10 -o "$run" --resume --set seed=99; one_sentence
expect 2 run pond/fig10 -o "$run" --from 3 --frames 8 --set cache.checkpoint_every=4; one_sentence

# A finished run is extended, and its old frames do not change.
expect 0 run pond/fig10 -o "$run" --frames 12 --set cache.checkpoint_every=4 --resume
same "$run" "$work/short" 9 || fail "extending changed the frames that were there"
digests "$run" > "$work/long"
expect 0 run pond/fig10 -o "$run" --frames 12 --set cache.checkpoint_every=4 --from 8
same "$run" "$work/long" || fail "running again from frame 8 changed the frames"
expect 0 run pond/fig10 -o "$work/straight" --frames 12 --set cache.checkpoint_every=4 --quiet
[ -s "$work/out" ] && fail "--quiet printed something"
same "$work/straight" "$work/long" || fail "an extended run differs from a straight one"

# Only the frames of a range are kept.
expect 0 run pond/fig10 -o "$work/part" --frames 6-8
[ "$(ls "$work/part/frames" | wc -l)" = 3 ] || fail "--frames 6-8 kept $(ls "$work/part/frames" | wc -l) frames"
sed -n 7,9p "$work/long" > "$work/middle"
same "$work/part" "$work/middle" || fail "a part differs from the whole"

expect 0 info "$run"; prints "13 frames"; prints "radius"
expect 0 info "$run" --frames
expect 0 info "$run/frames/000012.h5"; prints "frame 12"
expect 2 info "$run/static.h5"; one_sentence; says "static.h5: holds what does not change"; says "expected a frame"
expect 2 info "$run/checkpoint/000012.ckpt"; one_sentence; says "holds a checkpoint"
expect 0 info "$run" --json
python3 - "$work/out" <<'PYTHON' || fail "info --json"
import json, sys
run = json.load(open(sys.argv[1]))
assert len(run["frames"]) == 13 and run["damaged"] == 0 and run["missing"] == 0
assert run["last_frame"]["frame"] == 12 and run["frames"][12]["hash"] == run["last_frame"]["hash"]
assert len({f["hash"] for f in run["frames"]}) == 13
PYTHON

expect 0 export "$run" --to ply --frames 10-12 --names houdini -o "$work/geo"
ls "$work"/geo/*.000012.ply > /dev/null || fail "no PLY of frame 12"
expect 0 export "$run" --to vtk --ascii
ls "$run"/vtk/*.pvd > /dev/null || fail "no time series for ParaView"
if "$spume" version | grep -q 'libpng *left out'; then
    expect 2 render "$run" --size 64x36; one_sentence
else
    expect 0 render "$run" --size 64x36 --samples 1 -o "$work/picture.png"; prints "$work/picture.png"
    [ "$(head -c 4 "$work/picture.png" | tail -c 3)" = PNG ] || fail "the picture is no PNG"
    expect 0 render "$run" --frame 0 --size 64x36 --samples 1 --camera 1,1,1:0.2,0.1,-0.2:40
    [ -s "$run/pictures/000000.png" ] || fail "no picture in the run's own place"
fi
expect 2 render "$run" --frame 77; one_sentence; says "no frame 77"

expect 0 bench pond --json --threads 1 --case fig7
python3 - "$work/out" <<'PYTHON' || fail "bench --json"
import json, sys
for line in open(sys.argv[1]):
    row = json.loads(line)
    assert row["bench"] == "pond" and row["threads"] == 1 and row["seconds_per_step"] > 0 and len(row["hash"]) == 16
assert row["case"].startswith("fig7")
PYTHON

# A damaged frame is named by info, and refused by render and by export unless it may be skipped.
printf 'x' | dd of="$run/frames/000005.h5" bs=1 seek=3000 conv=notrunc status=none
expect 1 info "$run"; prints "DAMAGED"; prints "000005.h5"
expect 1 info "$run/frames/000005.h5"; one_sentence; says "000005.h5"
expect 1 export "$run" --to ply --frames 4-6 -o "$work/rest"; one_sentence; says "000005.h5"
expect 0 export "$run" --to ply --frames 4-6 -o "$work/rest" --skip-bad; says "left out"
expect 1 render "$run" --frame 5; one_sentence; says "--skip-bad"

# --log json: every line is JSON, one for each frame.
expect 0 run pond/fig10 -o "$work/json" --frames 3 --log json
python3 -c '
import json, sys
events = [json.loads(line) for line in sys.stdin]
assert [e["frame"] for e in events if e["event"] == "frame"] == [0, 1, 2, 3], events' < "$work/err" || fail "--log json"
exit 0

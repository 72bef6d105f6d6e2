#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Options of `spume render` and refusals: single pictures, several, contact sheets.
. "$(dirname "$0")/common.sh"
run=$work/run
look=(--size 64x36 --samples 1)
expect 0 run pond/tiny -o "$run" --frames 12 --quiet --set cache.sync=false

mkdir "$work/dir.png"

# Refused in one sentence, before anything is drawn.
refused() {
    local sentence=$1
    shift
    expect 2 render "$run" "$@"; one_sentence; says "$sentence"
}
refused "--frames 5-2" --frames 5-2
refused "A:B:STEP" --frames 0:9:0
refused "--frames 1:2:3:4" --frames 1:2:3:4
refused "exclude each other" --frames 0-2 --frame 1
refused "no frame 77" --frame 77
refused "no good frame in 40-50" --frames 40-50
refused "draft or final" --preset nice
refused "picture, particles, slice, tiles, wire or normals" --look foggy
refused "set, speed, size, age or id" --look particles --color mood
refused "x, y or z" --look slice --axis w
refused "0 to 1" --look slice --at 1.5
refused "0 to 2" --shutter 3
refused "16 to 16384" --size 8x8
refused "--samples 0" --samples 0
refused "--camera 1,2" --camera 1,2
refused "look.KEY=VALUE" --set pond.nx=5
refused "did you mean light?" --set look.lihgt=sky
refused "look.exposure" --set look.exposure=1000
refused "-1e6 to 1e6" --camera nan,0,0:1,1,1
refused "-1e6 to 1e6" --camera 0,0,0:1,inf,1:30
refused "-1e6 to 1e6" --camera 1e9,0,0:1,1,1:30
refused "1 to 150 degrees" --camera 1,0,0:0,0,0:170
refused "1 to 150 degrees" --camera 1,0,0:0,0,0:nan
refused "two different points" --camera 1,0,0:1,0,0
refused "up must not lie along" --set 'look.camera={"from":[0,1,0],"to":[0,0,0],"up":[0,1,0]}'
refused "--count does nothing without --sheet" --count 3
refused "--color does nothing without --look particles" --color speed
refused "--color does nothing without --look particles" --look wire --color speed
for option in "--field surface" "--axis x" "--at 0.3"; do
    # shellcheck disable=SC2086
    refused "does nothing without --look slice" $option
done
refused "exclude each other" --movie "$work/a.mp4" --sheet "$work/a.png"
refused "-o $work/a.jpg; expected a name that ends in .png" -o "$work/a.jpg"
refused "expected a directory" --frames 0-2 -o "$work/a.jpg"
refused "--sheet $work/a.jpg; expected a name that ends in .png" --sheet "$work/a.jpg"
refused "pictures go to files" -o -
refused "pictures go to files" --frames 0-2 -o -
refused "is a directory" -o "$work/dir.png"
# film 15 floats, denoiser 15, the bytes themselves as one more; a final picture is not denoised
refused "31 layers needs 33.3 GB" --size 16384x16384 --memory 8
refused "16 layers needs 17.2 GB" --size 16384x16384 --memory 8 --preset final
refused "expected a directory" --frames 0-2 -o "$work/a.png"
refused "there is no directory $work/nowhere" -o "$work/nowhere/a.png"
refused "there is no directory $work/nowhere" --movie "$work/nowhere/a.mp4"
refused "there is no directory $work/nowhere" --sheet "$work/nowhere/a.png"
[ -e "$run/pictures" ] && fail "something was drawn for a refused command"

"$spume" render "$run" "${look[@]}" > "$work/out" 2> "$work/err"
if grep -q 'this build has no' "$work/err"; then
    echo "this build draws no pictures: the rest cannot be tested"
    exit 0
fi
prints "$run/pictures/000012.png"

# A picture records how it was made, without a time.
expect 0 info "$run" --json; cp "$work/out" "$work/info"
python3 - "$run/pictures/000012.png" "$work/info" <<'PYTHON' || fail "provenance"
import json, struct, sys
data, texts, kinds, at = open(sys.argv[1], "rb").read(), {}, [], 8
while at < len(data):
    length, kind = struct.unpack(">I4s", data[at:at + 8])
    kinds.append(kind)
    if kind == b"tEXt":
        key, value = data[at + 8:at + 8 + length].split(b"\0", 1)
        texts[key.decode()] = value.decode()
    at += 12 + length
assert b"tIME" not in kinds and b"gAMA" in kinds and b"sRGB" in kinds, kinds
assert list(texts) == ["Software", "spume:scene", "spume:frame", "spume:state", "spume:command", "spume:look",
                       "spume:samples"], texts
last = json.load(open(sys.argv[2]))["frames"][12]
assert texts["spume:frame"] == "12" and texts["spume:state"] == last["hash"] and texts["spume:samples"] == "1"
assert texts["Software"].startswith("spume ") and "--size 64x36" in texts["spume:command"]
made = json.loads(texts["spume:look"])
assert made["size"] == [64, 36] and made["look"]["exposure"] == 0, made
PYTHON

# Equal commands give equal bytes, on any number of threads.
expect 0 render "$run" "${look[@]}" --threads 1 -o "$work/one.png"
expect 0 render "$run" "${look[@]}" --threads 3 --out "$work/three.png"; prints "$work/three.png"
cmp -s "$work/one.png" "$work/three.png" || fail "the picture depends on the threads"
cmp -s "$work/one.png" "$run/pictures/000012.png" || fail "the picture depends on where it is put"
expect 0 render "$run" "${look[@]}" --frames last -o "$work/last.png"

# A view straight down; and a diagnostic look does not replace a picture.
expect 0 render "$run" "${look[@]}" --camera 0.04,0.5,-0.04:0.04,0,-0.04:20 -o "$work/down.png"
before=$(sha256sum < "$run/pictures/000012.png")
expect 0 render "$run" "${look[@]}" --look particles --color speed; prints "$run/pictures/000012.particles.png"
expect 0 render "$run" "${look[@]}" --look normals --frames 11-12; prints "$run/pictures/000011.normals.png"
[ "$(sha256sum < "$run/pictures/000012.png")" = "$before" ] || fail "a diagnostic look replaced a picture"

# Several pictures, with more options.
expect 0 render "$run" "${look[@]}" --frames 2:12:5
for frame in 000002 000007 000012; do prints "$run/pictures/$frame.png"; done
[ "$(wc -l < "$work/out")" = 3 ] || fail "--frames 2:12:5 is not three pictures"
expect 0 render "$run" "${look[@]}" --frames 3-5 -o "$work/some" --still-noise --preset final \
    --camera 0.3,0.3,0.2:0.04,0.03,-0.04:40 --set look.light=sky --set look.water.tint=2 --json
python3 -c 'import json, sys
o = json.load(sys.stdin)
assert o["frames"] == [3, 4, 5] and o["look"]["preset"] == "final" and o["look"]["still_noise"] is True, o
assert o["look"]["camera"]["fov"] == 40 and o["look"]["look"]["light"] == "sky", o
assert o["look"]["look"]["water"]["tint"] == 2, o' < "$work/out" || fail "--json"
[ "$(ls "$work/some")" = "$(printf '00000%d.png\n' 3 4 5)" ] || fail "pictures 3 to 5 are not in their directory"

# A contact sheet: thumbs of the size asked for with 4 pixels between them, and captions below.
expect 0 render "$run" "${look[@]}" --sheet "$work/sheet.png" --count 5; prints "$work/sheet.png"
python3 - "$work/sheet.png" <<'PYTHON' || fail "the sheet's size"
import struct, sys
width, height = struct.unpack(">II", open(sys.argv[1], "rb").read()[16:24])
shapes = [(c * 68 + 4, -(-5 // c) * (36 + 12 + 4) + 4) for c in range(1, 6)]
best = min(shapes, key=lambda s: max(s[0] * 9 / (s[1] * 16), s[1] * 16 / (s[0] * 9)))
assert (width, height) == best, (width, height, shapes)
PYTHON
expect 0 render "$run" "${look[@]}" --sheet "$work/sheet.png" --count 400 # more than there are frames
expect 2 render "$run" "${look[@]}" --sheet "$work/sheet.png" --count 0; one_sentence
[ -z "$(find "$work" -name '.tmp.*')" ] || fail "something half done was left behind"

# For several pictures -o may name a directory, but not an existing file.
expect 2 render "$run" "${look[@]}" --frames 0-2 -o "$work/info"; one_sentence; says "is a file"

# Ctrl-C during a large picture leaves no file. A block of 16 x 16 pixels takes milliseconds; ten seconds allow for busy
# machines.
"$spume" render "$run" --size 3000x2000 --samples 64 -o "$work/large.png" > "$work/out" 2> "$work/err" &
process=$!
sleep 1
kill -INT $process
begin=$SECONDS
wait $process
status=$?
[ $status = 130 ] || fail "an interrupted picture ended with $status"
one_sentence; says "interrupted: no picture was written"
[ $((SECONDS - begin)) -le 10 ] || fail "an interrupted picture went on for $((SECONDS - begin)) s"
[ -e "$work/large.png" ] && fail "an interrupted picture is there"
exit 0

#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# `check` never waits: pipes, endless files, counts of millions are refused at once. It refuses what `run` refuses, and
# warns of things that have no effect.
. "$(dirname "$0")/common.sh"
seconds=10
[ "${2:-}" = brief ] && seconds=60

# quick STATUS SCENE_TEXT: `check` ends with this status within $seconds
quick() {
    printf '%s' "$2" > "$work/scene.json"
    timeout -k 5 $seconds "$spume" check "$work/scene.json" < /dev/null > "$work/out" 2> "$work/err"
    local status=$?
    [ $status = "$1" ] || fail "check ended with $status instead of $1 for $2"
}
# refused SCENE_TEXT WORDS...
refused() {
    quick 2 "$1"
    shift
    one_sentence
    for words in "$@"; do says "$words"; done
}

mkfifo "$work/pipe" "$work/pipe.obj" "$work/moves_0.obj"
ln -s /dev/zero "$work/zero"
ln -s /dev/zero "$work/zero.obj"
ln -s /dev/zero "$work/zero.ply"

# ---- Files that have no end --------------------------------------------------------------------

with_mesh() { # MESH: a scene of liquid with it as collider
    printf '{ "spume": 1, "solver": "liquid", "domain": { "min": [0, 0, 0], "max": [1, 1, 1] },
"colliders": [ { "shape": { "mesh": { %s } } } ],
"emitters": [ { "shape": { "box": { "min": [0, 0, 0], "max": [1, 0.5, 1] } } } ], "liquid": { "voxel": 0.1 } }' "$1"
}
for file in pipe.obj zero.obj zero.ply; do
    refused "$(with_mesh "\"file\": \"$file\"")" "colliders[0].shape.mesh.file" "$file" "is not an ordinary file"
done
refused "$(with_mesh '"file": "moves_%d.obj", "frames": { "last": 5 }')" "moves_0.obj" "is not an ordinary file"
cube=$sources/tests/data/meshes/cube.obj
for n in 0 1 2; do ln -s "$cube" "$work/some_$n.obj"; done
mkfifo "$work/some_3.obj"
refused "$(with_mesh '"file": "some_%d.obj", "frames": { "last": 9999999 }')" \
    "some_3.obj: is not an ordinary file, although frames.last is 9999999"
rm "$work/some_3.obj"
refused "$(with_mesh '"file": "some_%d.obj", "frames": { "last": 9999999 }')" \
    "some_3.obj: missing, although frames.last is 9999999"
refused "$(with_mesh '"file": "none_%d.obj", "frames": { "last": 9999999 }')" "none_0.obj"
for file in pipe zero; do
    refused "{ \"spume\": 1, \"solver\": \"pond\", \"pond\": { \"ground\": \"$file\" } }" "pond.ground" "is not an ordinary file"
    timeout -k 5 $seconds "$spume" check "$work/$file" < /dev/null > "$work/out" 2> "$work/err"
    [ $? = 2 ] || fail "check $file did not end with 2"
    one_sentence
done

# ---- Numbers that are too large ----------------------------------------------------------------

still() { # MORE: a tank of still water with more in it
    printf '{ "spume": 1, "solver": "still", "still": { "voxel": 0.02, "water": { "min": [-1, 0, -1], "max": [1, 1, 1] }, %s } }' "$1"
}
sizes='"smallest": 1e-4, "largest": 1e-3'
refused "$(still "\"plumes\": [ { \"from\": [0, 0, 0], \"to\": [0, 1, 0], \"count\": 100000000, $sizes } ]")" \
    "still.plumes[0].count" "expected 0 to 10000000"
many="{ \"from\": [0, 0.1, 0], \"to\": [0, 0.9, 0], \"count\": 9000000, $sizes }"
refused "$(still "\"plumes\": [ $many, $many, $many ]")" "2.7e+07 bubbles" "expected at most 2e+07"
refused "$(still '"heroes": [ { "center": [0, 0.5, 0], "radius": 10 } ]')" "bubbles in plumes, rafts and heroes"
# Each of a million bubbles of a raft may find all others in the widest bubble's reach.
quick 0 "$(still '"rafts": [ { "center": [0, 0, 0], "spread": 0.5, "count": 300000, "smallest": 1e-5, "largest": 1 } ]')"
# A plume above the water never finds room.
quick 0 "$(still "\"plumes\": [ { \"from\": [0, 5, 0], \"to\": [0, 6, 0], \"count\": 10000000, $sizes } ]")"

# ---- What a run would refuse, and what has no effect -------------------------------------------

tank() { # SOLVER COLLIDERS EMITTERS
    local grain='"voxel": 0.1'
    [ "$1" = sph ] && grain='"spacing": 0.05'
    printf '{ "spume": 1, "solver": "%s", "frames": 1, "domain": { "min": [0, 0, 0], "max": [1, 1, 1] },
"colliders": [ %s ], "emitters": [ %s ], "%s": { %s } }' "$1" "$2" "$3" "$1" "$grain"
}
box() { # FROM TO
    printf '"shape": { "box": { "min": [%s, %s, %s], "max": [%s, %s, %s] } }' "$1" "$1" "$1" "$2" "$2" "$2"
}
rocks="{ $(box 0.1 0.3) }, { $(box 0.7 0.9) }"
water="{ \"mode\": \"fill\", $(box 0.4 0.6) }"
for solver in liquid sph; do # colliders without a name
    quick 0 "$(tank $solver "$rocks" "$water")"
    expect 0 run "$work/scene.json" -o "$work/$solver" --quiet
    expect 0 info "$work/$solver"
    prints "body box at"
    prints "body box_2 at"
done
jet() { # X Y Z
    printf '{ "mode": "jet", "center": [%s, %s, %s], "direction": [0, 1, 0], "radius": 0.2, "speed": 1 }' "$1" "$2" "$3"
}
quick 0 "$(tank liquid "" "$water, $(jet 5 0.5 0.5)")"
says "emitters[1] lies outside the domain and brings no water"
quick 0 "$(tank liquid "" "$water, { \"mode\": \"fill\", $(box 3 4) }")"
says "emitters[1] lies outside the domain and brings no water"
quick 0 "$(tank liquid "" "$water, $(jet 0.5 0.5 0.5)")"
[ -s "$work/err" ] && fail "a jet in the domain needs no warning"
quick 0 "$(tank liquid "" "$(jet 0.5 0.5 0.5)")"
[ -s "$work/err" ] && fail "a tank that a jet fills needs no warning"
refused "$(tank sph "" "$water, $(jet 5 0.5 0.5)")" "emitters[1].center: 5 m along axis 0; expected inside the domain"
quick 0 "$(tank sph "" "")"
says "sph: there is no water, and none will come"
refused '{ "spume": 1, "solver": "pond", "pond": { "bubbles": [ { "x": 0.1, "y": 0.1, "z": 500 } ] } }' \
    "pond.bubbles[0].z: 500 m; expected 0 to"

# ---- A refused start leaves nothing ------------------------------------------------------------

expect 2 run pond/tiny -o "$work/new" --from 5
one_sentence
[ -e "$work/new" ] && fail "a refused --from left a directory behind"
expect 0 run pond/tiny -o "$work/old" --frames 3 --quiet
rm "$work/old/lock"
expect 2 run pond/tiny -o "$work/old" --from 2
[ -e "$work/old/lock" ] && fail "a refused --from left a lock behind"
exit 0

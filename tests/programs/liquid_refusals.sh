#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# `check` and `run` refuse a scene of `liquid` with the same sentence, which names the scene and the key.
. "$(dirname "$0")/common.sh"

# refused SCENE_TEXT WORDS...: both commands end with 2, one sentence and no directory
refused() {
    printf '%s' "$1" > "$work/wet.json"
    shift
    expect 2 check "$work/wet.json"
    one_sentence
    says "wet.json"
    for words in "$@"; do says "$words"; done
    cp "$work/err" "$work/checked"
    expect 2 run "$work/wet.json" -o "$work/run"
    cmp -s "$work/err" "$work/checked" || fail "check and run say different things"
    [ -e "$work/run" ] && fail "a refused scene left a directory behind"
    return 0
}

# tank COLLIDERS EMITTERS LIQUID: a scene with a tank of 1 m
tank() {
    printf '{ "spume": 1, "solver": "liquid", "frames": 2, "domain": { "min": [0, 0, 0], "max": [1, 1, 1] },\n'
    printf '"colliders": [ %s ],\n"emitters": [ %s ],\n"liquid": { %s } }\n' "$1" "$2" "$3"
}
box() { # FROM TO
    printf '"shape": { "box": { "min": [%s, %s, %s], "max": [%s, %s, %s] } }' "$1" "$1" "$1" "$2" "$2" "$2"
}
water="{ \"name\": \"column\", \"mode\": \"fill\", $(box 0.3 0.6) }"
rock="{ \"name\": \"rock\", $(box 0.2 0.7) }"
voxel='"voxel": 0.05'

tank "" "$water" "$voxel" > "$work/fine.json"
expect 0 check "$work/fine.json"
refused "$(tank "$rock" "$water" "$voxel")" 'emitters[0] "column": lies within colliders or outside the domain'
refused "$(tank "" "{ \"mode\": \"fill\", $(box 2.3 2.6) }" "$voxel")" "emitters[0]: lies"
refused "$(tank "$rock" "$water, { \"mode\": \"fill\", $(box 0.4 0.5) }" "$voxel")" "emitters: all 2 lie"
refused "$(tank "" "$water" "$voxel, \"sides\": { \"top\": \"closed\" }")" 'sides.top: "closed"; expected wall or open'
refused "$(tank "" "$water" "$voxel, \"sides\": { \"top\": \"periodic\" }")" "expected wall or open"
refused "$(tank "" "$water" "$voxel, \"sides\": { \"left\": \"periodic\", \"right\": \"periodic\" }")" \
    "wet.json:4: liquid.voxel: 0.05 m makes 20 voxels along periodic left and right; expected a multiple of 8"
refused "$(tank "" "$water" '"voxel": 3')" "voxels along x of the domain"

#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Every scene of `bubbles`, coarse and short: it starts, moves, counts all its particles, and can be drawn; and scenes
# that cannot run are refused in one sentence.
# Usage: bubbles_scenes.sh PROGRAM FRAMES
. "$(dirname "$0")/common.sh"

frames=${2:?} draws=yes
"$spume" version | grep -Eq '(libpng|embree) *left out' && draws=no
"$spume" scenes > "$work/scenes"
for scene in $(grep -o '^ *bubbles/[a-z0-9_]*' "$work/scenes" | tr -d ' '); do
    run=$work/$scene
    mkdir -p "$(dirname "$run")"
    # twice the voxel: an eighth of the particles of a lattice, an eighth of the voxels
    "$spume" check "$scene" --resolved > "$work/resolved"
    coarse=$(python3 - "$work/resolved" <<'PYTHON'
import json, sys
bubbles = json.load(open(sys.argv[1]))["bubbles"]
voxel = 2 * bubbles["voxel"]
sets = [f"bubbles.voxel={voxel:.6g}"] + ([f"bubbles.liquid.voxel={voxel:.6g}"] if bubbles["liquid"] else [])
sets += [f"bubbles.substeps={max(1, bubbles['substeps'] // 3)}"]
sets += [f"bubbles.emitters[{i}].{k}={e[k] / 8:.6g}" for i, e in enumerate(bubbles["emitters"]) for k in ("rate", "fraction") if e[k]]
print(" ".join("--set " + s for s in sets))
PYTHON
    )
    # shellcheck disable=SC2086
    expect 0 run "$scene" -o "$run" --frames "$frames" --quiet --set cache.sync=false $coarse
    expect 0 info "$run" --json
    python3 - "$work/out" "$frames" "$scene" <<'PYTHON' || fail "$scene"
import json, sys
run, frames = json.load(open(sys.argv[1])), int(sys.argv[2])
fails = sys.argv[3] == "bubbles/unaware"  # shows a scheme that throws bubbles apart
stats = run["last_frame"]["stats"]
assert len(run["frames"]) == frames + 1 and len({f["hash"] for f in run["frames"]}) == frames + 1
assert stats["particles"] > 0 and stats["failures"] == 0 and 0 < stats["speed_m_s"] < (1e4 if fails else 50), stats
assert stats["emitted"] == stats["particles"] + stats["left"] + stats["inside"] + stats.get("burst", 0), stats
PYTHON
    [ $draws = no ] || expect 0 render "$run" --size 64x36 --samples 1
done

# refused BUBBLES WORDS [REST]: a scene with these keys is refused, with these words
refused() {
    printf '{ "spume": 1, "solver": "bubbles", "domain": { "min": [0, 0, 0], "max": [1, 1, 1] }, %s "bubbles": { %s } }' \
        "${3:-}" "$1" > "$work/no.json"
    expect 2 check "$work/no.json"
    one_sentence
    says "$2"
}
# warned BUBBLES WORDS [REST]: a run of a scene with these keys says these words
warned() {
    printf '{ "spume": 1, "solver": "bubbles", "frames": 2, "domain": { "min": [0, 0, 0], "max": [1, 1, 1] }, %s "bubbles": { %s } }' \
        "${3:-}" "$1" > "$work/doubtful.json"
    expect 0 run "$work/doubtful.json" -o "$work/doubtful" --overwrite
    says "$2"
}
cloud='"emitters": [ { "sizes": "given", "shape": { "sphere": { "center": [0.5, 0.5, 0.5], "radius": 0.1 } }'
warned "\"voxel\": 0.05, $cloud, \"radius_min\": 0.07, \"spacing\": 4 } ]" "emitters[0].radius_min: 0.07 m is more than a voxel"
warned "\"voxel\": 0.05, $cloud, \"radius_min\": 0.04, \"fraction\": 1 } ]" "particles overfill"
warned "\"voxel\": 0.01, $cloud, \"radius_min\": 0.005, \"fraction\": 0.1 } ], \"tension\": { \"coefficient\": 10 }, \"substeps\": 1" "surface tension may be unstable"
jar='"colliders": [ { "name": "jar", "shape": { "box": { "min": [0.3, 0.3, 0.3], "max": [0.9, 0.9, 0.9] } }, "inside_out": true } ],'
pipe='"emitters": [ { "mode": "rate", "rate": 400, "sizes": "given", "radius_min": 0.01, "shape": { "box": { "min": [0.5, 0.4, 0.5], "max": [0.7, 0.5, 0.7] } } } ]'
warned "\"voxel\": 0.05, $pipe" "where the water has no way out" "$jar"
ball='"emitters": [ { "shape": { "sphere": { "center": [0.5, 0.5, 0.5], "radius": 0.1 } } } ]'
pool='"emitters": [ { "mode": "fill", "shape": { "box": { "min": [0, 0, 0], "max": [1, 0.5, 1] } } } ],'
refused "\"voxel\": 0.05" "bubbles.emitters: none"
refused "\"voxel\": 0, $ball" "bubbles.voxel: 0 m"
refused "\"voxel\": 0.05, \"coupling\": \"foo\", $ball" "expected stabilized, stabilized_paper"
refused "\"voxel\": 0.05, $ball" "emitters: the water around bubbles is still" "$pool"
refused "\"voxel\": 0.05, $ball, \"liquid\": { \"voxel\": 0.1 }" "bubbles.liquid.voxel: 0.1, or not given; expected bubbles.voxel, 0.05" "$pool"
refused "\"voxel\": 0.05, $ball, \"liquid\": { \"voxel\": 0.05, \"density\": 900 }" "bubbles.liquid.density" "$pool"
refused "\"voxel\": 0.05, $ball, \"periodic_x\": true, \"liquid\": { \"voxel\": 0.05 }" "bubbles.periodic_x" "$pool"
refused "\"voxel\": 0.05, $ball, \"liquid\": { \"voxel\": 0.05, \"narrow_band\": 2 }" "bubbles.liquid.narrow_band: 2" "$pool"
refused "\"voxel\": 0.05, $ball, \"liquid\": { \"voxel\": 0.05, \"sides\": { \"top\": \"shut\" } }" "expected wall or open" "$pool"
refused "\"voxel\": 0.05, $ball" "liquid: it belongs into bubbles: the scene's solver is bubbles" "\"liquid\": { \"voxel\": 0.05 },"
refused "\"voxel\": 0.05, $ball, \"materials\": [ { \"name\": \"sand\", \"density\": 2000, \"grains\": true } ]" "bubbles.emitters[0].sizes: \"surfacing\" makes particles that overlap"

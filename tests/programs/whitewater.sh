#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Whitewater as a user runs it: on a liquid that runs along, on the cache of a run, and with foam done again. The
# same answer for every number of threads and after a kill; every particle accounted for; refusals in one sentence.
# Usage: whitewater.sh PROGRAM FRAMES
. "$(dirname "$0")/common.sh"

frames=${2:?} threads="2 3 5"
[ "$frames" -ge 3 ] || threads=3 # a sanitized program is slow
[ "$frames" -ge 9 ] || frames=9
small="--set whitewater.liquid.voxel=0.04 --set whitewater.emission.budget=3000 --set whitewater.steps=2 --set cache.sync=false"

# hash_of RUN: of its last frame
hash_of() { "$spume" info "$1" --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["last_frame"]["hash"])'; }
# run_drop DIR OPTIONS
run_drop() {
    # shellcheck disable=SC2086
    expect 0 run whitewater/drop -o "$work/$1" --frames "$frames" --quiet $small "${@:2}"
}

run_drop one --threads 1
for n in $threads; do
    run_drop "threads_$n" --threads $n
    [ "$(hash_of "$work/one")" = "$(hash_of "$work/threads_$n")" ] || fail "$n threads give another state"
done

"$spume" info "$work/one" --json > "$work/info"
python3 - "$work/info" <<'PYTHON' || fail "the particles do not add up"
import json, sys
s = json.load(open(sys.argv[1]))["last_frame"]["stats"]
came = s["bubbles_emitted"] + s["foam_emitted"] + s["spray_emitted"]
went = sum(s[k] for k in ("burst", "pruned", "left", "inside", "stranded", "bubbles_left", "bubbles_inside", "bubbles_stranded"))
there = s["bubbles"] + s["foam"] + s["spray"]
assert came == there + went and s["bubbles_emitted"] > 1000 and s["foam"] > 0, s
air = s["bubbles_emitted_m3"] - sum(s[k + "_m3"] for k in ("burst", "pruned", "left", "inside", "stranded"))
assert abs(air - s["bubbles_m3"] - s["foam_m3"] - s["spray_m3"] - s["bubbles_left_m3"] - s["bubbles_inside_m3"]
           - s["bubbles_stranded_m3"]) < 1e-6 * s["bubbles_emitted_m3"], s
PYTHON

# From a checkpoint on, the same bits.
run_drop parts --set cache.checkpoint_every=2
rm "$work/parts/frames/00000$((frames - 1)).h5"
run_drop parts --resume
[ "$(hash_of "$work/one")" = "$(hash_of "$work/parts")" ] || fail "a resumed run ends in another state"

# Foam again with other keys: the bits of a whole run with these keys, and other ones than before.
run_drop lace --set whitewater.foam.cohesion=60
run_drop again --set whitewater.foam.cohesion=60 --redo foam --keep "$work/one"
[ "$(hash_of "$work/lace")" = "$(hash_of "$work/again")" ] || fail "--redo foam gives another state than a whole run"
[ "$(hash_of "$work/lace")" != "$(hash_of "$work/one")" ] || fail "cohesion changes nothing"
# shellcheck disable=SC2086
expect 2 run whitewater/drop -o "$work/no" --frames "$frames" $small --redo foam
says "go together"
# shellcheck disable=SC2086
expect 2 run whitewater/drop -o "$work/no" --frames "$frames" $small --redo foam --keep "$work/nowhere"
says "holds no run"

# On the cache of a run, in one line.
expect 0 run liquid/drop -o "$work/water" --frames "$frames" --quiet --set liquid.voxel=0.04 --set cache.sync=false
expect 0 whitewater "$work/water" -o "$work/white" --budget 3k --quiet --set cache.sync=false
expect 0 info "$work/white" --json
python3 - "$work/out" "$frames" <<'PYTHON' || fail "whitewater on a cache"
import json, sys
run = json.load(open(sys.argv[1]))
assert len(run["frames"]) == int(sys.argv[2]) + 1 and run["last_frame"]["stats"]["bubbles_emitted"] > 1000
assert run["last_frame"]["stats"]["bubbles"] + run["last_frame"]["stats"]["foam"] <= 3000
PYTHON
expect 2 whitewater "$work/water"
says "needs a directory"
expect 2 whitewater "$work/nowhere" -o "$work/no"
one_sentence
expect 2 whitewater "$work/water" -o "$work/no" --budget many
says "expected 1000 to 1e9 points"
expect 2 whitewater "$work/water" -o "$work/no" --frames $((frames + 5))
says "ends at"

# refused WHITEWATER WORDS [REST]
refused() {
    printf '{ "spume": 1, "solver": "whitewater", "frames": 2, %s "whitewater": { %s } }' "${3:-}" "$1" > "$work/no.json"
    expect 2 check "$work/no.json"
    one_sentence
    says "$2"
}
refused "" "has no water"
refused "\"bulk\": \"$work/water\", \"liquid\": { \"voxel\": 0.1 }" "has 2 waters"
refused "\"liquid\": { \"voxel\": 0.1 }" "domain: missing"
refused "\"bulk\": \"$work/water\", \"aeration\": { \"min\": 30, \"max\": 10 }" "aeration.min"
refused "\"bulk\": \"$work/water\", \"emission\": { \"radius_min\": 0.005, \"radius_max\": 0.001 }" "radius_min"
refused "\"bulk\": \"$work/water\", \"foam\": { \"cohesion_radius\": 1.8 }" "cohesion_radius: 1.8"
refused "\"bulk\": \"$work/water\", \"foam\": { \"tolerance\": 0.1, \"max_correction\": 0.05 }" "less than max_correction"
refused "\"bulk\": \"$work/water\"" "emitters: they pour water" \
    "\"emitters\": [ { \"mode\": \"fill\", \"shape\": { \"box\": { \"min\": [0, 0, 0], \"max\": [1, 1, 1] } } } ],"
refused "" "is a scene of pond; expected one of whitewater or liquid" "\"include\": \"pond/rest\","
refused "" "no such file" "\"include\": \"liquid/nothing\","
refused "\"bulk\": \"$work/water\", \"mode\": \"two_way\"" "expected guided, one_way or foam_only"

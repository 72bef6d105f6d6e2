#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Files of a run that were damaged or edited: info names them, an edited look is allowed, and render says so.
. "$(dirname "$0")/common.sh"
run=$work/run

expect 0 run liquid/dam_break -o "$run" --frames 3 --quiet --set liquid.voxel=0.05
expect 0 run pond/tiny -o "$work/pond" --frames 3 --quiet
expect 0 info "$run"
grep -q "EDITED\|DAMAGED" "$work/out" && fail "something of a good run is called damaged"

# named DIR FILE COMMAND...: after the command, info names the file and ends with 1
named() {
    local dir=$1 file=$2
    shift 2
    cp "$dir/$file" "$work/kept"
    "$@" || fail "$*"
    expect 1 info "$dir"; prints "DAMAGED  $dir/$file: "
    expect 1 info "$dir" --json
    python3 -c 'import json, sys; o = json.load(sys.stdin); assert o["damaged"] == 1 and o["files"][sys.argv[1]], o' "$file" \
        < "$work/out" || fail "info --json does not name $file"
    cp "$work/kept" "$dir/$file"
    expect 0 info "$dir"
}
flip() { printf '\377' | dd of="$1" bs=1 seek="$2" conv=notrunc status=none; }
named "$work/pond" static.h5 flip "$work/pond/static.h5" 2000
named "$work/pond" static.h5 rm "$work/pond/static.h5"
named "$work/pond" run.xmf sed -i 's/frame 2/frame 1/' "$work/pond/run.xmf"
named "$work/pond" stats.jsonl sed -i '2s/"frame":1,/"frame":9,/' "$work/pond/stats.jsonl"
named "$work/pond" stats.jsonl sed -i '3d' "$work/pond/stats.jsonl"
named "$work/pond" run.json sed -i 's/"fps": 60/"fps": 30/' "$work/pond/run.json"
named "$work/pond" seals.json sed -i '0,/[0-9a-f]\{16\}/s//0123456789abcdef/' "$work/pond/seals.json"

# An edited look is allowed and said, also with comments and in another layout.
cp "$run/scene.json" "$work/scene.json"
sed -i 's/"light": "[a-z]*"/"light": "sky" \/\/ brighter\n/' "$run/scene.json"
cmp -s "$run/scene.json" "$work/scene.json" && fail "the look was not edited"
expect 0 info "$run"; prints "EDITED   $run/scene.json: its look"
expect 0 info "$run" --json; grep -q '"scene":"look edited"' "$work/out" || fail "info --json does not name the edited look"
if ! "$spume" version | grep -q 'libpng *left out'; then
    expect 0 render "$run" --size 64x36 --samples 1 -o "$work/sky.png"
    says "$run/scene.json: its look was edited after the run; the picture has the edited look"
    cp "$work/scene.json" "$run/scene.json"
    expect 0 render "$run" --size 64x36 --samples 1 -o "$work/own.png"
    [ -s "$work/err" ] && fail "a run's own look is remarked on"
    cmp -s "$work/sky.png" "$work/own.png" && fail "the edited look does not show"
fi

# Another layout of the same scene is no edit; another scene is one.
python3 -c 'import json, sys; json.dump(json.load(open(sys.argv[1])), open(sys.argv[2], "w"), indent=7)' \
    "$work/scene.json" "$run/scene.json"
expect 0 info "$run"
grep -q EDITED "$work/out" && fail "another layout is called an edit"
sed 's/"density": 1000/"density": 900/' "$work/scene.json" > "$run/scene.json"
cmp -s "$run/scene.json" "$work/scene.json" && fail "the scene was not edited"
expect 1 info "$run"; prints "EDITED   $run/scene.json: after the run, and not only its look"
if ! "$spume" version | grep -q 'libpng *left out'; then
    expect 0 render "$run" --size 64x36 --samples 1 -o "$work/other.png"; says "not only its look"
fi
rm "$run/scene.json"
expect 1 info "$run"; prints "DAMAGED  $run/scene.json: cannot be read"

# Resuming writes the scene that runs, and says that an edit is lost.
echo '{}' > "$run/scene.json"
expect 0 run liquid/dam_break -o "$run" --frames 4 --set liquid.voxel=0.05 --resume; says "scene.json: was edited after the run"
expect 0 info "$run"
exit 0

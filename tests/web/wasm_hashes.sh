#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# wasm_hashes.sh NATIVE PAGE TOOLS SCENES PROGRAM: the pond in WebAssembly, with SIMD and without, has the hash of the native
# pond: for scenes of T07's Table 1 after 1000 frames, for scenes in which the program filled in all defaults, and for a
# session of commands, recorded and replayed.
set -euo pipefail
native=$1 page=$2 tools=$3 scenes=$4 program=$5
. "$(dirname "$0")/../temporary.sh"
failed=0

# expect WHAT EXPECTED GOT
expect() {
    if [ "$2" = "$3" ]; then
        echo "$1: $3"
    else
        echo "$1: $3; expected $2"
        failed=1
    fi
}

for name in fig7 fig8 fig9 fig10; do
    scene=$scenes/$name.json
    expected=$("$native" "$scene" 1000)
    [[ $expected =~ ^1000\ [0-9a-f]{16}\ bubbles\ [1-9][0-9]*\ foam\ [1-9] ]] || { echo "$name: $expected"; exit 1; }
    expect "$name, SIMD" "$expected" "$(node "$tools/pond.mjs" hash "$page/pond.wasm" "$scene" 1000)"
    expect "$name, plain" "$expected" "$(node "$tools/pond.mjs" hash "$page/pond-plain.wasm" "$scene" 1000)"
done

for name in play dam; do
    "$program" check "$scenes/$name.json" --resolved > "$work/$name.json"
    expect "$name, resolved" "$("$native" "$scenes/$name.json" 100)" \
        "$(node "$tools/pond.mjs" hash "$page/pond.wasm" "$work/$name.json" 100)"
done

for name in play fig7; do # with an obstacle and a heater of its own, and with those that a session brings along
    lived=$(node "$tools/pond.mjs" play "$page/pond.wasm" "$scenes/$name.json" "$work/session.json")
    expect "session on $name, natively" "$lived" "$("$native" "$work/session.json")"
    expect "session on $name, again" "$lived" "$(node "$tools/pond.mjs" hash "$page/pond.wasm" "$work/session.json")"
    untouched=$("$native" "$scenes/$name.json" 600)
    [ "$lived" != "$untouched" ] || { echo "session on $name: hands changed nothing"; failed=1; }
done
exit $failed

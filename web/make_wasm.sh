#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# make_wasm.sh OUTPUT: the pond and its bridge as WebAssembly, pond.wasm with SIMD and pond-plain.wasm without.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
[ $# = 1 ] || { echo "Usage: web/make_wasm.sh OUTPUT_FOLDER     (or: make page)" >&2; exit 2; }
out=$1
mkdir -p "$out"

mapfile -t sources < <(python3 "$root/tools/amalgamate.py" --list)
sources=("${sources[@]/#/$root/}" "$root/src/core/memory/arena.c" "$root/src/core/memory/budget.c" "$root/src/core/keys/keys_by_path.c" "$root/web/bridge/bridge.c")
# The same flags that keep the bits equal elsewhere. Standalone: no script of the compiler's own is needed.
flags=(-std=gnu17 -O3 -fno-math-errno -fno-trapping-math -ffp-contract=off -Wall -Wextra -Wno-pass-failed
       -I"$root/src" -I"$root/include"
       --no-entry -s STANDALONE_WASM=1 -s INITIAL_MEMORY=16777216 -s ALLOW_MEMORY_GROWTH=1
       -s MAXIMUM_MEMORY=1073741824)
export NODE_PATH=${NODE_PATH:-/usr/share/nodejs} # where Debian keeps what its emscripten asks of node
# Every browser that has SIMD has these, too: 4 % from copying memory at once, 1 % from converting without traps.
emcc "${flags[@]}" -msimd128 -mbulk-memory -mnontrapping-fptoint -msign-ext "${sources[@]}" -o "$out/pond.wasm"
emcc "${flags[@]}" "${sources[@]}" -o "$out/pond-plain.wasm"

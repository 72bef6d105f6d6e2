#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Simulates a pond and draws it. The last line printed is the picture's path.
set -euo pipefail
cd "$(dirname "$0")/.."

if [ $# -gt 0 ]; then
    echo "Usage: tools/demo.sh     (or: make demo)"
    echo "Runs the scene pond/fig10 with build/release/spume into build/demo and draws its last frame."
    [ "$1" = --help ] && exit 0
    exit 2
fi
spume=build/release/spume
[ -x $spume ] || { echo "tools/demo.sh: $spume is missing: run make demo" >&2; exit 2; }
$spume run pond/fig10 -o build/demo/fig10 --overwrite --quiet --frames 300 --set cache.sync=false
$spume render build/demo/fig10 -o build/demo/fig10.png --camera 0.80,0.50,0.10:0.31,0.19,-0.36:30

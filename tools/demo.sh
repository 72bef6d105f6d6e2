#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Simulates a pond, renders a still and a short movie of it, and says where they are.
set -euo pipefail
cd "$(dirname "$0")/.."

if [ $# -gt 0 ]; then
    echo "Usage: tools/demo.sh     (or: make demo)"
    echo "Runs the scene pond/fig10 with build/release/spume into build/demo, renders its last frame and a movie."
    [ "$1" = --help ] && exit 0
    exit 2
fi
spume=build/release/spume
[ -x $spume ] || { echo "tools/demo.sh: $spume is missing: run make demo" >&2; exit 2; }
echo "Simulating five seconds of pond/fig10"
$spume run pond/fig10 -o build/demo/fig10 --overwrite --quiet --frames 300 --set cache.sync=false
echo "Rendering a still and a movie; this takes a minute or two"
$spume render build/demo/fig10 --size 960x540 --samples 16 -o build/demo/fig10.png
$spume render build/demo/fig10 --movie build/demo/fig10.mp4 --frames 20:300:6 --size 480x270

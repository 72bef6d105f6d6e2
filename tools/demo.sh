#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Simulates a ball of water that falls into a tank and bubbles that rise through another one, renders stills and a short
# movie, and prints their paths.
set -euo pipefail
cd "$(dirname "$0")/.."

if [ $# -gt 0 ]; then
    echo "Usage: tools/demo.sh     (or: make demo)"
    echo "Runs the scenes liquid/drop and bubbles/flip_tank with build/release/spume into build/demo, renders a picture of each"
    echo "and a movie."
    [ "$1" = --help ] && exit 0
    exit 2
fi
spume=build/release/spume
[ -x $spume ] || { echo "tools/demo.sh: $spume is missing: run make demo" >&2; exit 2; }
echo "Simulating two seconds of liquid/drop, in voxels of 1 cm"
$spume run liquid/drop -o build/demo/drop --overwrite --quiet --frames 48 --set liquid.voxel=0.01 --set cache.sync=false
echo "Simulating two seconds of bubbles/flip_tank: bubbles in water with a surface"
$spume run bubbles/flip_tank -o build/demo/bubbles --overwrite --quiet --frames 48 --set cache.sync=false
echo "Rendering two stills and a movie; this takes a minute or two"
$spume render build/demo/bubbles --frame 48 --size 1280x720 --samples 16 -o build/demo/bubbles.png
$spume render build/demo/drop --frame 8 --size 1280x720 --samples 24 -o build/demo/drop.png
$spume render build/demo/drop --movie build/demo/drop.mp4 --size 640x360

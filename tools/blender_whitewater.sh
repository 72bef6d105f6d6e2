#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# From Blender's water to whitewater in Blender: bakes a splash, adds whitewater, reads it back, compares and draws it.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)

usage() {
    echo "Usage: tools/blender_whitewater.sh DIR [--spume PROGRAM] [--cache CACHE] [--resolution N] [--frames N]"
    echo "                                       [--import] [--step N] [--samples N]"
    echo "Writes DIR/cache (Blender's water), DIR/run, DIR/export and DIR/whitewater.mp4. What is there is not made again."
    echo "  --spume PROGRAM   default: build/release/spume of this checkout, else spume"
    echo "  --cache CACHE     a cache that this script baked before"
    echo "  --resolution N    cells along the longest side (default 96); --frames N (default 50)"
    echo "  --import          import the water without adding whitewater"
    echo "  --step N          draw every N-th frame (default 1; 0: no movie); --samples N rays a pixel (default 16)"
    exit "$1"
}

dir='' spume=$here/../build/release/spume cache='' resolution=96 frames=50 import='' step=1 samples=16
[ -x "$spume" ] || spume=spume
while [ $# -gt 0 ]; do
    case "$1" in
        --help) usage 0 ;;
        --import) import=yes ;;
        --spume | --cache | --resolution | --frames | --step | --samples)
            [ $# -gt 1 ] || usage 2
            printf -v "${1#--}" %s "$2"
            shift ;;
        -*) usage 2 ;;
        *) [ -z "$dir" ] && dir=$1 || usage 2 ;;
    esac
    shift
done
[ -n "$dir" ] || usage 2
for program in blender ffmpeg "$spume"; do
    command -v "$program" > /dev/null || { echo "blender_whitewater: no $program (tools/setup.sh --heavy)" >&2; exit 1; }
done
mkdir -p "$dir"
[ -n "$cache" ] || cache=$dir/cache

# in_blender WORDS...: runs a step of the Python script, with what Blender says in DIR/blender.log
in_blender() {
    blender -b --factory-startup --python-exit-code 1 -P "$here/blender_whitewater.py" -- "$@" > "$dir/blender.log" 2>&1 || {
        grep -v '^Fra:' "$dir/blender.log" | tail -n 30 >&2
        return 1
    }
    grep '^blender_whitewater' "$dir/blender.log" || true
}

if [ ! -e "$cache/scene.blend" ]; then
    echo "Blender bakes $frames frames of $resolution cells into $cache"
    in_blender bake "$cache" --resolution "$resolution" --frames "$frames"
fi
if [ ! -e "$dir/run/run.json" ]; then
    if [ -n "$import" ]; then
        "$spume" import "$cache/data" -o "$dir/run"
    else
        "$spume" whitewater "$cache/data" -o "$dir/run"
    fi
fi
if [ ! -d "$dir/export" ]; then
    [ -n "$import" ] || "$spume" export "$dir/run" --to ply --names blender -o "$dir/export" --quiet
    # Blender's own water beside ours: the level set; whitewater as points.
    "$spume" export "$dir/run" --to vdb --names blender --only surface -o "$dir/export" --quiet
fi
in_blender check "$cache" "$dir/export"
[ "$step" -gt 0 ] || exit 0
in_blender draw "$cache" "$dir/export" "$dir/pictures" --step "$step" --samples "$samples"
ffmpeg -loglevel error -y -framerate "24/$step" -pattern_type glob -i "$dir/pictures/*.png" -pix_fmt yuv420p "$dir/whitewater.mp4"
echo "$dir/whitewater.mp4"

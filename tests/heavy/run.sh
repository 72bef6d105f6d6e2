#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Other programs read what Spume exports, and Spume reads what Blender bakes:
# tests/heavy/run.sh blender|vtk|import|water PROGRAM
# Scenes: pond/fig10, and still/tank where this build has it.
set -euo pipefail
usage() { echo "Usage: tests/heavy/run.sh blender|vtk|import|water PROGRAM"; }
[ $# = 2 ] || { usage >&2; exit 2; }
[ "$1" != import ] || exec "$(dirname "$0")/import_blender.sh" "$2"
what=$1 spume=$(realpath "$2") here=$(cd "$(dirname "$0")" && pwd)
. "$here/../temporary.sh"

if [ "$what" = water ]; then # Blender's water, imported and read back, lies where Blender's own mesh does
    "$here/../../tools/blender_whitewater.sh" "$work/water" --spume "$spume" --import --resolution 32 --frames 14 --step 0
    exit
fi

scenes=(pond/fig10)
"$spume" scenes | grep -q '^still/tank ' && scenes+=(still/tank)

# facts RUN FRAME: `spume info` of a frame, into RUN/facts.FRAME.json
facts() { "$spume" info "$1/frames/$(printf %06d "$2").h5" --json > "$1/facts.$2.json"; }

read_by_blender() { # RUN FRAME
    "$spume" export "$1" --to ply --names blender --frames "$2-$2" --quiet
    "$spume" export "$1" --to vdb --names blender --density bubbles --frames "$2-$2" --quiet
    blender -b --factory-startup --python-exit-code 1 -P "$here/blender_reads.py" -- \
        "$here/../../tools/spume_blender.py" "$1" "$1/facts.$2.json" "$work/picture.png" > "$work/log" 2>&1 ||
        { grep -v '^Fra:' "$work/log" | tail -n 30 >&2; return 1; }
    grep '^blender_reads' "$work/log"
}

read_by_vtk() { # RUN FRAME
    local format
    for format in "" --ascii; do
        "$spume" export "$1" --to vtk --quiet $format -o "$1/vtk$format"
        /usr/bin/python3 -B "$here/vtk_reads.py" "$1/vtk$format" "$1"/facts.*.json # Debian's, which has VTK
    done
}

for scene in "${scenes[@]}"; do
    run=$work/${scene//\//_} last=60
    [ "$scene" = still/tank ] && last=2 # 150 thousand particles that hardly move
    echo "$scene, read by $what"
    "$spume" run "$scene" -o "$run" --frames $last --quiet
    facts "$run" $last
    facts "$run" $((last / 2))
    "read_by_$what" "$run" $last
done

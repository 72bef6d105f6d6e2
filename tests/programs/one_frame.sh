#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A command that works on one frame of a run opens that frame alone, however long the run is.
. "$(dirname "$0")/common.sh"

frames=${2:-600}
run=$work/run
look=(--size 64x48 --samples 1)

# opens EXPECTED ARGUMENTS...: the command opens exactly these frames (numbers, in ascending order)
opens() {
    local expected=$1
    shift
    python3 "$(dirname "$0")/opened_files.py" "$run/frames" "$spume" "$@" > "$work/out" 2> "$work/err" ||
        fail "spume $* failed"
    [ "$(sed -n 's/^0*\([0-9][0-9]*\)\.h5$/\1/p' "$work/out" | xargs)" = "$expected" ] ||
        fail "spume $* was to open frame $expected alone"
}

expect 0 run pond/tiny -o "$run" --frames "$frames" --quiet --set cache.sync=false
opens 7 export "$run" --to ply --frames 7 -o "$work/ply"
opens "7 8" export "$run" --to vtk --frames 7-8 -o "$work/vtk"
opens "$frames" export "$run" --to obj --frames last -o "$work/obj"
opens 7 surface "$run" --to obj --frames 7 -o "$work/mesh"
opens 7 info "$run/frames/000007.h5"
if ! "$spume" version | grep -Eq '(libpng|embree) *left out'; then
    opens 7 render "$run" --frame 7 "${look[@]}" -o "$work/a.png"
    opens "$frames" render "$run" "${look[@]}" -o "$work/b.png"
    # Several pictures share the camera of the first frame.
    opens "0 7 8" render "$run" --frames 7-8 "${look[@]}" -o "$work/pictures"
fi
# All of a run is read where all of it is to be checked.
[ "$(python3 "$(dirname "$0")/opened_files.py" "$run/frames" "$spume" info "$run" | grep -c '\.h5$')" = $((frames + 1)) ] ||
    fail "info did not check every frame"
exit 0

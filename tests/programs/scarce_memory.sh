#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Under a limit on memory (ulimit -v) every command does its work or ends with one sentence: no library ends the program.
# Arguments: the program, import_make (none without OpenVDB).
. "$(dirname "$0")/common.sh"
maker=${2:-}
has() { ! "$spume" version | grep -Eq "$1 *left out"; }

expect 0 run pond/tiny -o "$work/pond" --frames 2 --quiet
expect 0 run still/tank -o "$work/tank" --frames 0 --set still.voxel=0.02 --set 'still.plumes[0].count=1000' --quiet
commands=("version" "check pond/fig10" "run pond/tiny -o $work/new --overwrite --frames 2 --quiet"
          "run liquid/drop -o $work/new --overwrite --frames 1 --quiet --set liquid.voxel=0.05" "run sph/still -o $work/new --overwrite --frames 1 --quiet --set sph.spacing=0.05"
          "info $work/tank" "export $work/pond --to ply -o $work/exported" "surface $work/tank --to obj -o $work/exported")
has embree && has libpng && commands+=("render $work/tank --size 64x36 --samples 1 -o $work/picture.png --quiet")
if [ -n "$maker" ]; then
    "$maker" "$work/ball.0001.vdb" houdini || fail "no ball"
    commands+=("export $work/tank --to vdb -o $work/exported" "import $work/ball.0001.vdb -o $work/new --overwrite --quiet")
fi

# limited KB COMMAND: it works, or says in one sentence why not; below what the libraries take, it does not start at all
started=no
limited() {
    local status lines
    # shellcheck disable=SC2086 # the command is several words
    (ulimit -v "$1" && exec "$spume" $2) > "$work/out" 2> "$work/err" < /dev/null
    status=$?
    lines=$(wc -l < "$work/err")
    grep -v '^spume: ' "$work/err" | grep -q . && [ $status != 127 ] && fail "not our words: $2, $1 kB"
    case $status in
    0) started=yes ;;
    1 | 2) [ "$lines" = 1 ] || fail "$lines lines instead of one: $2, $1 kB" ;;
    127) [ $started = no ] || fail "no start: $2, $1 kB" ;;
    *) fail "ended with $status: $2, $1 kB" ;;
    esac
}
for ((kb = 60000; kb <= 420000; kb += 20000)); do
    for command in "${commands[@]}"; do limited $kb "$command"; done
done
[ $started = yes ] || fail "nothing worked with 420 MB"
for command in "${commands[@]}"; do limited 4000000 "$command"; done
exit 0

#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# OpenVDB files of a frame with volumes and particles, read back through OpenVDB itself and compared with closed
# forms; and listed by OpenVDB's own tool. Arguments: the program, test_exchange_vdb, export_vdb_look.
. "$(dirname "$0")/common.sh"
make_ball=$2 look=$3 here=$(dirname "$0")
run=$work/run

# A run whose only frame is the ball that the unit test's program makes.
expect 0 run pond/fig10 -o "$run" --frames 0 --quiet
rm "$run"/frames/*
"$make_ball" "$run/frames" || fail "no frame with tiles was made"
mkdir "$work/cube"
mv "$run"/frames/cube.* "$work/cube"
"$look" "$work/cube/cube.000007.vdb" > "$work/cube.json" || fail "OpenVDB cannot read the cube"

# check NAMES OPTIONS...: exports with these grid names and compares
check() {
    local names=$1
    shift
    rm -rf "$run/vdb"
    expect 0 export "$run" --to vdb --density bubbles --density-velocity "$@"; prints "1 frame exported"
    [ "$(ls "$run/vdb")" = spume.000007.vdb ] || fail "files in vdb/: $(ls "$run/vdb")"
    "$look" "$run/vdb/spume.000007.vdb" > "$work/ball.json" || fail "OpenVDB cannot read the ball"
    python3 -B "$here/export_vdb.py" "$work/ball.json" "$names" "$work/cube.json" || fail "names $names"
}
check surface,velocity,bubble_fraction,bubbles,density_bubbles,velocity_bubbles
cp "$work/ball.json" "$work/first.json"
check surface,velocity,bubble_fraction,bubbles,density_bubbles,velocity_bubbles --threads 1
cmp -s "$work/ball.json" "$work/first.json" || fail "grids depend on the number of threads"
check surface,vel,bubble_fraction,bubbles,density_bubbles,vel_bubbles --names houdini
check surface,velocity,density,bubbles,density_bubbles,velocity_bubbles --names blender

# Densities alone, with a voxel of their own, hold the same volume.
expect 0 export "$run" --to vdb --only none --density bubbles --density-voxel 0.03 -o "$work/fine"; prints ": density_bubbles"
"$look" "$work/fine/spume.000007.vdb" > "$work/fine.json" || fail "OpenVDB cannot read the densities"
python3 -B "$here/export_vdb.py" "$work/fine.json" 0.03 || fail "fine density"
for bad in "--only foma" "--density surface" "--density bubbles, " "--density bubbles --density-voxel 0" "--density-velocity"; do
    # shellcheck disable=SC2086
    expect 2 export "$run" --to vdb $bad -o "$work/none"; one_sentence
done
expect 2 export "$run" --to vdb --only bubbles,foma -o "$work/none"
says "--only foma: not in the frames; expected bubbles, surface, velocity, bubble_fraction"

if command -v vdb_print > /dev/null; then
    vdb_print -l "$run/vdb/spume.000007.vdb" > "$work/list" || fail "vdb_print"
    for line in 'Name: surface' 'class: level set' 'class: fog volume' 'voxel size: 0.125' \
                '[10.1, -1.94, 0.562, 1]' 'is_saved_as_half_float: false' 'Tree_vec3s_5_4_3'; do
        grep -qF -- "$line" "$work/list" || fail "vdb_print does not say '$line'"
    done
fi

# A full disk is reported in one sentence and leaves no file. A file size limit stands in for the disk.
(trap '' XFSZ; ulimit -f 8; "$spume" export "$run" --to vdb -o "$work/full" > "$work/out" 2> "$work/err")
[ $? = 1 ] || fail "a file size limit did not end the export with status 1"
one_sentence
[ -z "$(ls "$work/full")" ] || fail "left behind: $(ls "$work/full")"
exit 0

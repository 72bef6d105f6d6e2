#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A full disk ends the run with one sentence and status 1; the directory stays valid, and the run resumes once there is
# room. A file size limit stands in for the disk, and a small tmpfs where one can be mounted. Usage: full_disk.sh PROGRAM
# [brief], without a liquid.
. "$(dirname "$0")/common.sh"

mounted=
finish() { [ -z "$mounted" ] || umount "$mounted"; }

# after_room DIR ARGUMENTS...: all files left are valid, and the run can be finished
after_room() {
    local dir=$1
    shift
    expect 0 info "$dir"
    expect 0 run "$@" -o "$dir" --resume --quiet
    same "$dir" "$work/digests" || fail "the finished run differs from an undisturbed one"
}

# sizes DIR: sizes in bytes of frames and checkpoints, ascending
sizes() { find "$1/frames" "$1/checkpoint" \( -name '*.h5' -o -name '*.ckpt' \) -printf '%s\n' 2> /dev/null | sort -n; }

# fill_up NAME ARGUMENTS...: fills the disk during `spume run ARGUMENTS`
fill_up() {
    local at=$work/$1 smallest largest limit status
    shift
    mkdir "$at"
    expect 0 run "$@" -o "$at/whole" --quiet
    digests "$at/whole" > "$work/digests"
    largest=$(sizes "$at/whole" | tail -n 1)
    smallest=$(sizes "$at/whole" | head -n 1)

    # Between the smallest and the largest file, so that the run begins and then hits the limit (in kB).
    limit=$(((smallest + largest) / 2 / 1024))
    (
        ulimit -f $limit
        "$spume" run "$@" -o "$at/limited" --quiet > "$work/out" 2> "$work/err"
    )
    status=$?
    if [ "$smallest" -lt $((limit * 1024)) ] && [ "$largest" -gt $((limit * 1024)) ]; then
        [ $status = 1 ] || fail "a run into a file size limit ended with $status"
        one_sentence
        [ -d "$at/limited/frames" ] && after_room "$at/limited" "$@"
    fi

    mkdir "$at/disk"
    if mount -t tmpfs -o size=$((2 * largest + 200000)) tmpfs "$at/disk" 2> /dev/null; then
        mounted=$at/disk
        expect 1 run "$@" -o "$at/disk/run" --quiet
        one_sentence
        mount -o remount,size=$((100 * largest + 10000000)) "$at/disk"
        after_room "$at/disk/run" "$@"
        umount "$at/disk"
        mounted=
    else
        echo "no tmpfs can be mounted here: only the file size limit was tried"
    fi
}

# limited SIZE ARGUMENTS...: files of at most that many kB; status 1, one sentence
limited() {
    local size=$1 status
    shift
    (
        ulimit -f "$size"
        "$spume" "$@" > "$work/out" 2> "$work/err"
    )
    status=$?
    [ $status = 1 ] || fail "spume $* into a file size limit ended with $status"
    one_sentence
}

fill_up pond pond/fig10 --frames 12
[ "${2:-}" = brief ] || fill_up liquid liquid/propellers --frames 6 --set liquid.voxel=0.05 --set cache.checkpoint_every=2
for format in ply vtk obj usda; do
    limited 4 export "$work/pond/whole" --to $format -o "$work/$format"
    [ -z "$(ls -A "$work/$format" | grep tmp)" ] || fail "$format: half a file was left behind"
done
limited 4 surface "$work/pond/whole" --to obj -o "$work/mesh"
[ -z "$(ls -A "$work/mesh" | grep tmp)" ] || fail "half a mesh was left behind"
exit 0

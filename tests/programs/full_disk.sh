#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A disk that fills ends the run with one sentence and status 1; the directory stays valid and the run goes
# on once there is room. A file size limit stands in for the disk; where a small tmpfs can be mounted, so
# does a real one.
. "$(dirname "$0")/common.sh"

# after_room DIR: everything left behind is good, and the run can be finished
after_room() {
    expect 0 info "$1"
    expect 0 run pond/fig10 -o "$1" --frames 12 --resume --quiet
    same "$1" "$work/digests" || fail "the finished run differs from an undisturbed one"
}

expect 0 run pond/fig10 -o "$work/whole" --frames 12 --quiet
digests "$work/whole" > "$work/digests"
largest=$(find "$work/whole/frames" -name '*.h5' -printf '%s\n' | sort -n | tail -n 1)
smallest=$(find "$work/whole/frames" -name '*.h5' -printf '%s\n' | sort -n | head -n 1)

# Between the smallest and the largest frame, so that the run begins and then hits the limit (in kB).
limit=$(((smallest + largest) / 2 / 1024))
(
    trap '' XFSZ # so that writing returns an error instead of ending the program
    ulimit -f $limit
    "$spume" run pond/fig10 -o "$work/limited" --frames 12 --quiet > "$work/out" 2> "$work/err"
)
status=$?
if [ "$smallest" -lt $((limit * 1024)) ] && [ "$largest" -gt $((limit * 1024)) ]; then
    [ $status = 1 ] || fail "a run into a file size limit ended with $status"
    one_sentence
    [ -d "$work/limited/frames" ] && after_room "$work/limited"
fi

mkdir "$work/disk"
if mount -t tmpfs -o size=$((2 * largest + 200000)) tmpfs "$work/disk" 2> /dev/null; then
    trap 'umount "$work/disk"; rm -rf "$work"' EXIT
    expect 1 run pond/fig10 -o "$work/disk/run" --frames 12 --quiet
    one_sentence
    mount -o remount,size=$((100 * largest + 10000000)) "$work/disk"
    after_room "$work/disk/run"
else
    echo "no tmpfs can be mounted here: only the file size limit was tried"
fi
exit 0

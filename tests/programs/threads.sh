#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The files of a run are the same, byte for byte, on 1, 2, 3 and 5 threads.
. "$(dirname "$0")/common.sh"
frames=${2:-40}

for threads in 1 2 3 5; do
    expect 0 run pond/fig10 -o "$work/$threads" --frames "$frames" --threads $threads --quiet --set cache.sync=false
    digests "$work/$threads" > "$work/digests.$threads"
    cmp -s "$work/digests.1" "$work/digests.$threads" || fail "$threads threads differ from one"
done
echo "$((frames + 1)) frames are equal on 1, 2, 3 and 5 threads"

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

# A killed process of the same number has left its note of OpenMP.
bash -c 'note=/dev/shm/__KMP_REGISTERED_LIB_$$_$(id -u); echo killed > "$note"; exec "$@"' - \
    "$spume" run pond/tiny -o "$work/stale" --frames 2 --threads 2 --quiet > "$work/out" 2> "$work/err" ||
    fail "ended after a killed process of the same number: $(cat "$work/err")"
echo "$((frames + 1)) frames are equal on 1, 2, 3 and 5 threads"

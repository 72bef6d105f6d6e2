#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Ctrl-C ends a run after the current frame with status 1, and says how to resume; resuming gives the same files.
. "$(dirname "$0")/common.sh"

expect 0 run pond/fig10 -o "$work/straight" --frames 30 --quiet --set cache.sync=false
# 5000 frames would take far longer than the wait below, so the signal interrupts a run.
"$spume" run pond/fig10 -o "$work/run" --frames 5000 --set cache.sync=false > "$work/out" 2> "$work/err" &
process=$!
for _ in $(seq 600); do [ -e "$work/run/frames/000003.h5" ] && break; sleep 0.05; done
kill -INT $process
wait $process
status=$?
[ $status = 1 ] || fail "an interrupted run ended with $status"
says "interrupted after frame"
says "--resume"
expect 0 info "$work/run"
reached=$(ls "$work/run/frames" | wc -l)
[ "$reached" -lt 5001 ] || fail "the run was over before it could be interrupted"
expect 0 run pond/fig10 -o "$work/run" --frames $((reached > 30 ? reached : 30)) --resume --quiet --set cache.sync=false
digests "$work/straight" > "$work/digests"
same "$work/run" "$work/digests" 31 || fail "going on gave other files"
exit 0

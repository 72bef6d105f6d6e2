#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Every malformed scene is refused with status 2 and one sentence that names its file.
. "$(dirname "$0")/common.sh"

count=0
for scene in "$sources"/tests/data/bad_scenes/*.json; do
    expect 2 check "$scene"
    one_sentence
    says "$(basename "$scene")"
    [ -s "$work/out" ] && fail "$scene: something was printed"
    expect 2 run "$scene" -o "$work/run"
    one_sentence
    [ -e "$work/run" ] && fail "$scene: a directory was left behind"
    count=$((count + 1))
done
[ $count -ge 30 ] || fail "only $count bad scenes"
echo "$count scenes refused"

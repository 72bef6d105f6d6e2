#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# compare.sh REFERENCE PROGRAM...: every program must print what the reference prints (77: cannot run here).
set -eu
expected=$("$1")
[[ $expected =~ ^[0-9a-f]{16}\ bubbles\ [1-9][0-9]*\ foam\ [1-9] ]] || { echo "$1 printed: $expected"; exit 1; }
echo "library: $expected"
shift
compared=0
for program in "$@"; do
    status=0
    got=$("$program") || status=$?
    if [ "$status" = 77 ]; then
        echo "$program: skipped, this machine lacks its instructions"
        continue
    fi
    [ "$status" = 0 ] || { echo "$program: exit status $status"; exit 1; }
    [ "$got" = "$expected" ] || { echo "$program: $got; expected $expected"; exit 1; }
    compared=$((compared + 1))
done
[ "$compared" -gt 0 ]
echo "$compared builds of the pair agree with it"

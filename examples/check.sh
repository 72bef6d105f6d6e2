#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# check.sh PROGRAM PATTERN...: the example must succeed and print a line for each pattern (grep -E, whole lines).
set -eu
program=$1
shift
output=$("$program")
printf '%s\n' "$output"
for pattern in "$@"; do
    printf '%s\n' "$output" | grep -qxE "$pattern" || { echo "no line is: $pattern"; exit 1; }
done

#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# validate.sh PROGRAM SUBJECT: every row of `spume validate SUBJECT` passes, except for slow ones. On one thread,
# because as many tests run at once as there are cores; rows about threads use their own.
. "$(dirname "$0")/common.sh"

"$spume" validate "$2" --threads 1 > "$work/rows" 2> "$work/err"
status=$?
cp "$work/rows" "$work/out"
grep '^MISS' "$work/rows" && { : > "$work/out"; fail "rows miss, and the status is $status"; }
[ $status = 0 ] || fail "no row misses, yet the status is $status"
prints "$2/"
prints " 0 missed, "
exit 0

#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Every row of `spume validate` that does not need long is met, and there are rows for every solver.
. "$(dirname "$0")/common.sh"

"$spume" validate > "$work/rows" 2> "$work/err"
status=$?
cp "$work/rows" "$work/out"
grep '^MISS' "$work/rows" && { : > "$work/out"; fail "rows miss, and the status is $status"; }
[ $status = 0 ] || fail "no row misses, yet the status is $status"
for solver in $("$spume" errata | sed -n 's/^\([a-z]*\): .*/\1/p'); do prints "$solver/"; done
prints " 0 missed"
exit 0

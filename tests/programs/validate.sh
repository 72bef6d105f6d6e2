#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Every row of `spume validate` that does not need long is met, and there are rows for every solver.
. "$(dirname "$0")/common.sh"

expect 0 validate
cat "$work/out"
grep -q '^MISS' "$work/out" && fail "a row misses, yet the status is 0"
for solver in $("$spume" errata | sed -n 's/^\([a-z]*\): .*/\1/p'); do prints "$solver/"; done
prints " 0 missed"
exit 0

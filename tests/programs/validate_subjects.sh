#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# validate_subjects.sh PROGRAM SUBJECT...: these subjects, each of which validate.sh runs, are all there are, and every
# solver is among them.
. "$(dirname "$0")/common.sh"
shift

"$spume" validate --list > "$work/out" 2> "$work/err" || fail "validate --list"
[ "$(cut -d/ -f1 "$work/out" | sort -u)" = "$(printf '%s\n' "$@" | sort)" ] || fail "subjects that are run: $*"
for solver in $("$spume" errata | sed -n 's/^\([a-z]*\): .*/\1/p'); do prints "$solver/"; done
exit 0

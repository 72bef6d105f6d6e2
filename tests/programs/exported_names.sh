#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The library gives a program the functions of include/spume and no other name, so that none clashes with the program's.
# An archive also has weak names, those of OpenVDB's templates, which clash with nothing.
# Usage: exported_names.sh INCLUDE_DIRECTORY LIBRARY...
set -euo pipefail
include=$1
shift
. "$(dirname "$0")/../temporary.sh"

# Every name that stands between SP_API and a parenthesis, across lines.
cat "$include"/spume/*.h | tr '\n' ' ' | grep -oE 'SP_API [^;{(]*\bsp_[a-z0-9_]+\(' | grep -oE 'sp_[a-z0-9_]+\($' |
    tr -d '(' | sort > "$work/declared"
[ -s "$work/declared" ] || { echo "FAILED: no function is declared in $include" >&2; exit 1; }

for library in "$@"; do
    case $library in
    *.a) nm --extern-only --defined-only "$library" | awk 'NF == 3 && $2 !~ /[VWu]/ { print $3 }' ;;
    *) nm --dynamic --defined-only "$library" | awk 'NF == 3 { print $3 }' ;;
    esac | sort > "$work/exported"
    if ! diff "$work/declared" "$work/exported" > "$work/difference"; then
        echo "FAILED: $library: < is declared and not exported, > is exported and not declared" >&2
        cat "$work/difference" >&2
        exit 1
    fi
    echo "$(basename "$library"): $(wc -l < "$work/exported") names, all of them declared in include/spume"
done

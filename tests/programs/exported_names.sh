#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The library gives a program the functions of include/spume and no other name, so that none clashes with the program's.
# Usage: exported_names.sh LIBRARY INCLUDE_DIRECTORY
set -euo pipefail
library=$1 include=$2
. "$(dirname "$0")/../temporary.sh"

case $library in
*.a) nm --extern-only --defined-only "$library" ;;
*) nm --dynamic --defined-only "$library" ;;
esac | awk 'NF == 3 { print $3 }' | sort > "$work/exported"
# Every name that stands between SP_API and a parenthesis.
cat "$include"/spume/*.h | grep -oE '^SP_API [^(]*\bsp_[a-z0-9_]+\(' | grep -oE 'sp_[a-z0-9_]+\($' | tr -d '(' | sort > "$work/declared"

[ -s "$work/declared" ] || { echo "FAILED: no function is declared in $include" >&2; exit 1; }
if ! diff "$work/declared" "$work/exported" > "$work/difference"; then
    echo "FAILED: < is declared and not exported, > is exported and not declared" >&2
    cat "$work/difference" >&2
    exit 1
fi
echo "$(wc -l < "$work/exported") names, all of them declared in include/spume"

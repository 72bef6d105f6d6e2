#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# compilers.sh PAIR REFERENCE [CXX]: the pair compiles alone, as its first lines say, with each installed C compiler
# and without a warning; its results equal those of the library; and the header compiles as C++.
set -eu
pair=$1 reference=$2 cxx=${3:-}
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../temporary.sh"
programs=()
for cc in gcc clang; do
    command -v $cc > /dev/null || continue
    $cc -std=c17 -O2 -Wall -Wextra -Wpedantic -Werror -DSINGLE_FILE=1 -I"$pair" "$pair/spume_pond.c" "$here/hash.c" \
        -o "$work/$cc" -lm
    programs+=("$work/$cc")
done
if [ -n "$cxx" ]; then
    printf '#include "spume_pond.h"\nint main() { return sp_pond_defaults().nx < 8; }\n' > "$work/main.cpp"
    "$cxx" -std=c++11 -Wall -Wextra -Wpedantic -Werror -fsyntax-only -I"$pair" "$work/main.cpp"
fi
bash "$here/compare.sh" "$reference" "${programs[@]}"

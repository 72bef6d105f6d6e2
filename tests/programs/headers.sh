#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Each public header compiles alone, as C17 and as C++17, without a warning.
# Usage: headers.sh INCLUDE_DIRECTORY C_COMPILER CXX_COMPILER
set -euo pipefail
include=$1 cc=$2 cxx=$3

for header in "$include"/spume/*.h; do
    line="#include <spume/$(basename "$header")>"$'\n'"extern int alone;" # a lone macro is no C program
    warnings=(-Wall -Wextra -Wpedantic -Wshadow -Werror -fsyntax-only -I "$include")
    echo "$line" | "$cc" -std=c17 -Wstrict-prototypes "${warnings[@]}" -x c -
    echo "$line" | "$cxx" -std=c++17 "${warnings[@]}" -x c++ -
    echo "$(basename "$header") compiles alone"
done

#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Brings every C source into the house's format (clang-format 14), or says which ones are not in it.
set -euo pipefail
cd "$(dirname "$0")/.."

command -v clang-format > /dev/null || { echo "tools/format.sh: clang-format is not installed" >&2; exit 1; }
mapfile -t sources < <(git ls-files '*.c' '*.h' '*.cpp')
case "${1:-}" in
    "") clang-format -i "${sources[@]}" ;;
    --check) clang-format --dry-run -Werror "${sources[@]}" ;;
    *)
        echo "Usage: tools/format.sh [--check]"
        echo "  --check   change nothing; fail when a file is not in the format"
        [ "$1" = --help ] && exit 0
        exit 2
        ;;
esac

#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Formats every C source with clang-format 14, or lists those that are not formatted.
set -euo pipefail
cd "$(dirname "$0")/.."

command -v clang-format > /dev/null || { echo "tools/format.sh: clang-format is not installed" >&2; exit 1; }
mapfile -t sources < <(git ls-files '*.c' '*.h' '*.cpp')
case "${1:-}" in
    "") clang-format -i "${sources[@]}" ;;
    --check) clang-format --dry-run -Werror "${sources[@]}" ;;
    *)
        echo "Usage: tools/format.sh [--check]"
        echo "  --check   change nothing; fail when a file is not formatted"
        [ "$1" = --help ] && exit 0
        exit 2
        ;;
esac

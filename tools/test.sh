#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the tests of the builds that `make test` made: release, asan, and the bounded fuzzers.
set -uo pipefail
cd "$(dirname "$0")/.."

usage() {
    echo "Usage: tools/test.sh [-R PATTERN]"
    echo "Runs every test in build/release, build/asan and build/fuzz, or those whose names match."
}

arguments=()
case "${1:-}" in
    "") ;;
    -R) arguments=(-R "${2:?-R needs a pattern}") ;;
    *) usage; [ "$1" = --help ] && exit 0; exit 2 ;;
esac

status=0
for build in fuzz asan release; do
    [ -f "build/$build/CTestTestfile.cmake" ] || { echo "tools/test.sh: build/$build is missing: run make test" >&2; exit 2; }
    echo "== $build"
    ctest --test-dir "build/$build" --output-on-failure --no-tests=error -j "$(nproc)" "${arguments[@]}" \
        || { [ ${#arguments[@]} -gt 0 ] && [ "$build" = fuzz ]; } || status=1
done
[ $status = 0 ] && echo "All tests passed." || echo "Tests FAILED: see above." >&2
exit $status

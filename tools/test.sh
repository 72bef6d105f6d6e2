#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the tests of the builds that `make test` made (release, sanitizers, bounded fuzzers) as one list.
set -euo pipefail
cd "$(dirname "$0")/.."

usage() {
    echo "Usage: tools/test.sh [CTEST OPTIONS]     (or: make test)"
    echo "Runs every test in build/release, build/asan and build/fuzz; ends with ctest's own summary."
    echo "  tools/test.sh -R pond    only the tests whose names match"
}
[ "${1:-}" = --help ] && { usage; exit 0; }

builds="release asan fuzz"
for build in $builds; do
    [ -f "build/$build/CTestTestfile.cmake" ] || { echo "tools/test.sh: build/$build is missing: run make test" >&2; exit 2; }
done
echo "subdirs($builds)" > build/CTestTestfile.cmake
# More tests run at once than there are cores for their threads: those that wait must not spin.
export OMP_WAIT_POLICY=passive
exec ctest --test-dir build --output-on-failure --no-tests=error -j "$(nproc)" "$@"

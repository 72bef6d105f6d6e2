#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the tests of the builds that `make test` made (release, sanitizers, bounded fuzzers) as one list.
set -uo pipefail
cd "$(dirname "$0")/.."

usage() {
    echo "Usage: tools/test.sh [CTEST OPTIONS]     (or: make test)"
    echo "Runs every test in build/release, build/asan and build/fuzz. Prints the ten slowest, then ctest's own summary."
    echo "  tools/test.sh -R pond    only the tests whose names match"
}
[ "${1:-}" = --help ] && { usage; exit 0; }

builds="release asan fuzz"
for build in $builds; do
    [ -f "build/$build/CTestTestfile.cmake" ] || { echo "tools/test.sh: build/$build is missing: run make test" >&2; exit 2; }
done
echo "subdirs($builds)" > build/CTestTestfile.cmake

# slowest_before_summary: passes ctest's output on; the ten slowest tests come before its summary
slowest_before_summary() {
    local line times=
    while IFS= read -r line; do
        if [[ $line =~ Test\ +#[0-9]+:\ ([^ ]+)\ .*\ ([0-9]+\.[0-9]+)\ sec ]]; then
            times+="${BASH_REMATCH[2]} s  ${BASH_REMATCH[1]}"$'\n'
        elif [[ $line =~ ^[0-9]+%\ tests\ passed ]]; then
            printf 'The slowest tests:\n%s\n\n' "$(printf '%s' "$times" | sort -rn | head -n 10 | sed 's/^/  /')"
        fi
        printf '%s\n' "$line"
    done
}
# Processes that were killed leave notes of clang's OpenMP behind; a test that gets such a process's number would end.
for note in /dev/shm/__KMP_REGISTERED_LIB_*; do
    pid=${note#/dev/shm/__KMP_REGISTERED_LIB_}
    [ -O "$note" ] && [ ! -d "/proc/${pid%_*}" ] && rm -f "$note"
done
# More tests run at once than there are cores for their threads: those that wait must not spin.
export OMP_WAIT_POLICY=passive
ctest --test-dir build --output-on-failure --no-tests=error -j "$(nproc)" "$@" 2>&1 | slowest_before_summary
exit "${PIPESTATUS[0]}"

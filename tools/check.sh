#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Before a push: the sanitizer build's unit tests, and the format of every source.
set -euo pipefail
cd "$(dirname "$0")/.."

if [ $# -gt 0 ]; then
    echo "Usage: tools/check.sh     (or: make check)"
    echo "Runs the unit tests of build/asan and checks the format."
    [ "$1" = --help ] && exit 0
    exit 2
fi
tools/format.sh --check
# More tests run at once than there are cores for their threads: those that wait must not spin.
export OMP_WAIT_POLICY=passive
ctest --test-dir build/asan --output-on-failure --no-tests=error -j "$(nproc)" -L unit

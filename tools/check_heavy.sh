#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Blender and VTK read Spume's exports, and Spume imports Blender's caches. Both are large, so `make test` does not do this.
set -uo pipefail
cd "$(dirname "$0")/.."

usage() {
    echo "Usage: tools/check_heavy.sh [PROGRAM]     (default: build/release/spume)"
    echo "Installs Blender and VTK's Python module if they are missing, reads two runs with both, and"
    echo "imports caches that Blender bakes, one of them back into Blender."
}
[ "${1:-}" = --help ] && { usage; exit 0; }
program=${1:-build/release/spume}
[ -x "$program" ] || { echo "tools/check_heavy.sh: $program is missing: run make" >&2; exit 2; }
tools/setup.sh --heavy || exit 1

failures=0
mkdir -p build/check
for reader in blender vtk import water; do
    printf '%-34s ' "heavy-$reader"
    if timeout 1200 tests/heavy/run.sh $reader "$program" > build/check/heavy-$reader.log 2>&1; then
        echo ok
        grep -E '_reads:|_whitewater:' build/check/heavy-$reader.log | sed 's/^/    /'
    else
        echo "FAILED  see build/check/heavy-$reader.log"
        failures=$((failures + 1))
    fi
done
exit $((failures > 0))

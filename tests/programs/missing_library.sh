#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Without Embree or OpenVDB, configuring says in one sentence what to install and how to build without it, and building
# without it works. Headers are hidden from CMake; the other libraries are found by pkg-config.
# Usage: missing_library.sh SOURCE_DIRECTORY C_COMPILER
set -euo pipefail
source=$1 cc=$2
. "$source/tests/temporary.sh"

# configure NAME OPTIONS...: configures where CMake finds no headers in /usr/include
configure() {
    CC=$cc cmake -G Ninja -S "$source" -B "$work/$1" -DCMAKE_IGNORE_PATH=/usr/include -DSPUME_WITH_TESTS=OFF \
        -DSPUME_WITH_EXAMPLES=OFF -DSPUME_WITH_PAGE=OFF "${@:2}" > "$work/$1.log" 2>&1
}
refused() { # NAME WORDS OPTIONS...
    configure "$1" "${@:3}" && { echo "FAILED: $1 was configured" >&2; exit 1; }
    tr -s ' \n' ' ' < "$work/$1.log" | grep -qF "$2" || { cat "$work/$1.log"; echo "FAILED: $1 does not say: $2" >&2; exit 1; }
}

refused no-embree "install libembree-dev, or configure with -DSPUME_WITH_EMBREE=OFF" -DSPUME_WITH_VDB=OFF
refused no-openvdb "install libopenvdb-dev, or configure with -DSPUME_WITH_VDB=OFF" -DSPUME_WITH_EMBREE=OFF
configure neither -DSPUME_WITH_EMBREE=OFF -DSPUME_WITH_VDB=OFF || { cat "$work/neither.log"; echo "FAILED: cannot do without" >&2; exit 1; }

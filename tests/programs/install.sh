#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# An installed Spume is usable: a program builds with pkg-config and with find_package(Spume), also after the installed
# tree was moved.
# Usage: install.sh BUILD_DIRECTORY C_COMPILER CXX_COMPILER
set -euo pipefail
build=$(realpath "$1") cc=$2 cxx=$3 # may differ from the compiler of the library
package=$(cd "$(dirname "$0")/package" && pwd)
. "$package/../../temporary.sh"

cmake --install "$build" --prefix "$work/first" > "$work/log"
mv "$work/first" "$work/moved"
prefix=$work/moved
for file in bin/spume share/man/man1/spume.1 share/bash-completion/completions/spume; do
    [ -e "$prefix/$file" ] || { echo "FAILED: $file was not installed" >&2; exit 1; }
done
"$prefix/bin/spume" version > /dev/null

export PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name spume.pc)")
libraries=$(dirname "$PKG_CONFIG_PATH")
# shellcheck disable=SC2046  # flags are words
"$cc" -std=c17 "$package/main.c" $(pkg-config --cflags --libs spume) -o "$work/by_pkg_config"
LD_LIBRARY_PATH=$libraries "$work/by_pkg_config"

# The example that reads a run, as C and as C++, on a run of the installed program.
example=$package/../../../examples/run_to_mesh.c
for language in c c++; do
    compiler=$cc standard=c17
    [ $language = c ] || { compiler=$cxx standard=c++17; }
    # shellcheck disable=SC2046
    "$compiler" -x $language -std=$standard -Wall -Wextra -Wpedantic -Werror "$example" -x none \
        $(pkg-config --cflags --libs spume) -o "$work/run_to_mesh"
    LD_LIBRARY_PATH=$libraries bash "$package/../run_to_mesh.sh" "$prefix/bin/spume" "$work/run_to_mesh"
done

cmake -S "$package" -B "$work/build" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="$cc" > "$work/log"
cmake --build "$work/build" > "$work/log" || { cat "$work/log"; exit 1; }
LD_LIBRARY_PATH=$libraries "$work/build/stranger"

# DESTDIR works, for packagers.
DESTDIR=$work/stage cmake --install "$build" --prefix /usr > "$work/log"
[ -x "$work/stage/usr/bin/spume" ] || { echo "FAILED: DESTDIR was ignored" >&2; exit 1; }

#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# An installed Spume is usable: a program builds with pkg-config and with find_package(Spume), also after the installed
# tree was moved.
# Usage: install.sh BUILD_DIRECTORY C_COMPILER
set -euo pipefail
build=$(realpath "$1") cc=$2 # may differ from the compiler of the library
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

cmake -S "$package" -B "$work/build" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="$cc" > "$work/log"
cmake --build "$work/build" > "$work/log" || { cat "$work/log"; exit 1; }
LD_LIBRARY_PATH=$libraries "$work/build/stranger"

# DESTDIR works, for packagers.
DESTDIR=$work/stage cmake --install "$build" --prefix /usr > "$work/log"
[ -x "$work/stage/usr/bin/spume" ] || { echo "FAILED: DESTDIR was ignored" >&2; exit 1; }

#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs the Debian packages that Spume builds and tests with, when any of them is missing.
set -euo pipefail

cd "$(dirname "$0")/.."

packages=(gcc g++ cmake ninja-build pkg-config libjansson-dev libhdf5-dev libpng-dev libmicrohttpd-dev libembree-dev
          libopenvdb-dev libboost-dev libtbb-dev libopenvdb-tools libfftw3-dev ffmpeg libcmocka-dev
          python3 clang libclang-rt-dev libomp-dev)
for_check=(clang-format)
for_page=(emscripten)
# Node.js and npm may have come from elsewhere than Debian's packages, and then stay as they are.
command -v node > /dev/null || for_page+=(nodejs)
command -v npm > /dev/null || for_page+=(npm)
for_browser=(chromium fonts-dejavu-core)
for_heavy=(blender python3-vtk9 python3-h5py)

usage() {
    echo "Usage: tools/setup.sh [--page] [--browser] [--heavy] [--check] [--hook] [--list]"
    echo "Installs what is missing of: ${packages[*]}"
    echo "  --page      also what \`make page\` needs: ${for_page[*]}"
    echo "  --browser   also what the page's tests need: ${for_browser[*]}"
    echo "  --heavy     also the programs that read our exports in \`make check-all\`: ${for_heavy[*]}"
    echo "  --check     also what \`make check\` and \`make check-all\` need: ${for_check[*]}"
    echo "  --hook      also a commit hook that checks the format (${for_check[*]}); keeps a hook that is there"
    echo "  --list      print the packages, install nothing"
}

# Git runs the hook in the top folder of the checkout, also of a worktree.
install_hook() {
    local hook
    hook=$(git rev-parse --git-path hooks/pre-commit) || return 1
    if [ -e "$hook" ] || [ -L "$hook" ]; then
        grep -qs tools/hooks/pre-commit "$hook" || echo "tools/setup.sh: $hook is there already and stays as it is" >&2
        return 0
    fi
    mkdir -p "$(dirname "$hook")"
    printf '#!/bin/sh\n[ ! -x tools/hooks/pre-commit ] || exec tools/hooks/pre-commit\n' > "$hook"
    chmod +x "$hook"
    echo "Commits are checked by $hook"
}

list= hook=
for option in "$@"; do
    case "$option" in
        --page) packages+=("${for_page[@]}") ;;
        --browser) packages+=("${for_browser[@]}") ;;
        --heavy) packages+=("${for_heavy[@]}") ;;
        --check) packages+=("${for_check[@]}") ;;
        --hook) packages+=("${for_check[@]}") hook=yes ;;
        --list) list=yes ;;
        *) usage; [ "$option" = --help ] && exit 0; exit 2 ;;
    esac
done
[ -z "$list" ] || { printf '%s\n' "${packages[@]}"; exit 0; }
mkdir -p build
[ -z "$hook" ] || install_hook

if ! command -v dpkg-query > /dev/null || ! command -v apt-get > /dev/null; then
    for tool in cc cmake ninja pkg-config python3; do command -v "$tool" > /dev/null || missing_tool=$tool; done
    [ -z "${missing_tool:-}" ] && pkg-config --exists jansson hdf5-serial libpng libmicrohttpd cmocka && exit 0
    echo "This is not a Debian system, so nothing is installed. Spume needs these (Debian names): ${packages[*]}" >&2
    exit 1
fi
missing=()
for package in "${packages[@]}"; do
    state=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2> /dev/null || true)
    [ "$state" = installed ] || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0

echo "Installing ${missing[*]}"
as_root=()
if [ "$(id -u)" != 0 ]; then
    command -v sudo > /dev/null || { echo "Run as root, or install: apt-get install ${missing[*]}" >&2; exit 1; }
    as_root=(sudo)
fi
"${as_root[@]}" apt-get update -qq
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" \
    > build/setup.log 2>&1 || { tail -n 20 build/setup.log >&2; exit 1; }

#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the page into build/page, and the programs that run the pond under node into build/web.
set -euo pipefail
cd "$(dirname "$0")/.."

if [ $# -gt 0 ]; then
    echo "Usage: tools/page.sh     (or: make page)"
    echo "Builds build/page: static files for build/release/spume page or any web server."
    [ "$1" = --help ] && exit 0
    exit 2
fi

# Installs the tools of web/package-lock.json if they are missing.
if [ ! -f web/node_modules/.package-lock.json ] || [ web/package-lock.json -nt web/node_modules/.package-lock.json ]; then
    (cd web && npm ci --ignore-scripts --no-audit --no-fund > ../build/npm.log 2>&1) || { tail -n 20 build/npm.log >&2; exit 1; }
    touch web/node_modules/.package-lock.json
fi
(cd web && node_modules/.bin/tsc --noEmit)

changed() { # whether a source of the modules is newer than they are
    [ ! -f build/page/pond-plain.wasm ] || [ -n "$(find src include web/bridge web/make_wasm.sh tools/amalgamate.py \
        -newer build/page/pond-plain.wasm -type f -print -quit)" ]
}
if changed; then web/make_wasm.sh build/page; fi
node web/build.mjs build/page build/web
echo "The page is in build/page ($(du -ch build/page/* | tail -n 1 | cut -f1)). See it: build/release/spume page"

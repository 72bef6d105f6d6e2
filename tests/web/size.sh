#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# size.sh PAGE: script and module stay below a size limit, and nothing in the page refers to another host.
set -euo pipefail
cd "$1"
limit=$((400 * 1024)) # bytes, compressed, of everything that the page fetches
total=0
for file in index.html page.css page.js pond.wasm scenes.json icon.svg; do
    bytes=$(gzip -9 -c "$file" | wc -c)
    echo "$file $bytes"
    total=$((total + bytes))
done
echo "in all $total of $limit bytes, compressed"
[ "$total" -le "$limit" ]
# Links to other hosts: only the namespace of SVG may be there.
if grep -oE 'https?://[^"'"'"' )]+' index.html page.css page.js icon.svg scenes.json | grep -v 'http://www.w3.org/2000/svg'; then
    echo "the page names another host"
    exit 1
fi
if grep -nE '(src|href)="/' index.html; then
    echo "the page has absolute paths"
    exit 1
fi

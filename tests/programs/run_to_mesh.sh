#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The example run_to_mesh reads a run and writes a closed mesh that holds the run's water.
# Usage: run_to_mesh.sh SPUME EXAMPLE
set -euo pipefail
spume=$1 example=$2
. "$(dirname "$0")/../temporary.sh"

"$spume" run liquid/drop --set liquid.voxel=0.03125 --frames 1 -o "$work/run" --quiet
mkdir "$work/meshes"
# 300 litres in the tank and a ball of 9.2: a surface of voxels this large is off by up to 3 %.
said=$("$example" "$work/run" "$work/meshes")
echo "$said"
[[ $said =~ ^frame\ 1:\ (30[0-9]|31[0-8])\.[0-9]\ litres$ ]] || { echo "FAILED: wrong volume" >&2; exit 1; }
grep -aq '^element face [1-9]' "$work/meshes/water.000001.ply"

# What is wrong is said in one sentence; a scene that cannot be read does not give a surface without clipping.
cp -r "$work/run" "$work/cut"
head -c 100 "$work/run/scene.json" > "$work/cut/scene.json"
if "$example" "$work/cut" "$work/meshes" 2> "$work/said"; then exit 1; fi
grep -q "scene.json" "$work/said"
if "$example" "$work/nowhere" "$work/meshes" 2> "$work/said"; then exit 1; fi
grep -q "$work/nowhere" "$work/said"
[ "$(wc -l < "$work/said")" -eq 1 ]

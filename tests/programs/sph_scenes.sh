#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Every scene of `sph`, coarse and short: it starts, moves, keeps its water, and can be drawn.
# Usage: sph_scenes.sh PROGRAM FRAMES
. "$(dirname "$0")/common.sh"

frames=${2:?} draws=yes
"$spume" version | grep -Eq '(libpng|embree) *left out' && draws=no
for scene in calm pour inflows foam dam still; do
    run=$work/$scene
    expect 0 run "sph/$scene" -o "$run" --frames "$frames" --quiet --set sph.spacing=0.04 --set cache.sync=false
    expect 0 info "$run" --json
    python3 - "$work/out" "$scene" "$frames" <<'PYTHON' || fail "sph/$scene"
import json, sys
run, frames = json.load(open(sys.argv[1])), int(sys.argv[3])
stats = run["last_frame"]["stats"]
assert len(run["frames"]) == frames + 1 and len({f["hash"] for f in run["frames"]}) == frames + 1
assert stats["liquid"] > 500 and stats["left_domain"] == 0 and stats["failures"] == 0, stats
assert (stats["emitted"] > 0) == (sys.argv[2] in ("pour", "foam", "inflows")), stats
PYTHON
    [ $draws = no ] || expect 0 render "$run" --size 64x36 --samples 1 --set look.surface.refine=1
done

# Scenes that cannot run are refused before they start, in one sentence.
tank_with() { # FILE COLLIDERS EMITTERS SPH, each with a leading comma or empty
    cat > "$work/$1.json" <<SCENE
{ "spume": 1, "solver": "sph", "frames": 2,
  "domain": { "min": [-1, -1, -1], "max": [2, 2, 2] },
  "colliders": [ { "name": "tank", "inside_out": true, "thickness": 0.02, "open": "top",
                   "shape": { "box": { "min": [0, 0, 0], "max": [0.42, 0.6, 0.42] } } } $2 ],
  "emitters": [ { "mode": "fill", "shape": { "box": { "min": [0, 0, 0], "max": [0.42, 0.22, 0.42] } } } $3 ],
  "sph": { "spacing": 0.02 $4 } }
SCENE
}
refuses() { # FILE SENTENCE
    expect 2 run "$work/$1.json" -o "$work/refused"
    grep -q -- "$2" "$work/err" || fail "$1: $(cat "$work/err")"
    [ "$(wc -l < "$work/err")" -le 1 ] || fail "$1: more than one sentence"
    [ ! -e "$work/refused" ] || fail "$1: left a directory"
}
meshes=$(cd "$(dirname "$0")/../data/meshes" && pwd)
tank_with holes ", { \"name\": \"sheet\", \"shape\": { \"mesh\": { \"file\": \"$meshes/sheet.ply\" } } }" "" ""
refuses holes 'collider "sheet": .*sheet.ply has [0-9]* open edges; close them or give it a thickness'
tank_with lost ", { \"name\": \"rock\", \"shape\": { \"mesh\": { \"file\": \"nowhere.obj\" } } }" "" ""
refuses lost 'nowhere.obj'
tank_with wall "" ', { "mode": "jet", "center": [0.42, 0.3, 0.21], "direction": [1, 0, 0], "radius": 0.04, "speed": 3 }' ""
refuses wall 'opens into collider "tank"'
tank_with wide "" ', { "mode": "jet", "center": [0.2, 0.5, 0.2], "direction": [0, -1, 0], "radius": 1000, "speed": 3 }' ""
refuses wide '[GT]B of memory; expected at most .*: change sph.spacing'
tank_with never "" "" ', "seeders": [ { "min": [0.1, 0.1, 0.1], "max": [0.2, 0.2, 0.2], "rate": 9, "start": 2, "stop": 1 } ]'
refuses never 'sph.seeders\[0\].stop: 1 s; expected more than start, 2 s'

# A run keeps its frames when its mesh file has become invalid.
cp "$meshes/cube.obj" "$work/rock.obj"
tank_with rock ", { \"name\": \"rock\", \"shape\": { \"mesh\": { \"file\": \"$work/rock.obj\", \"scale\": 0.1 } },
                  \"motion\": { \"keys\": [ { \"time\": 0, \"position\": [0.2, 0.2, 0.2] } ] } }" "" ""
expect 0 run "$work/rock.json" -o "$work/rock" --quiet --set cache.sync=false
digests "$work/rock" > "$work/before"
rm "$work"/rock/checkpoint/*
sed '$d' "$meshes/cube.obj" > "$work/rock.obj"
expect 2 run "$work/rock.json" -o "$work/rock" --quiet --set cache.sync=false --resume --frames 4
one_sentence
same "$work/rock" "$work/before" || fail "a refused scene took frames away"

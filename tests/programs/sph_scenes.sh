#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Every scene of `sph`, coarse and short, so that none rots: it starts, moves, keeps its water, and can be drawn.
. "$(dirname "$0")/common.sh"

draws=yes
"$spume" version | grep -Eq '(libpng|embree) *left out' && draws=no
for scene in calm pour inflows foam dam still; do
    run=$work/$scene
    expect 0 run "sph/$scene" -o "$run" --frames 3 --quiet --set sph.spacing=0.04 --set cache.sync=false
    expect 0 info "$run" --json
    python3 - "$work/out" "$scene" <<'PYTHON' || fail "sph/$scene"
import json, sys
run = json.load(open(sys.argv[1]))
stats = run["last_frame"]["stats"]
assert len(run["frames"]) == 4 and len({f["hash"] for f in run["frames"]}) == 4
assert stats["liquid"] > 500 and stats["left_domain"] == 0 and stats["failures"] == 0, stats
assert (stats["emitted"] > 0) == (sys.argv[2] in ("pour", "foam", "inflows")), stats
PYTHON
    [ $draws = no ] || expect 0 render "$run" --size 64x36 --samples 1 --set look.surface.refine=1
done

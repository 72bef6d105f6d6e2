#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Long work is announced: by check, by a warning, and from a run's pace. --max-hours refuses it, or stops it.
. "$(dirname "$0")/common.sh"

expect 0 check sph/pour; prints "time     about "
expect 0 check pond/fig10; prints "time     about "; [ -s "$work/err" ] && fail "a short run is warned of"
expect 2 check pond/fig10 --max-hours never; one_sentence; says "--max-hours never"
expect 2 run pond/fig10 --max-hours 0 -o "$work/none"; one_sentence; says "--max-hours 0"

# long WORDS...: such a scene is warned of, refused with --max-hours, and allowed where there is time
long() {
    expect 0 check "$@" --memory 100; says "takes about"; says "--max-hours"
    expect 2 check "$@" --memory 100 --max-hours 10; one_sentence; says "--max-hours allows 10"
    expect 2 run "$@" --memory 100 --max-hours 10 -o "$work/none"; one_sentence; says "--max-hours allows 10"
    [ -e "$work/none" ] && fail "a refused run left a directory behind"
    return 0
}
long sph/pour --set sph.dt_max=1e-9 --set sph.dt_min=1e-12
long sph/pour --set sph.dt_mode=fixed --set sph.dt=1e-9
long sph/pour --set 'emitters[1].speed=10000' --set 'emitters[1].radius=0.02'
# jets SCALE: 255 jets, SCALE m apart
jets() {
    python3 - "$work/jets.json" "$1" <<'PYTHON'
import json, sys
jet = {"mode": "jet", "direction": [0, -1, 0], "radius": 0.05, "speed": 3}
json.dump({"spume": 1, "solver": "sph", "frames": 240, "domain": {"min": [-9, -9, -9], "max": [9, 9, 9]},
           "emitters": [dict(jet, name=f"jet {k}", center=[float(sys.argv[2]) * (k % 16 - 8), 1, float(sys.argv[2]) * (k // 16 - 8)])
                        for k in range(255)], "sph": {"spacing": 0.01}}, open(sys.argv[1], "w"))
PYTHON
}
jets 0.2
long "$work/jets.json"
# Jets in one place fill each step with pairs of particles, and no pace shows how long it takes: they are refused.
jets 0
expect 2 check "$work/jets.json" --memory 100 --max-hours 1e6; says "takes a while"; says 'its mouth lies in the pipe of emitter "jet 1"'
expect 2 run "$work/jets.json" --memory 100 --max-hours 1e6 -o "$work/none"; one_sentence; says "its mouth lies in the pipe"
[ -e "$work/none" ] && fail "a refused run left a directory behind"

# What no estimate shows is told by the pace. A run that goes on is not estimated, so only its pace counts.
expect 0 run sph/pour -o "$work/run" --frames 1 --quiet
expect 1 run sph/pour -o "$work/run" --frames 96 --resume --max-hours 0.002
says "at this pace the run takes about"; says "--max-hours allows 0.002"; says "continue with: spume run sph/pour"
expect 0 info "$work/run"
exit 0

#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Kills a run with SIGKILL at random moments, resumes it each time, and compares every frame file with those
# of a run that was not killed.
set -uo pipefail

usage() {
    echo "Usage: tests/kill_resume.sh [--program FILE] [--scene SCENE] [--frames N] [--kills N] [--seed N] [--set KEY=VALUE]..."
    echo "Defaults: build/release/spume, pond/fig10, 600 frames, 50 kills, a seed from the clock."
}

program=build/release/spume scene=pond/fig10 frames=600 kills=50 seed=$(date +%s) settings=()
while [ $# -gt 0 ]; do
    case "$1" in
        --program) program=${2:?}; shift 2 ;;
        --scene) scene=${2:?}; shift 2 ;;
        --frames) frames=${2:?}; shift 2 ;;
        --kills) kills=${2:?}; shift 2 ;;
        --seed) seed=${2:?}; shift 2 ;;
        --set) settings+=(--set "${2:?}"); shift 2 ;;
        --help) usage; exit 0 ;;
        *) usage >&2; exit 2 ;;
    esac
done
RANDOM=$((seed % 32768))
. "$(dirname "$0")/temporary.sh"
echo "seed $seed, $frames frames of $scene, $kills kills"

digests() { (cd "$1/frames" && sha256sum ./*.h5); }

"$program" run "$scene" ${settings[@]+"${settings[@]}"} -o "$work/straight" --frames "$frames" --quiet || exit 1

# same: the frames of the killed run equal those of the other
same() {
    diff <(digests "$work/straight") <(digests "$work/killed") || { echo "FAILED: frames differ" >&2; exit 1; }
    "$program" info "$work/killed" > /dev/null || { echo "FAILED: something is damaged" >&2; exit 1; }
}

# random_sleep MS: a random time below so many milliseconds
random_sleep() { sleep "$(printf '0.%03d' $((RANDOM % $1)))"; }

# Kills are spread over the whole run: process n runs until its share of the frames is written, and is killed
# at a random moment after that: while stepping, writing a frame or writing a checkpoint. Every third process
# is killed while it starts, so that resuming is interrupted too. A run that ends before the last kill is
# compared and started again.
done_kills=0 starts=0 fell=
while [ $done_kills -lt "$kills" ]; do
    starts=$((starts + 1))
    [ $starts -le $((20 * kills + 20)) ] || { echo "FAILED: the run ends before it can be killed" >&2; exit 1; }
    "$program" run "$scene" ${settings[@]+"${settings[@]}"} -o "$work/killed" --frames "$frames" --resume --quiet 2> "$work/err" &
    process=$!
    if [ $((starts % 3)) != 0 ]; then
        share=$(printf '%s/killed/frames/%06d.h5' "$work" $((frames * done_kills / kills)))
        while [ ! -e "$share" ] && kill -0 $process 2> /dev/null; do sleep 0.002; done
    fi
    random_sleep 40
    kill -KILL $process 2> /dev/null
    wait $process 2> /dev/null
    status=$?
    case $status in
        137)
            done_kills=$((done_kills + 1))
            fell+=" $(find "$work/killed/frames" -name '*.h5' 2> /dev/null | wc -l)"
            ;;
        0) same; rm -rf "$work/killed" ;;
        *) echo "FAILED: resuming ended with $status" >&2; cat "$work/err" >&2; exit 1 ;;
    esac
done
"$program" run "$scene" ${settings[@]+"${settings[@]}"} -o "$work/killed" --frames "$frames" --resume --quiet || { echo "FAILED: the last resume" >&2; exit 1; }

same
echo "frames on disk at each kill:$fell"
echo "$((frames + 1)) frames are identical after $done_kills kills in $starts starts"

#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What `make test` leaves out, by hand: the compiler that it does not use for a release, and the other for debugging; every
# option off; portable and shared builds; one hash for all of them on 1 to 5 threads; the thread sanitizer; the long tests
# sanitized; Blender and VTK; all of `validate`; many kills; long fuzzing; the bench.
set -uo pipefail
cd "$(dirname "$0")/.."

usage() {
    echo "Usage: tools/check_all.sh [--fuzz-seconds N] [--kills N] [--kill-frames N] [--only STEP]..."
    echo "Runs everything; takes some hours on two cores, half of them for 'physics'. Logs are in build/check/."
    echo "  --fuzz-seconds N   for each fuzzer (default 600)"
    echo "  --kills N          SIGKILLs of one run (default 50)"
    echo "  --kill-frames N    frames of that run (default 600)"
    echo "  --only STEP        only this step, by its name in the output; may be repeated"
}

fuzz_seconds=600 kills=50 kill_frames=600 only=()
while [ $# -gt 0 ]; do
    case "$1" in
        --fuzz-seconds) fuzz_seconds=${2:?}; shift 2 ;;
        --kills) kills=${2:?}; shift 2 ;;
        --kill-frames) kill_frames=${2:?}; shift 2 ;;
        --only) only+=("${2:?}"); shift 2 ;;
        --help) usage; exit 0 ;;
        *) usage >&2; exit 2 ;;
    esac
done

jobs=$(nproc) failures=0
# More tests run at once than there are cores for their threads: those that wait must not spin.
export OMP_WAIT_POLICY=passive
mkdir -p build/check

# step NAME COMMAND...: runs it with its output in build/check/NAME.log and says how it ended
step() {
    local name=$1 began=$SECONDS
    shift
    [ ${#only[@]} = 0 ] || [[ " ${only[*]} " == *" $name "* ]] || return 0
    printf '%-34s ' "$name"
    if "$@" > "build/check/$name.log" 2>&1; then
        echo "ok      $((SECONDS - began)) s"
    else
        echo "FAILED  see build/check/$name.log"
        failures=$((failures + 1))
    fi
}

# build NAME COMPILER OPTIONS...: configures and builds in build/check-NAME, warnings as errors
build() {
    local name=$1 compiler=$2
    shift 2
    CC=$compiler cmake -G Ninja -B "build/check-$name" -DSPUME_WERROR=ON "$@" && cmake --build "build/check-$name" -j "$jobs"
}
tests() { ctest --test-dir "build/check-$1" --output-on-failure --no-tests=error -j "$jobs" "${@:2}"; }

# state_hash PROGRAM THREADS: of the last frame of a short run
state_hash() {
    local dir
    dir=$(mktemp -d)
    "$1" run pond/fig10 -o "$dir/run" --frames 60 --threads "$2" --quiet --set cache.sync=false &&
        "$1" info "$dir/run" --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["last_frame"]["hash"])'
    local status=$?
    rm -rf "$dir"
    return $status
}

one_hash_for_all() {
    local first= hash program threads
    for program in build/check-*/spume; do
        for threads in 1 2 3 4 5; do
            hash=$(state_hash "$program" $threads) || return 1
            echo "$hash  $program on $threads threads"
            [ "$hash" = "${first:=$hash}" ] || { echo "differs from $first"; return 1; }
        done
    done
}

# gcc's thread sanitizer does not know its own OpenMP; clang's does, through libarcher.
races() {
    local archer
    archer=$(find /usr/lib/llvm-* -name libarcher.so 2> /dev/null | head -n 1)
    [ -n "$archer" ] || { echo "libarcher.so is missing (Debian: libomp-14-dev)"; return 1; }
    build tsan clang -DCMAKE_BUILD_TYPE=Debug -DSPUME_SANITIZE=thread &&
        OMP_TOOL_LIBRARIES=$archer TSAN_OPTIONS="ignore_noninstrumented_modules=1 halt_on_error=1" \
            OMP_NUM_THREADS=4 tests tsan -L unit
}

fuzz_longer() {
    make fuzz SPUME_WERROR=ON && cmake build/fuzz -DSPUME_FUZZ_RUNS=-1 -DSPUME_FUZZ_SECONDS="$fuzz_seconds" > /dev/null &&
        ctest --test-dir build/fuzz --output-on-failure --no-tests=error -j "$jobs" --timeout $((fuzz_seconds + 300))
    local status=$?
    cmake build/fuzz -DSPUME_FUZZ_RUNS=20000 -DSPUME_FUZZ_SECONDS=4 > /dev/null
    return $status
}

step format tools/format.sh --check
step build-gcc-release build gcc-release gcc -DCMAKE_BUILD_TYPE=Release
step tests-gcc-release tests gcc-release
step build-clang-debug build clang-debug clang -DCMAKE_BUILD_TYPE=Debug
step tests-clang-debug tests clang-debug -L unit
step build-core-only build core-only gcc -DCMAKE_BUILD_TYPE=Release -DSPUME_WITH_OPENMP=OFF -DSPUME_WITH_PNG=OFF -DSPUME_WITH_PAGE=OFF -DSPUME_WITH_FFTW=OFF \
    -DSPUME_WITH_TESTS=OFF -DSPUME_WITH_EXAMPLES=OFF
step build-no-extras build no-extras gcc -DCMAKE_BUILD_TYPE=Release -DSPUME_WITH_OPENMP=OFF -DSPUME_WITH_PNG=OFF -DSPUME_WITH_PAGE=OFF -DSPUME_WITH_FFTW=OFF
step tests-no-extras tests no-extras -L unit
step build-portable build portable gcc -DCMAKE_BUILD_TYPE=Release -DSPUME_PORTABLE=ON
step tests-portable tests portable -L unit
step build-shared build shared gcc -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=ON
step tests-shared tests shared -L program
step one-hash-for-all one_hash_for_all
step thread-sanitizer races
step asan make asan SPUME_WERROR=ON SPUME_OPTIONS=-DSPUME_WITH_LONG_TESTS=ON
step asan-tests ctest --test-dir build/asan --output-on-failure --no-tests=error -j "$jobs"
[ ! -d build/asan ] || cmake build/asan -DSPUME_WITH_LONG_TESTS=OFF > /dev/null
step heavy tools/check_heavy.sh build/check-gcc-release/spume
step physics build/check-gcc-release/spume validate --long
step kills tests/kill_resume.sh --program build/check-gcc-release/spume --kills "$kills" --frames "$kill_frames"
step fuzz fuzz_longer
step bench build/check-gcc-release/spume bench --json

[ $failures = 0 ] && echo "All passed." || { echo "$failures failed." >&2; exit 1; }

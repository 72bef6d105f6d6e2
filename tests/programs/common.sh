# SPDX-License-Identifier: Apache-2.0
# Shared by the program tests. Sourced with the program as $1; sets $spume and an empty directory $work.
set -uo pipefail
spume=$(realpath "${1:?usage: $0 PROGRAM}")
sources=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
. "$sources/tests/temporary.sh"

fail() {
    echo "FAILED: $*" >&2
    for file in "$work/out" "$work/err"; do [ -s "$file" ] && tail -n 20 "$file" >&2; done
    exit 1
}

# expect STATUS ARGUMENTS...: runs spume with them, keeps its output in $work/out and $work/err
expect() {
    local wanted=$1 status
    shift
    "$spume" "$@" > "$work/out" 2> "$work/err"
    status=$?
    [ $status = "$wanted" ] || fail "spume $* ended with $status instead of $wanted"
}

# one_sentence: stderr is one line that begins with the program's name
one_sentence() {
    [ "$(wc -l < "$work/err")" = 1 ] || fail "expected one line on stderr"
    grep -q '^spume: ' "$work/err" || fail "the message does not begin with 'spume: '"
}

says() { grep -qF -- "$1" "$work/err" || fail "expected '$1' on stderr"; }
prints() { grep -qF -- "$1" "$work/out" || fail "expected '$1' on stdout"; }

# digests DIR: one line a frame, equal for equal files
digests() { (cd "$1/frames" && sha256sum ./*.h5); }

# same DIR FILE [N]: the first N (default: all) frames of a run have the digests kept in FILE
same() { diff -q <(digests "$1" | sed -n "1,${3:-\$}p") "$2" > /dev/null; }

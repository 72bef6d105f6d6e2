# SPDX-License-Identifier: Apache-2.0
# For tests in bash, sourced: an empty directory $work. However the script ends, what it started in the background is
# ended too, finish() is called, which a script may define, and the directory is removed with its contents.
work=$(mktemp -d "${TMPDIR:-/tmp}/spume-test-XXXXXX")
finish() { :; }
clean_up() {
    local process
    for process in $(jobs -p); do kill -KILL "$process" 2> /dev/null || true; done
    finish
    rm -rf "$work"
}
trap clean_up EXIT

#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Bash completes commands, options and scenes.
. "$(dirname "$0")/common.sh"
. "$sources/tools/completion/spume"

# completes EXPECTED WORDS...: the last word is being typed
completes() {
    local expected=$1
    shift
    COMP_WORDS=("$spume" "$@") COMP_CWORD=$#
    _spume
    printf '%s\n' "${COMPREPLY[@]}" | grep -qxF -- "$expected" || fail "'$*' does not complete to $expected"
}
completes run ru
completes render re
completes --resume run pond/fig10 --re
completes pond/fig10 run pond/fi
completes houdini export out --names hou
exit 0

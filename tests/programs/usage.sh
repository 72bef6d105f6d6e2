#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Wrong commands and options end with status 2 and one sentence; every command has help.
. "$(dirname "$0")/common.sh"

expect 2; one_sentence
expect 2 rnu; one_sentence; says "did you mean run?"
expect 2 quaternion; one_sentence; says "spume help lists them"
expect 2 run; one_sentence; says "run needs SCENE"
expect 2 run pond/fig10 --oberwrite; one_sentence; says "did you mean --overwrite?"
expect 2 run pond/fig10 --frames; one_sentence; says "--frames needs a value"
expect 2 run pond/fig10 --frames ten; one_sentence; says "--frames ten"
expect 2 run pond/fig10 --frames 9-3; one_sentence
expect 2 run pond/fig10 --frames=-3; one_sentence
expect 2 run pond/fig10 --threads 0; one_sentence; says "from 1 to 1024"
expect 2 run pond/fig10 --threads 2x; one_sentence
expect 2 run pond/fig10 --memory much; one_sentence; says "--memory much"
expect 2 run pond/fig10 --resume=yes; one_sentence; says "takes no value"
expect 2 run pond/fig10 --resume --overwrite; one_sentence; says "exclude each other"
expect 2 run pond/fig10 extra; one_sentence; says "got extra"
expect 2 run pond/fgi10; one_sentence
expect 2 run no_such_file.json; one_sentence; says "no_such_file.json"
expect 2 run pond/fig10 --set pond.foam_lief=3 -o "$work/run"; one_sentence; says "foam_life"
expect 2 run pond/fig10 --size enormous -o "$work/run"; one_sentence; says "enormous"
[ -e "$work/run" ] && fail "a refused scene left a directory behind"
expect 2 check pond/fig10 --memory 0.0001; one_sentence
expect 2 info "$work/nothing"; one_sentence; says "$work/nothing"
expect 2 render "$work"; one_sentence
expect 2 export "$work"; one_sentence; says "--to"
expect 2 export "$work" --to abc; one_sentence; says "expected ply, vtk, obj, vdb or usda"
expect 2 render "$work" --size 0x5; one_sentence; says "1280x720"
expect 2 render "$work" --camera 1,2; one_sentence
expect 2 validate pnod; one_sentence; says "did you mean pond?"
expect 2 validate pond/nothing_of_the_sort; one_sentence
expect 2 errata fizzz; one_sentence
expect 2 bench nothing; one_sentence
expect 2 bench --case nothing_of_the_sort; one_sentence; says "block_96_full"; says "shuffled"
expect 2 bench sph --case block; one_sentence; says "no case of sph contains that; expected part of dam_38"
[ -s "$work/out" ] && fail "a benchmark began that has no case"
expect 2 run pond/fig10 --log xml; one_sentence; says "expected json"

# Output paths that cannot be written and a damaged run.json are bad input (status 2) for every command.
expect 0 run pond/tiny -o "$work/good" --frames 1 --quiet
: > "$work/file"
for where in "$work/file" "$work/file/below" "/dev/null/below" ""; do
    expect 2 run pond/tiny --frames 1 -o "$where"; one_sentence
    expect 2 export "$work/good" --to ply -o "$where"; one_sentence
    expect 2 surface "$work/good" --to obj -o "$where"; one_sentence
    [ -z "$where" ] || says "$where: "
done
echo '{ "spume_run": ' > "$work/good/run.json"
for command in "run pond/tiny --frames 1 -o" "run pond/tiny --frames 1 --resume -o" info "export --to ply" "surface --to obj" render; do
    expect 2 $command "$work/good"; one_sentence; says "run.json: "
done
expect 0 run pond/tiny --frames 1 --overwrite --quiet -o "$work/good"
expect 2 run pond/fig10 --memory 0.0000001; one_sentence; says "--memory 0.0000001: "

# --log json turns the sentence into a JSON object
expect 2 rnu --log json
expect 2 --log json rnu
python3 -c 'import json, sys; o = json.loads(sys.stdin.read()); assert o["level"] == "error" and "rnu" in o["text"]' \
    < "$work/err" || fail "--log json is not JSON"

expect 0 help; prints "Commands:"
for command in $(awk '/^Commands:/ { on = 1; next } /^$/ { on = 0 } on { print $1 }' "$work/out"); do
    expect 0 help "$command"; prints "Examples:"
    grep -q "^  spume $command" "$work/out" || fail "help $command has no example"
    cp "$work/out" "$work/help"
    expect 0 "$command" --help
    cmp -s "$work/out" "$work/help" || fail "help $command and $command --help differ"
done
expect 0 version; prints "jansson"
expect 0 version --json; python3 -m json.tool "$work/out" > /dev/null || fail "version --json is not JSON"
expect 0 schema; python3 -m json.tool "$work/out" > /dev/null || fail "schema is not JSON"
expect 0 reference; prints "foam_life"
expect 0 errata pond; prints "printed"
expect 0 validate --list; prints "pond/"
expect 0 scenes; prints "pond/fig10"
expect 0 scenes pond/fig10
cp "$work/out" "$work/copy.json"
expect 0 check "$work/copy.json"
expect 0 check pond/fig10 --resolved
cp "$work/out" "$work/resolved.json"
expect 0 check "$work/resolved.json" --resolved
cmp -s "$work/out" "$work/resolved.json" || fail "a resolved scene does not resolve to itself"
for scene in $("$spume" scenes | awk '{ print $1 }'); do expect 0 check "$scene" --resolved; done
[ "$("$spume" scenes | grep -o '^.* frames  ' | awk '{ print length }' | sort -u | wc -l)" = 1 ] || fail "scenes do not line up"
expect 2 check "$work"; one_sentence; says "$work: is a directory; expected a scene's file"

# Output that cannot be written is reported as a failure.
if [ -w /dev/full ]; then
    "$spume" schema > /dev/full 2> "$work/err" && fail "schema into a full device succeeded"
    one_sentence
fi
exit 0

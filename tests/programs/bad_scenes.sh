#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Every malformed scene is refused with status 2 and one sentence that names its file.
. "$(dirname "$0")/common.sh"

count=0
for scene in "$sources"/tests/data/bad_scenes/*.json; do
    expect 2 check "$scene"
    one_sentence
    says "$(basename "$scene")"
    [ -s "$work/out" ] && fail "$scene: something was printed"
    expect 2 run "$scene" -o "$work/run"
    one_sentence
    [ -e "$work/run" ] && fail "$scene: a directory was left behind"
    count=$((count + 1))
done
# Mesh files are read before a run begins.
broken() { # WORDS: a scene with that collider mesh is refused, and the sentence has them
    printf '{ "spume": 1, "solver": "sph", "colliders": [ { "name": "rock", "shape": { "mesh": { "file": "rock.obj" } } } ] }' \
        > "$work/mesh.json"
    for command in check run; do
        if [ $command = run ]; then expect 2 run "$work/mesh.json" -o "$work/run"; else expect 2 check "$work/mesh.json"; fi
        one_sentence
        says "rock.obj"
        says "$1"
    done
    [ -e "$work/run" ] && fail "a directory was left behind"
    return 0
}
broken "No such file"
says "colliders[0].shape.mesh.file: "
grep -q '//' "$work/err" && fail "a name with an empty folder in it"
# The same with a built-in scene, whose folder does not exist.
expect 2 check liquid/dam_break --set 'colliders[0].shape={"mesh": {"file": "nope.obj"}}'
one_sentence; says "liquid/nope.obj"
printf 'v 0 0 0\n' > "$work/rock.obj"
broken "0 triangles"
printf 'v 0 0 0\nv 1 0 0\nv 0 1 nan\nf 1 2 3\n' > "$work/rock.obj"
broken "rock"

[ $count -ge 30 ] || fail "only $count bad scenes"
echo "$count scenes refused"

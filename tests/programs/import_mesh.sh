#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# `spume import` of surface meshes: our own meshes give back the water they were made from, a FLIP Fluids cache needs no
# options, and refusals. Argument: the program.
. "$(dirname "$0")/common.sh"
meshes() { python3 -B "$(dirname "$0")/import_mesh.py" "$@"; }
voxel=0.03125 rate="--fps 48" run=$work/run

# A ball falls towards a pool at 2 m/s and has not reached it yet.
expect 0 run liquid/drop -o "$work/drop" --frames 2 --set fps=48 --set liquid.voxel=$voxel --quiet
expect 0 surface "$work/drop" --to ply -o "$work/ply" --quiet
expect 0 import "$work/ply" --voxel $voxel $rate -o "$run" --threads 1
says "velocity is known at the surface only and was continued inward"
says "plain files: surface from meshes, velocity of their vertices in m/s, y up, voxel 0.03125 m"
grep -q 'that are open\|agree' "$work/err" && fail "there is nothing odd about these files"
prints "3 frames, 0 to 2, largest speed"
expect 0 surface "$run" --to ply -o "$work/again" --quiet
for frame in 000000 000001 000002; do
    meshes compare "$work/ply/surface.$frame.ply" "$work/again/surface.$frame.ply" $voxel || fail "frame $frame is other water"
done
expect 0 info "$run"
prints "made of plain files: surface from meshes"
prints "voxel 0.03125 m; surface in m, velocity in m/s; largest speed"
python3 -m json.tool "$run/scene.json" > /dev/null || fail "scene.json is no JSON"
digests "$run" > "$work/digests"

# Results do not depend on threads, the order of files or the names of velocities (nine digits give a float exactly).
expect 0 import "$work"/ply/*2.ply "$work"/ply/*1.ply "$work"/ply/*0.ply --voxel $voxel $rate -o "$work/same" --threads 2 --quiet
same "$work/same" "$work/digests" || fail "frames depend on the number of threads"
mkdir "$work/text"
for frame in 000000 000001 000002; do meshes words "$work/ply/surface.$frame.ply" "$work/text/water_$frame.ply"; done
expect 0 import "$work/text" --voxel $voxel $rate -o "$work/same" --overwrite --quiet
same "$work/same" "$work/digests" || fail "text is read as something else"

# The same meshes as a FLIP Fluids cache: given as the cache, as the directory in it, and as file names.
bake=$work/flip_cache/bakefiles
mkdir -p "$bake" "$work/flip_cache/logs"
for frame in 0 1 2; do meshes flip "$work/ply/surface.00000$frame.ply" $frame "$bake" $voxel || fail "no cache"; done
expect 0 import "$work/flip_cache" $rate -o "$work/flip"
says "FLIP Fluids files: surface from meshes, velocity of their vertices in m/s, z up, voxel 0.03125 m"
same "$work/flip" "$work/digests" || fail "a cache of FLIP Fluids is other water than the same meshes as PLY"
expect 0 import "$bake" $rate -o "$work/flip" --overwrite --quiet
same "$work/flip" "$work/digests" || fail "bakefiles is not the cache"
expect 0 import "$bake"/*.bobj $rate -o "$work/flip" --overwrite --quiet
same "$work/flip" "$work/digests" || fail "files that are no surfaces were read"

# Gaps, ranges, frame rate and scale work as for any import.
mv "$bake/000001.bobj" "$work/kept"
expect 0 import "$work/flip_cache" -o "$work/gap" --fps 12; says "frame 1 is missing: bridged from 0 to 2"
expect 0 import "$work/flip_cache" -o "$work/gap" --overwrite --quiet --frames 2 --scale 0.5 --fps 12
expect 0 info "$work/gap"; prints "voxel 0.015625 m"; prints "t = 0.166667 s"

# refused SENTENCE ARGUMENTS...: status 2, one sentence, nothing written
refused() {
    local sentence=$1
    shift
    expect 2 import "$@" -o "$work/none" --quiet; one_sentence; says "$sentence"
    [ ! -e "$work/none" ] || fail "a refused import left a directory"
}
refused "frame 1 is missing (1 > max_gap 0)" "$work/flip_cache" --max-gap 0
refused "none of 2 files lies within frames 7-9" "$work/flip_cache" --frames 7-9
mv "$work/kept" "$bake/000001.bobj"
refused "a PLY does not tell how wide voxels are to be; give --voxel H, in m" "$work/ply"
refused "--voxel 0; expected a number from 1e-06 to 1e+06" "$work/ply" --voxel 0
refused "voxels of 1e-05 m: the water would take about " "$work/ply" --voxel 0.00001
refused "voxels of 0.001 m: the water would take about " "$work/ply" --voxel 0.001 --memory 0.1
refused "less than four of them; expected --voxel " "$work/ply" --voxel 1
refused "meshes hold no grids" "$work/ply" --voxel $voxel --surface phi
refused "are not of one kind" "$work"/ply/*0.ply "$bake/000001.bobj" --voxel $voxel
refused "velocity000002.bobj is not a surface of FLIP Fluids; expected a name like 000012.bobj" "$bake/velocity000002.bobj"
head -c 1000 "$work/ply/surface.000001.ply" > "$work/text/water_000001.ply"
refused "water_000001.ply: " "$work/text" --voxel $voxel
mkfifo "$bake/000003.bobj" # a pipe would make us wait
refused "000003.bobj: is not an ordinary file" "$work/flip_cache"
rm "$bake/000003.bobj"
mv "$bake/velocity000002.bobj" "$work/kept"
refused "there is no $bake/velocity000002.bobj, so its velocity is not known; tick Generate Velocity Attributes" "$work/flip_cache"
expect 0 import "$work/flip_cache" --velocity none -o "$work/still" --quiet
cp "$bake/velocity000001.bobj" "$bake/velocity000002.bobj"
refused "expected one for each: bake frame 2 again" "$work/flip_cache"
mv "$work/kept" "$bake/velocity000002.bobj"
truncate -s -5 "$bake/000002.bobj"
refused "000002.bobj, byte " "$work/flip_cache"
rm "$bake"/bounds*
refused "does not tell how wide voxels are" "$work/flip_cache"
exit 0

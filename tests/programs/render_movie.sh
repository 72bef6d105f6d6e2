#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Movies: interrupted, resumed, with damaged frames, without ffmpeg, with one that fails, and on a full disk.
# In each case complete pictures stay, no temporary file does, and the same command gives the same bytes in the end.
# Usage: render_movie.sh PROGRAM [brief], without two at once.
. "$(dirname "$0")/common.sh"
run=$work/run
look=(--size 64x36 --samples 1)

expect 0 run pond/tiny -o "$run" --frames 30 --quiet --set cache.sync=false
"$spume" render "$run" "${look[@]}" > "$work/out" 2> "$work/err"
if grep -q 'this build has no' "$work/err"; then
    echo "this build draws no pictures: nothing to test"
    exit 0
fi

# pictures: digests of the pictures of the movie
pictures() { (cd "$run"/render/* && sha256sum ./*.png); }
nothing_half_done() {
    [ -z "$(find "$work" -name '.tmp.*')" ] || fail "left behind: $(find "$work" -name '.tmp.*')"
}
# with_path STATUS PATH ARGUMENTS...: as expect, with another PATH
with_path() {
    local wanted=$1 path=$2 status
    shift 2
    PATH=$path "$spume" "$@" > "$work/out" 2> "$work/err"
    status=$?
    [ $status = "$wanted" ] || fail "spume $* ended with $status instead of $wanted"
}

# Without ffmpeg nothing is drawn: it is checked before the first picture.
mkdir "$work/empty" "$work/bin"
with_path 1 "$work/empty" render "$run" --movie "$work/a.mp4" "${look[@]}" --quiet
one_sentence
says "ffmpeg not found"
says "install ffmpeg"
[ -e "$run/render" ] && fail "pictures were drawn for a movie that cannot be made"

# An ffmpeg that fails is quoted, and the pictures stay.
printf '#!/bin/sh\necho "Unknown encoder '"'libx264'"'" >&2\nexit 1\n' > "$work/bin/ffmpeg"
chmod +x "$work/bin/ffmpeg"
with_path 1 "$work/bin:$PATH" render "$run" --movie "$work/a.mp4" "${look[@]}" --quiet
one_sentence
says "ffmpeg stopped (exit 1): Unknown encoder 'libx264'; frames are kept in $run/render/"
[ -e "$work/a.mp4" ] && fail "a failed movie is there"
nothing_half_done
[ "$(pictures | wc -l)" = 31 ] || fail "the pictures of the movie are not there"
pictures > "$work/straight"

# An interrupted movie keeps complete pictures, and resuming gives the same bytes.
rm -r "$run/render"
"$spume" render "$run" --movie "$work/a.mp4" "${look[@]}" > "$work/out" 2> "$work/err" &
process=$!
for _ in $(seq 3000); do [ -e "$(echo "$run"/render/*/000002.png)" ] && break; sleep 0.01; done
kill -INT $process
wait $process
status=$?
if [ $status = 0 ]; then
    echo "the movie was done before it could be interrupted"
else
    [ $status = 130 ] || fail "an interrupted movie ended with $status"
    reached=$(pictures | wc -l)
    says "interrupted: $reached of 31 pictures are in $run/render/"
    [ -e "$work/a.mp4" ] && fail "an interrupted movie is there"
fi
nothing_half_done
if command -v ffmpeg > /dev/null; then
    expect 0 render "$run" --movie "$work/a.mp4" "${look[@]}" --quiet
    cp "$work/a.mp4" "$work/resumed.mp4"
    pictures | cmp -s - "$work/straight" || fail "going on gave other pictures"

    # Damaged pictures are drawn again, and the movie has the same bytes.
    truncate -s 300 "$run"/render/*/000004.png
    head -c 5000 /dev/urandom > "$(echo "$run"/render/*)/000005.png"
    mv "$run"/render/*/000007.png "$(echo "$run"/render/*)/000006.png"
    expect 0 render "$run" --movie "$work/a.mp4" "${look[@]}" --json
    python3 -c 'import json, sys
o = json.load(sys.stdin)
assert o["drawn"] == 4 and len(o["frames"]) == 31 and o["width"] == 64, o' < "$work/out" || fail "--json"
    pictures | cmp -s - "$work/straight" || fail "spoiled pictures were not made again"
    cmp -s "$work/a.mp4" "$work/resumed.mp4" || fail "the movie differs from that of an interrupted run"

    for ending in webm mkv gif; do
        expect 0 render "$run" --movie "$work/a.$ending" "${look[@]}" --frames 0:30:10
        prints "$work/a.$ending"
        [ -s "$work/a.$ending" ] || fail "no .$ending"
    done
fi
expect 2 render "$run" --movie "$work/a.avi"; one_sentence; says ".mp4, .webm, .mkv or .gif"
expect 2 render "$run" --movie "$work/a.mp4" -o "$work/b.png"; one_sentence

# Another look uses another directory, and the pictures of the first stay.
with_path 1 "$work/bin:$PATH" render "$run" --movie "$work/a.mp4" "${look[@]}" --set look.exposure=1 --frames 0-2
[ "$(ls "$run/render" | wc -l)" = 2 ] || fail "two looks share a directory"
rm -r "$run/render"

# A full disk is reported in one sentence; a file size limit (in kB) stands in for it.
(
    trap '' XFSZ
    ulimit -f 1
    "$spume" render "$run" --movie "$work/b.mp4" --size 160x90 --samples 1 --quiet > "$work/out" 2> "$work/err"
)
[ $? = 1 ] || fail "a movie on a full disk did not end with 1"
one_sentence
says "000000.png"
nothing_half_done
rm -r "$run/render"
mkdir "$work/disk"
if command -v ffmpeg > /dev/null && mount -t tmpfs -o size=4k tmpfs "$work/disk" 2> /dev/null; then
    finish() { umount "$work/disk"; }
    expect 1 render "$run" --movie "$work/disk/a.mkv" --size 160x90 --samples 1 --quiet
    one_sentence
    says "No space left on device; frames are kept in $run/render/"
    [ -z "$(ls -A "$work/disk")" ] || fail "a full disk was left with half a movie"
    rm -r "$run/render"
else
    echo "no tmpfs can be mounted here: only the file size limit was tried"
fi

# A damaged frame is named, and skipped only on request.
printf 'x' | dd of="$run/frames/000005.h5" bs=1 seek=3000 conv=notrunc status=none
expect 1 render "$run" --movie "$work/c.mp4" "${look[@]}"; one_sentence
says "frame 5 is damaged (checksum); give --skip-bad to leave it out"
[ -e "$run/render" ] && fail "pictures were drawn before the damage was named"
expect 1 render "$run" --frame 5 "${look[@]}"; one_sentence; says "frame 5 is damaged"
with_path 1 "$work/bin:$PATH" render "$run" --movie "$work/c.mp4" "${look[@]}" --skip-bad
says "frame 5 is damaged and left out"
[ "$(pictures | wc -l)" = 30 ] || fail "--skip-bad did not draw the rest"
rm -r "$run/render"

# Missing frames are counted, and skipped only on request.
rm "$run/frames/000005.h5" "$run/frames/000006.h5"
for range in "" "--frames 0-30" "--frames 4:8:1"; do
    # shellcheck disable=SC2086
    with_path 1 "$work/bin:$PATH" render "$run" --movie "$work/c.mp4" "${look[@]}" $range; one_sentence
    says "2 of "; says "frames are missing, the first is frame 5; give --skip-bad"
done
expect 1 render "$run" --frames 28-33 "${look[@]}"; one_sentence; says "3 of 6 frames are missing, the first is frame 31"
expect 1 render "$run" --sheet "$work/c.png" "${look[@]}"; one_sentence; says "2 of 31 frames are missing"
[ -e "$run/render" ] && fail "pictures were drawn before the gap was named"
expect 0 render "$run" --frames 4:8:4 "${look[@]}" --quiet
with_path 1 "$work/bin:$PATH" render "$run" --movie "$work/c.mp4" "${look[@]}" --frames 4-8 --skip-bad
says "2 of 5 frames are missing, the first is frame 5"
[ "$(pictures | wc -l)" = 3 ] || fail "--skip-bad did not draw the rest"

# Two identical commands at once do not remove each other's files.
if [ "${2:-}" != brief ] && command -v ffmpeg > /dev/null; then
    rm -r "$run/render"
    for _ in 1 2 3; do
        "$spume" render "$run" --movie "$work/d.mp4" "${look[@]}" --frames 7-30 --quiet 2> "$work/err1" &
        first=$!
        "$spume" render "$run" --movie "$work/d.mp4" "${look[@]}" --frames 7-30 --quiet 2> "$work/err" ||
            fail "two at once: the second failed"
        wait $first || fail "two at once: the first failed: $(cat "$work/err1")"
        rm -r "$run/render"
    done
    [ -s "$work/d.mp4" ] || fail "two at once made no movie"
fi
nothing_half_done
exit 0

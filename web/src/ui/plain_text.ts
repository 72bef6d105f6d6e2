// SPDX-License-Identifier: Apache-2.0
/// Words that strangers wrote: names of files, titles of scenes, and messages that quote either. Whatever the page
/// shows or says passes here.

const controls = /[\p{Cc}\p{Zl}\p{Zp}]+/gu;
/// Marks that turn the direction of writing, so that "gnp.exe" could read as "exe.png", and blanks of no width.
const hidden = /[\u061c\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]/g;
/// Accents piled on one letter reach over the lines above.
const piles = /(\p{M}{3})\p{M}+/gu;

/// One line of at most so many letters; a text that is longer ends in "…".
export function plain(text: string, most = 200): string {
    const enough = text.slice(0, 16 * most); // a megabyte need not be looked through
    const clean = enough.replace(controls, " ").replace(hidden, "").replace(piles, "$1").replace(/ {2,}/g, " ").trim();
    const letters = [...clean]; // whole ones: half of a pair would be shown as a box
    if (letters.length <= most && enough.length === text.length) return clean;
    return `${letters.slice(0, most - 1).join("").trimEnd()}…`;
}

// SPDX-License-Identifier: Apache-2.0
/// Cleans untrusted text: file names, scene titles, and messages that quote them. Everything that the page shows or
/// announces passes through plain().

const controls = /[\p{Cc}\p{Zl}\p{Zp}]+/gu;
/// Marks that change the direction of writing ("gnp.exe" could appear as "exe.png"), and characters of zero width.
const hidden = /[\u061c\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]/g;
/// Stacked accents on one letter would cover the lines above.
const piles = /(\p{M}{3})\p{M}+/gu;

/// One line of at most `most` letters; a longer text ends in "…".
export function plain(text: string, most = 200): string {
    const enough = text.slice(0, 16 * most); // do not process a megabyte
    const clean = enough.replace(controls, " ").replace(hidden, "").replace(piles, "$1").replace(/ {2,}/g, " ").trim();
    const letters = [...clean]; // by code point: half of a surrogate pair would show as a box
    if (letters.length <= most && enough.length === text.length) return clean;
    return `${letters.slice(0, most - 1).join("").trimEnd()}…`;
}

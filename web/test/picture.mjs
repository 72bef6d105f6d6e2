// SPDX-License-Identifier: Apache-2.0
// @ts-check
/// Writes a still picture of the page at full quality: node picture.mjs SPUME OUTPUT SCENE FRAMES WIDTHxHEIGHT
/// [SCRIPT]. The script runs in the page before the picture and can use `spume`.
import { Bench } from "./harness.mjs";

const [program, output, scene, frames, size, script] = process.argv.slice(2);
const [width, height] = (size ?? "").split("x").map(Number);
if (!(width > 0 && height > 0)) {
    console.error("Usage: node web/test/picture.mjs SPUME OUTPUT SCENE FRAMES WIDTHxHEIGHT [SCRIPT]");
    process.exit(2);
}
const bench = await Bench.open(program);
const pond = await bench.page({ fragment: "?fine", viewport: { width, height }, reducedMotion: "reduce" });
const value = await pond.page.getAttribute(`#scenes option[title="${scene}"]`, "value");
await pond.page.selectOption("#scenes", { value: value ?? "0" });
await pond.page.evaluate((code) => Function(code)(), script ?? "");
await pond.step(Number(frames));
await pond.page.evaluate(() => { // hide temporary messages in a still picture
    for (const words of document.querySelectorAll("#notices, #said"))
        if (words instanceof HTMLElement) words.style.visibility = "hidden";
});
await pond.drawn();
await pond.page.screenshot({ path: output });
await pond.close();
await bench.close();

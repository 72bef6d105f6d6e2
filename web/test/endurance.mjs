// SPDX-License-Identifier: Apache-2.0
// @ts-check
/// Runs the page and checks its memory: node endurance.mjs SPUME MINUTES. After two minutes of warm-up, neither
/// WebAssembly's memory nor the script's (after a collection) may grow by more than half a megabyte.
import assert from "node:assert/strict";
import { Bench } from "./harness.mjs";

const [program, minutes] = process.argv.slice(2);
if (!(Number(minutes) > 2)) {
    console.error("Usage: node web/test/endurance.mjs SPUME MINUTES     (more than 2)");
    process.exit(2);
}
const WARM_UP = 2; // minutes
const bench = await Bench.open(program);
const pond = await bench.page({ viewport: { width: 480, height: 300 } });
/** @type {{ wasm: number, script: number } | null} */
let first = null;
for (let minute = 1; minute <= Number(minutes); ++minute) {
    await pond.page.waitForTimeout(60000);
    const now = await pond.page.evaluate(() => {
        window.gc?.();
        const { memory } = /** @type {{ memory: { usedJSHeapSize: number } }} */ (/** @type {unknown} */ (performance));
        const { bytes, frame, bubbles, foam } = spume.session().statistics();
        return { wasm: bytes, script: memory.usedJSHeapSize, frame, bubbles, foam };
    });
    console.log(`${minute} min: frame ${now.frame}, ${now.bubbles} bubbles, ${now.foam} foam, WebAssembly ${now.wasm} bytes, script ${now.script} bytes`);
    if (minute === WARM_UP) first = now;
    if (!first) continue;
    assert.equal(now.wasm, first.wasm, "WebAssembly's memory grew");
    assert.ok(now.script - first.script < 500_000, `the script's memory grew by ${now.script - first.script} bytes`);
}
await pond.close();
await bench.close();

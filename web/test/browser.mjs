// SPDX-License-Identifier: Apache-2.0
// @ts-check
/// Tests the page in a real browser: node browser.mjs SPUME NATIVE_HASH SCREENSHOTS [NAME]. Cases are functions named
/// after the fact that they check; with a NAME only those that contain it run. Screenshots are kept for inspection.
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Bench } from "./harness.mjs";
import * as hands from "./pointer_input.mjs";
import * as keys from "./keyboard_input.mjs";
import * as memory from "./links_and_files.mjs";
import * as mishaps from "./robustness.mjs";

const [program, native, shots, only] = process.argv.slice(2);
if (!shots) {
    console.error("Usage: node browser.mjs SPUME NATIVE_HASH SCREENSHOT_FOLDER [NAME]");
    process.exit(2);
}
mkdirSync(shots, { recursive: true });
const work = mkdtempSync(join(tmpdir(), "spume-page-"));
const cases = Object.entries({ ...hands, ...keys, ...memory, ...mishaps }).filter(([name]) => !only || name.includes(only));
let failures = 0;
const bench = await Bench.open(program);
for (const [name, run] of cases) {
    const begun = Date.now();
    try {
        await run({ bench, shots, native, work });
        console.log(`ok      ${name}  ${((Date.now() - begun) / 1000).toFixed(1)} s`);
    } catch (error) {
        ++failures;
        console.log(`FAILED  ${name}\n${error instanceof Error ? error.stack : error}`);
        for (const context of bench.browser.contexts()) await context.close();
    }
}
await bench.close();
rmSync(work, { recursive: true, force: true });
console.log(`${cases.length - failures} of ${cases.length} cases passed; screenshots in ${shots}`);
process.exit(failures > 0 || cases.length === 0 ? 1 : 0);

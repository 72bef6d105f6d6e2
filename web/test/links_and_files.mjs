// SPDX-License-Identifier: Apache-2.0
// @ts-check
/// Links, files, pictures and clips, missing features, and memory.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { join } from "node:path";

/** @typedef {import("./pointer_input.mjs").Context & { native: string, work: string }} Context */

/// Every kind of input, in quick succession.
/** @param {import("./harness.mjs").Pond} pond */
async function playWith(pond) {
    await pond.step(20);
    const [obstacle] = await pond.rows("obstacles");
    await pond.drag(await pond.seen(obstacle[0], obstacle[1], obstacle[2]), await pond.seen(0.3, 0.2, obstacle[2]));
    await pond.step(60);
    const level = await pond.get("rest_level"), at = await pond.seen(0.6, 0.45, level);
    await pond.page.mouse.dblclick(at.x, at.y);
    await pond.step(40);
    await pond.page.focus("#slider-foam_tension");
    await pond.page.keyboard.press("ArrowRight");
    await pond.page.focus("#pond");
    await pond.page.keyboard.press("h");
    await pond.step(100);
}

/** @param {Context} context */
export async function aLinkOpensTheSamePondBitForBit({ bench }) {
    const pond = await bench.page();
    await playWith(pond);
    const hash = await pond.hash(), { frame } = await pond.statistics();
    await pond.page.click("[data-action=share]");
    await pond.page.waitForFunction(() => location.hash.startsWith("#p="));
    const fragment = await pond.page.evaluate(() => location.hash);
    assert.ok(fragment.length <= 8192, `a link of ${fragment.length} bytes`);
    await pond.close();

    const other = await bench.page({ fragment });
    await other.page.waitForFunction((n) => spume.session().statistics().frame === n, frame);
    assert.equal(await other.hash(), hash);
    assert.ok(await other.page.evaluate(() => spume.paused()), "it is paused at that moment");
    await other.close();
}

/** @param {Context} context */
export async function aSavedSessionReplaysNatively({ bench, native, work }) {
    const pond = await bench.page();
    await playWith(pond);
    const hash = await pond.hash();
    const download = pond.page.waitForEvent("download");
    await pond.page.click("[data-action=save]");
    const file = join(work, "session.json");
    await (await download).saveAs(file);
    const said = execFileSync(native, [file], { encoding: "utf8" });
    assert.equal(said.split(" ")[1], hash, `natively: ${said}`);
    await pond.close();
}

/** @param {Context} context */
export async function brokenLinksOpenTheFirstSceneAndSaySo({ bench }) {
    const { deflateRawSync } = await import("node:zlib");
    /** @param {unknown} payload */
    const link = (payload) => `#p=${deflateRawSync(Buffer.from(JSON.stringify(payload))).toString("base64url")}`;
    const scene = { spume: 1, solver: "pond", fps: 60, pond: { nx: 16, ny: 16 } };
    const bomb = `#p=${deflateRawSync(Buffer.alloc(4_000_000, 32)).toString("base64url")}`;
    /** @type {[string, RegExp][]} */
    const cases = [
        ["#p=%%%", /could not be read/],
        ["#p=AAAA", /could not be read/],
        [link({ v: 3, at: 0, scene }), /version 3, this page knows 1/],
        [link({ v: 1, at: 1e9, scene }), /could not be read/],
        [link({ v: 1, at: 0, scene: { ...scene, pond: { nx: 1e9 } } }), /nx/],
        [link({ v: 1, at: 0, scene: { ...scene, pond: { nx: 4096, ny: 4096, max_foam: 1e6 } } }), /MB|memory/],
        [bomb, /could not be read/],
    ];
    const said = (/** @type {import("./harness.mjs").Pond} */ pond, /** @type {RegExp} */ says) =>
        pond.page.waitForFunction((pattern) => new RegExp(pattern).test(document.querySelector("#notices")?.textContent ?? ""), says.source);
    const refusedByThePond = cases.splice(4, 2);
    for (const [fragment, says] of [...cases.slice(0, 1), ...refusedByThePond]) {
        const pond = await bench.page({ fragment });
        await said(pond, says);
        assert.equal(await pond.get("nx"), 72, "the first scene is open");
        await pond.close();
    }
    // a link in the address of a page that is open already
    const pond = await bench.page();
    for (const [fragment, says] of [...cases, ...refusedByThePond]) {
        await pond.page.evaluate((link) => {
            document.querySelector("#notices")?.replaceChildren();
            location.hash = link;
        }, fragment);
        await said(pond, says);
        await pond.ready();
        assert.equal(await pond.get("nx"), 72, "the open pond stays");
    }
    await pond.close();
}

/** @param {Context} context */
export async function thoseWhoWantLessMotionStartPaused({ bench }) {
    const pond = await bench.page({ reducedMotion: "reduce" });
    assert.ok(await pond.page.evaluate(() => spume.paused()));
    await pond.page.keyboard.press("Space");
    await pond.page.waitForFunction(() => spume.session().frame > 0);
    await pond.close();
}

/** @param {Context} context */
export async function withoutWebGl2ThePageSaysWhy({ bench }) {
    const pond = await bench.page({
        mayFail: true,
        script: () => {
            HTMLCanvasElement.prototype.getContext = () => null;
        },
    });
    await pond.page.waitForSelector("#still:not([hidden])");
    assert.match(await pond.page.innerText("#still"), /This page needs WebGL 2/);
    await pond.close();
}

/** @param {Context} context */
export async function runningTakesNoMoreMemory({ bench }) {
    const pond = await bench.page({ viewport: { width: 320, height: 240 } });
    await pond.step(600); // as full as it gets
    const heap = () =>
        pond.page.evaluate(() => {
            window.gc?.();
            return /** @type {{ memory: { usedJSHeapSize: number } }} */ (/** @type {unknown} */ (performance)).memory.usedJSHeapSize;
        });
    const bytes = (await pond.statistics()).bytes, before = await heap();
    await pond.step(3600); // a minute of the pond
    assert.equal((await pond.statistics()).bytes, bytes, "WebAssembly's memory does not grow");
    const grown = (await heap()) - before;
    assert.ok(grown < 500_000, `the script's memory grew by ${grown} bytes in a minute`);
    await pond.close();
}

/** @param {Context} context */
export async function picturesAreKeptAsPng({ bench, work }) {
    const pond = await bench.page();
    await pond.step(60);
    const download = pond.page.waitForEvent("download");
    await pond.page.click("[data-action=picture]");
    const file = join(work, "picture.png");
    await (await download).saveAs(file);
    const { readFileSync } = await import("node:fs");
    assert.deepEqual([...readFileSync(file).subarray(0, 4)], [0x89, 0x50, 0x4e, 0x47]);
    await pond.close();
}

/** @param {Context} context */
export async function clipsAreKeptAsWebM({ bench, work }) {
    const pond = await bench.page({ viewport: { width: 320, height: 240 } });
    await pond.page.keyboard.press("c");
    await pond.page.waitForTimeout(5000);
    const download = pond.page.waitForEvent("download");
    await pond.page.keyboard.press("c");
    const file = join(work, "clip.webm");
    await (await download).saveAs(file);
    const { readFileSync } = await import("node:fs");
    const bytes = readFileSync(file);
    assert.deepEqual([...bytes.subarray(0, 4)], [0x1a, 0x45, 0xdf, 0xa3], "it begins as WebM does");
    assert.ok(bytes.length > 1000, `${bytes.length} bytes`);
    await pond.close();
}

/** @param {Context} context */
export async function statisticsTellTimesAndCounts({ bench }) {
    const pond = await bench.page();
    await pond.page.evaluate(() => document.querySelectorAll("details").forEach((group) => (group.open = true)));
    await pond.page.waitForFunction(() => spume.session().frame > 30);
    const read = () =>
        pond.page.evaluate(() =>
            Object.fromEntries([...document.querySelectorAll("#statistics tr")].map((row) => {
                const [name, value] = [...row.children].map((cell) => cell.textContent ?? "");
                return [name, value];
            })),
        );
    await pond.step(300);
    const { bubbles, foam } = await pond.statistics();
    await pond.page.waitForFunction(([b, f]) => {
        const text = document.querySelector("#statistics")?.textContent ?? "";
        return text.includes(String(b)) && text.includes(String(f));
    }, [bubbles, foam]); // they are written four times a second
    const text = JSON.stringify(await read());
    for (const part of ["p99", "Solver", "Bubbles", "Foam", "Memory"])
        assert.match(text, new RegExp(part, "i"), `${part} in ${text}`);
    await pond.page.click("[data-action=hash]");
    assert.match(await pond.page.innerText("#hash"), new RegExp(await pond.hash()));
    await pond.close();
}

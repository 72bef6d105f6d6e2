// SPDX-License-Identifier: Apache-2.0
// @ts-check
/// Input at the wrong moment, untrusted input, and small windows.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** @typedef {import("./harness.mjs").Pond} Pond */
/** @typedef {import("./pointer_input.mjs").Context & { work: string }} Context */

/** @param {number[]} a @param {number[]} b */
const apart = (a, b) => Math.hypot(a[0] - b[0], a[1] - b[1]);
/** @param {Pond} pond @param {string} selector */
const boxOf = (pond, selector) =>
    pond.page.evaluate((s) => {
        const box = document.querySelector(s)?.getBoundingClientRect();
        return { left: box?.left ?? 0, right: box?.right ?? 0, width: box?.width ?? 0, height: box?.height ?? 0 };
    }, selector);
/** @param {Pond} pond @param {string} words a pattern */
const saidSoon = (pond, words) =>
    pond.page.waitForFunction((w) => new RegExp(w).test(document.querySelector("#said")?.textContent ?? ""), words);
/** @param {Pond} pond @param {string} words a pattern */
const noticeSoon = (pond, words) =>
    pond.page.waitForFunction((w) => new RegExp(w).test(document.querySelector("#notices")?.textContent ?? ""), words);

/// Drops a file on the page.
/** @param {Pond} pond @param {string} name @param {unknown} scene */
const drop = (pond, name, scene) =>
    pond.page.evaluate(([title, text]) => {
        const dataTransfer = new DataTransfer();
        dataTransfer.items.add(new File([text], title, { type: "application/json" }));
        document.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));
    }, [name, JSON.stringify(scene)]);

/** @param {Context} context */
export async function aNozzleThatGoesIsLetGoByThePointer({ bench }) {
    const pond = await bench.page(), { mouse, keyboard } = pond.page;
    await pond.step(1);
    const before = await pond.rows("nozzles"), [held] = before;
    const at = await pond.seenThrough(held[0], held[1], held[2]);
    await mouse.move(at.x, at.y);
    await mouse.down();
    await mouse.move(at.x + 12, at.y, { steps: 3 });
    await keyboard.press("Delete");
    const left = await pond.rows("nozzles");
    assert.equal(left.length, before.length - 1);
    await mouse.move(at.x + 60, at.y + 20, { steps: 6 });
    await pond.step(2);
    assert.deepEqual(await pond.rows("nozzles"), left, "no other nozzle is dragged in its place");

    await mouse.up();
    const [next] = left, there = await pond.seenThrough(next[0], next[1], next[2]);
    await mouse.move(there.x, there.y);
    await mouse.down();
    await mouse.move(there.x + 12, there.y, { steps: 3 });
    await keyboard.press("9"); // a pond without nozzles
    await mouse.move(there.x + 60, there.y, { steps: 6 });
    await mouse.up();
    await pond.step(2);
    assert.equal(await pond.page.textContent("#notices"), "");
    await pond.close();
}

/** @param {Context} context */
export async function pausedDeletesTakeTheNearestNozzlesOneByOne({ bench }) {
    const pond = await bench.page(), { keyboard } = pond.page;
    await keyboard.press("2");
    await pond.step(1);
    const cursor = await pond.page.evaluate(() => spume.cursor()), place = [cursor.x, cursor.y];
    const sorted = (await pond.rows("nozzles")).sort((a, b) => apart(a, place) - apart(b, place));
    for (let k = 0; k < 4; ++k) await keyboard.press("Delete");
    const left = await pond.rows("nozzles");
    assert.equal(left.length, sorted.length - 4);
    const limit = apart(sorted[3], place) - 1e-6; // the grid has nozzles that are equally far
    assert.ok(left.every((row) => apart(row, place) >= limit), "the four nearest are gone");

    await keyboard.press("n");
    assert.equal((await pond.rows("nozzles")).length, left.length + 1, "N adds one at once");
    await keyboard.press("g");
    await saidSoon(pond, `holding nozzle ${left.length + 1}`);
    await keyboard.press("Delete");
    assert.deepEqual(await pond.rows("nozzles"), left, "and Del takes that one");
    await pond.close();
}

/** @param {Context} context */
export async function aRefusedFileLeavesTheReplayOn({ bench }) {
    const pond = await bench.page();
    await pond.step(700);
    await pond.set({ foam_life: 9 });
    await pond.step(700);
    const hash = await pond.hash(), { frame } = await pond.statistics();
    const fragment = (await pond.page.evaluate(() => spume.link())) ?? "";
    await pond.close();

    const other = await bench.page({
        fragment,
        mayFail: true,
        script: () => {
            /** @type {Window["spume"]} */
            let api;
            Object.defineProperty(window, "spume", {
                get: () => api,
                set: (value) => {
                    api = value;
                    document.documentElement.dataset.first = String(value.winding());
                },
            });
        },
    });
    await other.page.waitForFunction(() => window.spume);
    assert.equal(await other.page.getAttribute("html", "data-first"), "true", "window.spume reports the replay");
    const refused = { spume: 1, solver: "pond", pond: { nx: 1e9 } };
    await drop(other, "refused.json", refused);
    await noticeSoon(other, "nx");
    assert.ok(await other.page.evaluate(() => spume.winding()), "the replay continues");
    await other.ready();
    assert.equal((await other.statistics()).frame, frame);
    assert.equal(await other.hash(), hash, "to the same end");
    await other.close();
}

/** @param {Context} context */
export async function wordsOfStrangersAreCut({ bench }) {
    const pond = await bench.page();
    await drop(pond, "long.json", { spume: 1, solver: "\u202ex\n\u0007".repeat(60_000) });
    await noticeSoon(pond, "solver");
    const notice = (await pond.page.textContent(".notice span")) ?? "";
    assert.ok(notice.length <= 240 && !/[\u202e\n\u0007]/.test(notice), notice);
    assert.ok((await boxOf(pond, ".notice")).height < 200);
    const about = `${"\u0301".repeat(5000)}${"about ".repeat(5000)}`;
    await drop(pond, `${"n".repeat(200)}.json`, { spume: 1, solver: "pond", fps: 60, about, pond: { nx: 16, ny: 16 } });
    await pond.page.waitForFunction(() => spume.session().get("nx") === 16);
    const title = (await pond.page.textContent("#scenes option[value='-1']")) ?? "";
    assert.ok(title.length <= 120, title);
    await pond.close();
}

/** @param {Context} context */
export async function aDeepPondFitsAndShowsItsTracers({ bench, shots }) {
    const pond = await bench.page({ viewport: { width: 1280, height: 800 } });
    await pond.page.keyboard.press("8");
    await pond.step(60);
    const bar = await pond.page.evaluate(() => document.querySelector("#bar")?.getBoundingClientRect().bottom ?? 0);
    const panel = await boxOf(pond, "#panel");
    for (const z of [0, 1.14 * 1.2]) // floor and rim
        for (const x of [0, 0.24])
            for (const y of [0, 0.24]) {
                const at = await pond.seen(x, y, z);
                assert.ok(at.y > bar && at.y < 800 && at.x > 0 && at.x < panel.left, `${x} ${y} ${z} at ${at.x} ${at.y}`);
            }
    for (const view of ["tracers", "vortices"])
        assert.equal(await pond.page.getAttribute(`[data-action=${view}]`, "aria-pressed"), "true", view);
    await pond.screenshot(shots, "deep.png");
    await pond.page.keyboard.press("1");
    assert.equal(await pond.page.getAttribute("[data-action=tracers]", "aria-pressed"), "false");
    await pond.page.keyboard.press("t");
    await noticeSoon(pond, "no tracers");
    assert.equal(await pond.page.getAttribute("[data-action=tracers]", "aria-pressed"), "false", "nothing is shown");
    assert.doesNotMatch((await pond.page.textContent("#said")) ?? "", /tracers shown/);
    await pond.page.click(".notice button");
    assert.equal(await pond.page.getAttribute("[data-action=tracers]", "aria-pressed"), "true");
    assert.equal(await pond.get("tracers"), 4000);
    await pond.close();
}

/** @param {Context} context */
export async function pausedAndSavedPicturesAreSharp({ bench, work }) {
    const pond = await bench.page({ viewport: { width: 1000, height: 640 } });
    /** @param {boolean} sharp */
    const becomes = (sharp) =>
        pond.page.waitForFunction((s) => (document.querySelector("canvas")?.width ?? 0) > 900 === s, sharp);
    await becomes(false); // software draws fewer pixels while it runs
    const download = pond.page.waitForEvent("download");
    await pond.page.keyboard.press("s");
    const file = join(work, "sharp.png");
    await (await download).saveAs(file);
    assert.ok(readFileSync(file).readUInt32BE(16) > 900, "the saved picture's width");
    await becomes(false);
    await pond.page.keyboard.press("Space");
    await becomes(true);
    await pond.page.keyboard.press("Space");
    await becomes(false);
    await pond.close();
}

/** @param {Context} context */
export async function smallWindowsKeepThePondInSight({ bench, shots }) {
    const pond = await bench.page({ viewport: { width: 500, height: 360 } });
    await pond.page.keyboard.press("Space");
    await pond.page.keyboard.press("t"); // makes a notice
    await noticeSoon(pond, "no tracers");
    for (const [width, height] of [[500, 360], [320, 200], [700, 450]]) {
        await pond.page.setViewportSize({ width, height });
        await pond.drawn();
        const folded = await pond.page.getAttribute("#panel-toggle", "aria-expanded");
        assert.equal(folded, width < 700 ? "false" : "true", `the panel at ${width} x ${height}`);
        const [bar, panel, notice] = await Promise.all(["#bar", "#panel", ".notice"].map((name) => boxOf(pond, name)));
        assert.ok(notice.right <= panel.left, `a notice ends at ${notice.right}, the panel begins at ${panel.left}`);
        assert.ok(notice.height < height / 2);
        const line = await boxOf(pond, "#said");
        if (width === 700) assert.ok(line.right <= panel.left, `the line ends at ${line.right}`);
        if (width < 700) assert.ok(bar.right <= panel.left, `the bar ends at ${bar.right}, the panel begins at ${panel.left}`);
        await pond.screenshot(shots, `window-${width}x${height}.png`);
    }
    await pond.page.setViewportSize({ width: 500, height: 360 });
    await pond.page.waitForSelector("#panel.folded");
    await pond.page.keyboard.press("f");
    await pond.step(2);
    await pond.page.waitForSelector("#stages", { state: "visible", timeout: 10000 }); // F unhides them
    await pond.close();
}

/** @param {Context} context */
export async function theRingTellsWhatItIsOver({ bench }) {
    const pond = await bench.page(), { keyboard } = pond.page;
    await keyboard.press("9");
    await pond.step(1);
    await keyboard.press("Shift+ArrowRight");
    await saidSoon(pond, "^ring over water, \\d\\.\\d\\d by \\d\\.\\d\\d m$");
    await keyboard.press("n"); // a nozzle under the ring
    await keyboard.press("Shift+ArrowLeft");
    await saidSoon(pond, "^ring over nozzle 1$");
    assert.match((await pond.page.textContent("#scenes option[value='5']")) ?? "", /^6 · fig7 — Sixteen/);
    await pond.close();
}

/** @param {Context} context */
export async function fingersHaveRoomOnAPhone({ bench, shots }) {
    const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2 };
    const pond = await bench.page(phone);
    await pond.page.tap("#panel-toggle");
    await pond.step(1);
    for (const part of [".switch", ".slider .back", ".slider input", ".segments button", ".tool"]) {
        const { height } = await boxOf(pond, part);
        assert.ok(height >= 40, `${part} is ${height} pixels high`);
    }
    await pond.page.locator(".switch").scrollIntoViewIfNeeded();
    await pond.screenshot(shots, "phone-panel.png");
    await pond.close();
}

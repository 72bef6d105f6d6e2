// SPDX-License-Identifier: Apache-2.0
// @ts-check
/// Input by mouse, finger and panel, and its effects.
import assert from "node:assert/strict";
import { spread } from "./harness.mjs";

/** @typedef {import("./harness.mjs").Bench} Bench */
/** @typedef {import("./harness.mjs").Pond} Pond */
/** @typedef {{ bench: Bench, shots: string }} Context */

/** @param {number[][]} rows @param {number} column */
const mean = (rows, column) => rows.reduce((sum, row) => sum + row[column], 0) / rows.length;
/** @param {number[]} a @param {number[]} b */
const apart = (a, b) => Math.hypot(a[0] - b[0], a[1] - b[1]);

/** @param {Context} context */
export async function thePondStartsAndBubblesAndFoamAppear({ bench, shots }) {
    const pond = await bench.page({ viewport: { width: 1280, height: 800 } });
    await pond.page.waitForFunction(() => spume.session().frame > 5);
    await pond.step(300);
    const { bubbles, foam } = await pond.statistics();
    assert.ok(bubbles > 50 && foam > 100, `${bubbles} bubbles and ${foam} foam bubbles after five seconds`);
    await pond.screenshot(shots, "start.png");
    // a blank or single-coloured canvas has almost none; water with foam, tiles and light has much
    assert.ok((await spread(pond.page)) > 12, "the picture shows something");
    await pond.close();
}

/** @param {Context} context */
export async function draggingTheHeatSourceMovesWhereBubblesAreBorn({ bench, shots }) {
    const pond = await bench.page();
    await pond.set({ "nozzles.rate": 0 });
    const born = async () => (await pond.rows("bubbles")).filter((row) => row[2] < 0.05); // near the floor
    await pond.step(120);
    const [heater] = await pond.rows("heaters"), before = await born();
    assert.ok(before.length > 5 && apart([mean(before, 0), mean(before, 1)], heater) < heater[3]);

    const to = [heater[0] + 0.12, heater[1] + 0.22]; // away from the obstacle
    await pond.page.evaluate(() => spume.play());
    await pond.drag(await pond.seenThrough(heater[0], heater[1], 0), await pond.seenThrough(to[0], to[1], 0));
    await pond.step(90);
    const [moved] = await pond.rows("heaters"), after = await born();
    assert.ok(apart(moved, to) < 0.05, `the heater is at ${moved.slice(0, 2)}, dragged to ${to}`);
    assert.ok(after.length > 5 && apart([mean(after, 0), mean(after, 1)], moved) < moved[3]);
    assert.ok(apart([mean(after, 0), mean(after, 1)], [mean(before, 0), mean(before, 1)]) > 0.2);
    await pond.screenshot(shots, "heat-source-dragged.png");
    await pond.close();
}

/** @param {Context} context */
export async function theObstaclePushesFoamAside({ bench, shots }) {
    const pond = await bench.page();
    await pond.set({ foam_life: 60, foam_probability: 1, "heaters[0].on": 0 });
    await pond.step(700);
    const [obstacle] = await pond.rows("obstacles"), foam = await pond.rows("foam");
    const radius = obstacle[3];
    /** @param {number[][]} rows @param {number[]} at @param {number} within */
    const count = (rows, at, within) => rows.filter((row) => apart(row, at) < within).length;
    // a dense group of foam, away from the walls and from the obstacle
    const crowd = foam
        .filter((row) => row[0] > 0.1 && row[0] < 0.62 && row[1] > 0.1 && row[1] < 0.44 && apart(row, obstacle) > 0.12)
        .reduce((best, row) => (count(foam, row, radius) > count(foam, best, radius) ? row : best));
    const before = count(foam, crowd, 0.9 * radius);
    assert.ok(before >= 5, `${before} foam bubbles where the obstacle shall go`);

    await pond.drag(await pond.seen(obstacle[0], obstacle[1], obstacle[2]), await pond.seen(crowd[0], crowd[1], obstacle[2]));
    await pond.step(90);
    const [arrived] = await pond.rows("obstacles"), later = await pond.rows("foam");
    assert.ok(apart(arrived, crowd) < 0.04, `the obstacle is at ${arrived.slice(0, 2)}, dragged to ${crowd.slice(0, 2)}`);
    assert.equal(count(later, arrived, 0.9 * radius), 0, "no foam stays inside it");
    assert.ok(count(later, arrived, 2.5 * radius) > before / 2, "the foam is beside it now, not gone");
    await pond.screenshot(shots, "obstacle-pushed.png");
    await pond.close();
}

/** @param {Context} context */
export async function tappingPopsFoamAndPokesWater({ bench, shots }) {
    const pond = await bench.page();
    await pond.set({ foam_life: 60 });
    await pond.step(300);
    await pond.set({ "nozzles.rate": 0, "heaters[0].on": 0 });
    await pond.step(200); // no more bubbles rise
    const foam = await pond.rows("foam"), [obstacle] = await pond.rows("obstacles");
    const [bubble] = foam.filter((row) => apart(row, obstacle) > 0.15 && row[0] > 0.2 && row[1] > 0.15);
    const at = await pond.seen(bubble[0], bubble[1], bubble[2]);
    await pond.page.mouse.click(at.x, at.y);
    await pond.step(1);
    const after = await pond.rows("foam");
    assert.ok(after.length < foam.length, "foam popped");
    assert.ok(!after.some((row) => apart(row, bubble) < 0.5 * bubble[3]), "the one that was tapped");

    // water without foam, far from everything: a ring wave and no pop
    const empty = await pond.page.evaluate(() => {
        const { foam } = spume.session().view({ vortices: false, tracers: false });
        for (let x = 0.08; x < 0.6; x += 0.02)
            for (let y = 0.08; y < 0.46; y += 0.02) {
                let free = Math.hypot(x - 0.5, y - 0.3) > 0.12 && Math.hypot(x - 0.18, y - 0.2) > 0.12;
                for (let i = 0; i < foam.length; i += 8) free &&= Math.hypot(foam[i] - x, foam[i + 1] - y) > 0.04;
                if (free) return [x, y];
            }
        return null;
    });
    assert.ok(empty, "there is a free patch");
    await pond.page.waitForTimeout(500); // so that two clicks are not a double click
    const level = await pond.get("rest_level"), spot = await pond.seen(empty[0], empty[1], level);
    const count = (await pond.rows("foam")).length;
    // the highest water within 3 cm
    const highest = () =>
        pond.page.evaluate(([x, y]) => {
            const { level, width, height, spacing } = spume.session().view({ vortices: false, tracers: false });
            let most = 0;
            for (let j = 0; j < height; ++j)
                for (let i = 0; i < width; ++i)
                    if (Math.hypot(i * spacing - x, j * spacing - y) < 0.03) most = Math.max(most, level[j * width + i]);
            return most;
        }, empty);
    const still = await highest();
    await pond.page.mouse.click(spot.x, spot.y);
    await pond.step(3);
    assert.equal((await pond.rows("foam")).length, count, "nothing popped");
    const waves = await highest();
    assert.ok(waves > still + 5e-4, `the poke raised the water from ${still} to ${waves} m`);
    await pond.screenshot(shots, "poked.png");
    await pond.close();
}

/** @param {Context} context */
export async function aDoubleClickAddsANozzleAndDraggingItOffRemovesIt({ bench }) {
    const pond = await bench.page();
    await pond.step(1);
    const level = await pond.get("rest_level"), before = (await pond.statistics()).nozzles;
    const at = await pond.seen(0.36, 0.05, level);
    await pond.page.mouse.dblclick(at.x, at.y);
    await pond.step(2);
    assert.equal((await pond.statistics()).nozzles, before + 1);
    const nozzles = await pond.rows("nozzles"), added = nozzles[nozzles.length - 1];
    await pond.drag(await pond.seenThrough(added[0], added[1], 0), await pond.seen(added[0], -0.3, 0));
    await pond.step(2);
    assert.equal((await pond.statistics()).nozzles, before);
    await pond.close();
}

/** @param {Context} context */
export async function slidersChangeTheParameterTheyName({ bench, shots }) {
    const pond = await bench.page();
    await pond.step(2);
    await pond.page.evaluate(() => document.querySelectorAll("details").forEach((group) => (group.open = true)));
    const ids = await pond.page.evaluate(() => [...document.querySelectorAll(".slider input")].map((input) => input.id));
    assert.ok(ids.length >= 12, `${ids.length} sliders`);
    const paths = ids.map((id) => id.replace("slider-", "").replace("-", "."));
    for (const [k, id] of ids.entries()) {
        const before = await Promise.all(paths.map((path) => pond.get(path)));
        await pond.page.focus(`#${id}`);
        for (let i = 0; i < 10; ++i) await pond.page.keyboard.press("ArrowRight");
        await pond.step(1);
        const after = await Promise.all(paths.map((path) => pond.get(path)));
        for (const [j, path] of paths.entries()) {
            if (j === k) assert.notEqual(after[j], before[j], `${path} must change`);
            else assert.ok(Object.is(after[j], before[j]), `${path} must not change with ${paths[k]}`);
        }
        // the number shown is the solver's, in its unit, times 1000 or times 10^6, with three digits
        const shown = parseFloat(await pond.page.innerText(`output[for="${id}"]`));
        const same = [1, 1e3, 1e6].some((times) => Math.abs(shown - times * after[k]) <= 0.006 * Math.abs(shown));
        assert.ok(same, `${paths[k]} is ${after[k]}, shown as ${shown}`);
    }
    await pond.screenshot(shots, "sliders.png");
    await pond.close();
}

/** @param {Context} context */
export async function fingersWorkOnAPhone({ bench, shots }) {
    const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2 };
    const pond = await bench.page(phone);
    await pond.set({ foam_life: 60 });
    await pond.step(400);
    await pond.screenshot(shots, "phone.png");
    const wide = await pond.page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(wide <= 390, `nothing sticks out sideways: ${wide} pixels`);
    const foam = await pond.rows("foam"), [obstacle] = await pond.rows("obstacles"), [heater] = await pond.rows("heaters");
    const [bubble] = foam.filter((row) => apart(row, obstacle) > 0.15 && apart(row, heater) > 0.12 && row[0] > 0.2 && row[0] < 0.5);
    const at = await pond.seen(bubble[0], bubble[1], bubble[2]);
    await pond.page.touchscreen.tap(at.x, at.y);
    await pond.step(1);
    assert.ok(!(await pond.rows("foam")).some((row) => apart(row, bubble) < 0.5 * bubble[3]), "a finger pops foam");
    await pond.close();
}

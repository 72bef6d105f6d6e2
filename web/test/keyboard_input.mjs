// SPDX-License-Identifier: Apache-2.0
// @ts-check
/// Keyboard input only: no case in this file uses a mouse.
import assert from "node:assert/strict";

/** @typedef {import("./harness.mjs").Pond} Pond */
/** @typedef {import("./pointer_input.mjs").Context} Context */

/** @param {Pond} pond @param {string[]} keys */
async function press(pond, ...keys) {
    for (const key of keys) await pond.page.keyboard.press(key);
}

/// Moves the ring (and what it holds) to a position with Shift and the arrow keys, guided by where it is seen.
/** @param {Pond} pond @param {number[]} place */
async function lead(pond, place) {
    const level = await pond.get("rest_level"), goal = await pond.seen(place[0], place[1], level);
    for (let tries = 0; tries < 400; ++tries) {
        const cursor = await pond.page.evaluate(() => spume.cursor());
        if (Math.hypot(cursor.x - place[0], cursor.y - place[1]) < 0.015) return;
        const at = await pond.seen(cursor.x, cursor.y, level), right = goal.x - at.x, down = goal.y - at.y;
        const key = Math.abs(right) > Math.abs(down) ? (right > 0 ? "Right" : "Left") : down > 0 ? "Down" : "Up";
        await press(pond, `Shift+Arrow${key}`);
    }
    assert.fail("the ring did not get there");
}

/** @param {number[]} a @param {number[]} b */
const apart = (a, b) => Math.hypot(a[0] - b[0], a[1] - b[1]);

/** @param {Context} context */
export async function keysPauseStepResetAndChooseScenes({ bench }) {
    const pond = await bench.page();
    await press(pond, "Space");
    assert.ok(await pond.page.evaluate(() => spume.paused()));
    const before = await pond.page.evaluate(() => spume.session().frame);
    await press(pond, ".", ".", ".");
    assert.equal(await pond.page.evaluate(() => spume.session().frame), before + 3);
    await press(pond, "r");
    assert.ok((await pond.page.evaluate(() => spume.session().frame)) < 3);
    await press(pond, "2");
    await pond.page.waitForFunction(() => spume.session().get("nx") === 50 && spume.session().get("ny") === 80);
    await press(pond, "?");
    assert.ok(await pond.page.isVisible("#help"));
    await press(pond, "Escape");
    assert.ok(!(await pond.page.isVisible("#help")));
    await pond.close();
}

/** @param {Context} context */
export async function keysMoveHeatSourceObstacleAndNozzles({ bench, shots }) {
    const pond = await bench.page();
    await pond.page.keyboard.press("Space");
    await press(pond, ".");
    const [heater] = await pond.rows("heaters");

    await lead(pond, heater);
    await press(pond, "g");
    await lead(pond, [0.4, 0.4]);
    await press(pond, "g", ".");
    assert.ok(apart((await pond.rows("heaters"))[0], [0.4, 0.4]) < 0.03, "the heat source was carried");

    await press(pond, "h", ".");
    assert.equal(await pond.get("heaters[0].on"), 0);
    await press(pond, "h", ".");
    assert.equal(await pond.get("heaters[0].on"), 1);

    await lead(pond, (await pond.rows("obstacles"))[0]);
    await press(pond, "g");
    await lead(pond, [0.25, 0.15]);
    await press(pond, "Escape", ...Array(60).fill("."));
    assert.ok(apart((await pond.rows("obstacles"))[0], [0.25, 0.15]) < 0.03, "the obstacle was pushed");
    await press(pond, "o", ".");
    assert.equal(await pond.get("obstacles[0].shape"), 1, "from the cylinder to the box");

    const { nozzles } = await pond.statistics();
    await lead(pond, [0.6, 0.45]);
    await press(pond, "n", ".");
    assert.equal((await pond.statistics()).nozzles, nozzles + 1);
    await pond.screenshot(shots, "keyboard.png");
    await press(pond, "Delete", ".");
    assert.equal((await pond.statistics()).nozzles, nozzles);
    await pond.close();
}

/** @param {Context} context */
export async function aKeyMakesALinkThatOpensTheSameMoment({ bench }) {
    const pond = await bench.page();
    await press(pond, "Space", "h", "o", ".", ".", "Enter", ".");
    const hash = await pond.hash();
    await press(pond, "u");
    await pond.page.waitForFunction(() => location.hash.startsWith("#p="));
    const fragment = await pond.page.evaluate(() => location.hash);
    await pond.close();
    const other = await bench.page({ fragment });
    assert.equal(await other.hash(), hash);
    await other.close();
}

/** @param {Context} context */
export async function keysPopFoamAndTurnTheView({ bench }) {
    const pond = await bench.page();
    await pond.page.keyboard.press("Space");
    await pond.set({ foam_life: 60 });
    await pond.step(400);
    const foam = await pond.rows("foam");
    const [bubble] = foam.filter((row) => row[0] > 0.1 && row[0] < 0.6 && row[1] > 0.1 && row[1] < 0.4);
    await lead(pond, bubble);
    await press(pond, "Enter", ".");
    assert.ok(!(await pond.rows("foam")).some((row) => apart(row, bubble) < 0.3 * bubble[3]), "Enter pops");

    const camera = () => pond.page.evaluate(() => spume.camera().state().join());
    for (const key of ["ArrowLeft", "ArrowUp", "+", "-", "Home"]) {
        const before = await camera();
        await press(pond, key);
        assert.notEqual(await camera(), before, `${key} moves the camera`);
    }
    await pond.close();
}

/** @param {Context} context */
export async function keysReachSlidersButtonsAndDebugViews({ bench, shots }) {
    const pond = await bench.page();
    await pond.page.keyboard.press("Space");
    // Tab walks through everything in a fixed order, and what has the focus says what it is
    const names = [];
    for (let k = 0; k < 60; ++k) {
        await press(pond, "Tab");
        const name = await pond.page.evaluate(() => {
            const at = document.activeElement;
            if (!(at instanceof HTMLElement)) return null;
            const label = at.id ? document.querySelector(`label[for="${at.id}"]`)?.textContent : null;
            return at.getAttribute("aria-label") ?? label ?? (at.closest("label")?.textContent || at.textContent || at.title);
        });
        names.push(String(name).trim());
    }
    assert.ok(names.every((name) => name.length > 0), `everything that Tab reaches has a name: ${names}`);
    for (const wanted of ["Nozzle rate", "Life", "Heat: bubble rate", "Start again"])
        assert.ok(names.some((name) => name.includes(wanted)), `Tab reaches ${wanted}: ${names}`);

    await pond.page.focus("#slider-foam_life");
    const before = await pond.get("foam_life");
    await press(pond, "ArrowRight", "ArrowRight");
    await pond.step(1);
    assert.ok((await pond.get("foam_life")) > before, "arrow keys move a slider that has the focus");

    await pond.page.focus("#pond");
    await press(pond, "8"); // a scene with tracers, which shows them and the vortices by itself
    await press(pond, "v", "t", "v", "t", "w", "f");
    await pond.step(60);
    await pond.screenshot(shots, "debug.png");
    for (const view of ["vortices", "tracers", "wireframe", "stages"])
        assert.equal(await pond.page.getAttribute(`[data-action=${view}]`, "aria-pressed"), "true", view);
    await pond.close();
}

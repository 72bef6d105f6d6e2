// SPDX-License-Identifier: Apache-2.0
// @ts-check
/// Shared by the browser tests: the program's server, a headless Chromium with software GL, and pages in which every
/// error and every request to another server is a failure.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";

/** @typedef {import("playwright-core").Page} Page */
/** @typedef {import("playwright-core").BrowserContextOptions} Options */

const flags = [
    "--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-quic",
    "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--enable-precise-memory-info", "--js-flags=--expose-gc",
];
const PATIENCE = 60000; // ms; software GL on two cores is slow

/// Starts `spume page`; resolves with its address and a function that stops it.
/** @param {string} program @param {string[]} options */
async function startServer(program, options) {
    const child = spawn(program, ["page", ...options], { stdio: ["ignore", "pipe", "inherit"] });
    const url = await new Promise((found, failed) => {
        child.stdout.once("data", (line) => found(String(line).trim()));
        child.once("exit", (code) => failed(new Error(`spume page ended with ${code}`)));
    });
    const ended = new Promise((found) => child.once("exit", (code) => found(code)));
    return {
        url: String(url),
        async close() {
            child.kill("SIGTERM");
            assert.equal(await ended, 0, "spume page must end with 0 on SIGTERM");
        },
    };
}

export class Bench {
    /** @param {import("playwright-core").Browser} browser @param {{ url: string, close(): Promise<void> }} server @param {string} profile */
    constructor(browser, server, profile) {
        this.browser = browser;
        this.server = server;
        this.profile = profile;
    }

    /** @param {string} program @param {string[]} [options] of `spume page` */
    static async open(program, options = []) {
        const server = await startServer(program, options);
        const profile = mkdtempSync(join(tmpdir(), "spume-browser-"));
        const browser = await chromium.launch({
            executablePath: "/usr/bin/chromium", args: flags, env: { ...process.env, HOME: profile },
        });
        return new Bench(browser, server, profile);
    }

    async close() {
        await this.browser.close();
        await this.server.close();
        rmSync(this.profile, { recursive: true, force: true });
    }

    /// A fresh page; errors in it are found by `check` at the end or at the start of the next case.
    /// `fragment` is the part after the address: a link, or "?fine".
    /** @param {Options & { fragment?: string, script?: () => void, mayFail?: boolean }} [options] @returns {Promise<Pond>} */
    async page({ fragment = "", script, mayFail = false, ...context } = {}) {
        const seat = await this.browser.newContext({ viewport: { width: 720, height: 450 }, ...context });
        const page = await seat.newPage();
        page.setDefaultTimeout(PATIENCE);
        /** @type {string[]} */
        const wrong = [];
        page.on("pageerror", (error) => wrong.push(`error: ${error.message}`));
        page.on("console", (message) => message.type() === "error" && wrong.push(`console: ${message.text()}`));
        page.on("request", (request) => {
            const url = request.url();
            if (!url.startsWith(this.server.url) && !/^(data|blob):/.test(url)) wrong.push(`request: ${url}`);
        });
        if (script) await page.addInitScript(script);
        await page.goto(this.server.url + fragment);
        const pond = new Pond(page, seat, wrong);
        if (!mayFail) await pond.ready();
        return pond;
    }
}

/// A page with a pond. Methods that take a function run it in the page.
export class Pond {
    /** @param {Page} page @param {import("playwright-core").BrowserContext} seat @param {string[]} wrong */
    constructor(page, seat, wrong) {
        this.page = page;
        this.seat = seat;
        this.wrong = wrong;
    }

    ready() {
        return this.page.waitForFunction(() => window.spume !== undefined && !window.spume.winding());
    }

    async close() {
        assert.deepEqual(this.wrong, [], "the page must be without errors and foreign requests");
        await this.seat.close();
    }

    /// Pauses and takes that many frames at once.
    /** @param {number} frames */
    step(frames) {
        return this.page.evaluate((n) => {
            window.spume?.pause();
            window.spume?.step(n);
        }, frames);
    }

    /** @param {string} path @returns {Promise<number>} */
    get(path) {
        return this.page.evaluate((key) => spume.session().get(key), path);
    }

    /** @param {{ [path: string]: number }} numbers */
    async set(numbers) {
        await this.page.evaluate((all) => {
            for (const [key, value] of Object.entries(all)) spume.session().set(key, value);
        }, numbers);
    }

    statistics() {
        return this.page.evaluate(() => spume.session().statistics());
    }

    hash() {
        return this.page.evaluate(() => spume.session().hash());
    }

    /// Rows of a list of the view.
    /** @param {"bubbles" | "foam" | "heaters" | "obstacles" | "nozzles"} list @returns {Promise<number[][]>} */
    rows(list) {
        return this.page.evaluate((name) => {
            const values = spume.session().view({ vortices: false, tracers: false })[name];
            const width = name === "nozzles" ? 4 : 8;
            return Array.from({ length: values.length / width }, (_, i) => [...values.subarray(i * width, (i + 1) * width)]);
        }, list);
    }

    /// Position of a point of the pond in the window, pixels.
    /** @param {number} x @param {number} y @param {number} z */
    async seen(x, y, z) {
        const at = await this.page.evaluate(([a, b, c]) => spume.locate(a, b, c), [x, y, z]);
        assert.ok(at, "the place must be in view");
        return at;
    }

    /// The same for a point under water: where its ray, refracted by Snell's law, crosses the surface.
    /** @param {number} x @param {number} y @param {number} z */
    async seenThrough(x, y, z) {
        const level = await this.get("rest_level");
        const [cx, cy, cz] = await this.page.evaluate(() => spume.camera().ray(0, 0).from);
        const away = Math.hypot(x - cx, y - cy);
        let low = 0, high = 1; // share of the distance at which the ray hits the water
        for (let k = 0; k < 50; ++k) {
            const share = (low + high) / 2, before = share * away, behind = away - before;
            const inAir = before / Math.hypot(before, cz - level), inWater = behind / Math.hypot(behind, level - z);
            if (inAir > 1.333 * inWater) high = share;
            else low = share;
        }
        return this.seen(cx + low * (x - cx), cy + low * (y - cy), level);
    }

    /// Presses, drags in steps, and releases.
    /** @param {{ x: number, y: number }} from @param {{ x: number, y: number }} to */
    async drag(from, to) {
        const { mouse } = this.page;
        await mouse.move(from.x, from.y);
        await mouse.down();
        await mouse.move(to.x, to.y, { steps: 12 });
        await mouse.up();
    }

    /// Waits until the change is drawn.
    drawn() {
        return this.page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    }

    /** @param {string} folder @param {string} name */
    async screenshot(folder, name) {
        await this.drawn();
        await this.page.screenshot({ path: join(folder, name) });
    }
}

/// Contrast of a picture: the standard deviation of brightness, 0 to 255, in the middle of the canvas.
/** @param {Page} page */
export async function spread(page) {
    const png = (await page.screenshot()).toString("base64");
    return page.evaluate(async (data) => {
        const bytes = Uint8Array.from(atob(data), (c) => c.charCodeAt(0));
        const picture = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
        const canvas = new OffscreenCanvas(picture.width, picture.height);
        const context = canvas.getContext("2d");
        if (!context) return 0;
        context.drawImage(picture, 0, 0);
        const w = Math.floor(picture.width / 3), h = Math.floor(picture.height / 3);
        const { data: rgba } = context.getImageData(w, h, w, h);
        let sum = 0, squares = 0;
        for (let i = 0; i < rgba.length; i += 4) {
            const light = (rgba[i] + rgba[i + 1] + rgba[i + 2]) / 3;
            sum += light;
            squares += light * light;
        }
        const n = rgba.length / 4;
        return Math.sqrt(squares / n - (sum / n) ** 2);
    }, png);
}

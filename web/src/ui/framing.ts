// SPDX-License-Identifier: Apache-2.0
/// Where the pond sits in the window: the whole of it, in the part that bar and panel leave free. Once the person
/// has moved the camera it stays as they left it, whatever the window does.
import type { Camera } from "../camera";
import { rimAbove } from "../draw/tank";
import { find } from "./dom";
import type { Pond } from "./pick";

/// Part of the window, -1 to 1 both ways.
interface Box {
    left: number;
    right: number;
    bottom: number;
    top: number;
}

/// How far the pond sticks out of a part of the window, and how wide it is seen there.
interface Trial {
    spill: number;
    size: number;
}

const deepPitch = 0.2; // rad; a column is looked at from the side

function isDeep(pond: Pond): boolean {
    return pond.restLevel > Math.max(pond.width, pond.length);
}

/// m; where the tank's glass ends. The ground may be higher than the floor, which makes it a little lower.
function rimOf(pond: Pond): number {
    return rimAbove(pond.restLevel, pond.restLevel, Math.sqrt(pond.width * pond.length));
}

export class Framing {
    private ours = ""; // the camera's state when we last placed it
    private readonly bar = find("#bar", HTMLElement);
    private readonly rail = find(".rail", HTMLElement);
    private readonly panel = find("#panel", HTMLElement);

    constructor(
        private readonly camera: Camera,
        private readonly canvas: HTMLCanvasElement,
    ) {}

    /// The window or the panel has changed.
    adapt(pond: Pond): void {
        const untouched = this.ours === this.state();
        this.camera.setAspect(this.canvas.clientWidth / Math.max(1, this.canvas.clientHeight));
        if (untouched) this.home(pond);
    }

    home(pond: Pond): void {
        // The camera's limits may keep the pond from a corner of the window, so every part is tried.
        const parts = this.free().map((part) => ({ part, ...this.place(pond, part) }));
        const better = (a: Trial, b: Trial): boolean =>
            b.spill + 0.02 < a.spill || (b.spill <= a.spill && b.size > a.size);
        const best = parts.reduce((a, b) => (better(a, b) ? b : a));
        if (parts.length > 1) this.place(pond, best.part);
        this.ours = this.state();
    }

    /// Puts the whole pond into a part of the window.
    private place(pond: Pond, part: Box): Trial {
        this.camera.frame(pond.width, pond.length, pond.restLevel);
        if (isDeep(pond)) this.steer({ pitch: deepPitch });
        // Moving the target bends the perspective a little, so further passes settle what the first one missed.
        for (let pass = 0; pass < 3; ++pass) this.fit(pond, part);
        const { spill, size } = this.measure(pond, part);
        if (spill === 0 || spill > 1) return { spill, size };
        this.camera.zoom(1 / (1 + spill)); // where the camera will not go far enough aside, it goes back
        return { spill, size: this.measure(pond, part).size };
    }

    private measure(pond: Pond, part: Box): Trial {
        const seen = this.seen(pond);
        if (!seen) return { spill: Infinity, size: 0 };
        const sides = [part.left - seen.left, seen.right - part.right, part.bottom - seen.bottom, seen.top - part.top];
        return { spill: Math.max(0, ...sides), size: seen.right - seen.left };
    }

    private fit(pond: Pond, part: Box): void {
        const seen = this.seen(pond);
        if (!seen) return;
        const across = (part.right - part.left) / (seen.right - seen.left);
        const upright = (part.top - part.bottom) / (seen.top - seen.bottom);
        this.camera.zoom(Math.min(across, upright));
        const now = this.seen(pond);
        if (!now) return;
        const aspect = this.canvas.clientWidth / Math.max(1, this.canvas.clientHeight);
        // From -1..1 to shares of the window's height.
        const right = (part.left + part.right - now.left - now.right) / 4;
        const up = (part.bottom + part.top - now.bottom - now.top) / 4;
        this.camera.pan(right * aspect, isDeep(pond) ? 0 : up);
        if (isDeep(pond)) this.raise(pond, 2 * up);
    }

    /// A column is moved up and down by looking at another height of it: sliding along the water would soon end.
    /// `up` is in halves of the window's height.
    private raise(pond: Pond, up: number): void {
        const [x, y, z] = this.camera.state().slice(3);
        const low = this.camera.project(x, y, z), high = this.camera.project(x, y, z + 0.01 * pond.restLevel);
        if (!low || !high) return;
        const slope = (high.y - low.y) / (0.01 * pond.restLevel); // window a metre
        this.steer({ z: z - up / slope });
    }

    private steer({ pitch, z }: { pitch?: number; z?: number }): void {
        const state = this.camera.state();
        if (pitch !== undefined) state[1] = pitch;
        if (z !== undefined) state[5] = z;
        this.camera.restore(state);
    }

    /// Free parts of the window, with a little air about them. On a phone a rail of buttons hangs below the bar: the
    /// pond may lie left of it or below it.
    private free(): Box[] {
        const [w, h] = [Math.max(1, this.canvas.clientWidth), Math.max(1, this.canvas.clientHeight)];
        const panel = this.panel.getBoundingClientRect();
        const beside = panel.left > 0.3 * w && panel.height > 0.5 * h; // else it is folded, or a sheet below
        const below = panel.left <= 0.3 * w ? Math.min(panel.top, h) : h;
        const right = beside ? panel.left : w;
        const bar = this.bar.getBoundingClientRect().bottom;
        const box = (rightmost: number, topmost: number): Box => {
            const air = 0.05 * Math.min(w, h);
            return {
                left: (2 * air) / w - 1,
                right: (2 * (rightmost - air)) / w - 1,
                bottom: 1 - (2 * (below - air)) / h,
                top: 1 - (2 * (topmost + air)) / h,
            };
        };
        const rail = this.rail.getBoundingClientRect();
        if (rail.height <= rail.width) return [box(right, bar)];
        return [box(rail.left, bar), box(right, rail.bottom)];
    }

    /// The tank as projected, from the floor to its rim.
    private seen(pond: Pond): Box | null {
        const rim = rimOf(pond);
        const box = { left: Infinity, right: -Infinity, bottom: Infinity, top: -Infinity };
        for (let corner = 0; corner < 8; ++corner) {
            const p = this.camera.project(
                corner & 1 ? pond.width : 0,
                corner & 2 ? pond.length : 0,
                corner & 4 ? rim : 0,
            );
            if (!p) return null;
            box.left = Math.min(box.left, p.x);
            box.right = Math.max(box.right, p.x);
            box.bottom = Math.min(box.bottom, p.y);
            box.top = Math.max(box.top, p.y);
        }
        return box;
    }

    private state(): string {
        return this.camera.state().map((v) => v.toFixed(6)).join(" ");
    }
}

// SPDX-License-Identifier: Apache-2.0
/// Places the whole pond in the part of the window that bar and panel leave free. Once the user has moved the camera,
/// it stays as it is when the window changes.
import type { Camera } from "../camera";
import { rimAbove } from "../draw/tank";
import { find } from "./dom";
import type { Pond } from "./pick";

/// A part of the window, -1 to 1 in both directions.
interface Box {
    left: number;
    right: number;
    bottom: number;
    top: number;
}

/// How far the pond exceeds a part of the window, and its width there.
interface Trial {
    spill: number;
    size: number;
}

const deepPitch = 0.2; // rad; a deep column is seen from the side

function isDeep(pond: Pond): boolean {
    return pond.restLevel > Math.max(pond.width, pond.length);
}

/// Height of the tank's glass, m. With uneven ground it is a little too low.
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

    /// Call it when the window or the panel has changed.
    adapt(pond: Pond): void {
        const untouched = this.ours === this.state();
        this.camera.setAspect(this.canvas.clientWidth / Math.max(1, this.canvas.clientHeight));
        if (untouched) this.home(pond);
    }

    home(pond: Pond): void {
        // The camera's limits may prevent some placements, so every part is tried.
        const parts = this.free().map((part) => ({ part, ...this.place(pond, part) }));
        const better = (a: Trial, b: Trial): boolean =>
            b.spill + 0.02 < a.spill || (b.spill <= a.spill && b.size > a.size);
        const best = parts.reduce((a, b) => (better(a, b) ? b : a));
        if (parts.length > 1) this.place(pond, best.part);
        this.ours = this.state();
    }

    /// Places the whole pond in a part of the window.
    private place(pond: Pond, part: Box): Trial {
        this.camera.frame(pond.width, pond.length, pond.restLevel);
        if (isDeep(pond)) this.steer({ pitch: deepPitch });
        // Moving the target changes the perspective a little, so it is repeated.
        for (let pass = 0; pass < 3; ++pass) this.fit(pond, part);
        const { spill, size } = this.measure(pond, part);
        if (spill === 0 || spill > 1) return { spill, size };
        this.camera.zoom(1 / (1 + spill)); // if the camera cannot move far enough sideways, it moves back
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

    /// Moves a deep column up or down by looking at another height of it: panning along the water is limited. `up` is
    /// in halves of the window's height.
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

    /// Free parts of the window, with a margin. On a phone a column of buttons hangs below the bar: the pond may be
    /// left of it or below it.
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

    /// The projected bounds of the tank, from the floor to its rim.
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

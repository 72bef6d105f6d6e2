// SPDX-License-Identifier: Apache-2.0
/// Where the pond sits in the window: the whole of it, in the part that bar and panel leave free. Once the person
/// has moved the camera it stays as they left it, whatever the window does.
import type { Camera } from "../camera";
import { find } from "./dom";
import type { Pond } from "./pick";

export class Framing {
    private ours = ""; // the camera's state when we last placed it
    private readonly bar = find("#bar", HTMLElement);
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
        this.camera.frame(pond.width, pond.length, pond.restLevel);
        // Moving the target bends the perspective a little, so the second pass settles what the first one missed.
        for (let pass = 0; pass < 3; ++pass) this.fit(pond);
        this.ours = this.state();
    }

    private fit(pond: Pond): void {
        const free = this.free();
        const seen = this.seen(pond);
        if (!seen) return;
        const scale = Math.min((free.right - free.left) / (seen.right - seen.left), (free.top - free.bottom) / (seen.top - seen.bottom));
        this.camera.zoom(scale);
        const now = this.seen(pond);
        if (!now) return;
        const aspect = this.canvas.clientWidth / Math.max(1, this.canvas.clientHeight);
        // From -1..1 to shares of the window's height.
        const right = (free.left + free.right - now.left - now.right) / 4;
        const up = (free.bottom + free.top - now.bottom - now.top) / 4;
        this.camera.pan(right * aspect, up);
    }

    /// The free part of the window, -1 to 1, with a little air about it.
    private free(): { left: number; right: number; bottom: number; top: number } {
        const [w, h] = [Math.max(1, this.canvas.clientWidth), Math.max(1, this.canvas.clientHeight)];
        const panel = this.panel.getBoundingClientRect();
        const beside = panel.left > 0.3 * w && panel.height > 0.5 * h; // else it is folded, or a sheet below
        const below = panel.left <= 0.3 * w ? Math.min(panel.top, h) : h;
        const air = 0.05;
        return {
            left: -1 + 2 * air * Math.min(1, h / w),
            right: (beside ? (2 * panel.left) / w - 1 : 1) - 2 * air * Math.min(1, h / w),
            bottom: 1 - (2 * below) / h + 2 * air,
            top: 1 - (2 * this.bar.getBoundingClientRect().bottom) / h - air,
        };
    }

    /// The pond's box as projected.
    private seen(pond: Pond): { left: number; right: number; bottom: number; top: number } | null {
        const box = { left: Infinity, right: -Infinity, bottom: Infinity, top: -Infinity };
        for (let corner = 0; corner < 8; ++corner) {
            const p = this.camera.project(
                corner & 1 ? pond.width : 0,
                corner & 2 ? pond.length : 0,
                corner & 4 ? pond.restLevel : 0,
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

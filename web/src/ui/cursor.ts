// SPDX-License-Identifier: Apache-2.0
/// The position on the water that keys act on: the ring that Shift and the arrow keys move, else the pointer's
/// position. The ring may hold an object and carries it.
import type { Camera } from "../camera";
import { Thing, type View } from "../pond";
import { lyingAt, nearest, whereIs, type Place, type Pond } from "./pick";
import { nameOf, type Tools } from "./tools";
import type { Voice } from "./messages";

const rest = 500; // ms without a move before the ring's position is announced

export class Cursor {
    /// The ring, when it is visible.
    ring: Place | null = null;
    held: { thing: Thing; index: number } | null = null;
    /// The last position of the pointer on the water.
    pointer: Place | null = null;
    private resting = 0; // a timer

    constructor(
        private readonly tools: Tools,
        private readonly voice: Voice,
        private readonly camera: Camera,
        private readonly view: () => View,
        private readonly pond: () => Pond,
    ) {}

    get place(): Place {
        const { width, length } = this.pond();
        return this.ring ?? this.pointer ?? { x: width / 2, y: length / 2 };
    }

    show(): void {
        this.ring ??= { ...this.place };
    }

    hide(): void {
        this.release();
        clearTimeout(this.resting);
        this.ring = null;
    }

    /// Resets everything, for another pond.
    clear(): void {
        clearTimeout(this.resting);
        this.ring = this.pointer = this.held = null;
    }

    /// Moves the ring as seen in the window: right and up, in shares of the pond's longer side.
    move(right: number, up: number): void {
        this.show();
        const pond = this.pond();
        const at = this.place;
        const way = this.onWater(at, right, up, pond);
        const reach = Math.hypot(right, up) * Math.max(pond.width, pond.length);
        this.ring = {
            x: Math.min(Math.max(at.x + way.x * reach, 0), pond.width),
            y: Math.min(Math.max(at.y + way.y * reach, 0), pond.length),
        };
        if (this.held) this.tools.move(this.held.thing, this.held.index, this.ring);
        clearTimeout(this.resting);
        this.resting = window.setTimeout(() => this.tell(), rest);
    }

    /// Announces for screen readers what the ring is over, or where it has carried its object.
    private tell(): void {
        if (!this.ring) return;
        const place = `${this.ring.x.toFixed(2)} by ${this.ring.y.toFixed(2)} m`;
        if (this.held) return this.voice.say(`${nameOf(this.held.thing, this.held.index)} at ${place}`);
        const found = lyingAt(this.view(), this.pond(), this.ring);
        if (found.kind === "thing") this.voice.say(`ring over ${nameOf(found.thing, found.index)}`);
        else this.voice.say(found.kind === "foam" ? "ring over foam" : `ring over water, ${place}`);
    }

    grab(): void {
        if (this.held) return this.release();
        const view = this.view();
        const found = nearest(view, this.place);
        const at = found && whereIs(view, found.thing, found.index);
        if (!found || !at) return this.voice.say("there is nothing to grab");
        this.held = found;
        this.ring = at;
        this.voice.say(`holding ${nameOf(found.thing, found.index)}; Shift and arrow keys carry it`);
    }

    /// Lets go: removing a nozzle changes the indices of the others.
    drop(): void {
        this.held = null;
    }

    release(): void {
        if (!this.held) return;
        this.voice.say(`let go of ${nameOf(this.held.thing, this.held.index)}`);
        this.held = null;
    }

    /// The direction on the water, of length 1, that appears as (right, up) in the window: the inverse of the
    /// projection's derivative.
    private onWater(at: Place, right: number, up: number, pond: Pond): Place {
        const h = 0.01 * Math.max(pond.width, pond.length);
        const here = this.camera.project(at.x, at.y, pond.restLevel);
        const alongX = this.camera.project(at.x + h, at.y, pond.restLevel);
        const alongY = this.camera.project(at.x, at.y + h, pond.restLevel);
        if (!here || !alongX || !alongY) return { x: 0, y: 0 };
        const [a, b] = [alongX.x - here.x, alongY.x - here.x];
        const [c, d] = [alongX.y - here.y, alongY.y - here.y];
        const sign = Math.sign(a * d - b * c) || 1;
        const [x, y] = [sign * (d * right - b * up), sign * (a * up - c * right)];
        const size = Math.hypot(x, y);
        return size > 0 ? { x: x / size, y: y / size } : { x: 0, y: 0 };
    }
}

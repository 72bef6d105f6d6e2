// SPDX-License-Identifier: Apache-2.0
/// What a user can do to the pond, with announcements. Pointer, keyboard and buttons all use this.
import { Shape, Thing, type View } from "../pond";
import { foamAt, nearest, within, type Place } from "./pick";
import { reason, type Voice } from "./messages";
import type { Stage } from "./stage";

export const shapeNames: readonly { shape: Shape; name: string }[] = [
    { shape: Shape.None, name: "none" },
    { shape: Shape.Cylinder, name: "cylinder" },
    { shape: Shape.Box, name: "box" },
    { shape: Shape.Capsule, name: "capsule" },
];

const thingNames = { [Thing.Heater]: "heat source", [Thing.Obstacle]: "obstacle", [Thing.Nozzle]: "nozzle" };

export function nameOf(thing: Thing, index: number): string {
    return thing === Thing.Nozzle || index > 0 ? `${thingNames[thing]} ${index + 1}` : thingNames[thing];
}

export class Tools {
    constructor(
        private readonly stage: Stage,
        private readonly voice: Voice,
        private readonly view: () => View,
        private readonly renumbered: () => void, // a nozzle is removed: indices change, so callers must let go
    ) {}

    /// Pops the foam at a position, or pokes the water if there is none.
    tap(at: Place): void {
        const foam = foamAt(this.view(), at, 0.003);
        this.attempt(() => this.stage.session.tap(at.x, at.y, 0), foam ? "popped" : "poked the water");
    }

    /// Pops foam along a line. Water without foam is skipped: a tap there would poke it.
    wipe(from: Place, to: Place): void {
        const { width, length } = this.stage.session;
        const radius = Math.max(0.006, 0.015 * Math.min(width, length));
        const steps = Math.min(24, Math.ceil(Math.hypot(to.x - from.x, to.y - from.y) / radius));
        const view = this.view();
        for (let i = 1; i <= steps; ++i) {
            const at = { x: from.x + ((to.x - from.x) * i) / steps, y: from.y + ((to.y - from.y) * i) / steps };
            if (foamAt(view, at, 0.5 * radius)) this.attempt(() => this.stage.session.tap(at.x, at.y, radius));
        }
    }

    move(thing: Thing, index: number, to: Place): void {
        const { width, length } = this.stage.session;
        const x = Math.min(Math.max(to.x, 0), width);
        const y = Math.min(Math.max(to.y, 0), length);
        this.stage.pending.move(thing, index, x, y);
    }

    get heaterOn(): boolean {
        return this.stage.pending.get(this.stage.session, "heaters[0].on") > 0;
    }

    switchHeater(on: boolean): void {
        this.stage.pending.set("heaters[0].on", on ? 1 : 0);
        this.acted(on ? "heat source on" : "heat source off");
    }

    placeHeater(at: Place): void {
        if (!this.heaterOn) this.stage.pending.set("heaters[0].on", 1);
        this.move(Thing.Heater, 0, at);
        this.acted("heat source here");
    }

    get shape(): Shape {
        return this.stage.pending.get(this.stage.session, "obstacles[0].shape");
    }

    setShape(shape: Shape): void {
        this.stage.pending.set("obstacles[0].shape", shape);
        this.acted(`obstacle: ${shapeNames.find((s) => s.shape === shape)?.name ?? shape}`);
    }

    /// Cycles through cylinder, box, capsule and none.
    nextShape(): void {
        this.setShape((this.shape + 1) % shapeNames.length);
    }

    addNozzle(at: Place): void {
        const { session } = this.stage;
        if (!within(session, at)) return this.voice.say("no water there for a nozzle");
        const rate = this.stage.pending.get(session, "nozzles.rate");
        const radius = this.stage.pending.get(session, "nozzles.radius");
        const like = Number.isFinite(rate) && Number.isFinite(radius) ? { rate, radius } : {};
        this.change(() => session.addNozzle({ x: at.x, y: at.y, ...like }), "nozzle added");
    }

    removeNozzle(index: number): void {
        // Pending moves refer to nozzles by index; removing one changes the indices.
        this.stage.applyPending();
        this.renumbered();
        this.change(() => this.stage.session.removeNozzle(index), "nozzle removed");
    }

    removeNearestNozzle(at: Place): void {
        const found = nearest(this.view(), at, Thing.Nozzle);
        if (found) this.removeNozzle(found.index);
        else this.voice.say("there is no nozzle");
    }

    /// Adding or removing a nozzle takes a step at once, even when paused: the next command must use the new indices.
    private change(command: () => void, words: string): void {
        this.attempt(() => {
            command();
            this.stage.stepNow();
            this.voice.say(words);
        });
    }

    private attempt(command: () => void, words = ""): void {
        try {
            command();
            if (words) this.acted(words);
        } catch (error) {
            this.voice.notice(reason(error), "error");
        }
    }

    /// Announces a command. It acts in the next step, and a paused pond takes none.
    private acted(words: string): void {
        const waits = this.stage.paused && !this.stage.winding;
        this.voice.say(waits ? `${words}, at the next frame` : words);
    }
}

// SPDX-License-Identifier: Apache-2.0
/// Mouse, pen and touch on the canvas. A left press becomes a tap, a long press or a drag; the object under it
/// decides what the drag does. A second finger cancels this and controls the camera.
import type { Camera } from "../camera";
import { Thing, type View } from "../pond";
import type { Cursor } from "./cursor";
import { floorBelow, pick, seat, whereIs, within, type Aim, type Place, type Pond, type Target } from "./pick";
import { nameOf, type Tools } from "./tools";
import type { Voice } from "./messages";
import { TwoFingers } from "./two_fingers";

const longPress = 550; // ms
const doubleTap = 320; // ms

interface Press {
    id: number;
    x: number; // px, where it began
    y: number;
    touch: boolean;
    target: Target;
    timer: number;
}

/// dx, dy: from the pointer to the object's centre, m; nozzles: their number when it was grabbed.
type Drag =
    | { kind: "carry"; thing: Thing; index: number; dx: number; dy: number; off: boolean; nozzles: number }
    | { kind: "wipe"; last: Place | null }
    | { kind: "orbit" }
    | { kind: "pan" };

export interface Surroundings {
    canvas: HTMLCanvasElement;
    camera: Camera;
    tools: Tools;
    cursor: Cursor;
    voice: Voice;
    view(): View;
    pond(): Pond;
    /// Requests a redraw, even when paused.
    touch(): void;
}

export class Pointer {
    /// The object under or held by the pointer, for the highlight.
    hovered: { thing: Thing; index: number } | null = null;
    private press: Press | null = null;
    private drag: Drag | null = null;
    private dragId = -1;
    private last = { x: 0, y: 0 }; // px, of the drag
    private hover: { x: number; y: number } | null = null; // px; null for fingers
    private lastTap = { time: -Infinity, x: 0, y: 0 };
    private readonly fingers: TwoFingers;

    constructor(private readonly around: Surroundings) {
        const { canvas } = around;
        this.fingers = new TwoFingers(around.camera, () => canvas.clientHeight || 1);
        canvas.addEventListener("pointerdown", (e) => this.down(e));
        canvas.addEventListener("pointermove", (e) => this.move(e));
        canvas.addEventListener("pointerup", (e) => this.up(e));
        canvas.addEventListener("pointercancel", (e) => this.cancel(e.pointerId));
        canvas.addEventListener("lostpointercapture", (e) => this.cancel(e.pointerId));
        canvas.addEventListener("pointerleave", () => this.unhover());
        canvas.addEventListener("contextmenu", (e) => e.preventDefault());
        canvas.addEventListener("wheel", (e) => this.wheel(e), { passive: false });
        window.addEventListener("blur", () => this.reset());
    }

    /// A button or a finger is down.
    get busy(): boolean {
        return this.drag !== null || this.press !== null || this.fingers.active;
    }

    /// Cancels everything.
    reset(): void {
        this.fingers.clear();
        if (this.press) clearTimeout(this.press.timer);
        this.press = this.drag = null;
        this.dragId = -1;
        this.refresh();
    }

    /// Cancels holding an object, because its index is about to change.
    drop(): void {
        if (this.drag?.kind === "carry" || this.press?.target.kind === "thing") this.reset();
    }

    /// Updates what is under a resting pointer: the pond moves below it.
    refresh(): void {
        if (this.drag || this.press) return;
        const target: Target = this.hover ? this.look(this.hover.x, this.hover.y, false) : { kind: "nothing" };
        const thing = target.kind === "thing" ? { thing: target.thing, index: target.index } : null;
        if (thing?.thing !== this.hovered?.thing || thing?.index !== this.hovered?.index) {
            this.hovered = thing;
            this.around.touch();
        }
        this.shape(target.kind === "thing" ? "grab" : target.kind === "nothing" ? "default" : "crosshair");
    }

    private down(e: PointerEvent): void {
        const { canvas } = this.around;
        canvas.focus({ preventScroll: true });
        canvas.setPointerCapture(e.pointerId);
        this.around.cursor.hide();
        if (e.pointerType === "touch" && this.fingers.down(e.pointerId, e.clientX, e.clientY)) {
            if (this.press) clearTimeout(this.press.timer);
            this.press = this.drag = null;
            this.hovered = null;
            return;
        }
        if (this.press || this.drag) return; // another button of the same mouse
        this.last = { x: e.clientX, y: e.clientY };
        if (e.button === 1 || (e.button === 2 && e.shiftKey)) return this.begin(e.pointerId, { kind: "pan" }, "move");
        if (e.button === 2) return this.begin(e.pointerId, { kind: "orbit" }, "move");
        if (e.button === 0) this.pressed(e);
    }

    private pressed(e: PointerEvent): void {
        const touch = e.pointerType === "touch";
        const seen = this.look(e.clientX, e.clientY, touch);
        const surface = this.surface(e.clientX, e.clientY);
        // With Shift a drag always wipes foam.
        const target: Target = e.shiftKey && surface ? { kind: "foam", at: surface } : seen;
        const onWater = target.kind === "foam" || target.kind === "water";
        const press = { id: e.pointerId, x: e.clientX, y: e.clientY, touch, target, timer: 0 };
        this.press = press;
        // Move events arrive once per picture. If pictures are slow, wait for the next one before deciding.
        const decide = (): number => requestAnimationFrame(() => this.press === press && this.pressedLong(press));
        if (onWater) press.timer = window.setTimeout(decide, longPress);
        if (target.kind === "thing") {
            this.hovered = { thing: target.thing, index: target.index };
            this.shape("grabbing");
            this.around.touch();
        }
    }

    /// Moves the heat source to the press and continues as a drag.
    private pressedLong(p: Press): void {
        this.press = null;
        const at = floorBelow(this.around.camera, this.around.pond(), this.aim(p.x, p.y, p.touch));
        if (!at) return;
        this.around.tools.placeHeater(at);
        if (p.touch) navigator.vibrate?.(12);
        this.carry(p.id, Thing.Heater, 0, 0, 0);
        this.hovered = { thing: Thing.Heater, index: 0 };
    }

    private carry(id: number, thing: Thing, index: number, dx: number, dy: number): void {
        const nozzles = this.around.view().nozzleCount;
        this.begin(id, { kind: "carry", thing, index, dx, dy, off: false, nozzles }, "grabbing");
    }

    private begin(id: number, drag: Drag, cursor: string): void {
        this.drag = drag;
        this.dragId = id;
        this.shape(cursor);
        this.around.touch();
    }

    private move(e: PointerEvent): void {
        if (e.pointerType === "touch" && this.fingers.active) {
            if (this.fingers.move(e.pointerId, e.clientX, e.clientY)) this.around.touch();
            return;
        }
        if (e.pointerType === "touch") this.fingers.move(e.pointerId, e.clientX, e.clientY);
        else {
            this.hover = { x: e.clientX, y: e.clientY };
            this.around.cursor.pointer = this.surface(e.clientX, e.clientY) ?? this.around.cursor.pointer;
        }
        if (this.press?.id === e.pointerId) {
            const slop = this.press.touch ? 10 : 4;
            if (Math.hypot(e.clientX - this.press.x, e.clientY - this.press.y) < slop) return;
            this.startDrag(this.press);
        }
        if (this.drag && this.dragId === e.pointerId) {
            // The browser combines move events; wiping uses all of them.
            const moves = this.drag.kind === "wipe" ? e.getCoalescedEvents?.() : undefined;
            for (const m of moves?.length ? moves : [e]) this.dragTo(this.drag, m.clientX, m.clientY);
            this.around.touch();
        } else if (e.pointerType !== "touch") {
            if (this.around.cursor.ring && (e.movementX || e.movementY)) {
                this.around.cursor.hide();
                this.around.touch();
            }
            this.refresh();
        }
    }

    /// Turns the press into a drag.
    private startDrag(press: Press): void {
        clearTimeout(press.timer);
        this.press = null;
        this.last = { x: press.x, y: press.y };
        const { target } = press;
        if (target.kind === "thing") {
            const { thing, index, at } = target;
            const centre = whereIs(this.around.view(), thing, index) ?? at;
            const [dx, dy] = [centre.x - at.x, centre.y - at.y];
            this.carry(press.id, thing, index, dx, dy);
        } else if (target.kind === "nothing") {
            this.begin(press.id, { kind: "orbit" }, "move");
        } else {
            this.begin(press.id, { kind: "wipe", last: target.at }, "crosshair");
        }
    }

    private dragTo(drag: Drag, x: number, y: number): void {
        const { camera, tools, canvas } = this.around;
        const [right, down] = [x - this.last.x, y - this.last.y];
        this.last = { x, y };
        if (drag.kind === "orbit") camera.orbit(-0.006 * right, 0.006 * down);
        if (drag.kind === "pan") camera.pan(right / canvas.clientHeight, -down / canvas.clientHeight);
        if (drag.kind === "carry") this.carryTo(drag, x, y);
        if (drag.kind === "wipe") {
            const at = this.surface(x, y);
            if (at && drag.last) tools.wipe(drag.last, at);
            drag.last = at;
        }
    }

    private carryTo(drag: Drag & { kind: "carry" }, x: number, y: number): void {
        const { camera, tools, voice } = this.around;
        const pond = this.around.pond();
        // A replay or a script may also remove nozzles.
        if (this.around.view().nozzleCount < drag.nozzles) return this.reset();
        const at = seat(this.around.view(), camera, pond, this.aim(x, y, false), drag.thing, drag.index);
        if (!at) return;
        const to = { x: at.x + drag.dx, y: at.y + drag.dy };
        const off = !within(pond, to);
        if (drag.thing === Thing.Nozzle && off !== drag.off) {
            this.shape(off ? "no-drop" : "grabbing");
            voice.say(off ? "let go here to remove the nozzle" : nameOf(drag.thing, drag.index));
        }
        drag.off = off;
        if (drag.thing !== Thing.Nozzle || !off) tools.move(drag.thing, drag.index, to);
    }

    private up(e: PointerEvent): void {
        this.fingers.up(e.pointerId);
        if (this.press?.id === e.pointerId) {
            const press = this.press;
            clearTimeout(press.timer);
            this.press = null;
            this.tapped(press, e);
        } else if (this.drag && this.dragId === e.pointerId) {
            const drag = this.drag;
            this.drag = null;
            if (drag.kind === "carry" && drag.thing === Thing.Nozzle && drag.off) {
                this.around.tools.removeNozzle(drag.index);
                this.hovered = null;
            }
        }
        if (e.pointerType === "touch") this.hovered = null;
        this.refresh();
        this.around.touch();
    }

    private tapped(press: Press, e: PointerEvent): void {
        const { tools, camera } = this.around;
        const near = press.touch ? 32 : 12;
        const again =
            e.timeStamp - this.lastTap.time < doubleTap &&
            Math.hypot(press.x - this.lastTap.x, press.y - this.lastTap.y) < near;
        this.lastTap = { time: again ? -Infinity : e.timeStamp, x: press.x, y: press.y };
        const at = this.surface(press.x, press.y);
        if (press.touch && at) this.around.cursor.pointer = at;
        if (again && press.target.kind !== "nothing") {
            const floor = floorBelow(camera, this.around.pond(), this.aim(press.x, press.y, press.touch));
            if (floor) tools.addNozzle(floor);
        } else if (at && !(press.target.kind === "thing" && press.target.thing === Thing.Obstacle)) {
            tools.tap(at);
        }
    }

    /// A lost pointer ends its drag; it does not tap.
    private cancel(id: number): void {
        this.fingers.up(id);
        if (this.press?.id === id) {
            clearTimeout(this.press.timer);
            this.press = null;
        }
        if (this.dragId === id) {
            this.drag = null;
            this.dragId = -1;
        }
        this.refresh();
    }

    private wheel(e: WheelEvent): void {
        e.preventDefault();
        // Converts lines and pages of old mouse wheels to pixels; a notch is about a hundred.
        const pixels = e.deltaY * (e.deltaMode === 1 ? 33 : e.deltaMode === 2 ? 400 : 1);
        this.around.camera.zoom(Math.exp(Math.min(Math.max(pixels, -300), 300) * -0.0012));
        this.around.touch();
    }

    private unhover(): void {
        this.hover = null;
        this.refresh();
    }

    private look(x: number, y: number, touch: boolean): Target {
        return pick(this.around.view(), this.around.camera, this.around.pond(), this.aim(x, y, touch));
    }

    private surface(x: number, y: number): Place | null {
        const pond = this.around.pond();
        const aim = this.aim(x, y, false);
        const at = this.around.camera.hit(aim.x, aim.y, pond.restLevel);
        return at && within(pond, at) ? at : null;
    }

    private aim(x: number, y: number, touch: boolean): Aim {
        const box = this.around.canvas.getBoundingClientRect();
        return {
            x: (2 * (x - box.left)) / box.width - 1,
            y: 1 - (2 * (y - box.top)) / box.height,
            reach: (2 * (touch ? 24 : 10)) / box.height,
        };
    }

    private shape(cursor: string): void {
        const { style } = this.around.canvas;
        if (style.cursor !== cursor) style.cursor = cursor;
    }
}

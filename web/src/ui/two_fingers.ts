// SPDX-License-Identifier: Apache-2.0
/// Two fingers control the camera. The first motion decides: moved together they rotate it; spread or pinched they
/// zoom, and from then on also pan and twist.
import type { Camera } from "../camera";

interface Finger {
    id: number;
    x: number;
    y: number;
}

export class TwoFingers {
    private readonly fingers: Finger[] = [];
    private engaged = false;
    private mode: "unsure" | "turn" | "zoom" = "unsure";
    private start = { x: 0, y: 0, span: 1 };

    constructor(
        private readonly camera: Camera,
        private readonly height: () => number,
    ) {}

    /// Two or more fingers are down, or were down and not all have been lifted yet.
    get active(): boolean {
        return this.engaged;
    }

    /// True when this is the second finger.
    down(id: number, x: number, y: number): boolean {
        if (!this.fingers.some((f) => f.id === id)) this.fingers.push({ id, x, y });
        if (this.fingers.length < 2) return false;
        this.engaged = true;
        this.mode = "unsure";
        this.start = this.grip();
        return true;
    }

    /// True when the camera has moved.
    move(id: number, x: number, y: number): boolean {
        const finger = this.fingers.find((f) => f.id === id);
        if (!finger) return false;
        const before = this.grip();
        finger.x = x;
        finger.y = y;
        if (!this.engaged || this.fingers.length < 2) return false;
        const now = this.grip();
        if (this.mode === "unsure") this.decide(now);
        const [right, down] = [now.x - before.x, now.y - before.y];
        if (this.mode === "turn") this.camera.orbit(-0.006 * right, 0.006 * down);
        if (this.mode === "zoom") {
            this.camera.zoom(now.span / before.span);
            this.camera.pan(right / this.height(), -down / this.height());
            let twist = now.angle - before.angle;
            if (twist > Math.PI) twist -= 2 * Math.PI;
            if (twist < -Math.PI) twist += 2 * Math.PI;
            this.camera.orbit(twist, 0);
        }
        return this.mode !== "unsure";
    }

    up(id: number): void {
        const at = this.fingers.findIndex((f) => f.id === id);
        if (at >= 0) this.fingers.splice(at, 1);
        if (this.fingers.length === 0) this.engaged = false;
    }

    clear(): void {
        this.fingers.length = 0;
        this.engaged = false;
    }

    private decide(now: { x: number; y: number; span: number }): void {
        if (Math.abs(now.span - this.start.span) > 18) this.mode = "zoom";
        else if (Math.hypot(now.x - this.start.x, now.y - this.start.y) > 14) this.mode = "turn";
    }

    private grip(): { x: number; y: number; span: number; angle: number } {
        const [a, b] = this.fingers;
        if (!a) return { x: 0, y: 0, span: 1, angle: 0 };
        if (!b) return { x: a.x, y: a.y, span: 1, angle: 0 };
        const [dx, dy] = [b.x - a.x, b.y - a.y];
        const [x, y] = [(a.x + b.x) / 2, (a.y + b.y) / 2];
        return { x, y, span: Math.max(1, Math.hypot(dx, dy)), angle: Math.atan2(dy, dx) };
    }
}

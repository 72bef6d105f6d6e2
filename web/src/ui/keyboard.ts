// SPDX-License-Identifier: Apache-2.0
/// Keys. One table (actions.ts) assigns keys, labels buttons and fills the help. Arrow keys act while they are held,
/// so that the camera moves smoothly.
import type { Action } from "./actions";

/// What the arrow keys move while they are held; both -1, 0 or 1.
export type Glide = (right: number, up: number, shift: boolean, seconds: number) => void;

const arrows: { [key: string]: readonly [number, number] } = {
    ArrowLeft: [-1, 0],
    ArrowRight: [1, 0],
    ArrowUp: [0, 1],
    ArrowDown: [0, -1],
};
const nudge = 0.035; // s of motion for a short press
const patience = 160; // ms before a held key moves continuously

export class Keyboard {
    private readonly held = new Map<string, number>(); // key, and when it went down
    private readonly byKey = new Map<string, Action>();
    private shift = false;

    constructor(
        actions: readonly Action[],
        private readonly glide: Glide,
    ) {
        for (const action of actions) for (const key of action.keys) this.byKey.set(key, action);
        document.addEventListener("keydown", (e) => this.down(e));
        document.addEventListener("keyup", (e) => {
            this.shift = e.shiftKey;
            this.held.delete(e.key);
        });
        window.addEventListener("blur", () => this.held.clear());
    }

    /// True while an arrow is held.
    advance(seconds: number, now: number): boolean {
        if (this.held.size === 0) return false;
        let [right, up] = [0, 0];
        for (const [key, since] of this.held) {
            if (now - since < patience) continue;
            right += arrows[key]?.[0] ?? 0;
            up += arrows[key]?.[1] ?? 0;
        }
        if (right || up) this.glide(right, up, this.shift, seconds);
        return true;
    }

    private down(e: KeyboardEvent): void {
        if (e.ctrlKey || e.metaKey || e.altKey || e.defaultPrevented || takes(e)) return;
        const arrow = arrows[e.key];
        this.shift = e.shiftKey;
        if (arrow) {
            e.preventDefault();
            if (e.repeat) return;
            this.held.set(e.key, performance.now());
            this.glide(arrow[0], arrow[1], e.shiftKey, nudge);
            return;
        }
        const action = this.byKey.get(e.key) ?? this.byKey.get(e.key.toLowerCase());
        if (!action || (e.repeat && !action.repeats)) return;
        e.preventDefault();
        action.run();
    }
}

/// Whether the focused element handles this key itself.
function takes(e: KeyboardEvent): boolean {
    const focus = e.target instanceof Element ? e.target : null;
    if (!focus || document.querySelector("dialog[open]")) return document.querySelector("dialog[open]") !== null;
    if (focus.closest("input, select, textarea, output")) return true;
    const pressed = e.key === " " || e.key === "Enter" || e.key.startsWith("Arrow");
    return pressed && focus.closest("button, summary, a, progress") !== null;
}

// SPDX-License-Identifier: Apache-2.0
/// Changes that the user made since the last step. A dragged slider changes a hundred times a second, but only the
/// last value before a step matters: passing on only that keeps recordings and links short. Until the step is taken,
/// controls show the new value.
import { Thing } from "../pond";
import type { Session } from "../session";

interface Move {
    thing: Thing;
    index: number;
    x: number;
    y: number;
}

export class PendingChanges {
    private values = new Map<string, number>();
    private readonly moves = new Map<string, Move>();
    private applied = new Map<string, number>(); // passed to the session, but no step was taken since

    set(path: string, value: number): void {
        this.values.set(path, value);
    }

    /// The value after the next step.
    get(session: Session, path: string): number {
        return this.values.get(path) ?? this.applied.get(path) ?? session.get(path);
    }

    move(thing: Thing, index: number, x: number, y: number): void {
        this.moves.set(`${thing}:${index}`, { thing, index, x, y });
    }

    /// Passes all changes to the session. A refused change is dropped, the others are still passed, and the first
    /// error is thrown at the end.
    apply(session: Session): void {
        if (this.values.size === 0 && this.moves.size === 0) return;
        let refusal: unknown = null;
        const attempt = (command: () => void): void => {
            try {
                command();
            } catch (error) {
                refusal ??= error;
            }
        };
        for (const [path, value] of this.values) {
            attempt(() => {
                session.set(path, value);
                this.applied.set(path, value);
            });
        }
        for (const m of this.moves.values()) attempt(() => session.move(m.thing, m.index, m.x, m.y));
        this.values.clear();
        this.moves.clear();
        if (refusal !== null) throw refusal;
    }

    /// A step was taken: the session itself now has the values.
    stepped(): void {
        if (this.applied.size > 0) this.applied.clear();
    }

    /// A new session was opened: all changes must be passed again.
    reapply(): void {
        this.values = new Map([...this.applied, ...this.values]);
        this.applied.clear();
    }

    forget(): void {
        this.values.clear();
        this.moves.clear();
        this.applied.clear();
    }
}

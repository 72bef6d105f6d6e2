// SPDX-License-Identifier: Apache-2.0
/// What the person at the page asked for since the last step. A slider that is dragged speaks a hundred times a
/// second, but only its last word before a step matters: handing over just that keeps recordings and links short.
/// Until the step is taken, controls show what will be, not what still is.
import { Thing } from "../pond";
import type { Session } from "../session";

interface Move {
    thing: Thing;
    index: number;
    x: number;
    y: number;
}

export class Wishes {
    private values = new Map<string, number>();
    private readonly moves = new Map<string, Move>();
    private granted = new Map<string, number>(); // handed over, but no step has been taken since

    set(path: string, value: number): void {
        this.values.set(path, value);
    }

    /// As it will be after the next step.
    get(session: Session, path: string): number {
        return this.values.get(path) ?? this.granted.get(path) ?? session.get(path);
    }

    move(thing: Thing, index: number, x: number, y: number): void {
        this.moves.set(`${thing}:${index}`, { thing, index, x, y });
    }

    /// Hands everything to the session. A wish that it refuses is dropped, the others still go, and the first
    /// refusal is thrown at the end.
    grant(session: Session): void {
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
                this.granted.set(path, value);
            });
        }
        for (const m of this.moves.values()) attempt(() => session.move(m.thing, m.index, m.x, m.y));
        this.values.clear();
        this.moves.clear();
        if (refusal !== null) throw refusal;
    }

    /// A step was taken: the session itself now says how things are.
    fulfilled(): void {
        if (this.granted.size > 0) this.granted.clear();
    }

    /// Another session is there, which was told nothing yet.
    renew(): void {
        this.values = new Map([...this.granted, ...this.values]);
        this.granted.clear();
    }

    forget(): void {
        this.values.clear();
        this.moves.clear();
        this.granted.clear();
    }
}

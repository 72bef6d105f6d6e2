// SPDX-License-Identifier: Apache-2.0
/// The open pond: opening, running, pausing, replaying to a frame, and recovery from errors.
import type { Engine } from "../engine";
import { checkScene, isObject, type Json, type Scene } from "../scene";
import { Session } from "../session";
import { Clock } from "./clock";
import { Meter } from "./meter";
import { reason } from "./messages";
import { PendingChanges } from "./pending_changes";

/// The last frame that a link or a file may ask for: ten minutes at 60 frames a second.
export const furthestFrame = 36000;

export interface Audience {
    /// A pond was opened. chosen: the user chose a scene; false: the same scene was restarted.
    opened(chosen: boolean): void;
    /// A normal step was taken; its events may be played as sound.
    stepped(): void;
    /// The state (running, paused or replaying) has changed.
    turned(): void;
    /// A replay has reached its frame, or was stopped on the way; it is paused.
    wound(): void;
    /// The solver failed, with its message. The stage is paused and needs reset().
    failed(message: string): void;
    /// The solver refused a command.
    refused(message: string): void;
}

export class Stage {
    readonly pending = new PendingChanges();
    readonly solverTimes = new Meter();
    private present: Session | null = null;
    private original: Scene = {};
    private clockwork = new Clock(60);
    private running = false;
    private asleep = false;
    private goal: number | null = null;
    private broken = false;
    private resumes = false; // continue to run after the replay
    private restoring = false; // replays to the frame before a refused change

    constructor(
        private readonly engine: Engine,
        private readonly audience: Audience,
    ) {}

    get session(): Session {
        if (!this.present) throw new Error("No pond is open.");
        return this.present;
    }
    get isOpen(): boolean {
        return this.present !== null;
    }
    get clock(): Clock {
        return this.clockwork;
    }
    get paused(): boolean {
        return !this.running;
    }
    get winding(): { from: number; to: number } | null {
        return this.goal === null ? null : { from: this.session.frame, to: this.goal };
    }

    /// Opens a scene that the user chose. With `at` it is replayed to that frame and paused.
    choose(scene: Scene, at = 0): void {
        this.replace(scene);
        this.original = scene;
        this.pending.forget();
        this.audience.opened(true);
        this.windTo(at);
    }

    /// Opens a changed version of the current scene; reset() still restores the original. Inputs that the old pond
    /// had no step to apply are passed to the new one.
    change(scene: Scene): void {
        this.replace(scene);
        this.pending.reapply();
        this.audience.opened(false);
    }

    /// Restarts the chosen scene from its first frame.
    reset(): void {
        const run = this.running && !this.broken;
        this.replace(this.original);
        this.pending.forget();
        this.audience.opened(false);
        if (run) this.play();
    }

    play(): void {
        if (this.running || this.broken || this.goal !== null) return;
        this.running = true;
        this.clockwork.rest();
        this.audience.turned();
    }

    pause(): void {
        if (!this.running) return;
        this.running = false;
        this.audience.turned();
    }

    /// A hidden page does not compute. This is not a pause by the user, so it ends by itself.
    sleep(asleep: boolean): void {
        this.asleep = asleep;
        this.clockwork.rest();
    }

    /// Takes one frame and pauses.
    single(): void {
        if (this.goal !== null) return;
        this.pause();
        if (this.step()) this.audience.stepped();
    }

    /// Takes a step at once, running or not, for commands that change the indices of objects.
    stepNow(): void {
        if (this.step()) this.audience.stepped();
    }

    /// Passes pending changes to the session, so that a recording contains them.
    applyPending(): void {
        try {
            this.pending.apply(this.session);
        } catch (error) {
            this.audience.refused(reason(error));
        }
    }

    stopWinding(): void {
        if (this.goal === null) return;
        this.goal = null;
        this.restoring = false;
        if (this.resumes) return this.play();
        this.audience.turned();
        this.audience.wound();
    }

    /// Takes the steps that are due after that many seconds. True when the pond has changed.
    advance(seconds: number): boolean {
        if (this.goal !== null) return this.wind();
        if (!this.running || this.asleep) return false;
        const due = this.clockwork.due(seconds);
        const start = performance.now();
        let taken = 0;
        // Three steps of a very large pond could block the page for a second; beyond 40 ms it feels stuck.
        while (taken < due && performance.now() - start < 40 && this.step()) {
            this.audience.stepped();
            ++taken;
        }
        this.clockwork.took(taken, due);
        return taken > 0;
    }

    private windTo(frame: number): void {
        if (frame <= this.session.frame) return;
        this.goal = frame;
        this.resumes = false;
        this.running = false;
        this.audience.turned();
    }

    /// Replays a part of the way to the goal: long enough to be fast, short enough to show progress and react to
    /// "stop".
    private wind(): boolean {
        const start = performance.now();
        while (this.goal !== null && performance.now() - start < 30) {
            if (this.session.frame >= this.goal) this.stopWinding();
            else if (!this.step()) this.goal = null;
        }
        return true;
    }

    private step(): boolean {
        if (this.broken) return false;
        if (!this.restoring) this.applyPending(); // inputs made now must not enter the replayed past
        const start = performance.now();
        try {
            this.session.step();
        } catch (error) {
            this.broken = true;
            this.goal = null;
            this.pause();
            this.audience.failed(reason(error));
            return false;
        }
        this.pending.stepped();
        this.solverTimes.push((performance.now() - start) / 1e3);
        return true;
    }

    /// Closes the old pond and opens a new one. If the new one is refused, the old one is restored by replaying its
    /// record, and the error is thrown.
    private replace(scene: Scene): void {
        checkScene(scene); // finds most errors before anything is closed
        const former = this.present;
        const back = former && (this.broken ? this.original : wholeRecord(former));
        const { running: run, goal, resumes } = this;
        former?.close();
        this.present = null;
        try {
            this.present = Session.open(this.engine, scene);
        } catch (error) {
            const was = this.broken ? 0 : Number(back?.frames ?? 0);
            if (back) this.restore(back, goal ?? was, goal === null ? run : resumes);
            throw error;
        }
        this.broken = this.restoring = false;
        this.goal = null;
        this.running = run;
        this.solverTimes.clear();
        this.clockwork = new Clock(this.present.fps);
        this.audience.turned();
    }

    /// Opens the previous pond again and replays it to its frame or goal.
    private restore(scene: Scene, frame: number, resumes: boolean): void {
        this.present = Session.open(this.engine, scene);
        this.broken = false;
        this.goal = null;
        this.running = false;
        this.audience.opened(false);
        this.windTo(frame);
        this.resumes = resumes;
        this.restoring = this.goal !== null;
        if (this.goal === null && resumes) this.play();
        this.audience.turned();
    }
}

/// The session's recording, with the inputs of its scene for later steps.
function wholeRecord(session: Session): Scene {
    const record = session.record(), last = session.statistics().frame;
    const inputs = (scene: Scene): Json[] =>
        isObject(scene.pond) && Array.isArray(scene.pond.input) ? scene.pond.input : [];
    const later = inputs(session.scene).filter((entry) => isObject(entry) && Number(entry.step ?? 0) > last);
    const pond = isObject(record.pond) ? record.pond : {};
    return { ...record, pond: { ...pond, input: [...inputs(record), ...later] } };
}

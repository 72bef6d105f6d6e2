// SPDX-License-Identifier: Apache-2.0
/// The pond that is on: opening, running, pausing, winding to a frame, and what to do when it fails.
import type { Engine } from "../engine";
import { checkScene, isObject, type Json, type Scene } from "../scene";
import { Session } from "../session";
import { Clock } from "./clock";
import { Meter } from "./meter";
import { reason } from "./say";
import { Wishes } from "./wishes";

/// The furthest frame that a link or a file may ask for: ten minutes of a pond at 60 frames a second.
export const furthestFrame = 36000;

export interface Audience {
    /// Another pond is on. chosen: the person chose a scene, rather than started the present one again.
    opened(chosen: boolean): void;
    /// One step was taken in the ordinary way; its events may be heard.
    stepped(): void;
    /// Running, paused or winding has changed.
    turned(): void;
    /// A link or a file has reached its frame, or somebody stopped it on the way; it is paused.
    wound(): void;
    /// The solver gave up, in its own words. The stage is paused and needs reset().
    failed(message: string): void;
    /// The solver refused a command.
    refused(message: string): void;
}

export class Stage {
    readonly wishes = new Wishes();
    readonly solverTimes = new Meter();
    private present: Session | null = null;
    private original: Scene = {};
    private clockwork = new Clock(60);
    private running = false;
    private asleep = false;
    private goal: number | null = null;
    private broken = false;
    private resumes = false; // runs on after winding
    private restoring = false; // winds to where it was before a refusal

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

    /// Opens a scene as the person chose it. With `at` it is wound to that frame and pauses there.
    choose(scene: Scene, at = 0): void {
        this.replace(scene);
        this.original = scene;
        this.wishes.forget();
        this.audience.opened(true);
        this.windTo(at);
    }

    /// Opens a changed edition of the present scene; reset() still leads back to the original. What the last pond
    /// was asked but had no step to do is asked of the new one.
    change(scene: Scene): void {
        this.replace(scene);
        this.wishes.renew();
        this.audience.opened(false);
    }

    /// The scene as it was chosen, from its first frame.
    reset(): void {
        const run = this.running && !this.broken;
        this.replace(this.original);
        this.wishes.forget();
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

    /// A hidden page does not compute; this is no pause of the person's own, so it ends by itself.
    sleep(asleep: boolean): void {
        this.asleep = asleep;
        this.clockwork.rest();
    }

    /// One frame, paused.
    single(): void {
        if (this.goal !== null) return;
        this.pause();
        if (this.step()) this.audience.stepped();
    }

    /// A step at once, running or not, for commands after which the numbers that things have mean other things.
    hasten(): void {
        if (this.step()) this.audience.stepped();
    }

    /// Hands waiting wishes over, so that a recording holds them.
    settle(): void {
        try {
            this.wishes.grant(this.session);
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

    /// Takes the steps that are due after so many seconds. True when the pond has changed.
    advance(seconds: number): boolean {
        if (this.goal !== null) return this.wind();
        if (!this.running || this.asleep) return false;
        const due = this.clockwork.due(seconds);
        const start = performance.now();
        let taken = 0;
        // Three steps of a very large pond could hold the page for a second: 40 ms is where it begins to feel stuck.
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

    /// A slice of the way to the goal: long enough to be quick, short enough to draw progress and hear "stop".
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
        if (!this.restoring) this.settle(); // what is asked for now has no place in what was
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
        this.wishes.fulfilled();
        this.solverTimes.push((performance.now() - start) / 1e3);
        return true;
    }

    /// One pond at a time: the old one closes before the new one opens. When the new one is refused, the old one
    /// comes back by replaying what it has lived through, and the refusal is thrown.
    private replace(scene: Scene): void {
        checkScene(scene); // much of what is refused is refused here, before anything is closed
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

    /// Opens the former pond again and winds it to where it was, or was on its way to.
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

/// The session's recording, and what its scene holds for steps that are still to come.
function wholeRecord(session: Session): Scene {
    const record = session.record(), last = session.statistics().frame;
    const inputs = (scene: Scene): Json[] =>
        isObject(scene.pond) && Array.isArray(scene.pond.input) ? scene.pond.input : [];
    const later = inputs(session.scene).filter((entry) => isObject(entry) && Number(entry.step ?? 0) > last);
    const pond = isObject(record.pond) ? record.pond : {};
    return { ...record, pond: { ...pond, input: [...inputs(record), ...later] } };
}

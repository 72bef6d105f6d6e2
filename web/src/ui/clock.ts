// SPDX-License-Identifier: Apache-2.0
/// Wall time into whole steps of 1/fps. A pond that cannot keep up drops time rather than take longer steps:
/// every machine sees the same motion, a slow one sees it slower.

export class Clock {
    static readonly stepsPerPicture = 3;
    private owed = 0; // steps
    private dropped = 0; // steps, since tally()
    private taken = 0; // steps, since tally()
    private readonly rates = new Float32Array(4); // steps/s of the last four quarters of a second
    private readonly losses = new Float32Array(4); // steps lost in each
    private slots = 0; // tallies so far
    private rested = true;

    constructor(readonly fps: number) {}

    /// How many steps are due after so many more seconds.
    due(seconds: number): number {
        // The first picture after a rest counts as one step, whatever the rest has cost.
        let steps = this.rested ? Math.min(1, seconds * this.fps) : seconds * this.fps;
        this.rested = false;
        // A display of 59.9 Hz would now and then show no step and then two. Near enough is one.
        const whole = Math.round(steps);
        if (whole > 0 && Math.abs(steps - whole) < 0.08) steps = whole;
        this.owed += steps;
        const due = Math.floor(this.owed + 1e-6);
        this.owed -= due;
        if (due <= Clock.stepsPerPicture) return due;
        this.dropped += due - Clock.stepsPerPicture;
        return Clock.stepsPerPicture;
    }

    /// Tells how many of the due steps were taken; the others are lost.
    took(steps: number, due: number): void {
        this.taken += steps;
        this.dropped += due - steps;
    }

    /// After a pause nothing is owed.
    rest(): void {
        this.owed = 0;
        this.dropped = 0;
        this.taken = 0;
        this.slots = 0;
        this.rested = true;
    }

    /// Closes a measuring interval, four times a second.
    tally(seconds: number): void {
        const slot = this.slots++ % this.rates.length;
        this.rates[slot] = seconds > 0 ? this.taken / seconds : 0;
        this.losses[slot] = this.dropped;
        this.taken = 0;
        this.dropped = 0;
    }

    /// Over the last second.
    get stepsPerSecond(): number {
        const n = Math.min(this.slots, this.rates.length);
        return n > 0 ? sum(this.rates, n) / n : 0;
    }

    get slow(): boolean {
        if (this.slots < this.losses.length) return false; // one late picture makes no slow machine
        return sum(this.losses, this.losses.length) > 0.05 * this.fps && this.stepsPerSecond < 0.95 * this.fps;
    }
}

function sum(values: Float32Array, n: number): number {
    let total = 0;
    for (let i = 0; i < n; ++i) total += values[i];
    return total;
}

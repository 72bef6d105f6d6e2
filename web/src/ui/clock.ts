// SPDX-License-Identifier: Apache-2.0
/// Turns wall time into whole steps of 1/fps. If the pond cannot keep up, time is dropped instead of taking longer
/// steps: every machine shows the same motion, a slow one shows it slower.

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

    /// The number of steps due after that many more seconds.
    due(seconds: number): number {
        // The first picture after a pause counts as one step, however long the pause was.
        let steps = this.rested ? Math.min(1, seconds * this.fps) : seconds * this.fps;
        this.rested = false;
        // A display of 59.9 Hz would sometimes show no step and then two: round to one.
        const whole = Math.round(steps);
        if (whole > 0 && Math.abs(steps - whole) < 0.08) steps = whole;
        this.owed += steps;
        const due = Math.floor(this.owed + 1e-6);
        this.owed -= due;
        if (due <= Clock.stepsPerPicture) return due;
        this.dropped += due - Clock.stepsPerPicture;
        return Clock.stepsPerPicture;
    }

    /// Reports how many of the due steps were taken; the others are dropped.
    took(steps: number, due: number): void {
        this.taken += steps;
        this.dropped += due - steps;
    }

    /// After a pause no steps are due.
    rest(): void {
        this.owed = 0;
        this.dropped = 0;
        this.taken = 0;
        this.slots = 0;
        this.rested = true;
    }

    /// Ends a measuring interval, four times a second.
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
        if (this.slots < this.losses.length) return false; // one late picture does not mean that the machine is slow
        return sum(this.losses, this.losses.length) > 0.05 * this.fps && this.stepsPerSecond < 0.95 * this.fps;
    }
}

function sum(values: Float32Array, n: number): number {
    let total = 0;
    for (let i = 0; i < n; ++i) total += values[i];
    return total;
}

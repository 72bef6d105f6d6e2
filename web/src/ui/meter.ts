// SPDX-License-Identifier: Apache-2.0
/// Mean and 99th percentile of the last measurements, without allocation.

export class Meter {
    private readonly ring: Float32Array;
    private readonly sorted: Float32Array;
    private filled = 0;
    private next = 0;

    constructor(capacity = 240) {
        this.ring = new Float32Array(capacity);
        this.sorted = new Float32Array(capacity);
    }

    push(value: number): void {
        this.ring[this.next] = value;
        this.next = (this.next + 1) % this.ring.length;
        this.filled = Math.min(this.filled + 1, this.ring.length);
    }

    clear(): void {
        this.filled = 0;
        this.next = 0;
    }

    get mean(): number {
        let total = 0;
        for (let i = 0; i < this.filled; ++i) total += this.ring[i];
        return this.filled ? total / this.filled : NaN;
    }

    /// Nearest rank: the smallest value that at least 99 in 100 do not exceed.
    get p99(): number {
        if (!this.filled) return NaN;
        // Unused entries sort to the end and are skipped.
        this.sorted.set(this.ring);
        this.sorted.fill(Infinity, this.filled);
        this.sorted.sort();
        return this.sorted[Math.ceil(0.99 * this.filled) - 1] ?? NaN;
    }
}

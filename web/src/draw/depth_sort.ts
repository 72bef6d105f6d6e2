// SPDX-License-Identifier: Apache-2.0
/// Sorts rows of eight numbers back to front for blending. A counting sort into 4096 slices: its time is linear in
/// the count, and the order within a slice is not visible.
import type { Table } from "./gl";

const SLICES = 4096;

type Eye = Readonly<[number, number, number]>;

export class DepthSort {
    largest = 0; ///< largest radius (the fourth number)
    private slices = new Uint16Array(1024);
    private readonly starts = new Uint32Array(SLICES + 1);

    /// Sorts into a table of two texels a row and uploads it.
    sort(values: Float32Array, count: number, eye: Eye, reach: number, into: Table): void {
        if (count > this.slices.length) this.slices = new Uint16Array(Math.ceil(1.5 * count));
        into.reserve(count);
        const rows = into.values;
        this.starts.fill(0);
        this.largest = 0;
        this.measure(values, count, eye, reach);
        for (let k = 0; k < SLICES; ++k) this.starts[k + 1]! += this.starts[k]!;
        for (let i = 0; i < count; ++i) {
            const to = 8 * this.starts[this.slices[i]!]!++;
            for (let k = 0; k < 8; ++k) rows[to + k] = values[8 * i + k]!;
        }
        into.send(count);
    }

    /// Computes the slice of every row and the size of each; `reach` is at least twice the pond's diagonal.
    private measure(values: Float32Array, count: number, eye: Eye, reach: number): void {
        let nearest = Infinity;
        for (let i = 0; i < count; ++i) nearest = Math.min(nearest, this.away(values, i, eye));
        for (let i = 0; i < count; ++i) {
            const share = (this.away(values, i, eye) - nearest) / reach;
            const slice = SLICES - 1 - Math.min(Math.max(Math.floor(share * SLICES), 0), SLICES - 1);
            this.slices[i] = slice;
            ++this.starts[slice + 1]!;
            this.largest = Math.max(this.largest, values[8 * i + 3]!);
        }
    }

    private away(values: Float32Array, i: number, eye: Eye): number {
        const x = values[8 * i]! - eye[0], y = values[8 * i + 1]! - eye[1], z = values[8 * i + 2]! - eye[2];
        return Math.sqrt(x * x + y * y + z * z);
    }
}

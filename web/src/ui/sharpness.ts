// SPDX-License-Identifier: Apache-2.0
/// How many pixels to draw. A graphics card that cannot keep up gets fewer, never fewer steps of the solver: the
/// picture may soften, the physics does not change.

const softest = 0.5; // device pixels a CSS pixel

export class Sharpness {
    private share = 1;
    private late = 0; // tallies in a row

    get ratio(): number {
        return Math.max(Math.min(softest, devicePixelRatio), this.share * devicePixelRatio);
    }

    /// Four times a second: seconds a picture took and seconds of it that the solver took. True when the ratio has
    /// changed. It only goes down: going up again would make it swing.
    watch(picture: number, solver: number): boolean {
        const drawing = picture - solver;
        const behind = picture > 1 / 45 && drawing > 0.6 * picture;
        this.late = behind ? this.late + 1 : 0;
        if (this.late < 8 || this.share * devicePixelRatio <= softest) return false;
        this.late = 0;
        this.share *= 0.8;
        return true;
    }
}

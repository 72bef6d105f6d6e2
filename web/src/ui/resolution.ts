// SPDX-License-Identifier: Apache-2.0
/// Chooses the resolution. A graphics card that cannot keep up gets fewer pixels; the solver's steps do not change.

const softest = 0.7; // device pixels a CSS pixel
const lateAfter = 1 / 45; // s a picture
const watchFor = 2; // s before judging
const warmUp = 4; // pictures to ignore after a change

export class Resolution {
    private share = 1;
    private pictures = -warmUp;
    private total = 0; // s, of the pictures watched
    private drawing = 0; // s of it without the solver
    private before = Infinity; // s per picture at the previous resolution
    private settled = false;

    get ratio(): number {
        return Math.max(Math.min(softest, devicePixelRatio), this.share * devicePixelRatio);
    }

    /// Call it after every picture while the pond runs, with the time since the last one and the solver's part of it.
    /// True when the ratio has changed. It only decreases: increasing it again would make it oscillate.
    watch(seconds: number, solver: number): boolean {
        if (this.settled || ++this.pictures <= 0) return false;
        this.total += seconds;
        this.drawing += seconds - solver;
        if (this.total < watchFor) return false;
        const [picture, drawing] = [this.total / this.pictures, this.drawing / this.pictures];
        this.pictures = -warmUp;
        this.total = this.drawing = 0;
        return this.judge(picture, drawing);
    }

    private judge(picture: number, drawing: number): boolean {
        if (picture > 0.92 * this.before) {
            // Fewer pixels did not help, as on a 30 Hz display: restore them and stop.
            this.settled = true;
            this.share = 1;
            return true;
        }
        const late = picture > lateAfter && drawing > 0.6 * picture;
        if (!late || this.share * devicePixelRatio <= softest) return false;
        this.before = picture;
        this.share *= Math.min(0.9, Math.max(0.5, Math.sqrt(lateAfter / drawing)));
        return true;
    }
}

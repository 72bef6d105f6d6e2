// SPDX-License-Identifier: Apache-2.0
/// A recording of the canvas, at most half a minute, as WebM.

export const longestClip = 30; // s

export class Clip {
    private recorder: MediaRecorder | null = null;
    private started = 0; // ms
    private limit = 0;

    constructor(
        private readonly canvas: HTMLCanvasElement,
        private readonly done: (film: Blob) => void,
    ) {}

    /// Why this browser cannot record, or null when it can.
    static refusal(): string | null {
        if (typeof MediaRecorder === "undefined") return "This browser has no MediaRecorder.";
        if (!("captureStream" in HTMLCanvasElement.prototype)) return "This browser cannot record a canvas.";
        return format() ? null : "This browser cannot write WebM.";
    }

    get running(): boolean {
        return this.recorder !== null;
    }

    /// Seconds so far.
    get seconds(): number {
        return this.recorder ? (performance.now() - this.started) / 1e3 : 0;
    }

    start(fps: number): void {
        if (this.recorder) return;
        const stream = this.canvas.captureStream(fps);
        const recorder = new MediaRecorder(stream, { mimeType: format() ?? "", videoBitsPerSecond: 12e6 });
        const parts: Blob[] = [];
        recorder.ondataavailable = (event) => {
            if (event.data.size > 0) parts.push(event.data);
        };
        recorder.onstop = () => {
            clearTimeout(this.limit);
            for (const track of stream.getTracks()) track.stop();
            this.recorder = null;
            this.done(new Blob(parts, { type: "video/webm" }));
        };
        recorder.start(1000);
        this.recorder = recorder;
        this.started = performance.now();
        this.limit = window.setTimeout(() => this.stop(), longestClip * 1e3);
    }

    stop(): void {
        if (this.recorder?.state === "recording") this.recorder.stop();
    }
}

function format(): string | null {
    const choices = ["video/webm;codecs=vp9", "video/webm;codecs=vp8", "video/webm"];
    return choices.find((type) => MediaRecorder.isTypeSupported(type)) ?? null;
}

// SPDX-License-Identifier: Apache-2.0
/// Pops and merges as short tones. A bubble of radius r has Minnaert's frequency, 3.26 Hz m / r: 815 Hz for 4 mm.
import { EventKind, type PondEvent } from "../pond";

const mostVoices = 12;
const newVoicesAStep = 3; // a hundred nozzles pop a dozen a frame; three suffice for a fizz

export class Sound {
    private context: AudioContext | null = null;
    private output: AudioNode | null = null;
    private voices = 0;
    private audible = false;

    get on(): boolean {
        return this.audible;
    }

    /// Must be called from a click or a key: browsers let a page make sound only then.
    async toggle(): Promise<boolean> {
        this.audible = !this.audible;
        if (this.audible) {
            this.context ??= this.start();
            await this.context.resume();
        } else {
            await this.context?.suspend();
        }
        return this.audible;
    }

    /// Plays the events of the last step. The position along the pond's width sets left and right.
    play(pond: { width: number; events(): PondEvent[] }): void {
        if (!this.audible || !this.context || this.context.state !== "running") return;
        let started = 0;
        for (const event of pond.events()) {
            if (started >= newVoicesAStep || this.voices >= mostVoices) return;
            if (event.kind === EventKind.Break || !(event.radius > 0)) continue;
            this.ring(this.context, event, pond.width);
            ++started;
        }
    }

    private start(): AudioContext {
        const context = new AudioContext({ latencyHint: "interactive" });
        const limiter = context.createDynamicsCompressor();
        limiter.threshold.value = -20;
        limiter.knee.value = 6;
        limiter.ratio.value = 20;
        limiter.attack.value = 0.002;
        limiter.release.value = 0.1;
        const master = context.createGain();
        master.gain.value = 0.5;
        limiter.connect(master).connect(context.destination);
        this.output = limiter;
        return context;
    }

    private ring(context: AudioContext, event: PondEvent, pondWidth: number): void {
        if (!this.output) return;
        const merge = event.kind === EventKind.Merge;
        const pitch = Math.min(Math.max(3.26 / event.radius, 200), 6000);
        const loudness = Math.min(0.22, 30 * event.radius) * (merge ? 0.5 : 1); // 4 mm: 0.12
        const now = context.currentTime;
        const lasts = Math.min(0.18, 0.02 + 24 / pitch); // about twenty periods, as of a small bubble
        const tone = context.createOscillator();
        tone.frequency.setValueAtTime(pitch, now);
        // A bursting bubble opens and its pitch rises; two that merge ring lower together.
        tone.frequency.exponentialRampToValueAtTime(pitch * (merge ? 0.8 : 1.25), now + lasts);
        const envelope = context.createGain();
        envelope.gain.setValueAtTime(0, now);
        envelope.gain.linearRampToValueAtTime(loudness, now + 0.002);
        envelope.gain.exponentialRampToValueAtTime(1e-4, now + lasts);
        const side = context.createStereoPanner();
        side.pan.value = Math.min(Math.max((2 * event.x) / pondWidth - 1, -1), 1) * 0.8;
        tone.connect(envelope).connect(side).connect(this.output);
        ++this.voices;
        tone.onended = () => {
            --this.voices;
            side.disconnect();
        };
        tone.start(now);
        tone.stop(now + lasts);
    }
}

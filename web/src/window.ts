// SPDX-License-Identifier: Apache-2.0
/// Typed arrays on the WebAssembly memory, reused as long as they refer to the same part of it.
import { Engine } from "./engine";
import { EventKind, PondError, PondEvent, View } from "./pond";

/// The version of sp_pond_view whose layout is read here.
const VIEW_VERSION = 2;
const WANT_VORTICES = 1;
const WANT_THINGS = 2;

/// sp_pond_view in 32-bit words, in its own order.
enum Word {
    version, width, height, spacing, level, depth, normal,
    bubbleCount, foamCount, vortexCount, tracerCount, bubbles, foam, vortices, tracers,
    heaterCount, obstacleCount, nozzleCount, ground, heaters, obstacles, nozzles,
    count,
}

export class ViewWindow {
    private readonly view: View;

    constructor(private readonly engine: Engine) {
        const none = new Float32Array(0);
        this.view = {
            width: 0, height: 0, spacing: 0, level: none, depth: none, normal: new Int8Array(0), ground: none,
            bubbleCount: 0, bubbles: none, foamCount: 0, foam: none, vortexCount: 0, vortices: none,
            tracerCount: 0, tracers: none, heaterCount: 0, heaters: none, obstacleCount: 0, obstacles: none,
            nozzleCount: 0, nozzles: none,
        };
    }

    /// `old` if it still refers to that part of memory, else a new array.
    private floats(old: Float32Array, at: number, length: number): Float32Array {
        const { buffer } = this.engine.wasm.memory;
        if (old.buffer === buffer && old.byteOffset === at && old.length === length) return old;
        return new Float32Array(buffer, at, length);
    }

    read(vortices: boolean): View {
        const { wasm, handle } = this.engine;
        const at = wasm.page_view(handle, WANT_THINGS | (vortices ? WANT_VORTICES : 0));
        const words = new Uint32Array(wasm.memory.buffer, at, Word.count);
        if (words[Word.version] !== VIEW_VERSION)
            throw new PondError(`The pond's view has version ${words[Word.version]}, this page knows ${VIEW_VERSION}.`);
        const v = this.view;
        v.width = words[Word.width];
        v.height = words[Word.height];
        v.spacing = new Float32Array(wasm.memory.buffer, at, Word.count)[Word.spacing];
        const vertices = v.width * v.height;
        v.level = this.floats(v.level, words[Word.level], vertices);
        v.depth = this.floats(v.depth, words[Word.depth], vertices);
        v.ground = this.floats(v.ground, words[Word.ground], vertices);
        if (v.normal.buffer !== wasm.memory.buffer || v.normal.byteOffset !== words[Word.normal])
            v.normal = new Int8Array(wasm.memory.buffer, words[Word.normal], 4 * vertices);
        this.readInstances(words, vortices);
        return v;
    }

    private readInstances(words: Uint32Array, vortices: boolean): void {
        const v = this.view;
        v.bubbleCount = words[Word.bubbleCount];
        v.foamCount = words[Word.foamCount];
        v.vortexCount = vortices ? words[Word.vortexCount] : 0;
        v.tracerCount = vortices ? words[Word.tracerCount] : 0;
        v.heaterCount = words[Word.heaterCount];
        v.obstacleCount = words[Word.obstacleCount];
        v.nozzleCount = words[Word.nozzleCount];
        v.bubbles = this.floats(v.bubbles, words[Word.bubbles], 8 * v.bubbleCount);
        v.foam = this.floats(v.foam, words[Word.foam], 8 * v.foamCount);
        v.vortices = this.floats(v.vortices, words[Word.vortices], 8 * v.vortexCount);
        v.tracers = this.floats(v.tracers, words[Word.tracers], 3 * v.tracerCount);
        v.heaters = this.floats(v.heaters, words[Word.heaters], 8 * v.heaterCount);
        v.obstacles = this.floats(v.obstacles, words[Word.obstacles], 8 * v.obstacleCount);
        v.nozzles = this.floats(v.nozzles, words[Word.nozzles], 4 * v.nozzleCount);
    }
}

const EVENT_WORDS = 5;

/// Events of the last step, in reused objects.
export class EventWindow {
    private readonly kept: PondEvent[] = [];
    private readonly events: PondEvent[] = [];

    constructor(private readonly engine: Engine) {}

    read(): PondEvent[] {
        const { wasm, handle } = this.engine;
        const count = wasm.page_events(handle), at = wasm.page_event_list(handle);
        const whole = new Int32Array(wasm.memory.buffer, at, count * EVENT_WORDS);
        const real = new Float32Array(wasm.memory.buffer, at, count * EVENT_WORDS);
        while (this.kept.length < count) this.kept.push({ kind: EventKind.Pop, x: 0, y: 0, z: 0, radius: 0 });
        this.events.length = count;
        for (let i = 0; i < count; ++i) {
            const event = this.kept[i], word = i * EVENT_WORDS;
            event.kind = whole[word];
            event.x = real[word + 1];
            event.y = real[word + 2];
            event.z = real[word + 3];
            event.radius = real[word + 4];
            this.events[i] = event;
        }
        return this.events;
    }
}

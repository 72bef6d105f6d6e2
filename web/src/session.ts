// SPDX-License-Identifier: Apache-2.0
/// A pond, and a record of every input. An input acts in the next step and is recorded with the number of steps
/// taken. This suffices to replay the session bit for bit.
import { Engine } from "./engine";
import { Json, Scene, checkScene, fpsOf, isObject, openScene } from "./scene";
import { PondError, PondEvent, Statistics, Thing, View } from "./pond";
import { EventWindow, ViewWindow } from "./window";
import { presentSetup } from "./setup";

export interface Nozzle {
    x: number;
    y: number;
    z?: number; ///< m above the ground
    rate?: number; ///< bubbles a second
    radius?: number; ///< m
    spread?: number;
    jitter?: number; ///< m
    speed?: number; ///< m/s
    on?: boolean;
}

/// One entry of pond.input.
type Input = { [key: string]: Json };

const moveWords = ["move_heater", "move_obstacle", "move_nozzle"]; // in the order of Thing
const listWords = ["heaters", "obstacles", "nozzles"];

/// A number rounded to float, with only the digits needed to read it back.
export function short(value: number): number {
    return Number(Math.fround(value).toPrecision(9));
}

function listOf(scene: Scene, name: string): Json[] {
    const list = isObject(scene.pond) ? scene.pond[name] : undefined;
    return Array.isArray(list) ? list : [];
}

/// The scene with a heater and an obstacle to use: if it has none, adds a heater that is off and an obstacle without
/// shape.
export function furnish(engine: Engine, scene: Scene): Scene {
    const pond = isObject(scene.pond) ? scene.pond : {};
    const number = (name: string): number => {
        const given = pond[name], fallback = engine.keys.find((key) => key.name === name)?.value ?? 0;
        return typeof given === "number" ? given : fallback;
    };
    const width = number("nx") * number("dx"), length = number("ny") * number("dx");
    const place = { x: short(width / 2), y: short(length / 2) }, small = Math.min(width, length);
    const share = (of: number): number => short(Math.max(of * small, 0.001)); // at least the allowed minimum
    const heater = { ...place, radius: share(0.14), rate: 150, bubble_radius: 0.003, on: false };
    const obstacle = { ...place, shape: "none", size: share(0.09), length: share(0.16) };
    const heaters = [...listOf(scene, "heaters")], obstacles = [...listOf(scene, "obstacles")];
    if (heaters.length === 0) heaters.push(heater);
    if (obstacles.length === 0) obstacles.push(obstacle);
    return { ...scene, pond: { ...pond, heaters, obstacles } };
}

export class Session {
    readonly fps: number;
    readonly seed: number;
    readonly width: number; ///< m
    readonly length: number; ///< m
    readonly restLevel: number; ///< m
    private frames = 0;
    private readonly done: Input[];
    /// Moves for the next step; only the last one of each object counts.
    private readonly moves = new Map<number, { thing: Thing; index: number; x: number; y: number }>();
    private readonly viewWindow: ViewWindow;
    private readonly eventWindow: EventWindow;
    private closed = false;

    private constructor(
        private readonly engine: Engine,
        readonly scene: Scene,
    ) {
        openScene(engine, scene);
        this.fps = fpsOf(scene);
        this.seed = typeof scene.seed === "number" ? scene.seed : 1;
        this.width = this.get("nx") * this.get("dx");
        this.length = this.get("ny") * this.get("dx");
        this.restLevel = this.get("rest_level");
        this.done = listOf(scene, "input").filter(isObject);
        this.viewWindow = new ViewWindow(engine);
        this.eventWindow = new EventWindow(engine);
    }

    /// Throws PondError. Closes a session that is open in the same engine. `bare` leaves the scene unchanged.
    static open(engine: Engine, scene: Scene, bare = false): Session {
        checkScene(scene);
        return new Session(engine, bare ? scene : furnish(engine, scene));
    }

    get frame(): number {
        return this.frames;
    }

    /// ---- Input ------------------------------------------------------------------------------------

    /// "foam_life", "nozzles.rate" (of all), "nozzles[3].on", "heaters[0].on", "obstacles[0].shape" (a Shape).
    set(path: string, value: number): void {
        this.flushMoves();
        this.engine.put(path);
        this.engine.check(this.engine.wasm.page_set(this.engine.handle, value));
        this.keep({ act: "set", key: path, value });
    }

    /// The current value, without inputs for the next step; NaN when the path does not exist.
    get(path: string): number {
        this.engine.put(path);
        return this.engine.wasm.page_get(this.engine.handle);
    }

    move(thing: Thing, index: number, x: number, y: number): void {
        if (!Number.isFinite(x) || !Number.isFinite(y)) throw new PondError("A position must be a number.");
        if (Number.isNaN(this.get(`${listWords[thing]}[${index}].x`)))
            throw new PondError("There is no such thing to move.");
        this.moves.set(thing * 65536 + index, { thing, index, x, y });
    }

    addNozzle(nozzle: Nozzle): void {
        this.flushMoves();
        const keys = this.engine.keys.find((key) => key.name === "nozzles")?.items ?? [];
        const of = (name: keyof Nozzle): number =>
            short(Number(nozzle[name] ?? keys.find((key) => key.name === name)?.value ?? 0));
        const on = nozzle.on ?? true;
        const { wasm, handle } = this.engine;
        this.engine.check(wasm.page_add_nozzle(handle, of("x"), of("y"), of("z"), of("rate"), of("radius"),
            of("spread"), of("jitter"), of("speed"), Number(on)));
        const numbers = ["x", "y", "z", "rate", "radius", "spread", "jitter", "speed"] as const;
        const entry: { [key: string]: Json } = { on };
        for (const name of numbers) entry[name] = of(name);
        this.keep({ act: "add_nozzle", nozzle: entry });
    }

    removeNozzle(index: number): void {
        this.flushMoves();
        this.engine.check(this.engine.wasm.page_remove_nozzle(this.engine.handle, index));
        this.keep({ act: "remove_nozzle", index });
    }

    /// Pops the foam within `radius` (0: one and a half foam bubbles); if there is none, pokes the water.
    tap(x: number, y: number, radius: number): void {
        this.flushMoves();
        this.engine.check(this.engine.wasm.page_tap(this.engine.handle, short(x), short(y), short(radius)));
        this.keep({ act: "tap", x: short(x), y: short(y), value: short(radius) });
    }

    /// Skips moves of objects that no longer exist.
    private flushMoves(): void {
        const moves = [...this.moves.values()];
        this.moves.clear();
        for (const { thing, index, x, y } of moves)
            if (this.engine.wasm.page_move(this.engine.handle, thing, index, short(x), short(y)) === 0)
                this.keep({ act: moveWords[thing], index, x: short(x), y: short(y) });
    }

    /// Inserts an input behind all that act in the same step or earlier.
    private keep(input: Input): void {
        const step = this.statistics().frame;
        let at = this.done.length;
        while (at > 0 && Number(this.done[at - 1].step ?? 0) > step) --at;
        this.done.splice(at, 0, { step, ...input });
    }

    /// ---- Running ---------------------------------------------------------------------------------

    /// Takes one step. Throws PondError when the solver fails.
    step(): void {
        this.flushMoves();
        this.engine.check(this.engine.wasm.page_step(this.engine.handle, (this.frames + 1) / this.fps));
        ++this.frames;
    }

    /// ---- Output -----------------------------------------------------------------------------------

    view(want: { vortices: boolean; tracers: boolean }): View {
        return this.viewWindow.read(want.vortices || want.tracers);
    }

    events(): PondEvent[] {
        return this.eventWindow.read();
    }

    statistics(): Statistics {
        const { wasm, handle } = this.engine;
        const s = new Float64Array(wasm.memory.buffer, wasm.page_statistics(handle), 13);
        return {
            frame: s[0], time: s[1], bubbles: s[2], foam: s[3], ghosts: s[4], nozzles: s[5], substeps: s[6],
            limited: s[7], held: s[8], waterM3: s[9], gasInM3: s[10], gasOutM3: s[11], gasM3: s[12],
            bytes: wasm.memory.buffer.byteLength,
        };
    }

    /// Seconds of each stage since the session began.
    stages(): { name: string; seconds: number }[] {
        const { wasm, handle } = this.engine, stages = [];
        for (let stage = 0; ; ++stage) {
            const name = wasm.page_stage(handle, stage);
            if (!name) return stages;
            stages.push({ name: this.engine.text(name), seconds: wasm.page_seconds(handle) });
        }
    }

    /// Hash of the whole state, sixteen digits; the program gives the same hash for the same state.
    hash(): string {
        this.engine.wasm.page_hash(this.engine.handle);
        return this.engine.text();
    }

    /// ---- Recording --------------------------------------------------------------------------------

    /// The scene with all inputs so far: opened again and stepped to its last frame it has the same hash, in a page
    /// or with `spume run`.
    record(): Scene {
        this.flushMoves();
        const pond = isObject(this.scene.pond) ? this.scene.pond : {};
        const last = this.statistics().frame;
        const input = this.done.filter((entry) => Number(entry.step ?? 0) <= last);
        return { ...this.scene, frames: this.frames, pond: { ...pond, input } };
    }

    /// The scene with the current values and positions, without the inputs that led there.
    setup(): Scene {
        return presentSetup(this.engine.keys, this, this.record());
    }

    close(): void {
        if (!this.closed) this.engine.wasm.page_begin(this.engine.handle);
        this.closed = true;
    }
}

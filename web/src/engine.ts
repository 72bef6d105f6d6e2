// SPDX-License-Identifier: Apache-2.0
/// Loads the WebAssembly module and gives its functions types. bridge/bridge.c is the other side.
import { Key, PondError } from "./pond";

/// What bridge.c exports. Pointers are numbers; `page` is what page_new gave.
export interface Exports {
    memory: WebAssembly.Memory;
    _initialize(): void;
    page_new(memoryLimit: number): number;
    page_text(page: number): number;
    page_error(page: number): number;
    page_keys(page: number): void;
    page_begin(page: number): void;
    page_fill_number(page: number, value: number): number;
    page_fill_word(page: number): number;
    page_fill_list(page: number, count: number): number;
    page_fill_option(page: number): number;
    page_fill_heights(page: number, width: number, height: number): number;
    page_open(page: number, seed: number, fps: number): number;
    page_close(page: number): void;
    page_step(page: number, end: number): number;
    page_set(page: number, value: number): number;
    page_get(page: number): number;
    page_move(page: number, thing: number, index: number, x: number, y: number): number;
    page_add_nozzle(page: number, x: number, y: number, z: number, rate: number, radius: number, spread: number,
        jitter: number, speed: number, on: number): number;
    page_remove_nozzle(page: number, index: number): number;
    page_tap(page: number, x: number, y: number, radius: number): number;
    page_view(page: number, want: number): number;
    page_events(page: number): number;
    page_event_list(page: number): number;
    page_statistics(page: number): number;
    page_stage(page: number, stage: number): number;
    page_seconds(page: number): number;
    page_hash(page: number): void;
}

/// Memory limit of a pond; its size may come from an untrusted link.
const MEMORY_LIMIT = 512 * 1024 * 1024;
const TEXT_BYTES = 65536; // of page_text()

export class Engine {
    readonly keys: Key[]; ///< the solver's table
    private readonly page: number;
    private readonly textAt: number;
    private readonly encoder = new TextEncoder();
    private readonly decoder = new TextDecoder();

    constructor(
        readonly wasm: Exports,
        readonly simd: boolean,
    ) {
        wasm._initialize();
        this.page = wasm.page_new(MEMORY_LIMIT);
        if (!this.page) throw new PondError("There is no memory for the pond.");
        this.textAt = wasm.page_text(this.page);
        wasm.page_keys(this.page);
        this.keys = JSON.parse(this.text()) as Key[];
    }

    /// The handle that every function of `wasm` takes.
    get handle(): number {
        return this.page;
    }

    /// Copies texts into page_text(), one after the other; the next call reads them.
    put(...texts: string[]): void {
        const bytes = new Uint8Array(this.wasm.memory.buffer, this.textAt, TEXT_BYTES);
        let used = 0;
        for (const text of texts) {
            if (text.includes("\0")) throw new PondError("A text of the scene holds a zero byte.");
            const { read, written } = this.encoder.encodeInto(text, bytes.subarray(used, TEXT_BYTES - 1));
            if (read < text.length) throw new PondError("A text of the scene is too long.");
            used += written;
            bytes[used++] = 0;
        }
    }

    /// The text at a pointer, or what the last call put into page_text().
    text(at = this.textAt): string {
        const bytes = new Uint8Array(this.wasm.memory.buffer, at);
        return this.decoder.decode(bytes.subarray(0, bytes.indexOf(0)));
    }

    /// Throws the solver's error message unless the status is 0.
    check(status: number): void {
        if (status !== 0) throw this.error();
    }

    error(): PondError {
        return new PondError(this.text(this.wasm.page_error(this.page)));
    }
}

/// A module with one SIMD instruction: it is valid exactly if the browser has SIMD.
const simdProbe = new Uint8Array([
    0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11,
]);

export function hasSimd(): boolean {
    return WebAssembly.validate(simdProbe);
}

/// Makes an engine from the module's bytes or from a response that is still loading.
export async function startEngine(source: BufferSource | Response, simd: boolean): Promise<Engine> {
    let memory: WebAssembly.Memory | undefined;
    const imports = {
        env: { emscripten_notify_memory_growth: () => undefined },
        wasi_snapshot_preview1: {
            clock_time_get: (_id: number, _precision: bigint, out: number): number => {
                const nanoseconds = BigInt(Math.round(performance.now() * 1e6));
                if (memory) new DataView(memory.buffer).setBigUint64(out, nanoseconds, true);
                return 0;
            },
        },
    };
    const bytes = source instanceof Response ? await source.arrayBuffer() : source;
    const { instance } = await WebAssembly.instantiate(bytes, imports);
    const wasm = instance.exports as unknown as Exports;
    memory = wasm.memory;
    return new Engine(wasm, simd);
}

/// Fetches the module at `base` ("./"), with SIMD if the browser has it.
export async function loadEngine(base: string): Promise<Engine> {
    if (typeof WebAssembly !== "object") throw new PondError("This page needs WebAssembly.");
    const simd = hasSimd();
    const response = await fetch(base + (simd ? "pond.wasm" : "pond-plain.wasm"));
    if (!response.ok) throw new PondError(`The pond could not be fetched (status ${response.status}).`);
    return startEngine(response, simd);
}

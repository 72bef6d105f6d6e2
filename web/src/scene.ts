// SPDX-License-Identifier: Apache-2.0
/// Scenes: the same JSON that the program reads. The solver's table of keys defines each value; its error messages
/// are shown as they are.
import { Engine } from "./engine";
import { Key, PondError } from "./pond";

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type Scene = { [key: string]: Json };

/// The end of the string that begins at `at` with a quote, behind its closing quote.
function endOfString(text: string, at: number): number {
    for (let k = at + 1; k < text.length; ++k) {
        if (text[k] === "\\") ++k;
        else if (text[k] === '"') return k + 1;
    }
    return text.length;
}

/// The end of a comment that begins at `at`; `at` when there is none.
function endOfComment(text: string, at: number): number {
    const [mark, size] = text.startsWith("//", at) ? ["\n", 0] : text.startsWith("/*", at) ? ["*/", 2] : ["", 0];
    if (!mark) return at;
    const end = text.indexOf(mark, at + 2);
    return end < 0 ? text.length : end + size;
}

/// Replaces comments by blanks, so that positions in messages stay right. It visits each character once: texts are
/// untrusted, and a regular expression could be made to take quadratic time.
function withoutComments(text: string): string {
    const parts: string[] = [];
    let kept = 0;
    for (let at = 0; at < text.length; ) {
        const end = endOfComment(text, at);
        if (end > at) {
            parts.push(text.slice(kept, at), text.slice(at, end).replace(/[^\n]/g, " "));
            kept = at = end;
        } else at = text[at] === '"' ? endOfString(text, at) : at + 1;
    }
    return parts.join("") + text.slice(kept);
}

export function isObject(value: Json | undefined): value is { [key: string]: Json } {
    return typeof value === "object" && value !== null && !Array.isArray(value);
}

/// Keys of a scene beside the solver's object, and those of its surroundings, which must be empty: the program writes
/// them when it fills in all defaults.
const commonKeys = ["$schema", "spume", "solver", "about", "fps", "frames", "seed", "cache", "look", "sizes", "pond"];
const surroundings = ["colliders", "emitters", "sinks"];

function check(good: boolean, sentence: string): asserts good {
    if (!good) throw new PondError(sentence);
}

/// The page does not support size overrides; it only accepts the empty ones that every scene may have.
function hasOverrides(sizes: Json | undefined): boolean {
    return isObject(sizes) && isObject(sizes.laptop) && Object.keys(sizes.laptop).length > 0;
}

function isEmptyList(value: Json): boolean {
    return Array.isArray(value) && value.length === 0;
}

export function checkScene(scene: Json): Scene {
    check(isObject(scene), "This is not a scene: expected an object.");
    check(scene.spume === 1, `spume: ${JSON.stringify(scene.spume)}; expected 1`);
    check(typeof (scene.about ?? "") === "string", `about: ${JSON.stringify(scene.about)}; expected text`);
    check(scene.solver === "pond", `solver: ${JSON.stringify(scene.solver)}; this page shows pond`);
    for (const [key, value] of Object.entries(scene)) {
        check([...commonKeys, ...surroundings].includes(key), `${key}: unknown key`);
        check(!surroundings.includes(key) || isEmptyList(value), `${key}: this page shows none; expected an empty list`);
    }
    check(scene.pond === undefined || isObject(scene.pond), "pond: expected an object");
    check(!hasOverrides(scene.sizes), "sizes: this page takes scenes without size overrides");
    const whole = (value: Json, most: number): boolean =>
        typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= most;
    check(whole(scene.seed ?? 1, 2 ** 53), `seed: ${JSON.stringify(scene.seed)}; expected a whole number up to 2^53`);
    check(whole(scene.frames ?? 0, 1e6), `frames: ${JSON.stringify(scene.frames)}; expected a whole number up to 10^6`);
    check(fpsOf(scene) >= 1 && fpsOf(scene) <= 1000, `fps: ${JSON.stringify(scene.fps)}; expected 1 to 1000`);
    return scene;
}

/// Frames per second, with the program's default; NaN if it is not a number.
export function fpsOf(scene: Scene): number {
    const fps = scene.fps ?? 24;
    return typeof fps === "number" ? fps : NaN;
}

export function readScene(text: string): Scene {
    let json: Json;
    try {
        json = JSON.parse(withoutComments(text)) as Json;
    } catch (error) {
        throw new PondError(`The scene could not be read: ${(error as Error).message}.`);
    }
    return checkScene(json);
}

/// ---- Passing a scene to the solver, key by key ------------------------------------------------------

function fillHeights(engine: Engine, rows: Json[], path: string): void {
    const width = Array.isArray(rows[0]) ? rows[0].length : 0;
    const values = rows.flatMap((row) => (Array.isArray(row) ? row : []));
    const good = values.length === width * rows.length && values.every((value) => typeof value === "number");
    check(good, `pond.${path}: expected rows of numbers, all of one length`);
    engine.put(path);
    const at = engine.wasm.page_fill_heights(engine.handle, width, rows.length);
    if (!at) throw engine.error();
    new Float32Array(engine.wasm.memory.buffer, at, values.length).set(values as number[]);
}

function fillList(engine: Engine, keys: Key[], items: Json[], path: string): void {
    engine.put(path);
    engine.check(engine.wasm.page_fill_list(engine.handle, items.length));
    items.forEach((item, index) => {
        check(isObject(item), `pond.${path}[${index}]: expected an object`);
        fillObject(engine, keys, item, `${path}[${index}].`);
    });
}

function fillArray(engine: Engine, key: Key, values: Json[], path: string): void {
    if (key.type === "list") return fillList(engine, key.items ?? [], values, path);
    if (key.type === "heights") return fillHeights(engine, values, path);
    const expected = key.type === "vec3" ? 3 : key.type === "choices" ? 4 : NaN;
    check(values.length === expected, `pond.${path}: a list of ${values.length}; expected ${expected || "one value"}`);
    values.forEach((value, index) => fillValue(engine, key, value, `${path}[${index}]`));
}

function fillValue(engine: Engine, key: Key, value: Json, path: string): void {
    const { wasm, handle } = engine;
    if (Array.isArray(value)) return fillArray(engine, key, value, path);
    check(!(key.type === "heights" && typeof value === "string"), `pond.${path}: height maps need the program`);
    check(value !== null || key.type === "option" || key.type === "text", `pond.${path}: null; expected a value`);
    if (value === null) return;
    if (isObject(value)) {
        check(key.items !== undefined && key.type !== "list", `pond.${path}: an object; expected one value`);
        engine.put(path);
        if (key.type === "option") engine.check(wasm.page_fill_option(handle));
        return fillObject(engine, key.items, value, path + ".");
    }
    check((typeof value === "boolean") === (key.type === "bool"), `pond.${path}: ${JSON.stringify(value)}; not allowed`);
    if (typeof value === "string") {
        engine.put(path, value);
        engine.check(wasm.page_fill_word(handle));
    } else {
        engine.put(path);
        engine.check(wasm.page_fill_number(handle, Number(value)));
    }
}

function fillObject(engine: Engine, keys: Key[], object: { [key: string]: Json }, path: string): void {
    for (const [name, value] of Object.entries(object)) {
        const key = keys.find((candidate) => candidate.name === name);
        engine.put(path + name);
        if (!key) engine.check(engine.wasm.page_fill_number(engine.handle, 0)); // throws with the keys that are allowed
        else fillValue(engine, key, value, path + name);
    }
}

/// Opens the scene's pond in the engine and closes the previous one.
export function openScene(engine: Engine, scene: Scene): void {
    engine.wasm.page_begin(engine.handle);
    fillObject(engine, engine.keys, isObject(scene.pond) ? scene.pond : {}, "");
    engine.check(engine.wasm.page_open(engine.handle, typeof scene.seed === "number" ? scene.seed : 1, fpsOf(scene)));
}

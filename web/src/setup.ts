// SPDX-License-Identifier: Apache-2.0
/// The current set-up of a session: values and positions, without the inputs that led there.
import { Json, Scene, isObject } from "./scene";
import { Key } from "./pond";

/// Access to a session's values by path; NaN when the path does not exist.
interface Source {
    get(path: string): number;
}

type Entry = { [key: string]: Json };

/// As many digits as a float needs to be read back.
function digits(value: number): number {
    return Number(value.toPrecision(9));
}

/// A number as it is written in a scene: true or false, a word, or digits.
function written(key: Key, value: number): Json {
    if (key.type === "bool") return value !== 0;
    if (key.type === "choice") return key.choices?.[value] ?? value;
    return digits(value);
}

/// Live values that differ from the defaults.
function liveNumbers(keys: Key[], source: Source, prefix: string): Entry {
    const entry: Entry = {};
    for (const key of keys) {
        const value = key.live ? source.get(prefix + key.name) : NaN;
        if (Number.isNaN(value) || written(key, value) === written(key, key.value ?? NaN)) continue;
        entry[key.name] = written(key, value);
    }
    return entry;
}

function withoutLive(keys: Key[], entry: Entry): Entry {
    return Object.fromEntries(Object.entries(entry).filter(([name]) => !keys.find((key) => key.name === name)?.live));
}

function placeOf(source: Source, thing: string): Entry {
    return { x: digits(source.get(`${thing}.x`)), y: digits(source.get(`${thing}.y`)) };
}

function itemsOf(keys: Key[], list: string): Key[] {
    return keys.find((key) => key.name === list)?.items ?? [];
}

/// Heaters and obstacles at their current positions; those that were moved by hand lose their path.
function presentThings(keys: Key[], source: Source, list: string, things: Json[], led: Set<number>): Json[] {
    const items = itemsOf(keys, list);
    return things.filter(isObject).map((thing, k) => {
        const path = `${list}[${k}]`, place: Entry = led.has(k) ? { ...placeOf(source, path), path: null } : {};
        return { ...withoutLive(items, thing), ...liveNumbers(items, source, `${path}.`), ...place };
    });
}

function presentNozzles(keys: Key[], source: Source): Json[] {
    const items = itemsOf(keys, "nozzles"), nozzles: Json[] = [];
    for (let k = 0; !Number.isNaN(source.get(`nozzles[${k}].x`)); ++k)
        nozzles.push({ ...placeOf(source, `nozzles[${k}]`), ...liveNumbers(items, source, `nozzles[${k}].`) });
    return nozzles;
}

/// Indices of the objects of a kind that were moved by hand.
function ledBy(input: Entry[], act: string): Set<number> {
    return new Set(input.filter((entry) => entry.act === act).map((entry) => Number(entry.index ?? 0)));
}

export function presentSetup(keys: Key[], source: Source, record: Scene): Scene {
    const pond: Entry = isObject(record.pond) ? record.pond : {};
    const list = (name: string): Json[] => (Array.isArray(pond[name]) ? (pond[name] as Json[]) : []);
    const input = list("input").filter(isObject);
    const setup: Entry = {
        ...withoutLive(keys, pond),
        ...liveNumbers(keys, source, ""),
        heaters: presentThings(keys, source, "heaters", list("heaters"), ledBy(input, "move_heater")),
        obstacles: presentThings(keys, source, "obstacles", list("obstacles"), ledBy(input, "move_obstacle")),
    };
    delete setup.input;
    if (input.some((entry) => /nozzle/.test(`${entry.act} ${entry.key ?? ""}`))) {
        delete setup.nozzle_fields;
        setup.nozzles = presentNozzles(keys, source);
    }
    return { ...record, frames: 600, pond: setup };
}

// SPDX-License-Identifier: Apache-2.0
/// A session's set-up as it is now: present numbers and places, without what led there.
import { Json, Scene, isObject } from "./scene";
import { Key, View } from "./pond";

/// What is asked of a session.
interface Source {
    get(path: string): number;
    view(want: { vortices: boolean; tracers: boolean }): View;
}

type Entry = { [key: string]: Json };

/// A number as the scene writes it: true or false, a word, or digits that a float reads back.
function written(key: Key, value: number): Json {
    if (key.type === "bool") return value !== 0;
    if (key.type === "choice") return key.choices?.[value] ?? value;
    return Number(value.toPrecision(9));
}

/// Live numbers that differ from the table's own.
function liveNumbers(keys: Key[], source: Source, prefix: string): Entry {
    const entry: Entry = {};
    for (const key of keys) {
        const value = key.live ? source.get(prefix + key.name) : NaN;
        if (!Number.isNaN(value) && written(key, value) !== written(key, key.value ?? NaN)) entry[key.name] = written(key, value);
    }
    return entry;
}

function withoutLive(keys: Key[], entry: Entry): Entry {
    return Object.fromEntries(Object.entries(entry).filter(([name]) => !keys.find((key) => key.name === name)?.live));
}

/// Heaters and obstacles: where they are, and no path any more for those that were led by hand.
function presentThings(keys: Key[], source: Source, name: string, things: Json[], places: Float32Array, led: Set<number>): Json[] {
    const items = keys.find((key) => key.name === name)?.items ?? [];
    return things.filter(isObject).map((thing, k) => {
        const place: Entry = led.has(k) ? { x: written(items[0], places[8 * k]), y: written(items[0], places[8 * k + 1]), path: null } : {};
        return { ...withoutLive(items, thing), ...liveNumbers(items, source, `${name}[${k}].`), ...place };
    });
}

function presentNozzles(keys: Key[], source: Source, view: View): Json[] {
    const items = keys.find((key) => key.name === "nozzles")?.items ?? [];
    return Array.from({ length: view.nozzleCount }, (_, k) => ({
        x: Number(view.nozzles[4 * k].toPrecision(9)),
        y: Number(view.nozzles[4 * k + 1].toPrecision(9)),
        ...liveNumbers(items, source, `nozzles[${k}].`),
    }));
}

/// Which things of a kind were led by hand.
function ledBy(input: Json[], act: string): Set<number> {
    return new Set(input.filter(isObject).filter((entry) => entry.act === act).map((entry) => Number(entry.index ?? 0)));
}

export function presentSetup(keys: Key[], source: Source, record: Scene): Scene {
    const pond: Entry = isObject(record.pond) ? { ...record.pond } : {};
    const input = Array.isArray(pond.input) ? pond.input : [];
    const view = source.view({ vortices: false, tracers: false });
    const list = (name: string): Json[] => (Array.isArray(pond[name]) ? (pond[name] as Json[]) : []);
    const setup: Entry = {
        ...withoutLive(keys, pond),
        ...liveNumbers(keys, source, ""),
        heaters: presentThings(keys, source, "heaters", list("heaters"), view.heaters, ledBy(input, "move_heater")),
        obstacles: presentThings(keys, source, "obstacles", list("obstacles"), view.obstacles, ledBy(input, "move_obstacle")),
    };
    delete setup.input;
    const nozzlesChanged = input.filter(isObject).some((entry) => /nozzle/.test(`${entry.act} ${entry.key ?? ""}`));
    if (nozzlesChanged) {
        delete setup.nozzle_fields;
        setup.nozzles = presentNozzles(keys, source, view);
    }
    return { ...record, frames: 600, pond: setup };
}


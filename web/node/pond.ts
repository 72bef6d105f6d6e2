// SPDX-License-Identifier: Apache-2.0
/// The page's pond under node, without a page: for tests and for the benchmark.
import { readFileSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { startEngine, Engine } from "../src/engine";
import { PondError } from "../src/pond";
import { readScene } from "../src/scene";
import { Session } from "../src/session";
import { play } from "./play";

const usage = `Usage: node pond.mjs hash WASM SCENE [FRAMES]    run a scene or a session, print frames and hash
       node pond.mjs play WASM SCENE OUTPUT      play with a scene, keep the session in OUTPUT, print as above
       node pond.mjs bench WASM SCENE...         time scenes, a JSON object each
`;

async function engineOf(file: string): Promise<Engine> {
    return startEngine(readFileSync(file), !basename(file).includes("plain"));
}

function hash(engine: Engine, file: string, frames: number | null): void {
    const scene = readScene(readFileSync(file, "utf8"));
    const session = Session.open(engine, scene, true);
    const last = frames ?? Number(scene.frames ?? 100);
    while (session.frame < last) session.step();
    tell(session);
}

function tell(session: Session): void {
    const { bubbles, foam } = session.statistics();
    console.log(`${session.frame} ${session.hash()} bubbles ${bubbles} foam ${foam}`);
}

function playScene(engine: Engine, file: string, output: string): void {
    const session = Session.open(engine, readScene(readFileSync(file, "utf8")));
    play(session);
    writeFileSync(output, JSON.stringify(session.record(), null, 1));
    tell(session);
}

const RUNS = 3;

/// Times of the second half of a run's frames, sorted, ms.
function timeRun(session: Session, frames: number): number[] {
    const times: number[] = [];
    while (session.frame < frames) {
        const begun = performance.now();
        session.step();
        session.view({ vortices: false, tracers: false });
        if (session.frame > frames / 2) times.push(performance.now() - begun);
    }
    return times.sort((a, b) => a - b);
}

/// As the program measures: the second half of the best of several runs; the hash shows what was computed.
function bench(engine: Engine, file: string): void {
    const scene = readScene(readFileSync(file, "utf8"));
    const frames = Number(scene.frames ?? 100);
    let best = { mean_us: Infinity, p99_us: Infinity, hash: "" };
    for (let run = 0; run < RUNS; ++run) {
        const session = Session.open(engine, scene, true);
        const times = timeRun(session, frames);
        const mean_us = (1e3 * times.reduce((sum, time) => sum + time, 0)) / times.length;
        const p99_us = 1e3 * times[Math.round(0.99 * (times.length - 1))];
        if (mean_us < best.mean_us) best = { mean_us, p99_us, hash: session.hash() };
    }
    console.log(JSON.stringify({ scene: basename(file, ".json"), frames, ...best }));
}

async function main([command, wasm, ...files]: string[]): Promise<number> {
    if (command === "hash" && files.length >= 1)
        hash(await engineOf(wasm), files[0], files[1] === undefined ? null : Number(files[1]));
    else if (command === "play" && files.length === 2) playScene(await engineOf(wasm), files[0], files[1]);
    else if (command === "bench" && files.length >= 1)
        for (const file of files) bench(await engineOf(wasm), file);
    else {
        process.stderr.write(usage);
        return 2;
    }
    return 0;
}

main(process.argv.slice(2)).then(
    (code) => (process.exitCode = code),
    (error: unknown) => {
        process.stderr.write(`pond.mjs: ${error instanceof PondError ? error.message : String(error)}\n`);
        process.exitCode = 1;
    },
);

// SPDX-License-Identifier: Apache-2.0
/// The page's pond without a page, under node: for tests and for the benchmark.
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { startEngine, Engine } from "../src/engine";
import { PondError } from "../src/pond";
import { readScene } from "../src/scene";
import { Session } from "../src/session";

const usage = `Usage: node pond.mjs hash WASM SCENE [FRAMES]    run a scene or a session, print frames and hash
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
    const { bubbles, foam } = session.statistics();
    console.log(`${session.frame} ${session.hash()} bubbles ${bubbles} foam ${foam}`);
}

const REPEATS = 3;

/// As the program measures: the first step is not counted, the best of several runs is, and the hash shows what was
/// computed.
function bench(engine: Engine, file: string): void {
    const scene = readScene(readFileSync(file, "utf8"));
    const frames = Number(scene.frames ?? 100);
    let best = Infinity, hash = "";
    for (let k = 0; k < REPEATS; ++k) {
        const session = Session.open(engine, scene, true);
        session.step();
        const begun = performance.now();
        while (session.frame < frames) {
            session.step();
            session.view({ vortices: false, tracers: false });
        }
        best = Math.min(best, (performance.now() - begun) / (frames - 1));
        hash = session.hash();
    }
    console.log(JSON.stringify({ scene: basename(file, ".json"), frames, microseconds: 1e3 * best, hash }));
}

async function main([command, wasm, ...files]: string[]): Promise<number> {
    if (command === "hash" && files.length >= 1)
        hash(await engineOf(wasm), files[0], files[1] === undefined ? null : Number(files[1]));
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

// SPDX-License-Identifier: Apache-2.0
/// Tests of the page's modules without a browser: node check.mjs WASM.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { Camera } from "../src/camera";
import { Engine, startEngine } from "../src/engine";
import { PondError, Shape, Thing } from "../src/pond";
import { Json, Scene, readScene } from "../src/scene";
import { Session, short } from "../src/session";

const base: Scene = { spume: 1, solver: "pond", fps: 60, pond: { nx: 24, ny: 16, rest_level: 0.1 } };
const withPond = (pond: { [key: string]: Json }): string => JSON.stringify({ ...base, pond: { nx: 24, ny: 16, ...pond } });

function badScenesAreRefusedInOneSentence(engine: Engine): void {
    const cases: [string, RegExp][] = [
        ["{", /could not be read/],
        ["[]", /expected an object/],
        ["null", /expected an object/],
        ['{ "spume": 2, "solver": "pond" }', /spume: 2; expected 1/],
        ['{ "spume": 0.5, "solver": "pond" }', /spume: 0\.5; expected 1/],
        ['{ "spume": 1, "solver": "pond", "about": 5 }', /about: 5; expected text/],
        [withPond({ nx: [] }), /a list of 0; expected one value/],
        [withPond({ vortex_model: "paper\0" }), /zero byte/],
        [withPond({ "nx\0y": 9 }), /zero byte/],
        [JSON.stringify({ ...base, fps: 1, pond: { nx: 1200, ny: 1200, dx: 0.05, dt_frame: 0.0042, sw_max_substeps: 128 } }),
            /may take \d+ s; expected at most 4/],
        ['{ "spume": 1, "solver": "sph" }', /this page shows pond/],
        ['{ "spume": 1, "solver": "pond", "pnd": {} }', /pnd: unknown key/],
        ['{ "spume": 1, "solver": "pond", "__proto__": {} }', /unknown key/],
        [JSON.stringify({ ...base, colliders: [{}] }), /colliders: this page shows none; expected an empty list/],
        [JSON.stringify({ ...base, emitters: null }), /emitters: this page shows none/],
        ['{ "spume": 1, "solver": "pond", "seed": -1 }', /seed/],
        ['{ "spume": 1, "solver": "pond", "fps": "60" }', /fps/],
        [withPond({ foam_lif: 1 }), /pond\.foam_lif: unknown key; did you mean foam_life\?/],
        [withPond({ foam_life: -1 }), /pond\.foam_life: -1 s; expected 0\.05 to 60/],
        [withPond({ foam_life: "long" }), /foam_life/],
        [withPond({ foam_life: true }), /foam_life/],
        [withPond({ foam_life: null }), /foam_life: null/],
        [withPond({ foam_life: [1] }), /foam_life/],
        [withPond({ foam_life: {} }), /foam_life/],
        [withPond({ coalescence: 1 }), /coalescence/],
        [withPond({ nx: 24.5 }), /whole number/],
        [withPond({ nx: 1e9 }), /8 to 4096/],
        [withPond({ ground: "map.png" }), /height maps need the program/],
        [withPond({ ground: [[0], [0, 1]] }), /all of one length/],
        [withPond({ boundary: ["open"] }), /expected 4/],
        [withPond({ nozzles: {} }), /nozzles/],
        [withPond({ nozzles: [3] }), /nozzles\[0\]: expected an object/],
        [withPond({ nozzles: [{ x: 0.1 }] }), /nozzles\[0\]\.y: missing/],
        [withPond({ nozzles: [{ x: 99, y: 0 }] }), /the pond's width/],
        [withPond({ input: [{ act: "dance" }] }), /expected set/],
        [withPond({ input: [{ act: "set", key: "nx", value: 9 }] }), /cannot change while the pond runs/],
        [withPond({ nx: 4096, ny: 4096, max_foam: 1e6, max_bubbles: 1e6 }), /MB/],
    ];
    for (const [text, says] of cases) {
        assert.throws(() => Session.open(engine, readScene(text)), (error: unknown) => {
            assert.ok(error instanceof PondError, `${text}: ${String(error)}`);
            assert.match(error.message, says, text);
            return true;
        });
    }
    Session.open(engine, base).step(); // none of it changed the engine
}

/// The program writes these keys into a scene in which it fills in all defaults.
function emptySurroundingsAreAccepted(engine: Engine): void {
    const scene = readScene(JSON.stringify({ ...base, about: null, colliders: [], emitters: [], sinks: [] }));
    Session.open(engine, scene).step();
}

function commentsAreReadAsBlanks(): void {
    // each would take minutes if the text were scanned again from every quote or slash
    for (const text of ['"' + '\\"'.repeat(400000), "/*a".repeat(300000), '/"'.repeat(400000), '"a" '.repeat(200000)])
        assert.throws(() => readScene(text), PondError);
    const scene = readScene('// one\n{ "spume": 1, /* two\n */ "solver": "pond", "about": "// not one" }');
    assert.equal(scene.about, "// not one");
}

/// A set-up opens with the numbers and positions that it was taken from.
function aSetupKeepsPresentNumbersAndPlaces(engine: Engine, play: Scene): void {
    const session = Session.open(engine, play);
    session.set("foam_life", 9);
    session.set("nozzles[3].rate", 17);
    session.set("heaters[0].on", 0);
    session.set("obstacles[0].shape", Shape.Capsule);
    session.move(Thing.Heater, 0, 0.31, 0.22);
    session.move(Thing.Obstacle, 0, 0, 0.5); // 0 is also the number of a shape
    session.addNozzle({ x: 0.05, y: 0.06, rate: 3, radius: 0.008 });
    session.removeNozzle(0);
    for (let k = 0; k < 200; ++k) session.step(); // the obstacle arrives
    const paths = ["foam_life", "nozzles[2].rate", "nozzles[19].radius", "heaters[0].on", "obstacles[0].shape", "gravity"];
    const numbers = (s: Session): number[] => paths.map((path) => s.get(path));
    const places = (s: Session): number[] => {
        const view = s.view({ vortices: false, tracers: false });
        return [...view.heaters.subarray(0, 2), ...view.obstacles.subarray(0, 2), ...[...view.nozzles].filter((_, i) => i % 4 < 2)];
    };
    const before = { numbers: numbers(session), places: places(session) };
    const again = Session.open(engine, session.setup());
    again.step();
    assert.deepEqual({ numbers: numbers(again), places: places(again) }, before);
    assert.equal(again.frame, 1);
}

/// The module's memory grows with a large pond; views of it are created again.
function windowsOutliveGrowingMemory(engine: Engine): void {
    const small = Session.open(engine, base);
    small.step();
    const { bytes } = small.statistics();
    const large = Session.open(engine, { ...base, pond: { nx: 600, ny: 600, max_foam: 200000, max_bubbles: 100000 } });
    large.step();
    assert.ok(large.statistics().bytes > bytes, "this pond is too small to make memory grow");
    const view = large.view({ vortices: true, tracers: true });
    assert.equal(view.level.length, view.width * view.height);
    assert.ok(view.level.every((level) => Math.abs(level - 0.2) < 1e-3));
}

/// Removing a nozzle that is being moved affects no other.
function whatIsGoneIsNotMoved(engine: Engine, play: Scene): void {
    const session = Session.open(engine, play), last = session.statistics().nozzles - 1;
    assert.throws(() => session.move(7 as Thing, 0, 0.1, 0.1), PondError);
    assert.throws(() => session.move(Thing.Nozzle, last + 1, 0.1, 0.1), PondError);
    session.removeNozzle(last);
    session.move(Thing.Nozzle, last, 0.1, 0.1); // still there until the next step
    session.step();
    session.step();
    assert.throws(() => session.move(Thing.Nozzle, last, 0.1, 0.1), PondError);
    assert.equal((session.record().pond as { input: Json[] }).input.length, 1);
}

function tinyPondsGetThingsToPlayWith(engine: Engine): void {
    Session.open(engine, { ...base, pond: { nx: 8, ny: 8, dx: 0.001, rest_level: 0.01 } }).step();
}

function onlyTheLastMoveOfAStepCounts(engine: Engine, play: Scene): void {
    const session = Session.open(engine, play);
    for (let k = 0; k < 5000; ++k) session.move(Thing.Heater, 0, 0.1 + k * 1e-5, 0.1); // more than the solver's queue holds
    session.step();
    const input = (session.record().pond as { input: Json[] }).input;
    assert.equal(input.length, 1);
    assert.equal(session.view({ vortices: false, tracers: false }).heaters[0], Math.fround(short(0.1 + 4999e-5)));
}

function whatTheCameraSeesItFindsAgain(): void {
    const camera = new Camera();
    camera.setAspect(1.6);
    camera.frame(0.72, 0.54, 0.2);
    for (const [x, y] of [[0, 0], [0.72, 0], [0.36, 0.27], [0.1, 0.5]]) {
        const seen = camera.project(x, y, 0.2);
        assert.ok(seen && Math.abs(seen.x) <= 1 && Math.abs(seen.y) <= 1, "the whole pond is in view");
        const found = camera.hit(seen.x, seen.y, 0.2);
        assert.ok(found && Math.hypot(found.x - x, found.y - y) < 1e-6);
    }
    const state = camera.state();
    camera.orbit(1, 0.2);
    camera.zoom(2);
    camera.restore(state);
    assert.deepEqual(camera.state(), state);
    camera.restore([NaN, 1e30]);
    assert.ok(camera.state().every(Number.isFinite), "nonsense is refused");
}

const engine = await startEngine(readFileSync(process.argv[2]), true);
const play = readScene(readFileSync(process.argv[3], "utf8"));
const checks = [
    badScenesAreRefusedInOneSentence, emptySurroundingsAreAccepted, commentsAreReadAsBlanks, aSetupKeepsPresentNumbersAndPlaces,
    windowsOutliveGrowingMemory, whatIsGoneIsNotMoved, tinyPondsGetThingsToPlayWith, onlyTheLastMoveOfAStepCounts, whatTheCameraSeesItFindsAgain,
];
for (const check of checks) {
    check(engine, play);
    console.log(`ok      ${check.name}`);
}

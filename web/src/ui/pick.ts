// SPDX-License-Identifier: Apache-2.0
/// What is under the pointer. The floor is seen through water, so the ray is refracted where it enters (Snell). Waves
/// are ignored: they move the floor's image by less than a finger's width.
import type { Camera } from "../camera";
import { Shape, Thing, type View } from "../pond";

export interface Place {
    x: number;
    y: number;
}

export type Target =
    | { kind: "thing"; thing: Thing; index: number; at: Place } // at: intersection of the ray with its height
    | { kind: "foam"; at: Place }
    | { kind: "water"; at: Place }
    | { kind: "nothing" };

export interface Aim {
    x: number; ///< in the window, -1 to 1 rightward
    y: number; ///< -1 to 1 upward
    reach: number; ///< tolerance around an object, in the units of y
}

export interface Pond {
    width: number;
    length: number;
    restLevel: number;
}

const waterIndex = 1.333;

/// Order: obstacles, heaters, foam, and then what lies below.
export function pick(view: View, camera: Camera, pond: Pond, aim: Aim): Target {
    const obstacle = obstacleAt(view, camera, pond, aim);
    if (obstacle) return obstacle;
    const heater = heaterAt(view, camera, pond, aim);
    if (heater) return heater;
    const at = camera.hit(aim.x, aim.y, pond.restLevel);
    if (at && within(pond, at) && foamAt(view, at, 0)) return { kind: "foam", at };
    const nozzle = nozzleAt(view, camera, pond, aim);
    if (nozzle) return nozzle;
    return at && within(pond, at) ? { kind: "water", at } : { kind: "nothing" };
}

export function within(pond: Pond, at: Place): boolean {
    return at.x >= 0 && at.y >= 0 && at.x <= pond.width && at.y <= pond.length;
}

/// Whether a foam bubble covers the position, or is nearer to it than `radius`.
export function foamAt(view: View, at: Place, radius: number): boolean {
    const foam = view.foam;
    for (let i = 0, k = 0; i < view.foamCount; ++i, k += 8) {
        const dx = foam[k] - at.x;
        const dy = foam[k + 1] - at.y;
        const touch = foam[k + 3] + radius;
        if (dx * dx + dy * dy < touch * touch) return true;
    }
    return false;
}

/// Intersection of the ray, refracted where it enters the water, with height z. It may enter through the surface or
/// through a pane; a ray that misses the water continues straight.
export function below(camera: Camera, pond: Pond, aim: Aim, z: number): Place | null {
    const { from, direction } = camera.ray(aim.x, aim.y);
    const size = Math.hypot(...direction);
    const d = direction.map((v) => v / size);
    const high = [pond.width, pond.length, pond.restLevel];
    // The ray enters the box of water at the last of the three slabs that it enters.
    let [enters, leaves, axis] = [-Infinity, Infinity, 2];
    for (let k = 0; k < 3; ++k) {
        const [a, b] = [(0 - from[k]) / d[k], (high[k] - from[k]) / d[k]];
        if (Math.min(a, b) > enters) [enters, axis] = [Math.min(a, b), k];
        leaves = Math.min(leaves, Math.max(a, b));
    }
    if (!(enters < leaves) || z >= pond.restLevel) return camera.hit(aim.x, aim.y, z);
    // Snell: the tangential part is divided by the index.
    const bent = d.map((v) => v / waterIndex);
    const along = bent.reduce((sum, v, k) => (k === axis ? sum : sum + v * v), 0);
    bent[axis] = Math.sign(d[axis]) * Math.sqrt(1 - along);
    const t = (z - from[2] - enters * d[2]) / bent[2];
    if (!(t >= 0) || !Number.isFinite(t)) return null;
    return { x: from[0] + enters * d[0] + t * bent[0], y: from[1] + enters * d[1] + t * bent[1] };
}

/// The floor under the pointer, for a new object. Near the far side the ray hits the wall first: then the wall's
/// foot.
export function floorBelow(camera: Camera, pond: Pond, aim: Aim): Place | null {
    const at = below(camera, pond, aim, 0);
    return at && { x: Math.min(Math.max(at.x, 0), pond.width), y: Math.min(Math.max(at.y, 0), pond.length) };
}

/// Where an object would be if dropped at the pointer: obstacles are held by their top.
export function seat(view: View, camera: Camera, pond: Pond, aim: Aim, thing: Thing, index: number): Place | null {
    if (thing === Thing.Obstacle) return camera.hit(aim.x, aim.y, view.obstacles[8 * index + 2] ?? pond.restLevel);
    const z = thing === Thing.Heater ? view.heaters[8 * index + 2] : view.nozzles[4 * index + 2];
    return below(camera, pond, aim, z ?? 0);
}

/// The current position of an object.
export function whereIs(view: View, thing: Thing, index: number): Place | null {
    const [from, stride, n] =
        thing === Thing.Heater
            ? ([view.heaters, 8, view.heaterCount] as const)
            : thing === Thing.Obstacle
              ? ([view.obstacles, 8, view.obstacleCount] as const)
              : ([view.nozzles, 4, view.nozzleCount] as const);
    return index < n ? { x: from[stride * index], y: from[stride * index + 1] } : null;
}

/// The object nearest to a position on the water, for the keyboard. Absent heaters and obstacles do not count.
export function nearest(view: View, at: Place, which?: Thing): { thing: Thing; index: number } | null {
    let best: { thing: Thing; index: number } | null = null;
    let least = Infinity;
    const consider = (thing: Thing, index: number): void => {
        if (which !== undefined && which !== thing) return;
        const there = whereIs(view, thing, index);
        const d = there ? Math.hypot(there.x - at.x, there.y - at.y) : Infinity;
        if (d < least) [least, best] = [d, { thing, index }];
    };
    for (let i = 0; i < view.heaterCount; ++i) if (view.heaters[8 * i + 4] > 0) consider(Thing.Heater, i);
    for (let i = 0; i < view.obstacleCount; ++i)
        if (view.obstacles[8 * i + 7] !== Shape.None) consider(Thing.Obstacle, i);
    for (let i = 0; i < view.nozzleCount; ++i) consider(Thing.Nozzle, i);
    return best;
}

/// What is at or under a position on the water, as pick() gives it from straight above.
export function lyingAt(view: View, pond: Pond, at: Place): Target {
    const distance = (thing: Thing, index: number): number => {
        const there = whereIs(view, thing, index);
        return there ? Math.hypot(there.x - at.x, there.y - at.y) : Infinity;
    };
    const is = (thing: Thing, index: number): Target => ({ kind: "thing", thing, index, at });
    for (let i = 0; i < view.obstacleCount; ++i) if (covers(view, i, at, 0)) return is(Thing.Obstacle, i);
    for (let i = 0; i < view.heaterCount; ++i) {
        const reach = view.heaters[8 * i + 4] > 0 ? view.heaters[8 * i + 3] : 0;
        if (distance(Thing.Heater, i) < reach) return is(Thing.Heater, i);
    }
    if (foamAt(view, at, 0)) return { kind: "foam", at };
    const nozzle = nearest(view, at, Thing.Nozzle);
    const near = 0.025 * Math.max(pond.width, pond.length); // a little more than a step of the ring
    if (nozzle && distance(Thing.Nozzle, nozzle.index) < near) return is(Thing.Nozzle, nozzle.index);
    return { kind: "water", at };
}

/// The tolerance in metres at that point of the pond.
function slack(camera: Camera, pond: Pond, aim: Aim): number {
    const here = camera.hit(aim.x, aim.y, pond.restLevel);
    const beside = camera.hit(aim.x, aim.y - aim.reach, pond.restLevel);
    if (!here || !beside) return 0;
    // At a low angle a pixel covers much water, so limit it.
    return Math.min(Math.hypot(here.x - beside.x, here.y - beside.y), 0.06 * Math.max(pond.width, pond.length));
}

function obstacleAt(view: View, camera: Camera, pond: Pond, aim: Aim): Target | null {
    const margin = 0.5 * slack(camera, pond, aim);
    for (let i = 0; i < view.obstacleCount; ++i) {
        const top = view.obstacles[8 * i + 2];
        const at = camera.hit(aim.x, aim.y, top);
        // Its sides are visible from the top down to the surface.
        for (let n = 0; n <= 8; ++n) {
            const p = camera.hit(aim.x, aim.y, top + (n / 8) * (pond.restLevel - top));
            if (p && at && covers(view, i, p, margin)) return { kind: "thing", thing: Thing.Obstacle, index: i, at };
        }
    }
    return null;
}

function covers(view: View, index: number, p: Place, margin: number): boolean {
    const o = view.obstacles.subarray(8 * index, 8 * index + 8);
    const [dx, dy] = [p.x - o[0], p.y - o[1]];
    const [along, across] = [Math.abs(o[5] * dx + o[6] * dy), Math.abs(o[5] * dy - o[6] * dx)];
    const [size, half] = [o[3] + margin, o[4]];
    if (o[7] === Shape.Cylinder) return Math.hypot(dx, dy) < size;
    if (o[7] === Shape.Box) return across < size && along < half + margin;
    if (o[7] === Shape.Capsule) return Math.hypot(Math.max(along - half, 0), across) < size;
    return false;
}

function heaterAt(view: View, camera: Camera, pond: Pond, aim: Aim): Target | null {
    for (let i = 0; i < view.heaterCount; ++i) {
        if (!(view.heaters[8 * i + 4] > 0)) continue; // it cannot be picked when it is off
        const at = below(camera, pond, aim, view.heaters[8 * i + 2]);
        if (!at) continue;
        const d = Math.hypot(at.x - view.heaters[8 * i], at.y - view.heaters[8 * i + 1]);
        if (d < view.heaters[8 * i + 3]) return { kind: "thing", thing: Thing.Heater, index: i, at };
    }
    return null;
}

function nozzleAt(view: View, camera: Camera, pond: Pond, aim: Aim): Target | null {
    const reach = slack(camera, pond, aim);
    let found: Target | null = null;
    let least = reach * reach;
    let z = NaN;
    let at: Place | null = null;
    for (let i = 0; i < view.nozzleCount; ++i) {
        const height = view.nozzles[4 * i + 2];
        if (height !== z) at = below(camera, pond, aim, (z = height)); // most ponds have a flat floor
        if (!at) continue;
        const dx = at.x - view.nozzles[4 * i];
        const dy = at.y - view.nozzles[4 * i + 1];
        if (dx * dx + dy * dy >= least) continue;
        least = dx * dx + dy * dy;
        found = { kind: "thing", thing: Thing.Nozzle, index: i, at };
    }
    return found;
}

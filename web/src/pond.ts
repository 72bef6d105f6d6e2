// SPDX-License-Identifier: Apache-2.0
/// The pond in WebAssembly, as the rest of the page sees it. Coordinates are the pond's own: metres, x along the
/// width, y along the length, z up; the still surface is at z = rest_level and the floor at z = 0 (or view.ground).

/// Data to draw, without copies: the arrays are views of the WebAssembly memory. They are valid until the next step,
/// so do not keep them.
export interface View {
    width: number; ///< vertices along x
    height: number; ///< vertices along y
    spacing: number; ///< m between vertices
    level: Float32Array; ///< m; the surface with the bubbles' domes, row after row from y = 0
    depth: Float32Array; ///< m; 0 where it is dry
    normal: Int8Array; ///< 4 a vertex: x, y, z times 127, and 127 where wet
    ground: Float32Array; ///< m; the floor without obstacles, on the same vertices
    bubbleCount: number;
    bubbles: Float32Array; ///< 8 each: x, y, z, radius, axis x, y, z (unit), stretch: 1 + s along the axis,
    ///<                      (1 + s)^-1/2 across
    foamCount: number;
    foam: Float32Array; ///< 8 each: x, y, base z, radius, tilt x, y (of the surface's normal), alpha, age (0 to 1)
    vortexCount: number; ///< only when asked for
    vortices: Float32Array; ///< 8 each: x, y, z, radius, strength x, y, z (m/s), fade (0 to 1)
    tracerCount: number; ///< only when asked for
    tracers: Float32Array; ///< 3 each
    heaterCount: number;
    heaters: Float32Array; ///< 8 each: x, y, z of the floor there, radius, 1 when on, rate, bubble radius, 0
    obstacleCount: number;
    obstacles: Float32Array; ///< 8 each: x, y, top z, size, length, cosine, sine of its angle, shape (a Shape)
    nozzleCount: number;
    nozzles: Float32Array; ///< 4 each: x, y, z, and 1 on, 0 off, -1 on dry ground
}

/// size is the radius of a cylinder or capsule and the half width of a box; length the half length of a box
/// or capsule along its angle.
export enum Shape {
    Cylinder = 0,
    Box = 1,
    Capsule = 2,
    None = 3,
}

export enum Thing {
    Heater = 0,
    Obstacle = 1,
    Nozzle = 2,
}

export enum EventKind {
    Pop = 0, ///< foam popped
    Merge = 1, ///< two bubbles merged
    Break = 2, ///< a bubble broke through the surface
}

export interface PondEvent {
    kind: EventKind;
    x: number;
    y: number;
    z: number;
    radius: number; ///< m
}

export interface Statistics {
    frame: number;
    time: number; ///< s
    bubbles: number;
    foam: number;
    ghosts: number;
    nozzles: number;
    substeps: number; ///< of water in the last step
    limited: number; ///< number of times that the water speed was limited
    held: number; ///< bubbles not emitted because the array was full
    waterM3: number;
    gasInM3: number;
    gasOutM3: number;
    gasM3: number;
    bytes: number; ///< of WebAssembly memory
}

/// One row of the solver's table of keys.
export interface Key {
    name: string;
    type: "number" | "whole" | "bool" | "choice" | "choices" | "text" | "vec3" | "heights" | "object" | "option" | "list";
    unit: string;
    value: number | null; ///< the default; null when there is none
    min: number;
    max: number;
    live: boolean; ///< may change while the pond runs
    doc: string;
    choices?: string[];
    items?: Key[];
}

/// An input that the solver refused, with its error message.
export class PondError extends Error {}

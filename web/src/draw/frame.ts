// SPDX-License-Identifier: Apache-2.0
/// The numbers of a frame that all shaders read, in the order of the block in shader_common.ts.
import type { Camera } from "../camera";
import { Shape, Thing, type View } from "../pond";
import type { DrawOptions } from "./picture";
import type { Tank } from "./tank";

const MOST_THINGS = 8; // heaters and obstacles each, as in the solver
const ROWS = { eye: 4, across: 5, upward: 6, forward: 7, size: 8, tank: 9, water: 10, sun: 11, sunBelow: 12,
               surfaceGrid: 13, groundGrid: 14, counts: 15, cursor: 16, mark: 17, markAt: 18, obstacles: 19,
               heaters: 35 } as const;

export class Frame {
    readonly values = new Float32Array(4 * 51);
    obstacles = 0; ///< number of obstacles with a shape; they are renumbered
    private readonly across = new Float32Array(3);
    private readonly upward = new Float32Array(3);
    private readonly forward = new Float32Array(3);

    fill(view: View, camera: Camera, options: DrawOptions, tank: Tank, pixelHeight: number): void {
        this.putCamera(camera, options.time, pixelHeight);
        this.put(ROWS.size, tank.width, tank.length, tank.rest, tank.base);
        this.put(ROWS.tank, tank.glass, tank.rim, tank.table, tank.tile);
        this.put(ROWS.water, tank.absorb[0], tank.absorb[1], tank.absorb[2], tank.haze);
        this.put(ROWS.sun, tank.sun[0], tank.sun[1], tank.sun[2], tank.scale);
        this.put(ROWS.sunBelow, tank.sunBelow[0], tank.sunBelow[1], tank.sunBelow[2], tank.flat ? 0 : 1);
        this.putThings(view, options);
        const cursor = options.cursor;
        this.put(ROWS.cursor, cursor?.x ?? 0, cursor?.y ?? 0, cursor ? 0.02 * tank.scale : 0,
                 options.wireframe ? view.spacing : 0);
    }

    /// Texture coordinates of a grid whose samples lie `step` metres apart, the first at the pond's corner.
    putGrid(which: "surfaceGrid" | "groundGrid", step: number, width: number, height: number): void {
        this.put(ROWS[which], 1 / (step * width), 1 / (step * height), 0.5 / width, 0.5 / height);
    }

    putSizes(heaters: number, foamRadius: number, nozzleRadius: number): void {
        this.put(ROWS.counts, this.obstacles, heaters, foamRadius, nozzleRadius);
    }

    private putCamera(camera: Camera, time: number, pixelHeight: number): void {
        camera.matrix(this.values);
        camera.axes(this.across, this.upward, this.forward);
        const half = Math.hypot(this.upward[0]!, this.upward[1]!, this.upward[2]!);
        const wide = Math.hypot(this.across[0]!, this.across[1]!, this.across[2]!);
        this.put(ROWS.eye, camera.eye[0], camera.eye[1], camera.eye[2], time);
        this.put(ROWS.across, this.across[0]!, this.across[1]!, this.across[2]!, (2 * half) / pixelHeight);
        this.put(ROWS.upward, this.upward[0]!, this.upward[1]!, this.upward[2]!, wide / half);
        this.put(ROWS.forward, this.forward[0]!, this.forward[1]!, this.forward[2]!, pixelHeight);
    }

    private putThings(view: View, options: DrawOptions): void {
        const marked = options.highlight;
        let kind = marked ? marked.thing : -1, index = marked?.index ?? 0;
        this.put(ROWS.markAt, 0, 0, 0, 0);
        this.obstacles = 0;
        for (let k = 0; k < Math.min(view.obstacleCount, MOST_THINGS); ++k) {
            if (view.obstacles[8 * k + 7] === Shape.None) {
                if (kind === Thing.Obstacle && index === k) kind = -1;
                continue;
            }
            if (kind === Thing.Obstacle && marked!.index === k) index = this.obstacles;
            this.putObstacle(view.obstacles, 8 * k, ROWS.obstacles + 2 * this.obstacles++);
        }
        for (let k = 0; k < Math.min(view.heaterCount, MOST_THINGS); ++k) this.putHeater(view, k, options.time);
        if (marked && kind === Thing.Nozzle && index < view.nozzleCount)
            this.put(ROWS.markAt, view.nozzles[4 * index]!, view.nozzles[4 * index + 1]!, 0, 0);
        else if (kind === Thing.Nozzle) kind = -1;
        this.put(ROWS.mark, kind, index, 0.85 + 0.15 * Math.cos(3 * options.time), 0);
    }

    /// Every shape is a box with rounded corners.
    private putObstacle(from: Float32Array, at: number, row: number): void {
        const size = from[at + 3]!, length = from[at + 4]!, shape = from[at + 7]!;
        const corner = shape === Shape.Box ? 0.12 * Math.min(size, length) : size;
        const coreLength = shape === Shape.Cylinder ? 0 : shape === Shape.Box ? length - corner : length;
        const coreWidth = shape === Shape.Box ? size - corner : 0;
        this.put(row, from[at]!, from[at + 1]!, from[at + 2]!, corner);
        this.put(row + 1, coreLength, coreWidth, from[at + 5]!, from[at + 6]!);
    }

    private putHeater(view: View, k: number, time: number): void {
        const h = view.heaters, at = 8 * k;
        this.put(ROWS.heaters + 2 * k, h[at]!, h[at + 1]!, h[at + 2]!, h[at + 3]!);
        this.put(ROWS.heaters + 2 * k + 1, h[at + 4]! > 0.5 ? 1 : 0, 0.9 + 0.1 * Math.sin(2.1 * time + k), 0, 0);
    }

    private put(row: number, x: number, y: number, z: number, w: number): void {
        const v = this.values, at = 4 * row;
        v[at] = x;
        v[at + 1] = y;
        v[at + 2] = z;
        v[at + 3] = w;
    }
}

export const heatersDrawn = (view: View): number => Math.min(view.heaterCount, MOST_THINGS);

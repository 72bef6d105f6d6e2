// SPDX-License-Identifier: Apache-2.0
/// The two maps from above: where foam and nozzles are, and the sunlight on the floor.
import type { View } from "../pond.js";
import { Instances, Program, Target, type GL } from "./gl.js";
import { CAUSTICS_FRAGMENT, CAUSTICS_VERTEX, FOAM_MAP_FRAGMENT, FOAM_MAP_VERTEX, LENS_FRAGMENT, LENS_VERTEX,
         NOZZLE_MAP_FRAGMENT, NOZZLE_MAP_VERTEX } from "./shader_light.js";
import type { Tank } from "./tank.js";

export class Light {
    readonly map: Target; ///< foam height, foam cover, nearness of a nozzle, its state
    readonly caustics: Target;
    readonly programs: Program[];
    private readonly nozzles: Instances;

    /// `texels` is along the longer side; a machine without a graphics card wants fewer.
    constructor(private readonly gl: GL, private readonly texels: number) {
        this.map = new Target(gl, gl.RGBA8, true);
        this.caustics = new Target(gl, gl.RGBA16F, true);
        this.nozzles = new Instances(gl, 4);
        this.programs = [
            new Program(gl, FOAM_MAP_VERTEX, FOAM_MAP_FRAGMENT),
            new Program(gl, NOZZLE_MAP_VERTEX, NOZZLE_MAP_FRAGMENT),
            new Program(gl, CAUSTICS_VERTEX, CAUSTICS_FRAGMENT),
            new Program(gl, LENS_VERTEX, LENS_FRAGMENT),
        ];
    }

    resize(tank: Tank): void {
        const per = this.texels / Math.max(tank.width, tank.length);
        this.map.resize(Math.max(Math.round(tank.width * per), 1), Math.max(Math.round(tank.length * per), 1));
        this.caustics.resize(Math.max(Math.round(0.7 * tank.width * per), 1),
                             Math.max(Math.round(0.7 * tank.length * per), 1));
    }

    /// Where foam (its instances) and nozzles are.
    drawMap(view: View, foam: Instances): void {
        const gl = this.gl, [foamMap, nozzleMap] = this.programs;
        this.map.begin();
        gl.clearColor(0, 0, 0, 0);
        gl.clear(gl.COLOR_BUFFER_BIT);
        gl.enable(gl.BLEND);
        gl.blendEquation(gl.MAX);
        if (view.foamCount > 0) {
            foamMap!.use();
            gl.bindVertexArray(foam.handle);
            gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, view.foamCount);
        }
        if (view.nozzleCount > 0) {
            this.nozzles.fill(view.nozzles, view.nozzleCount);
            nozzleMap!.use();
            gl.bindVertexArray(this.nozzles.handle);
            gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, view.nozzleCount);
        }
        gl.blendEquation(gl.FUNC_ADD);
        gl.activeTexture(gl.TEXTURE2);
        this.map.finish();
    }

    /// After the map and the surface; their textures are bound. The mesh has columns x rows vertices.
    drawCaustics(tank: Tank, columns: number, rows: number, bubbles: Instances, bubbleCount: number): void {
        const gl = this.gl, [, , caustics, lens] = this.programs;
        gl.activeTexture(gl.TEXTURE3);
        gl.bindTexture(gl.TEXTURE_2D, null); // about to be drawn into
        this.caustics.begin();
        gl.clear(gl.COLOR_BUFFER_BIT);
        gl.blendFunc(gl.ONE, gl.ONE);
        gl.bindVertexArray(null);
        caustics!.use();
        gl.uniform2i(caustics!.place("uMesh"), columns, rows);
        gl.uniform1f(caustics!.place("uTexel"), (tank.width * tank.length) / (this.caustics.width * this.caustics.height));
        gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 2 * columns, rows - 1);
        if (bubbleCount > 0) {
            lens!.use();
            gl.bindVertexArray(bubbles.handle);
            gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, bubbleCount);
        }
        gl.bindVertexArray(null);
        this.caustics.finish(); // and stays bound to unit 3
    }
}

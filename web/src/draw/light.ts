// SPDX-License-Identifier: Apache-2.0
/// Two maps seen from above: foam and nozzles, and the sunlight on the floor.
import type { View } from "../pond";
import { Program, Table, Target, type GL } from "./gl";
import { CAUSTICS_FRAGMENT, CAUSTICS_VERTEX, FLOOR_MAP, FOAM_MAP_FRAGMENT, FOAM_MAP_VERTEX, LENS_FRAGMENT,
         LENS_VERTEX, NOZZLE_MAP_FRAGMENT, NOZZLE_MAP_VERTEX } from "./shader_light";
import { WHOLE } from "./shader_surface";
import type { Tank } from "./tank";

export class Light {
    readonly map: Target; ///< foam height, foam cover, closeness to a nozzle, its state
    readonly caustics: Target;
    readonly floor: Target | null; ///< the lit floor, in modest mode
    readonly programs: Program[];
    private readonly nozzles: Table;
    private readonly texels: { map: number; caustics: number; floor: number }; // along the longer side

    constructor(private readonly gl: GL, modest: boolean) {
        this.texels = modest ? { map: 640, caustics: 300, floor: 380 } : { map: 1024, caustics: 768, floor: 0 };
        this.floor = modest ? new Target(gl, gl.RGBA8, true) : null;
        this.map = new Target(gl, gl.RGBA8, true);
        this.caustics = new Target(gl, gl.RGBA16F, true);
        this.nozzles = new Table(gl, 1);
        this.programs = [
            new Program(gl, FOAM_MAP_VERTEX, FOAM_MAP_FRAGMENT),
            new Program(gl, NOZZLE_MAP_VERTEX, NOZZLE_MAP_FRAGMENT),
            new Program(gl, CAUSTICS_VERTEX, CAUSTICS_FRAGMENT),
            new Program(gl, LENS_VERTEX, LENS_FRAGMENT),
            ...(modest ? [new Program(gl, WHOLE, FLOOR_MAP)] : []),
        ];
    }

    resize(tank: Tank): void {
        const fit = (target: Target | null, texels: number): void => {
            const per = texels / Math.max(tank.width, tank.length);
            target?.resize(Math.max(Math.round(tank.width * per), 1), Math.max(Math.round(tank.length * per), 1));
        };
        fit(this.map, this.texels.map);
        fit(this.caustics, this.texels.caustics);
        fit(this.floor, this.texels.floor);
    }

    /// Draws foam and nozzles into the map.
    drawMap(view: View, foam: Table): void {
        const gl = this.gl, [foamMap, nozzleMap] = this.programs;
        this.map.begin();
        gl.clearColor(0, 0, 0, 0);
        gl.clear(gl.COLOR_BUFFER_BIT);
        gl.enable(gl.BLEND);
        gl.blendEquation(gl.MAX);
        if (view.foamCount > 0) {
            foamMap!.use();
            foam.bind();
            gl.drawArrays(gl.TRIANGLES, 0, 6 * view.foamCount);
        }
        if (view.nozzleCount > 0) {
            this.nozzles.fill(view.nozzles, view.nozzleCount, 4);
            nozzleMap!.use();
            gl.drawArrays(gl.TRIANGLES, 0, 6 * view.nozzleCount);
        }
        gl.blendEquation(gl.FUNC_ADD);
        gl.activeTexture(gl.TEXTURE2);
        this.map.finish();
    }

    /// Call it after the map and the surface, with their textures bound. The mesh has columns x rows vertices.
    drawCaustics(tank: Tank, columns: number, rows: number, bubbles: Table, bubbleCount: number): void {
        const gl = this.gl, [, , caustics, lens] = this.programs;
        gl.activeTexture(gl.TEXTURE3);
        gl.bindTexture(gl.TEXTURE_2D, null); // it is drawn into now
        this.caustics.begin();
        gl.clear(gl.COLOR_BUFFER_BIT);
        gl.blendFunc(gl.ONE, gl.ONE);
        caustics!.use();
        gl.uniform2i(caustics!.place("uMesh"), columns, rows);
        const texels = this.caustics.width * this.caustics.height;
        gl.uniform1f(caustics!.place("uTexel"), (tank.width * tank.length) / texels);
        gl.drawArrays(gl.TRIANGLES, 0, 6 * (columns - 1) * (rows - 1));
        if (bubbleCount > 0) {
            lens!.use();
            bubbles.bind();
            gl.drawArrays(gl.TRIANGLES, 0, 6 * bubbleCount);
        }
        gl.activeTexture(gl.TEXTURE3);
        this.caustics.finish(); // it stays bound to unit 3
        this.drawFloor();
    }

    private drawFloor(): void {
        const gl = this.gl, program = this.programs[4];
        if (!this.floor || !program) return;
        gl.disable(gl.BLEND);
        gl.activeTexture(gl.TEXTURE4);
        gl.bindTexture(gl.TEXTURE_2D, null);
        this.floor.begin();
        program.use();
        gl.uniform2f(program.place("uTexels"), this.floor.width, this.floor.height);
        gl.drawArrays(gl.TRIANGLES, 0, 3);
        this.floor.finish(); // it stays bound to unit 4
    }
}

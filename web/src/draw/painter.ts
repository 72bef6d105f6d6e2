// SPDX-License-Identifier: Apache-2.0
/// Draws a frame. The water's surface and its sides behind the near panes write depth as opaque; what is in the water
/// is found by tracing each pixel's ray from there. So the depth buffer sorts everything, and only bubbles, foam and
/// glass are blended, in this order.
import type { Camera } from "../camera";
import type { View } from "../pond";
import { Frame, heatersDrawn } from "./frame";
import { Program, Table, type GL } from "./gl";
import { Light } from "./light";
import { DepthSort } from "./depth_sort";
import type { DrawOptions } from "./picture";
import { BUBBLE_FRAGMENT, BUBBLE_VERTEX } from "./shader_bubbles";
import { FOAM_FRAGMENT, FOAM_VERTEX } from "./shader_foam";
import { MARK_FRAGMENT, TRACER_VERTEX, VORTEX_VERTEX } from "./shader_marks";
import { BASE_FRAGMENT, BOX_VERTEX, GLASS_FRAGMENT, GROUND_FRAGMENT, GROUND_VERTEX, OBSTACLE_FRAGMENT,
         OBSTACLE_VERTEX, ROOM_FRAGMENT } from "./shader_solids";
import { PANE_FRAGMENT, PANE_VERTEX, SURFACE_FRAGMENT, SURFACE_VERTEX, WHOLE } from "./shader_surface";
import { SurfaceTextures } from "./surface_textures";
import { measureTank, type Tank } from "./tank";

const SURFACE_PORTAL = 4; // 0 to 3 are the panes

const SHADERS = {
    surface: [SURFACE_VERTEX, SURFACE_FRAGMENT],
    pane: [PANE_VERTEX, PANE_FRAGMENT],
    ground: [GROUND_VERTEX, GROUND_FRAGMENT],
    obstacle: [OBSTACLE_VERTEX, OBSTACLE_FRAGMENT],
    base: [BOX_VERTEX, BASE_FRAGMENT],
    glass: [BOX_VERTEX, GLASS_FRAGMENT],
    room: [WHOLE, ROOM_FRAGMENT],
    bubble: [BUBBLE_VERTEX, BUBBLE_FRAGMENT],
    foam: [FOAM_VERTEX, FOAM_FRAGMENT],
    vortex: [VORTEX_VERTEX, MARK_FRAGMENT],
    tracer: [TRACER_VERTEX, MARK_FRAGMENT],
} as const;
type Name = keyof typeof SHADERS;

export class Painter {
    private readonly frame = new Frame();
    private readonly block: WebGLBuffer;
    private readonly programs: Record<Name, Program>;
    private readonly textures: SurfaceTextures;
    private readonly light: Light;
    private readonly bubbles: Table;
    private readonly foam: Table;
    private readonly vortices: Table;
    private readonly tracers: Table;
    private readonly order = new DepthSort();
    private readonly near = [false, false, false, false]; // panes that face the eye
    private tank: Tank | null = null;

    private readonly finest: number; // vertices of a mesh along its longer side

    /// `modest`: without a graphics card; there small triangles cost as much as large ones.
    constructor(private readonly gl: GL, modest: boolean) {
        this.finest = modest ? 48 : 400;
        this.textures = new SurfaceTextures(gl, modest);
        this.light = new Light(gl, modest);
        this.programs = {} as Record<Name, Program>;
        for (const name of Object.keys(SHADERS) as Name[])
            this.programs[name] = new Program(gl, SHADERS[name][0], SHADERS[name][1], modest);
        this.bubbles = new Table(gl, 2);
        this.foam = new Table(gl, 2);
        this.vortices = new Table(gl, 2);
        this.tracers = new Table(gl, 1);
        this.block = gl.createBuffer();
        gl.bindBufferBase(gl.UNIFORM_BUFFER, 0, this.block);
        gl.bufferData(gl.UNIFORM_BUFFER, this.frame.values.byteLength, gl.DYNAMIC_DRAW);
        for (const program of this.first()) program.begin();
    }

    /// Programs needed in the first second, the slowest to compile first; the others are compiled at first use.
    /// Bubbles and foam appear so soon that compiling them later would cause a visible pause.
    private first(): Program[] {
        const { surface, pane, bubble, foam, obstacle, base, glass, room } = this.programs;
        const maps = [...this.light.programs, ...this.textures.programs];
        return [surface, pane, ...maps, bubble, foam, obstacle, base, glass, room];
    }

    /// Resolves when drawing will not wait for the driver, if the driver reports this.
    async ready(): Promise<void> {
        const extension = this.gl.getExtension("KHR_parallel_shader_compile");
        while (extension && !this.first().every((program) => program.ready(extension)))
            await new Promise((later) => setTimeout(later, 8));
        // A query of a program waits for all earlier drawing, so query before anything is drawn.
        for (const program of this.first()) program.use();
    }

    draw(view: View, camera: Camera, options: DrawOptions, width: number, height: number): void {
        const gl = this.gl;
        this.textures.measure(view, this.frame);
        const tank = this.measure(view, options.restLevel);
        this.frame.fill(view, camera, options, tank, height);
        this.sendTables(view, camera, options, tank);
        gl.bindBuffer(gl.UNIFORM_BUFFER, this.block);
        gl.bufferSubData(gl.UNIFORM_BUFFER, 0, this.frame.values);
        this.textures.update(view);
        this.makeLight(view, tank);

        gl.bindFramebuffer(gl.FRAMEBUFFER, null);
        gl.viewport(0, 0, width, height);
        gl.enable(gl.DEPTH_TEST);
        gl.depthFunc(gl.LEQUAL);
        gl.depthMask(true);
        gl.disable(gl.BLEND);
        gl.clear(gl.DEPTH_BUFFER_BIT);
        const eye = camera.eye;
        this.near[0] = eye[0] < 0;
        this.near[1] = eye[0] > tank.width;
        this.near[2] = eye[1] < 0;
        this.near[3] = eye[1] > tank.length;
        this.drawSolids(view, tank);
        gl.depthMask(false);
        gl.enable(gl.BLEND);
        gl.blendFuncSeparate(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA, gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
        this.drawBlended(view, tank, options);
        gl.depthMask(true);
    }

    /// Measures the tank only when the pond has changed.
    private measure(view: View, rest: number): Tank {
        const { low, high } = this.textures.watch;
        const t = this.tank;
        const same = t && t.rest === rest && t.base === low && t.columns === view.width && t.rows === view.height &&
            t.spacing === view.spacing && t.top === high;
        if (!same) {
            this.tank = measureTank(view, rest, low, high);
            this.light.resize(this.tank);
        }
        return this.tank!;
    }

    private sendTables(view: View, camera: Camera, options: DrawOptions, tank: Tank): void {
        const reach = 1.2 * Math.hypot(tank.width, tank.length, tank.rim);
        this.order.sort(view.bubbles, view.bubbleCount, camera.eye, reach, this.bubbles);
        this.order.sort(view.foam, view.foamCount, camera.eye, reach, this.foam);
        this.frame.putSizes(heatersDrawn(view), Math.max(this.order.largest, 1e-4), tank.nozzle);
        if (options.vortices) this.vortices.fill(view.vortices, view.vortexCount, 8);
        if (options.tracers) this.tracers.fill(view.tracers, view.tracerCount, 3);
    }

    private makeLight(view: View, tank: Tank): void {
        const gl = this.gl;
        this.light.drawMap(view, this.foam);
        gl.activeTexture(gl.TEXTURE0);
        gl.bindTexture(gl.TEXTURE_2D, this.textures.surface.texture);
        gl.activeTexture(gl.TEXTURE1);
        gl.bindTexture(gl.TEXTURE_2D, this.textures.ground.texture);
        const most = 2.1 * this.finest / Math.max(this.textures.surface.width, this.textures.surface.height);
        const columns = coarser(this.textures.surface.width, most), rows = coarser(this.textures.surface.height, most);
        this.light.drawCaustics(tank, columns, rows, this.bubbles, view.bubbleCount);
    }

    private grid(program: Program, columns: number, rows: number): void {
        const gl = this.gl;
        program.use();
        gl.uniform2i(program.place("uMesh"), columns, rows);
        gl.drawArrays(gl.TRIANGLES, 0, 6 * (columns - 1) * (rows - 1));
    }

    private drawSolids(view: View, tank: Tank): void {
        const gl = this.gl, p = this.programs;
        const most = (tank.flat ? 1 : 2.5) * this.finest / Math.max(view.width, view.height); // shores need more
        const columns = coarser(view.width, most), rows = coarser(view.height, most);
        if (this.frame.obstacles > 0) p.obstacle.use();
        for (let k = 0; k < this.frame.obstacles; ++k) {
            gl.uniform1i(p.obstacle.place("uIndex"), k);
            gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 2 * 69, 7);
        }
        this.grid(p.surface, columns, rows);
        p.pane.use();
        for (let k = 0; k < 4; ++k) {
            if (!this.near[k]) continue;
            gl.uniform1i(p.pane.place("uPane"), k);
            gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
        }
        if (!tank.flat) this.grid(p.ground, columns, rows);
        else if (anyDry(view)) this.grid(p.ground, 2, 2);
        this.box(p.base, -tank.glass, -tank.glass, tank.table, tank.width + tank.glass, tank.length + tank.glass,
                 tank.base);
        p.room.use();
        gl.drawArrays(gl.TRIANGLES, 0, 3);
    }

    private box(program: Program, x0: number, y0: number, z0: number, x1: number, y1: number, z1: number): void {
        const gl = this.gl;
        program.use();
        gl.uniform3f(program.place("uLow"), x0, y0, z0);
        gl.uniform3f(program.place("uHigh"), x1, y1, z1);
        gl.drawArrays(gl.TRIANGLES, 0, 36);
    }

    /// Far panes are behind everything that is blended, near ones in front.
    private drawBlended(view: View, tank: Tank, options: DrawOptions): void {
        const gl = this.gl;
        for (let k = 0; k < 4; ++k)
            if (!this.near[k]) this.drawPane(tank, k);
        if (view.bubbleCount > 0)
            this.throughPortals(this.programs.bubble, this.bubbles, gl.TRIANGLES, 6 * view.bubbleCount);
        gl.disable(gl.DEPTH_TEST);
        if (options.tracers && view.tracerCount > 0)
            this.throughPortals(this.programs.tracer, this.tracers, gl.POINTS, view.tracerCount);
        if (options.vortices && view.vortexCount > 0)
            this.throughPortals(this.programs.vortex, this.vortices, gl.LINES, 50 * view.vortexCount);
        gl.enable(gl.DEPTH_TEST);
        if (view.foamCount > 0) {
            this.programs.foam.use();
            this.foam.bind();
            gl.drawArrays(gl.TRIANGLES, 0, 6 * view.foamCount);
        }
        for (let k = 0; k < 4; ++k)
            if (this.near[k]) this.drawPane(tank, k);
    }

    private throughPortals(program: Program, what: Table, mode: number, vertices: number): void {
        const gl = this.gl;
        program.use();
        what.bind();
        for (let k = 0; k <= SURFACE_PORTAL; ++k) {
            if (k < SURFACE_PORTAL && !this.near[k]) continue;
            gl.uniform1i(program.place("uPortal"), k);
            gl.drawArrays(mode, 0, vertices);
        }
    }

    private drawPane(tank: Tank, k: number): void {
        const { glass, width, length, base, rim } = tank, far = (k & 1) === 1;
        if (k < 2) {
            const x = far ? width : -glass;
            this.box(this.programs.glass, x, -glass, base, x + glass, length + glass, rim);
        } else {
            const y = far ? length : -glass;
            this.box(this.programs.glass, 0, y, base, width, y + glass, rim);
        }
    }
}

/// Vertices along one side of a mesh, reduced by `share`.
function coarser(vertices: number, share: number): number {
    return Math.max(Math.min(vertices, 16), Math.round(vertices * Math.min(share, 1)));
}

/// Flat ground is visible by itself only where it is dry.
function anyDry(view: View): boolean {
    const normal = view.normal;
    for (let at = 3, end = 4 * view.width * view.height; at < end; at += 4) if (normal[at] === 0) return true;
    return false;
}

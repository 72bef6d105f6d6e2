// SPDX-License-Identifier: Apache-2.0
/// The surface and the ground as textures. The solver's vertices are uploaded as they are; shaders extend them under
/// the shore and refine them.
import type { View } from "../pond";
import type { Frame } from "./frame";
import { filter, Program, Target, type GL } from "./gl";
import { GROUND_MAP, MEND, REFINE, WHOLE } from "./shader_surface";

const FINEST = 720; // texels along the surface's longer side; larger ones are not refined

/// Detects changes of the ground from a few hundred samples: it seldom changes.
class GroundChange {
    low = 0;
    high = 0;
    private sum = NaN;
    private count = 0;

    changed(ground: Float32Array, count: number): boolean {
        let sum = 0;
        const step = Math.max(1, Math.floor(count / 509));
        for (let k = 0; k < count; k += step) sum += ground[k]! * (1 + (k % 97));
        if (sum === this.sum && count === this.count) return false;
        this.sum = sum;
        this.count = count;
        this.low = Infinity;
        this.high = -Infinity;
        for (let k = 0; k < count; ++k) {
            this.low = Math.min(this.low, ground[k]!);
            this.high = Math.max(this.high, ground[k]!);
        }
        return true;
    }
}

export class SurfaceTextures {
    readonly surface: Target;
    readonly ground: Target;
    readonly watch = new GroundChange();
    readonly programs: Program[];
    private readonly mended: Target;
    private readonly level: WebGLTexture;
    private readonly normal: WebGLTexture;
    private width = 0;
    private height = 0;
    private fine = 1; // texels per vertex
    private groundStale = true;

    constructor(private readonly gl: GL, private readonly modest: boolean) {
        // Without a graphics card 32-bit floats are faster to read than 16-bit ones.
        const able = gl.getExtension("OES_texture_float_linear") && gl.getExtension("EXT_color_buffer_float");
        const whole = modest && able !== null;
        this.surface = new Target(gl, whole ? gl.RGBA32F : gl.RGBA16F, false);
        this.ground = new Target(gl, whole ? gl.RGBA32F : gl.RGBA16F, false);
        this.mended = new Target(gl, gl.RGBA16F, false);
        this.level = gl.createTexture();
        this.normal = gl.createTexture();
        this.programs = [MEND, REFINE, GROUND_MAP].map((text) => new Program(gl, WHOLE, text));
    }

    /// Sets the sizes for this view and detects new ground; call it before the frame's uniforms are filled in.
    measure(view: View, frame: Frame): void {
        if (view.width !== this.width || view.height !== this.height) this.resize(view.width, view.height);
        if (this.watch.changed(view.ground, view.width * view.height)) this.groundStale = true;
        frame.putGrid("surfaceGrid", view.spacing / this.fine, this.surface.width, this.surface.height);
        frame.putGrid("groundGrid", view.spacing, this.ground.width, this.ground.height);
    }

    /// Call it after the frame's uniforms are uploaded. Uses texture units 0 and 1.
    update(view: View): void {
        const gl = this.gl, [mend, refine, groundMap] = this.programs;
        gl.disable(gl.BLEND);
        gl.disable(gl.DEPTH_TEST);
        if (this.groundStale) {
            this.groundStale = false;
            this.send(this.level, gl.RED, gl.FLOAT, view.ground);
            this.pass(groundMap!, this.ground, view.spacing, 1);
        }
        this.send(this.normal, gl.RGBA, gl.BYTE, view.normal);
        this.send(this.level, gl.RED, gl.FLOAT, view.level);
        gl.activeTexture(gl.TEXTURE1);
        gl.bindTexture(gl.TEXTURE_2D, this.normal);
        this.pass(mend!, this.mended, view.spacing, 1);
        gl.activeTexture(gl.TEXTURE0);
        gl.bindTexture(gl.TEXTURE_2D, this.mended.texture);
        this.pass(refine!, this.surface, view.spacing, 1 / this.fine);
    }

    private resize(width: number, height: number): void {
        const gl = this.gl;
        this.width = width;
        this.height = height;
        this.fine = this.modest || 2 * Math.max(width, height) > FINEST ? 1 : 2;
        this.surface.resize((width - 1) * this.fine + 1, (height - 1) * this.fine + 1);
        this.ground.resize(width, height);
        this.mended.resize(width, height);
        this.groundStale = true;
        gl.bindTexture(gl.TEXTURE_2D, this.level);
        gl.texImage2D(gl.TEXTURE_2D, 0, gl.R32F, width, height, 0, gl.RED, gl.FLOAT, null);
        filter(gl, gl.NEAREST, gl.NEAREST);
        gl.bindTexture(gl.TEXTURE_2D, this.normal);
        gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA8_SNORM, width, height, 0, gl.RGBA, gl.BYTE, null);
        filter(gl, gl.NEAREST, gl.NEAREST);
    }

    private send(texture: WebGLTexture, format: number, type: number, values: Float32Array | Int8Array): void {
        const gl = this.gl;
        gl.activeTexture(gl.TEXTURE0);
        gl.bindTexture(gl.TEXTURE_2D, texture);
        gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, this.width, this.height, format, type, values, 0);
    }

    private pass(program: Program, into: Target, spacing: number, step: number): void {
        const gl = this.gl;
        program.use();
        gl.uniform1i(program.place("uLevel"), 0);
        gl.uniform1i(program.place("uMended"), 0);
        gl.uniform1i(program.place("uNormal"), 1);
        gl.uniform3f(program.place("uStep"), step, step, spacing);
        into.begin();
        gl.drawArrays(gl.TRIANGLES, 0, 3);
    }
}

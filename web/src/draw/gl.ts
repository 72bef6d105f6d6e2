// SPDX-License-Identifier: Apache-2.0
/// The few things that drawing wants of WebGL: programs, textures, targets, and arrays that travel every frame.

export type GL = WebGL2RenderingContext;

/// A program with its uniforms by name. A name that the compiler dropped has no place, and setting it does nothing.
export class Program {
    readonly handle: WebGLProgram;
    private readonly places = new Map<string, WebGLUniformLocation | null>();

    constructor(private readonly gl: GL, vertex: string, fragment: string) {
        this.handle = gl.createProgram();
        for (const [type, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]] as const) {
            const shader = gl.createShader(type);
            if (!shader) throw new Error("The graphics driver made no shader.");
            gl.shaderSource(shader, text);
            gl.compileShader(shader);
            gl.attachShader(this.handle, shader);
            gl.deleteShader(shader); // it lives as long as the program
        }
        gl.linkProgram(this.handle);
    }

    /// Separate from making it, so that a driver may compile all programs at once in the background.
    check(): void {
        const gl = this.gl;
        if (gl.getProgramParameter(this.handle, gl.LINK_STATUS) || gl.isContextLost()) return;
        const logs = (gl.getAttachedShaders(this.handle) ?? []).map((s) => gl.getShaderInfoLog(s));
        throw new Error(`The graphics driver refused a shader: ${logs.join(" ")} ${gl.getProgramInfoLog(this.handle)}`);
    }

    use(): void {
        this.gl.useProgram(this.handle);
    }

    place(name: string): WebGLUniformLocation | null {
        let found = this.places.get(name);
        if (found === undefined) {
            found = this.gl.getUniformLocation(this.handle, name);
            this.places.set(name, found);
        }
        return found;
    }
}

/// A texture of fixed format whose size may change, and what is needed to draw into it.
export class Target {
    readonly texture: WebGLTexture;
    width = 0;
    height = 0;
    private readonly frame: WebGLFramebuffer;

    constructor(private readonly gl: GL, private readonly format: number, private readonly levels: boolean) {
        this.texture = gl.createTexture();
        this.frame = gl.createFramebuffer();
    }

    /// New size, new storage; the same size costs nothing.
    resize(width: number, height: number): void {
        const gl = this.gl;
        if (width === this.width && height === this.height) return;
        this.width = width;
        this.height = height;
        gl.bindTexture(gl.TEXTURE_2D, this.texture);
        const half = this.format === gl.RGBA16F;
        gl.texImage2D(gl.TEXTURE_2D, 0, this.format, width, height, 0, gl.RGBA, half ? gl.HALF_FLOAT : gl.UNSIGNED_BYTE,
                      null);
        filter(gl, this.levels ? gl.LINEAR_MIPMAP_LINEAR : gl.LINEAR, gl.LINEAR);
        gl.bindFramebuffer(gl.FRAMEBUFFER, this.frame);
        gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, this.texture, 0);
    }

    begin(): void {
        this.gl.bindFramebuffer(this.gl.FRAMEBUFFER, this.frame);
        this.gl.viewport(0, 0, this.width, this.height);
    }

    finish(): void {
        if (!this.levels) return;
        this.gl.bindTexture(this.gl.TEXTURE_2D, this.texture);
        this.gl.generateMipmap(this.gl.TEXTURE_2D);
    }
}

/// Of the texture at hand.
export function filter(gl: GL, smaller: number, larger: number): void {
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, smaller);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, larger);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE);
}

/// Instances of `floats` numbers each, as attributes 0, 1, ... of up to four numbers; grows, never shrinks.
export class Instances {
    readonly handle: WebGLVertexArrayObject;
    private readonly buffer: WebGLBuffer;
    private capacity = 0;

    constructor(private readonly gl: GL, private readonly floats: number) {
        this.handle = gl.createVertexArray();
        this.buffer = gl.createBuffer();
        gl.bindVertexArray(this.handle);
        gl.bindBuffer(gl.ARRAY_BUFFER, this.buffer);
        for (let k = 0, at = 0; at < floats; ++k, at += 4) {
            gl.enableVertexAttribArray(k);
            gl.vertexAttribPointer(k, Math.min(4, floats - at), gl.FLOAT, false, 4 * floats, 4 * at);
            gl.vertexAttribDivisor(k, 1);
        }
        gl.bindVertexArray(null);
    }

    fill(values: Float32Array, count: number): void {
        const gl = this.gl;
        gl.bindBuffer(gl.ARRAY_BUFFER, this.buffer);
        if (count > this.capacity) {
            this.capacity = Math.ceil(count * 1.5) + 64;
            gl.bufferData(gl.ARRAY_BUFFER, 4 * this.floats * this.capacity, gl.STREAM_DRAW);
        }
        if (count > 0) gl.bufferSubData(gl.ARRAY_BUFFER, 0, values, 0, count * this.floats);
    }
}

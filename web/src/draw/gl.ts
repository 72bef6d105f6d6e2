// SPDX-License-Identifier: Apache-2.0
/// A thin layer over WebGL: programs, textures, render targets, and tables that are uploaded every frame.

export type GL = WebGL2RenderingContext;

/// Texture units, by the names of the samplers in shaders.
const UNITS = ["uSurface", "uGround", "uMap", "uCaustics", "uFloor", "uTable"];

/// A program with its uniforms by name. Setting a uniform that the compiler removed does nothing.
///
/// Compiling takes tens of milliseconds per program, and seconds for all in software. So a program is compiled at its
/// first use, or when begin() requests it in advance; some drivers compile those in parallel in the background.
export class Program {
    private made: WebGLProgram | null = null;
    private checked = false;
    private readonly places = new Map<string, WebGLUniformLocation | null>();

    /// With `modest`, shaders are compiled with MODEST defined.
    constructor(
        private readonly gl: GL,
        private readonly vertex: string,
        private readonly fragment: string,
        private readonly modest = false,
    ) {}

    begin(): void {
        if (!this.made) this.compile();
    }

    /// Whether use() will not block. Needs the extension.
    ready(extension: KHR_parallel_shader_compile): boolean {
        const gl = this.gl;
        return !this.made || gl.isContextLost() ||
            gl.getProgramParameter(this.made, extension.COMPLETION_STATUS_KHR) === true;
    }

    use(): void {
        const handle = this.made ?? this.compile();
        if (!this.checked) this.check(handle);
        this.gl.useProgram(handle);
        if (!this.checked) this.connect(handle);
        this.checked = true;
    }

    private compile(): WebGLProgram {
        const gl = this.gl, handle = gl.createProgram();
        const head = this.modest ? "#version 300 es\n#define MODEST" : "#version 300 es";
        for (const [type, text] of [[gl.VERTEX_SHADER, this.vertex], [gl.FRAGMENT_SHADER, this.fragment]] as const) {
            const shader = gl.createShader(type);
            if (!shader) throw new Error("The graphics driver made no shader.");
            gl.shaderSource(shader, text.replace("#version 300 es", head));
            gl.compileShader(shader);
            gl.attachShader(handle, shader);
            gl.deleteShader(shader); // it is freed with the program
        }
        gl.linkProgram(handle);
        this.made = handle;
        return handle;
    }

    private check(handle: WebGLProgram): void {
        const gl = this.gl;
        if (gl.getProgramParameter(handle, gl.LINK_STATUS) || gl.isContextLost()) return;
        const logs = (gl.getAttachedShaders(handle) ?? []).map((s) => gl.getShaderInfoLog(s));
        throw new Error(`The graphics driver refused a shader: ${logs.join(" ")} ${gl.getProgramInfoLog(handle)}`);
    }

    /// Sets the texture units and the uniform block, once.
    private connect(handle: WebGLProgram): void {
        const gl = this.gl, block = gl.getUniformBlockIndex(handle, "Frame");
        if (block !== gl.INVALID_INDEX) gl.uniformBlockBinding(handle, block, 0);
        UNITS.forEach((name, unit) => gl.uniform1i(this.place(name), unit));
    }

    /// Location of a uniform, after the program was used.
    place(name: string): WebGLUniformLocation | null {
        let found = this.places.get(name);
        if (found === undefined) {
            found = this.made && this.gl.getUniformLocation(this.made, name);
            this.places.set(name, found);
        }
        return found;
    }
}

/// A texture of fixed format and variable size, with a framebuffer to draw into it.
export class Target {
    readonly texture: WebGLTexture;
    width = 0;
    height = 0;
    private readonly frame: WebGLFramebuffer;

    constructor(private readonly gl: GL, private readonly format: number, private readonly levels: boolean) {
        this.texture = gl.createTexture();
        this.frame = gl.createFramebuffer();
    }

    /// Reallocates when the size changes.
    resize(width: number, height: number): void {
        const gl = this.gl;
        if (width === this.width && height === this.height) return;
        this.width = width;
        this.height = height;
        gl.bindTexture(gl.TEXTURE_2D, this.texture);
        const wide = this.format === gl.RGBA32F, bytes = this.format === gl.RGBA8;
        const type = bytes ? gl.UNSIGNED_BYTE : wide ? gl.FLOAT : gl.HALF_FLOAT;
        gl.texImage2D(gl.TEXTURE_2D, 0, this.format, width, height, 0, gl.RGBA, type, null);
        filter(gl, this.levels ? gl.LINEAR_MIPMAP_NEAREST : gl.LINEAR, gl.LINEAR);
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

/// Sets the filter of the bound texture.
export function filter(gl: GL, smaller: number, larger: number): void {
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, smaller);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, larger);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE);
}

/// Rows of numbers that shaders fetch themselves. Not vertex attributes: in software rendering every instance costs
/// as much as a draw call.
export class Table {
    values = new Float32Array(0); ///< 4 * texels a row; at least as many as reserved
    private readonly texture: WebGLTexture;
    private lines = 0; // of the texture, 1024 texels each

    constructor(private readonly gl: GL, private readonly texels: number) {
        this.texture = gl.createTexture();
    }

    /// Allocates that many rows; old contents may be lost.
    reserve(rows: number): void {
        const gl = this.gl, lines = Math.ceil((rows * this.texels) / 1024);
        if (lines <= this.lines) return;
        this.lines = Math.ceil(1.5 * lines);
        this.values = new Float32Array(4096 * this.lines);
        gl.activeTexture(gl.TEXTURE5);
        gl.bindTexture(gl.TEXTURE_2D, this.texture);
        gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA32F, 1024, this.lines, 0, gl.RGBA, gl.FLOAT, null);
        filter(gl, gl.NEAREST, gl.NEAREST);
    }

    /// Copies rows of `floats` numbers and uploads them.
    fill(from: Float32Array, rows: number, floats: number): void {
        this.reserve(rows);
        const wide = 4 * this.texels;
        for (let i = 0; i < rows; ++i)
            for (let k = 0; k < floats; ++k) this.values[wide * i + k] = from[floats * i + k]!;
        this.send(rows);
    }

    send(rows: number): void {
        const gl = this.gl, lines = Math.ceil((rows * this.texels) / 1024);
        if (lines === 0) return;
        this.bind();
        gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, 1024, lines, gl.RGBA, gl.FLOAT, this.values, 0);
    }

    bind(): void {
        this.gl.activeTexture(this.gl.TEXTURE5);
        this.gl.bindTexture(this.gl.TEXTURE_2D, this.texture);
    }
}

// SPDX-License-Identifier: Apache-2.0
/// A canvas that shows a pond.
import type { Camera } from "../camera";
import type { Thing, View } from "../pond";
import { Painter } from "./painter";

export interface DrawOptions {
    wireframe: boolean;
    vortices: boolean;
    tracers: boolean;
    cursor: { x: number; y: number } | null; ///< a ring on the surface
    highlight: { thing: Thing; index: number } | null; ///< the hovered or grabbed thing
    time: number; ///< s, for slow pulsing only; 0 in still pictures
    restLevel: number; ///< m
}

const MOST_PIXELS = 2.6e6; // a little more than 1080p; beyond that, shading costs too much
const MOST_MODEST_PIXELS = 0.26e6; // without a graphics card
const MOST_MODEST_STILL = 0.9e6; // the same for a still picture, which may take up to a second with much foam
const NO_WEBGL = "This page needs WebGL 2.";

export class Picture {
    private readonly gl: WebGL2RenderingContext;
    private painter: Painter | null = null;
    private readonly modest: boolean; // no graphics card: fewer texels and pixels, no antialiasing
    private isLost = false;

    /// Throws Error("This page needs WebGL 2.") if it is missing. `fine` draws at full quality even without a
    /// graphics card, which takes seconds.
    constructor(private readonly canvas: HTMLCanvasElement, fine = false) {
        this.modest = drawsInSoftware() && !fine;
        const gl = canvas.getContext("webgl2", {
            alpha: false, antialias: !this.modest, powerPreference: "high-performance",
        });
        if (!gl) throw new Error(NO_WEBGL);
        this.gl = gl;
        this.open();
        canvas.addEventListener("webglcontextlost", this.onLost);
        canvas.addEventListener("webglcontextrestored", this.onRestored);
    }

    /// Resizes the canvas in pixels, with a limit that keeps large screens fluid. `still` is for a picture that does
    /// not change for a while.
    resize(cssWidth: number, cssHeight: number, pixelRatio: number, still = false): void {
        const wanted = cssWidth * cssHeight * pixelRatio * pixelRatio;
        const most = !this.modest ? MOST_PIXELS : still ? MOST_MODEST_STILL : MOST_MODEST_PIXELS;
        const ratio = pixelRatio * Math.min(1, Math.sqrt(most / Math.max(wanted, 1)));
        const width = Math.max(1, Math.round(cssWidth * ratio)), height = Math.max(1, Math.round(cssHeight * ratio));
        if (this.canvas.width !== width) this.canvas.width = width;
        if (this.canvas.height !== height) this.canvas.height = height;
    }

    draw(view: View, camera: Camera, options: DrawOptions): void {
        if (this.isLost || !this.painter) return;
        this.painter.draw(view, camera, options, this.gl.drawingBufferWidth, this.gl.drawingBufferHeight);
    }

    /// Resolves when the first picture can be drawn at once.
    async ready(): Promise<void> {
        await this.painter?.ready();
    }

    /// The WebGL context is lost; nothing is drawn until the browser restores it.
    get lost(): boolean {
        return this.isLost;
    }

    close(): void {
        this.canvas.removeEventListener("webglcontextlost", this.onLost);
        this.canvas.removeEventListener("webglcontextrestored", this.onRestored);
        this.painter = null;
        this.isLost = true;
        this.gl.getExtension("WEBGL_lose_context")?.loseContext(); // frees all resources at once
    }

    private open(): void {
        const gl = this.gl;
        // The surface and its light are kept in half floats. All known WebGL 2 implementations can render to them.
        if (!gl.getExtension("EXT_color_buffer_float") && !gl.getExtension("EXT_color_buffer_half_float"))
            throw new Error(NO_WEBGL);
        this.painter = new Painter(gl, this.modest);
    }

    private readonly onLost = (event: Event): void => {
        event.preventDefault(); // asks the browser to restore it
        this.isLost = true;
        this.painter = null;
    };

    private readonly onRestored = (): void => {
        this.open();
        this.isLost = false;
    };
}

/// Uses a context of its own, because antialiasing is chosen when a context is created.
function drawsInSoftware(): boolean {
    const gl = document.createElement("canvas").getContext("webgl2");
    if (!gl) throw new Error(NO_WEBGL);
    const info = gl.getExtension("WEBGL_debug_renderer_info");
    const name = String(gl.getParameter(info ? info.UNMASKED_RENDERER_WEBGL : gl.RENDERER));
    gl.getExtension("WEBGL_lose_context")?.loseContext();
    return /swiftshader|llvmpipe|software|basic render/i.test(name);
}

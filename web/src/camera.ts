// SPDX-License-Identifier: Apache-2.0
/// A camera that orbits a point on the water. It stays above the surface and outside the water, so no shader has to
/// handle a view from below.

const FIELD = (36 * Math.PI) / 180; // rad, vertical field of view
const LOWEST = 0.14; // rad above the horizon; at lower angles the surface only reflects
const HIGHEST = 1.5; // rad; below straight down, where "right" is undefined
const HOME_PITCH = 0.56;
const FILLED = 0.95; // share of the window that the pond may fill at home

type Point = [number, number, number];

const clamp = (x: number, low: number, high: number): number => Math.min(Math.max(x, low), high);

export class Camera {
    private width = 1; // m, of the pond
    private length = 1;
    private level = 0.2;
    private aspect = 16 / 9;
    private yaw = 0; // rad, of the eye around the target
    private pitch = HOME_PITCH;
    private distance = 2; // m
    private target: Point = [0.5, 0.5, 0.2];
    private homeDistance = 2;
    private untouched = true; // at the home view: a new window shape may move the eye

    // The axes that follow from the above; kept up to date by place().
    private readonly at: Point = [0, 0, 0];
    private readonly right: Point = [1, 0, 0];
    private readonly up: Point = [0, 0, 1];
    private readonly forward: Point = [0, 1, 0];

    constructor() {
        this.place();
    }

    /// Shows the whole pond from an angle, and makes that the home view.
    frame(width: number, length: number, level: number): void {
        this.width = width;
        this.length = length;
        this.level = level;
        this.home();
    }

    /// Rotates about the target; both in radians, positive dy raises the eye.
    orbit(dx: number, dy: number): void {
        if (!Number.isFinite(dx) || !Number.isFinite(dy)) return;
        this.yaw = (this.yaw + dx) % (2 * Math.PI);
        this.pitch += dy;
        this.touch();
    }

    /// A factor above 1 moves closer.
    zoom(factor: number): void {
        if (!(factor > 0) || !Number.isFinite(factor)) return;
        this.distance /= factor;
        this.touch();
    }

    /// Moves the picture, in shares of the window's height: positive dx to the right, positive dy up.
    pan(dx: number, dy: number): void {
        if (!Number.isFinite(dx) || !Number.isFinite(dy)) return;
        const metres = 2 * Math.tan(FIELD / 2) * this.distance;
        const ahead = (dy * metres) / Math.max(Math.sin(this.pitch), 0.3); // along the water
        const c = Math.cos(this.yaw), s = Math.sin(this.yaw);
        this.target[0] -= dx * metres * -s - ahead * c;
        this.target[1] -= dx * metres * c - ahead * s;
        this.touch();
    }

    home(): void {
        // The long side is horizontal in a wide window and along the view in a tall one, seen over a corner.
        const tall = this.aspect < 0.9;
        this.yaw = this.length >= this.width === tall ? -Math.PI / 2 + 0.46 : -0.46;
        this.pitch = tall ? 1.6 * HOME_PITCH : HOME_PITCH;
        this.target = [this.width / 2, this.length / 2, 0.3 * this.level];
        this.fit();
        this.untouched = true;
        this.place();
    }

    setAspect(aspect: number): void {
        if (!(aspect > 0) || !Number.isFinite(aspect)) return;
        this.aspect = aspect;
        if (this.untouched) this.home();
        else this.place();
    }

    ray(ndcX: number, ndcY: number): { from: Point; direction: Point } {
        const t = Math.tan(FIELD / 2), x = ndcX * t * this.aspect, y = ndcY * t;
        const d: Point = [0, 1, 2].map((k) => this.forward[k]! + x * this.right[k]! + y * this.up[k]!) as Point;
        const size = Math.hypot(d[0], d[1], d[2]);
        return { from: [...this.at], direction: [d[0] / size, d[1] / size, d[2] / size] };
    }

    /// Intersection of the ray through a point of the window with height z; null when there is none.
    hit(ndcX: number, ndcY: number, z: number): { x: number; y: number } | null {
        const { from, direction } = this.ray(ndcX, ndcY);
        const t = (z - from[2]) / direction[2];
        if (!(t > 0) || !Number.isFinite(t)) return null;
        return { x: from[0] + t * direction[0], y: from[1] + t * direction[1] };
    }

    /// Window position of a point; null behind the eye. Refraction is ignored.
    project(x: number, y: number, z: number): { x: number; y: number } | null {
        const dx = x - this.at[0], dy = y - this.at[1], dz = z - this.at[2];
        const along = (a: Point): number => dx * a[0] + dy * a[1] + dz * a[2];
        const depth = along(this.forward), t = Math.tan(FIELD / 2);
        if (!(depth > 1e-6)) return null;
        return { x: along(this.right) / (depth * t * this.aspect), y: along(this.up) / (depth * t) };
    }

    /// What restore() takes: two angles, the distance, and the target.
    state(): number[] {
        return [this.yaw, this.pitch, this.distance, ...this.target];
    }

    /// Anything but six finite numbers is ignored; values are clamped to the limits.
    restore(state: number[]): void {
        if (!Array.isArray(state) || state.length !== 6 || !state.every((x) => Number.isFinite(x))) return;
        this.yaw = state[0]! % (2 * Math.PI);
        this.pitch = state[1]!;
        this.distance = state[2]!;
        this.target = [state[3]!, state[4]!, state[5]!];
        this.touch();
    }

    get eye(): Readonly<Point> {
        return this.at;
    }

    /// For drawing: the ray of a pixel is forward + x * across + y * upward, x and y from -1 to 1; 3 numbers each.
    axes(across: Float32Array, upward: Float32Array, forward: Float32Array): void {
        const t = Math.tan(FIELD / 2);
        for (let k = 0; k < 3; ++k) {
            across[k] = this.right[k]! * t * this.aspect;
            upward[k] = this.up[k]! * t;
            forward[k] = this.forward[k]!;
        }
    }

    /// The matrix from the pond's space to clip space, column after column.
    matrix(out: Float32Array): void {
        const t = Math.tan(FIELD / 2), size = Math.hypot(this.width, this.length);
        const near = Math.max(0.01 * size, 0.04 * this.distance), far = this.distance + 3 * size;
        this.row(out, 0, this.right, 1 / (t * this.aspect), 0);
        this.row(out, 1, this.up, 1 / t, 0);
        this.row(out, 2, this.forward, (far + near) / (far - near), (2 * far * near) / (far - near));
        this.row(out, 3, this.forward, 1, 0);
    }

    /// Row r of the matrix: gain times the coordinate along an axis from the eye, minus `less`.
    private row(out: Float32Array, r: number, axis: Point, gain: number, less: number): void {
        out[r] = gain * axis[0];
        out[4 + r] = gain * axis[1];
        out[8 + r] = gain * axis[2];
        out[12 + r] = -gain * (axis[0] * this.at[0] + axis[1] * this.at[1] + axis[2] * this.at[2]) - less;
    }

    private touch(): void {
        this.untouched = false;
        this.place();
    }

    /// Clamps everything to its limits and computes the axes.
    private place(): void {
        const size = Math.hypot(this.width, this.length), spare = 0.15 * size;
        this.pitch = clamp(this.pitch, LOWEST, HIGHEST);
        this.distance = clamp(this.distance, 0.22 * size, 2.6 * this.homeDistance);
        this.target[0] = clamp(this.target[0], -spare, this.width + spare);
        this.target[1] = clamp(this.target[1], -spare, this.length + spare);
        this.target[2] = clamp(this.target[2], 0, this.level);
        const cp = Math.cos(this.pitch), sp = Math.sin(this.pitch), cy = Math.cos(this.yaw), sy = Math.sin(this.yaw);
        this.set(this.at, this.target[0] + this.distance * cp * cy, this.target[1] + this.distance * cp * sy,
                 this.target[2] + this.distance * sp);
        // Never in the water, nor so low that only the rim shows: the eye moves up and still looks at the target.
        this.at[2] = Math.max(this.at[2], this.level + 0.1 * size);
        const d: Point = [this.target[0] - this.at[0], this.target[1] - this.at[1], this.target[2] - this.at[2]];
        const far = Math.hypot(d[0], d[1], d[2]);
        this.set(this.forward, d[0] / far, d[1] / far, d[2] / far);
        this.set(this.right, -sy, cy, 0);
        const f = this.forward, r = this.right;
        this.set(this.up, r[1] * f[2] - r[2] * f[1], r[2] * f[0] - r[0] * f[2], r[0] * f[1] - r[1] * f[0]);
    }

    private set(out: Point, x: number, y: number, z: number): void {
        out[0] = x;
        out[1] = y;
        out[2] = z;
    }

    /// The nearest distance from which all corners of the pond lie in the window.
    private fit(): void {
        const size = Math.hypot(this.width, this.length);
        let low = 0.3 * size, high = 30 * size;
        this.homeDistance = high; // so that place() does not limit the search
        for (let k = 0; k < 40; ++k) {
            this.distance = 0.5 * (low + high);
            this.place();
            if (this.holdsPond()) high = this.distance;
            else low = this.distance;
        }
        this.distance = this.homeDistance = high;
    }

    private holdsPond(): boolean {
        for (let corner = 0; corner < 8; ++corner) {
            const z = corner & 4 ? 1.15 * this.level : 0;
            const p = this.project(corner & 1 ? this.width : 0, corner & 2 ? this.length : 0, z);
            if (!p || Math.max(Math.abs(p.x), Math.abs(p.y)) > FILLED) return false;
        }
        return true;
    }
}

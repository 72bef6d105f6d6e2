// SPDX-License-Identifier: Apache-2.0
/// The tank around the water: thickness of the glass, height of the rim, colour of the water. All follow the pond's
/// size, so that a glass, a bath and a basin all look like water.
import type { View } from "../pond";

export interface Tank {
    width: number; ///< m, along x
    length: number; ///< m, along y
    columns: number; ///< vertices along x
    rows: number; ///< vertices along y
    spacing: number; ///< m between vertices
    rest: number; ///< m; still level
    base: number; ///< m; the floor's lowest height
    top: number; ///< m; its greatest height
    flat: boolean; ///< the floor has one height
    scale: number; ///< m; the side of a square of the same area
    glass: number; ///< m; thickness of a pane
    rim: number; ///< m; height of the panes' upper edge
    table: number; ///< m; height of the table
    tile: number; ///< m; edge of a tile of the floor
    absorb: [number, number, number]; ///< 1/m, of red, green and blue
    haze: number; ///< 1/m; strength of in-scattering
    sun: [number, number, number]; ///< unit vector to the sun, in air
    sunBelow: [number, number, number]; ///< the same in still water
    nozzle: number; ///< m; radius of a nozzle's ring
}

/// From the pond's extent, its level, and the lowest and highest ground.
export function measureTank(view: View, rest: number, low: number, high: number): Tank {
    const width = (view.width - 1) * view.spacing, length = (view.height - 1) * view.spacing;
    const scale = Math.sqrt(width * length), depth = Math.max(rest - low, 0.02 * scale);
    const murk = 0.85 / (Math.pow(0.55 * scale, 0.35) * Math.pow(depth, 0.65));
    const flat = high - low < 1e-4 * scale;
    const sun = sunOver(length >= width);
    return {
        width, length, rest, flat, scale, sun, base: low, top: high,
        columns: view.width, rows: view.height, spacing: view.spacing,
        glass: Math.min(0.010 * scale, 0.06 * depth),
        rim: rimAbove(rest, depth, scale),
        table: low - Math.min(0.022 * scale, 0.12 * depth),
        tile: Math.min(scale / 14, Math.max(0.25 * depth, scale / 60)),
        absorb: [1.55 * murk, 0.50 * murk, 0.34 * murk],
        haze: 0.3 * murk,
        sunBelow: bend(sun),
        nozzle: Math.min(Math.max(0.0065 * scale, 0.3 * view.spacing), 0.02 * scale),
    };
}

/// Height of the panes' upper edge for water of this level and depth, in a tank of this scale, m.
export function rimAbove(rest: number, depth: number, scale: number): number {
    return rest + Math.max(0.14 * depth, 0.012 * scale);
}

/// The sun is behind the pond and to the left as seen from the camera's home, so that ripples glint and shadows fall
/// towards the viewer. It does not move with the camera.
function sunOver(longAlongY: boolean): [number, number, number] {
    const azimuth = (longAlongY ? -0.46 : -Math.PI / 2 + 0.46) - 2.45, height = 0.9;
    return [Math.cos(height) * Math.cos(azimuth), Math.cos(height) * Math.sin(azimuth), Math.sin(height)];
}

function bend(sun: [number, number, number]): [number, number, number] {
    const x = sun[0] / 1.333, y = sun[1] / 1.333;
    return [x, y, Math.sqrt(1 - x * x - y * y)];
}

// SPDX-License-Identifier: Apache-2.0
/// All sliders of the panel. Meaning, unit and allowed range come from the solver's table of keys; this file has only
/// the label, the useful part of the range, and the group.
import type { Key } from "../pond";
import { find } from "./dom";
import { unitName } from "./format";
import { Slider, type SliderListener, type SliderSpec } from "./slider";

const millimetres = { unit: "mm", times: 1e3 };
const squareMillimetres = { unit: "mm²/s", times: 1e6 };

const groups: { [selector: string]: SliderSpec[] } = {
    "#group-bubbles .rows": [
        { path: "nozzles.rate", label: "Nozzle rate", from: 0, to: 60 },
        { path: "nozzles.radius", label: "Bubble radius", from: 1e-3, to: 15e-3, ...millimetres },
        { path: "vortex_strength", label: "Vortex strength", from: 0, to: 2 },
        { path: "wobble", label: "Wobble", from: 0, to: 3 },
    ],
    "#group-foam .rows": [
        { path: "foam_probability", label: "Share that foams", from: 0, to: 1 },
        { path: "foam_life", label: "Life", from: 0.1, to: 20, log: true },
        { path: "foam_tension", label: "Tension", from: 0, to: 1 },
    ],
    "#group-water .rows": [
        { path: "rest_level", label: "Water level", from: 0.05, to: 0.5, reopens: true },
        { path: "gravity", label: "Gravity", from: 1, to: 20 },
        { path: "viscosity", label: "Viscosity", from: 1e-6, to: 1e-2, log: true, ...squareMillimetres },
        { path: "surface_damping", label: "Ripple damping", from: 0, to: 0.01, ...squareMillimetres },
    ],
    "#tool-sliders": [
        { path: "heaters.rate", label: "Heat: bubble rate", from: 0, to: 600 },
        { path: "heaters.bubble_radius", label: "Heat: bubble radius", from: 1e-3, to: 15e-3, ...millimetres },
        { path: "obstacle_speed_max", label: "Obstacle speed limit", from: 0.05, to: 3 },
    ],
};

/// Every path that a slider sets, for saving a set-up.
export const sliderPaths: readonly string[] = Object.values(groups).flatMap((specs) => specs.map((s) => s.path));

export class Sliders {
    private readonly all: Slider[] = [];

    constructor(keys: Key[], listener: SliderListener) {
        for (const [selector, specs] of Object.entries(groups)) {
            const home = find(selector, HTMLElement);
            for (const spec of specs) {
                const key = lookUp(keys, spec.path);
                if (!key) continue; // no slider without a key
                const slider = new Slider(spec, key, listener, spec.unit ?? unitName(key.unit));
                this.all.push(slider);
                home.append(slider.row);
            }
        }
    }

    /// Another scene was opened: the sliders' buttons restore its values.
    adopt(value: (path: string) => number): void {
        for (const slider of this.all) slider.setOwn(value(slider.spec.path));
    }

    /// Updates values that may have changed elsewhere: by a replay, a script, or a new nozzle.
    refresh(value: (path: string) => number): void {
        for (const slider of this.all) slider.show(value(slider.spec.path));
    }
}

/// "nozzles.rate" is the row "rate" in the items of "nozzles".
function lookUp(keys: Key[], path: string): Key | undefined {
    const [head, ...rest] = path.split(".");
    const key = keys.find((k) => k.name === head);
    return rest.length === 0 ? key : lookUp(key?.items ?? [], rest.join("."));
}

// SPDX-License-Identifier: Apache-2.0
/// The table of numbers and the bars of stage times, written four times a second.
import type { Statistics } from "../pond";
import { find, make, write } from "./dom";
import { count, megabytes, milliseconds, volume } from "./format";
import type { Meter } from "./meter";

export interface Measured {
    pictures: Meter; ///< s between pictures
    solver: Meter; ///< s for a step
    stepsPerSecond: number;
    fps: number;
    pond: Statistics;
    simd: boolean;
}

type Row = readonly [label: string, text: (m: Measured) => string, title?: string];

const rows: readonly Row[] = [
    ["Frame", (m) => `${count(m.pond.frame)} · ${m.pond.time.toFixed(2)} s`],
    ["Steps", (m) => `${m.stepsPerSecond.toFixed(0)} of ${m.fps}/s`],
    ["Picture", (m) => spread(m.pictures), "Time between pictures: mean and 99th percentile of the last 240"],
    ["Solver", (m) => spread(m.solver), "Time for a step, without drawing: mean and 99th percentile of the last 240"],
    ["Bubbles", (m) => count(m.pond.bubbles)],
    ["Foam bubbles", (m) => count(m.pond.foam)],
    ["Vortices", (m) => count(m.pond.bubbles + m.pond.ghosts), "One for every bubble, and those that outlive theirs"],
    ["Nozzles", (m) => count(m.pond.nozzles)],
    ["Water sub-steps", (m) => count(m.pond.substeps), "In the last step"],
    ["Water", (m) => volume(m.pond.waterM3)],
    ["Gas let in", (m) => volume(m.pond.gasInM3)],
    ["Gas let out", (m) => volume(m.pond.gasOutM3)],
    ["Gas in the pond", (m) => volume(m.pond.gasM3)],
    ["Gas missing", (m) => volume(missing(m.pond)), "Let in, less let out and present: rounding only"],
    ["Held back", (m) => count(m.pond.held), "Bubbles not let in for want of room"],
    ["Memory", (m) => `${megabytes(m.pond.bytes)}${m.simd ? " · SIMD" : ""}`],
];

function missing(pond: Statistics): number {
    return pond.gasInM3 - pond.gasOutM3 - pond.gasM3;
}

export class StatisticsTable {
    private readonly group = find("#group-statistics", HTMLDetailsElement);
    private readonly cells: HTMLElement[] = [];

    constructor() {
        const body = find("#statistics tbody", HTMLElement);
        for (const [label, , title] of rows) {
            const row = make("tr");
            const head = make("th", "", label);
            head.scope = "row";
            if (title) row.title = title;
            const cell = make("td", "", "–");
            row.append(head, cell);
            body.append(row);
            this.cells.push(cell);
        }
    }

    get open(): boolean {
        return this.group.open;
    }

    show(measured: Measured): void {
        if (!this.group.open) return;
        for (let i = 0; i < rows.length; ++i) write(this.cells[i], rows[i][1](measured));
    }
}

function spread(meter: Meter): string {
    return Number.isFinite(meter.mean) ? `${milliseconds(meter.mean)}, p99 ${milliseconds(meter.p99)}` : "–";
}

interface StageRow {
    bar: HTMLElement;
    time: HTMLElement;
    total: number; ///< s, at the last update
    smooth: number; ///< s a step, smoothed for reading
}

/// Bars for the stages of a step. The solver reports totals since it was opened; the bars show the time per step.
export class StageBars {
    private readonly home = find("#stages", HTMLElement);
    private readonly rows = new Map<string, StageRow>();
    private frame = 0;

    show(stages: { name: string; seconds: number }[], frame: number): void {
        const steps = frame - this.frame;
        this.frame = frame;
        if (steps === 0) return;
        let longest = 1e-4; // s; below, bars stay short
        for (const stage of stages) {
            const row = this.row(stage.name);
            // A new pond's totals start at 0.
            const spent = steps > 0 ? (stage.seconds - row.total) / steps : stage.seconds / Math.max(1, frame);
            row.total = stage.seconds;
            row.smooth += (row.smooth > 0 ? 0.4 : 1) * (spent - row.smooth);
            longest = Math.max(longest, row.smooth);
        }
        for (const row of this.rows.values()) {
            row.bar.style.setProperty("--share", (row.smooth / longest).toFixed(3));
            write(row.time, milliseconds(row.smooth));
        }
    }

    private row(name: string): StageRow {
        let row = this.rows.get(name);
        if (!row) {
            const line = make("div", "stage");
            row = { bar: make("i"), time: make("span", "time"), total: 0, smooth: 0 };
            line.append(make("span", "", name), row.bar, row.time);
            this.home.append(line);
            this.rows.set(name, row);
        }
        return row;
    }
}

// SPDX-License-Identifier: Apache-2.0
/// Monitors the run: statistics, badges, progress of a replay, and a warning on a slow machine.
import type { Engine } from "../engine";
import { find, write } from "./dom";
import { count } from "./format";
import { Meter } from "./meter";
import { badge } from "./panel";
import type { Voice } from "./messages";
import { Resolution } from "./resolution";
import type { Stage } from "./stage";
import { StageBars, StatisticsTable } from "./statistics";

const interval = 0.25; // s between tallies
const patience = 40; // slow tallies in a row before a notice: ten seconds

export class RunMonitor {
    readonly resolution = new Resolution();
    private readonly pictures = new Meter();
    private readonly table = new StatisticsTable();
    private readonly bars = new StageBars();
    private readonly replay = find("#winding", HTMLElement);
    private readonly replayText = find("#winding-text", HTMLElement);
    private readonly replayBar = find("#winding-bar", HTMLProgressElement);
    private since = 0; // s
    private slowFor = 0; // tallies
    private limited = 0;
    private held = 0;
    private stagesShown = false;

    constructor(
        private readonly engine: Engine,
        private readonly stage: Stage,
        private readonly voice: Voice,
    ) {}

    /// Resets the measurements for another pond.
    opened(): void {
        this.pictures.clear();
        this.slowFor = this.limited = this.held = 0;
        badge("slow", null);
        badge("water", null);
    }

    /// The state (running, paused or replaying) has changed.
    turned(): void {
        this.slowFor = 0;
        this.replay.hidden = this.stage.winding === null;
    }

    showStages(shown: boolean): void {
        this.stagesShown = shown;
        find("#stages", HTMLElement).hidden = !shown;
        if (!shown) return;
        find("#group-debug", HTMLDetailsElement).open = true;
        this.tally(); // creates the bars to scroll to
        find("#stages", HTMLElement).scrollIntoView({ block: "nearest" });
    }

    /// Call it after every picture. True when a tally is due.
    advance(seconds: number): boolean {
        this.pictures.push(seconds);
        this.since += seconds;
        const winding = this.stage.winding;
        if (winding) {
            this.replayBar.value = winding.from / winding.to;
            write(this.replayText, `Replaying: frame ${count(winding.from)} of ${count(winding.to)}`);
        }
        return this.since >= interval;
    }

    /// Updates all numbers.
    tally(): void {
        const { stage } = this;
        stage.clock.tally(this.since);
        const stepping = !stage.paused && !stage.winding;
        if (stepping) this.tellSpeed();
        else badge("slow", null);
        const statistics = stage.session.statistics();
        this.tellLimits(statistics.limited, statistics.held);
        this.table.show({
            pictures: this.pictures,
            solver: stage.solverTimes,
            stepsPerSecond: stage.clock.stepsPerSecond,
            fps: stage.clock.fps,
            pond: statistics,
            simd: this.engine.simd,
        });
        if (this.stagesShown) this.bars.show(stage.session.stages(), statistics.frame);
        this.since = 0;
    }

    private tellSpeed(): void {
        const { clock } = this.stage;
        const rate = Math.round(clock.stepsPerSecond);
        badge("slow", clock.slow ? `slow: ${rate} of ${clock.fps} steps/s` : null);
        this.slowFor = clock.slow ? this.slowFor + 1 : 0;
        if (this.slowFor !== patience) return;
        this.voice.notice(
            `This machine computes ${rate} of ${clock.fps} steps a second, so the pond moves slower than in reality. ` +
                "Its motion is the same. A smaller window or scene helps.",
        );
    }

    /// Shows a badge while the solver's counters of limits grow.
    private tellLimits(limited: number, held: number): void {
        const words = limited > this.limited ? "fast water" : held > this.held ? "full: nozzles hold" : null;
        this.limited = limited;
        this.held = held;
        badge("water", words);
    }
}

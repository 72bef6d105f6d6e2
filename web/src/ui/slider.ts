// SPDX-License-Identifier: Apache-2.0
/// One slider: a name, the value with its unit, and a button that restores the scene's value.
import type { Key } from "../pond";
import { make, write } from "./dom";
import { quantity } from "./format";

export interface SliderSpec {
    path: string; ///< as Session.set takes it
    label: string;
    from: number;
    to: number;
    log?: boolean;
    unit?: string; ///< as shown; else the key's own
    times?: number; ///< factor for display: 1000 shows metres as millimetres
    reopens?: boolean; ///< needs a new pond, so it takes effect when the slider is released
}

export interface SliderListener {
    /// Called while the slider moves; for specs with `reopens` once, when it is released.
    changed(spec: SliderSpec, value: number): void;
    /// Called when it is released, with a text for screen readers.
    rested(words: string): void;
}

const positions = 200; // few enough that each is a different number in three digits

export class Slider {
    readonly row = make("div", "slider");
    private readonly input = make("input");
    private readonly output = make("output");
    private readonly back = make("button", "back", "↺");
    private own = NaN;
    private shown = NaN;
    private upper: number;

    constructor(
        readonly spec: SliderSpec,
        private readonly key: Key,
        private readonly listener: SliderListener,
        private readonly unit: string,
    ) {
        this.upper = spec.to;
        const id = `slider-${spec.path.replaceAll(".", "-")}`;
        const label = make("label", "", spec.label);
        const hint = make("span", "unseen", this.describe());
        label.htmlFor = this.input.id = id;
        hint.id = `${id}-hint`;
        this.row.title = this.describe();
        this.input.type = "range";
        this.input.max = String(positions);
        this.input.setAttribute("aria-describedby", hint.id);
        this.output.htmlFor.add(id);
        this.back.title = "Back to the scene's own value";
        this.back.setAttribute("aria-label", `${spec.label}: back to the scene's own value`);
        this.row.append(label, this.back, this.output, this.input, hint);
        this.input.addEventListener("input", () => this.moved());
        this.input.addEventListener("change", () => this.rested());
        this.input.addEventListener("dblclick", () => this.goBack());
        this.back.addEventListener("click", () => {
            this.goBack();
            this.input.focus(); // the button disappears when clicked
        });
    }

    /// The value that the button restores; NaN when the pond has nothing that this slider sets.
    setOwn(value: number): void {
        this.own = value;
        this.upper = Math.max(this.spec.to, Number.isFinite(value) ? value : 0);
        this.show(value);
    }

    /// Shows a value set elsewhere.
    show(value: number): void {
        if (Object.is(value, this.shown) || this.dragged) return;
        this.shown = value;
        const none = !Number.isFinite(value);
        this.input.disabled = none;
        this.input.value = none ? "0" : String(this.position(value));
        this.print(value);
    }

    private dragged = false;

    private moved(): void {
        const value = this.value();
        this.dragged = this.spec.reopens === true;
        this.shown = value;
        this.print(value);
        if (!this.spec.reopens) this.listener.changed(this.spec, value);
    }

    private rested(): void {
        this.dragged = false;
        if (this.spec.reopens) this.listener.changed(this.spec, this.shown);
        this.listener.rested(`${this.spec.label.toLowerCase()} ${this.text(this.shown)}`);
    }

    private goBack(): void {
        if (!Number.isFinite(this.own)) return;
        this.dragged = false;
        this.show(this.own);
        this.listener.changed(this.spec, this.own);
        this.listener.rested(`${this.spec.label.toLowerCase()} ${this.text(this.own)}`);
    }

    private print(value: number): void {
        const none = !Number.isFinite(value);
        write(this.output, none ? "none here" : this.text(value));
        this.input.setAttribute("aria-valuetext", none ? "none here" : this.text(value));
        // The scene's value comes back from the solver in single precision.
        const same = none || Math.abs(value - this.own) <= 1e-6 * Math.abs(this.own);
        this.back.classList.toggle("idle", same);
        this.back.tabIndex = same ? -1 : 0;
        const share = this.position(none ? this.spec.from : value) / positions;
        this.input.style.setProperty("--filled", `${(100 * share).toFixed(1)}%`);
    }

    private text(value: number): string {
        return quantity(value * (this.spec.times ?? 1), this.unit);
    }

    private describe(): string {
        const { doc, min, max } = this.key;
        const times = this.spec.times ?? 1;
        const range = `${quantity(Math.max(min, this.spec.from) * times, "")} to ${quantity(
            Math.min(max, this.spec.to) * times, this.unit)}`;
        return `${doc}; ${range}.${this.spec.reopens ? " Starts the scene again." : ""}`;
    }

    /// Three significant digits: as fine as a hand can set, and short in a link.
    private value(): number {
        const share = Number(this.input.value) / positions;
        const { from, log } = this.spec;
        const value = log ? from * (this.upper / from) ** share : from + (this.upper - from) * share;
        return Number(Math.min(Math.max(value, this.key.min), this.key.max).toPrecision(3));
    }

    private position(value: number): number {
        const { from, log } = this.spec;
        const share = log ? Math.log(value / from) / Math.log(this.upper / from) : (value - from) / (this.upper - from);
        return Math.round(positions * Math.min(Math.max(share, 0), 1));
    }
}

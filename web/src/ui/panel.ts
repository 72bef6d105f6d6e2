// SPDX-License-Identifier: Apache-2.0
/// The side panel (a sheet at the bottom of a narrow window), and the badges beside the bar.
import { find, make, write } from "./dom";
import { shapeNames, type Tools } from "./tools";

const narrow = "(max-width: 720px) and (orientation: portrait)";
/// The panel starts closed in windows of this size, to leave room for the pond.
const small = `${narrow}, (max-width: 640px), (max-height: 400px)`;

export class Panel {
    private readonly panel = find("#panel", HTMLElement);
    private readonly toggle = find("#panel-toggle", HTMLButtonElement);
    private readonly heater = find("[data-action=heater]", HTMLButtonElement);
    private readonly shapes: HTMLButtonElement[] = [];

    constructor(
        private readonly tools: Tools,
        private readonly resized: () => void,
    ) {
        const media = matchMedia(small);
        this.fold(media.matches);
        media.addEventListener("change", () => this.fold(media.matches));
        this.toggle.addEventListener("click", () => this.fold(!this.folded));
        const home = find("#shapes", HTMLElement);
        for (const { shape, name } of shapeNames) {
            const button = make("button", "", name);
            button.addEventListener("click", () => this.tools.setShape(shape));
            home.append(button);
            this.shapes.push(button);
        }
    }

    get folded(): boolean {
        return this.panel.classList.contains("folded");
    }

    fold(folded: boolean): void {
        document.body.classList.toggle("beside", !folded && !matchMedia(narrow).matches);
        document.body.classList.toggle("sheet", !folded && matchMedia(narrow).matches);
        this.panel.classList.toggle("folded", folded);
        this.toggle.setAttribute("aria-expanded", String(!folded));
        this.toggle.title = folded ? "Show the controls" : "Hide the controls";
        this.resized();
    }

    /// Updates the switches of the tools.
    refresh(): void {
        mark(this.heater, "aria-checked", this.tools.heaterOn);
        const shape = this.tools.shape;
        shapeNames.forEach((s, i) => mark(this.shapes[i], "aria-pressed", s.shape === shape));
    }
}

export function mark(button: Element, attribute: "aria-checked" | "aria-pressed", on: boolean): void {
    const value = String(on);
    if (button.getAttribute(attribute) !== value) button.setAttribute(attribute, value);
}

export type BadgeName = "paused" | "slow" | "water" | "clip";

const badges = new Map<BadgeName, HTMLElement>();

/// Shows a badge with this text, or hides it.
export function badge(name: BadgeName, words: string | null): void {
    const element = badges.get(name) ?? find(`#badge-${name}`, HTMLElement);
    badges.set(name, element);
    if (element.hidden !== (words === null)) element.hidden = words === null;
    if (words !== null) write(element, words);
}

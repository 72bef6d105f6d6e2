// SPDX-License-Identifier: Apache-2.0
/// The table of all actions: keys, label and function. Keyboard, buttons and help all read this table, so they agree.
import { find } from "./dom";

export interface Action {
    name: string; ///< as data-action in index.html
    keys: readonly string[]; ///< as KeyboardEvent.key
    label: string;
    repeats?: boolean; ///< repeats while the key is held
    run(): void;
}

export type ViewName = "vortices" | "tracers" | "wireframe" | "stages";

/// What the actions do; implemented by the page.
export interface Deck {
    togglePause(): void;
    single(): void;
    reset(): void;
    share(): void;
    picture(): void;
    clip(): void;
    sound(): void;
    help(): void;
    heater(): void;
    shape(): void;
    tapAtCursor(): void;
    grab(): void;
    addNozzle(): void;
    removeNozzle(): void;
    home(): void;
    zoom(factor: number): void;
    turn(right: number, up: number): void;
    save(): void;
    open(): void;
    hash(): void;
    toggleView(view: ViewName): void;
    scene(index: number): void;
    stop(): void;
    escape(): void;
}

export function actionTable(deck: Deck): readonly Action[] {
    const table: Action[] = [
        { name: "pause", keys: [" "], label: "Pause or continue", run: () => deck.togglePause() },
        { name: "step", keys: ["."], label: "One frame", repeats: true, run: () => deck.single() },
        { name: "reset", keys: ["r"], label: "Start again", run: () => deck.reset() },
        { name: "heater", keys: ["h"], label: "Heat source on or off", run: () => deck.heater() },
        { name: "shape", keys: ["o"], label: "Next obstacle: cylinder, box, capsule, none", run: () => deck.shape() },
        { name: "nozzle", keys: ["n"], label: "Add a nozzle at the cursor", run: () => deck.addNozzle() },
        {
            name: "unnozzle",
            keys: ["Delete", "Backspace"],
            label: "Remove the nearest nozzle",
            run: () => deck.removeNozzle(),
        },
        { name: "tap", keys: ["Enter"], label: "Pop foam or poke water at the cursor", run: () => deck.tapAtCursor() },
        { name: "grab", keys: ["g"], label: "Grab the nearest object, or let go", run: () => deck.grab() },
        { name: "zoomIn", keys: ["+", "="], label: "Nearer", repeats: true, run: () => deck.zoom(1.08) },
        { name: "zoomOut", keys: ["-", "_"], label: "Further", repeats: true, run: () => deck.zoom(1 / 1.08) },
        { name: "turnLeft", keys: [], label: "Turn left", run: () => deck.turn(-1, 0) },
        { name: "turnRight", keys: [], label: "Turn right", run: () => deck.turn(1, 0) },
        { name: "turnUp", keys: [], label: "Look from higher", run: () => deck.turn(0, 1) },
        { name: "turnDown", keys: [], label: "Look from lower", run: () => deck.turn(0, -1) },
        { name: "home", keys: ["Home"], label: "See the whole pond", run: () => deck.home() },
        { name: "picture", keys: ["s"], label: "Save a picture", run: () => deck.picture() },
        { name: "clip", keys: ["c"], label: "Record a clip, up to 30 s", run: () => deck.clip() },
        { name: "share", keys: ["u"], label: "Copy a link to this moment", run: () => deck.share() },
        { name: "save", keys: [], label: "Save the session to a file", run: () => deck.save() },
        { name: "open", keys: [], label: "Open a scene or session file", run: () => deck.open() },
        { name: "sound", keys: ["m"], label: "Sound on or off", run: () => deck.sound() },
        { name: "vortices", keys: ["v"], label: "Show vortices", run: () => deck.toggleView("vortices") },
        { name: "tracers", keys: ["t"], label: "Show tracers", run: () => deck.toggleView("tracers") },
        { name: "wireframe", keys: ["w"], label: "Show the surface's mesh", run: () => deck.toggleView("wireframe") },
        { name: "stages", keys: ["f"], label: "Show stage times", run: () => deck.toggleView("stages") },
        { name: "hash", keys: [], label: "Take the hash of the whole state", run: () => deck.hash() },
        { name: "help", keys: ["?"], label: "Help", run: () => deck.help() },
        { name: "stop", keys: [], label: "Stop the replay here", run: () => deck.stop() },
        { name: "escape", keys: ["Escape"], label: "Let go, hide the cursor, stop a replay", run: () => deck.escape() },
    ];
    for (let i = 0; i < 9; ++i) {
        table.push({ name: `scene${i + 1}`, keys: [String(i + 1)], label: "", run: () => deck.scene(i) });
    }
    return table;
}

const keyNames: { [key: string]: string } = { " ": "Space", "-": "−", Delete: "Del" };

export function keyName(key: string): string {
    return keyNames[key] ?? (key.length === 1 ? key.toUpperCase() : key);
}

/// Binds the buttons of index.html. Their tooltips show the key.
export function bindButtons(table: readonly Action[]): void {
    for (const action of table) {
        for (const button of document.querySelectorAll(`button[data-action="${action.name}"]`)) {
            const key = action.keys[0];
            if (button instanceof HTMLElement) button.title = key ? `${action.label} (${keyName(key)})` : action.label;
            // A symbol needs an accessible name.
            if (!/[a-z]/i.test(button.textContent ?? "") && !button.hasAttribute("aria-labelledby")) {
                button.setAttribute("aria-label", action.label);
            }
            if (key) button.setAttribute("aria-keyshortcuts", key === " " ? "Space" : key.toUpperCase());
            button.addEventListener("click", (e) => {
                // After a mouse click the focus returns to the pond, so that Space pauses; a key press keeps it here.
                if (e instanceof MouseEvent && e.detail > 0) find("#pond", HTMLCanvasElement).focus();
                action.run();
            });
        }
    }
}

export function buttonOf(name: string): HTMLButtonElement {
    return find(`button[data-action="${name}"]`, HTMLButtonElement);
}

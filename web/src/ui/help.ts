// SPDX-License-Identifier: Apache-2.0
/// The help: gestures and keys.
import { keyName, type Action } from "./actions";
import { find, make } from "./dom";

const about =
    "Air rises from nozzles and from a heat source, stirs the water, and lies on it as foam until it pops. " +
    "All of it is computed here, in this page, and nothing is sent anywhere.";

const gestures: readonly (readonly [string, string])[] = [
    ["Tap foam", "pops it"],
    ["Tap water", "pokes it"],
    ["Drag over foam", "wipes it away; with Shift also over the heat source"],
    ["Drag the glow, the obstacle or a nozzle", "moves it; a nozzle dragged off the pond is gone"],
    ["Double-tap", "adds a nozzle"],
    ["Press long", "brings the heat source there"],
    ["Right-drag, or drag beside the pond", "turns the view"],
    ["Middle-drag, or Shift and right-drag", "slides it"],
    ["Wheel", "zooms"],
    ["Two fingers", "together turn the view; spread, they zoom, slide and twist it"],
];

const heldKeys: readonly (readonly [string, string])[] = [
    ["Arrows", "turn the view"],
    ["Shift Arrows", "move a cursor over the water; carry what it holds"],
    ["1 – 9", "choose a scene"],
];

export function fillHelp(table: readonly Action[]): void {
    const body = find("#help-body", HTMLElement);
    body.append(
        make("p", "", about),
        section("By hand", gestures, false),
        section("By key", [
            ...heldKeys,
            ...table
                .filter((a) => a.keys.length > 0 && a.label)
                .map((a) => [a.keys.map(keyName).slice(0, 1).join(" "), a.label] as const),
        ], true),
    );
}

function section(title: string, rows: readonly (readonly [string, string])[], keys: boolean): HTMLElement {
    const part = make("section");
    const list = make("dl", keys ? "keys" : "");
    for (const [what, does] of rows) {
        const term = make("dt", "", keys ? "" : what);
        if (keys) term.append(...what.split(" ").map((key) => make(key === "–" ? "span" : "kbd", "", key)));
        list.append(term, make("dd", "", does));
    }
    part.append(make("h3", "", title), list);
    return part;
}

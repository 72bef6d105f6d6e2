// SPDX-License-Identifier: Apache-2.0
/// Makes a link of the current pond and publishes it.
import { find } from "./dom";
import { count } from "./format";
import type { Voice } from "./messages";
import { furthestFrame, type Stage } from "./stage";
import { linkVersion, longestFragment, writeLink } from "./link_format";

export interface Shared {
    fragment: string;
    history: boolean; ///< false: only the set-up, because the recorded inputs do not fit
}

/// Null when not even the set-up fits.
export async function shareFragment(stage: Stage, camera: number[]): Promise<Shared | null> {
    stage.applyPending();
    const { session } = stage;
    const seen = camera.map((v) => Number(v.toPrecision(5)));
    if (session.frame <= furthestFrame) {
        const whole = { v: linkVersion, at: session.frame, camera: seen, scene: session.record() };
        const fragment = await writeLink(whole);
        if (fragment.length <= longestFragment) return { fragment, history: true };
    }
    const setup = { v: linkVersion, at: 0, camera: seen, scene: session.setup() };
    const fragment = await writeLink(setup);
    return fragment.length <= longestFragment ? { fragment, history: false } : null;
}

/// Puts the link into the address bar and the clipboard, and reports what it contains.
export async function publish(shared: Shared, frame: number, voice: Voice): Promise<void> {
    history.replaceState(null, "", shared.fragment);
    const size = `${(shared.fragment.length / 1000).toFixed(1)} kB`;
    const holds = shared.history
        ? `It opens this pond at frame ${count(frame)}, bit for bit.`
        : "What was done so far does not fit into a link: it opens this set-up from the start.";
    try {
        await navigator.clipboard.writeText(location.href);
        voice.notice(`Link copied (${size}). ${holds}`);
    } catch {
        const text = find("#link-text", HTMLInputElement);
        text.value = location.href;
        find("#link", HTMLDialogElement).showModal();
        text.select();
        voice.notice(`Link made (${size}). ${holds}`);
    }
}

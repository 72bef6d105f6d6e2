// SPDX-License-Identifier: Apache-2.0
/// window.spume: the page's door for scripts, from the browser's console or from tests.
///
///     spume.pause(); spume.session().set("foam_life", 10); spume.step(60); spume.session().hash()
///
/// What goes through session() is recorded like what is done by hand, so a link still replays it.
import type { Camera } from "../camera";
import type { Session } from "../session";
import type { App } from "./app";
import { shareFragment } from "./sharing";

export interface Door {
    /// The pond that is on. Ask again after a scene was opened: the old one is closed then.
    session(): Session;
    camera(): Camera;
    /// The place on the water that keys act on, m.
    cursor(): { x: number; y: number };
    paused(): boolean;
    /// True while a link or a file is being replayed to its frame, and while a link is being read.
    winding(): boolean;
    play(): void;
    pause(): void;
    /// So many frames at once, paused.
    step(frames?: number): void;
    /// A fragment "#p=…" for the present pond; null when it does not fit.
    link(): Promise<string | null>;
    /// Where a place in the pond is seen, in CSS pixels of the window; null behind the camera.
    locate(x: number, y: number, z: number): { x: number; y: number } | null;
}

declare global {
    interface Window {
        spume?: Readonly<Door>;
    }
}

/// Once the first pond is on: who finds the door must find a session behind it, and know whether it is winding.
export function openDoor(app: App): void {
    window.spume = Object.freeze<Door>({
        session: () => app.stage.session,
        camera: () => app.camera,
        cursor: () => ({ ...app.cursor.place }),
        paused: () => app.stage.paused,
        winding: () => app.winding,
        play: () => app.stage.play(),
        pause: () => app.stage.pause(),
        step: (frames = 1) => {
            for (let i = 0; i < frames; ++i) app.stage.single();
        },
        link: async () => (await shareFragment(app.stage, app.camera.state()))?.fragment ?? null,
        locate: (x, y, z) => app.locate(x, y, z),
    });
}

// SPDX-License-Identifier: Apache-2.0
/// window.spume: the scripting interface, for the browser's console and for tests.
///
///     spume.pause(); spume.session().set("foam_life", 10); spume.step(60); spume.session().hash()
///
/// Inputs through session() are recorded like those made by hand, so a link replays them.
import type { Camera } from "../camera";
import type { Session } from "../session";
import type { App } from "./app";
import { shareFragment } from "./publish_link";

export interface ScriptApi {
    /// The open pond. Call it again after a scene was opened: the old session is closed then.
    session(): Session;
    camera(): Camera;
    /// The position on the water that keys act on, m.
    cursor(): { x: number; y: number };
    paused(): boolean;
    /// True while a link or a file is replayed to its frame, and while a link is being read.
    winding(): boolean;
    play(): void;
    pause(): void;
    /// Takes that many frames at once and pauses.
    step(frames?: number): void;
    /// A fragment "#p=…" for the current pond; null when it is too large.
    link(): Promise<string | null>;
    /// Position of a point of the pond in the window, CSS pixels; null behind the camera.
    locate(x: number, y: number, z: number): { x: number; y: number } | null;
}

declare global {
    interface Window {
        spume?: Readonly<ScriptApi>;
    }
}

/// Called once the first pond is open: scripts may rely on a session and on a valid winding().
export function installScriptApi(app: App): void {
    window.spume = Object.freeze<ScriptApi>({
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

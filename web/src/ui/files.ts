// SPDX-License-Identifier: Apache-2.0
/// Reading and writing files: scenes, sessions and pictures.
import { PondError } from "../pond";
import { isObject, readScene, type Scene } from "../scene";
import { download, find } from "./dom";
import { plain } from "./plain_text";
import { furthestFrame } from "./stage";

const largestFile = 2 ** 20; // bytes

/// A scene file; `at` is the last frame of a session's recording, else 0.
export interface Opened {
    scene: Scene;
    at: number;
}

/// Throws PondError with a message.
export async function readSceneFile(file: File): Promise<Opened> {
    const name = plain(file.name, 60);
    if (file.size > largestFile) {
        const size = (file.size / 2 ** 20).toFixed(1);
        throw new PondError(`${name} has ${size} MB; the page reads files up to 1 MB.`);
    }
    const scene = readScene(await file.text());
    const recorded = isObject(scene.pond) && Array.isArray(scene.pond.input);
    const at = recorded ? Number(scene.frames ?? 0) : 0;
    if (!(at >= 0 && at <= furthestFrame)) {
        throw new PondError(`${name} goes to frame ${at}; the page replays up to ${furthestFrame}.`);
    }
    return { scene, at };
}

/// Calls back with files that are chosen or dropped on the page.
export function acceptFiles(taken: (file: File) => void): { ask(): void } {
    const input = find("#file", HTMLInputElement);
    input.addEventListener("change", () => {
        const file = input.files?.[0];
        if (file) taken(file);
        input.value = ""; // so that the same file can be chosen again
    });
    document.addEventListener("dragover", (e) => e.preventDefault());
    document.addEventListener("drop", (e) => {
        e.preventDefault();
        const file = e.dataTransfer?.files[0];
        if (file) taken(file);
    });
    return { ask: () => input.click() };
}

export function saveScene(scene: Scene, name: string): void {
    download(new Blob([JSON.stringify(scene, null, 1)], { type: "application/json" }), name);
}

/// Draw the canvas in the same task: WebGL discards its picture once the browser has shown it.
export function savePicture(canvas: HTMLCanvasElement, name: string): Promise<void> {
    return new Promise((resolve, reject) => {
        canvas.toBlob((blob) => {
            if (!blob) return reject(new Error("The browser made no picture."));
            download(blob, name);
            resolve();
        }, "image/png");
    });
}

// SPDX-License-Identifier: Apache-2.0
/// The page starts here: fetch the solver and the scenes, find out whether this browser can show a pond, and open one.
import { Picture } from "./draw/picture";
import { loadEngine } from "./engine";
import { PondError } from "./pond";
import { App } from "./ui/app";
import { openDoor } from "./ui/door";
import { find } from "./ui/dom";
import { readCatalogue, type Catalogue } from "./ui/catalogue";
import { reason } from "./ui/say";

async function start(): Promise<void> {
    // "?fine" draws as on a graphics card also where there is none, however long it takes: for still pictures.
    const fine = new URLSearchParams(location.search).has("fine");
    const picture = new Picture(find("#pond", HTMLCanvasElement), fine);
    const [engine, scenes] = await Promise.all([loadEngine("./"), fetchCatalogue()]);
    const app = new App(engine, picture, scenes);
    openDoor(app);
    await app.begin(location.hash);
}

async function fetchCatalogue(): Promise<Catalogue> {
    const answer = await fetch("./scenes.json");
    if (!answer.ok) throw new PondError(`The scenes could not be fetched (${answer.status}).`);
    return readCatalogue(await answer.json());
}

/// Nothing to show: say why, and leave the page still.
function giveUp(error: unknown): void {
    document.body.classList.add("stopped");
    find("#still-reason", HTMLElement).textContent = reason(error);
    find("#still", HTMLElement).hidden = false;
}

start().catch(giveUp);

// SPDX-License-Identifier: Apache-2.0
/// The page starts here: fetch the solver and the scenes, find out whether this browser can show a pond, and open one.
import { Picture } from "./draw/picture";
import { loadEngine } from "./engine";
import { PondError } from "./pond";
import { App } from "./ui/app";
import { openDoor } from "./ui/door";
import { find } from "./ui/dom";
import { readCatalogue, type Catalogue } from "./ui/catalogue";
import { plain } from "./ui/plain";
import { reason } from "./ui/say";

async function start(): Promise<void> {
    // "?fine" draws as on a graphics card also where there is none, however long it takes: for still pictures.
    const fine = new URLSearchParams(location.search).has("fine");
    // What is fetched and what the graphics driver compiles come at the same time; a driver's refusal is told first.
    const fetched = Promise.all([loadEngine("./"), fetchCatalogue()]);
    fetched.catch(() => undefined);
    await shown();
    const picture = new Picture(find("#pond", HTMLCanvasElement), fine);
    const [engine, scenes] = await fetched;
    const app = new App(engine, picture, scenes);
    await picture.ready();
    await app.begin(location.hash);
    openDoor(app);
}

/// The bar and the panel are on the screen: starting WebGL holds the page for up to a second. A hidden page shows
/// nothing and does not wait for it.
function shown(): Promise<void> {
    return new Promise((found) => {
        requestAnimationFrame(() => setTimeout(found));
        setTimeout(found, 100);
    });
}

async function fetchCatalogue(): Promise<Catalogue> {
    const answer = await fetch("./scenes.json");
    if (!answer.ok) throw new PondError(`The scenes could not be fetched (${answer.status}).`);
    return readCatalogue(await answer.json());
}

/// Nothing to show: say why, and leave the page still.
function giveUp(error: unknown): void {
    document.body.classList.add("stopped");
    find("#still-reason", HTMLElement).textContent = plain(reason(error), 400);
    find("#still", HTMLElement).hidden = false;
}

start().catch(giveUp);

// SPDX-License-Identifier: Apache-2.0
/// Start of the page: fetch the solver and the scenes, check that this browser can show a pond, and open one.
import { Picture } from "./draw/picture";
import { loadEngine } from "./engine";
import { PondError } from "./pond";
import { App } from "./ui/app";
import { installScriptApi } from "./ui/script_api";
import { find } from "./ui/dom";
import { readCatalogue, type Catalogue } from "./ui/catalogue";
import { plain } from "./ui/plain_text";
import { reason } from "./ui/messages";

async function start(): Promise<void> {
    // "?fine" draws at full quality even without a graphics card, however long it takes: for still pictures.
    const fine = new URLSearchParams(location.search).has("fine");
    // Fetching and shader compilation run in parallel; an error of the driver is reported first.
    const fetched = Promise.all([loadEngine("./"), fetchCatalogue()]);
    fetched.catch(() => undefined);
    await shown();
    const picture = new Picture(find("#pond", HTMLCanvasElement), fine);
    const [engine, scenes] = await fetched;
    const app = new App(engine, picture, scenes);
    await picture.ready();
    await app.begin(location.hash);
    installScriptApi(app);
}

/// Resolves when the bar and the panel are visible: starting WebGL blocks the page for up to a second. A hidden page
/// does not wait.
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

/// Reports why there is nothing to show, and stops.
function giveUp(error: unknown): void {
    document.body.classList.add("stopped");
    find("#still-reason", HTMLElement).textContent = plain(reason(error), 400);
    find("#still", HTMLElement).hidden = false;
}

start().catch(giveUp);

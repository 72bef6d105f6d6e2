// SPDX-License-Identifier: Apache-2.0
/// Implements the actions of actions.ts.
import { buttonOf, type Deck, type ViewName } from "./actions";
import type { App } from "./app";
import { Clip } from "./clip";
import { download, find, setIcon, write } from "./dom";
import { acceptFiles, savePicture, saveScene } from "./files";
import { mark } from "./panel";
import { reason } from "./messages";
import { publish, shareFragment } from "./publish_link";
import { Sound } from "./sound";

export class PageDeck implements Deck {
    readonly tones = new Sound();
    readonly recorder: Clip;
    private readonly files: { ask(): void };
    private suited = false; // views were switched on automatically for the scene

    constructor(private readonly app: App) {
        this.recorder = new Clip(app.canvas, (film) => this.clipped(film));
        this.files = acceptFiles((file) => void app.openFile(file));
    }

    /// Disables buttons of features that this browser lacks, with the reason.
    bind(): void {
        const refusal = Clip.refusal();
        buttonOf("clip").disabled = refusal !== null;
        if (refusal) buttonOf("clip").title = refusal;
    }

    togglePause(): void {
        const { stage, voice } = this.app;
        if (stage.winding) return stage.stopWinding();
        if (stage.paused) stage.play();
        else stage.pause();
        voice.say(stage.paused ? "paused" : "running");
    }
    single(): void {
        this.app.stage.single();
    }
    reset(): void {
        this.app.attempt(() => {
            this.app.voice.clear();
            this.app.stage.reset();
            this.app.voice.say("started again");
        });
    }
    scene(index: number): void {
        this.app.openListed(index);
    }

    heater(): void {
        this.app.tools.switchHeater(!this.app.tools.heaterOn);
        this.app.panel.refresh();
    }
    shape(): void {
        this.app.tools.nextShape();
        this.app.panel.refresh();
    }
    tapAtCursor(): void {
        this.app.cursor.show();
        this.app.tools.tap(this.app.cursor.place);
        this.app.touch();
    }
    grab(): void {
        this.app.cursor.grab();
        this.app.touch();
    }
    addNozzle(): void {
        this.app.tools.addNozzle(this.app.cursor.place);
    }
    removeNozzle(): void {
        this.app.tools.removeNearestNozzle(this.app.cursor.place);
    }

    home(): void {
        this.app.framing.home(this.app.stage.session);
        this.app.touch();
    }
    zoom(factor: number): void {
        this.app.camera.zoom(factor);
        this.app.touch();
    }

    /// One press of a turn button, like a short press of an arrow key.
    turn(right: number, up: number): void {
        this.app.camera.orbit(0.15 * right, 0.15 * up);
        this.app.touch();
    }

    share(): void {
        const { stage, camera, voice } = this.app;
        const frame = stage.session.frame;
        const made = shareFragment(stage, camera.state()).then((shared) => {
            if (shared) return publish(shared, frame, voice);
            voice.notice("This pond is too large for a link. A file holds it.", "info", {
                label: "Save session",
                run: () => this.save(),
            });
            return undefined;
        });
        made.catch((error: unknown) => voice.notice(reason(error), "error"));
    }
    picture(): void {
        const { voice } = this.app;
        this.app.paintSharply();
        savePicture(this.app.canvas, this.fileName("png"))
            .then(() => voice.say("picture saved"))
            .catch((error: unknown) => voice.notice(reason(error), "error"));
    }
    clip(): void {
        const refusal = Clip.refusal();
        if (refusal) return this.app.voice.notice(refusal);
        this.app.attempt(() => {
            if (this.recorder.running) return this.recorder.stop();
            this.recorder.start(this.app.stage.session.fps);
            mark(buttonOf("clip"), "aria-pressed", true);
            this.app.voice.say("recording");
            this.app.touch();
        });
    }
    private clipped(film: Blob): void {
        mark(buttonOf("clip"), "aria-pressed", false);
        if (film.size === 0) return this.app.voice.notice("The clip ended before its first picture.", "error");
        download(film, this.fileName("webm"));
        this.app.voice.say("clip saved");
    }

    sound(): void {
        const button = buttonOf("sound");
        this.tones
            .toggle()
            .then((on) => {
                mark(button, "aria-pressed", on);
                setIcon(button, on ? "i-sound" : "i-mute");
                this.app.voice.say(on ? "sound on" : "sound off");
            })
            .catch((error: unknown) => this.app.voice.notice(reason(error), "error"));
    }
    save(): void {
        this.app.stage.applyPending();
        saveScene(this.app.stage.session.record(), this.fileName("json"));
        this.app.voice.say("session saved");
    }
    open(): void {
        this.files.ask();
    }
    private fileName(kind: string): string {
        return `pond-${String(this.app.stage.session.frame).padStart(5, "0")}.${kind}`;
    }

    hash(): void {
        const { session } = this.app.stage;
        write(find("#hash", HTMLElement), session.hash());
        this.app.voice.say(`state hash of frame ${session.frame} taken`);
    }
    toggleView(name: ViewName): void {
        const button = buttonOf(name);
        const on = button.getAttribute("aria-pressed") !== "true";
        if (name === "tracers" && on && !(this.app.stage.session.get("tracers") > 0)) return this.offerTracers();
        this.suited = false;
        this.setView(name, on);
        this.app.voice.say(`${button.textContent?.toLowerCase() ?? name} ${on ? "shown" : "hidden"}`);
    }
    private setView(name: ViewName, on: boolean): void {
        mark(buttonOf(name), "aria-pressed", on);
        if (name !== "stages") return this.app.show(name, on);
        if (on) this.app.panel.fold(false); // it holds the stage times
        this.app.watch.showStages(on);
    }
    private offerTracers(): void {
        this.app.voice.notice("This scene has no tracers.", "info", {
            label: "Start it again with 4000",
            run: () => {
                this.app.reopen("tracers", 4000);
                this.setView("tracers", true);
            },
        });
    }

    /// A scene with tracers shows how water moves around bubbles, so tracers and vortices are switched on. The next
    /// scene starts without them, unless the user has changed these views.
    suit(tracers: boolean): void {
        const shown = (name: ViewName): boolean => buttonOf(name).getAttribute("aria-pressed") === "true";
        if (tracers && !shown("tracers")) {
            this.suited = true;
            this.setView("tracers", true);
            this.setView("vortices", true);
            this.app.voice.notice("Tracers and vortices are shown, since this scene is about them. T and V hide them.");
        } else if (!tracers && this.suited) {
            this.suited = false;
            this.setView("tracers", false);
            this.setView("vortices", false);
        }
    }
    help(): void {
        find("#help", HTMLDialogElement).showModal();
    }
    stop(): void {
        this.app.stage.stopWinding();
    }
    escape(): void {
        this.app.stage.stopWinding();
        if (this.app.cursor.held) this.app.cursor.release();
        else this.app.cursor.hide();
        this.app.touch();
    }
}

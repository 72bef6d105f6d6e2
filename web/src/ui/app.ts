// SPDX-License-Identifier: Apache-2.0
/// The page: owns all parts, runs the drawing loop, and opens ponds.
import { Camera } from "../camera";
import type { DrawOptions, Picture } from "../draw/picture";
import type { Engine } from "../engine";
import type { View } from "../pond";
import type { Scene } from "../scene";
import type { Session } from "../session";
import { actionTable, bindButtons } from "./actions";
import { SceneList, type Catalogue } from "./catalogue";
import { longestClip } from "./clip";
import { Cursor } from "./cursor";
import { PageDeck } from "./action_handlers";
import { find, setIcon } from "./dom";
import { readSceneFile } from "./files";
import { Framing } from "./framing";
import { fillHelp } from "./help";
import { Keyboard } from "./keyboard";
import { badge, Panel } from "./panel";
import { plain } from "./plain_text";
import { Pointer } from "./pointer";
import { reason, Voice } from "./messages";
import { isLink, LinkError, readLink } from "./link_format";
import { Sliders } from "./sliders";
import { Stage, type Audience } from "./stage";
import { Tools } from "./tools";
import { RunMonitor } from "./run_monitor";

const turnSpeed = 1.3; // rad/s, arrow keys
const cursorSpeed = 0.35; // of the pond's longer side a second
const calm = 150; // ms without a change before a paused picture is drawn at full resolution

export class App implements Audience {
    readonly canvas = find("#pond", HTMLCanvasElement);
    readonly camera = new Camera();
    readonly voice = new Voice();
    readonly stage: Stage;
    readonly tools: Tools;
    readonly cursor: Cursor;
    readonly panel: Panel;
    readonly framing: Framing;
    readonly watch: RunMonitor;
    private readonly deck: PageDeck;
    private readonly pointer: Pointer;
    private readonly keyboard: Keyboard;
    private readonly sliders: Sliders;
    private readonly list: SceneList;
    private readonly options: DrawOptions = {
        wireframe: false,
        vortices: false,
        tracers: false,
        cursor: null,
        highlight: null,
        time: 0,
        restLevel: 0,
    };
    private seen: View | null = null;
    private stale = true; // a redraw is needed although no step was taken
    private still = false; // the canvas has the pixels of a still picture
    private drawn = 0; // ms, when the last change was drawn
    private reading = 0; // number of links being read
    private last = 0; // ms
    private pictures = 0;
    private lost = false;

    constructor(
        engine: Engine,
        private readonly picture: Picture,
        catalogue: Catalogue,
    ) {
        const view = (): View => this.view();
        const pond = (): Session => this.stage.session;
        this.stage = new Stage(engine, this);
        this.tools = new Tools(this.stage, this.voice, view, () => {
            this.cursor.drop();
            this.pointer.drop();
        });
        this.cursor = new Cursor(this.tools, this.voice, this.camera, view, pond);
        this.framing = new Framing(this.camera, this.canvas);
        this.watch = new RunMonitor(engine, this.stage, this.voice);
        this.list = new SceneList(catalogue, (index) => this.openListed(index));
        this.sliders = new Sliders(engine.keys, {
            changed: (spec, value) => {
                if (spec.reopens) this.reopen(spec.path, value);
                else this.stage.pending.set(spec.path, value);
            },
            rested: (words) => this.voice.say(words),
        });
        this.deck = new PageDeck(this);
        const table = actionTable(this.deck);
        bindButtons(table);
        this.deck.bind();
        fillHelp(table);
        this.keyboard = new Keyboard(table, (right, up, shift, seconds) => this.glide(right, up, shift, seconds));
        const { canvas, camera, tools, cursor, voice } = this;
        this.pointer = new Pointer({ canvas, camera, tools, cursor, voice, view, pond, touch: () => this.touch() });
        this.panel = new Panel(this.tools, () => this.resized());
    }

    /// Opens the pond of the address, or the first scene, and starts the loop.
    async begin(fragment: string): Promise<void> {
        const quiet = matchMedia("(prefers-reduced-motion: reduce)").matches;
        const refusal = isLink(fragment) ? await this.follow(fragment) : null;
        const index = this.list.defaultIndex;
        if (!this.stage.isOpen) this.open(this.list.scene(index), 0, index);
        if (refusal) this.voice.notice(refusal, "error");
        if (quiet) this.voice.notice("Paused, since this device asks for less motion. Space starts the pond.");
        else if (!this.stage.winding) this.stage.play();
        this.turned();
        document.addEventListener("visibilitychange", () => this.stage.sleep(document.hidden));
        window.addEventListener("hashchange", () => {
            if (isLink(location.hash)) void this.followNow(location.hash);
        });
        new ResizeObserver(() => this.resized()).observe(this.canvas);
        requestAnimationFrame((now) => this.loop((this.last = now)));
    }

    /// True while a link or a file is replayed to its frame, or while a link is being read.
    get winding(): boolean {
        return this.reading > 0 || this.stage.winding !== null;
    }

    /// Requests a redraw, even when paused.
    touch(): void {
        this.stale = true;
    }

    private readonly loop = (now: number): void => {
        requestAnimationFrame(this.loop);
        const seconds = Math.min((now - this.last) / 1e3, 1);
        this.last = now;
        if (document.hidden) return;
        const glides = this.keyboard.advance(seconds, performance.now());
        const start = performance.now();
        const stepped = this.stage.advance(seconds);
        const solver = (performance.now() - start) / 1e3;
        if (stepped) {
            this.seen = null;
            this.options.time += seconds;
            // The pond moves under a resting pointer; ten updates a second are enough.
            if (++this.pictures % 6 === 0) this.pointer.refresh();
        }
        if (this.picture.lost !== this.lost) this.graphicsLost(this.picture.lost);
        // A replay does not wait for intermediate pictures.
        const tally = this.watch.advance(seconds);
        if (this.stage.winding ? tally : stepped || glides || this.stale) {
            this.sharpen(false);
            this.paint();
            this.drawn = now;
        } else if (this.rests && !this.still && now - this.drawn > calm) this.paintSharply();
        const { recorder } = this.deck;
        badge("clip", recorder.running ? `${recorder.seconds.toFixed(0)} of ${longestClip} s` : null);
        if (stepped && !this.stage.winding && this.watch.resolution.watch(seconds, solver)) this.resized();
        if (tally) this.tally();
    };

    paint(): void {
        if (this.picture.lost) return;
        this.stale = false;
        this.options.cursor = this.cursor.ring;
        this.options.highlight = this.cursor.held ?? this.pointer.hovered;
        this.options.restLevel = this.stage.session.restLevel;
        this.picture.draw(this.view(), this.camera, this.options);
    }

    /// Draws at the window's full resolution, for still pictures.
    paintSharply(): void {
        this.sharpen(true);
        this.paint();
    }

    private get rests(): boolean {
        return this.stage.paused && !this.stage.winding && !this.pointer.busy;
    }

    /// The size must not change while a clip is recorded.
    private sharpen(still: boolean): void {
        if (still === this.still || this.deck.recorder.running) return;
        this.still = still;
        this.fit();
    }

    private fit(): void {
        const { clientWidth, clientHeight } = this.canvas;
        const ratio = this.still ? devicePixelRatio : this.watch.resolution.ratio;
        this.picture.resize(clientWidth, clientHeight, ratio, this.still);
    }

    private tally(): void {
        this.watch.tally();
        this.sliders.refresh((path) => this.value(path));
        this.panel.refresh();
    }

    /// Querying the solver's view is slow, so it is cached until the next step. If the memory grew since then, the
    /// cached arrays are empty.
    view(): View {
        if (!this.seen || this.seen.level.length === 0) this.seen = this.stage.session.view(this.options);
        return this.seen;
    }

    show(name: "vortices" | "tracers" | "wireframe", on: boolean): void {
        this.options[name] = on;
        this.seen = null;
        this.touch();
    }

    /// Position of a point of the pond in the window, CSS pixels.
    locate(x: number, y: number, z: number): { x: number; y: number } | null {
        const p = this.camera.project(x, y, z);
        const box = this.canvas.getBoundingClientRect();
        return p && { x: box.left + ((p.x + 1) / 2) * box.width, y: box.top + ((1 - p.y) / 2) * box.height };
    }

    private value(path: string): number {
        const { session, pending } = this.stage;
        return path === "rest_level" ? session.restLevel : pending.get(session, path);
    }

    /// Handles held arrow keys.
    private glide(right: number, up: number, shift: boolean, seconds: number): void {
        if (shift) this.cursor.move(right * cursorSpeed * seconds, up * cursorSpeed * seconds);
        else this.camera.orbit(right * turnSpeed * seconds, up * turnSpeed * seconds);
        this.touch();
    }

    private resized(): void {
        const { clientWidth, clientHeight } = this.canvas;
        if (!this.stage.isOpen || clientWidth === 0 || clientHeight === 0) return;
        this.fit();
        this.framing.adapt(this.stage.session);
        this.touch();
    }

    private graphicsLost(lost: boolean): void {
        this.lost = lost;
        this.stage.sleep(lost || document.hidden);
        this.touch();
        if (lost) this.voice.notice("The graphics context was lost. The pond waits until it is back.", "error");
        else this.voice.clear();
    }

    // Callbacks of the stage

    opened(chosen: boolean): void {
        this.seen = null;
        this.cursor.clear();
        this.pointer.reset();
        this.watch.opened();
        this.resized();
        if (chosen) {
            this.sliders.adopt((path) => this.value(path));
            this.framing.home(this.stage.session);
            this.deck.suit(this.stage.session.get("tracers") > 0);
        }
        this.tally();
        this.touch();
    }

    stepped(): void {
        this.seen = null;
        this.deck.tones.play(this.stage.session);
        this.touch();
    }

    turned(): void {
        const { paused, winding } = this.stage;
        const button = find("#pause", HTMLButtonElement);
        setIcon(button, paused ? "i-play" : "i-pause");
        button.setAttribute("aria-label", paused ? "Continue" : "Pause");
        badge("paused", paused && !winding ? "paused" : null);
        this.watch.turned();
    }

    wound(): void {
        this.seen = null;
        this.touch();
        this.voice.notice(`Paused at frame ${this.stage.session.frame}. Space continues from here.`);
    }

    failed(message: string): void {
        this.voice.notice(`The pond has stopped: ${message}`, "error", {
            label: "Start again",
            run: () => {
                this.deck.reset();
                this.stage.play();
            },
        });
    }

    refused(message: string): void {
        this.voice.notice(message, "error");
    }

    // Opening

    private open(scene: Scene, at: number, name: number | string): void {
        this.voice.clear();
        this.stage.choose(scene, at);
        this.list.show(name);
    }

    openListed(index: number): void {
        if (!this.list.at(index)) return;
        this.attempt(() => {
            this.open(this.list.scene(index), 0, index);
            if (isLink(location.hash)) history.replaceState(null, "", location.pathname + location.search);
            this.voice.say(this.list.at(index)?.about ?? "");
        });
    }

    /// Opens a link; returns an error message if it cannot be read.
    private async follow(fragment: string): Promise<string | null> {
        ++this.reading;
        try {
            const link = await readLink(fragment);
            try {
                this.open(link.scene, link.at, `Shared: ${title(link.scene)}`);
            } catch (error) {
                throw new LinkError(reason(error));
            }
            this.camera.restore(link.camera);
            return null;
        } catch (error) {
            return reason(error);
        } finally {
            --this.reading;
        }
    }

    /// Handles a link that was put into the address of the running page. If it cannot be read, the current pond
    /// stays.
    private async followNow(fragment: string): Promise<void> {
        const refusal = await this.follow(fragment);
        if (refusal) this.voice.notice(refusal, "error");
    }

    async openFile(file: File): Promise<void> {
        try {
            const { scene, at } = await readSceneFile(file);
            this.open(scene, at, `${plain(file.name, 60)}: ${title(scene)}`);
        } catch (error) {
            this.voice.notice(reason(error), "error");
        }
    }

    /// Sets a value that needs a new pond: starts the current set-up again with that value.
    reopen(path: string, value: number): void {
        this.attempt(() => {
            const scene = this.stage.session.setup();
            this.stage.change({ ...scene, pond: { ...(scene.pond as Scene), [path]: value } });
        });
    }

    attempt(what: () => void): void {
        try {
            what();
        } catch (error) {
            this.voice.notice(reason(error), "error");
        }
    }
}

function title(scene: Scene): string {
    return typeof scene.about === "string" ? scene.about : "a pond";
}

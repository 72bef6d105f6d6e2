// SPDX-License-Identifier: Apache-2.0
/// The scenes that come with the page, and the list to choose one.
import { PondError } from "../pond";
import { readScene, type Scene } from "../scene";
import { find, make } from "./dom";
import { plain } from "./plain_text";

export interface CatalogueScene {
    name: string;
    about: string;
    text: string; ///< scene JSON, with comments
}

export interface Catalogue {
    default: string;
    scenes: CatalogueScene[];
}

export function readCatalogue(value: unknown): Catalogue {
    const catalogue = value as Partial<Catalogue> | null;
    const scenes = catalogue?.scenes;
    const whole =
        Array.isArray(scenes) &&
        scenes.length > 0 &&
        scenes.every((s) => typeof s.name === "string" && typeof s.about === "string" && typeof s.text === "string");
    if (!whole) throw new PondError("The list of scenes is damaged.");
    return { default: String(catalogue?.default ?? scenes[0].name), scenes };
}

/// The select element in the bar. A pond from a link or file is shown in it under its own name.
export class SceneList {
    private readonly select = find("#scenes", HTMLSelectElement);
    private byPointer = false;

    constructor(
        private readonly catalogue: Catalogue,
        chosen: (index: number) => void,
    ) {
        catalogue.scenes.forEach((scene, i) => {
            const words = `${scene.name} — ${shortly(scene.about)}`;
            const option = make("option", "", i < 9 ? `${i + 1} · ${words}` : words);
            option.value = String(i);
            option.title = scene.name;
            this.select.append(option);
        });
        this.select.addEventListener("pointerdown", () => (this.byPointer = true));
        this.select.addEventListener("keydown", () => (this.byPointer = false));
        this.select.addEventListener("change", () => {
            const index = Number(this.select.value);
            if (index >= 0) chosen(index);
            // After a choice by mouse the focus returns to the pond; by keyboard the next arrow key chooses again.
            if (this.byPointer) find("#pond", HTMLCanvasElement).focus();
        });
    }

    get defaultIndex(): number {
        const index = this.catalogue.scenes.findIndex((s) => s.name === this.catalogue.default);
        return Math.max(0, index);
    }

    at(index: number): CatalogueScene | undefined {
        return this.catalogue.scenes[index];
    }

    scene(index: number): Scene {
        return readScene(this.at(index)?.text ?? "");
    }

    /// Selects a scene of the list, or shows the title of another one.
    show(which: number | string): void {
        this.select.querySelector("option[value='-1']")?.remove();
        if (typeof which === "string") {
            const option = make("option", "", plain(which, 120));
            option.value = "-1";
            this.select.prepend(option);
        }
        this.select.value = typeof which === "number" ? String(which) : "-1";
        const about = typeof which === "number" ? this.at(which)?.about : this.select.selectedOptions[0]?.textContent;
        this.select.title = `${about ?? "Scene"} (keys 1 to 9)`;
    }
}

/// The first part of a scene's description; the tooltip of the list has all of it.
function shortly(about: string): string {
    return plain(about.split(/:| \(/)[0] ?? about, 60);
}

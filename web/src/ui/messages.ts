// SPDX-License-Identifier: Apache-2.0
/// How the page speaks: a line that says what just happened (seen, and read aloud politely), and notices that
/// stay until they are read.
import { find, make, write } from "./dom";
import { plain } from "./plain";

export interface Offer {
    label: string;
    run(): void;
}

export class Voice {
    private readonly line = find("#said", HTMLElement);
    private readonly notices = find("#notices", HTMLElement);
    private fading = 0;

    /// What just happened, in a few words: "heat source on".
    say(words: string): void {
        const text = plain(words);
        // A screen reader stays silent when the same words are written twice, so the line is emptied in between.
        if (this.line.textContent === text) this.line.textContent = "";
        write(this.line, text);
        this.line.classList.add("shown");
        clearTimeout(this.fading);
        this.fading = window.setTimeout(() => this.line.classList.remove("shown"), 2600);
    }

    /// A sentence that should not be missed. Without an offer it leaves by itself after a while.
    notice(words: string, kind: "info" | "error" = "info", offer?: Offer): void {
        const text = plain(words, 240);
        for (const old of this.notices.children) if (old.firstChild?.textContent === text) old.remove();
        while (this.notices.children.length >= 3) this.notices.firstChild?.remove();
        const box = make("div", `notice ${kind}`);
        box.setAttribute("role", kind === "error" ? "alert" : "status");
        box.append(make("span", "", text));
        if (offer) {
            const button = make("button", "", offer.label);
            button.addEventListener("click", () => {
                box.remove();
                offer.run();
            });
            box.append(button);
        }
        const close = make("button", "close", "×");
        close.setAttribute("aria-label", "Dismiss");
        close.addEventListener("click", () => box.remove());
        box.append(close);
        this.notices.append(box);
        if (!offer && kind === "info") setTimeout(() => box.remove(), 9000);
    }

    clear(): void {
        this.notices.replaceChildren();
    }
}

/// The words of anything thrown, for people.
export function reason(error: unknown): string {
    return error instanceof Error ? error.message : String(error);
}

// SPDX-License-Identifier: Apache-2.0
/// Messages: a status line for what just happened (also for screen readers), and notices that stay until they are
/// read.
import { find, make, write } from "./dom";
import { plain } from "./plain_text";

export interface Offer {
    label: string;
    run(): void;
}

export class Voice {
    private readonly line = find("#said", HTMLElement);
    private readonly notices = find("#notices", HTMLElement);
    private fading = 0;

    /// Shows what just happened in a few words: "heat source on".
    say(words: string): void {
        const text = plain(words);
        // A screen reader ignores an unchanged text, so the line is cleared in between.
        if (this.line.textContent === text) this.line.textContent = "";
        write(this.line, text);
        this.line.classList.add("shown");
        clearTimeout(this.fading);
        this.fading = window.setTimeout(() => this.line.classList.remove("shown"), 2600);
    }

    /// Shows an important sentence. Without an offer it disappears after a while.
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

/// The message of anything thrown.
export function reason(error: unknown): string {
    return error instanceof Error ? error.message : String(error);
}

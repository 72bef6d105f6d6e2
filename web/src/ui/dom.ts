// SPDX-License-Identifier: Apache-2.0
/// Typed access to the document.

/// An element of index.html. A missing one is a programming error and throws.
export function find<T extends Element>(selector: string, type: new () => T, within: ParentNode = document): T {
    const element = within.querySelector(selector);
    if (!(element instanceof type)) throw new Error(`index.html has no ${selector}`);
    return element;
}

export function make<K extends keyof HTMLElementTagNameMap>(
    tag: K,
    className = "",
    text = "",
): HTMLElementTagNameMap[K] {
    const element = document.createElement(tag);
    if (className) element.className = className;
    if (text) element.textContent = text;
    return element;
}

/// Writes only what differs, so that unchanged numbers cause no layout.
export function write(element: Element, text: string): void {
    if (element.textContent !== text) element.textContent = text;
}

/// Sets the icon of a button to a symbol of index.html.
export function setIcon(button: Element, symbol: string): void {
    const use = button.querySelector("use");
    if (use && use.getAttribute("href") !== `#${symbol}`) use.setAttribute("href", `#${symbol}`);
}

/// Offers a file as a download.
export function download(blob: Blob, name: string): void {
    const link = make("a");
    link.href = URL.createObjectURL(blob);
    link.download = name;
    document.body.append(link);
    link.click();
    link.remove();
    // Browsers read the address after click() returns; a minute is enough even for a slow disk.
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

// SPDX-License-Identifier: Apache-2.0
/// The few things the page asks of the document, with types.

/// An element that index.html is known to hold. A missing one is our mistake, so it stops loudly.
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

/// Writes only what differs, so that numbers shown four times a second cost no layout when they rest.
export function write(element: Element, text: string): void {
    if (element.textContent !== text) element.textContent = text;
}

/// Shows another symbol of index.html in a button.
export function setIcon(button: Element, symbol: string): void {
    const use = button.querySelector("use");
    if (use && use.getAttribute("href") !== `#${symbol}`) use.setAttribute("href", `#${symbol}`);
}

/// Hands a file to the person at the page.
export function download(blob: Blob, name: string): void {
    const link = make("a");
    link.href = URL.createObjectURL(blob);
    link.download = name;
    document.body.append(link);
    link.click();
    link.remove();
    // Browsers read the address after click() returns; a minute is ample even for a slow disk.
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

// SPDX-License-Identifier: Apache-2.0
/// A pond in a link: "#p=" and the base64url of the raw-deflated JSON of a Link. Nothing is sent: browsers keep the
/// part after "#". All input here is untrusted and is checked before use.
import type { Scene } from "../scene";
import { furthestFrame } from "./stage";

export const linkVersion = 1;
/// Mail and chat programs cut longer links.
export const longestFragment = 8192;
/// Limit against decompression bombs; real links are far smaller.
const mostInflated = 256 * 1024;

export interface Link {
    v: number;
    at: number; ///< the frame to go to
    camera: number[];
    scene: Scene;
}

/// Why a link could not be read.
export class LinkError extends Error {
    constructor(why: string) {
        super(`The link could not be read (${why}).`);
    }
}

export function isLink(fragment: string): boolean {
    return fragment.startsWith("#p=");
}

export async function writeLink(link: Link): Promise<string> {
    const text = new TextEncoder().encode(JSON.stringify(link));
    const packed = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw"));
    return "#p=" + toBase64Url(new Uint8Array(await new Response(packed).arrayBuffer()));
}

export async function readLink(fragment: string): Promise<Link> {
    if (fragment.length > longestFragment) throw new LinkError("it is longer than 8 kB");
    const bytes = fromBase64Url(fragment.slice("#p=".length));
    const value = parse(await inflate(bytes));
    if (!isObject(value) || typeof value["v"] !== "number") throw new LinkError("it is damaged");
    const { v, at, camera, scene } = value;
    if (v !== linkVersion) throw new LinkError(`version ${v}, this page knows ${linkVersion}`);
    if (typeof at !== "number" || !Number.isInteger(at) || at < 0) throw new LinkError("it names no frame");
    if (at > furthestFrame) throw new LinkError(`frame ${at}, this page goes to ${furthestFrame}`);
    if (!isObject(scene)) throw new LinkError("it holds no scene");
    return { v, at, camera: numbers(camera), scene: scene as Scene };
}

async function inflate(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
    const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader();
    const decoder = new TextDecoder("utf-8", { fatal: true });
    let text = "";
    for (let total = 0; ; ) {
        const { done, value } = await reader.read().catch(() => {
            throw new LinkError("it is damaged");
        });
        if (done) return text;
        total += value.length;
        if (total > mostInflated) {
            void reader.cancel().catch(() => undefined);
            throw new LinkError("it holds more than 256 kB");
        }
        try {
            text += decoder.decode(value, { stream: true });
        } catch {
            throw new LinkError("it is damaged");
        }
    }
}

function parse(text: string): unknown {
    try {
        return JSON.parse(text);
    } catch {
        throw new LinkError("it is damaged");
    }
}

function isObject(value: unknown): value is { [key: string]: unknown } {
    return typeof value === "object" && value !== null && !Array.isArray(value);
}

function numbers(value: unknown): number[] {
    if (!Array.isArray(value) || value.length > 32) return [];
    return value.every((v) => typeof v === "number" && Number.isFinite(v)) ? (value as number[]) : [];
}

function toBase64Url(bytes: Uint8Array): string {
    let binary = "";
    for (const byte of bytes) binary += String.fromCharCode(byte);
    return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

function fromBase64Url(text: string): Uint8Array<ArrayBuffer> {
    try {
        const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
        const bytes = new Uint8Array(binary.length);
        for (let i = 0; i < binary.length; ++i) bytes[i] = binary.charCodeAt(i);
        return bytes;
    } catch {
        throw new LinkError("it is damaged");
    }
}

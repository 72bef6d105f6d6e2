// SPDX-License-Identifier: Apache-2.0
/// Number formatting.

const pretty: { [unit: string]: string } = {
    "m^2/s": "m²/s",
    "m/s^2": "m/s²",
    "kg/m^3": "kg/m³",
    "1/s": "/s",
};

/// A unit of the solver's table, as shown on the page.
export function unitName(unit: string): string {
    return pretty[unit] ?? unit;
}

/// Three significant digits, as a slider has; no exponent between 0.001 and a million.
export function figures(value: number): string {
    if (!Number.isFinite(value)) return "–";
    const size = Math.abs(value);
    if (size === 0) return "0";
    if (size >= 1e6 || size < 1e-3) return value.toExponential(1).replace("e", " × 10^").replace("^+", "^");
    const digits = size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3;
    return String(Number(value.toFixed(digits)));
}

export function quantity(value: number, unit: string): string {
    if (!Number.isFinite(value) || !unit) return figures(value);
    return unit.startsWith("/") ? `${figures(value)}${unit}` : `${figures(value)} ${unit}`;
}

export function milliseconds(seconds: number): string {
    return `${(seconds * 1e3).toFixed(seconds < 0.01 ? 2 : seconds < 0.1 ? 1 : 0)} ms`;
}

export function megabytes(bytes: number): string {
    return `${(bytes / 2 ** 20).toFixed(1)} MB`;
}

/// 1 234 567 with thin spaces, the same in every language.
export function count(n: number): string {
    return String(Math.round(n)).replace(/\B(?=(\d{3})+$)/g, "\u2009");
}

/// Gas is shown in millilitres, because a bubble of radius 4 mm holds a quarter of one; large amounts and water in
/// litres.
export function volume(cubicMetres: number): string {
    if (!Number.isFinite(cubicMetres)) return "–";
    const millilitres = cubicMetres * 1e6;
    if (Math.abs(millilitres) >= 1000) return `${(millilitres / 1e3).toFixed(2)} l`;
    const text = millilitres.toFixed(1);
    return `${text === "-0.0" ? "0.0" : text} ml`;
}

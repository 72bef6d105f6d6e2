#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws curves as SVG: CSV files of `spume validate --curves DIR`, or any CSV file whose first line holds names.

The first column is the horizontal axis, every other column a line; columns whose name contains "published" are
drawn as points. "nan" leaves a gap. The unit follows the last underscore of a name (pressure_Pa).
"""
import argparse
import csv
import math
import os
import sys
from xml.sax.saxutils import escape

WIDTH, HEIGHT = 720, 440
LEFT, RIGHT, TOP, BOTTOM = 78, 24, 48, 58
COLOURS = ["#1f6fb2", "#d1602b", "#2f8f5b", "#7a4fa3", "#8a6d1d", "#444444"]
UNITS = {"s", "m", "m/s", "Pa", "percent", "J", "kg"}


def read(path):
    """Names and columns of a file; cells that are not numbers become NaN."""
    with open(path, newline="") as file:
        lines = [line for line in csv.reader(file) if line]
    if len(lines) < 2:
        raise ValueError("no curve: expected a line of names and at least one line of numbers")
    names, columns = lines[0], [[] for _ in lines[0]]
    for number, line in enumerate(lines[1:], 2):
        if len(line) != len(names):
            raise ValueError(f"line {number}: {len(line)} cells; expected {len(names)}")
        for column, cell in zip(columns, line):
            try:
                column.append(float(cell))
            except ValueError:
                column.append(math.nan)
    return names, columns


def label(name):
    """"pressure_Pa" -> "pressure (Pa)"."""
    words = name.replace("_m_s", "_m/s").split("_")
    if len(words) > 1 and words[-1] in UNITS:
        unit = "%" if words[-1] == "percent" else words[-1]
        return " ".join(words[:-1]) + f" ({unit})"
    return " ".join(words)


def ticks(low, high, wanted=6):
    """Round numbers that span low..high."""
    span = high - low or abs(high) or 1.0
    step = 10.0 ** math.floor(math.log10(span / wanted))
    for factor in (1, 2, 5, 10):
        if span / (step * factor) <= wanted:
            step *= factor
            break
    first = math.floor(low / step + 1e-9)
    last = math.ceil(high / step - 1e-9)
    return [step * k for k in range(first, last + 1)]


class Plot:
    """One plot: scales, frame and curves."""

    def __init__(self, xs, ys):
        self.x_ticks, self.y_ticks = ticks(min(xs), max(xs)), ticks(min(ys), max(ys))
        self.parts = []

    def at(self, x, y):
        x_low, x_high = self.x_ticks[0], self.x_ticks[-1]
        y_low, y_high = self.y_ticks[0], self.y_ticks[-1]
        return (LEFT + (x - x_low) / (x_high - x_low) * (WIDTH - LEFT - RIGHT),
                HEIGHT - BOTTOM - (y - y_low) / (y_high - y_low) * (HEIGHT - TOP - BOTTOM))

    def text(self, x, y, words, anchor="middle", extra=""):
        self.parts.append(f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{extra}>{escape(words)}</text>')

    def frame(self, title, across, up):
        for tick in self.x_ticks:
            x = self.at(tick, self.y_ticks[0])[0]
            self.parts.append(f'<path class="grid" d="M{x:.1f} {TOP}V{HEIGHT - BOTTOM}"/>')
            self.text(x, HEIGHT - BOTTOM + 18, f"{tick:.6g}")
        for tick in self.y_ticks:
            y = self.at(self.x_ticks[0], tick)[1]
            self.parts.append(f'<path class="grid" d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}"/>')
            self.text(LEFT - 8, y + 4, f"{tick:.6g}", "end")
        self.text(LEFT, 24, title, "start", ' class="title"')
        self.text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 16, across)
        if up:
            y = (TOP + HEIGHT - BOTTOM) / 2
            self.text(20, y, up, extra=f' transform="rotate(-90 20 {y:.1f})"')

    def line(self, xs, ys, colour):
        path, pen_up = [], True
        for x, y in zip(xs, ys):
            if math.isnan(x) or math.isnan(y):
                pen_up = True
                continue
            path.append(("M" if pen_up else "L") + "%.1f %.1f" % self.at(x, y))
            pen_up = False
        self.parts.append(f'<path class="line" stroke="{colour}" d="{"".join(path)}"/>')

    def points(self, xs, ys, colour):
        for x, y in zip(xs, ys):
            if not (math.isnan(x) or math.isnan(y)):
                self.parts.append('<circle cx="%.1f" cy="%.1f" r="4.5" fill="%s"/>' % (*self.at(x, y), colour))

    def legend(self, entries):
        x = LEFT + 14
        for k, (name, colour, dots) in enumerate(entries):
            y = TOP + 16 + 19 * k
            mark = (f'<circle cx="{x + 11}" cy="{y - 4}" r="4.5" fill="{colour}"/>' if dots else
                    f'<path class="line" stroke="{colour}" d="M{x} {y - 4}h22"/>')
            self.parts.append(mark)
            self.text(x + 30, y, name, "start", ' class="halo"')

    def svg(self):
        style = ("text{font:13px system-ui,sans-serif;fill:#333}.title{font-size:16px;font-weight:600}"
                 ".grid{stroke:#e3e6ea;fill:none}.line{stroke-width:2;fill:none;stroke-linejoin:round}"
                 ".halo{paint-order:stroke;stroke:#fff;stroke-width:4px}")
        return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" '
                f'height="{HEIGHT}">\n<style>{style}</style>\n<rect width="100%" height="100%" fill="#fff"/>\n'
                + "\n".join(self.parts) + "\n</svg>\n")


def draw(path, title, least, most):
    names, columns = read(path)
    if len(names) < 2:
        raise ValueError("one column only; expected a horizontal axis and at least one line")
    xs = columns[0]
    ys = [y for column in columns[1:] for y in column if not math.isnan(y)]
    columns[1:] = [[y if least <= y <= most else math.nan for y in column] for column in columns[1:]]
    ys = [max(least, min(y, most)) for y in ys]
    if not ys:
        raise ValueError("no numbers")
    plot = Plot(xs, ys)
    labels = [label(name) for name in names[1:]]
    plot.frame(title, label(names[0]), labels[0] if len(labels) == 1 else "")
    entries = []
    for k, (name, column) in enumerate(zip(names[1:], columns[1:])):
        colour, dots = COLOURS[k % len(COLOURS)], "published" in name
        (plot.points if dots else plot.line)(xs, column, colour)
        entries.append((labels[k], colour, dots))
    plot.legend(entries)
    return plot.svg()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("curves", nargs="+", metavar="FILE.csv", help="the plot is written to FILE.svg")
    parser.add_argument("--title", help="instead of the file's name")
    parser.add_argument("--most", type=float, metavar="Y", default=math.inf, help="lines end above this height")
    parser.add_argument("--least", type=float, metavar="Y", default=-math.inf, help="and below this one")
    options = parser.parse_args()
    for path in options.curves:
        name = os.path.splitext(path)[0]
        title = options.title or os.path.basename(name).replace("_", " ")
        try:
            picture = draw(path, title, options.least, options.most)
            with open(name + ".svg", "w") as file:
                file.write(picture)
        except (OSError, ValueError) as error:
            sys.exit(f"plot_curves.py: {path}: {error}")
        print(name + ".svg")


if __name__ == "__main__":
    main()

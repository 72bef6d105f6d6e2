#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the ground and the initial water of scenes/liquid/river.json as rows of numbers.

A canyon 60 m long and 15 m wide. A channel winds along it and falls over two steps, each with a pool
below; rocks stick out of the bed. Heights are metres; the rows go from the front (high z) to the back,
as scenes expect. Everything is computed from sines and one small hash, so it is the same on every machine.
"""
import argparse
import math

LENGTH, WIDTH, STEP = 60.0, 15.0, 0.5
RIM = 1  # samples around the canyon: water ends at its sides; if the ground ended there too, it would flicker
INLET = 5.0  # m; up to here the channel is straight, for the inflow
DROPS = [(20.0, 2.2), (40.0, 2.4)]  # where the bed falls, and by how much
ROCKS = [(9.5, 0.9, 0.8, 0.9), (13.5, -1.0, 0.9, 1.1), (17.0, 0.2, 0.6, 0.5), (27.5, 1.1, 1.0, 1.2), (31.0, -0.9, 0.8, 0.9),
         (35.0, 0.6, 0.7, 0.7), (46.5, -0.8, 1.0, 1.2), (50.5, 1.2, 0.9, 1.0), (55.0, 0.0, 0.7, 0.8)]  # x, off the middle, radius, height


def smooth(t):
    t = min(max(t, 0.0), 1.0)
    return t * t * (3.0 - 2.0 * t)


def middle(x):
    """Centre line of the channel."""
    bend = 1.9 * math.sin((x - INLET) * 2.0 * math.pi / 33.0) + 0.5 * math.sin((x - INLET) * 2.0 * math.pi / 14.0)
    return 0.5 * WIDTH + smooth((x - INLET) / 6.0) * bend


def bed(x):
    """Height of the channel's bed: slightly sloped, a step at each drop, a pool at its foot."""
    y = 5.9 - 0.012 * x
    for at, fall in DROPS:
        y -= fall * smooth((x - at) / 1.2)
        y -= 0.7 * math.exp(-((x - at - 3.2) / 1.8) ** 2)
    return y


def noise(x, z):
    """Smooth value noise in -1 to 1 on a lattice of metres."""
    def value(i, j):
        h = (i * 374761393 + j * 668265263) & 0xFFFFFFFF
        h = ((h ^ h >> 13) * 1274126177) & 0xFFFFFFFF
        return (h ^ h >> 16) / 0xFFFFFFFF * 2.0 - 1.0
    i, j = math.floor(x), math.floor(z)
    u, v = smooth(x - i), smooth(z - j)
    low = value(i, j) * (1 - u) + value(i + 1, j) * u
    high = value(i, j + 1) * (1 - u) + value(i + 1, j + 1) * u
    return low * (1 - v) + high * v


def ground(x, z):
    off = abs(z - middle(x))
    half = 2.0 + 0.5 * smooth((x - INLET) / 4.0) * (1.0 + math.sin(0.5 * x))
    bank = smooth((off - half) / 1.6)  # foot of the canyon's wall
    wild = smooth((x - INLET) / 2.0)
    y = bed(x) + 0.12 * wild * noise(1.3 * x, 1.3 * z)
    wall = 2.6 + 0.55 * max(off - half, 0.0) + 0.9 * noise(0.45 * x, 0.45 * z) + 0.4 * noise(1.1 * x + 7, 1.1 * z)
    if z > middle(x):  # in front, where the camera looks over it
        wall = 2.1 + 0.15 * wall
    y += bank * wall
    for at, aside, radius, height in ROCKS:
        d2 = ((x - at) ** 2 + (z - middle(at) - aside) ** 2) / radius ** 2
        y += height * math.exp(-d2 * d2)
    return min(max(y, 0.2), 9.8)


def rows():
    across, along = round(WIDTH / STEP) + RIM, round(LENGTH / STEP) + RIM
    return [[ground(STEP * i, STEP * j) for i in range(-RIM, along + 1)] for j in range(across, -RIM - 1, -1)]


def level(x):
    """Initial water, a little below the level that the inflow will produce."""
    y = bed(x) + 0.7
    for at, _ in DROPS:
        if at + 1.2 < x < at + 7.0:
            y = max(y, bed(at + 7.0) + 0.7)
    return y


def text(table):
    return "[\n%s\n]" % ",\n".join("  [" + ", ".join("%.2f" % v for v in row) + "]" for row in table)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["ground", "water"])
    if parser.parse_args().what == "ground":
        print(text(rows()))
    else:
        print(text([[level(STEP * i) for i in range(round(LENGTH / STEP) + 1)]] * 2))


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the scenes under a folder into one C file, so that the program carries them."""
import argparse
import pathlib
import sys

HEAD = """// SPDX-License-Identifier: Apache-2.0
// Made by tools/embed_scenes.py from scenes/; do not edit.
#include "scene/scene.h"

"""

TAIL = """
const sp_scene_builtin *sp_scene_builtins(size_t *count)
{
    *count = sizeof scenes / sizeof *scenes - 1;
    return scenes;
}
"""


def array(number, data):
    """One scene as a table of characters: string literals end at 4095 in standard C."""
    values = [str(byte - 256 if byte > 127 else byte) for byte in data] or ["0"]
    lines = [", ".join(values[i:i + 20]) for i in range(0, len(values), 20)]
    return "static const char text_%d[] = {\n    %s};\n" % (number, ",\n    ".join(lines))


def embed(folder):
    # as_posix, so that the order and the names are the same on every system
    files = sorted(folder.glob("*/*.json"), key=lambda path: path.as_posix())
    texts, rows = [], []
    for number, path in enumerate(files):
        data = path.read_bytes()
        name = "%s/%s" % (path.parent.name, path.stem)
        if not all(c.isalnum() or c in "_-/" for c in name):
            sys.exit("embed_scenes.py: %s: expected letters, digits, '_' and '-' in the name" % path)
        texts.append(array(number, data))
        rows.append('    {"%s", text_%d, %d},\n' % (name, number, len(data)))
    table = "".join(rows) + "    {0}, // so that the array is not empty without scenes\n"
    return HEAD + "".join(texts) + "\nstatic const sp_scene_builtin scenes[] = {\n" + table + "};\n" + TAIL


def main():
    parser = argparse.ArgumentParser(description=__doc__, epilog="example: embed_scenes.py scenes scenes.c")
    parser.add_argument("folder", type=pathlib.Path, help="holds <solver>/<name>.json")
    parser.add_argument("output", type=pathlib.Path, help="the C file to write")
    arguments = parser.parse_args()
    arguments.output.write_text(embed(arguments.folder), encoding="ascii")


if __name__ == "__main__":
    main()

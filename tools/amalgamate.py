#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the pond as one pair of files, spume_pond.c and spume_pond.h, that needs only a C compiler and libm.

Headers are inserted where they are first included; the sources follow one after the other. If two files have a
file-local name (static function, type, constant) in common, the later one is prefixed with its file's name; names of
struct members do not change. Functions that are shared between files but not public get Spume's prefix. Macros are
undefined at the end of their file, as are those of its headers that have no prefix.
"""
import argparse
import fnmatch
import pathlib
import re

PUBLIC = ["api.h", "status.h", "host.h", "heights.h", "pond.h"]
# keys.c comes first in its module, so its names do not change: it turns some of them into text.
SOURCES = ["core/text/status.c", "core/text/log.c", "core/numbers/hash.c", "core/numbers/random.c",
           "core/numbers/portable_math.c", "core/memory/memory.c", "core/memory/state_walk.c", "core/host/parallel.c",
           "core/keys/keys.c", "core/host/default_host.c", "frame/frame.c", "particles/set.c", "particles/lattice.c",
           "particles/sort.c", "particles/cells.c", "pond/keys.c", "pond/**/*.c"]
LEFT_OUT = ["pond/solver.c", "pond/errata.c"]  # the solver table
UNUSED_HEADERS = ["core/files/files.h", "core/files/png.h", "core/host/process_limits.h", "core/memory/arena.h",
                  "core/keys/keys_by_path.h", "core/text/progress.h", "core/text/text_builder.h"]

TOKEN = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|[A-Za-z_]\w*|'
                   r'\.?\d(?:[eEpP][+-]|[\w.])*|->|\s+|.', re.S)
PREFIXED = re.compile(r'(?i)(sp|spume|pond)_')
INCLUDE = re.compile(r'[ \t]*#[ \t]*include[ \t]+(["<])([^">]+)[">].*\n')

HEAD = """// SPDX-License-Identifier: Apache-2.0
// %s: Spume's pond in one pair of files. Made by tools/amalgamate.py; change the sources instead.
"""
BUILD_NOTE = """//
// cc -std=c17 -O2 -c spume_pond.c        and link with -lm
//
// -O3 -march=native -fno-math-errno -fno-trapping-math is faster and gives the same bits, as does every compiler and
// machine with -std=c17 or -ffp-contract=off; -ffast-math does not. With -fopenmp the ordinary host uses all cores,
// without it one. What gcc notes about an ABI change of 4.6 concerns no call here; -Wno-psabi hides it.
"""
PRAGMAS = """
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF // gcc's -std=c17 does the same
#endif
// Warnings without meaning in a single file: helpers that only other files of Spume use, vectors that never cross a
// call once inlined, loops that are vectorised only with the flags above, an array whose length is not tracked.
#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wpsabi"
#if defined(__clang__)
#pragma GCC diagnostic ignored "-Wpass-failed"
#else
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#endif
"""


def words(text):
    """Tokens without blanks and comments, as (token, index in `tokens(text)`)."""
    return [(t, k) for k, t in enumerate(tokens(text)) if not t.isspace() and not t.startswith(("//", "/*"))]


def tokens(text):
    return TOKEN.findall(text)


def is_name(token):
    return token[0].isalpha() or token[0] == "_"


def without_directives(text):
    return re.sub(r'^[ \t]*#(?:[^\n]*\\\n)*[^\n]*', '', text, flags=re.M)


def statements(text):
    """Declarations at file scope, each as a list of tokens with the contents of its braces."""
    found, now, depth, has_value = [], [], 0, False
    for token, _ in words(without_directives(text)):
        now.append(token)
        has_value = has_value or (token == "=" and depth == 0)
        depth += (token in "({[") - (token in ")}]")
        body_ends = token == "}" and now[0] not in ("typedef", "enum", "struct") and not has_value
        if depth == 0 and (token == ";" or body_ends):
            found.append(now)
            now, has_value = [], False
    return found


def enumerators(statement):
    """Names inside the braces of an enum."""
    inside = statement[statement.index("{") + 1:statement.index("}")] if "{" in statement else []
    return [t for k, t in enumerate(inside) if is_name(t) and (k == 0 or inside[k - 1] == ",")]


def declared(statement):
    """The name that a static function, a variable or a typedef introduces."""
    depth, last = 0, None
    for k, token in enumerate(statement):
        if depth == 0 and (token in "=;[" or (token == "(" and statement[k - 1] != "__attribute__")):
            return last
        depth += (token in "({[") - (token in ")}]")
        if depth == 0 and is_name(token):
            last = token
    return last


def local_names(text):
    """File-local names of a source."""
    names = set()
    for statement in statements(text):
        first = statement[0]
        if first == "enum" or statement[:2] == ["typedef", "enum"]:
            names.update(enumerators(statement))
        for keyword in ("struct", "union", "enum"):
            if keyword in statement[:2] and first != "static":
                tag = statement[statement.index(keyword) + 1]
                names.update([tag] if is_name(tag) else [])
        if first in ("static", "SP_INLINE", "typedef"):
            names.add(declared(statement))
    return names


def shared_functions(text):
    """Functions with external linkage that a source defines."""
    return {declared(s) for s in statements(text)
            if s[-1] == "}" and s[0] not in ("static", "SP_INLINE", "typedef", "enum", "struct", "extern", "const")}


def inside_struct(places):
    """For each word whether it is directly inside the braces of a struct or union."""
    stack, answer = [], []
    for k, (token, _) in enumerate(places):
        before = [t for t, _ in places[max(0, k - 2):k]]
        if token == "{":
            stack.append(before[-1:] in (["struct"], ["union"]) or before[:1] in (["struct"], ["union"]))
        elif token == "}" and stack:
            stack.pop()
        answer.append(bool(stack and stack[-1]))
    return answer


def rename(text, new_names):
    """Renames, except members: after . and ->, and where a struct declares them."""
    all_tokens, places = tokens(text), words(text)
    members = inside_struct(places)
    for k, (token, place) in enumerate(places):
        if token not in new_names:
            continue
        before = places[k - 1][0] if k else ""
        after = places[k + 1][0] if k + 1 < len(places) else ""
        if before in (".", "->") or (members[k] and after in (";", ",", "[", ":", ")")):
            continue
        all_tokens[place] = new_names[token]
    return "".join(all_tokens)


class Pair:
    def __init__(self, root):
        self.root = root
        self.seen = {"spume/" + name for name in PUBLIC}

    def source_files(self):
        found = []
        for pattern in SOURCES:
            for path in sorted((self.root / "src").glob(pattern)):
                name = path.relative_to(self.root / "src").as_posix()
                if name not in found and not any(fnmatch.fnmatch(name, out) for out in LEFT_OUT):
                    found.append(name)
        return found

    def header(self):
        """The public headers as one, each system header once."""
        text, system = "", set()
        for name in PUBLIC:
            part = (self.root / "include/spume" / name).read_text()
            system.update(m[2] for m in INCLUDE.finditer(part) if not m[2].startswith("spume/"))
            part = INCLUDE.sub("", part.split("\n", 1)[1])
            text += re.sub(r'#ifndef (SPUME_\w+_H)\n#define \1\n(.*)#endif\n', r'\2', part, flags=re.S)
        includes = "".join("#include <%s>\n" % name for name in sorted(system))
        text = re.sub(r'\n{3,}', '\n\n', text)
        return HEAD % "spume_pond.h" + "#ifndef SPUME_POND_PAIR_H\n#define SPUME_POND_PAIR_H\n\n" + \
            includes + "\n" + text.strip() + "\n\n#endif\n"

    def put_in(self, match):
        """The text that replaces an #include line."""
        name = match[2]
        if name in self.seen or name in UNUSED_HEADERS:
            return ""
        self.seen.add(name)
        for folder in ("src", "include"):
            path = self.root / folder / name
            if path.exists():
                return INCLUDE.sub(self.put_in, path.read_text().split("\n", 1)[1]) + "\n"
        return match[0]  # a system header

    def source(self):
        texts = {name: (self.root / "src" / name).read_text().split("\n", 1)[1] for name in self.source_files()}
        hidden = {name: "sp_own_" + name for text in texts.values() for name in shared_functions(text)
                  if not name.startswith("sp_")}
        taken, parts = set(), []
        for name, text in texts.items():
            own = local_names(text)
            stem = name[:-2].replace("/", "_")
            new_names = dict(hidden, **{n: stem + "_" + n for n in own & taken})
            taken |= own
            own_macros = re.findall(r'^#define (\w+)', text, flags=re.M)
            text = INCLUDE.sub(self.put_in, text)
            macros = [m for m in re.findall(r'^#define (\w+)', text, flags=re.M)
                      if m in own_macros or not PREFIXED.match(m)]
            ended = re.findall(r'^#undef (\w+)', text, flags=re.M)
            text = rename(text, new_names).strip()
            undefs = "".join("#undef %s\n" % m for m in macros if m not in ended)
            parts.append("// ---- src/%s\n\n%s\n%s" % (name, text, undefs))
        posix = "#if !defined(_POSIX_C_SOURCE)\n#define _POSIX_C_SOURCE 200809L // for the clock\n#endif\n"
        return HEAD % "spume_pond.c" + BUILD_NOTE + posix + '#include "spume_pond.h"\n' + PRAGMAS + "\n" + \
            re.sub(r'\n{3,}', '\n\n', "\n".join(parts))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter,
                                     epilog="example: tools/amalgamate.py -o build/single")
    root = pathlib.Path(__file__).resolve().parent.parent
    parser.add_argument("-o", "--output", type=pathlib.Path, default=root / "build/single",
                        help="folder for the pair (default build/single)")
    parser.add_argument("--list", action="store_true", help="list the sources and write nothing")
    arguments = parser.parse_args()
    pair = Pair(root)
    if arguments.list:
        print("\n".join("src/" + name for name in pair.source_files()))
        return
    arguments.output.mkdir(parents=True, exist_ok=True)
    (arguments.output / "spume_pond.h").write_text(pair.header(), encoding="utf-8")
    (arguments.output / "spume_pond.c").write_text(pair.source(), encoding="utf-8")


if __name__ == "__main__":
    main()

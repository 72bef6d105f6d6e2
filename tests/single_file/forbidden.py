#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that the pond asks its host for everything: no threads, files, memory or exits of its own.

forbidden.py SOURCES PAIR: the folder src/pond, and spume_pond.c. Of the pair only the parts that make the ordinary
host may use what they need for it."""
import pathlib
import re
import sys

# What must not be called, and what must not even be named.
CALLS = {
    "threads": r"omp_\w+|pthread_\w+|thrd_\w+|fork",
    "files": r"fopen|freopen|fdopen|fclose|fread|fwrite|fprintf|printf|puts|fputs|putchar|fflush|remove|rename|open|"
             r"read|write",
    "memory": r"malloc|calloc|realloc|free|aligned_alloc|posix_memalign|alloca|mmap|strdup",
    "exits": r"exit|_Exit|abort|quick_exit|longjmp|signal|raise",
    "clocks": r"time|clock|clock_gettime|gettimeofday",
    "globals": r"rand|srand|getenv|setlocale",
}
NAMES = {"threads": r"_OPENMP|omp", "files": r"FILE|stdin|stdout|stderr"}
HOST = {"src/core/host/default_host.c": {"threads", "memory", "clocks"}, "src/core/text/status.c": {"files", "exits"}}


def code(text):
    """Without comments and strings, with the lines kept."""
    blank = lambda m: re.sub(r"[^\n]", " ", m[0])
    return re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', blank, text, flags=re.S)


def found(name, text, first_line, allowed):
    count = 0
    for kind in CALLS:
        if kind in allowed:
            continue
        # Members of structs (host->clock, .release) are the host's and are not meant.
        pattern = r"(?<![\w.>])(?:(?:%s)\s*\((?!\*)|(?:%s)\b)" % (CALLS[kind], NAMES.get(kind, "(?!)"))
        for match in re.finditer(pattern, text):
            print("%s:%d: %s: %s" % (name, first_line + text.count("\n", 0, match.start()), kind, match[0]))
            count += 1
    return count


def parts(path):
    """The pair, cut where one source ends and the next begins."""
    text = path.read_text()
    cuts = [(m.start(), m[1]) for m in re.finditer(r"^// ---- (src/\S+\.c)$", text, flags=re.M)]
    for k, (start, name) in enumerate(cuts):
        end = cuts[k + 1][0] if k + 1 < len(cuts) else len(text)
        yield name, text[start:end], 1 + text.count("\n", 0, start)


def main():
    folder, pair = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    # What the check must see, so that a slip in it does not pass for a clean pond.
    probe = "#pragma omp parallel\nFILE *f = fopen(n);\nx = malloc(3);\nexit(1);\ntime(0);\nrand();\n"
    blind = [kind for kind in CALLS if not found("(a probe that must be found)", probe, 1, set(CALLS) - {kind})]
    if blind:
        sys.exit("the check itself is broken: it does not see %s" % ", ".join(blind))
    bad = files = 0
    for path in sorted(folder.glob("**/*.[ch]")):
        bad += found(path.as_posix(), code(path.read_text()), 1, set())
        files += 1
    for name, text, line in parts(pair):
        bad += found(pair.name + " (" + name + ")", code(text), line, HOST.get(name, set()))
        files += 1
    print("%d parts looked at, %d finds" % (files, bad))
    sys.exit(bad > 0 or files < 30)


if __name__ == "__main__":
    main()

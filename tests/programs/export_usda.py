# SPDX-License-Identifier: Apache-2.0
"""A small reader of USD's text format, for the part of its grammar that Spume writes, and the facts of a
spume.usda against the PLY files of the same frames (ASCII). There is no other reader of USD in the tests, so this
one is strict: a character that the grammar has no place for is an error, and so is a type that does not fit.

    export_usda.py SPUME.USDA PLY_DIRECTORY FPS FRAMES...
"""
import re
import struct
import sys

TOKEN = re.compile(r"""\s*(?:(?P<number>-?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|inf|nan)\b)|(?P<text>"[^"\n]*")|
                       (?P<name>[A-Za-z_][A-Za-z0-9_:.]*)|(?P<sign>[][(){}=:,]))""", re.X)
SHAPES = {"point3f": 3, "vector3f": 3, "float3": 3, "double3": 3, "int3": 3, "normal3f": 3, "float": 1, "double": 1,
          "int": 1, "uint": 1, "int64": 1, "uint64": 1, "token": 0, "bool": 1}
WHOLE = {"int", "uint", "int64", "uint64", "int3", "bool"}


class Reader:
    def __init__(self, text):
        head, _, rest = text.partition("\n")
        assert head == "#usda 1.0", head
        self.tokens, at = [], 0
        while at < len(rest.rstrip()):
            match = TOKEN.match(rest, at)
            assert match, f"no token at {rest[at:at + 40]!r}"
            self.tokens.append((match.lastgroup, match.group(match.lastgroup)))
            at = match.end()
        self.at = 0

    def peek(self):
        return self.tokens[self.at][1] if self.at < len(self.tokens) else None

    def take(self, kind=None, value=None):
        got = self.tokens[self.at]
        assert (kind is None or got[0] == kind) and (value is None or got[1] == value), (got, kind, value)
        self.at += 1
        return got[1]

    def metadata(self):
        facts = {}
        if self.peek() != "(":
            return facts
        self.take()
        while self.peek() != ")":
            name = self.take("name")
            self.take("sign", "=")
            facts[name] = self.take().strip('"')
        self.take()
        return facts

    def sequence(self, first, last, item):
        """Items between brackets with commas between them; one more comma only in a dictionary."""
        items = []
        self.take("sign", first)
        while self.peek() != last:
            items.append(item())
            if self.peek() != ",":
                break
            self.take()
            assert self.peek() != last or last == "}", "a comma before " + last
        self.take("sign", last)
        return items

    def scalar(self, base):
        if base == "token":
            return self.take("text").strip('"')
        word = self.take("number")
        assert base not in WHOLE or re.fullmatch(r"-?\d+", word), (base, word)
        return int(word) if base in WHOLE else float(word)

    def one(self, base):
        if SHAPES[base] < 2:
            return self.scalar(base)
        items = tuple(self.sequence("(", ")", lambda: self.scalar(base)))
        assert len(items) == SHAPES[base], items
        return items

    def value(self, kind):
        base, is_list = kind
        return self.sequence("[", "]", lambda: self.one(base)) if is_list else self.one(base)

    def samples(self, kind):
        def sample():
            code = self.take("number")
            self.take("sign", ":")
            return float(code), self.value(kind)
        pairs = self.sequence("{", "}", sample)
        codes = [code for code, _ in pairs]
        assert codes == sorted(set(codes)), "time codes ascend"
        return dict(pairs)

    def attribute(self):
        if self.peek() == "uniform":
            self.take()
        base = self.take("name")
        assert base in SHAPES, base
        is_list = self.peek() == "["
        if is_list:
            self.take(), self.take("sign", "]")
        name = self.take("name")
        facts = self.metadata()
        if self.peek() != "=":
            return name, (None, facts)
        self.take()
        if name.endswith(".timeSamples"):
            return name[:-len(".timeSamples")], (self.samples((base, is_list)), facts)
        return name, (self.value((base, is_list)), facts)

    def prim(self):
        self.take("name", "def")
        kind, name = self.take("name"), self.take("text").strip('"')
        assert re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name), name
        self.metadata()
        self.take("sign", "{")
        children, attributes = {}, {}
        while self.peek() != "}":
            if self.peek() == "def":
                child = self.prim()
                assert child[1] not in children
                children[child[1]] = child
                continue
            key, (value, facts) = self.attribute()
            assert key not in attributes or attributes[key][0] is None, f"{key} is given twice"
            attributes[key] = (value, {**attributes.get(key, (None, {}))[1], **facts})
        self.take()
        return kind, name, attributes, children

    def layer(self):
        facts, root = self.metadata(), self.prim()
        assert self.at == len(self.tokens), "something follows the root"
        return facts, root


def read_ply(path):
    """An ASCII PLY: properties by name as lists of words, and faces."""
    lines = open(path).read().split("\n")
    end = lines.index("end_header")
    names, counts = [], {}
    for words in (line.split() for line in lines[:end]):
        if words[0] == "element":
            counts[words[1]] = int(words[2])
        elif words[0] == "property" and "face" not in counts:
            names.append(words[-1])
    rows = [line.split() for line in lines[end + 1:end + 1 + counts["vertex"]]]
    faces = [line.split()[1:] for line in lines[end + 1 + counts["vertex"]:] if line]
    assert len(faces) == counts.get("face", 0)
    return {name: [row[i] for row in rows] for i, name in enumerate(names)}, faces


def as_float(x):
    return struct.unpack("f", struct.pack("f", x))[0]


def vectors(ply, names):
    return list(zip(*([float(x) for x in ply[name]] for name in names)))


def near(a, b, room):
    return len(a) == len(b) and all(abs(x - y) <= room for p, q in zip(a, b) for x, y in zip(p, q))


def points_are_those_of_the_ply(prim, name, directory, frame):
    ply, _ = read_ply(f"{directory}/{name}.{frame:06}.ply")
    at = {key: value[frame] for key, (value, _) in prim[2].items() if isinstance(value, dict)}
    # nine digits bring floats back, so what is left is the addition of the origin: 1e-7 of a few metres
    assert near(at["points"], vectors(ply, "xyz"), 1e-6)
    assert near(at["velocities"], vectors(ply, ["velocity_x", "velocity_y", "velocity_z"]), 0)
    radius = [float(r) for r in ply["radius"]]
    assert len(at["widths"]) == len(radius)
    assert all(as_float(w) == 2 * as_float(r) for w, r in zip(at["widths"], radius))  # doubling is exact
    assert at["ids"] == [int(low) + (int(high) << 32) for low, high in zip(ply["id"], ply["id_high"])]
    assert at["primvars:age"] == [float(x) for x in ply["age"]]
    assert prim[2]["primvars:age"][1]["interpolation"] == "vertex"
    low, high = at["extent"]
    for p, r in zip(at["points"], radius):
        assert all(a <= x - 0.99 * r and x + 0.99 * r <= b for a, x, b in zip(low, p, high))
    return len(radius)


def mesh_is_that_of_the_ply(prim, directory, frame):
    ply, faces = read_ply(f"{directory}/height.{frame:06}.ply")
    at = {key: value[frame] for key, (value, _) in prim[2].items() if isinstance(value, dict)}
    assert near(at["points"], vectors(ply, "xyz"), 1e-6)
    assert at["faceVertexCounts"] == [3] * len(faces) and len(faces) > 0
    assert at["faceVertexIndices"] == [int(v) for face in faces for v in face]
    assert prim[2]["subdivisionScheme"][0] == "none"


def main():
    path, directory, fps, frames = sys.argv[1], sys.argv[2], float(sys.argv[3]), [int(f) for f in sys.argv[4:]]
    facts, (kind, name, attributes, children) = Reader(open(path).read()).layer()
    assert facts["metersPerUnit"] == "1" and facts["upAxis"] == "Y" and facts["defaultPrim"] == name == "spume"
    assert float(facts["startTimeCode"]) == frames[0] and float(facts["endTimeCode"]) == frames[-1]
    assert float(facts["timeCodesPerSecond"]) == fps and kind == "Xform"
    assert attributes["xformOpOrder"][0] == ["xformOp:translate"]
    assert set(children) == {"bubbles", "foam", "height"}, set(children)
    assert children["bubbles"][0] == "Points" and children["height"][0] == "Mesh"
    assert set(children["bubbles"][2]["points"][0]) == set(frames)
    total = 0
    for frame in frames:
        for prim in ("bubbles", "foam"):
            total += points_are_those_of_the_ply(children[prim], prim, directory, frame)
        mesh_is_that_of_the_ply(children["height"], directory, frame)
    assert total > 0, "nothing was compared"


main()

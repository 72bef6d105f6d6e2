#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`spume page` through real sockets: what it serves, whom it refuses, and how it ends.

Usage: page_server.py PROGRAM

Pages are made up here, so that the real one need not be built. Requests are written byte by byte: a client
library would tidy up just what is to be tested.
"""
import os
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import threading
import time

PROGRAM = os.path.realpath(sys.argv[1])
TYPES = {
    "index.html": "text/html; charset=utf-8",
    "page.js": "text/javascript; charset=utf-8",
    "page.css": "text/css; charset=utf-8",
    "pond.wasm": "application/wasm",
    "pond-plain.wasm": "application/wasm",
    "scenes.json": "application/json",
    "icon.svg": "image/svg+xml",
}
# Every byte occurs, and the first file is large enough to need many writes.
CONTENTS = {name: name.encode() + bytes(range(256)) * (20000 if name == "pond.wasm" else 7) for name in TYPES}
COMMON_HEADERS = {
    "content-security-policy":
        "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' blob: data:; "
        "media-src blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-cache",
}
SECRET = b"what nobody outside may read"
HEAD_SECONDS = 5.0  # src/view/server.c
MOST_CALLERS = 64  # src/view/serving.h


def make_page(folder):
    """A complete page in folder/page, a secret beside it, and links to the secret inside."""
    page = os.path.join(folder, "page")
    os.mkdir(page)
    for name, contents in CONTENTS.items():
        with open(os.path.join(page, name), "wb") as file:
            file.write(contents)
    secret = os.path.join(folder, "secret.txt")
    with open(secret, "wb") as file:
        file.write(SECRET)
    os.symlink(secret, os.path.join(page, "link.txt"))
    with open(os.path.join(page, "extra.txt"), "wb") as file:
        file.write(SECRET)
    return page


class Server:
    """The program, serving; `with` ends it by SIGTERM and looks at how it ended."""

    def __init__(self, page, *options, program=PROGRAM):
        where = ["--dir", page] if page else []
        self.process = subprocess.Popen([program, "page", *where, *options], stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        line = self.process.stdout.readline().decode()
        if not line.startswith("http://127.0.0.1:"):
            self.process.wait(10)
            raise AssertionError(f"no address but {line!r}: {self.process.stderr.read().decode()}")
        assert line.endswith("/\n"), line
        self.port = int(line[len("http://127.0.0.1:"):-2])
        self.host = f"127.0.0.1:{self.port}"

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        if kind:
            self.process.kill()
        self.end(signal.SIGTERM, must_be_fine=not kind)

    def end(self, number, must_be_fine=True):
        if self.process.poll() is None:
            self.process.send_signal(number)
        out, err = self.process.communicate(timeout=20)
        if must_be_fine:
            assert self.process.returncode == 0, f"ended with {self.process.returncode}: {err.decode()}"
            assert out == b"", f"more than one line on stdout: {out!r}"
            assert err == b"", f"on stderr: {err.decode()}"

    def connect(self):
        return socket.create_connection(("127.0.0.1", self.port), timeout=15)

    def raw(self, request):
        """All that comes back for these bytes until the server hangs up."""
        with self.connect() as client:
            try:
                client.sendall(request)
            except (BrokenPipeError, ConnectionResetError):
                pass  # refused before we had said all
            return read_all(client)

    def ask(self, target="/", method="GET", hosts=None, more=()):
        hosts = [self.host] if hosts is None else hosts
        target = target if isinstance(target, bytes) else target.encode()
        lines = [method.encode() + b" " + target + b" HTTP/1.1"]
        lines += [b"Host: " + host.encode() for host in hosts] + [line.encode() for line in more]
        return Answer(self.raw(b"\r\n".join(lines) + b"\r\n\r\n"))


def read_all(client):
    got = b""
    while True:
        try:
            part = client.recv(1 << 16)
        except ConnectionResetError:
            return got
        if not part:
            return got
        got += part


class Answer:
    def __init__(self, raw):
        assert raw, "no answer at all"
        assert SECRET not in raw, "the secret came out"
        head, _, self.body = raw.partition(b"\r\n\r\n")
        lines = head.decode("latin-1").split("\r\n")
        self.status = int(lines[0].split(" ")[1])
        pairs = [line.split(": ", 1) for line in lines[1:]]
        self.headers = {name.lower(): value for name, value in pairs}
        assert len(self.headers) == len(pairs), f"a header twice in {lines}"

    def expect(self, status):
        assert self.status == status, f"{self.status} instead of {status}"
        for name, value in COMMON_HEADERS.items():
            assert self.headers.get(name) == value, f"{name}: {self.headers.get(name)}"
        return self


# ---- What is served ---------------------------------------------------------------------------------------------


def files_come_byte_for_byte(server):
    for name, contents in CONTENTS.items():
        targets = ["/" + name, "/" + name + "?v=1", "/" + name + "?", "/" + name + "?a=/../b&c=%00"]
        if name == "index.html":
            targets += ["/", "/?scene=pond/fig10"]
        for target in targets:
            answer = server.ask(target).expect(200)
            assert answer.body == contents, target
            assert answer.headers["content-type"] == TYPES[name], target
            assert answer.headers["content-length"] == str(len(contents)), target


def unchanged_files_are_not_sent_again(server):
    tags = set()
    for name in CONTENTS:
        tag = server.ask("/" + name).headers["etag"]
        assert tag[0] == tag[-1] == '"' and len(tag) == 18, tag
        tags.add(tag)
        for known in (tag, "*", "W/" + tag, f'"other", {tag}', f'"a,b" ,{tag}, "c"'):
            answer = server.ask("/" + name, more=["If-None-Match: " + known]).expect(304)
            assert answer.body == b"" and answer.headers["etag"] == tag
        for known in ('"other"', tag[:-1], tag[1:-1], tag[:9] + '"', "", '"'):
            assert server.ask("/" + name, more=["If-None-Match: " + known]).expect(200).body == CONTENTS[name]
    assert len(tags) == len(CONTENTS)


def old_protocol_is_answered(server):
    request = f"GET /page.css HTTP/1.0\r\nHost: {server.host}\r\n\r\n".encode()
    assert Answer(server.raw(request)).expect(200).body == CONTENTS["page.css"]


def a_connection_carries_one_request(server):
    one = f"GET /page.css HTTP/1.1\r\nHost: {server.host}\r\n\r\n".encode()
    answer = Answer(server.raw(one + one)).expect(200)
    assert answer.headers["connection"].lower() == "close"
    assert answer.body == CONTENTS["page.css"]


def request_in_pieces_is_answered(server):
    with server.connect() as client:
        for byte in f"GET /page.js HTTP/1.1\r\nHost: {server.host}\r\n\r\n".encode():
            client.sendall(bytes([byte]))
            time.sleep(0.002)
        assert Answer(read_all(client)).expect(200).body == CONTENTS["page.js"]


def answer_comes_though_the_client_sends_no_more(server):
    with server.connect() as client:
        client.sendall(f"GET /pond.wasm HTTP/1.1\r\nHost: {server.host}\r\n\r\n".encode())
        client.shutdown(socket.SHUT_WR)
        assert Answer(read_all(client)).expect(200).body == CONTENTS["pond.wasm"]


def head_is_get_without_the_body(server):
    for name, contents in CONTENTS.items():
        answer = server.ask("/" + name, method="HEAD").expect(200)
        assert answer.body == b"", name
        asked = server.ask("/" + name).headers
        assert {**answer.headers, "date": ""} == {**asked, "date": ""}, name
        assert answer.headers["content-length"] == str(len(contents)), name
        tag = answer.headers["etag"]
        assert server.ask("/" + name, method="HEAD", more=["If-None-Match: " + tag]).expect(304).body == b""
    for status, request in ((404, {"target": "/nothing"}), (421, {"hosts": ["evil.com"]}), (400, {"hosts": []})):
        assert server.ask(method="HEAD", **request).expect(status).body == b"", status


# ---- What is refused --------------------------------------------------------------------------------------------


def other_files_are_not_there(server):
    up = ["/../secret.txt", "/..//secret.txt", "/page/../../secret.txt", "/%2e%2e/secret.txt", "/%2E%2E%2Fsecret.txt",
          "/..%2fsecret.txt", "/..%5csecret.txt", "/..\\secret.txt", "\\..\\secret.txt", "/%252e%252e/secret.txt",
          "/%c0%ae%c0%ae/secret.txt", "/.../secret.txt", "/./index.html", "//index.html", "/index.html/",
          "/index.html/../secret.txt", "/../page/index.html", "../secret.txt", "secret.txt"]
    inside = ["/link.txt", "/extra.txt", "/page", "/INDEX.HTML", "/Page.js", "/page.js.map", "/page", "/pond.was",
              "/pond.wasmm", "/index%2ehtml", "/%69ndex.html", "/index.html%00", "/index.html%00.js", "/%00",
              "/index.html#top", "/index.html;v=1", "/index.html&", "/index.html ", "/ ", "/index.html%3fv=1", "/%3f"]
    absolute = [f"http://{server.host}/", f"http://{server.host}/index.html", "http://evil.example/", "//evil.example/",
                "file:///index.html", "*", "index.html", "?", "#"]
    nul = [b"/index.html\0", b"/index.html\0/../secret.txt", b"/\0", b"/\0?x", b"/index.html\0?x", b"/page.js?a\0b",
           b"\0", b"/index\0.html", b"\0/"]
    for target in up + inside + absolute + nul + ["/" + "a" * 3000, "/" + "../" * 500 + "secret.txt"]:
        answer = server.ask(target)
        assert answer.status == 404, f"{answer.status} for {target!r}"
        answer.expect(404)
    server.ask("/%ff%fe").expect(404)
    server.ask(b"/\xff\xfe\x80").expect(404)


def other_methods_are_not_allowed(server):
    for method in ("POST", "PUT", "DELETE", "OPTIONS", "TRACE", "PATCH", "CONNECT", "get", "GETS", "GET\0", "head", "HEADS", "HEAD\0"):
        for target in ("/", "/nothing"):
            answer = server.ask(target, method=method).expect(405)
            assert answer.headers["allow"] == "GET, HEAD", method
    body = f"POST / HTTP/1.1\r\nHost: {server.host}\r\nContent-Length: 5\r\n\r\nhello".encode()
    Answer(server.raw(body)).expect(405)
    body = f"POST / HTTP/1.1\r\nHost: {server.host}\r\nTransfer-Encoding: chunked\r\n\r\n".encode()
    Answer(server.raw(body)).expect(405)


def other_hosts_are_misdirected(server):
    port = server.port
    for host in (f"127.0.0.1:{port}", f"localhost:{port}", f"LocalHost:{port}", f"LOCALHOST:{port}"):
        server.ask(hosts=[host]).expect(200)
    for host in ("127.0.0.1", "localhost", f"localhost:{port + 1}", f"127.0.0.1:{port - 1}", f"127.0.0.1:{port}0",
                 f"127.0.0.1:0{port}", f"localhost.:{port}", f"127.0.0.1.:{port}", f"localhost:{port}.",
                 f"localhost.evil.com:{port}", f"127.0.0.1.evil.com:{port}", f"evil.com:{port}", "evil.com",
                 f"evil.com@127.0.0.1:{port}", f"127.0.0.1:{port}@evil.com", f"user@localhost:{port}",
                 f"xlocalhost:{port}", f"127.0.0.2:{port}", f"127.1:{port}", f"2130706433:{port}", f"0.0.0.0:{port}",
                 f"[::1]:{port}", f"[::ffff:127.0.0.1]:{port}", f"http://127.0.0.1:{port}", f"127.0.0.1:{port}/",
                 f"127.0.0.1:{port}, evil.com", f"127.0.0.1:{port} evil.com", f"127.0.0.1 :{port}", ":", f":{port}"):
        answer = server.ask(hosts=[host])
        assert answer.status == 421, f"{answer.status} for host {host!r}"
        answer.expect(421)
    assert server.ask(hosts=[f"127.0.0.1:{port}\r\n evil.com"]).status in (400, 421)  # a folded line
    server.ask(hosts=[], more=[f"Host : 127.0.0.1:{port}"]).expect(400)
    server.ask("/nothing", hosts=["evil.com"]).expect(421)
    server.ask(method="POST", hosts=["evil.com"]).expect(421)


def one_host_is_needed(server):
    server.ask(hosts=[]).expect(400)
    server.ask(hosts=[server.host, server.host]).expect(400)
    server.ask(hosts=[server.host, "evil.com"]).expect(400)
    server.ask(hosts=["evil.com", server.host]).expect(400)
    server.ask(hosts=[server.host], more=["hOsT: evil.com"]).expect(400)
    assert server.ask(hosts=[""]).status in (400, 421)
    Answer(server.raw(b"GET / HTTP/1.0\r\n\r\n")).expect(400)
    # the address in the target is no substitute
    server.ask(f"http://{server.host}/", hosts=[]).expect(400)


def huge_heads_are_refused(server):
    server.ask(more=["X: " + "a" * 8000]).expect(200)
    server.ask(more=["X: " + "a" * 17000]).expect(431)
    # beyond what the library itself can hold: its own words, the same number
    for more in (["X: " + "a" * 40000], [f"X{i}: y" for i in range(3000)]):
        answer = server.ask(more=more)
        assert answer.status == 431 and b"index.html" not in answer.body, answer.status
    assert server.ask("/" + "a" * 40000).status in (414, 431)
    # a query of thousands of parts, where the library has no room left even to say so and hangs up
    got = server.raw(f"GET /?{'a&' * 15000} HTTP/1.1\r\nHost: {server.host}\r\n\r\n".encode())
    assert not got or Answer(got).status in (414, 431), got[:100]
    files_come_byte_for_byte(server)


def nonsense_does_no_harm(server):
    for nonsense in (b"\r\n\r\n", b"\0" * 100, b"GET\r\n\r\n", b"GET /\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n",
                     b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(range(256)) + b"\r\n\r\n",
                     b"GET / HTTP/1.1\r\nHost\r\n\r\n", b"GET / HTTP/1.1\r\n: x\r\n\r\n",
                     b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", b"GET / HTTP/1.1\nHost: x\n\n",
                     b" / HTTP/1.1\r\n\r\n", b"\xff" * 5000 + b"\r\n\r\n"):
        with server.connect() as client:
            client.sendall(nonsense)
            client.settimeout(0.3)  # some of it looks like the beginning of a request, and more is waited for
            try:
                got = read_all(client)
            except TimeoutError:
                got = b""
        assert not got.startswith(b"HTTP/1.1 200"), nonsense
    for _ in range(50):
        server.connect().close()
    server.ask().expect(200)


# ---- Slow and many ----------------------------------------------------------------------------------------------


def slow_clients_neither_block_nor_stay(server):
    """Some say nothing, some drip; one asks for the large file and leaves it lying. A normal one is served at
    once all the while, and those without a request are gone after the deadline."""
    silent = [server.connect() for _ in range(10)]
    dripping = [server.connect() for _ in range(10)]
    lazy = server.connect()
    lazy.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 16)
    lazy.sendall(f"GET /pond.wasm HTTP/1.1\r\nHost: {server.host}\r\n\r\n".encode())
    head = f"GET / HTTP/1.1\r\nHost: {server.host}\r\nX: ".encode()
    began, slowest, gone = time.monotonic(), 0.0, {}
    while len(gone) < len(dripping) and time.monotonic() - began < HEAD_SECONDS + 6:
        for number, client in enumerate(dripping):
            if number in gone:
                continue
            try:
                client.sendall(head[:1] or b"a")
            except OSError:
                gone[number] = time.monotonic() - began
        head = head[1:]
        asked = time.monotonic()
        server.ask().expect(200)
        slowest = max(slowest, time.monotonic() - asked)
        time.sleep(0.25)
    assert len(gone) == len(dripping), f"only {len(gone)} of the dripping clients were cut"
    assert min(gone.values()) > HEAD_SECONDS - 1, f"cut too early: {gone}"
    assert slowest < 2, f"a normal client waited {slowest:.1f} s"
    for client in silent + dripping:
        client.settimeout(3)
        assert read_all(client) == b""
        client.close()
    assert read_all(lazy).endswith(CONTENTS["pond.wasm"][-1000:]), "whoever has asked may take its time"
    lazy.close()


def too_many_clients_wait_for_a_place(server):
    """The connections are bounded: one more waits in the kernel's queue until the silent ones are cut."""
    silent = [server.connect() for _ in range(MOST_CALLERS)]
    time.sleep(0.5)
    began = time.monotonic()
    with server.connect() as client:
        client.sendall(f"GET / HTTP/1.1\r\nHost: {server.host}\r\n\r\n".encode())
        assert Answer(read_all(client)).expect(200).body == CONTENTS["index.html"]
    waited = time.monotonic() - began
    for client in silent:
        client.close()
    assert 1 < waited < HEAD_SECONDS + 3, f"waited {waited:.1f} s"
    server.ask().expect(200)


def many_at_once_are_served(server):
    troubles = []

    def ask_often():
        try:
            for name in CONTENTS:
                assert server.ask("/" + name).expect(200).body == CONTENTS[name]
        except Exception as trouble:
            troubles.append(trouble)

    threads = [threading.Thread(target=ask_often) for _ in range(30)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not troubles, troubles[0]


def idle_server_sleeps(server):
    def ticks():
        with open(f"/proc/{server.process.pid}/stat") as file:
            return sum(int(word) for word in file.read().rpartition(")")[2].split()[11:13])

    time.sleep(0.5)
    before = ticks()
    time.sleep(1.5)
    assert ticks() - before <= 5, "an idle server burns time"


def only_this_machine_is_listened_to(server):
    with open(f"/proc/{server.process.pid}/net/tcp") as file:
        local = [line.split()[1] for line in file.readlines()[1:] if line.split()[3] == "0A"]
    assert f"0100007F:{server.port:04X}" in local, local
    assert not any(at.endswith(f":{server.port:04X}") for at in local if not at.startswith("0100007F")), local


# ---- Beginning and ending ---------------------------------------------------------------------------------------


def fails(status, *words, options, program=PROGRAM):
    done = subprocess.run([program, "page", *options], capture_output=True, timeout=20)
    err = done.stderr.decode()
    assert done.returncode == status, f"{options}: ended with {done.returncode}: {err}"
    assert done.stdout == b"", done.stdout
    assert err.startswith("spume: ") and err.count("\n") == 1, f"not one sentence: {err!r}"
    for word in words:
        assert word in err, f"{word!r} is not in {err!r}"


def broken_pages_are_refused(folder, page):
    empty = os.path.join(folder, "empty")
    os.mkdir(empty)
    fails(2, empty, "index.html", "make page", options=["--dir", empty])
    fails(2, empty + "/none", "index.html", "make page", options=["--dir", empty + "/none"])
    file = os.path.join(page, "page.js")
    fails(2, file, "make page", options=["--dir", file])
    moved = os.path.join(folder, "moved")
    os.rename(file, moved)
    fails(2, page, "page.js is missing", "make page", options=["--dir", page])
    os.symlink(moved, file)
    fails(2, page, "page.js is not a regular file", options=["--dir", page])
    os.unlink(file)
    os.mkfifo(file)
    fails(2, page, "page.js is not a regular file", options=["--dir", page])
    os.unlink(file)
    os.mkdir(file)
    fails(2, page, "page.js is not a regular file", options=["--dir", page])
    os.rmdir(file)
    with open(file, "wb") as large:
        large.truncate((8 << 20) + 1)
    fails(2, page, "page.js has 8388609 bytes", options=["--dir", page])
    with open(file, "wb") as large:
        large.truncate(8 << 20)
    with Server(page) as server:
        assert server.ask("/page.js").expect(200).body == bytes(8 << 20)
    os.replace(moved, file)


def page_is_found_beside_the_program(folder, page):
    """Without --dir: ../page from the program's directory, else ../share/spume/page."""
    programs = os.path.join(folder, "installed", "bin")
    share = os.path.join(folder, "installed", "share", "spume")
    beside = os.path.join(folder, "installed", "page")
    os.makedirs(programs)
    os.makedirs(share)
    program = shutil.copy(PROGRAM, os.path.join(programs, "spume"))
    fails(2, beside, "index.html", "make page", options=[], program=program)
    shutil.copytree(page, os.path.join(share, "page"))
    with Server(None, program=program) as server:
        server.ask().expect(200)
    shutil.copytree(page, beside)
    with open(os.path.join(beside, "page.css"), "wb") as file:
        file.write(b"newer")
    with Server(None, program=program) as server:
        assert server.ask("/page.css").expect(200).body == b"newer"
    os.unlink(os.path.join(beside, "page.css"))  # a half-built page is said, not passed over
    fails(2, beside, "page.css is missing", "make page", options=[], program=program)


def bad_ports_are_refused(page):
    for port in ("70000", "65536", "x", "-1", ""):
        fails(2, "0 to 65535", options=["--dir", page, "--port=" + port])
    with Server(page) as server:
        fails(1, f"port {server.port}", "in use", options=["--dir", page, "--port", str(server.port)])
        server.ask().expect(200)
        port = server.port
    with Server(page, "--port", str(port)) as server:  # left a moment ago, free again
        assert server.port == port
        server.ask().expect(200)


def signals_end_it_in_good_order(page):
    for number in (signal.SIGINT, signal.SIGTERM):
        server = Server(page)
        open_ones = [server.connect() for _ in range(3)]
        open_ones[0].sendall(b"GET / HT")
        open_ones[1].sendall(f"GET /pond.wasm HTTP/1.1\r\nHost: {server.host}\r\n\r\n".encode())
        time.sleep(0.3)
        began = time.monotonic()
        server.end(number)
        assert time.monotonic() - began < 5, "did not end at once"
        for client in open_ones:
            client.close()
    Server(page).end(signal.SIGTERM)  # the very moment its line is out


def files_are_read_once(page):
    path = os.path.join(page, "page.css")
    with Server(page) as server:
        os.unlink(path)
        assert server.ask("/page.css").expect(200).body == CONTENTS["page.css"]
        opened = f"/proc/{server.process.pid}/fd"
        links = [os.readlink(os.path.join(opened, fd)) for fd in os.listdir(opened)]
        assert not any(page in link for link in links), links
    with open(path, "wb") as file:
        file.write(CONTENTS["page.css"])


def browser_is_started(folder, page):
    tools = os.path.join(folder, "tools")
    os.mkdir(tools)
    note = os.path.join(folder, "note")
    script = os.path.join(tools, "xdg-open")
    with open(script, "w") as file:
        file.write(f"#!/bin/sh\necho \"$# $1\" > '{note}.part' && mv '{note}.part' '{note}'\necho noise\n")
    os.chmod(script, stat.S_IRWXU)
    path = os.environ["PATH"]
    os.environ["PATH"] = tools + ":" + path
    try:
        with Server(page, "--open") as server:
            began = time.monotonic()
            while not os.path.exists(note):
                assert time.monotonic() - began < 10, "no browser"
                time.sleep(0.02)
            with open(note) as file:
                assert file.read() == f"1 http://{server.host}/\n"
        os.environ["PATH"] = os.path.join(folder, "nowhere")
        server = Server(page, "--open")
        server.ask().expect(200)
        server.process.send_signal(signal.SIGTERM)
        _, err = server.process.communicate(timeout=20)
        assert server.process.returncode == 0
        assert err.startswith(b"spume: ") and err.count(b"\n") == 1 and b"xdg-open" in err, err
    finally:
        os.environ["PATH"] = path


def stdout_that_is_full_is_said(page):
    if not os.path.exists("/dev/full"):
        return
    with open("/dev/full", "w") as full:
        done = subprocess.run([PROGRAM, "page", "--dir", page], stdout=full, stderr=subprocess.PIPE, timeout=20)
    assert done.returncode == 1 and done.stderr.count(b"\n") == 1, done


REQUESTS = [files_come_byte_for_byte, unchanged_files_are_not_sent_again, head_is_get_without_the_body,
            old_protocol_is_answered, a_connection_carries_one_request, request_in_pieces_is_answered,
            answer_comes_though_the_client_sends_no_more, other_files_are_not_there, other_methods_are_not_allowed,
            other_hosts_are_misdirected, one_host_is_needed, huge_heads_are_refused, nonsense_does_no_harm,
            many_at_once_are_served, slow_clients_neither_block_nor_stay, too_many_clients_wait_for_a_place,
            idle_server_sleeps, only_this_machine_is_listened_to]


def main():
    with tempfile.TemporaryDirectory(prefix="spume.") as folder:
        page = make_page(folder)
        for test in REQUESTS:  # a server each, so that each also ends in good order after it
            with Server(page) as server:
                run(test, server)
        run(broken_pages_are_refused, folder, page)
        run(page_is_found_beside_the_program, folder, page)
        run(bad_ports_are_refused, page)
        run(signals_end_it_in_good_order, page)
        run(files_are_read_once, page)
        run(browser_is_started, folder, page)
        run(stdout_that_is_full_is_said, page)


def run(test, *arguments):
    began = time.monotonic()
    try:
        test(*arguments)
    except Exception:
        print(f"FAILED: {test.__name__}", file=sys.stderr)
        raise
    print(f"{test.__name__}: {time.monotonic() - began:.1f} s", flush=True)


if __name__ == "__main__":
    main()

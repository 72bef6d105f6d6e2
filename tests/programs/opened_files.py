#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""opened_files.py DIR COMMAND...: runs the command and prints which files of the directory it opened, a line each.
The kernel tells (inotify), so that nothing is missed and the program need not count."""
import ctypes
import os
import struct
import subprocess
import sys

IN_OPEN, IN_Q_OVERFLOW, IN_ISDIR = 0x20, 0x4000, 0x40000000


def names_of(events):
    at = 0
    while at < len(events):
        _, mask, _, length = struct.unpack_from("iIII", events, at)
        name = events[at + 16:at + 16 + length].rstrip(b"\0").decode()
        at += 16 + length
        if mask & IN_Q_OVERFLOW:
            sys.exit("opened_files.py: more opens than the kernel keeps")
        if name and not mask & IN_ISDIR:
            yield name


def main():
    libc = ctypes.CDLL(None, use_errno=True)
    watch = libc.inotify_init1(os.O_NONBLOCK)
    if watch < 0 or libc.inotify_add_watch(watch, os.fsencode(sys.argv[1]), IN_OPEN) < 0:
        sys.exit(f"opened_files.py: {sys.argv[1]}: {os.strerror(ctypes.get_errno())}")
    status = subprocess.run(sys.argv[2:], check=False).returncode
    opened = set()
    while True:
        try:
            opened.update(names_of(os.read(watch, 1 << 16)))
        except BlockingIOError:
            break
    print("\n".join(sorted(opened)))
    return status


sys.exit(main())

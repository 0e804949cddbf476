"""Attacks on the beginning and the end of a run: pipes that nobody reads, limits of the system, full disks."""

import os
import sqlite3
import time

from aside import Aside, ask
from attack import Attack

HEAD = 'local rest = require "resthost"\n'
SERVING = HEAD + """
local gateway = rest.gateway { listen = "127.0.0.1:0" }
gateway:route("GET", "/x", function() rest.log.warn(("y"):rep(9000)) print(("z"):rep(9000)) return { ok = true } end)
"""


def pipe_without_reader(folder):
    """A named pipe that is open, so that writers block when it is full. Returns its path and a descriptor."""
    path = os.path.join(folder, "pipe")
    os.mkfifo(path)
    return path, os.open(path, os.O_RDWR | os.O_NONBLOCK)


def stuck_end(host):
    """A run that serves no clients waits for the reader of its output, and hangs. SIGTERM still ends it in time."""
    path, descriptor = pipe_without_reader(host.folder)
    script = HEAD + 'io.stderr:write("begins\\n")\nrest.spawn(function() while true do print(("x"):rep(1000)) end end)\n'
    with Aside(host, "stuck", script, f'exec "$@" --drain 1 >{path}') as aside:
        began = aside.has_said(b"begins")
        time.sleep(1)
        start = time.monotonic()
        code = aside.end()
        taken = time.monotonic() - start
        os.close(descriptor)
        complaints = [] if began and code is not None else ["it was not ended by SIGTERM"]
        if taken > 2.5:
            complaints.append(f"SIGTERM took {taken:.1f} s where the drain time is 1 s")
        return complaints + ([] if b"cut off" in aside.errors else ["nobody was told what was cut off"])


def full_pipes(host):
    path, descriptor = pipe_without_reader(host.folder)
    complaints = []
    for name, redirection in (("output", ">"), ("errors", "2>")):
        # The first line of the output has the port, so only the log is cut there.
        with Aside(host, f"full-{name}", SERVING, f'exec "$@" --drain 1 {redirection}{path}', ["--log-format", "json"]) as aside:
            ports = aside.ports() if name == "errors" else port_of(host, aside)
            for number in range(600):
                head = ask(ports["http"], "/x")[:12] if ports else b""
                if not head.endswith(b"200"):
                    complaints.append(f"with full {name} request {number} gives {head!r}")
                    break
            if aside.end() != 0:
                complaints.append(f"with full {name} the end is {aside.process.poll()}")
    os.close(descriptor)
    return complaints


def port_of(host, aside):
    """The port as the admin socket reports it."""
    for _ in range(100):
        said = host.other("status", aside.path("admin.sock"), "--json")
        if "127.0.0.1:" in said:
            return {"http": int(said.split("127.0.0.1:")[1].split('"')[0].split("/")[0])}
        time.sleep(0.1)
    return {}


def closed_descriptors(host):
    complaints = []
    for number, closed in enumerate((">&-", "2>&-", "<&- >&-", "<&- >&- 2>&-")):
        with Aside(host, f"closed-{number}", SERVING, f'exec "$@" --drain 1 {closed}') as aside:
            ports = port_of(host, aside)
            heads = [ask(ports["http"], "/x")[:12] for _ in range(3)] if ports else []
            if [head[-3:] for head in heads] != [b"200"] * 3:
                complaints.append(f"started with {closed}: {heads}")
            if aside.end() != 0:
                complaints.append(f"started with {closed}, its end is {aside.process.poll()}")
    return complaints


def low_limits(host):
    complaints = []
    for number, (limit, words) in enumerate((("ulimit -n 16", b"file descriptors"), ("ulimit -v 400000", b"address space"))):
        with Aside(host, f"low-{number}", SERVING, f'{limit} && exec "$@"') as aside:
            code = aside.process.wait(20)
            time.sleep(0.2)
            if code != 1 or words not in aside.errors or aside.errors.count(b"\n") != 1:
                complaints.append(f"{limit}: it ends with {code} and says {aside.errors[:200]!r}")
    return complaints


def full_disk(host):
    """The limit of a file's size stands for a disk without room."""
    complaints = []
    script = HEAD + """
local store = rest.store.open("state.db")
store:set("a", 1)
store:set("large", ("x"):rep(400000))
"""
    with Aside(host, "disk", script, 'ulimit -f 200 && exec "$@"') as aside:
        code = aside.process.wait(30)
        time.sleep(0.2)
        if code != 1 or b"are lost" not in aside.errors:
            complaints.append(f"the store was lost: it ends with {code} and says {aside.errors[-200:]!r}")
    with Aside(host, "whole", script) as aside:
        code = aside.process.wait(30)
        whole = os.path.join(aside.folder, "copy.db")
        with open(aside.path("state.db"), "rb") as file, open(whole, "wb") as copy:
            copy.write(file.read())
        tables = sqlite3.connect(whole).execute("select count(*) from sqlite_master").fetchone()[0]
        log = aside.path("state.db-wal")
        left = os.path.getsize(log) if os.path.exists(log) else 0
        if code != 0 or not tables or left:
            complaints.append(f"after an orderly end ({code}) the file has {tables} tables, and its log {left} bytes")
    return complaints


ATTACKS = [
    Attack("stuck-end", "SIGTERM while the engine waits for a reader that never reads", stuck_end),
    Attack("full-pipes", "output and log into pipes that nobody reads", full_pipes),
    Attack("closed-descriptors", "a start without standard input, output or error", closed_descriptors),
    Attack("low-limits", "16 descriptors, and 400 MB of address space", low_limits),
    Attack("full-disk", "a store that finds no room at the end, and one that does", full_disk),
]

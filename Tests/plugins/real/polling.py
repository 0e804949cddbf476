#!/usr/bin/env python3
"""Tests the plugin `polling` with a server of this file, while the script is reloaded and the server fails."""

import http.server
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import time

sys.dont_write_bytecode = True
import plugin_host as host

items = {"a": 1, "b": 1}
state = {"fails": False, "requests": 0}


class API(http.server.BaseHTTPRequestHandler):
    def log_message(self, *arguments):
        pass

    def do_GET(self):
        state["requests"] += 1
        body = json.dumps([{"id": key, "value": value} for key, value in items.items()]).encode()
        self.send_response(500 if state["fails"] else 200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


SCRIPT = """
local rest = require "resthost"
local api = rest.service { name = "api", base_url = "http://127.0.0.1:PORT" }
api:configure("**", function(c) c.expiration_time = 0 end)
local options = { interval = 0.2, max_wait = 1 }
require("resthost.polling").changes(api:resource "/items", options, function(change)
  print("VERSION " .. change.type .. " " .. change.key)
end)
print "VERSION loaded"
rest.gateway { expose = {} }
"""


class Script:
    """A running script, whose lines are read while it runs."""

    def __init__(self, folder, port):
        self.path, self.port, self.lines = pathlib.Path(folder, "main.lua"), port, []
        self.write("1")
        command = [host.PROGRAM, "run", str(self.path), "--listen", "127.0.0.1:0"]
        if "RESTHOST_LUA_PATH" in os.environ:
            command += ["--lua-path", os.environ["RESTHOST_LUA_PATH"]]
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, bufsize=1
        )
        threading.Thread(target=self.read, daemon=True).start()

    def write(self, version):
        self.path.write_text(SCRIPT.replace("PORT", str(self.port)).replace("VERSION", version))

    def read(self):
        for line in self.process.stdout:
            self.lines.append(line.strip())

    def wait(self, line):
        for _ in range(200):
            if line in self.lines:
                return
            time.sleep(0.1)
        sys.exit(f"expected the line {line!r}, got {self.lines!r}")


def polls(count):
    """Waits until the list was asked for so many times more."""
    last = state["requests"] + count
    while state["requests"] < last:
        time.sleep(0.05)


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), API)
threading.Thread(target=server.serve_forever, daemon=True).start()

with tempfile.TemporaryDirectory() as folder:
    script = Script(folder, server.server_port)
    try:
        script.wait("1 loaded")
        polls(2)
        items["c"] = 1
        script.wait("1 added c")
        items["a"] = 2
        script.wait("1 changed a")

        # The new script reports the changes that come while the old one is replaced.
        script.write("2")
        items["d"] = 1
        del items["b"]
        script.wait("2 loaded")
        polls(4)

        state["fails"] = True
        polls(2)
        items["e"] = 1
        state["fails"] = False
        script.wait("2 added e")
        polls(2)
    finally:
        script.process.terminate()
        script.process.wait()

kinds = ("added", "changed", "removed")
told = sorted(line[2:] for line in script.lines if line[2:].startswith(kinds))
host.check("changes, each once", told, ["added c", "added d", "added e", "changed a", "removed b"])
print("polling: changes across a reload and failures, each told once")

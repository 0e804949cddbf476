#!/usr/bin/env python3
"""Streams CSV and lines of JSON through their readers and measures time and memory: MEGABYTES (1000) of each of
FORMATS ("csv json"). It fails if the program needs more than MOST_MEMORY (300) megabytes. Run by hand, with a
release build in RESTHOST."""

import http.server
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import time

import plugin_host

MEGABYTES = int(os.environ.get("MEGABYTES", 1000))
MOST_MEMORY = int(os.environ.get("MOST_MEMORY", 300))

ROW = '{0},"name, {0}",{0}.5,true\r\n'
LINE = '{{"id":{0},"name":"name, {0}","price":{0}.5,"ok":true}}\n'


def block(form):
    return "".join(form.format(number) for number in range(10_000)).encode()


BODIES = {"csv": (b"id,name,price,ok\r\n", block(ROW)), "json": (b"", block(LINE))}


class Server(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        head, piece = BODIES[self.path[1:]]
        count = -(-MEGABYTES * 1_000_000 // len(piece))
        self.send_response(200)
        self.send_header("Content-Type", "application/octet-stream")
        self.send_header("Content-Length", str(len(head) + count * len(piece)))
        self.end_headers()
        self.wfile.write(head)
        for _ in range(count):
            self.wfile.write(piece)

    def log_message(self, *_):
        pass


SCRIPT = """
local rest = require "resthost"
local api = rest.service { name = "api", base_url = "http://127.0.0.1:PORT", standard_transformers = {} }
api:configure(function(c) c.timeouts.total = 0 end)
rest.spawn(function()
  local sum = 0
  local function add(row) sum = sum + row.price end
  local reader = FORMAT == "csv" and rest.csv.reader({ types = { price = "number" } }, add) or rest.json.reader({}, add)
  assert(rest.stream(api:define("GET", FORMAT), function(chunk) assert(reader:write(chunk)) end))
  assert(reader:finish())
  print(("%d %.0f"):format(reader.count, sum))
end)
"""

server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
threading.Thread(target=server.serve_forever, daemon=True).start()
for name in os.environ.get("FORMATS", "csv json").split():
    head, piece = BODIES[name]
    count = -(-MEGABYTES * 1_000_000 // len(piece))
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "main.lua"
        script = SCRIPT.replace("PORT", str(server.server_address[1])).replace("FORMAT", json.dumps(name))
        path.write_text(script)
        start = time.monotonic()
        process = subprocess.Popen([plugin_host.PROGRAM, "run", str(path)], stdout=subprocess.PIPE, text=True)
        output = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    seconds = time.monotonic() - start
    if process.returncode != 0:
        sys.exit(f"{name}: the script ended with {process.returncode}")
    wanted = f"{count * 10_000} {count * sum(number + 0.5 for number in range(10_000)):.0f}"
    plugin_host.check(name, output.strip(), wanted)
    memory = usage.ru_maxrss / 1000
    megabytes = count * len(piece) / 1e6
    print(f"{name}: {megabytes:.0f} MB, {count * 10_000} records in {seconds:.1f} s "
          f"({megabytes / seconds:.0f} MB/s), {memory:.0f} MB of memory at most")
    if memory > MOST_MEMORY:
        sys.exit(f"{name}: more than {MOST_MEMORY} MB of memory")

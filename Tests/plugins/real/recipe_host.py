"""Runs the recipes of examples/cookbook, and the servers that they need: for recipes*.py."""

import contextlib
import http.server
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

import plugin_host as host

FOLDER = host.ROOT / "examples/cookbook"
LUA_PATH = ["--lua-path", os.environ["RESTHOST_LUA_PATH"]] if "RESTHOST_LUA_PATH" in os.environ else []


@contextlib.contextmanager
def server(command, url, seconds=30):
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        host.wait_for(url, process, seconds)
        yield
    finally:
        process.terminate()
        process.wait()


@contextlib.contextmanager
def recipe(name, keep_in=None, **environment):
    """Runs the gateway of a recipe in a folder of its own, and gives a function that reads from it.

    The function has the gateway's address as `url`. What the recipe stores goes to the folder `keep_in`, or away."""
    url = f"http://127.0.0.1:{host.free_port()}"
    with tempfile.TemporaryDirectory() as folder:
        folder = keep_in or folder
        for file in (name + ".lua", "resthost.toml"):
            shutil.copy(FOLDER / file, folder)
        command = [host.PROGRAM, "run", name + ".lua", "--listen", url.removeprefix("http://"), *LUA_PATH]
        process = subprocess.Popen(
            command,
            cwd=folder,
            env={**os.environ, **environment},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

        def read(path, body=None, as_json=True, headers={}):
            request = urllib.request.Request(url + path, body, headers)
            with urllib.request.urlopen(request, timeout=20) as answer:
                content = answer.read()
                return json.loads(content) if content and as_json else content

        try:
            host.wait_for(url + "/-/health", process)
            read.url = url
            yield read
        finally:
            process.terminate()
            process.wait()


def until(read, path, expected):
    """Waits until the gateway's answer is the expected one."""
    for _ in range(100):
        content = read(path)
        if content == expected:
            return
        time.sleep(0.2)
    sys.exit(f"{path}: expected {expected!r} in the end, got {content!r}")


def status_of(read, *arguments, **options):
    """The status of an answer that is an error, or 200."""
    try:
        read(*arguments, **options)
        return 200
    except urllib.error.HTTPError as error:
        return error.code


@contextlib.contextmanager
def receiver(answer):
    """A server for what a recipe sends. `answer` gets the method, the path, the headers and the body, and
    gives a status, the type of the content or all headers, and the content."""

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def reply(self):
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            status, kind, content = answer(self.command, self.path, self.headers, body)
            self.send_response(status)
            for name, value in ({"Content-Type": kind} if isinstance(kind, str) else kind).items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST = do_PUT = do_PATCH = reply

        def log_message(self, *_):
            pass

    made = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    made.daemon_threads = True
    threading.Thread(target=made.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{made.server_port}"
    finally:
        made.shutdown()
        made.server_close()

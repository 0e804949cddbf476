#!/usr/bin/env python3
"""Sends requests of an imported script to a server on which openapi-core reads them by the same document.

openapi-core knows the styles of parameters on its own: what it reads has to be what the script was given. It
reads no labels, matrices and exploded objects; stub tests have these. The program is $RESTHOST, by default .build/debug/resthost.
"""
import os
import subprocess
import sys

FOLDER = os.path.dirname(os.path.abspath(__file__))


def enter_venv():
    """Goes on in the environment of these tests, which is made when it is needed."""
    try:
        import openapi_core  # noqa: F401
    except ImportError:
        venv = os.path.abspath(os.environ.get("RESTHOST_VENV", ".build/plugins-venv"))
        python = os.path.join(venv, "bin", "python")
        if os.path.abspath(sys.prefix) == venv:
            raise
        if not os.path.exists(python):
            subprocess.run([sys.executable, "-m", "venv", venv], check=True)
        requirements = os.path.join(FOLDER, "requirements.txt")
        subprocess.run([python, "-m", "pip", "install", "-q", "-r", requirements], check=True)
        os.execv(python, [python, *sys.argv])


enter_venv()

import json
import tempfile
import threading
from http.cookies import SimpleCookie
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlsplit

from openapi_core import OpenAPI
from openapi_core.testing import MockRequest
from werkzeug.datastructures import ImmutableMultiDict

# Each call of the script, and what openapi-core has to read: parameters by place, and the body.
CALLS = [
    ("api.list_books { page = 2, tag = { 'a', 'b c' } }", {"query": {"page": 2, "tag": ["a", "b c"]}}, None),
    ("api.list_books { ids = { 3, 1 } }", {"query": {"ids": [3, 1]}}, None),
    ("api.list_books { near = { 'a', 'b' }, far = { 'c', 'd' } }",
     {"query": {"near": ["a", "b"], "far": ["c", "d"]}}, None),
    ("api.list_books { filter = { author = 'Ada & Co' } }", {"query": {"filter": {"author": "Ada & Co"}}}, None),
    ("api.list_books { sort = { by = 'title' } }", {"query": {"sort": {"by": "title"}}}, None),
    ("api.list_books { ['X-Tenant'] = 'north', ['X-Fields'] = { 'id', 'title' }, page_header = true, shelf = 'a1' }",
     {"header": {"X-Tenant": "north", "X-Fields": ["id", "title"], "page": True}, "cookie": {"shelf": "a1"}}, None),
    ("api.get_book(7)", {"path": {"book-id": 7}}, None),
    ("api.add_book({ title = 'Tides', author = rest.null, kind = 'atlas' })", {},
     {"title": "Tides", "author": None, "kind": "atlas"}),
    ("api.log_in({ user = 'ada', scopes = { 'read', 'write' } })", {}, {"user": "ada", "scopes": ["read", "write"]}),
]

SCRIPT = """
local rest = require "resthost"
local api = require("library_generated").new { base_url = "%s", key = "for-trying" }
rest.spawn(function()
  for number, call in ipairs { %s } do
    local entity, err = call():send():await()
    print(rest.json.encode { number = number, answer = entity and entity.content, failure = err and tostring(err) })
  end
end)
"""


class Handler(BaseHTTPRequestHandler):
    api = None

    def answer(self):
        length = int(self.headers.get("Content-Length") or 0)
        target = urlsplit(self.path)
        cookies = {name: morsel.value for name, morsel in SimpleCookie(self.headers.get("Cookie", "")).items()}
        # openapi-core looks for lists with spaces as `%20` in what is decoded already.
        arguments = [(name, value.replace(" ", "%20") if name == "far" else value)
                     for name, value in parse_qsl(target.query, keep_blank_values=True)]
        request = MockRequest(
            f"http://{self.headers['Host']}", self.command.lower(), target.path,
            args=ImmutableMultiDict(arguments), headers=dict(self.headers),
            cookies=cookies, data=self.rfile.read(length) if length else None,
            content_type=self.headers.get("Content-Type") or "application/json")
        result = self.api.unmarshal_request(request)
        read = {
            "errors": [f"{error!r}: {error.__cause__!r}" for error in result.errors],
            "parameters": {place: {name: value for name, value in getattr(result.parameters, place).items()
                                   if value is not None}
                           for place in ("query", "header", "cookie", "path")},
            "body": result.body, "is_known": result.security == {"key": "for-trying"},
        }
        text = json.dumps(read, default=lambda value: vars(value)).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = answer

    def log_message(self, *arguments):
        pass


def main():
    program = os.path.abspath(os.environ.get("RESTHOST", ".build/debug/resthost"))
    path = os.path.abspath(os.path.join(FOLDER, "..", "documents", "library.json"))
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    base = f"http://127.0.0.1:{server.server_port}/v2"
    with open(path) as file:
        document = json.load(file)
    document["servers"] = [{"url": base}]
    # Schemas that consist of each other alone are for the import.
    for name in ("Endless", "Endless2"):
        del document["components"]["schemas"][name]
    Handler.api = OpenAPI.from_dict(document)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([program, "import", "openapi", path, "--output", "library"], cwd=folder, check=True,
                       capture_output=True)
        functions = ", ".join(f"function() return {call} end" for call, _, _ in CALLS)
        with open(os.path.join(folder, "calls.lua"), "w") as file:
            file.write(SCRIPT % (base, functions))
        result = subprocess.run([program, "run", "calls.lua", "--admin", "off", "--no-watch"], cwd=folder,
                                capture_output=True, text=True, timeout=120)
    server.shutdown()
    lines = [json.loads(line) for line in result.stdout.splitlines() if line.startswith("{")]
    failures = []
    for (call, parameters, body), line in zip(CALLS, lines):
        answer = line.get("answer")
        if not isinstance(answer, dict):
            failures.append(f"{call}: {line.get('failure') or answer}")
            continue
        wanted = {place: parameters.get(place, {}) for place in ("query", "header", "cookie", "path")}
        if answer["errors"] or answer["parameters"] != wanted or answer["body"] != body:
            failures.append(f"{call}\n  wanted {wanted} {body}\n  read   {answer}")
        if not answer["is_known"]:
            failures.append(f"{call}: the key is missing")
    if len(lines) != len(CALLS) or failures:
        raise SystemExit("\n".join([f"{len(lines)} of {len(CALLS)} answers", *failures, result.stderr]))
    print(f"import: openapi-core reads {len(CALLS)} requests of an imported script as they were given")


if __name__ == "__main__":
    main()

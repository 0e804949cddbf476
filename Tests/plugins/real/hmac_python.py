#!/usr/bin/env python3
"""Tests the plugin `hmac` against a server that verifies with Python's own hmac and hashlib."""

import base64
import hashlib
import hmac
import http.server
import sys
import threading
import time
import urllib.parse

sys.dont_write_bytecode = True
import plugin_host as host

SECRET = "a shared secret \u00e9"

SCRIPT = """
local api = rest.service { name = "api", base_url = "http://127.0.0.1:PORT/v1" }
api:use("hmac", {
  secret = "SECRET", header = "X-Signature",
  algorithm = "ALGORITHM", encoding = "ENCODING", digest_encoding = "ENCODING",
  template = "{method}\\n{path}\\n{query}\\n{timestamp}\\n{header:X-Tenant}\\n{body_sha256}",
  format = "t={timestamp},v1={signature}", timestamp_header = "X-Timestamp",
})
local headers = { ["X-Tenant"] = "north" }
rest.spawn(function()
  local function try(name, method, path, properties)
    properties.headers = headers
    local entity, err = api:resource(path):request(method, properties):await()
    emit(name, entity and entity.json.reason or tostring(err))
  end
  try("get", "GET", "users/é %", { query = { { "b", "2 3/ü" }, { "a", "" } } })
  try("json", "POST", "users", { json = { name = "Ada é" } })
  try("bytes", "PUT", "users", { body = rest.crypto.random_bytes(60000) })
  try("form", "PATCH", "users", { form = { a = "b c", d = "&" } })
  try("empty", "DELETE", "users/1", {})
end)
"""


class Verifier(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    algorithm, encoding = "sha256", "hex"

    def written(self, digest):
        return digest.hex() if self.encoding == "hex" else base64.b64encode(digest).decode()

    def reason(self, body):
        fields = dict(part.split("=", 1) for part in self.headers["X-Signature"].split(","))
        if fields["t"] != self.headers["X-Timestamp"] or abs(time.time() - int(fields["t"])) > 30:
            return "wrong time"
        url = urllib.parse.urlsplit(self.path)
        text = "\n".join([
            self.command, url.path, url.query, fields["t"], self.headers["X-Tenant"],
            self.written(hashlib.sha256(body).digest())])
        expected = self.written(hmac.new(SECRET.encode(), text.encode(), self.algorithm).digest())
        is_good = hmac.compare_digest(expected, fields["v1"])
        return "good" if is_good else f"expected {expected}, got {fields['v1']}"

    def answer(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        reply = host.json.dumps({"reason": self.reason(body)}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(reply)))
        self.end_headers()
        self.wfile.write(reply)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = answer

    def log_message(self, *_):
        pass


def main():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Verifier)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    count = 0
    for algorithm in ("sha1", "sha256", "sha384", "sha512"):
        for encoding in ("hex", "base64"):
            Verifier.algorithm, Verifier.encoding = algorithm, encoding
            script = SCRIPT.replace("PORT", str(server.server_port)).replace("SECRET", SECRET)
            values = host.run(script.replace("ALGORITHM", algorithm).replace("ENCODING", encoding))
            for name in ("get", "json", "bytes", "form", "empty"):
                host.check(f"{name} with {algorithm} in {encoding}", values[name], "good")
                count += 1
    Verifier.algorithm = "sha256"
    values = host.run(script.replace("ALGORITHM", "sha512").replace("ENCODING", "base64"))
    host.check_contains("another algorithm", values["get"], "expected")
    print(f"hmac: {count} signed requests, verified by Python")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Tests the plugin `kubernetes` over TLS against a small imitation of the API in this file.

This is no Kubernetes: it knows lists with `limit` and `continue`, and watches with bookmarks, and answers 410
as the documentation of the API says. It records the requests that came."""

import http.server
import json
import pathlib
import ssl
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

sys.dont_write_bytecode = True
import plugin_host as host

requests = []
watches = []
PATH = "/api/v1/namespaces/web/pods"


def pod(name, version, labels=None):
    return {
        "metadata": {
            "name": name,
            "namespace": "web",
            "uid": "uid-" + name,
            "resourceVersion": str(version),
            "labels": labels or {},
        }
    }


def event(kind, item):
    return {"type": kind, "object": {"kind": "Pod", "apiVersion": "v1", **item}}


GONE = {
    "type": "ERROR",
    "object": {
        "kind": "Status",
        "code": 410,
        "reason": "Expired",
        "message": "too old resource version: 12 (99)",
    },
}

# The first list has three pages, the second continuation of which has expired once; a later one shows what
# happened while no watch was open.
state = {"expired": False, "pods": [pod("a", 1), pod("b", 2), pod("c", 3)], "version": 10}

# The events of each watch: the first ends by itself after a bookmark, the second with 410, the third is open.
SCRIPTS = [
    [event("MODIFIED", pod("a", 11)), event("BOOKMARK", {"metadata": {"resourceVersion": "12"}})],
    [GONE],
    [event("ADDED", pod("e", 31)), event("DELETED", pod("b", 32))],
]


class API(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments):
        pass

    def do_GET(self):
        url = urllib.parse.urlsplit(self.path)
        query = dict(urllib.parse.parse_qsl(url.query))
        requests.append({"path": url.path, "query": query, "token": self.headers.get("Authorization")})
        if self.headers.get("Authorization") != "Bearer token-of-the-pod":
            return self.send(401, {"kind": "Status", "message": "Unauthorized", "code": 401})
        if url.path != PATH:
            return self.send(403, {"kind": "Status", "message": "pods is forbidden", "code": 403})
        if query.get("watch"):
            return self.watch(query)
        self.list(query)

    def send(self, status, content):
        body = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def list(self, query):
        start, limit = int(query.get("continue", "0")), int(query.get("limit", "1000"))
        if start == 2 and not state["expired"]:
            state["expired"] = True
            return self.send(
                410, {"kind": "Status", "message": "The provided continue parameter is too old", "code": 410}
            )
        pods = state["pods"]
        metadata = {"resourceVersion": str(state["version"])}
        if start + limit < len(pods):
            metadata["continue"] = str(start + limit)
        self.send(
            200,
            {
                "kind": "PodList",
                "apiVersion": "v1",
                "metadata": metadata,
                "items": pods[start : start + limit],
            },
        )

    def watch(self, query):
        number = len(watches)
        watches.append(query)
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for item in SCRIPTS[number]:
            line = (json.dumps(item) + "\n").encode()
            for part in (line[:20], line[20:]):
                self.wfile.write(b"%x\r\n%s\r\n" % (len(part), part))
                self.wfile.flush()
                time.sleep(0.01)
        if number == 1:
            state["pods"] = [pod("a", 11), pod("b", 22), pod("d", 23)]
            state["version"] = 30
        if number < 2:
            self.wfile.write(b"0\r\n\r\n")
        else:
            time.sleep(5)


SCRIPT = r"""
local kubernetes = require "resthost.kubernetes"
local url, ca_file = "https://127.0.0.1:PORT", "FOLDER/ca.pem"
local api = kubernetes.cluster { url = url, token_file = "FOLDER/token", ca_file = ca_file }

rest.spawn(function()
  local pods, version = kubernetes.list(api, "PATH", { limit = 1, label_selector = "app=web" })
  local names = {}
  for _, pod in ipairs(pods) do names[#names + 1] = pod.kind .. " " .. pod.metadata.name end
  emit("list", { names, version })

  local seen = {}
  local ok, err = kubernetes.watch(api, "PATH", function(event)
    seen[#seen + 1] = event.type .. " " .. event.object.metadata.name
    return #seen < 9
  end)
  emit("watch", { ok, err and tostring(err) })
  emit("seen", seen)

  local _, forbidden = kubernetes.list(api, "/api/v1/secrets")
  emit("forbidden", { forbidden.http_status_code, tostring(forbidden) })
  local stranger = kubernetes.cluster { name = "b", url = url, token = "wrong-token", ca_file = ca_file }
  local _, refused = kubernetes.watch(stranger, "PATH", function() end)
  emit("refused", refused.http_status_code)
  local missing = kubernetes.cluster { name = "c", url = url, token_file = "FOLDER/none", ca_file = ca_file }
  local _, unread = kubernetes.list(missing, "PATH")
  emit("no token", tostring(unread))
end)
"""

with tempfile.TemporaryDirectory() as folder:
    subprocess.run(
        [
            "openssl",
            "req",
            "-x509",
            "-newkey",
            "rsa:2048",
            "-nodes",
            "-days",
            "2",
            "-subj",
            "/CN=test",
            "-addext",
            "subjectAltName=IP:127.0.0.1",
            "-keyout",
            f"{folder}/key.pem",
            "-out",
            f"{folder}/ca.pem",
        ],
        check=True,
        capture_output=True,
    )
    pathlib.Path(folder, "token").write_text("token-of-the-pod\n")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), API)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(f"{folder}/ca.pem", f"{folder}/key.pem")
    server.socket = context.wrap_socket(server.socket, server_side=True)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    script = SCRIPT.replace("PORT", str(server.server_port)).replace("FOLDER", folder).replace("PATH", PATH)
    values = host.run(script, options=["--allow-read", folder])

host.check("a list in pages, one of which had expired", values["list"], [["Pod a", "Pod b", "Pod c"], "10"])
host.check("a selector", requests[0]["query"], {"limit": "1", "labelSelector": "app=web"})
lists = [request["query"].get("continue", "") for request in requests if not request["query"].get("watch")]
host.check("pages", lists[:6], ["", "1", "2", "", "1", "2"])
host.check("the watch", values["watch"], [True])
host.check(
    "changes, and those that were missed",
    values["seen"],
    [
        "ADDED a",
        "ADDED b",
        "ADDED c",
        "MODIFIED a",
        "MODIFIED b",
        "ADDED d",
        "DELETED c",
        "ADDED e",
        "DELETED b",
    ],
)
host.check("versions of watches", [watch["resourceVersion"] for watch in watches], ["10", "12", "30"])
host.check("bookmarks", watches[0]["allowWatchBookmarks"], "true")
host.check("status of what is forbidden", values["forbidden"][0], 403)
host.check_contains("what is forbidden", values["forbidden"][1], "pods is forbidden")
host.check("a wrong token", values["refused"], 401)
host.check_contains(
    "a token that is missing", values["no token"], "the token of the service account can't be read"
)
print(
    "kubernetes: token and CA files, lists in pages, watches, bookmarks, 410, missed changes and refusals "
    "with an imitation of the API"
)

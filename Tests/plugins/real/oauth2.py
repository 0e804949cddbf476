#!/usr/bin/env python3
"""Tests the plugin `oauth2` against a server made with Authlib."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

sys.dont_write_bytecode = True
import plugin_host as host

host.use_packages("Authlib", "Flask", "cryptography")

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa

SERVICE = """
local function service(name, options)
  local api = rest.service { name = name, base_url = "BASE/api" }
  options.token_url = not options.issuer and (options.token_url or "BASE/token") or nil
  options.client_secret = options.client_secret or not options.private_key and "a secret +%" or nil
  if options.client_secret == "" then options.client_secret = nil end
  api:configure("**", function(c) c.expiration_time = 0 end)
  api:use("oauth2", options)
  return api
end
"""

# 200 workers, each of which sends a request, waits, and sends the next.
LOAD = """
local api = service("api", { client_id = "CLIENT", OPTIONS })
rest.spawn(function()
  local good, failed, first = 0, 0, nil
  local stop = rest.now() + SECONDS
  local workers = {}
  for number = 1, 200 do workers[number] = number end
  rest.gather(workers, 200, function(number)
    while rest.now() < stop do
      local entity, err = api:resource(tostring(number)):load():await()
      if entity then good = good + 1 else failed, first = failed + 1, first or tostring(err) end
      rest.sleep(0.5)
    end
    return true
  end)
  emit("good", good)
  emit("failed", failed)
  emit("first", first or "")
end)
"""

LOGIN = """
local oauth2 = require "resthost.oauth2"
local browser = rest.service { name = "browser", base_url = "BASE" }
browser:configure("**", function(c) c.redirects.follow = false end)
local api = service("api", {
  issuer = "BASE", client_id = "public-2", client_secret = "", login = "KIND", file = "tokens.json",
})
local address
local terminal = { print = function(text) address = text:match "^http%S+$" or address end }
function terminal.ask()
  local entity = browser:resource_at(address):request("GET"):await()
  return entity and entity.headers.Location
end

rest.spawn(function()
  local _, before = api:resource("a"):load():await()
  emit("before", tostring(before))
  emit("login", { oauth2.logins()[1].login(terminal) })
  emit("after", api:resource("a"):load():await().json)
  rest.sleep(2.5)
  emit("later", api:resource("a"):load():await().json)
end)
"""

FURTHER = """
local function try(name, options)
  local api = service(name, options)
  rest.spawn(function()
    local entity, err = api:resource(name):load():await()
    emit(name, entity and entity.json.client or tostring(err))
  end)
end

try("basic", { client_id = "me" })
try("post", { client_id = "post", client_auth = "post" })
try("wrong", { client_id = "me", client_secret = "wrong secret" })
try("html", { client_id = "me", token_url = "BASE/html" })
try("expired", { client_id = "me", refresh_token = "unknown" })
try("issuer", { client_id = "me", issuer = "BASE" })
try("other issuer", { client_id = "me", issuer = "BASE/" })
try("none", { client_id = "me", token_url = "http://127.0.0.1:9/token" })
"""

SIGNED = """
try("ALGORITHM", { client_id = "NAME", private_key = [[KEY]], algorithm = "ALGORITHM", key_id = "k" })
"""

GATEWAY = """
local rest = require "resthost"
local api = rest.service { name = "api", base_url = "BASE/api" }
api:use("oauth2", { token_url = "BASE/token", OPTIONS })
rest.gateway { listen = "127.0.0.1:GATE", expose = { api = {} } }
"""


def pem(key):
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()).decode()


def public_pem(key):
    return key.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo).decode()


def ask(base, method, path):
    with urllib.request.urlopen(urllib.request.Request(base + path, method=method), timeout=30) as answer:
        return json.load(answer)


def run(base, script, **values):
    text = SERVICE + script
    for name, value in {**values, "BASE": base}.items():
        text = text.replace(name, str(value))
    return host.run(text, timeout=120)


def check_load(base, client, lifetime, options=""):
    """Each token ends after its lifetime, and is renewed when half of that has passed at the earliest."""
    ask(base, "POST", "/-/reset")
    seconds = 6
    began = time.monotonic()
    values = run(base, LOAD, CLIENT=client, OPTIONS=options, SECONDS=seconds)
    took = time.monotonic() - began
    stats = ask(base, "GET", "/-/stats")
    what = f"{client} with 200 requests at once"
    host.check(f"failures of {what}", (values["failed"], values["first"]), (0, ""))
    logins = stats["logins"][client]
    least, most = int(seconds / lifetime), int(took / (lifetime / 2)) + 1
    if not least <= logins <= most:
        sys.exit(f"{what}: {logins} logins, expected {least} to {most}: {stats}")
    host.check(f"answers to {what}", stats["taken"], values["good"])
    host.check(f"refresh tokens used twice by {what}", stats["reused"], 0)
    return f"{values['good']} requests and {logins} logins with tokens of {lifetime} s"


def check_further(base, keys):
    signers = "".join(
        SIGNED.replace("ALGORITHM", algorithm).replace("NAME", name).replace("KEY", pem(keys[name]))
        for algorithm, name in (("RS256", "rsa"), ("ES256", "p256")))
    values = run(base, FURTHER + signers)
    for name, client in {
        "basic": "me", "post": "post", "issuer": "me", "RS256": "rsa", "ES256": "p256",
    }.items():
        host.check(name, values[name], client)
    host.check_contains("wrong", values["wrong"], "answered 401: invalid_client")
    host.check_contains("html", values["html"], "answered with text/html")
    host.check_contains("expired", values["expired"], "invalid_grant: the refresh token has expired")
    host.check_contains("other issuer", values["other issuer"], "is of the issuer")
    host.check_contains("none", values["none"], "connection refused")


def check_login(base, kind):
    values = run(base, LOGIN, KIND=kind)
    host.check_contains("before the login", values["before"], "nobody has logged in yet")
    host.check(f"login by {kind}", values["login"], [True])
    host.check("after the login", values["after"]["client"], "public-2")
    host.check("with a renewed token", values["later"]["client"], "public-2")


class Gateway:
    """A host with a gateway, whose script can be changed while it runs."""

    def __init__(self, base, options):
        self.port, self.folder = host.free_port(), tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.folder.name) / "main.lua"
        script = GATEWAY.replace("BASE", base).replace("OPTIONS", options).replace("GATE", str(self.port))
        self.path.write_text(script)
        self.base = f"http://127.0.0.1:{self.port}"
        command = [host.PROGRAM, "run", str(self.path)]
        if "RESTHOST_LUA_PATH" in os.environ:
            command += ["--lua-path", os.environ["RESTHOST_LUA_PATH"]]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def __enter__(self):
        host.wait_for(self.base + "/-/health", self.process)
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(timeout=30)
        self.folder.cleanup()

    def begin(self, path, clients):
        """Starts to ask for a path, and adds the client of its token, or the error."""
        def get():
            try:
                clients.append(ask(self.base, "GET", path)["client"])
            except OSError as error:
                clients.append(str(error))
        thread = threading.Thread(target=get)
        thread.start()
        return thread

    def reload(self):
        self.path.write_text(self.path.read_text() + "\n-- changed\n")
        self.process.send_signal(signal.SIGHUP)


def check_gateway(base):
    """Clients of a gateway wait for one token, and a reload costs none."""
    ask(base, "POST", "/-/reset")
    with Gateway(base, 'client_id = "me-60", client_secret = "a secret +%"') as gateway:
        for round_number in range(3):
            clients = []
            threads = [gateway.begin(f"/api/{round_number}-{number}", clients) for number in range(100)]
            if round_number == 1:
                gateway.reload()
            for thread in threads:
                thread.join()
            host.check(f"clients in round {round_number}", set(clients), {"me-60"})
            time.sleep(0.5)
        host.check("logins with a reload", ask(base, "GET", "/-/stats")["logins"], {"me-60": 1})
        ask(base, "POST", "/-/revoke")
        host.check("after a revocation", ask(gateway.base, "GET", "/api/revoked")["client"], "me-60")
        host.check("logins after that", ask(base, "GET", "/-/stats")["logins"], {"me-60": 2})


def check_reload(base):
    """A reload in the middle of a renewal does not use the refresh token twice."""
    ask(base, "POST", "/-/reset")
    options = 'client_id = "slow-60", refresh_token = "the first refresh token of slow-60"'
    with Gateway(base, options) as gateway:
        clients = []
        threads = [gateway.begin("/api/before", clients)]
        time.sleep(0.5)
        gateway.reload()
        time.sleep(0.7)
        threads.append(gateway.begin("/api/after", clients))
        for thread in threads:
            thread.join()
        host.check("clients around a reload", clients, ["slow-60"] * 2)
        stats = ask(base, "GET", "/-/stats")
        host.check("logins around a reload", (stats["logins"], stats["reused"]), ({"slow-60": 1}, 0))


def main():
    keys = {
        "rsa": rsa.generate_private_key(65537, 2048), "p256": ec.generate_private_key(ec.SECP256R1()),
    }
    port = host.free_port()
    base = f"http://127.0.0.1:{port}"
    public = json.dumps({name: public_pem(key) for name, key in keys.items()})
    server = subprocess.Popen([sys.executable, str(host.HERE / "oauth2_server.py"), str(port), public])
    try:
        host.wait_for(base + "/-/stats", server)
        check_further(base, keys)
        check_login(base, "code")
        check_login(base, "device")
        check_gateway(base)
        check_reload(base)
        loads = [check_load(base, f"me-{lifetime}", lifetime) for lifetime in (1, 2, 3)]
        refresh = 'refresh_token = "the first refresh token of me-1"'
        loads.append(check_load(base, "me-1", 1, refresh) + ", refreshed")
    finally:
        server.terminate()
        server.wait(timeout=30)
    print("oauth2: grants, client authentication, logins, discovery, reloads; " + "; ".join(loads))


if __name__ == "__main__":
    main()

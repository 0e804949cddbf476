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
api:use("oauth2", { token_url = "BASE/token", client_id = "me-60", client_secret = "a secret +%" })
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


def check_gateway(base):
    """Clients of a gateway wait for one token, and a reload costs none."""
    port = host.free_port()
    ask(base, "POST", "/-/reset")
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "main.lua"
        path.write_text(GATEWAY.replace("BASE", base).replace("GATE", str(port)))
        command = [host.PROGRAM, "run", str(path)]
        if "RESTHOST_LUA_PATH" in os.environ:
            command += ["--lua-path", os.environ["RESTHOST_LUA_PATH"]]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            gate = f"http://127.0.0.1:{port}"
            host.wait_for(gate + "/-/health", process)
            for round_number in range(3):
                statuses, threads = [], []

                def get(number):
                    try:
                        statuses.append(ask(gate, "GET", f"/api/{round_number}-{number}")["client"])
                    except OSError as error:
                        statuses.append(str(error))

                for number in range(100):
                    threads.append(threading.Thread(target=get, args=(number,)))
                    threads[-1].start()
                if round_number == 1:
                    path.write_text(path.read_text() + "\n-- changed\n")
                    process.send_signal(signal.SIGHUP)
                for thread in threads:
                    thread.join()
                host.check(f"clients in round {round_number}", set(statuses), {"me-60"})
                if round_number == 1:
                    time.sleep(0.5)
            host.check("logins with a reload", ask(base, "GET", "/-/stats")["logins"], {"me-60": 1})
            ask(base, "POST", "/-/revoke")
            host.check("after a revocation", ask(gate, "GET", "/api/revoked")["client"], "me-60")
            host.check("logins after that", ask(base, "GET", "/-/stats")["logins"], {"me-60": 2})
        finally:
            process.terminate()
            process.wait(timeout=30)


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
        loads = [check_load(base, f"me-{lifetime}", lifetime) for lifetime in (1, 2, 3)]
        loads.append(check_load(base, "me-1", 1, 'refresh_token = "the first refresh token"') + ", refreshed")
    finally:
        server.terminate()
        server.wait(timeout=30)
    print("oauth2: grants, client authentication, logins, discovery, a reload; " + "; ".join(loads))


if __name__ == "__main__":
    main()

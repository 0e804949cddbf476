"""Attacks on what a client may know and do, and on secrets in what a host writes."""

import json
import os
import socket
import ssl
import subprocess
import time

from aside import Aside, ask
from attack import Attack
from upstream import answer

HEAD = """local rest = require "resthost"
local shop = rest.service { name = "shop", base_url = "http://127.0.0.1:@UPSTREAM@/" }
"""

TOKENS = HEAD + """
rest.gateway {
  listen = "127.0.0.1:0",
  cors = { origins = { "https://app.example" } },
  auth = { tokens = {
    { name = "few", token = "the-token-of-few", expose = { shop = { paths = { "/orders/*" } } } },
    { name = "all", token = "the-token-of-all" },
    { name = "operator", token = "the-token-of-operator", operator = true },
  } },
}
"""


def status_of(data):
    return int(data[9:12]) if data.startswith(b"HTTP/1.1 ") else 0


def tokens(host):
    """Which paths and host routes each token reaches."""
    reached = []

    def note(connection, target, _body):
        reached.append(target)
        connection.sendall(answer(b"{}"))

    host.upstream.otherwise = note
    complaints = []
    with Aside(host, "tokens", TOKENS) as aside:
        port = aside.ports().get("http")
        if not port:
            return ["it does not serve: " + aside.errors.decode()[:300]]

        def expect(token, target, statuses, method="GET", fields=""):
            line = f"Authorization: Bearer {token}\r\n" if token else ""
            status = status_of(ask(port, target, line + fields, method))
            if status not in statuses:
                complaints.append(f"{token or 'no token'}: {method} {target}: {status}")

        expect("the-token-of-few", "/shop/orders/1", (200,))
        for target in ("/shop/orders/1%2f2", "/shop/orders/1/2", "/shop/other", "/shop/orders%2f1", "/shop/orders/..%2fother"):
            expect("the-token-of-few", target, (400, 403, 404))
        for target in ("/shop/orders/1", "/-/services", "/-/events"):
            expect("", target, (401,))
            expect("the-token-of-al", target, (401,))
        for target in ("/-/events", "/-/resources", "/-/metrics", "/-/explain?service=shop&path=/a"):
            expect("the-token-of-all", target, (403,))
            if target != "/-/events":
                expect("the-token-of-operator", target, (200,))
        expect("", "/-/health", (200,))
        expect("", "/-/ready", (200,))
        preflight = ask(port, "/shop/a", "Origin: https://app.example\r\nAccess-Control-Request-Method: DELETE\r\n", "OPTIONS")
        if b"Access-Control-Allow-Methods: GET, HEAD\r\n" not in preflight:
            complaints.append(f"a preflight says {preflight[:300]!r}")
        if aside.end() != 0:
            complaints.append(f"it ends with {aside.process.poll()}")
    wrong = [target for target in reached if not target.startswith("/orders/1") or "2" in target]
    return complaints + [f"the API was asked for {target}" for target in wrong]


SHARED = """@PRELUDE@
rest.gateway {}:route("GET", "/shared", { expiration_time = 600 }, function(request)
  return { origin = request.headers.Origin or "", agent = request.headers["User-Agent"] or "", client = request.client.address or "" }
end)
"""


def first_client(host):
    """A route's answer shows nothing of the client that came first."""
    host.get("/shared", fields={"Origin": "https://first.example", "User-Agent": "first", "X-Forwarded-For": "9.9.9.9"})
    status, body = host.get("/shared", fields={"User-Agent": "second"})
    seen = body.decode()
    leaks = any(text in seen for text in ("first", "9.9.9.9"))
    return [f"the second client sees {status} {seen}"] if leaks or status != 200 else []


LISTENERS = HEAD + """
rest.gateway { listen = { "127.0.0.1:0", { address = "127.0.0.1:@SECURE@", tls = { certificate = "c.pem", key = "k.pem" } } } }
"""


def listeners(host):
    """Only the listener that says so speaks TLS, and only to clients that offer what it speaks."""
    folder = host.path("pem")
    os.mkdir(folder)
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
         "-subj", "/CN=localhost", "-keyout", f"{folder}/k.pem", "-out", f"{folder}/c.pem"], check=True, capture_output=True)
    files = {name: open(f"{folder}/{name}", encoding="ascii").read() for name in ("c.pem", "k.pem")}
    complaints = []
    twice = LISTENERS.replace("@SECURE@", "0")
    with Aside(host, "twice", twice, files=files) as aside:
        # Both have one address, so the TLS of one would be the other's.
        if aside.process.wait(20) == 0 or aside.output.count(b"listening") != 0:
            complaints.append("two listeners at one address, one of them with TLS, were taken")
    with socket.create_server(("127.0.0.1", 0)) as listener:
        free = listener.getsockname()[1]
    with Aside(host, "listeners", LISTENERS.replace("@SECURE@", str(free)), files=files) as aside:
        ports = aside.ports()
        if set(ports) != {"http", "https"}:
            return complaints + [f"it listens on {ports}: {aside.errors[:200]!r}"]

        def wrap(protocols):
            context = ssl.create_default_context()
            context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
            if protocols:
                context.set_alpn_protocols(protocols)
            return lambda plain: context.wrap_socket(plain, server_hostname="localhost")

        if status_of(ask(ports["http"], "/-/health")) != 200:
            complaints.append("the plain listener doesn't answer")
        if status_of(ask(ports["https"], "/-/health", wrap=wrap(None))) != 200:
            complaints.append("the listener with TLS doesn't answer")
        if ask(ports["https"], "/-/health").startswith(b"HTTP/1.1 200"):
            complaints.append("the listener with TLS answers without")
        for protocols in (["spdy/3"], ["http/0.9", "x"]):
            try:
                if ask(ports["https"], "/-/health", wrap=wrap(protocols)):
                    complaints.append(f"a client that offers {protocols} is answered")
            except ssl.SSLError:
                pass
    return complaints


# A secret of each kind, as clients, APIs and scripts have them.
KINDS = [
    "https://user:canary-url@api.test/", "https://api.test/?access_token=canary-parameter&page=2",
    "/base?access_token=canary-relative", "/back?code=canary-code-0123456789&state=5", "token=canary-pair",
    '{"token":"canary-json"}', '{"a":"{\\"token\\":\\"canary-nested\\"}"}', '{"token":canary-broken,}',
    "Authorization: Bearer canary-head",
]

CANARIES = """@PRELUDE@
local kinds = { %s }
local gateway = rest.gateway {}
gateway:route("GET", "/asked", function()
  for _, kind in ipairs(kinds) do
    rest.log.info(kind, { text = kind, token = "canary-token", a = { password = "canary-password" } })
    io.stderr:write(kind, "\\n")
    rest.spawn(function() error(kind) end)
  end
  local _, err = api:resource("/canary"):with_param("access_token", "canary-asked"):get()
  rest.log.warn(tostring(err), { url = err and err.url })
  return { ok = true }
end)
gateway:route("GET", "/boom", function() error(table.concat(kinds, " ")) end)
""" % ", ".join(f"[==[{kind}]==]" for kind in KINDS)


def canaries(host):
    fields = "".join(f"{name}: {value}\r\n" for name, value in (
        ("Location", "/base/data?access_token=canary-location"), ("Link", "</x?token=canary-link>; rel=next"),
        ("Refresh", "0; url=/x?sig=canary-refresh"), ("Content-Location", "?api_key=canary-content"),
        ("Set-Cookie", "s=canary-cookie")))
    text = json.dumps({"message": " | ".join(KINDS), "list": KINDS}).encode()
    host.upstream.routes["/canary"] = answer(text, "application/json", "403 Forbidden", fields)
    events = socket.create_connection(("127.0.0.1", host.port), timeout=5)
    events.sendall(b"GET /-/events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
    seen = {}
    for path in ("/asked", "/boom", "/api/canary?api_key=canary-query", "/-/resources", "/-/explain?service=api&path=/canary?token=canary-x"):
        seen[path] = host.get(path)[1]
    time.sleep(2)
    events.settimeout(0.5)
    seen["events"] = b""
    try:
        for piece in iter(lambda: events.recv(65536), b""):
            seen["events"] += piece
    except OSError:
        pass
    events.close()
    seen["log"] = host.log
    for name in os.listdir(host.folder):
        if name.startswith("a.har"):
            with open(host.path(name), "rb") as file:
                seen[name] = file.read()
    complaints = []
    for what, data in seen.items():
        place = data.find(b"canary-")
        if place >= 0:
            complaints.append(f"{what}: {data[max(0, place - 60):place + 40]!r}")
    if not any(name.startswith("a.har") for name in seen):
        complaints.append("nothing was recorded")
    return complaints


ATTACKS = [
    Attack("tokens", "paths and host routes beyond a token, and a preflight", tokens),
    Attack("first-client", "what a kept route shows of the client that came first", first_client, SHARED),
    Attack("listeners", "two listeners of which one has TLS, and ALPN without overlap", listeners),
    Attack("canaries", "a secret of each kind in the log, in events, problems and recordings", canaries, CANARIES,
           flags=["--log", "all", "--har", "@FOLDER@/a.har", "--record", "@FOLDER@/a.har.rec"]),
]

"""Attacks by clients of the gateway: many descriptors, and incorrect requests."""

import os
import socket
import time

from attack import Attack
from upstream import answer


def connect(host):
    connection = socket.create_connection(("127.0.0.1", host.port), timeout=5)
    return connection


def crowd(count):
    """Opens this number of connections that send nothing, for five seconds."""
    def run(host):
        connections = []
        used = host.processor_seconds()
        try:
            for _ in range(count):
                connections.append(connect(host))
        except OSError:
            pass
        began = time.monotonic()
        time.sleep(5)
        busy = (host.processor_seconds() - used) / (time.monotonic() - began)
        complaints = []
        # The client itself takes a few percent.
        if busy > 0.4:
            complaints.append(f"it took {100 * busy:.0f} % of a processor")
        for connection in connections:
            connection.close()
        time.sleep(0.5)
        status, _ = host.get("/api/fresh", timeout=3)
        if status != 200:
            complaints.append(f"afterwards a new connection is answered {status}")
        return complaints
    return run


def shortage(host):
    complaints = crowd(400)(host)
    told = ("descriptor", "open files", "clients are connected, which is the limit")
    if not any(words in host.said() for words in told):
        complaints.append("nobody was told that descriptors ran out")
    lines = host.said().count("descriptor")
    if lines > 20:
        complaints.append(f"{lines} lines about descriptors")
    return complaints


HOARD = """@PRELUDE@
go(function()
  for i = 1, 400 do
    rest.spawn(function()
      local _, err = api:resource("held"):with_param("i", i):load():await()
      if err and tostring(err):find("open files", 1, true) then rest.log.warn("refused " .. i) end
    end)
  end
end)
"""


def hoard(host):
    """Makes the host's own requests take all its descriptors, for six seconds."""
    def held(connection, _target, _body):
        time.sleep(6)
        connection.sendall(answer(b"{}"))
    host.upstream.routes["/held"] = held
    host.go()
    time.sleep(8)
    refused = host.said().count("refused ")
    complaints = []
    if refused < 100:
        complaints.append(f"{refused} requests were told that descriptors ran out")
    status, _ = host.get("/api/after")
    if status != 200:
        complaints.append(f"afterwards a request gives {status}")
    return complaints


def exchange(host, request, pause=0.0, most=3.0):
    """Sends these bytes; returns the answer up to the end of the connection or to silence."""
    with connect(host) as connection:
        connection.settimeout(most)
        data = b""
        try:
            for piece in request if isinstance(request, list) else [request]:
                connection.sendall(piece)
                time.sleep(pause)
            while True:
                piece = connection.recv(65536)
                if not piece:
                    break
                data += piece
        except TimeoutError:
            pass
        except OSError as error:
            data = data or f"reset: {error}".encode()
        return data


def status_of(data):
    return int(data[9:12]) if data.startswith(b"HTTP/1.") else 0


def crooked(host):
    """Sends malformed requests, and checks the answers."""
    complaints = []
    end = b" HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"

    def expect(what, request, statuses, **how):
        status = status_of(exchange(host, request, **how))
        if status not in statuses:
            complaints.append(f"{what}: {status or 'no answer'} instead of {' or '.join(map(str, statuses))}")

    # More empty lines than a head may have are no request. The gateway answers with an error or closes.
    data = exchange(host, [b"\r\n" * 50_000, b"GET /-/health" + end])
    if not data:
        complaints.append("100 kB of empty lines before a request: it stalls")
    expect("an empty line before a request", b"\r\nGET /api/fresh" + end, (200,))
    for host_field in (b"localhost:99999999999999999", b"localhost:65536", b"localhost:-1", b"localhost:8o"):
        expect(f"Host: {host_field.decode()}", b"GET /api/fresh HTTP/1.1\r\nHost: " + host_field + b"\r\nConnection: close\r\n\r\n",
               (400, 421))
    for path in (b"/api/a%c0%afb", b"/api/%c0%ae%c0%ae/x", b"/api/%e0%80%afx", b"/api/%ed%a0%80"):
        expect(f"overlong UTF-8, {path.decode()}", b"GET " + path + end, (400, 404))
    expect("a%00b", b"GET /api/a%00b" + end, (400,))
    expect("a body where none is exposed", b"POST /api/fresh HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\nabc", (405,))
    return complaints


def long_type(host):
    """A Content-Type of 1 kB and more comes from the upstream, so it must not harm the client."""
    kind = "application/x-data; note=" + "n" * 2000
    host.upstream.routes["/typed"] = (
        f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok".encode())
    data = exchange(host, b"GET /api/typed HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
    return ["a Content-Type of 2 kB was passed on"] if b"note=nnn" in data else []


LOGGING = """@PRELUDE@
rest.gateway {}:route("POST", "/hook", function(request)
  rest.log.info("hook", { body = request.body })
  rest.log.info(request.body)
  return { ok = true }
end)
"""


def log_line(host):
    complaints = []
    for body in (b"\x01" * 800_000, b"\n" * 800_000, os.urandom(800_000)):
        status, _ = host.get("/hook", "POST", body=body)
        if status != 200:
            complaints.append(f"the route answered {status}")
    return complaints


KEEPING = """@PRELUDE@
rest.gateway {}:route("GET", "/kept", { expiration_time = 600 }, function(request)
  return ("x"):rep(2000000) .. request.query.q
end)
"""


def ever_new(host):
    complaints = []
    for number in range(300):
        status, body = host.get(f"/kept?q={number}")
        if status != 200 or len(body) != 2_000_000 + len(str(number)):
            complaints.append(f"/kept?q={number} gives {status} and {len(body)} bytes")
            break
    # Its answers go when the script goes. Until then they are in the content's budget, and no leak.
    host.command("reload")
    return complaints


LEADING = """@PRELUDE@
rest.gateway {}:route("GET", "/report/{user}", function(request)
  return api:resource("/users/" .. request.params.user):get()
end)
"""


def lead_up(host):
    """The host's requests must have no dots in their path, whatever a client sends."""
    asked = []

    def tell(connection, target, _):
        asked.append(target)
        connection.sendall(answer(b"{}"))

    host.upstream.otherwise = tell
    for parameter in ("..%2f..%2fadmin", "%2e%2e", "..", ".%2e%2fadmin", "..;%2fadmin", "%252e%252e%252fadmin", "..%5cadmin"):
        host.get(f"/report/{parameter}")
        host.get(f"/api/users/{parameter}")
    return [f"the API was asked for {target}" for target in asked if ".." in target.replace("%2e", ".").replace("%252e", ".")]


def take_streams(host):
    """A client at another address of the loopback must still get a stream."""
    taken = []
    for _ in range(64):
        connection = connect(host)
        connection.sendall(b"GET /-/events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        taken.append((connection, connection.recv(12)))
    other = socket.create_connection(("127.0.0.1", host.port), timeout=5, source_address=("127.0.0.9", 0))
    other.sendall(b"GET /-/events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
    status = other.recv(12)
    served = sum(head.endswith(b"200") for _, head in taken)
    for connection in [other] + [connection for connection, _ in taken]:
        connection.close()
    return ([] if status.endswith(b"200") else [f"another client gets {status!r}"]) + (
        [] if served <= 8 else [f"one client got {served} streams"])


TWICE = """@PRELUDE@
api:configure_transformer("/seen", function(content) return { seen = content.key } end)
"""


def twice(host):
    """A function sees the last of two equal keys. Content without a function passes as the API sent it."""
    body = b'{"key":"first","key":"last"}'
    route = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\nConnection: close\r\n\r\n" % len(body) + body
    host.upstream.routes.update({"/seen": route, "/raw": route})
    complaints = []
    for path, expected in (("seen", b'{"seen":"last"}'), ("raw", body)):
        _, text = host.get(f"/api/{path}")
        if text != expected:
            complaints.append(f"/{path} says {text[:100].decode('utf-8', 'replace')}")
    return complaints


ATTACKS = [
    Attack("descriptors-soft", "1,500 idle connections, soft limit 1,024, hard limit 8,192", crowd(1500),
           descriptors=(1024, 8192)),
    Attack("descriptors-hard", "400 idle connections, hard limit 256", shortage, descriptors=(256, 256)),
    Attack("descriptors-own", "400 requests to an upstream that holds them, hard limit 256", hoard, HOARD,
           descriptors=(256, 256), runs_twice=True),
    Attack("crooked-requests", "empty lines, Host, overlong UTF-8, NUL", crooked),
    Attack("long-content-type", "a Content-Type of 2 kB", long_type),
    Attack("kept-answers", "300 answers of 2 MB that a route keeps, for ever new queries", ever_new, KEEPING, roof=420,
           runs_twice=True),
    Attack("route-parameter", "a parameter of a route that leads out of base_url", lead_up, LEADING),
    Attack("event-streams", "all event streams of the host, by one client", take_streams),
    Attack("log-line", "800 kB of control characters, and of newlines, in a line of the log", log_line, LOGGING),
    Attack("duplicate-keys", "a key that is there twice", twice, TWICE),
]

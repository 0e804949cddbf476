"""Random bytes of clients: nearly correct requests, in pieces, in pipelines, cut, or missing."""

import random
import socket

METHODS = ["GET", "GET", "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT", "get", "G E T", "QUERY", "X" * 300]
TARGETS = [
    "/api/fresh", "/api/a", "/api/a?q=%d", "/api/%d", "/route/%d", "/kept/%d?x=1", "/stream", "/-/health", "/-/events", "/-/resources", "/-/metrics",
    "/-/explain?url=/api/a", "/api/..%%2f..%%2fx", "/api/%%2e%%2e/x", "//host/x", "http://127.0.0.1/api/a", "*", "/api/%%00", "/" + "a/" * 2000,
    "/api/a?" + "k=v&" * 1500, "/api/\xff\xfe", "/api/%%c0%%af", "", "/nowhere", "/api/events",
]
FIELDS = [
    "Host: 127.0.0.1", "Host: a\r\nHost: b", "Host:", "Connection: close", "Connection: keep-alive, upgrade", "Upgrade: h2c", "Expect: 100-continue",
    "Transfer-Encoding: chunked", "Transfer-Encoding: chunked, chunked", "Transfer-Encoding : chunked", "Content-Length: %d", "Content-Length: -1",
    "Content-Length: 5, 5", "Accept: text/event-stream", "Accept: */*;q=0.%d", "Accept: " + "a/b," * 800, "Accept-Encoding: gzip, br, zstd;q=0",
    "Range: bytes=%d-", "Range: bytes=9223372036854775807-", "If-None-Match: *", 'If-Match: "x", W/"y"', "If-Modified-Since: Sun, 99 Foo 0000",
    "Authorization: Bearer \x00", "Cookie: " + "a=b; " * 500, "X-%d: " + "v" * 3000, "Content-Type: application/json", "Content-Encoding: gzip",
    "Origin: http://evil.test", "Access-Control-Request-Method: DELETE", "traceparent: 00-0-0-00", "Last-Event-ID: %d", ": empty", "no colon", " folded: x",
]
BODIES = [b"", b"x", b"{}", b"5\r\nhello\r\n0\r\n\r\n", b"5;a=b\r\nhello\r\n0\r\nA: b\r\n\r\n", b"FFFFFFFFFFFFFFFF\r\nx", b"-5\r\nx\r\n", b"z\r\n",
          b"\x00" * 5000, b'{"a":' * 2000, b"1\r\na\r\n" * 500 + b"0\r\n\r\n", b"x" * 300_000]


class ClientGrammar:
    def bytes(self, seed):
        self.random = random.Random(seed)
        if self.random.random() < 0.05:
            return self.random.randbytes(self.random.randrange(3000))
        if self.random.random() < 0.05:
            return b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + self.random.randbytes(self.random.randrange(500))
        data = b"".join(self.request() for _ in range(self.random.choice([1, 1, 1, 2, 5, 30])))
        if self.random.random() < 0.3:
            data = bytearray(data)
            for _ in range(self.random.randint(1, 5)):
                data[self.random.randrange(len(data))] = self.random.randrange(256)
        if self.random.random() < 0.2:
            data = data[:self.random.randrange(len(data))]
        return bytes(data)

    def request(self):
        version = self.random.choice(["HTTP/1.1"] * 8 + ["HTTP/1.0", "HTTP/1.2", "HTTP/2.0", ""])
        fields = ["Host: 127.0.0.1"] if self.random.random() < 0.8 else []
        fields += [self.number(self.random.choice(FIELDS)) for _ in range(self.random.choice([0, 1, 2, 3, 6]))]
        body = self.random.choice(BODIES) if self.random.random() < 0.5 else b""
        if body and self.random.random() < 0.6:
            fields.append(f"Content-Length: {len(body)}")
        target = self.number(self.random.choice(TARGETS))
        end = self.random.choice(["\r\n"] * 9 + ["\n"])
        head = end.join([f"{self.random.choice(METHODS)} {target} {version}", *fields, "", ""])
        return head.encode("latin-1") + body

    def number(self, text):
        return text.replace("%d", str(self.random.choice([0, 1, 2, 7, 100, 65536, 10**18]))).replace("%%", "%")


def send(port, data, randomness):
    """Sends the request, sometimes in pieces, reads a part or all of the answer, and closes."""
    with socket.create_connection(("127.0.0.1", port), timeout=5) as connection:
        connection.settimeout(0.2)
        try:
            pieces = randomness.choice([1, 1, 2, 10])
            step = max(1, len(data) // pieces)
            for start in range(0, len(data), step):
                connection.sendall(data[start:start + step])
            for _ in range(randomness.choice([0, 1, 20])):
                if not connection.recv(65536):
                    break
        except OSError:
            pass


SCRIPT = """@PRELUDE@
local gateway = rest.gateway {}
gateway:route("GET", "/route/{id}", function(request) return { id = request.params.id, q = request.query } end)
gateway:route("POST", "/route/{id}", function(request) rest.log.info("body", { body = request.body }) return request.json end)
gateway:route("GET", "/kept/{id}", { expiration_time = 60 }, function(request) return { text = ("x"):rep(1e5) .. request.params.id } end)
"""

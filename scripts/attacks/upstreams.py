"""Cut or invalid answers, which must not become successes."""

import time
import zlib

from attack import Attack
from memory import gzipped

OBJECT = b'{"name":"whole","list":[' + b",".join(b"%d" % i for i in range(2000)) + b"]}"
OK = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"


def packed(coding, data):
    return OK + b"Content-Encoding: " + coding + b"\r\nContent-Length: %d\r\nConnection: close\r\n\r\n" % len(data) + data


def raw_deflate(data):
    packer = zlib.compressobj(9, wbits=-15)
    return packer.compress(data) + packer.flush()


def cut_answers():
    whole, length = gzipped(OBJECT), len(OBJECT)
    answers = {
        "a head without its end": OK + b"Content-Length: 2\r\n",
        "a head that ends in a field": OK + b"Content-Len",
        "a body shorter than it says": OK + b"Content-Length: %d\r\n\r\n" % (length + 10) + OBJECT,
        "a length beyond 2^63": OK + b"Content-Length: 99999999999999999999\r\nConnection: close\r\n\r\n" + OBJECT,
        "a negative length": OK + b"Content-Length: -1\r\nConnection: close\r\n\r\n" + OBJECT,
        "two lengths": OK + b"Content-Length: %d\r\nContent-Length: 2\r\nConnection: close\r\n\r\n" % length + OBJECT,
        "an unasked 101": b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n" + OBJECT,
        "chunks without an end": OK + b"Transfer-Encoding: chunked\r\n\r\n%x\r\n" % length + OBJECT + b"\r\n",
        "gzip without its end": packed(b"gzip", whole[:-20]),
        "gzip without its check": packed(b"gzip", whole[:-8]),
        "gzip with a wrong check": packed(b"gzip", whole[:-8] + b"\0\0\0\0" + whole[-4:]),
        "gzip with only a head": packed(b"gzip", whole[:10]),
        "deflate without its end": packed(b"deflate", zlib.compress(OBJECT)[:-12]),
        "raw deflate without its end": packed(b"deflate", raw_deflate(OBJECT)[:-12]),
        "a header line of 2 MB": OK + b"X-Long: " + b"x" * (2 << 20) + b"\r\nContent-Length: %d\r\n\r\n" % length + OBJECT,
        "a redirect to ftp": b"HTTP/1.1 302 Found\r\nLocation: ftp://127.0.0.1/x\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
        "a redirect to nowhere": b"HTTP/1.1 302 Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
        "a redirect to nonsense":
            b"HTTP/1.1 302 Found\r\nLocation: http://[::\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
    }
    try:
        import brotli  # noqa: PLC0415 (a matter of taste whether it is there)
        answers["br without its end"] = packed(b"br", brotli.compress(OBJECT)[:-6])
    except ImportError:
        pass
    return answers


def cut(host):
    complaints = []
    answers = cut_answers()
    for number, (what, data) in enumerate(answers.items()):
        host.upstream.routes[f"/cut/{number}"] = data
    host.upstream.routes["/whole/gzip"] = packed(b"gzip", gzipped(OBJECT))
    half = len(OBJECT) // 2
    host.upstream.routes["/whole/members"] = packed(b"gzip", gzipped(OBJECT[:half]) + gzipped(OBJECT[half:]))
    for number, what in enumerate(answers):
        status, body = host.get(f"/api/cut/{number}", timeout=10)
        if status < 400:
            complaints.append(f"{what}: {status or 'no answer'} {body[:60].decode('utf-8', 'replace')}")
        elif b'"code":"internal"' in body or status == 500:
            complaints.append(f"{what}: {status}, as if it were the host's own fault")
    for name in ("gzip", "members"):
        status, body = host.get(f"/api/whole/{name}", timeout=10)
        if (status, body) != (200, OBJECT):
            complaints.append(f"whole gzip ({name}) is refused: {status}")
    return complaints


def slow_head(host):
    """Fifty heads that come a byte at a time."""
    def send(connection, target, body):
        deadline = time.monotonic() + 8
        for byte in OK + b"X: " + b"y" * 10_000:
            if time.monotonic() > deadline:
                return
            connection.sendall(bytes([byte]))
            time.sleep(0.05)

    host.upstream.routes["/slow"] = send
    host.get_all([f"/api/slow?i={i}" for i in range(50)], 9)
    return []


ATTACKS = [
    Attack("cut-answers", "heads, bodies and codings that were cut, and redirects that lead nowhere", cut),
    Attack("slow-heads", "fifty heads that never come to their end", slow_head),
]

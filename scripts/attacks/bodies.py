"""Bodies just below the limit. A fresh answer beside them must take at most 20 ms."""

import struct

from attack import Attack
from upstream import answer

SIZE = 60 * 1000 * 1000


def objects():
    row = b'{"id":1000000,"name":"a name","tags":["a","b"],"score":1.5,"text":"some text, long enough to be one"},'
    return b"[" + row * (SIZE // len(row) - 1) + row[:-1] + b"]"


def brackets():
    return b"[" + b"[]," * (SIZE // 3 - 1) + b"[]]"


def picture():
    """The first bytes of a PNG of 8 by 8 pixels, and garbage."""
    return b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + struct.pack(">IIBBBBB", 8, 8, 8, 2, 0, 0, 0) + bytes(SIZE)


def text(piece):
    return piece * (SIZE // len(piece))


def ask_for(make, content_type, asked=3, statuses=(200,)):
    def run(host):
        host.upstream.routes["/big"] = answer(make(), content_type)
        complaints = []
        for number in range(asked):
            status, body = host.get(f"/api/big?i={number}", timeout=20)
            if status not in statuses:
                complaints.append(f"{status} {body[:200].decode('utf-8', 'replace')}")
        return complaints[:1]
    return run


def row(name, about, make, content_type, **more):
    return Attack(f"body-{name}", f"{about} of 60 MB", ask_for(make, content_type, **more), slowest_fresh=0.02, roof=640)


ATTACKS = [
    row("json", "JSON", objects, "application/json"),
    row("json-lists", "JSON of empty lists", brackets, "application/json", statuses=(200, 500, 502)),
    row("text-utf8", "text in UTF-8", lambda: text("Zeilen mit Umläuten, größer als je zuvor\n".encode()),
        "text/plain; charset=utf-8"),
    row("text-ascii", "ASCII text without a charset", lambda: text(b"lines of plain text, larger than ever before\n"), "text/plain"),
    row("text-latin1", "text in Latin-1", lambda: text("Zeilen mit Umläuten, größer als je zuvor\n".encode("latin-1")),
        "text/plain; charset=iso-8859-1"),
    row("text-utf16", "text in UTF-16", lambda: text("Zeilen mit Umläuten\n".encode("utf-16-le")), "text/plain; charset=utf-16le",
        statuses=(200, 502)),
    row("bytes", "bytes", lambda: bytes(SIZE), "application/octet-stream"),
    row("image", "a PNG", picture, "image/png"),
]

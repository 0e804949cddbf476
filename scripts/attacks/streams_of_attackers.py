"""Streams of HTTP/2 that two readers could understand differently, for scripts/attack-table."""

import struct

from frames import (ACK, CONTINUATION, DATA, END_HEADERS, END_STREAM, GOAWAY, HAS_PRIORITY, HEADERS, PADDED, PING, PREFACE,
                    PRIORITY, PUSH, RESET, SETTINGS, WINDOW, block, frame, headers, settings, whole)
from requests_of_attackers import HIDDEN, traversals

USUAL = [(b":method", b"GET"), (b":scheme", b"https"), (b":authority", b"localhost"), (b":path", b"/api/public/a")]


class StreamCase:
    """`wants` as in requests_of_attackers.py; `requests` is the number of answers that there may be."""

    def __init__(self, group, name, data, wants="refused", requests=1, begins=True):
        self.group, self.name, self.data, self.wants = group, name, data, wants
        self.requests, self.begins = requests, begins


def changed(**pseudo):
    """The usual fields with some replaced; a field of None is left out."""
    return [(name, pseudo.get(name[1:].decode(), value)) for name, value in USUAL
            if pseudo.get(name[1:].decode(), value) is not None]


def get(*fields, **pseudo):
    return headers(changed(**pseudo) + list(fields))


def post(body, *fields, trailers=None):
    """A body of one frame, and trailers after it."""
    data = headers(changed(method=b"POST") + list(fields), flags=END_HEADERS)
    data += frame(DATA, 0 if trailers else END_STREAM, 1, body)
    return data + (headers(trailers) if trailers else b"")


def named(data):
    return data.decode("latin-1").encode("unicode_escape").decode()[:36]


def paths():
    for case in traversals():
        target = case.parts[0][4:].split(b" HTTP/1.1\r\n")[0]
        yield StreamCase("h2 traversal", case.name, get(path=target), "contained")


def bodies():
    length = str(len(HIDDEN)).encode()
    for value in [b"0", b"1", str(len(HIDDEN) + 1).encode(), b"+" + length, b"-1", length + b", " + length, b"a", b"", b" " + length, length + b"\0",
                  b"9" * 30, b"18446744073709551616", b"0x10"]:
        yield StreamCase("h2 smuggling", f"length '{named(value)}'", post(HIDDEN, (b"content-length", value)))
    for one, other in [(b"0", length), (length, b"0"), (length, length)]:
        yield StreamCase("h2 smuggling", f"lengths {one.decode()} and {other.decode()}",
                         post(HIDDEN, (b"content-length", one), (b"content-length", other)))
    for value in [b"chunked", b"identity", b"gzip, chunked", b"", b"Chunked"]:
        yield StreamCase("h2 smuggling", f"transfer-encoding '{value.decode()}'",
                         post(b"0\r\n\r\n" + HIDDEN, (b"transfer-encoding", value)))
    yield StreamCase("h2 smuggling", "transfer-encoding and a length",
                     post(b"0\r\n\r\n" + HIDDEN, (b"transfer-encoding", b"chunked"), (b"content-length", b"5")))
    yield StreamCase("h2 smuggling", "transfer_encoding", post(b"0\r\n\r\n" + HIDDEN, (b"transfer_encoding", b"chunked")), "contained")
    for name, value in [(b"connection", b"close"), (b"connection", b"content-length"), (b"keep-alive", b"5"), (b"proxy-connection", b"close"), (b"upgrade", b"h2c"),
                        (b"te", b"gzip"), (b"te", b"trailers, chunked"), (b"http2-settings", b"AAMAAABk")]:
        wants = "contained" if name == b"http2-settings" else "refused"
        yield StreamCase("h2 smuggling", f"{name.decode()}: {value.decode()}", get((name, value)), wants)
    yield StreamCase("h2 smuggling", "te: trailers", get((b"te", b"trailers")), "passed")
    yield StreamCase("h2 smuggling", "a body", post(b"hello"), "passed")
    yield StreamCase("h2 smuggling", "a body of the length it says", post(HIDDEN, (b"content-length", length)), "passed")
    yield StreamCase("h2 smuggling", "a body for GET", headers(USUAL, flags=END_HEADERS) + frame(DATA, END_STREAM, 1, HIDDEN), "contained")
    yield StreamCase("h2 smuggling", "a length for GET", get((b"content-length", length)))
    yield StreamCase("h2 smuggling", "padding", headers(changed(method=b"POST"), flags=END_HEADERS)
                     + frame(DATA, END_STREAM | PADDED, 1, b"\x05hello" + b"GET /"), "passed")
    for fields, name in [([(b":path", b"/api/secret")], "a path"), ([(b":status", b"200")], "a status"), ([(b"content-length", b"0")], "a length"),
                         ([(b"transfer-encoding", b"chunked")], "a coding"), ([(b"X", b"y")], "a capital"), ([(b"x", b"a\r\nb")], "CR LF")]:
        yield StreamCase("h2 smuggling", f"trailers: {name}", post(b"hello", trailers=fields),
                         "contained" if name == "a length" else "refused")
    yield StreamCase("h2 smuggling", "trailers", post(b"hello", trailers=[(b"x", b"y")]), "passed")
    yield StreamCase("h2 smuggling", "trailers that end nothing", headers(changed(method=b"POST"), flags=END_HEADERS)
                     + frame(DATA, 0, 1, b"hello") + headers([(b"x", b"y")], flags=END_HEADERS))


def fields():
    for value in [b"a\r\nb: c", b"a\r\n\r\n" + HIDDEN, b"a\nb", b"a\rb", b"a\0b", b"\r\n", b"a\x07", b"a\x7f", b" a", b"a ", b"\ta"]:
        wants = "contained" if value in (b"a\x07", b"a\x7f") else "refused"
        yield StreamCase("h2 head", f"value '{named(value)}'", get((b"x", value)), wants)
    for name in [b"X", b"x-Y", b"", b"x y", b"x:", b"x: y\r\nz", b"x\r\n\r\n" + HIDDEN, b"x\0", b"x\x80", b"x(", b"x\n", b"host:", b"x\t", b"\"x\""]:
        yield StreamCase("h2 head", f"name '{named(name)}'", get((name, b"y")))
    for path in [b"", b"*", b"api/public/a", b"/api/public/a b", b"/api/public/a HTTP/1.1\r\nX: y\r\n\r\nGET /", b"/api/public/a\r\nx: y", b"/api/public/\0", b"/api/public/\t",
                 b"/api/public/a\x7f", b"/api/public/\xe4", b"/api/public/a#b", b"http://localhost/api/public/a", b"//api/public/a",
                 b"/api/public/" + b"a" * 9000]:
        yield StreamCase("h2 head", f":path '{named(path)}'", get(path=path),
                         "contained" if path.startswith((b"//", b"http:")) or b"#" in path else "refused")
    for method in [b"", b"G ET", b"GET /api/secret HTTP/1.1\r\nX:", b"GET\r\n", b"G\0ET", b"GE(T", b"CONNECT", b"TRACE", b"get", b"PUT", b"X" * 5000]:
        yield StreamCase("h2 head", f":method '{named(method)}'", get(method=method))
    for name in [b"", b"evil", b"localhost.evil", b"localhost@evil", b"user@localhost", b"localhost\r\nx: y", b"localhost/evil", b"localhost:99999", b"localhost:80:80", b"localhost evil", b"a,localhost", b"[::1"]:
        yield StreamCase("h2 head", f":authority '{named(name)}'", get(authority=name))
    for scheme in [b"", b"ftp", b"http://localhost/api/secret?", b"https\r\nx: y", b"https://", b"HTTPS"]:
        yield StreamCase("h2 head", f":scheme '{named(scheme)}'", get(scheme=scheme), "contained" if scheme in (b"ftp", b"HTTPS") else "refused")
    for name in ("method", "scheme", "path"):
        yield StreamCase("h2 head", f"no :{name}", get(**{name: None}))
    yield StreamCase("h2 head", "no :authority", get(authority=None))
    yield StreamCase("h2 head", "host alone", get((b"host", b"localhost"), authority=None), "contained")
    yield StreamCase("h2 head", "host as :authority", get((b"host", b"localhost")), "contained")
    yield StreamCase("h2 head", "another host", get((b"host", b"evil")))
    yield StreamCase("h2 head", "two hosts", get((b"host", b"localhost"), (b"host", b"evil"), authority=None))
    for name, value in USUAL:
        yield StreamCase("h2 head", f"{name.decode()} twice", headers([*USUAL, (name, value)]))
        yield StreamCase("h2 head", f"{name.decode()} behind fields",
                         headers([pair for pair in USUAL if pair[0] != name] + [(b"x", b"y"), (name, value)]))
    for name in [b":status", b":protocol", b":evil", b":", b":Path"]:
        yield StreamCase("h2 head", f"{name.decode()} of a client", headers([*USUAL, (name, b"200")]))
    yield StreamCase("h2 head", "CONNECT for a protocol", headers([(b":method", b"CONNECT"), (b":protocol", b"websocket"), *USUAL[1:]]))
    yield StreamCase("h2 head", "CONNECT", headers([(b":method", b"CONNECT"), (b":authority", b"localhost:80")]))
    yield StreamCase("h2 head", "129 fields", get(*((b"x%d" % number, b"y") for number in range(129))))
    yield StreamCase("h2 head", "20 KiB", get((b"x", b"y" * 15_000), (b"z", b"y" * 1_000), (b"a", b"b" * 300)))
    for name in [b"x-forwarded-for", b"x-forwarded-host", b"x-original-url", b"x-rewrite-url", b"x-http-method-override", b"forwarded", b"via", b"authorization", b"cookie", b"x-secret", b"range", b"priority"]:
        yield StreamCase("h2 head", f"{name.decode()} of a client", get((name, b"/api/secret")), "passed")
    yield StreamCase("h2 head", "cookies in pieces", get((b"cookie", b"a=b"), (b"cookie", b"c=d")), "passed")


def frames():
    ask = get()
    half = headers(USUAL, flags=END_STREAM)
    for data, name in [
            (headers(USUAL, stream=0), "HEADERS on stream 0"), (headers(USUAL, stream=2), "HEADERS on stream 2"), (ask[:9] + ask[9:30], "a frame that doesn't end"),
            (frame(DATA, END_STREAM, 1, b"x"), "DATA on an idle stream"), (frame(DATA, END_STREAM, 0, b"x"), "DATA on stream 0"),
            (frame(CONTINUATION, END_HEADERS, 1, block(USUAL)), "CONTINUATION of nothing"), (half + frame(PING, 0, 0, b"8" * 8), "PING within a head"),
            (half + headers(USUAL, stream=3), "HEADERS within a head"), (half + frame(CONTINUATION, END_HEADERS, 3), "CONTINUATION of another stream"),
            (half + frame(250, 0, 1, b"x"), "an unknown frame within a head"), (half, "a head that doesn't end"),
            (headers(USUAL, stream=3) + headers(USUAL, stream=1), "a lower stream"), (frame(HEADERS, END_HEADERS | END_STREAM | PADDED, 1, b"\xff" + block(USUAL)), "more padding than frame"),
            (frame(HEADERS, END_HEADERS | END_STREAM | HAS_PRIORITY, 1, struct.pack(">IB", 1, 0) + block(USUAL)), "a stream that depends on itself"),
            (frame(HEADERS, END_HEADERS | END_STREAM | PADDED, 1), "PADDED without a length"), (frame(HEADERS, END_HEADERS | END_STREAM, 1, b"\x80"), "index 0"),
            (frame(HEADERS, END_HEADERS | END_STREAM, 1, b"\xff\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01"), "an index of ten bytes"), (frame(HEADERS, END_HEADERS | END_STREAM, 1, b"\xfe"), "an index beyond the table"),
            (frame(HEADERS, END_HEADERS | END_STREAM, 1, b"\x3f\xff\xff\xff\x7f" + block(USUAL)), "a table of 268 MB"), (frame(HEADERS, END_HEADERS | END_STREAM, 1, block(USUAL) + b"\x20"), "a table's size behind fields"),
            (frame(HEADERS, END_HEADERS | END_STREAM, 1, b"\0" + whole(1 << 20, 7) + b"x"), "a name longer than its frame"), (frame(HEADERS, END_HEADERS | END_STREAM, 1, block(USUAL) + b"\0\x81\xff\x01y"), "padding of Huffman's code alone"),
            (frame(HEADERS, END_HEADERS | END_STREAM, 1), "no fields"), (frame(RESET, 0, 1, b"\0\0\0\x08"), "RST_STREAM on an idle stream"), (frame(RESET, 0, 0, b"\0\0\0\x08"), "RST_STREAM on stream 0"),
            (frame(RESET, 0, 1, b"\0\0\0"), "RST_STREAM of three bytes"), (frame(PRIORITY, 0, 1, b"\0\0\0\0"), "PRIORITY of four bytes"), (frame(PRIORITY, 0, 0, b"\0\0\0\0\0"), "PRIORITY on stream 0"),
            (settings(stream=1), "SETTINGS on stream 1"), (frame(SETTINGS, 0, 0, b"12345"), "SETTINGS of five bytes"), (settings([(1, 1)], flags=ACK), "SETTINGS of an answer"), (settings([(2, 2)]), "ENABLE_PUSH of 2"),
            (settings([(4, 1 << 31)]), "a window of 2 GiB"), (settings([(5, 1)]), "frames of one byte"), (settings([(5, 1 << 24)]), "frames of 16 MiB"), (frame(PUSH, END_HEADERS, 1, b"\0\0\0\x02" + block(USUAL)), "PUSH_PROMISE of a client"),
            (frame(PING, 0, 0, b"1234"), "PING of four bytes"), (frame(PING, 0, 1, b"12345678"), "PING on stream 1"), (frame(GOAWAY, 0, 1, b"\0" * 8), "GOAWAY on stream 1"), (frame(GOAWAY, 0, 0, b"\0" * 4), "GOAWAY of four bytes"),
            (frame(WINDOW, 0, 0, b"\0\0\0\0"), "WINDOW_UPDATE of 0"), (frame(WINDOW, 0, 0, b"\x7f\xff\xff\xff"), "a window beyond 2 GiB"), (frame(WINDOW, 0, 0, b"\0\0\0"), "WINDOW_UPDATE of three bytes"),
            (frame(WINDOW, 0, 1, b"\0\0\0\x01"), "WINDOW_UPDATE on an idle stream"), (b"\xff\xff\xff" + frame(DATA, 0, 1)[3:], "a frame of 16 MiB"),
            (frame(DATA, 0, 1, b"x" * 16_385), "a frame beyond the limit"), (ask + frame(DATA, 0, 1, b"x"), "DATA behind the end"), (post(b"a") + headers([(b"x", b"y")]), "trailers behind the end")]:
        late = name in ("DATA behind the end", "trailers behind the end")
        wants = "contained" if late or name in ("HEADERS within a head", "a lower stream", "a stream that depends on itself") else "refused"
        yield StreamCase("h2 frame", name, data, wants)
    for begin, name in [(b"PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n", "another preface"), (PREFACE[:10], "half a preface"), (PREFACE + frame(PING, 0, 0, b"8" * 8), "PING before SETTINGS"),
                        (PREFACE + ask, "HEADERS before SETTINGS"), (b"GET /api/public/a HTTP/1.1\r\nHost: localhost\r\n\r\n", "HTTP/1.1")]:
        yield StreamCase("h2 frame", name, begin, "contained" if name == "HTTP/1.1" else "refused", begins=False)
    yield StreamCase("h2 frame", "an unknown frame", frame(250, 255, 0, b"x" * 100) + ask, "passed")
    yield StreamCase("h2 frame", "unknown settings", settings([(99, 7)]) + ask, "passed")
    yield StreamCase("h2 frame", "GOAWAY first", frame(GOAWAY, 0, 0, b"\0" * 8) + ask, "contained")
    yield StreamCase("h2 frame", "streams 1, 3, 5", b"".join(headers(USUAL, stream=number) for number in (1, 3, 5)), "passed", 3)
    for many, name in [
            (b"".join(headers(USUAL, stream=2 * n + 1) + frame(RESET, 0, 2 * n + 1, b"\0\0\0\x08") for n in range(2000)), "2,000 streams reset at once"),
            (half + b"".join(frame(CONTINUATION, 0, 1, block([(b"x%d" % n, b"y" * 100)])) for n in range(2000)), "2,000 CONTINUATION"),
            (half + frame(CONTINUATION, 0, 1) * 20_000, "20,000 empty CONTINUATION"), (settings() * 20_000 + ask, "20,000 SETTINGS"),
            (frame(PING, 0, 0, b"12345678") * 20_000 + ask, "20,000 PING"), (frame(PRIORITY, 0, 1, b"\0\0\0\0\0") * 20_000 + ask, "20,000 PRIORITY"),
            (headers(changed(method=b"POST"), flags=END_HEADERS) + frame(DATA, 0, 1) * 20_000, "20,000 empty DATA"),
            (frame(WINDOW, 0, 0, b"\0\0\0\x01") * 20_000 + ask, "20,000 WINDOW_UPDATE"), (frame(250, 0, 0, b"x") * 20_000 + ask, "20,000 unknown frames"),
            (frame(HEADERS, END_HEADERS | END_STREAM, 1, block(USUAL) + b"\x40\x01x" + whole(4000, 7) + b"y" * 4000 + b"\xbe" * 10_000), "a field 10,000 times by its index"),
            (b"".join(headers(changed(path=b"/api/public/%d" % n), stream=2 * n + 1) for n in range(300)), "300 streams at once")]:
        yield StreamCase("h2 flood", name, many, "contained", 2000)


STREAMS = [*paths(), *bodies(), *fields(), *frames()]

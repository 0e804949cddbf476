"""Requests that two readers could understand differently, for scripts/attack-table."""


class Case:
    """`wants` is the required result: refused, passed, or contained, which allows both."""

    def __init__(self, group, name, data, wants="contained", requests=1, is_head=False):
        self.group, self.name, self.wants, self.requests, self.is_head = group, name, wants, requests, is_head
        self.parts = data if isinstance(data, list) else [data]


HOST = b"Host: localhost\r\n"
HIDDEN = b"GET /api/public/smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n"
# For a case in which this is rightly a separate request, if the part before it is understood.
NEXT = HIDDEN.replace(b"smuggled", b"next")


def get(target, fields=b"", version=b"HTTP/1.1"):
    return b"GET " + target + b" " + version + b"\r\n" + HOST + fields + b"\r\n"


def post(fields, body=b""):
    return b"POST /api/public/a HTTP/1.1\r\n" + HOST + fields + b"\r\n" + body


def traversals():
    ups = [b"..", b"%2e%2e", b"%2E%2E", b".%2e", b"%2e.", b"%252e%252e", b"%25252e%25252e", b"..;", b"..;a=b", b"%2e%2e;",
           b"..%00", b"..%20", b"..%09", b"..%0a", b"..%0d", b"...", b"....", b"%c0%ae%c0%ae", b"%e0%80%ae%e0%80%ae",
           b"%u002e%u002e", b"%uff0e%uff0e", b"..%23", b"..%3f", b"..%5c", b".%00.", b"%2e%00%2e"]
    slashes = [b"/", b"%2f", b"%2F", b"%5c", b"\\", b"%252f", b"%255c", b"//", b"/./", b"%c0%af", b"%e2%81%84", b";/"]
    for up in ups:
        for slash in slashes[:5] if up not in (b"..", b"%2e%2e", b"%252e%252e") else slashes:
            yield Case("traversal", f"{up.decode()} with {slash.decode()}",
                       get(b"/api/public/" + up + slash + b"secret"))
    for target in [
            b"/api/public/..", b"/api/public/../", b"/api/public/a/../../secret", b"/api/public/%2e%2e", b"/api/../api/secret",
            b"/api/./secret", b"/api//secret", b"//api/public/../secret", b"/api%2fpublic/../secret", b"/api/secret",
            b"/api/public", b"/api/Public/a", b"/api/public%2f..%2fsecret", b"/api/public;/../secret", b"/api/public/..?a=/b",
            b"/api/public/?../../secret", b"/api/public/#/../../secret", b"/api/public/a%23/../../../secret", b"/../api/public/a",
            b"/%2e%2e/api/public/a", b"/api/public/http://127.0.0.1/secret", b"/api/http://127.0.0.1/secret",
            b"/api/public//127.0.0.1/secret", b"/api//127.0.0.1/secret", b"/api/public/@127.0.0.1/secret", b"/api@127.0.0.1/secret",
            b"/api/public/%40", b"/api/public/:80/", b"/api/public/%", b"/api/public/%2", b"/api/public/%zz", b"/api/public/%00",
            b"/api/public/a%0d%0aX-A:%20b", b"/api/public/a%0aGET%20/secret", b"/api/public/?a=%0d%0aX-A:%20b",
            b"/api/public/" + b"a/../" * 100 + b"../secret", b"/api/public/" + b"../" * 50 + b"etc/passwd", b"/-/../api/secret",
            b"/-/%2e%2e/api/secret", b"/-/status", b"/-/reload", b"/-%2fstatus", b"/%2d/status", b"/api/%70ublic/../secret",
            b"/api/public/%2e", b"/api/public/.", b"/api/public/./a", b"/api/public/%2e/a", b"http://localhost/api/public/../secret",
            b"http://localhost/api/secret", b"http://localhost@evil/api/public/a", b"http://evil/api/public/a"]:
        yield Case("traversal", target.decode()[:60], get(target))


def smuggling():
    length = str(len(HIDDEN)).encode()
    chunked = b"0\r\n\r\n" + HIDDEN
    both = b"Content-Length: " + str(len(chunked)).encode() + b"\r\n"
    for value in [b"chunked", b"Chunked", b"CHUNKED", b" chunked", b"chunked ", b"\tchunked", b"chunked\t", b"x-chunked", b"chunked, identity",
                  b"identity, chunked", b"chunked, chunked", b"gzip, chunked", b"chunked;a=b", b"\"chunked\"", b"chunked,", b",chunked", b"", b"identity",
                  b"cow", b"chun\x00ked", b"\x0bchunked", b"chunked\x0b", b"\xc2\xa0chunked"]:
        field = b"Transfer-Encoding: " + value + b"\r\n"
        name = value.decode("latin-1").encode("unicode_escape").decode()
        yield Case("smuggling", f"both lengths, '{name}'", post(both + field, chunked), "refused")
        yield Case("smuggling", f"both lengths, '{name}' first", post(field + both, chunked), "refused")
        if value.strip().lower() != b"chunked" or b"\x0b" in value:
            yield Case("smuggling", f"coding '{name}' alone", post(field, chunked), "refused")
    for name in [b"Transfer-Encoding ", b" Transfer-Encoding", b"Transfer-Encoding\t", b"Transfer_Encoding", b"Transfer-Encoding\x00",
                 b"\x0bTransfer-Encoding", b"X: y\nTransfer-Encoding", b"X: y\rTransfer-Encoding", b"Transfer-Encoding\r\n "]:
        text = name.decode("latin-1").encode("unicode_escape").decode()
        wants = "contained" if b"_" in name else "refused"
        # With an underscore it is a different field, so the length counts.
        yield Case("smuggling", f"the name '{text}'", post(both + name + b": chunked\r\n", chunked), wants)
    yield Case("smuggling", "two codings", post(b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", chunked), "refused")
    yield Case("smuggling", "two codings, one unknown", post(b"Transfer-Encoding: chunked\r\nTransfer-Encoding: cow\r\n", chunked), "refused")
    yield Case("smuggling", "a coding with HTTP/1.0",
               b"POST /api/public/a HTTP/1.0\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n" + chunked, "refused")
    for value in [b"+" + length, b"-" + length, b"0" * 30 + length, b"0x10", b"1e1", length + b".0", length + b"," + length, length + b", " + length,
                  length + b" " + length, b"0, " + length, b"", b" ", b"a", b"9" * 30, b"18446744073709551616", b"4294967296", length + b"\x00",
                  length + b";", b"\xd9\xa1", b"1_0", b"\"" + length + b"\""]:
        name = value.decode("latin-1").encode("unicode_escape").decode()[:24]
        wants = "contained" if value.startswith(b"000") else "refused"
        yield Case("smuggling", f"length '{name}'", post(b"Content-Length: " + value + b"\r\n", HIDDEN), wants)
    for first, second in [(b"0", length), (length, b"0"), (length, length), (b"5", b"6")]:
        yield Case("smuggling", f"lengths {first.decode()} and {second.decode()}",
                   post(b"Content-Length: " + first + b"\r\nContent-Length: " + second + b"\r\n", HIDDEN), "refused")
    for size in [b"0x5", b"+5", b"-5", b" 5", b"5 ", b"5;a", b"5;a=\"\r\n", b"5\n", b"5\r", b"", b"g", b"00000000000000005", b"FFFFFFFFFFFFFFFF5", b"5\x00", b"5\t", b"5,5",
                 b"\"5\"", b"5\r\n\r\n", b"FFFFFFFFFFFFFFFFFFFFFFF", b"7FFFFFFFFFFFFFFF"]:
        name = size.decode("latin-1").encode("unicode_escape").decode()
        yield Case("smuggling", f"chunk size '{name}'",
                   post(b"Transfer-Encoding: chunked\r\n", size + b"\r\nhello\r\n0\r\n\r\n" + NEXT), "contained", 2)
    for body, name in [(b"5\r\nhelloX0\r\n\r\n", "no end of a chunk"), (b"5\r\nhello\n0\r\n\r\n", "LF behind a chunk"), (b"5\nhello\r\n0\r\n\r\n", "LF behind a size"),
                       (b"5\r\nhello\r\n0\r\nHost: b\r\n\r\n", "Host as a trailer"), (b"5\r\nhello\r\n0\r\n X: y\r\n\r\n", "folded trailer"),
                       (b"5\r\nhello\r\n0\r\nX : y\r\n\r\n", "trailer with a blank"), (b"5\r\nhello\r\n0\r\nContent-Length: 50\r\n\r\n", "a length as a trailer"),
                       (b"5\r\nhell", "a chunk that doesn't end"), (b"0\n\n", "LF alone"), (b"0\r\r\n", "CR CR LF")]:
        yield Case("smuggling", name, post(b"Transfer-Encoding: chunked\r\n", body + NEXT), "contained", 2)
    yield Case("smuggling", "a body for GET", get(b"/api/public/a", b"Content-Length: " + length + b"\r\n") + HIDDEN)
    yield Case("smuggling", "chunks for GET", get(b"/api/public/a", b"Transfer-Encoding: chunked\r\n") + b"0\r\n\r\n" + NEXT,
               requests=2)
    yield Case("smuggling", "a body for HEAD",
               b"HEAD /api/public/a HTTP/1.1\r\nHost: localhost\r\nContent-Length: " + length + b"\r\n\r\n" + HIDDEN, is_head=True)
    yield Case("smuggling", "Upgrade: h2c", get(b"/api/public/a", b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n"))
    yield Case("smuggling", "the preface of HTTP/2", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + HIDDEN, "refused")
    yield Case("smuggling", "Expect and a body at once", post(b"Expect: 100-continue\r\nContent-Length: 5\r\n", b"hello"), "passed")
    yield Case("smuggling", "Expect of nonsense", post(b"Expect: 200-ok\r\nContent-Length: " + length + b"\r\n", HIDDEN), "refused")
    yield Case("smuggling", "Connection: Content-Length", post(b"Connection: Content-Length\r\nContent-Length: " + length + b"\r\n", HIDDEN))


def heads():
    for line, name in [(b"GET  /api/public/a HTTP/1.1", "two blanks"), (b"GET /api/public/a  HTTP/1.1", "two blanks behind"), (b"GET\t/api/public/a\tHTTP/1.1", "tabs"),
                       (b" GET /api/public/a HTTP/1.1", "a blank first"), (b"GET /api/public/a HTTP/1.1 ", "a blank last"), (b"GET /api/public/a", "no version"),
                       (b"GET /api/public/a HTTP/0.9", "HTTP/0.9"), (b"GET /api/public/a HTTP/2.0", "HTTP/2.0"), (b"GET /api/public/a HTTP/1.11", "HTTP/1.11"),
                       (b"GET /api/public/a HTTP/1,1", "HTTP/1,1"), (b"GET /api/public/a http/1.1", "http/1.1"), (b"GET /api/public/a HTTP/+1.1", "HTTP/+1.1"),
                       (b"GET api/public/a HTTP/1.1", "no slash"), (b"GET * HTTP/1.1", "GET *"), (b"GET /api/public/a b HTTP/1.1", "a blank in the target"),
                       (b"GET /api/public/\x00 HTTP/1.1", "NUL in the target"), (b"GET /api/public/\xe4 HTTP/1.1", "Latin-1 in the target"), (b"G\x00ET /api/public/a HTTP/1.1", "NUL in the method"),
                       (b"GE(T /api/public/a HTTP/1.1", "no token"), (b"CONNECT localhost:80 HTTP/1.1", "CONNECT"), (b"CONNECT /api/public/a HTTP/1.1", "CONNECT a path"),
                       (b"TRACE /api/public/a HTTP/1.1", "TRACE"), (b"get /api/public/a HTTP/1.1", "get"), (b"PUT /api/public/a HTTP/1.1", "PUT"), (b"X" * 5000 + b" /api/public/a HTTP/1.1", "a long method"),
                       (b"GET /api/public/" + b"a" * 9000 + b" HTTP/1.1", "a long target"), (b"GET ftp://localhost/api/public/a HTTP/1.1", "ftp"),
                       (b"GET http:///api/public/a HTTP/1.1", "no authority"), (b"GET //api/public/a HTTP/1.1", "two slashes"), (b"", "nothing")]:
        yield Case("head", "line: " + name, line + b"\r\n" + HOST + b"\r\n", "contained" if name in ("two slashes", "nothing") else "refused")
    for field, name in [(b"X : y", "a blank before the colon"), (b"X\t: y", "a tab before the colon"), (b": y", "no name"), (b"X", "no colon"), (b"X y: z", "a blank in a name"), (b"X\x00: y", "NUL in a name"),
                        (b"X: \x00", "NUL in a value"), (b"X: y\x07", "a bell"), (b"X: y\x7f", "DEL"), (b" X: y", "folded first"), (b"X: y\r\n z", "folded"), (b"X: y\r\n\tz", "folded by a tab"),
                        (b"X: y\rZ: a", "a CR alone"), (b"X: y\nZ: a", "an LF alone"), (b"X: y\r\r", "CR CR"), (b"(X): y", "no token"), (b"X\x80: y", "8 bits in a name"), (b"X@: y", "@ in a name"), (b"X[]: y", "brackets in a name"),
                        (b"Host: localhost", "Host twice"), (b"Host: evil", "two hosts"), (b"host:evil", "two hosts, small"), (b"Host : evil", "Host with a blank"), (b"\r\nHost: evil", "an end in between")]:
        wants = "contained" if name == "an end in between" else "refused"
        yield Case("head", "field: " + name, get(b"/api/public/a", field + b"\r\n"), wants,
                   2 if wants == "contained" else 1)
    for host in [b"evil", b"localhost.evil", b"localhost@evil", b"evil#localhost", b"localhost:99999", b"localhost:80:80", b"localhost/evil", b"", b" ", b"localhost evil", b"localhost,evil", b"[::1", b"127.0.0.1.", b"0x7f.1",
                 b"localhost\\evil", b"%6cocalhost", b"localhost:+80", b"localhost:-1"]:
        yield Case("head", f"Host '{host.decode()}'", b"GET /api/public/a HTTP/1.1\r\nHost: " + host + b"\r\n\r\n",
                   "contained" if host == b"127.0.0.1." else "refused")
    yield Case("head", "no Host", b"GET /api/public/a HTTP/1.1\r\n\r\n", "refused")
    yield Case("head", "129 fields", get(b"/api/public/a", b"".join(b"X%d: y\r\n" % number for number in range(129))), "refused")
    yield Case("head", "20 KiB", get(b"/api/public/a", b"X: " + b"y" * 20_000 + b"\r\n"), "refused")
    yield Case("head", "an end that doesn't come", b"GET /api/public/a HTTP/1.1\r\nHost: localhost\r\n")
    yield Case("head", "CR LF before the line", b"\r\n" + get(b"/api/public/a"), "passed")
    yield Case("head", "many CR LF", b"\r\n" * 100 + get(b"/api/public/a"), "refused")
    yield Case("head", "a head in single bytes", [bytes([byte]) for byte in get(b"/api/public/a")], "passed")
    yield Case("head", "two requests at once", get(b"/api/public/a") * 2, "passed", 2)
    for name in [b"X-Forwarded-For", b"X-Forwarded-Host", b"X-Original-URL", b"X-Rewrite-URL", b"X-HTTP-Method-Override", b"Forwarded", b"X-Host", b"Via", b"Authorization", b"Cookie", b"Proxy-Authorization", b"X-Secret",
                 b"Range", b"Trailer", b"Connection"]:
        yield Case("head", f"{name.decode()} of a client", get(b"/api/public/a", name + b": /api/secret\r\n"), "passed")


CASES = [*traversals(), *smuggling(), *heads()]

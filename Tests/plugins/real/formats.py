#!/usr/bin/env python3
"""Exchanges random documents with Python's readers and writers of XML, CSV, YAML, MessagePack and CBOR, in both
directions: bodies that the transformers decode, and what rest.….encode writes. SEED repeats a failure."""

import base64
import csv
import http.server
import io
import json
import math
import os
import random
import sys
import threading

import plugin_host

plugin_host.use_packages("PyYAML", "msgpack", "cbor2", "lxml")

import cbor2
import msgpack
import yaml
from lxml import etree

SEED = int(os.environ.get("SEED", random.randrange(1 << 32)))
COUNT = int(os.environ.get("COUNT", 150))
chance = random.Random(SEED)

WORDS = ["", "a", "Wort", "ünï", "日本", "😀", "true", "null", "~", "yes", "no", "123", "1.5", "012", "0x1F", "-", ": ",
         "a: b", "a #b", "# c", "*a", "&a", "!x", "'", '"', "\\", "a\nb\n", " lead", "trail ", "\ttab", "a,b", "a;b",
         "{x}", "[y]", "%z", "@at", "`b`", "- item", "? k", "<b>&amp;", "]]>", "e\u0301", "x" * 300, "=", "a\u2028b"]


def text():
    return chance.choice(WORDS) if chance.random() < 0.7 else " ".join(chance.choices(WORDS, k=3))


def number():
    return chance.choice([
        lambda: chance.randint(-20, 300), lambda: chance.randint(-2**63, 2**63 - 1),
        lambda: chance.choice([0, -1, 23, 24, 127, 128, 255, 256, 65535, 65536, 2**31, 2**32, -32, -33, -128, -129]),
        lambda: chance.uniform(-1e6, 1e6), lambda: chance.choice([0.5, -0.0, 1e300, 5e-324, 1.5, 2.0]),
    ])()


def value(depth=0):
    kind = chance.random()
    if depth < 4 and kind < 0.25:
        return [value(depth + 1) for _ in range(chance.randint(0, 5))]
    if depth < 4 and kind < 0.5:
        return {text(): value(depth + 1) for _ in range(chance.randint(0, 5))}
    return chance.choice([text, number, lambda: True, lambda: False, lambda: None])()


def wide(depth=0):
    """A value with what JSON lacks: bytes, and keys that are no texts."""
    kind = chance.random()
    if depth < 4 and kind < 0.5:
        keys = [text, lambda: chance.randint(-1000, 1000), lambda: chance.choice([True, False]), lambda: chance.uniform(0, 1)]
        made = {}
        for _ in range(chance.randint(1, 6)):
            key = chance.choice(keys)()
            # Python takes True for 1.
            if key not in (0, 1) or isinstance(key, bool):
                made[key] = wide(depth + 1)
        return made
    return chance.choice([lambda: b"\xff" + chance.randbytes(chance.randint(0, 300)), value])()


def container(make=value):
    while True:
        made = make()
        # An empty table of Lua is neither list nor object.
        if isinstance(made, (list, dict)) and made:
            return made


def same(left, right):
    """Equal, with types: Python takes 1 for 1.0 and for True."""
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(same(left[key], right[key]) for key in left)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(same, left, right))
    if isinstance(left, float) and isinstance(right, float):
        return left == right or math.isnan(left) and math.isnan(right)
    return type(left) is type(right) and left == right


# XML

NAMESPACES = [None, None, "urn:a", "urn:b", "http://www.w3.org/XML/1998/namespace"]
NAMES = ["a", "b", "Name", "x-1", "_y", "ü"]


def xml_text():
    return "".join(c for c in text() if c not in "\x0b\x0c")


def tag(namespaces):
    namespace = chance.choice(namespaces)
    return f"{{{namespace}}}{chance.choice(NAMES)}" if namespace else chance.choice(NAMES)


def element(depth=0):
    made = etree.Element(tag(NAMESPACES[:4]), nsmap={"a": "urn:a", "b": "urn:b"})
    for _ in range(chance.randint(0, 3)):
        made.set(tag(NAMESPACES), xml_text())
    made.text = xml_text() or None
    for _ in range(chance.randint(0, 3) if depth < 4 else 0):
        child = element(depth + 1)
        child.tail = xml_text() or None
        made.append(child)
    return made


def mapped(element, mixed):
    name = etree.QName(element)
    texts = [element.text or ""] + [child.tail or "" for child in element]
    children = [mapped(child, mixed) for child in element]
    made = {"name": name.localname, "attributes": dict(element.attrib), "text": "".join(texts), "children": children}
    if name.namespace:
        made["namespace"] = name.namespace
    if mixed:
        pieces = [texts[0]]
        for child, after in zip(children, texts[1:]):
            pieces += [child, after]
        made["children"] = [piece for piece in pieces if piece != ""]
    elif children and not made["text"].strip(" \t\n\r"):
        made["text"] = ""
    return made


def parsed(data, mixed):
    return mapped(etree.fromstring(data), mixed)


# Documents

def csv_document(delimiter):
    names = [f"{text()}{index}" for index in range(chance.randint(1, 5))]
    rows = [[text() for _ in names] for _ in range(chance.randint(0, 6))]
    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter, quoting=chance.choice([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]))
    writer.writerow(names)
    writer.writerows(rows)
    return out.getvalue().encode(), [dict(zip(names, row)) for row in rows]


documents, values, wides = [], [], []


def add(kind, data, wanted):
    documents.append((kind, data, wanted))


for _ in range(COUNT):
    made = container()
    add("application/yaml", yaml.safe_dump(made, allow_unicode=chance.random() < 0.5,
                                          default_flow_style=chance.choice([None, True, False])).encode(), made)
    add("application/yaml", json.dumps(made, ensure_ascii=False).replace("\u2028", r"\u2028").encode(), made)
    made = container()
    add("application/msgpack", msgpack.packb(made, use_single_float=False), made)
    add("application/cbor", cbor2.dumps(made, canonical=chance.random() < 0.5), made)
    tree = element()
    data = etree.tostring(tree, encoding=chance.choice(["UTF-8", "UTF-16"]),
                          xml_declaration=True, pretty_print=chance.random() < 0.3)
    add("application/xml", data, parsed(data, False))
    data, rows = csv_document(",")
    add("text/csv", data, rows)
    values.append(container())
    made = container(wide)
    wides.append(("msgpack", msgpack.packb(made)))
    wides.append(("cbor", cbor2.dumps(made)))

elements = [etree.tostring(element(), encoding="UTF-8") for _ in range(COUNT)]
tables = [csv_document("\t") for _ in range(COUNT)]
big = [2**63, 2**64 - 1]


class Server(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        if self.path == "/cases":
            body = json.dumps({
                "documents": len(documents), "values": values,
                "wides": [[name, base64.b64encode(data).decode()] for name, data in wides],
                "elements": [base64.b64encode(data).decode() for data in elements],
                "tables": [base64.b64encode(data).decode() for data, _ in tables],
            }).encode()
            kind = "application/json"
        else:
            kind, body, _ = documents[int(self.path.rsplit("/", 1)[1])]
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


SCRIPT = """
local api = rest.service {
  name = "api", base_url = "http://127.0.0.1:PORT",
  standard_transformers = { "json", "text", "xml", "csv", "yaml", "msgpack", "cbor" },
}
rest.spawn(function()
  local cases = assert(api:resource("/cases"):get())
  for number = 0, cases.documents - 1 do
    local entity, err = api:resource("/document/" .. number):load():await()
    local json = rest.json.encode(entity and { entity.content } or tostring(err))
    emit("document " .. number, rest.base64.encode(json))
  end
  for number, value in ipairs(cases.values) do
    rest.sleep(0)
    for _, format in ipairs { "yaml", "msgpack", "cbor" } do
      emit(("%s %d"):format(format, number), rest.base64.encode(rest[format].encode(value)))
    end
  end
  for number, case in ipairs(cases.wides) do
    rest.sleep(0)
    local format = rest[case[1]]
    emit("wide " .. number, rest.base64.encode(format.encode(assert(format.decode(rest.base64.decode(case[2]))))))
  end
  for number, text in ipairs(cases.elements) do
    rest.sleep(0)
    for _, mixed in ipairs { false, true } do
      local element = assert(rest.xml.decode(rest.base64.decode(text), { mixed = mixed }))
      emit(("element %s %d"):format(mixed, number), rest.base64.encode(rest.xml.encode(element)))
    end
  end
  for number, text in ipairs(cases.tables) do
    rest.sleep(0)
    local rows = assert(rest.csv.decode(rest.base64.decode(text), { separator = "\\t", header = false }))
    emit("table " .. number, rest.base64.encode(rest.csv.encode(rows, { separator = "\\t" })))
  end
end)
"""


def check(name, actual, wanted):
    if not same(actual, wanted):
        sys.exit(f"SEED={SEED}: {name}: expected {wanted!r}, got {actual!r}")


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
threading.Thread(target=server.serve_forever, daemon=True).start()
results = plugin_host.run(SCRIPT.replace("PORT", str(server.server_address[1])), timeout=300)
decoded = {name: base64.b64decode(data) for name, data in results.items()}

for number, (kind, data, wanted) in enumerate(documents):
    result = json.loads(decoded[f"document {number}"])
    if not isinstance(result, list):
        sys.exit(f"SEED={SEED}: {kind} {data!r}: {result}")
    check(f"{kind} {data!r}", result[0], wanted)

readers = {"yaml": yaml.safe_load, "msgpack": lambda data: msgpack.unpackb(data, strict_map_key=False), "cbor": cbor2.loads}
for number, wanted in enumerate(values, 1):
    for name, read in readers.items():
        data = decoded[f"{name} {number}"]
        check(f"{name} {data!r}", read(data), wanted)
for number, (name, data) in enumerate(wides, 1):
    check(f"{name} {data!r}", readers[name](decoded[f"wide {number}"]), readers[name](data))
for number, data in enumerate(elements, 1):
    check(f"mixed {data!r}", parsed(decoded[f"element true {number}"], True), parsed(data, True))
    plain = parsed(decoded[f"element false {number}"], False)

    def moved(tree):
        """All text stands before the children then."""
        return {**tree, "children": [moved(child) for child in tree["children"]]}

    check(f"element {data!r}", plain, moved(parsed(data, False)))
for number, (data, _) in enumerate(tables, 1):
    read = list(csv.reader(io.StringIO(data.decode(), newline=""), delimiter="\t"))
    again = list(csv.reader(io.StringIO(decoded[f"table {number}"].decode(), newline=""), delimiter="\t"))
    check(f"table {data!r}", again, read)

print(f"formats: {len(documents)} bodies and {len(decoded) - len(documents)} written documents are the same for Python (SEED={SEED})")

"""Attacks on memory: bodies that grow when decoded, stored content, bodies in transit."""

import json
import threading
import time
import zlib

from attack import Attack
from upstream import answer

MIB = 1 << 20


def gzipped(data):
    packer = zlib.compressobj(9, wbits=31)
    return packer.compress(data) + packer.flush()


def brackets():
    """58 kB that become 60 MB of JSON, and far more as Lua tables."""
    return answer(gzipped(b"[" + b"[]," * (20 * 1000 * 1000) + b"[]]"), fields="Content-Encoding: gzip\r\n")


MAIN = """@PRELUDE@
api:configure_transformer("/brackets", function(content) return { count = #content } end)
"""

POOLED = """@PRELUDE@
api:configure_transformer("/brackets", "counting")
"""

COUNTING = """return function(content) return { count = #content } end
"""


def decode(host):
    host.upstream.routes["/brackets"] = brackets()
    answers = host.get_all([f"/api/brackets?i={i}" for i in range(4)], 15)
    # 500 or 502 with the name of a limit. 200 would also be fine below the memory limit.
    if any(status == 0 for status, _ in answers):
        return [f"no answer: {[body[:80] for status, body in answers if status == 0][0]!r}"]
    return []


def variants(host):
    """Any client can ask for any number of resources."""
    items = b"[" + b",".join(b'{"number":%d,"text":"some text that is here"}' % i for i in range(400 * 1000)) + b"]"
    host.upstream.routes["/big"] = answer(items)
    statuses = []
    for number in range(1, 47):
        statuses.append(host.get(f"/api/big?i={number}", timeout=10)[0])
    bad = [status for status in statuses if status != 200]
    return [f"{len(bad)} of {len(statuses)} resources were refused: {bad[0]}"] if bad else []


OVERRIDE = """@PRELUDE@
local number = 0
go(function() rest.every(0.01, function()
  number = number + 1
  if number <= 600 then api:resource("own/" .. number):override_local_content(string.rep(tostring(number % 10), 4 * 1024 * 1024)) end
end) end)
"""

HELD = """@PRELUDE@
local number, held = 0, {}
go(function() rest.every(0.01, function()
  number = number + 1
  local resource = api:resource("own/" .. number)
  held[#held + 1] = resource
  resource:add_observer(function() end, held)
  if number <= 600 then resource:override_local_content(string.rep(tostring(number % 10), 4 * 1024 * 1024)) end
end) end)
"""


def wait_for_override(host):
    host.go()
    time.sleep(12)
    return []


def trailers(host):
    """A chunked body without content, whose trailer never ends."""
    def send(connection, target, body):
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n")
        field = b"".join(b"X-%d: %s\r\n" % (i, b"t" * 1000) for i in range(200))
        deadline = time.monotonic() + 10
        while time.monotonic() < deadline:
            connection.sendall(field)

    host.upstream.routes["/trailers"] = send
    answers = host.get_all([f"/api/trailers?i={i}" for i in range(2)], 14)
    good = [status for status, _ in answers if status in (0, 200)]
    return [f"an endless trailer ended with {good[0]}"] if good else []


def in_flight(host):
    """Forty bodies of 60 MB that all stop just before their end."""
    piece = b"x" * MIB
    ended = threading.Event()

    def send(connection, target, body):
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/x-data\r\nContent-Length: %d\r\n\r\n" % (60 * MIB))
        for _ in range(59):
            connection.sendall(piece)
        ended.wait(12)

    host.upstream.routes["/slow"] = send
    threading.Timer(8, ended.set).start()
    host.get_all([f"/api/slow?i={i}" for i in range(40)], 12)
    return []


HUNGRY = """@PRELUDE@
api:configure_transformer("/hungry", function()
  local t = {}
  while true do t[#t + 1] = { #t, tostring(#t) } end
end)
go(function() for _ = 1, 15 do rest.sleep(0.5) rest.spawn(function()
  local t = {}
  while true do
    for i = 1, 1000 do t[#t + 1] = { #t, tostring(#t) } end
    rest.sleep(0)
  end
end) end end)
"""


def hungry(host):
    host.go()
    deadline = time.monotonic() + 8
    number = 0
    while time.monotonic() < deadline:
        number += 1
        host.get(f"/api/hungry?n={number}", timeout=5)
    return []


# Each entity takes the host's memory, and a few bytes of the script's hold it.
ENTITIES = """@PRELUDE@
local held, left = {}, 500
go(function() rest.every(0.01, function()
  left = left - 1
  -- The attack is over. Its values are garbage, and are collected when the script works again. A full state has no room
  -- for a new list.
  if left == 0 then for i = #held, 1, -1 do held[i] = nil end end
  if left <= 0 then local some = {} for i = 1, 1000 do some[i] = { i } end return end
  local text = string.rep("x", 4 * 1024 * 1024)
  held[#held + 1] = rest.entity { content = text, content_type = "text/plain" }
  held[#held + 1] = rest.bytes(text)
end) end)
"""


# Does the same with answers: each job ends at the limit, and another one begins.
ANSWERS = """@PRELUDE@
local held, left = {}, 1500
local ways = {
  function(i) return api:resource("/kept?" .. i):request("GET"):await() end,
  function(i) local _, err = api:resource("/failed?" .. i):request("GET"):await() return err end,
  function(i) local r = api:resource("/kept?" .. i):load() r:await() return r end,
  function(i) local r = rest.custom_request { start = function(complete)
    complete(rest.entity { content = string.rep("x", 1024 * 1024) .. i }) end } r:start() r:await() return r end,
}
go(function() rest.every(0.01, function()
  left = left - 1
  if left == 0 then for i = #held, 1, -1 do held[i] = nil end end
  if left <= 0 then local some = {} for i = 1, 1000 do some[i] = { i } end return end
  held[#held + 1] = ways[left % #ways + 1](left)
end) end)
"""


def keep_answers(host):
    host.upstream.routes["/kept"] = answer(b"x" * MIB, "text/plain")
    host.upstream.routes["/failed"] = answer(b"x" * MIB, "text/plain", "500 Internal Server Error")
    return wait_for_override(host)


# No value of Lua holds any of these. The upstream answers after eight seconds.
UNHELD = """@PRELUDE@
local function f() return rest.use_this_response end
local text = string.rep("x", 256 * 1024)
local ways = {
  function(request) request:on_completion(f) end, function(request) request:chained(f) end,
  function(_, i) api:resource("/held?" .. i):request("POST", { text = text }) end,
  function(_, i) api:resource("/held?" .. i):load() end,
  function() rest.custom_request { start = f, timeout = 8 }:start() end,
  function(_, i) api:resource("/o" .. i // 5000):add_observer(f) end,
}
go(function()
  for _, way in ipairs(ways) do
    rest.spawn(function()
      local request = api:resource("/held"):request("GET")
      for i = 1, 1e6 do way(request, i) if i % 50 == 0 then rest.sleep(0) end end
    end)
  end
end)
"""

# Each keeps little in Lua, and much in the host.
COMPILED = """@PRELUDE@
local function f() end
local text, kept = string.rep("x", 8000), {}
go(function()
  for _, make in ipairs {
    function(i) return rest.regex("(?:a(b)c){999}" .. i) end, function(i) return rest.auth.basic("u", text .. i) end,
    function() return rest.refresh_on(401, f) end,
  } do
    rest.spawn(function() for i = 1, 1e6 do kept[#kept + 1] = make(i) if i % 50 == 0 then rest.sleep(0) end end end):await()
    kept = {}
  end
end)
"""

# Blocks that make something for good each time they run, or a large configuration.
BLOCKS = """@PRELUDE@
local n = 0
local function f() return true end
for block = 1, 200 do
  api:configure("/made/" .. block, function(c)
    for _ = 1, 200 do n = n + 1 rest.cache.memory { max_bytes = 1000 + n } rest.refresh_on(401, f) end
  end)
end
api:configure("/large/*", function(c) for i = 1, 20 do c.headers["X-" .. i] = string.rep("x", 10000) end end)
"""

# The listener never takes its second event.
LISTENING = """@PRELUDE@
rest.on_event({ "request", "response" }, function() rest.sleep(1000) end)
local long = string.rep("x", 1900000)
go(function()
  for i = 1, 300 do api:resource("/e"):relative("/e?" .. i .. long):request("GET"):cancel() rest.sleep(0.01) end
end)
"""


def leave_running(host):
    def late(connection, _target, _body):
        time.sleep(8)
        connection.sendall(answer(b"{}"))
    host.upstream.routes["/held"] = late
    host.go()
    time.sleep(12)
    # Observers stay as long as their script.
    host.write("main.lua", "@PRELUDE@")
    host.command("reload")
    return []


def run_and_reload(host):
    wait_for_override(host)
    host.write("main.lua", "@PRELUDE@")
    host.command("reload")
    return []


def ask_for_blocks(host):
    host.write("main.lua", BLOCKS)
    host.command("reload")
    for number in range(1, 201):
        host.get(f"/api/made/{number}")
    for number in range(1000):
        host.get(f"/api/large/{number}")
    host.write("main.lua", "@PRELUDE@")
    host.command("reload")
    return []


def freed(host):
    """Asks for 28 MB again and again, then wipes them: the memory must go back to the system."""
    rows = [{"id": i, "name": f"name {i}", "tags": ["a", "b", str(i)]} for i in range(420 * 1000)]
    host.upstream.routes["/rows"] = answer(json.dumps(rows, separators=(",", ":")).encode())
    complaints = []
    for number in range(6):
        status, body = host.get(f"/api/rows?n={number}")
        if status != 200:
            complaints.append(f"28 MB of JSON: {status} {body[:100]!r}")
    return complaints[:1]


ATTACKS = [
    # The places of the tokens take four bytes for each byte of such a text, until it has been read.
    Attack("decode-main", "58 kB of gzip that are 60 MB of empty lists, for Lua", decode, MAIN, roof=400),
    Attack("decode-pool", "the same for transformer modules", decode, POOLED, {"counting.lua": COUNTING},
           runs_twice=True),
    Attack("variants", "?i=1…46 of a resource of 20 MB", variants),
    Attack("override", "a script that puts 600 times 4 MB in place", wait_for_override, OVERRIDE),
    Attack("override-held", "the same, observed and held", wait_for_override, HELD),
    Attack("trailers", "a chunked trailer without an end", trailers),
    Attack("in-flight", "forty bodies of 60 MB on their way", in_flight),
    Attack("out-of-memory", "transformers and jobs that take all their memory", hungry, HUNGRY),
    Attack("held-entities", "a script that keeps what it made outside of its own memory", wait_for_override, ENTITIES),
    Attack("held-answers", "a script that keeps answers, errors and results of custom requests", keep_answers, ANSWERS),
    Attack("unheld", "hooks, chains, observers and requests in flight that a script makes without end", leave_running, UNHELD, runs_twice=True),
    Attack("compiled", "regular expressions, credentials and refreshes that a script keeps", run_and_reload, COMPILED),
    Attack("block-results", "blocks that make ever new caches and gates, and configurations of 200 kB", ask_for_blocks, runs_twice=True),
    Attack("events", "events with URLs of 2 MB, for a listener that takes none, until a reload", run_and_reload, LISTENING),
    Attack("freed", "memory goes back after 28 MB of JSON", freed),
]

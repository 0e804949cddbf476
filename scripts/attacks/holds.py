"""Attacks on the time of the loop: many functions for one event, and calls of the host that work for long."""

import os
import subprocess
import time

from attack import Attack
from natives import native
from upstream import answer

# The limits of one function are so low that the time of all functions of one URL, 50 ms, is no stall.
LOW = [word for phase in ("block", "predicate", "decorator", "mutator") for word in ("--limit", f"{phase}=0.01")]
BURN = "@PRELUDE@\nlocal function burn(seconds) local n = os.clock() + seconds while os.clock() < n do end end\n"


def read(paths, statuses):
    def run(host):
        complaints = []
        for path in paths:
            status, body = host.get(path, timeout=30)
            if status not in statuses:
                complaints.append(f"{path}: {status} {body[:100]!r}")
        return complaints
    return run


PREDICATES = BURN + """
local function slow(url)
  if not url.string:find("/p", 1, true) then return false end
  burn(0.005)
  return false
end
for _ = 1, 500 do api:configure(slow, function() end) end
"""

DECORATORS = BURN + """
api:configure("/decorated*", function(c)
  for _ = 1, 300 do c:decorate_requests(function(_, request) burn(0.005) return request end) end
  for _ = 1, 300 do c:mutate_requests(function() burn(0.005) end) end
end)
"""

TRANSFORMERS = BURN + """
local slow = rest.content_transformer { transform = function(content) burn(0.02) return content end }
api:configure("/transformed*", function(c) for _ = 1, 200 do c.pipeline.model:add(slow) end end)
"""

KEYS = BURN + """
local function none() end
local cache = rest.cache.custom { key = function() burn(0.005) return "k" end, read = none, write = none, remove = none }
api:configure("/keys*", function(c)
  local order = { "parsing" }
  for i = 1, 100 do order[#order + 1] = "s" .. i end
  c.pipeline.order = order
  for i = 1, 100 do c.pipeline["s" .. i].cache = cache end
end)
"""

# Each function has 30 ms, and each of these uses 25.
WAITERS = BURN + """
go(function()
  local request = api:resource("/fresh"):load()
  local job = rest.spawn(function() rest.sleep(0.2) end)
  local status = rest.on_event({ "state" }, function() burn(0.025) end)
  for i = 1, 40 do
    rest.spawn(function() request:await() burn(0.025) end)
    rest.spawn(function() job:await() burn(0.025) end)
    request:chained(function() burn(0.025) return rest.use_this_response end)
    api:resource("/own" .. i):override_local_content("x")
  end
end)
"""

MANY_LOADS = """@PRELUDE@
go(function()
  for i = 1, 20 do
    rest.spawn(function() for n = 1, 10000 do api:resource("/l" .. i .. "/" .. n):load() end end)
    rest.sleep(0.2)
  end
end)
"""

EXPLAINED = """@PRELUDE@
for i = 1, 300 do api:configure("/**", { description = "block " .. i }, function(c) c.headers["X-" .. i] = "value" end) end
"""

ROUTES = """@PRELUDE@
local gateway = rest.gateway {}
for i = 1, 4000 do gateway:route("GET", "/r" .. i .. "/{a}/{b}", function() return "x" end) end
"""


def wait(seconds):
    def run(host):
        host.go()
        time.sleep(seconds)
        return []
    return run


def explain(host):
    return read([f"/-/explain?service=api&path=/x{number}" for number in range(5)], (200,))(host)


def route(host):
    """The engine goes on while the script is loaded again."""
    host.write("main.lua", ROUTES + "-- again\n")
    began = time.monotonic()
    said = host.command("reload")
    complaints = [f"the reload took {time.monotonic() - began:.0f} s"] if time.monotonic() - began > 10 else []
    return complaints + (["it was not loaded: " + said[:200]] if "error" in said else []) + read(["/r7/a/b"], (200,))(host)


def check(host):
    """`check` runs each block of a script on its own."""
    path = host.path("checked.lua")
    with open(path, "w", encoding="utf-8") as file:
        file.write('local rest = require "resthost"\nlocal api = rest.service { name = "api", base_url = "http://127.0.0.1:1/" }\n'
                   'for i = 1, 20000 do api:configure("/a" .. i, function(c) c.expiration_time = i end) end\n')
    began = time.monotonic()
    try:
        code = subprocess.run([host.program, "check", path], capture_output=True, timeout=60, check=False).returncode
    except subprocess.TimeoutExpired:
        return ["20,000 blocks are not checked within 60 s"]
    taken = time.monotonic() - began
    return ([f"check ended with {code}"] if code else []) + ([f"check took {taken:.0f} s"] if taken > 15 else [])


def record(host):
    body = b"token=abc&" * (14 << 20 >> 3)
    host.upstream.routes["/recorded"] = answer(body[:14 << 20], "text/plain")
    host.upstream.routes["/recorded-json"] = answer(
        b"[" + b",".join([b'{"token":"abc","password":"def"}'] * 400_000) + b"]")
    complaints = read(["/api/recorded", "/api/recorded-json"], (200,))(host)
    time.sleep(3)
    if not os.path.exists(host.path("a.har.part")) and not os.path.exists(host.path("a.har")):
        complaints.append("nothing was recorded: " + ", ".join(os.listdir(host.folder)))
    return complaints


ATTACKS = [
    Attack("predicates", "500 pattern functions of 5 ms each, for one URL", read(["/api/p1", "/api/p2", "/api/p3"], (500,)), PREDICATES,
           flags=LOW, slowest_fresh=0.17),
    Attack("decorators", "300 decorators and 300 mutators of 5 ms each, for one request",
           read([f"/api/decorated{number}" for number in range(3)], (500,)), DECORATORS, flags=LOW, slowest_fresh=0.17),
    Attack("transformers", "200 transformers of 20 ms each, for one response", read(["/api/transformed"], (200,)), TRANSFORMERS),
    Attack("cache-keys", "100 caches whose keys take 5 ms each", read(["/api/keys1", "/api/keys2"], (200,)), KEYS, flags=LOW,
           slowest_fresh=0.17),
    Attack("waiters", "forty jobs, chains and listeners that each use up their time, for one event", wait(10), WAITERS,
           slowest_fresh=0.17),
    Attack("many-loads", "jobs that begin ten thousand loads", wait(8), MANY_LOADS, runs_twice=True),
    Attack("explain", "an explanation of 300 blocks", explain, EXPLAINED),
    Attack("routes", "4,000 routes that are loaded again", route, ROUTES),
    Attack("check", "check of 20,000 blocks", check),
    Attack("recording", "14 MB of text and of JSON full of tokens, recorded", record, flags=["--record", "@FOLDER@/a.har"], roof=640),
    native("emptied-tables", "a hundred thousand references to a table that was emptied, and a tree with shared parts", """
  local emptied, list, tree = {}, {}, {}
  for i = 1, 2 ^ 18 do emptied[i] = true if i % 8192 == 0 then rest.sleep(0) end end
  for i = 1, 2 ^ 18 do emptied[i] = nil if i % 8192 == 0 then rest.sleep(0) end end
  for i = 1, 100000 do list[i] = emptied if i % 8192 == 0 then rest.sleep(0) end end
  for _ = 1, 30 do tree = { tree, tree } end
  for _, value in ipairs { list, tree } do
    for _, call in ipairs {
      function() rest.json.encode(value) end, function() rest.store:set("key", value) end,
      function() rest.log.info("x", { a = value }) end, function() rest.entity { content = value } end,
      function() api:resource("x"):request("POST", { json = value }) end,
      function() api:resource("x"):override_local_content(value) end,
    } do
      rest.spawn(call):await()
      rest.sleep(0)
    end
  end
""", seconds=25),
    native("gather", "rest.all and rest.gather of fifty thousand functions", """
  local list = {}
  for i = 1, 50000 do list[i] = function() return i end if i % 1000 == 0 then rest.sleep(0) end end
  rest.spawn(function() rest.all(list) end):await()
  rest.sleep(0)
  rest.spawn(function() rest.gather(list, 10000, function(f) return f() end) end):await()
  local many = {} for i = 1, 110000 do many[i] = i if i % 8192 == 0 then rest.sleep(0) end end
  rest.spawn(function() pcall(rest.gather, many, 1000000, function() end) end):await()
""", seconds=40),
    native("texts", "paths, URLs, patterns and descriptions of 20 MB", """
  local text = string.rep("a/", 10 * 1024 * 1024)
  local r = api:resource("x")
  rest.sleep(0)
  for _, call in ipairs {
    function() api:resource(text) end, function() r:child(text) end, function() r:relative(text) end,
    function() r:with_param("p", text) end, function() api:resource_at("http://127.0.0.1/" .. text) end,
    function() api:define("GET", text) end, function() rest.url.parse(text) end, function() rest.regex(text) end,
    function() api:configure(text, print) end, function() rest.service { name = text } end,
    function() api:configure({ description = text }, print) end, function() rest.auth.basic("u", text) end,
  } do
    pcall(call)
    rest.sleep(0)
  end
"""),
    native("secrets", "300 secrets of 30 kB, and 900 with a common beginning before a line of the log", """
  for i = 1, 300 do rest.secret(i .. string.rep("%x" .. i, 8000)) rest.sleep(0) end
  for i = 1, 900 do rest.secret(string.rep("a", 60) .. "b" .. i) rest.sleep(0) end
  rest.log.info(string.rep("a", 65000))
  rest.sleep(0)
""", seconds=40, runs_twice=True),
]

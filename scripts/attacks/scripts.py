"""Attacks inside the sandbox: finalizers, and a script that was replaced."""

import re
import time

from attack import Attack
from upstream import answer

# Each transformer makes garbage with a finalizer that never ends, and has it collected.
FINALIZER = """@PRELUDE@
local function hang() local t = {} while true do t[#t + 1] = "held" end end
local function try(fn, ...) pcall(fn, ...) end
%s
api:configure_transformer("/waste", function()
  local kept
  for i = 1, 2000 do kept = make(i) end
  return { made = kept and 2000 or 0 }
end)
go(function() rest.every(0.05, function()
  for i = 1, 2000 do make(i) end
end) end)
"""

MARKS = FINALIZER % """
for _, mark in ipairs { rest.json.array {}, rest.json.object {} } do
  try(function() getmetatable(mark).__gc = hang end)
  try(function() rawset(getmetatable(mark), "__gc", hang) end)
end
local function make(i) return i % 2 == 0 and rest.json.array { i } or rest.json.object { i = i } end
"""

CLASSES = FINALIZER % """
local Thing = {}
Thing.__index = Thing
local function make(i) return setmetatable({ i = i }, Thing) end
make(0)
try(function() Thing.__gc = hang end)
try(function() rawset(Thing, "__gc", hang) end)
local Late = {}
try(function() setmetatable({}, Late).x = 1; Late.__gc = hang; setmetatable(Late, { __index = Late }) end)
api:configure_transformer("/class", { output = Thing }, function() return make(1) end)
"""

GLOBALS = FINALIZER % """
try(setmetatable, _G, { __gc = hang })
try(setmetatable, rest, { __gc = hang })
try(function() getmetatable("").__gc = hang end)
try(function() getmetatable(api).__gc = hang end)
local function make(i)
  local own = {}
  local made = setmetatable({}, own)
  try(function() own.__gc = hang end)
  try(setmetatable, made, own)
  return made
end
"""

# A metatable of the globals that gets a `__gc` later. Such a script isn't loaded at all.
LATE = """@PRELUDE@
local mt = {}
setmetatable(_G, mt)
mt.__gc = function() while true do end end
"""

WEAK = """@PRELUDE@
pcall(function() getmetatable(rest.json.array {}).__mode = "kv" end)
pcall(function() rawset(getmetatable(rest.json.array {}), "__mode", "kv") end)
api:configure_transformer("/list", function(content)
  local list = rest.json.array { {}, {}, {} }
  -- Scripts can't start a collection, but they can make enough garbage to cause one.
  for i = 1, 30000 do local waste = { i, {} } end
  return { count = #list, decoded = #content.list }
end)
"""


def waste(host):
    host.go()
    deadline = time.monotonic() + 8
    number = 0
    while time.monotonic() < deadline:
        number += 8
        host.get_all([f"/api/waste?n={number + i}" for i in range(4)] + [f"/api/class?n={number + i}" for i in range(4)], 5)
    return []


def waste_and_reload(host):
    """Neither the running script nor its replacement may have a finalizer."""
    complaints = waste(host)
    host.write("main.lua", LATE)
    if "__gc" not in host.command("reload"):
        complaints.append("a script whose globals have a finalizer was loaded")
    return complaints


def weak_marks(host):
    host.upstream.otherwise = answer(b'{"list":[{},[],3]}')
    status, body = host.get("/api/list")
    if (status, body) == (200, b'{"count":3,"decoded":3}'):
        return []
    return [f"a list lost what was in it: {status} {body[:100]!r}"]


# The replaced script changes its services in `rest.on_reload`.
REPLACED = """@PRELUDE@
rest.on_reload(function()
  for _, attempt in ipairs {
    function() api:configure("**", function(c) c.headers["X-Old"] = "old" end) end,
    function() api:configure_transformer("**", function(content) return { old = true } end) end,
    function() api:use(function(service) service:configure("**", function(c) c.expiration_time = 0 end) end) end,
  } do pcall(attempt) end
end)
"""


def replaced(host):
    complaints = []
    for number in range(5):
        host.write("main.lua", REPLACED + f"-- {number}\n")
        host.command("reload")
        time.sleep(0.3)
        status, body = host.get(f"/api/after?n={number}")
        if status != 200 or b"old" in body:
            complaints.append(f"after a reload: {status} {body[:160].decode('utf-8', 'replace')}")
    return complaints[:1]


FORGED = """@PRELUDE@
local evil = "seen\\27[2J\\27]0;title\\7\\r\\nerror forged line\\0end\\194\\155x"
api:configure_transformer("/evil", function() error(evil) end)
go(function()
  print(evil)
  rest.log.warn(evil, { field = evil })
  rest.log.write("network", evil)
  rest.spawn(function() error(evil) end)
  rest.spawn(function() error({ code = evil }) end)
end)
"""


def forged(host):
    reason = b"\x1b[31mNo\x1b[0m\x07"
    host.upstream.routes["/evil"] = b"HTTP/1.1 500 " + reason + b"\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
    host.go()
    host.get("/api/evil")
    host.get("/api/evil?%1b%0a")
    time.sleep(2)
    complaints = []
    found = re.search(rb"[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]", host.log)
    if found:
        complaints.append(f"the log has the byte {found.group(0)!r}")
    if re.search(rb"^error forged", host.log, re.MULTILINE):
        complaints.append("the log has a line that somebody else wrote")
    return complaints


# Each read of a configuration would run such blocks again, with all the time that one URL has.
RESTLESS = """@PRELUDE@
api:configure("/r*", function() api:configure("/r*", function() end) end)
for _ = 1, 5000 do api:configure("/r*", function() local n = 0 for i = 1, 10000 do n = n + i end end) end
"""

# A path that no system accepts, with a folder in every second byte.
PATHS = """@PRELUDE@
go(function()
  for _ = 1, 20 do
    rest.spawn(function() pcall(rest.read_file, ("a/"):rep(100000)) end)
    rest.sleep(0.1)
  end
end)
"""

# Functions that one event calls, and that each use up the time of one function.
CROWD = """@PRELUDE@
local function burn() while true do end end
for _ = 1, 100 do rest.on_reload(burn) end
go(function()
  local request = api:resource("/slow"):load()
  for _ = 1, 100 do request:on_completion(burn) api:resource("/slow"):add_observer(burn) end
end)
"""


def ask(host):
    for number in range(3):
        host.get(f"/api/r{number}")
    return []


def wait(host):
    host.go()
    time.sleep(3)
    return []


def crowd(host):
    complaints = wait(host)
    host.write("main.lua", "@PRELUDE@")
    host.command("reload")
    time.sleep(4)
    return complaints


ATTACKS = [
    # Each URL may take 50 ms. An answer that is loaded needs the engine twice, and waits for three.
    Attack("restless-blocks", "blocks that add blocks each time they run", ask, RESTLESS,
           flags=["--limit", "block=0.01", "--limit", "predicate=0.01"], slowest_fresh=0.17),
    Attack("long-paths", "files in 100,000 folders", wait, PATHS),
    Attack("crowds", "hooks, observers and functions of rest.on_reload that never end, by the hundred", crowd, CROWD),
    Attack("finalizers-marks", "__gc in the metatables of JSON marks", waste, MARKS, runs_twice=True),
    Attack("finalizers-classes", "__gc put into a class later", waste, CLASSES, runs_twice=True),
    Attack("finalizers-globals", "__gc on _G, rest, strings, and set twice", waste_and_reload, GLOBALS, runs_twice=True),
    Attack("weak-marks", "__mode in the metatables of JSON marks", weak_marks, WEAK),
    Attack("replaced-script", "a script that was replaced configures its services", replaced, REPLACED),
    Attack("forged-lines", "control characters in logs", forged, FORGED, flags=["--log", "detailed"]),
]

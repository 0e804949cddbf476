"""Random scripts that call every binding with values that a careless or hostile author might pass.

The names come from the generated definitions for editors, so new bindings are called too.
"""

import os
import random
import re

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# Values that are made where they are used: large ones and unusual ones.
VALUES = [
    "nil", "true", "false", "0", "1", "-1", "3", "0.5", "2^53", "2^63", "math.huge", "0/0", "math.mininteger",
    '""', '"a"', '"/x"', '"/x/{id}"', '"**"', '"/*/?"', '"../.."', '"%2e%2e/x"', '"http://127.0.0.1:@UPSTREAM@/y"', '"//host"',
    '"GET"', '"POST"', '"application/json"', '"text/plain; charset=x"', '"model"', '"*/*"', '"\\0"', '"\\255\\254"', '"\\27[2J\\r\\n"',
    '("x"):rep(1e6)', '("\\0\\n"):rep(2e5)', '("a/"):rep(1e5)', '("[" ):rep(1e5)', '("a="):rep(1e5)', '"(a*)*b"',
    '\'{"a":[1,2,{"b":null}]}\'', '("{\\"a\\":"):rep(5e4)', "{}", "{ 1, 2, 3 }", "{ a = 1, b = { c = 2 } }", "wide()", "deep()",
    "shared()", "emptied()", "many()", "cycle()", "hostile()", "function() end", "function(...) return ... end",
    'function() error("no") end', "function() error({}) end", "function() rest.sleep(0) end", "function() while true do end end",
    "function() return wide() end", "rest", "rest.json", "api", "setmetatable({}, { __index = function() while true do end end })",
    "setmetatable({}, { __pairs = function() error('p') end, __tostring = function() return {} end, __gc = error })",
    "coroutine.create(function() end)", 'rest.bytes and rest.bytes("\\1\\2") or 1', "print",
]

PREAMBLE = """@PRELUDE@
local function wide() local t = {} for i = 1, 5e4 do t[i] = i end return t end
local function deep() local t = {} for _ = 1, 1e4 do t = { t } end return t end
local function shared() local t = {} for _ = 1, 25 do t = { t, t } end return t end
local function emptied() local t = {} for i = 1, 2e5 do t[i] = 1 end for i = 1, 2e5 do t[i] = nil end return t end
local function many() local e, t = emptied(), {} for i = 1, 1e4 do t[i] = e end return t end
local function cycle() local t = {} t.t = t return t end
local function hostile() return setmetatable({}, { __len = function() return 1e9 end, __index = function() return 1 end }) end
-- The results of calls; only the last 64 are kept, so that some become garbage.
local pool, count = { api }, 1
local function keep(ok, ...)
  for i = 1, select("#", ...) do
    local value = select(i, ...)
    if type(value) == "userdata" or type(value) == "table" then
      count = count % 64 + 1
      pool[count] = value
    end
  end
end
local function try(fn) keep(pcall(fn)) end
local function P(n) return pool[n % #pool + 1] end
pcall(function() rest.gateway {} end)
"""


class Grammar:
    def __init__(self):
        with open(os.path.join(ROOT, "editor", "resthost.lua"), encoding="utf-8") as file:
            text = file.read()
        self.functions = sorted(set(re.findall(r"^function (rest[\w.]*\.\w+)\(", text, re.MULTILINE)))
        self.methods = sorted(set(re.findall(r"^function \w+:(\w+)\(", text, re.MULTILINE)))
        fields = re.findall(r"^---@field (\w+)", text, re.MULTILINE) + re.findall(r"[{,] (\w+)\??: ", text)
        self.fields = sorted(set(fields))

    def script(self, seed):
        """A script. It is the same for the same seed and the same definitions."""
        self.random = random.Random(seed)
        body = "\n".join(self.statement(2) for _ in range(self.random.randint(3, 12)))
        job = "\n".join(self.statement(3) for _ in range(self.random.randint(3, 20)))
        return f"{PREAMBLE}{body}\ngo(function()\n{job}\nend)\n"

    def statement(self, depth):
        kinds = [self.call] * 6 + [self.method] * 6 + [self.assignment, self.loop, self.spawn, self.block, self.wrap]
        return self.random.choice(kinds[:12] if depth <= 0 else kinds)(depth)

    def call(self, depth):
        return f"try(function() return {self.random.choice(self.functions)}({self.arguments(depth)}) end)"

    def method(self, depth):
        return f"try(function() return {self.object()}:{self.random.choice(self.methods)}({self.arguments(depth)}) end)"

    def assignment(self, depth):
        return f"try(function() {self.object()}.{self.random.choice(self.fields)} = {self.value(depth)} end)"

    def loop(self, depth):
        return f"for _ = 1, {self.random.choice([3, 100, 10_000])} do {self.statement(depth - 1)} end"

    def spawn(self, depth):
        return f"try(function() return rest.spawn(function() {self.statement(depth - 1)} {self.statement(depth - 1)} end) end)"

    def block(self, depth):
        return f'try(function() api:configure("**", function(c) pool[1] = c {self.statement(depth - 1)} end) end)'

    def wrap(self, depth):
        return f"try(coroutine.wrap(function() {self.statement(depth - 1)} {self.statement(depth - 1)} end))"

    def object(self):
        return self.random.choice(["api", 'api:resource("/x")', 'api:resource("/fresh"):load()', "P(%d)"] + ["P(%d)"] * 4).replace(
            "%d", str(self.random.randrange(64)))

    def arguments(self, depth):
        return ", ".join(self.value(depth) for _ in range(self.random.choice([0, 1, 1, 2, 2, 3, 4])))

    def value(self, depth):
        kind = self.random.random()
        if kind < 0.15:
            return f"P({self.random.randrange(64)})"
        if kind < 0.4:
            fields = ", ".join(
                f"{self.random.choice(self.fields)} = {self.value(depth - 1) if depth > 0 else '1'}"
                for _ in range(self.random.randint(1, 4)))
            return "{ " + fields + " }"
        if kind < 0.5 and depth > 0:
            return f"function(...) keep(true, ...) {self.statement(depth - 1)} return ... end"
        return self.random.choice(VALUES)

"""Script calls of native functions, which no instruction count of Lua can end."""

import time

from attack import Attack

# Starts a function again and again, two seconds after the client. It handles errors itself.
NATIVE = """@PRELUDE@
local function attack()
%s
end
go(function()
  for i = 1, 3 do
    -- In a separate job with its own time.
    local job = rest.spawn(function() rest.sleep(0) attack() end)
    job:await()
    rest.sleep(0.2)
  end
  rest.log.warn("all done")
end)
"""


def native(name, about, body, seconds=12, check=None, **more):
    def run(host):
        host.go()
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline and "all done" not in host.said():
            time.sleep(0.1)
        complaints = [] if "all done" in host.said() else [f"not over after {seconds} s"]
        return complaints + (check(host) if check else [])
    return Attack(name, f"{about}", run, NATIVE % body, **more)


def few_lines(host):
    lines = host.said().count("\n")
    return [f"{lines:,} lines in the log"] if lines > 200 else []


ATTACKS = [
    native("with-params", "with_params of 32,000 parameters", """
  local params = {}
  for i = 1, 32000 do params["name" .. i] = i end
  local resource = api:resource("x"):with_params(params)
  for i = 1, 10 do resource = resource:with_param("name" .. i, "again") end
"""),
    native("query-option", "query= of 32,000 parameters", """
  local query = {}
  for i = 1, 32000 do query["name" .. i] = i end
  api:resource("x"):request("GET", { query = query }):await()
"""),
    native("status", "rest.status with 16,000 resources, and wiping them", """
  local list = {}
  for i = 1, 16000 do
    list[i] = api:resource("status/" .. i)
    if i % 500 == 0 then rest.sleep(0) end
  end
  local status = rest.status { resources = list }
  rest.sleep(0)
  local found = status.is_loading
  api:wipe_resources()
""", runs_twice=True),
    native("wipe", "wiping 16,000 resources that somebody observes", """
  local list = {}
  for i = 1, 16000 do
    list[i] = api:resource("wiped/" .. i):add_observer(function() end, list)
    if i % 200 == 0 then rest.sleep(0) end
  end
  api:wipe_resources()
""", runs_twice=True),
    native("headers", "32,000 headers in a request and in an entity", """
  local headers = {}
  for i = 1, 32000 do headers["X-Name-" .. i] = "v" end
  pcall(rest.entity, { content = "x", headers = headers })
  rest.sleep(0)
  api:resource("x"):request("GET", { headers = headers }):await()
"""),
    native("url-decode", "rest.url.decode of 20 MB", """
  local text = string.rep("%41%42%43+", 2 * 1024 * 1024)
  rest.sleep(0)
  rest.url.decode(text)
  rest.sleep(0)
  rest.url.encode(text)
"""),
    native("url-parse", "rest.url.parse of a query with 500,000 parameters", """
  local text = "http://h/?" .. string.rep("a=b&", 500000)
  rest.sleep(0)
  rest.url.parse(text)
"""),
    native("multipart", "a multipart body of 800 MB made of one string", """
  local part = string.rep("x", 8 * 1024 * 1024)
  local parts = {}
  for i = 1, 100 do parts[i] = { name = "p" .. i, value = part } end
  rest.sleep(0)
  api:resource("x"):request("POST", { multipart = parts }):await()
"""),
    native("form", "a form body of 200 MB", """
  local value = string.rep("ä ", 1024 * 1024)
  local form = {}
  for i = 1, 70 do form[i] = { "f" .. i, value } end
  rest.sleep(0)
  api:resource("x"):request("POST", { form = form }):await()
"""),
    native("base64", "base64 and JSON of 20 MB", """
  local text = string.rep("\\1\\200", 10 * 1024 * 1024)
  rest.sleep(0)
  local encoded = rest.base64.encode(text)
  rest.sleep(0)
  rest.base64.decode(encoded)
  rest.sleep(0)
  rest.json.encode({ string.rep("\\1", 16 * 1024 * 1024) })
"""),
    native("observers", "a hundred thousand observers whose budget is exhausted", """
  local resource = api:resource("observed")
  for i = 1, 100000 do
    resource:add_observer(function() local t = 0 for n = 1, 1000 do t = t + n end end, resource)
    if i % 500 == 0 then rest.sleep(0) end
  end
  resource:override_local_content("changed")
""", check=few_lines),
]

-- Reads from the first mirror that works, and remembers which one that was.
--
--   resthost run mirrors.lua
--   curl http://127.0.0.1:8080/files/data/list.json
local rest = require "resthost"

local urls = {
  rest.env.FIRST_MIRROR or "http://127.0.0.1:8081",
  rest.env.SECOND_MIRROR or "http://127.0.0.1:8082",
  rest.env.THIRD_MIRROR or "http://127.0.0.1:8083",
}

local mirrors = {}
for number, url in ipairs(urls) do
  local mirror = rest.service { name = "mirror" .. number, base_url = url }
  -- A mirror that fails often isn't asked for half a minute.
  mirror:configure("**", function(c)
    c.timeouts.connect, c.timeouts.first_byte = 2, 5
    c.breaker = { requests = 5, ratio = 0.5, open = 30 }
    c.expiration_time = 0
  end)
  mirrors[number] = mirror
end

local best = 1
local files = rest.service { name = "files" }

-- A mirror that says that there is no such file has answered: the others have the same files.
local function has_answered(err)
  local status = err.http_status_code
  return status ~= nil and status >= 400 and status < 500 and status ~= 408 and status ~= 429
end

files:computed("/data/{path*}", { expiration_time = 60, follow = false }, function(params)
  local last
  for step = 0, #mirrors - 1 do
    local number = (best + step - 1) % #mirrors + 1
    local content, err = mirrors[number]:resource("/data/" .. params.path):get()
    if content then
      best = number
      return content
    end
    if has_answered(err) then return nil, err end
    rest.log.warn("a mirror failed", { mirror = urls[number], error = tostring(err) })
    last = err
  end
  return nil, last
end)
files:configure("/data/**", function(c) c.stale_if_error = 86400 end)

-- Every five minutes the first mirror gets another chance.
rest.every(300, function() best = 1 end)

rest.gateway { expose = { files = { paths = { "/data/**" } } } }

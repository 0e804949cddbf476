-- Takes messages at once, and delivers them when the API works: in order, across failures and restarts.
--
--   resthost run outbox.lua
--   curl -d '{"text":"hello"}' http://127.0.0.1:8080/messages
local rest = require "resthost"

local api = rest.service { name = "api", base_url = rest.env.API_URL or "http://127.0.0.1:8081" }
local store, most = rest.store.open("outbox.db", { max_bytes = 16 * 1024 * 1024 }), 10000

-- Keys sort as their numbers do.
local function key(number) return ("message %012d"):format(number) end
local function next_number() return math.tointeger(store:get "head" or 0) end

-- The key is the message's own, so the API can tell a repeat from a second message.
local function deliver(message)
  local options = { json = message.body, idempotency_key = message.id }
  return api:resource("/messages"):request("POST", options):await()
end

-- A refusal by the API won't get better: such a message is put aside. Others wait for the next try.
local function is_refused(err)
  local status = err.http_status_code
  return status and status >= 400 and status < 500 and status ~= 408 and status ~= 429
end

rest.spawn(function()
  local wait = 1
  while true do
    local number = next_number()
    local message = store:get(key(number))
    local entity, err
    if message then entity, err = deliver(message) end
    if message and (entity or is_refused(err)) then
      if err then store:set("refused " .. key(number), { message = message, reason = tostring(err) }) end
      store:set("head", number + 1)
      store:delete(key(number))
      wait = 1
    else
      rest.sleep(message and wait or 0.5)
      if message then wait = math.min(wait * 2, 300) end
    end
  end
end)

local gateway = rest.gateway { expose = {} }
gateway:route("POST", "/messages", function(request)
  local tail = math.tointeger(store:get "tail" or 0)
  if not request.json then return rest.response { status = 422, json = { error = "no JSON" } } end
  if tail - next_number() >= most then return rest.response { status = 503 } end
  local ok, problem = store:set(key(tail), { id = rest.crypto.uuid(), body = request.json })
  if not ok then return nil, rest.error { http_status_code = 507, user_message = problem } end
  store:set("tail", tail + 1)
  return rest.response { status = 202, json = { waiting = tail + 1 - next_number() } }
end)

gateway:route("GET", "/refused", function()
  local list = rest.json.array {}
  for number, name in ipairs(store:keys "refused ") do list[number] = store:get(name) end
  return list
end)

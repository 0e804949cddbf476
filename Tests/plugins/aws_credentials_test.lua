-- When the plugin aws_sigv4 loads credentials, and when it loads them again.
local t = require "resthost.test"

local function signing(options)
  local host = t.host()
  local api = host.rest.service { name = "api", base_url = "https://api.example.com" }
  options.service, options.region = "sqs", "us-east-1"
  api:use("resthost.aws_sigv4", options)
  return api, host, host:stub("*", "https://api.example.com/**", { json = { ok = true } })
end

local function key_of(request) return request.headers.authorization:match "Credential=([^/]+)/" end

-- Keys that a function gives, numbered, and the number of its calls.
local function numbered(host, lifetime, delay)
  local calls = {}
  return function()
    calls[#calls + 1] = true
    local number = #calls
    if delay then host().rest.sleep(delay) end
    return {
      access_key_id = "KEY" .. number, secret_access_key = "a-secret-with-number-" .. number,
      expires_at = lifetime and host().rest.now() + lifetime,
    }
  end, calls
end

local function sending(lifetime, delay)
  local api, host, stub
  local fn, calls = numbered(function() return host end, lifetime, delay)
  api, host, stub = signing { credentials = fn }
  return api, host, stub, calls
end

t.describe("credentials of a function", function()
  t.test("are loaded once for 200 requests that wait", function()
    local api, host, stub, calls = sending(nil, 2)
    local requests = {}
    for number = 1, 200 do
      requests[number] = api:resource("/" .. number):request("POST", { text = "hello" })
    end
    host:settle()
    t.equal(#stub.requests, 0)
    host:advance(2)
    for _, request in ipairs(requests) do t.assert(request:await()) end
    t.equal(#calls, 1)
    t.equal(#stub.requests, 200)
    for _, request in ipairs(stub.requests) do
      t.equal(key_of(request), "KEY1")
      t.equal(request.body, "hello")
    end
  end)

  t.test("make a load of a resource wait, which then has its data", function()
    local api, host, stub = sending(nil, 2)
    local resource = api:resource("/a")
    local load = resource:load()
    host:advance(2)
    t.assert(load:await())
    t.equal(resource.json, { ok = true })
    t.equal(#stub.requests, 1)
  end)

  t.test("are still loaded when the first request that waits is cancelled", function()
    local api, host, _, calls = sending(nil, 2)
    local first, second = api:resource("/a"):request("GET"), api:resource("/b"):request("GET")
    host:advance(1)
    first:cancel()
    host:advance(1)
    t.assert(second:await())
    t.equal(#calls, 1)
  end)

  t.test("let a stream wait, with a retry behind it", function()
    local host = t.load {
      source = [[
        local rest = require "resthost"
        local api = rest.service { name = "api", base_url = "https://api.example.com" }
        api:use("resthost.aws_sigv4", {
          service = "s3", region = "us-east-1",
          credentials = function()
            rest.sleep(2)
            return { access_key_id = "KEY", secret_access_key = "another secret" }
          end,
        })
        api:configure("**", function(c) c.retry = { attempts = 2, base = 1 } end)
        rest.gateway {}:route("GET", "/", function()
          local pieces = {}
          local _, err = rest.stream(api:define("GET", "a"), function(piece) pieces[#pieces + 1] = piece end)
          return err and tostring(err) or table.concat(pieces)
        end)]],
    }
    local answers = { { status = 503 }, { text = "hello" } }
    local function reply() return table.remove(answers, 1) end
    local stub = host:stub("GET", "https://api.example.com/a", reply)
    local answer
    host.rest.spawn(function() answer = host:request("GET", "/") end)
    host:advance(3)
    t.equal(answer.body, "hello")
    t.equal({ key_of(stub.requests[1]), key_of(stub.requests[2]) }, { "KEY", "KEY" })
  end)

  t.test("let a client of the gateway wait", function()
    local host = t.load {
      source = [[
        local rest = require "resthost"
        local api = rest.service { name = "api", base_url = "https://api.example.com" }
        api:use("resthost.aws_sigv4", {
          service = "s3", region = "us-east-1",
          credentials = function()
            rest.sleep(2)
            return { access_key_id = "KEY", secret_access_key = "another secret" }
          end,
        })
        rest.gateway { expose = { api = { methods = { "GET", "PUT" } } } }]],
    }
    local stub = host:stub("*", "https://api.example.com/a", { text = "hello" })
    local read, written
    host.rest.spawn(function() read = host:request("GET", "/api/a") end)
    host.rest.spawn(function() written = host:request("PUT", "/api/a", { body = "mine" }) end)
    host:advance(2)
    t.equal({ read.status, read.body, written.status }, { 200, "hello", 200 })
    t.equal({ key_of(stub.requests[1]), key_of(stub.requests[2]) }, { "KEY", "KEY" })
  end)

  t.test("let a repeat of a request that waited be sent once", function()
    local api, host, stub = sending(nil, 2)
    local request = api:resource("/a"):request("POST", { text = "hello" })
    host:advance(2)
    t.assert(request:await())
    t.assert(request:repeated():start():await())
    t.equal(#stub.requests, 2)
    t.equal(key_of(stub.requests[2]), "KEY1")
  end)

  t.test("never let a request go without a signature", function()
    local api, host, stub = sending(nil, 2)
    local request = api:resource("/a"):request("GET")
    host:settle()
    t.equal(#stub.requests, 0)
    host:advance(2)
    t.assert(request:await())
    t.equal(#stub.requests, 1)
    t.assert(stub.requests[1].headers.authorization)
  end)

  t.test("are renewed early, while requests use the old ones", function()
    local api, host, stub, calls = sending(3600, 2)
    local first = api:resource("/a"):request("GET")
    host:advance(2)
    t.assert(first:await())
    host:advance(3299)
    t.assert(api:resource("/b"):request("GET"):await())
    t.equal(#calls, 1)
    host:advance(2)
    t.assert(api:resource("/c"):request("GET"):await())
    t.equal(#calls, 2)
    host:advance(2)
    t.assert(api:resource("/d"):request("GET"):await())
    t.equal(#calls, 2)
    t.equal({ key_of(stub.requests[3]), key_of(stub.requests[4]) }, { "KEY1", "KEY2" })
  end)

  t.test("make requests wait at their end", function()
    local api, host, stub, calls = sending(3600, 2)
    local first = api:resource("/a"):request("GET")
    host:advance(2)
    t.assert(first:await())
    host:advance(3590)
    local second = api:resource("/b"):request("GET")
    host:settle()
    t.equal(#stub.requests, 1)
    host:advance(2)
    t.assert(second:await())
    t.equal(#calls, 2)
    t.equal(key_of(stub.requests[2]), "KEY2")
  end)

  t.test("are used for a minute although this clock says that they have expired", function()
    local api, host, stub, calls = sending(-7200)
    t.assert(api:resource("/a"):request("GET"):await())
    host:advance(59)
    t.assert(api:resource("/b"):request("GET"):await())
    t.equal(#calls, 1)
    t.equal(#stub.requests, 2)
  end)

  t.test("are loaded anew when the server says that they have expired, with one repeat", function()
    local api, host, _, calls = sending()
    local stub = host:stub("GET", "https://api.example.com/a", function(request)
      if key_of(request) == "KEY2" then return { status = 200 } end
      return { status = 400, json = { __type = "com.amazon#ExpiredTokenException" } }
    end)
    t.assert(api:resource("/a"):request("GET"):await())
    t.equal(#calls, 2)
    t.equal(#stub.requests, 2)
  end)

  t.test("are loaded once when the server refuses two requests as expired", function()
    local api, host, _, calls = sending(nil, 2)
    local stub = host:stub("GET", "https://api.example.com/*", function(request)
      if key_of(request) == "KEY2" then return { status = 200 } end
      local delay = request.url:find "slow" and 10 or 0
      return { status = 403, body = "<Code>ExpiredToken</Code>", delay = delay }
    end)
    local fast, slow = api:resource("/fast"):request("GET"), api:resource("/slow"):request("GET")
    host:advance(20)
    t.assert(fast:await())
    t.assert(slow:await())
    t.equal(#calls, 2)
    t.equal(#stub.requests, 4)
  end)

  t.test("are used to their end when new ones can't be loaded", function()
    local host, fails
    local api, stub
    api, host, stub = signing {
      credentials = function()
        if fails then return nil, "the vault is closed" end
        local ends = host.rest.now() + 3600
        return { access_key_id = "A", secret_access_key = "another secret", expires_at = ends }
      end,
    }
    t.assert(api:resource("/a"):request("GET"):await())
    fails = true
    host:advance(3599)
    t.assert(api:resource("/b"):request("GET"):await())
    host:advance(2)
    local _, err = api:resource("/c"):request("GET"):await()
    t.matches(tostring(err), "the vault is closed")
    t.equal(#stub.requests, 2)
  end)

  t.test("that the server refuses as expired again are an error", function()
    local api, host, _, calls = sending()
    local refusal = { status = 400, json = { __type = "ExpiredTokenException" } }
    host:stub("GET", "https://api.example.com/a", refusal)
    local _, err = api:resource("/a"):request("GET"):await()
    t.equal(err.http_status_code, 400)
    t.equal(#calls, 2)
  end)

  t.test("are shared by the services that use the same function", function()
    local host
    local fn, calls = numbered(function() return host end)
    host = t.host()
    host:stub("*", "https://**")
    for _, name in ipairs { "sqs", "sns" } do
      local api = host.rest.service { name = name, base_url = "https://" .. name .. ".example.com" }
      api:use("resthost.aws_sigv4", { service = name, region = "us-east-1", credentials = fn })
      t.assert(api:resource("/"):request("GET"):await())
    end
    t.equal(#calls, 1)
  end)

  for name, case in pairs {
    ["raises an error"] = { function() error("the vault is closed", 0) end, "the vault is closed" },
    ["gives nil and a reason"] = { function() return nil, "no lease" end, "gave nothing: no lease" },
    ["gives a text"] = { function() return "key" end, "gave a string in place of a table of credentials" },
    ["gives a text as the end"] = {
      function()
        return { access_key_id = "A", secret_access_key = "another secret", expires_at = "soon" }
      end,
      "has an 'expires_at' that is no number of Unix seconds",
    },
    ["leaves a part out"] = { function() return { access_key_id = "A" } end, "has no 'secret_access_key'" },
  } do
    t.test("that " .. name .. " fail the request, and are tried again by the next", function()
      local fails = true
      local api, _, stub = signing {
        credentials = function()
          if fails then return case[1]() end
          return { access_key_id = "A", secret_access_key = "another secret" }
        end,
      }
      local _, err = api:resource("/a"):request("GET"):await()
      t.matches(tostring(err), "The request can't be signed")
      t.matches(tostring(err), case[2])
      t.equal(#stub.requests, 0)
      fails = false
      t.assert(api:resource("/a"):request("GET"):await())
    end)
  end
end)

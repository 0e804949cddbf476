local t = require "resthost.test"

local host, api, etcd, rest
local base = "https://etcd.test/v3/"

local function pair(key, value, revision)
  return {
    key = rest.base64.encode(key), value = value and rest.base64.encode(value), version = "1",
    create_revision = "2", mod_revision = tostring(revision),
  }
end

local function stub(path, ...)
  local replies, number = { ... }, 0
  return host:stub("POST", base .. path, function()
    number = math.min(number + 1, #replies)
    return replies[number]
  end)
end

local function sent(some, number) return rest.json.decode(some.requests[number or 1].body) end

-- Lines of a watch.
local function stream(...)
  local lines = {}
  for number, result in ipairs { ... } do lines[number] = rest.json.encode { result = result } .. "\n" end
  return { body = table.concat(lines), headers = { ["Content-Type"] = "application/json" } }
end

local function put(key, value, revision)
  return { header = { revision = tostring(revision) }, events = { { kv = pair(key, value, revision) } } }
end

t.before_each(function()
  host = t.load {
    source = [[
      local rest = require "resthost"
      rest.service { name = "etcd", base_url = "https://etcd.test" }
      string.handed_over = require "resthost.etcd"
    ]],
  }
  api, etcd, rest = host.services.etcd, string.handed_over, host.rest
end)

t.test("keys and values are base64, and numbers are numbers", function()
  local get = stub("kv/range", {
    json = { header = { revision = "9" }, kvs = { pair("a", "b\0", 9007199254740993) } },
  })
  local entry = t.assert(etcd.get(api, "a"))
  t.equal({ entry.key, entry.value, entry.modified }, { "a", "b\0", 9007199254740993 })
  t.equal(sent(get), { key = "YQ==" })
  stub("kv/range", { json = { header = { revision = "9" } } })
  t.equal(etcd.get(api, "a"), false)
end)

t.test("a prefix is a range up to the next key", function()
  local range = stub("kv/range", { json = { header = { revision = "9" } } })
  local function range_end(prefix)
    etcd.range(api, prefix)
    local body = sent(range, #range.requests)
    return rest.base64.decode(body.key), rest.base64.decode(body.range_end)
  end
  t.equal({ range_end "app/" }, { "app/", "app0" })
  t.equal({ range_end "a\255\255" }, { "a\255\255", "b" })
  t.equal({ range_end "\255" }, { "\255", "\0" })
  t.equal({ range_end "" }, { "\0", "\0" })
end)

t.test("a write at a revision that has passed gives false", function()
  local txn = stub("kv/txn", { json = { header = { revision = "9" } } }, {
    json = { header = { revision = "10" }, succeeded = true },
  })
  t.equal(etcd.put(api, "a", "b", { if_revision = 5 }), false)
  t.equal(etcd.put(api, "a", "b", { if_revision = 0 }), 10)
  t.equal(sent(txn).compare[1].mod_revision, 5)
end)

t.test("failures are errors", function()
  stub("kv/put", { status = 503, json = { error = "etcdserver: no leader", code = 14 } })
  local revision, err = etcd.put(api, "a", "b")
  t.equal(revision, nil)
  t.matches(tostring(err), "no leader")
  for _, answer in ipairs { { json = {} }, { text = "<html>" }, {} } do
    stub("kv/range", answer)
    t.matches(tostring(select(2, etcd.get(api, "a"))), "https://etcd.test/v3/kv/range is none of etcd")
  end
  stub("lease/keepalive", { json = { result = { ID = "5" } } })
  t.matches(tostring(select(2, etcd.keep_alive(api, 5))), "the lease 5 has ended")
end)

t.describe("a watch", function()
  t.test("goes on behind the last revision when its connection ends", function()
    local watch = stub("watch",
      stream({ created = true, header = { revision = "4" } }, put("k", "1", 5)), {
        error = { type = "connection_failed" },
      },
      stream({ header = { revision = "7" } }), { status = 429 }, stream(put("k", "2", 8)))
    local seen, result = {}, nil
    rest.spawn(function()
      result = table.pack(etcd.watch(api, "k", function(change)
        seen[#seen + 1] = change.entry.value
        return #seen < 2
      end))
    end)
    host:advance(20)
    t.equal(seen, { "1", "2" })
    t.equal(result, { true, n = 1 })
    local starts = {}
    for number = 1, #watch.requests do
      starts[number] = sent(watch, number).create_request.start_revision or 0
    end
    t.equal(starts, { 0, 6, 6, 8, 8 })
  end)

  t.test("ends with an error for compacted revisions, refusals and broken lines", function()
    local function problem(...)
      stub("watch", ...)
      return tostring(select(2, etcd.watch(api, "k", function() end, { revision = 1 })))
    end
    t.matches(problem(stream {
      canceled = true, compact_revision = "50",
    }), "before 50 are compacted: read the keys again")
    t.matches(problem(stream { canceled = true, cancel_reason = "no" }), "the watch was cancelled: no")
    t.matches(problem { body = "<html>\n" }, "a line that is no answer: <html>")
    t.matches(problem { status = 401, json = { error = "invalid auth token" } }, "invalid auth token")
    t.matches(problem { body = ("x"):rep(1100000) }, "more than 1048576 bytes")
  end)

  t.test("ends with the error of the script's function", function()
    stub("watch", stream(put("k", "1", 5)))
    local _, err = etcd.watch(api, "k", function() error "boom" end)
    t.matches(tostring(err), "boom")
  end)
end)

local t = require "resthost.test"

local url = "https://api.test/list"
local host, api, polling, stub, list, got, watch

-- Answers with the list as it is, and an ETag of it when `with_etag` is set.
local function answer(with_etag)
  return function(request)
    local text = host.rest.json.encode(list)
    local tag = with_etag and ('"%d"'):format(#text) or nil
    if tag and request.headers["if-none-match"] == tag then
      return { status = 304, headers = { ETag = tag } }
    end
    return { body = text, headers = { ["Content-Type"] = "application/json", ETag = tag } }
  end
end

local function begin(options, fn)
  watch = polling.changes(api:resource "/list", options or {}, fn or function(change)
    got[#got + 1] = change
  end)
  host:settle()
end

local function take()
  local taken = got
  got = {}
  return taken
end

local function short(changes)
  local texts = {}
  for number, change in ipairs(changes) do texts[number] = change.type .. " " .. change.key end
  return texts
end

t.before_each(function()
  host = t.load {
    source = [[
      local rest = require "resthost"
      rest.service { name = "api", base_url = "https://api.test" }
      string.handed_over = require "resthost.polling"
    ]],
  }
  api, polling, got = host.services.api, string.handed_over, {}
  list = { { id = 1, name = "a" }, { id = 2, name = "b" } }
  stub = host:stub("GET", url .. "*", answer())
end)

t.test("added, changed and removed items are told with what was before", function()
  begin { interval = 10 }
  t.equal(take(), {})
  list = { { id = 1, name = "A" }, { id = 3, name = "c" } }
  host:advance(10)
  t.equal(take(), {
    { type = "changed", key = "1", value = { id = 1, name = "A" }, previous = { id = 1, name = "a" } },
    { type = "added", key = "3", value = { id = 3, name = "c" } },
    { type = "removed", key = "2", previous = { id = 2, name = "b" } },
  })
  host:advance(100)
  t.equal(take(), {})
  t.equal(#stub.requests, 12)
end)

t.test("the first items may be told too", function()
  begin { initial = true }
  t.equal(short(take()), { "added 1", "added 2" })
end)

t.test("without previous items only digests are kept", function()
  begin { previous = false }
  list[1].name = "A"
  host:advance(60)
  t.equal(take(), { { type = "changed", key = "1", value = { id = 1, name = "A" } } })
  local kept = host.rest.json.encode(host.rest.store:get("polling " .. url))
  t.equal(kept:find("name", 1, true), nil)
end)

t.test("keys and lists may be anywhere", function()
  list = { data = { { meta = { key = "x" } } } }
  begin { items = "data", key = "meta.key", initial = true }
  t.equal(short(take()), { "added x" })
  watch:cancel()
  list = { "red", "green" }
  begin { key = function(item) return item end, initial = true, store = "colours" }
  t.equal(short(take()), { "added red", "added green" })
  list = { "green" }
  host:advance(60)
  t.equal(take(), { { type = "removed", key = "red", previous = "red" } })
end)

t.describe("by ETag", function()
  t.test("a list that is the same is not compared", function()
    stub = host:stub("GET", url, answer(true))
    begin { by = "etag", interval = 10 }
    host:advance(10)
    t.matches(stub.requests[2].headers["if-none-match"], '"%d+"')
    list = { { id = 1, name = "a" }, { id = 9, name = "b" } }
    host:advance(10)
    t.equal(take(), {}, "the ETag, which counts bytes here, is the same")
    list[3] = { id = 3, name = "c" }
    host:advance(10)
    t.equal(short(take()), { "added 9", "added 3", "removed 2" })
  end)

  t.test("an API without ETags is compared as usual", function()
    begin { by = "etag", interval = 10 }
    list[1].name = "A"
    host:advance(10)
    t.equal(short(take()), { "changed 1" })
  end)
end)

t.describe("by the time of changes", function()
  local options = {
    by = "updated_since", field = "updated", parameter = "since", interval = 10, sweep = 3, initial = true,
  }

  t.test("only changes are asked for, and each few polls the whole list", function()
    list = { { id = 1, updated = "2026-01-01" }, { id = 2, updated = "2026-01-02" } }
    begin(options)
    t.equal(short(take()), { "added 1", "added 2" })
    list = { { id = 1, updated = "2026-01-03" }, { id = 2, updated = "2026-01-02" } }
    host:advance(10)
    t.equal(stub.requests[2].url, url .. "?since=2026-01-02")
    t.equal(short(take()), { "changed 1" })
    list = { { id = 1, updated = "2026-01-03" } }
    host:advance(10)
    t.equal(stub.requests[3].url, url .. "?since=2026-01-03")
    t.equal(take(), {})
    host:advance(10)
    t.equal(stub.requests[4].url, url)
    t.equal(short(take()), { "removed 2" })
  end)

  t.test("a change whose function failed is asked for again", function()
    list = { { id = 1, updated = 5 } }
    local calls = 0
    begin(options, function()
      calls = calls + 1
      if calls == 1 then error "disk full" end
    end)
    t.matches(tostring(watch.error), "disk full")
    host:advance(20)
    t.equal(calls, 2)
    t.equal(watch.error, nil)
    host:advance(100)
    t.equal(calls, 2)
  end)

  t.test("the options belong together", function()
    t.raises(function() begin { by = "updated_since" } end, "needs 'field' and 'parameter'")
  end)
end)

t.describe("errors", function()
  t.test("double the time until the next poll, and tell nothing as removed", function()
    begin { interval = 10, max_wait = 60 }
    local broken = host:stub("GET", url, { status = 500 })
    host:advance(10)
    t.equal(watch.error.http_status_code, 500)
    t.equal(#broken.requests, 1)
    host:advance(19)
    t.equal(#broken.requests, 1)
    host:advance(1)
    t.equal(#broken.requests, 2)
    host:advance(40 + 60 + 60)
    t.equal(#broken.requests, 5)
    t.equal(take(), {})
    host:clear_stubs()
    list = { { id = 2, name = "b" } }
    stub = host:stub("GET", url, answer())
    host:advance(60)
    t.equal(short(take()), { "removed 1" })
    t.equal(watch.error, nil)
    host:advance(10)
    t.equal(#stub.requests, 2)
  end)

  t.test("are items without a key, with the same key, too many, or no list", function()
    local function problem(bad, options)
      list, options = bad, options or {}
      options.store = "s" .. math.random(1e9)
      begin(options)
      watch:cancel()
      return tostring(watch.error)
    end
    t.matches(problem { { id = 1 }, { name = "x" } }, "item 2 of https://api.test/list has no key at 'key'")
    t.matches(problem { { id = 1 }, { id = 1 } }, "two items of https://api.test/list have the key '1'")
    t.matches(problem({ { id = 1 }, { id = 2 } }, { max_items = 1 }), "more than 'max_items' (1) items")
    t.matches(problem { message = "down" }, "has no list")
    t.matches(problem({ 1 }, { key = function() error "no key here" end }), "no key here")
    t.matches(problem({ 1 }, { pages = { stile = "link" } }), "did you mean 'style'")
    t.equal(take(), {})
  end)

  t.test("of the script's function repeat the change, and not the others", function()
    local calls = {}
    begin({ interval = 10, initial = true }, function(change)
      calls[#calls + 1] = change.key
      if change.key == "1" and #calls < 3 then error "not now" end
    end)
    t.equal(calls, { "1", "2" })
    host:advance(20)
    t.equal(calls, { "1", "2", "1" })
    host:advance(200)
    t.equal(#calls, 3)
  end)
end)

t.test("the function may wait, and polls do not overlap", function()
  list = { { id = 1 } }
  begin({ interval = 10, initial = true }, function() host.rest.sleep(35) end)
  host:advance(34)
  t.equal(#stub.requests, 1)
  host:advance(11)
  t.equal(#stub.requests, 2)
end)

t.test("cancel ends it", function()
  begin { interval = 10 }
  watch:cancel()
  host:advance(100)
  t.equal(#stub.requests, 1)
end)

t.test("the state goes on where another version of the script left it", function()
  begin { interval = 10 }
  watch:cancel()
  list = { { id = 2, name = "B" }, { id = 3, name = "c" } }
  begin { interval = 10 }
  t.equal(short(take()), { "changed 2", "added 3", "removed 1" })
end)

t.test("a list in pages is read to its end, and a page that fails removes nothing", function()
  local function page(first, last, link)
    local items = {}
    for id = first, last do items[#items + 1] = { id = id } end
    return { json = items, headers = { Link = link and ("<%s>; rel=next"):format(link) } }
  end
  host:stub("GET", url, page(1, 2, "?page=2"))
  host:stub("GET", url .. "?page=2", page(3, 3))
  begin { interval = 10, initial = true, pages = { style = "link" } }
  t.equal(short(take()), { "added 1", "added 2", "added 3" })
  host:stub("GET", url .. "?page=2", { status = 502 })
  host:advance(10)
  t.equal(take(), {})
  t.equal(watch.error.http_status_code, 502)
  host:stub("GET", url .. "?page=2", page(4, 4))
  host:advance(20)
  t.equal(short(take()), { "added 4", "removed 3" })
end)

local t = require "resthost.test"
local support = require "support"

local url = support.base .. "foo"

local function setup()
  local host, service = support.service()
  return host, service:resource("/foo"), service
end

t.describe("methods and bodies", function()
  for _, method in ipairs { "OPTIONS", "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE" } do
    t.test("6.1: " .. method, function()
      local host, r = setup()
      local stub = host:stub(method, url, { status = 200 })
      t.assert(r:request(method:lower()):await())
      t.equal(stub.requests[1].method, method)
    end)
  end

  t.test("D25: any token is a method; another is a failed request", function()
    local host, r = setup()
    local stub = host:stub("PURGE", url, { status = 200 })
    t.assert(r:request("PURGE"):await())
    local request = r:request("BAD METHOD")
    t.equal(request.state, "completed")
    t.equal(request.response.error.user_message, "Cannot create request")
    t.equal(request.response.error.cause.type, "invalid_request_method")
    t.equal(request.response.error.cause.method, "BAD METHOD")
  end)

  local function sent(method, options, configure)
    local host, r, service = setup()
    if configure then service:configure("**", configure) end
    local stub = host:stub(method, url, { status = 200 })
    t.assert(r:request(method, options):await())
    return stub.requests[1]
  end

  t.test("6.3: bytes", function()
    local request = sent("POST", { body = "\0\1\255", content_type = "foo/bar" })
    t.equal(request.body, "\0\1\255")
    t.equal(request.headers["Content-Type"], "foo/bar")
  end)

  t.test("6.3: rest.bytes is a body as a string is, and what a mutator may set", function()
    local host, r = setup()
    local rest = host.rest
    local stub = host:stub("POST", url, { when = { body = rest.bytes "\0\255" } })
    t.assert(r:request("POST", { body = rest.bytes "\0\255" }):await())
    t.assert(r:request("POST", { body = "x", mutate = function(d) d.body = rest.bytes "\0\255" end }):await())
    t.equal(#stub.requests, 2)
  end)

  t.test("6.4: the charset is called by its registered name", function()
    local host, r = setup()
    local stub = host:stub("POST", url, { status = 200 })
    for given, sent in pairs { ASCII = "us-ascii", latin1 = "iso-8859-1", UTF8 = "utf-8", ["UTF-16BE"] = "utf-16be" } do
      t.assert(r:request("POST", { text = "x", charset = given }):await())
      t.equal(stub.requests[#stub.requests].headers["content-type"], "text/plain; charset=" .. sent)
    end
  end)

  t.test("6.4: text", function()
    local request = sent("POST", { text = "Très bien!" })
    t.equal(request.body, "Très bien!")
    t.equal(request.headers["Content-Type"], "text/plain; charset=utf-8")
    request = sent("POST", { text = "abc", charset = "us-ascii", content_type = "text/x" })
    t.equal(request.headers["Content-Type"], "text/x; charset=us-ascii")
    request = sent("POST", { text = "é", charset = "iso-8859-1" })
    t.equal(request.body, "\233")
  end)

  t.test("6.4: unencodable text", function()
    local _, r = setup()
    local request = r:request("POST", { text = "Hélas!", charset = "us-ascii" })
    t.equal(request.state, "completed")
    local err = request.response.error
    t.equal(err.user_message, "Cannot send request")
    t.equal(err.cause.type, "unencodable_text")
    t.equal(err.cause.encoding, "us-ascii")
    t.equal(err.cause.text, "Hélas!")
  end)

  t.test("6.5: JSON", function()
    local request = sent("POST", { json = { question = { "to", "be" } } })
    t.equal(request.body, '{"question":["to","be"]}')
    t.equal(request.headers["Content-Type"], "application/json")
    request = sent("PUT", { json = { 1, 2.5, "x" }, content_type = "application/foo+json" })
    t.equal(request.body, '[1,2.5,"x"]')
    t.equal(request.headers["Content-Type"], "application/foo+json")
  end)

  t.test("6.5: what is no JSON", function()
    local _, r = setup()
    for _, bad in ipairs { 3, "text", { f = print }, { 0 / 0 } } do
      local request = r:request("POST", { json = bad })
      t.equal(request.state, "completed")
      t.equal(request.response.error.cause.type, "invalid_json_object")
      t.equal(request.response.error.user_message, "Cannot send request")
    end
    local cycle = {}
    cycle.me = cycle
    t.equal(r:request("POST", { json = cycle }).response.error.cause.type, "invalid_json_object")
  end)

  t.test("6.6: forms", function()
    local request = sent("POST", { form = { brown = "cow", foo = "bar", how = "now" } })
    t.equal(request.body, "brown=cow&foo=bar&how=now")
    t.equal(request.headers["Content-Type"], "application/x-www-form-urlencoded")
    request = sent("POST", { form = { ["!@#$%^&*()"] = "!@#$%^&*()", ["日本"] = "ひと/?~-._" } })
    t.equal(request.body,
      "%21%40%23%24%25%5E%26%2A%28%29=%21%40%23%24%25%5E%26%2A%28%29&"
        .. "%E6%97%A5%E6%9C%AC=%E3%81%B2%E3%81%A8/?~-._")
  end)

  t.test("6.6: a string that is no text can't be in a form", function()
    local _, r = setup()
    local err = r:request("POST", { form = { a = "\xD8\x00" } }).response.error
    t.equal(err.cause.type, "not_url_encodable")
    t.equal(err.user_message, "Cannot send request")
  end)

  t.test("6.8: who decides the content type", function()
    local function configured(c) c.headers["Content-Type"] = "configured" end
    t.equal(sent("POST", { json = {} }, configured).headers["content-type"], "application/json")
    t.equal(sent("POST", nil, configured).headers["content-type"], "configured")
    t.equal(sent("POST", { json = {}, mutate = function(d) d.headers["Content-Type"] = "adhoc" end }, configured)
      .headers["content-type"], "adhoc")
    t.equal(sent("POST", { json = {}, mutate = function(d) d.headers["Content-Type"] = "adhoc" end }, function(c)
      c:mutate_requests(function(d) d.headers["content-type"] = "mutator" end)
    end).headers["content-type"], "mutator")
  end)

  t.test("a body is one body", function()
    local _, r = setup()
    t.raises(function() r:request("POST", { json = {}, text = "x" }) end, "one body")
    t.raises(function() r:request("POST", { jsno = {} }) end, "json")
  end)
end)

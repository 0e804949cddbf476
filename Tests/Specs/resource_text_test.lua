local t = require "resthost.test"
local support = require "support"

local url = support.base .. "foo"

t.test("4.17: a resource's text has letters for loading, data and error", function()
  local host, service = support.service()
  local r = service:resource("/foo")
  local stub = host:stub("GET", url, { text = "x", gated = true })
  t.equal(tostring(r), "resource " .. url)
  r:load()
  t.equal(tostring(r), "resource " .. url .. " [L]")
  stub:go()
  host:settle()
  t.equal(tostring(r), "resource " .. url .. " [D]")
  host:stub("GET", url, { status = 500 })
  r:load()
  host:settle()
  t.equal(tostring(r), "resource " .. url .. " [DE]")
end)

t.test("20.1: an error's text is one line", function()
  local host, service = support.service()
  local r = service:resource("/foo")
  t.equal(tostring(host.rest.error { user_message = "one\ntwo\0" }), "one\\ntwo\\u{0}")
  local err = r:request("GET\r\nX: y").response.error
  t.equal(err.cause.method, "GET\r\nX: y")
  t.equal(tostring(err):find("[\r\n]"), nil)
end)

t.describe("1.9: what is no http URL is not requested", function()
  local host, service = support.service()
  for text, why in pairs {
    ["./foo"] = "does not begin with http:// or https://", ["ftp://a.test/b"] = "does not begin with",
    ["http:///x"] = "has no host",
  } do
    t.test(text, function()
      local r = service:resource_at(text)
      t.equal(r.url, text)
      local _, err = r:load():await()
      t.equal(err.user_message, "Cannot send request with invalid URL")
      t.equal(err.cause.type, "invalid_url")
      t.equal(err.cause.source, text)
      t.matches(tostring(err), why)
    end)
  end
end)

t.describe("wrong calls say what is wrong", function()
  local host, service = support.service()
  local rest = host.rest
  for text, call in pairs {
    ["bad argument #2 'fn' to 'configure' %(function expected, got no value%)"] = function() service:configure("**") end,
    ["bad argument #1 'error' to 'rest.failed_request' %(error or string expected, got number%)"] = function()
      rest.failed_request(3)
    end,
    ["item 1 of 'methods' must be a string, not a number"] = function()
      service:configure({ methods = { 3 } }, print)
    end,
    ["bad argument #1 'options' to 'rest.service' %(table of options expected, got the module: write rest.service%(…%), with a dot"] = function()
      rest:service { base_url = "https://a.test" }
    end,
    ["string expected, got the module: write rest.regex%(…%), with a dot"] = function() rest:regex "x" end,
    ["status or function of the error expected, got string"] = function() rest.refresh_on("401", print) end,
    ["headers are found by name"] = function()
      local err
      service:resource("/foo"):request("GET", { mutate = function(d) d.headers[1] = "x" end })
        :on_failure(function(e) err = e end)
      host:settle()
      error(tostring(err), 0)
    end,
  } do
    t.test(text, function() t.raises(call, text) end)
  end
end)

local t = require "resthost.test"
local support = require "support"

local function base_of(text)
  local host = t.host()
  return host.rest.service { name = "s", base_url = text }
end

t.describe("base URL", function()
  t.test("1.2: a slash is added to the path, the query is kept", function()
    t.equal(base_of("https://foo.bar").base_url, "https://foo.bar/")
    t.equal(base_of("https://foo.bar/v1").base_url, "https://foo.bar/v1/")
    t.equal(base_of("https://foo.bar/v1/").base_url, "https://foo.bar/v1/")
    t.equal(base_of("https://foo.bar/v1?a=b").base_url, "https://foo.bar/v1/?a=b")
  end)

  t.test("1.3: without one only absolute URLs work", function()
    local service = base_of(nil)
    t.equal(service.base_url, nil)
    local err = service:resource("foo"):load().response.error
    t.equal(err.cause.type, "invalid_url")
    t.equal(service:resource_at("http://foo.bar").url, "http://foo.bar/")
  end)

  for _, text in ipairs { "\0", "http://[bad", "not a URL", "" } do
    t.test(("1.1: %q does not parse, which is an error"):format(text), function()
      t.raises(function() base_of(text) end, "is not a URL")
    end)
  end

  t.test("a service without base and name is called service", function()
    local rest = t.host().rest
    t.equal(rest.service({}).name, "service")
    t.equal(rest.service({}).name, "service-2")
    t.equal(rest.service().name, "service-3")
  end)
end)

t.describe("resource(path)", function()
  local cases = {
    -- base, path, URL
    { "https://foo.bar/v1", "/foo", "https://foo.bar/v1/foo" },
    { "https://foo.bar/v1", "foo", "https://foo.bar/v1/foo" },
    { "https://foo.bar/v1", "", "https://foo.bar/v1/" },
    { "https://foo.bar/v1", "/", "https://foo.bar/v1/" },
    { "https://foo.bar/v1", "//other.host", "https://foo.bar/v1//other.host" },
    { "https://foo.bar/v1", "http://other.host/", "https://foo.bar/v1/http://other.host/" },
    -- D31: these paths name no resource.
    { "https://foo.bar/v1", "./foo", ":" },
    { "https://foo.bar/v1", "../foo", ":" },
    { "https://foo.bar/v1", "foo?bar", "https://foo.bar/v1/foo%3Fbar" },
    { "https://foo.bar/v1", "foo%3Fbar", "https://foo.bar/v1/foo%253Fbar" },
    { "https://foo.bar/v1", "ü€", "https://foo.bar/v1/%C3%BC%E2%82%AC" },
    { "https://foo.bar/v1", "a b", "https://foo.bar/v1/a%20b" },
    { "https://foo.bar/v1?key=x", "foo", "https://foo.bar/v1/foo?key=x" },
  }
  for _, case in ipairs(cases) do
    t.test("3.1-3.3: " .. case[1] .. " + '" .. case[2] .. "'", function()
      t.equal(base_of(case[1]):resource(case[2]).url, case[3])
    end)
  end
end)

t.test("1.9: resource_at(url) ignores the base, and its kin", function()
  local service = base_of("https://foo.bar/v1")
  t.equal(service:resource_at("http://gloop.fleep/x?y#z").url, "http://gloop.fleep/x?y#z")
  t.equal(service:resource_at("http://gloop.fleep/v2", "x").url, "http://gloop.fleep/v2/x")
  for _, bad in ipairs { "http://[", "\0" } do
    local request = service:resource_at(bad):load()
    t.equal(request.state, "completed")
    t.equal(request.response.error.cause.type, "invalid_url")
    t.equal(request.response.error.user_message, "Cannot send request with invalid URL")
  end
  t.equal(service:resource_at(nil).url, ":")
  t.assert(service:resource_at(nil) == service:resource_at(nil))
end)

t.test("2.1, 2.2: one object for each URL, by any route", function()
  local host, service = support.service()
  local foo = service:resource("/foo")
  t.assert(foo == service:resource("foo"))
  t.assert(foo == service:resource_at(support.base .. "foo"))
  t.assert(foo:child("bar") == service:resource("/foo/bar"))
  t.assert(foo:with_param("a", "1"):with_param("a", nil) == foo)
  t.assert(foo ~= service:resource("/bar"))
end)

t.test("2.3 with D21: scheme and host in lower case, no default port, an empty path is /", function()
  local _, service = support.service()
  t.equal(service:resource_at("HTTPS://Api.TEST:443").url, "https://api.test/")
  t.equal(service:resource_at("http://h:8080/A").url, "http://h:8080/A")
end)

t.describe("configuration", function()
  t.test("14.1, 4.15: the defaults", function()
    local _, service = support.service()
    local c = service:resource("/foo").configuration
    t.equal(c.expiration_time, 30)
    t.equal(c.retry_time, 1)
    t.equal(c.progress_interval, 0.05)
    t.equal(c.pipeline.order, { "raw_data", "decoding", "parsing", "model", "cleanup" })
  end)

  t.test("14.3: blocks run in the order of adding, each seeing the last one's result", function()
    local _, service = support.service()
    service:configure("**", function(c) c.expiration_time = 1 end)
    service:configure("/foo", function(c) c.expiration_time = c.expiration_time + 10 end)
    service:configure("/bar", function(c) c.expiration_time = 99 end)
    t.equal(service:resource("/foo").configuration.expiration_time, 11)
    t.equal(service:resource("/bar").configuration.expiration_time, 99)
    t.equal(service:resource("/baz").configuration.expiration_time, 1)
  end)

  t.test("14.4-14.6: results are kept until something is added or invalidated", function()
    local _, service = support.service()
    local runs, value = 0, 1
    service:configure("**", function(c) runs = runs + 1; c.retry_time = value end)
    local foo = service:resource("/foo")
    t.equal(runs, 0)
    t.equal(foo.configuration.retry_time, 1)
    value = 2
    t.equal(foo.configuration.retry_time, 1)
    t.equal(runs, 1)
    service:invalidate_configuration()
    t.equal(runs, 1)
    t.equal(foo.configuration.retry_time, 2)
    t.equal(runs, 2)
    value = 3
    service:configure("/other", function() end)
    t.equal(foo.configuration.retry_time, 3)
  end)

  t.test("14.2: methods", function()
    local _, service = support.service()
    service:configure("**", { methods = { "POST" } }, function(c) c.headers["X"] = "post" end)
    service:configure("**", { methods = "GET" }, function(c) c.headers["X"] = "get" end)
    local foo = service:resource("/foo")
    t.equal(foo:configuration_for("POST").headers["x"], "post")
    t.equal(foo.configuration.headers["X"], "get")
    t.equal(foo:configuration_for("PUT").headers["X"], nil)
  end)

  t.test("3.13: navigating runs no block", function()
    local _, service = support.service()
    local runs = 0
    service:configure(function() runs = runs + 1 end)
    service:resource("/a"):child("b"):relative("../c?x"):with_param("y", "1")
    t.equal(runs, 0)
  end)

  t.test("what a block raises, reading its configuration raises as well", function()
    local service = base_of("https://foo.bar")
    service:configure(function(c) c.expiration = 3 end)
    local r = service:resource("/a")
    t.raises(function() return r.configuration end, "unknown field 'expiration'.*did you mean 'expiration_time'")
    t.raises(function() return r:configuration_for("POST") end, "the POST configuration of https://foo.bar/a failed")
    t.matches(tostring(r:load().response.error), "unknown field 'expiration'")
  end)

  t.test("a frozen configuration can't be written to", function()
    local _, service = support.service()
    local kept
    service:configure("**", function(c) kept = c end)
    local c = service:resource("/foo").configuration
    t.raises(function() c.expiration_time = 1 end, "frozen")
    t.raises(function() kept.headers["X"] = "y" end, "frozen")
  end)

  t.test("14.15: no pattern is every host; 14.10: '**' is what is under the base", function()
    local _, service = support.service()
    service:configure(function(c) c.headers["All"] = "1" end)
    service:configure("**", function(c) c.headers["Base"] = "1" end)
    local other = service:resource_at("https://other.test/x")
    t.equal(other.configuration.headers["all"], "1")
    t.equal(other.configuration.headers["base"], nil)
    t.equal(service:resource("x").configuration.headers["base"], "1")
  end)

  t.test("14.11-14.13: regex, resource and function", function()
    local host, service = support.service()
    service:configure(host.rest.regex("x=\\d+"), function(c) c.headers["R"] = "1" end)
    service:configure(service:resource("/one"), function(c) c.headers["One"] = "1" end)
    service:configure(function(url) return url.path == "/v1/two" end, function(c) c.headers["Two"] = "1" end)
    t.equal(service:resource("/q"):with_param("x", "12").configuration.headers["R"], "1")
    t.equal(service:resource("/q"):with_param("x", "ab").configuration.headers["R"], nil)
    t.equal(service:resource("/one").configuration.headers["One"], "1")
    t.equal(service:resource("/one/x").configuration.headers["One"], nil)
    t.equal(service:resource("/two").configuration.headers["Two"], "1")
  end)
end)

t.describe("globs (14.9)", function()
  local cases = {
    -- pattern, matching paths, others
    { "foo", { "foo" }, { "food", "foo/bar", "x/foo" } },
    { "/foo", { "foo" }, { "foo/" } },
    { "foo/*", { "foo/", "foo/bar" }, { "foo", "foo/bar/baz" } },
    { "foo/**", { "foo/", "foo/bar", "foo/bar/baz" }, { "foo", "food" } },
    { "foo*", { "foo", "food" }, { "foo/bar" } },
    { "**/bar", { "bar", "foo/bar", "a/b/bar" }, { "foobar", "bar/foo" } },
    { "foo/**/bar", { "foo/bar", "foo/x/bar", "foo/x/y/bar" }, { "foobar", "foo/xbar" } },
    { "f?o", { "foo", "fxo" }, { "fo", "f/o", "fooo" } },
    { "*.json", { "a.json" }, { "a/b.json", "ajson" } },
    { "https://api.test/**", { "foo" }, {} },
  }
  for _, case in ipairs(cases) do
    t.test(case[1], function()
      local _, service = support.service()
      service:configure(case[1], function(c) c.headers["Hit"] = "1" end)
      for _, path in ipairs(case[2]) do
        t.equal(service:resource(path).configuration.headers["Hit"], "1")
        t.equal(service:resource(path):with_param("q", "x").configuration.headers["Hit"], "1")
      end
      for _, path in ipairs(case[3]) do
        t.equal(service:resource(path).configuration.headers["Hit"], nil)
      end
      t.equal(service:resource_at("https://other.test/v1/foo").configuration.headers["Hit"], nil)
    end)
  end
end)

t.describe("wipe_resources (1.11)", function()
  local function loaded()
    local host, service = support.service()
    host:stub("GET", support.base .. "**", { text = "x" })
    local a, b = service:resource("/a"), service:resource("/b/c")
    t.assert(a:get())
    t.assert(b:get())
    return host, service, a, b
  end

  t.test("all", function()
    local _, service, a, b = loaded()
    service:wipe_resources()
    t.equal(a.latest_data, nil)
    t.equal(b.latest_data, nil)
  end)

  t.test("a glob, a regex, a resource, a function of the resource", function()
    local host, service, a, b = loaded()
    service:wipe_resources("/b/*")
    t.assert(a.latest_data)
    t.equal(b.latest_data, nil)
    t.assert(b:get())
    service:wipe_resources(host.rest.regex("/a$"))
    t.equal(a.latest_data, nil)
    t.assert(b.latest_data)
    service:wipe_resources(b)
    t.equal(b.latest_data, nil)
    t.assert(b:get())
    service:wipe_resources(function(resource) return resource == b end)
    t.equal(b.latest_data, nil)
  end)
end)

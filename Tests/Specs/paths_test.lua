local t = require "resthost.test"
local support = require "support"

local function resource(url)
  local host = t.host()
  return host.rest.service { name = "s" }:resource_at(url)
end

t.describe("child (3.4)", function()
  local cases = {
    { "https://zingle.frotz/v1/a/b", "c", "https://zingle.frotz/v1/a/b/c" },
    { "https://zingle.frotz/v1/a/b", "/c", "https://zingle.frotz/v1/a/b/c" },
    { "https://zingle.frotz/v1/a/b/", "c", "https://zingle.frotz/v1/a/b/c" },
    { "https://zingle.frotz/v1/a/b", "", "https://zingle.frotz/v1/a/b/" },
    { "https://zingle.frotz/v1/a/b", "//c", "https://zingle.frotz/v1/a/b//c" },
    { "https://zingle.frotz/v1/a/b", "../c", ":" },
    { "https://zingle.frotz/v1/a/b", "?foo", "https://zingle.frotz/v1/a/b/%3Ffoo" },
    { "https://zingle.frotz/v1/a/b?q=1", "c", "https://zingle.frotz/v1/a/b/c?q=1" },
    { "https://zingle.frotz/v1/a/b", "http://x/", "https://zingle.frotz/v1/a/b/http://x/" },
  }
  for _, case in ipairs(cases) do
    t.test(case[1] .. " + '" .. case[2] .. "'", function()
      t.equal(resource(case[1]):child(case[2]).url, case[3])
    end)
  end
end)

t.describe("relative (3.5)", function()
  local cases = {
    { "https://zingle.frotz/v1/a/b", "c", "https://zingle.frotz/v1/a/c" },
    { "https://zingle.frotz/v1/a/b", "./c", "https://zingle.frotz/v1/a/c" },
    { "https://zingle.frotz/v1/a/b", "../c", "https://zingle.frotz/v1/c" },
    { "https://zingle.frotz/v1/a/b/", "c", "https://zingle.frotz/v1/a/b/c" },
    { "https://zingle.frotz/v1/a/b", "/c", "https://zingle.frotz/c" },
    { "https://zingle.frotz/v1/a/b", "//c.d/e", "https://c.d/e" },
    { "https://zingle.frotz/v1/a/b", "http://other/x", "http://other/x" },
    { "https://zingle.frotz/v1/a/b?x=y", "?z", "https://zingle.frotz/v1/a/b?z" },
    { "https://zingle.frotz/v1/a/b?x=y", "c", "https://zingle.frotz/v1/a/c" },
    { "https://zingle.frotz/v1/a/b", "c?b=1&a=2&b=3", "https://zingle.frotz/v1/a/c?b=1&a=2&b=3" },
  }
  for _, case in ipairs(cases) do
    t.test(case[1] .. " + '" .. case[2] .. "'", function()
      t.equal(resource(case[1]):relative(case[2]).url, case[3])
    end)
  end

  t.test("3.6: optional_relative gives nil for nil", function()
    local r = resource("https://a.b/c")
    t.equal(r:optional_relative(nil), nil)
    t.equal(r:optional_relative("d").url, "https://a.b/d")
  end)
end)

t.describe("with_param (3.7-3.12, D19)", function()
  local base = "http://r.test/x"
  local function url(query, ...) return resource(base .. query):with_param(...).url end

  t.test("adds, replaces, sorts", function()
    t.equal(url("", "foo", "bar"), base .. "?foo=bar")
    t.equal(url("?foo=bar", "foo", "baz"), base .. "?foo=baz")
    t.equal(url("?foo=bar&zoogle=oogle", "bar", "zee"), base .. "?bar=zee&foo=bar&zoogle=oogle")
  end)

  t.test("escapes", function()
    t.equal(url("", "f o", "b r"), base .. "?f%20o=b%20r")
    t.equal(url("", "a=b", "c=d&e"), base .. "?a%3Db=c%3Dd%26e")
    t.equal(url("", "foo", "a+b"), base .. "?foo=a%2Bb")
    t.equal(url("", "bar", "日"), base .. "?bar=%E6%97%A5")
  end)

  t.test("an empty value is a bare name; untouched parameters keep their text", function()
    t.equal(url("", "foo", ""), base .. "?foo")
    t.equal(url("?b=&c=1+2", "a", "1"), base .. "?a=1&b=&c=1+2")
  end)

  t.test("nil removes, and the question mark with the last", function()
    t.equal(url("?a=1&b=2", "a", nil), base .. "?b=2")
    t.equal(url("?a=1", "a", nil), base)
    t.equal(url("", "a", nil), base)
  end)

  t.test("repeats are kept in order, a list sets them", function()
    t.equal(url("?b=2&b=1", "a", "0"), base .. "?a=0&b=2&b=1")
    t.equal(url("", "a", { "2", "1" }), base .. "?a=2&a=1")
  end)

  t.test("a table with names is no value", function()
    t.raises(function() return resource(base):with_param("k", { x = 1 }) end, "must be a list")
  end)

  t.test("3.10: with_params sets many at once", function()
    local host = t.host()
    local r = host.rest.service { name = "s" }:resource_at(base .. "?gone=1&kept=2")
    t.equal(r:with_params({ z = "1", a = "2", gone = host.rest.null }).url, base .. "?a=2&kept=2&z=1")
  end)
end)

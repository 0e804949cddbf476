local t = require "resthost.test"

local host

local function release(name, version)
  return host:stub("GET", ("https://pypi.example/pypi/%s/json"):format(name), {
    json = {
      info = {
        version = version, package_url = "https://pypi.example/project/" .. name, summary = "About " .. name,
      },
    },
  })
end

t.before_each(function()
  host = t.load "package_releases.lua"
  for _, name in ipairs { "requests", "flask", "numpy" } do release(name, "1.0") end
  host:settle()
end)

local function feed() return host:request("GET", "/feed.json").json.items end

t.test("releases that were there before are no news", function() t.equal(feed(), {}) end)

t.test("a new release is in the feed", function()
  release("flask", "1.1")
  host:advance(3601)
  local items = feed()
  t.equal(#items, 1)
  t.equal(items[1].title, "flask 1.1")
  t.equal(items[1].url, "https://pypi.example/project/flask")
  t.equal(items[1].date_published, "1970-01-12T14:46:40Z")
end)

t.test("the newest release comes first, and a failure is no news", function()
  release("flask", "1.1")
  host:advance(3601)
  release("numpy", "2.0")
  host:stub("GET", "https://pypi.example/pypi/flask/json", { status = 404 })
  host:advance(3600)
  t.equal({ feed()[1].title, feed()[2].title, #feed() }, { "numpy 2.0", "flask 1.1", 2 })
end)

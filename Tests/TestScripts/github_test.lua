local t = require "resthost.test"

t.describe("users", function()
  t.test("are mapped", function()
    local host = t.load "github.lua"
    host:stub("GET", "https://api.github.com/users/*", { json = { login = "o", id = 5 } })
    local user = host.services.github:resource("/users/o")
    t.equal(t.assert(user:get()), { login = "o" })
    host:advance(60)
  end)

  t.test("are fresh for five minutes", function()
    local host = t.load "github.lua"
    local stub = host:stub("GET", "/users/*", { json = {} })
    local user = host.services.github:resource("/users/o")
    user:get()
    host:advance(300)
    user:get()
    t.equal(#stub.requests, 1)
  end)
end)

t.skip("repositories", "not mapped yet")

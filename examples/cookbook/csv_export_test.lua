local t = require "resthost.test"

local url = "http://127.0.0.1:8081/customers?"
local host

t.before_each(function() host = t.load "csv_export.lua" end)

t.test("all pages are one file, with quotes where they are needed", function()
  host:stub("GET", url .. "limit=200", {
    json = {
      data = {
        {
          id = 1, name = 'Ada "the first", Countess', email = "ada@example.com", created_at = host.rest.null,
        },
      },
      next_cursor = "x",
    },
  })
  host:stub("GET", url .. "cursor=x&limit=200", {
    json = { data = { { id = -2, name = "=SUM(A1)", email = "two\nlines" } }, next_cursor = host.rest.null },
  })
  local answer = host:request("GET", "/customers.csv")
  t.equal(answer.body, "id,name,email,created_at\r\n"
    .. '1,"Ada ""the first"", Countess",ada@example.com,\r\n-2,\'=SUM(A1),"two\nlines",\r\n')
  t.matches(answer.headers["Content-Type"], "text/csv")
  t.equal(answer.is_broken, false)
end)

t.test("a page that fails breaks the file off", function()
  host:stub("GET", url .. "limit=200", { json = { data = { { id = 1 } }, next_cursor = "x" } })
  host:stub("GET", url .. "cursor=x&limit=200", { status = 404 })
  t.equal(host:request("GET", "/customers.csv").is_broken, true)
end)

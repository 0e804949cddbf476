local t = require "resthost.test"

local host, stub

t.before_each(function()
  host = t.load "csv_import.lua"
  stub = host:stub("PUT", "http://127.0.0.1:8081/customers/*", {})
end)

local function import(text)
  return host:request("POST", "/import", { body = text, headers = { ["Content-Type"] = "text/csv" } })
end

t.test("each row is a request", function()
  local rows = '7,"Ada, Countess",ada@example.com,1.5\r\n8,Bob,bob@example.com,\r\n'
  local answer = import("id,name,email,credit\r\n" .. rows)
  t.equal(answer.json, { sent = 2, failed = 0, problems = {} })
  t.equal(host.rest.json.decode(stub.requests[1].body), {
    id = 7, name = "Ada, Countess", email = "ada@example.com", credit = "1.5",
  })
  t.equal(stub.requests[2].url, "http://127.0.0.1:8081/customers/8")
end)

t.test("rows that are wrong, or refused, are listed, and the others are sent", function()
  host:stub("PUT", "http://127.0.0.1:8081/customers/9", { status = 422, json = { error = "blocked" } })
  local answer = import "id,email\n7,ada@example.com\n8,nobody\n9,eve@example.com\n"
  t.equal({ answer.json.sent, answer.json.failed }, { 1, 2 })
  t.equal({ answer.json.problems[1].row, answer.json.problems[2].row }, { 3, 4 })
  t.matches(answer.json.problems[2].problem, "blocked")
end)

t.test("a row with too few fields ends the import with its number", function()
  local answer = import "id,email\n7,ada@example.com\n8\n"
  t.equal(answer.status, 422)
  t.matches(answer.json.fault, "row 3")
end)

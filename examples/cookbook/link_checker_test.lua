local t = require "resthost.test"

local base = "http://127.0.0.1:8081"

-- Runs the script with this page, and gives what it printed.
local function run(html)
  local script = t.assert(t.host().rest.read_file "link_checker.lua")
  local lines = {}
  string.print_line = function(line) lines[#lines + 1] = line end
  script = script:gsub("print%(", "string.print_line("):gsub("if broken > 0 then error.- end\n", "")
  local host = t.load { source = script }
  host:stub("GET", base .. "/index.html", {
    text = html, headers = { ["Content-Type"] = "text/html; charset=utf-8" },
  })
  return host, function()
    host:advance(60)
    return lines
  end
end

t.test("broken links are printed with their status", function()
  local host, result = run [[
    <a href="good.html">x</a> <A HREF='/gone.html#part'>y</A> <a href="https://other.test/a?b=1&amp;c=2">z</a>
    <a href="#here">h</a> <a href="mailto:me@example.com">m</a> <a href="good.html">again</a>
  ]]
  local good = host:stub("HEAD", base .. "/good.html", {})
  host:stub("HEAD", base .. "/gone.html", { status = 404 })
  local other = host:stub("HEAD", "https://other.test/a?b=1&c=2", {})
  t.equal(result(), { "404  " .. base .. "/gone.html", "3 links, 1 of them broken" })
  t.equal({ #good.requests, #other.requests }, { 1, 1 })
end)

t.test("a server without HEAD is asked with GET", function()
  local host, result = run [[<a href="page">x</a>]]
  host:stub("HEAD", base .. "/page", { status = 405 })
  host:stub("GET", base .. "/page", { text = "hello" })
  t.equal(result(), { "1 links, 0 of them broken" })
end)

t.test("a server that can't be reached is broken", function()
  local host, result = run [[<a href="http://away.test/">x</a>]]
  host:stub("HEAD", "http://away.test/", { error = { type = "dns_failed", message = "no such host" } })
  t.equal(result(), { "no such host  http://away.test/", "1 links, 1 of them broken" })
end)

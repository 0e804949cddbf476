local t = require "resthost.test"
local link_header = require "resthost.link_header"

local function next_of(...) return link_header.find({ ... }, "next") end

t.test("a link is found by its relation type", function()
  t.equal(next_of '<https://a.test/1>; rel="prev", <https://a.test/3>; rel="next"', "https://a.test/3")
  t.equal(next_of '</3>; rel=next', "/3")
  t.equal(next_of '<?page=3>; title="x"; REL="NEXT"', "?page=3")
  t.equal(next_of '<a>; rel="prev"', nil)
  t.equal(next_of(), nil)
end)

t.test("one link may have several relation types", function()
  t.equal(next_of '<b>; rel="last next"', "b")
  t.equal(next_of '<b>; rel="nextish"', nil)
end)

t.test("quoted strings may have commas, semicolons, brackets and escapes", function()
  t.equal(next_of [[<a>; title="x, <no>; rel=\"next\""; rel=prev, <b>;rel="next"]], "b")
  t.equal(link_header.parse({ [[<a>; title="say \"hi\"\\"]] })[1].parameters.title, [[say "hi"\]])
end)

t.test("a target may have commas and semicolons", function()
  t.equal(next_of '<https://a.test/x?ids=1,2;3>; rel="next"', "https://a.test/x?ids=1,2;3")
end)

t.test("the first rel counts, and a parameter may have no value", function()
  t.equal(next_of '<a>; rel="prev"; rel="next"', nil)
  t.equal(next_of '<a>; crossorigin; rel="next"', "a")
  t.equal(next_of '<a> ; rel = "next"', "a")
end)

t.test("a link with an anchor is about another page", function()
  t.equal(next_of '<a>; rel="next"; anchor="/other", <b>; rel="next"', "b")
end)

t.test("several header fields are read in order", function()
  t.equal(next_of('<a>; rel="prev"', '<b>; rel="next"'), "b")
end)

t.test("empty items of the list are left out", function() t.equal(next_of ', ,<a>; rel="next",', "a") end)

t.test("random texts are read to an end", function()
  math.randomseed(1)
  local parts = { "<", ">", ";", ",", "=", '"', "\\", " ", "rel", "next", "a" }
  for _ = 1, 2000 do
    local text = {}
    for place = 1, math.random(30) do text[place] = parts[math.random(#parts)] end
    local target = next_of(table.concat(text))
    t.equal(target == nil or type(target) == "string", true)
  end
end)

t.test("broken values end the reading, and what came before stays", function()
  t.equal(next_of "<a", nil)
  t.equal(next_of "a; rel=next", nil)
  t.equal(next_of '<a>; rel="next', nil)
  t.equal(next_of '<a>; rel="next" junk <b>; rel="x"', "a")
  t.equal(next_of "<>; rel=next", "")
  t.equal(#link_header.parse { ("<a>;" .. (";"):rep(1000)) }, 1)
end)

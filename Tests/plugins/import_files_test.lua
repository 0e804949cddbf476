local t = require "resthost.test"
local importer = require "resthost.importer"
local imported = require "imported"

local line = "curl https://a.test/x"

local function message_of(kind, text, options)
  options = options or {}
  options.output = options.output or "mine"
  return select(2, importer.run(kind, text, options))
end

t.describe("an import refuses", function()
  t.test("a name that no module can have", function()
    t.equal(message_of("curl", line, { output = "a b" }),
      "'a b' is no name for a script: use letters, digits, '_' and '-'")
  end)

  t.test("a base URL that is none", function()
    for _, url in ipairs { "nonsense", "https://", "ftp://a.test" } do
      t.equal(message_of("curl", line, { base_url = url }),
        ("the base URL '%s' is no URL: it looks like https://api.example.com/v1"):format(url))
    end
  end)

  t.test("a document that can't be read", function()
    t.equal(message_of("openapi", ""), "the document is empty")
    t.equal(message_of("openapi", "text"), "the document is no object, but a string")
    t.matches(message_of("har", '{"a":'), "it is no JSON: malformed JSON at byte")
    t.matches(message_of("postman", "a: [1"), "it is no YAML: malformed YAML at line")
  end)
end)

t.describe("the user's script", function()
  local function own_of(text)
    return imported.file(assert(importer.run("curl", text, { output = "mine" })), "mine.lua").text
  end

  t.test("names credentials and tests only if there are some", function()
    local script = own_of(line)
    t.matches(script, 'local mine = require("mine_generated").new()')
    for _, text in ipairs { "credentials", "resthost test", "resthost.toml" } do
      t.assert(not script:find(text, 1, true), "there is " .. text)
    end
    t.matches(own_of(line .. " -u ada:secret"), "  password = rest.env.MINE_PASSWORD,")
  end)

  t.test("comes with a summary", function()
    t.equal(importer.run("curl", line, { output = "mine" }).summary, "Requests of curl: 1 operation")
    t.equal(importer.run("curl", line .. " -u a:b\n" .. line, { output = "mine" }).summary,
      "Requests of curl: 2 operations; it reads MINE_USERNAME, MINE_PASSWORD")
  end)
end)

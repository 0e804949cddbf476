local t = require "resthost.test"
local import = require "resthost.import_har"
local imported = require "imported"

local function entry(method, url, more)
  local request = { method = method, url = url, headers = {} }
  for name, value in pairs(more or {}) do request[name] = value end
  return { request = request, response = { content = { mimeType = "application/json" } } }
end

local function run(entries) return import.run({ log = { entries = entries } }, { output = "site" }) end

t.describe("a recording becomes", function()
  local host, result, api

  t.before_each(function()
    result = assert(import.run(imported.document "browser.har", { output = "site" }))
    host = t.host()
    api = imported.api(result, host, { token = "tok-123456", access_token = "acc-1" })
  end)

  t.test("one definition for each path, with names for identifiers", function()
    t.equal(result.summary:match "(%d+) operations", "2")
    t.equal(api.get_users_by_user_id_posts(7, { page = 2, sort = "a" }).url,
      "https://api.example.com/users/7/posts?page=2&sort=a")
    local uuid = "3f8e6a52-0d27-4c9b-9a54-6c1f0b7d2e11"
    local post = api.post_categories_by_category_id_items_by_item_id(uuid, 9, { a = 1 })
    t.equal(post.url, "https://api.example.com/categories/" .. uuid .. "/items/9")
    t.equal(post.body_kind, "json")
  end)

  t.test("a script that sends credentials, and has none", function()
    local stub = host:stub("GET", "https://api.example.com/**", { json = {} })
    t.assert(api.get_users_by_user_id_posts(7, { ["X-Client"] = "test" }):send():await())
    t.equal(stub.requests[1].url, "https://api.example.com/users/7/posts?access_token=acc-1")
    t.equal(stub.requests[1].headers.authorization, "Bearer tok-123456")
    t.equal(stub.requests[1].headers["x-client"], "test")
    for _, file in ipairs(result.files) do
      for _, secret in ipairs { "Bearer abc", "zzz", "sid=1" } do
        t.assert(not file.text:find(secret, 1, true), file.path .. " has " .. secret)
      end
    end
  end)

  t.test("nothing for parts of pages", function()
    t.equal(result.warnings, { "entries that are parts of pages are left out: 1" })
    t.assert(not imported.file(result, "_generated.lua").text:find("cdn", 1, true))
  end)

  t.test("types for an editor", function()
    local types = imported.file(result, "_types.lua").text
    t.assert(load(types))
    t.matches(types, "---@param user_id integer")
    t.matches(types, "function api.get_users_by_user_id_posts(user_id, params) end")
  end)
end)

t.test("words with digits and dashes are no identifiers", function()
  local result = assert(run {
    entry("GET", "https://a.test/v2/sign-in-with-a-very-long-name/x86"),
    entry("GET", "https://a.test/files/507f1f77bcf86cd799439011"),
    entry("GET", "https://a.test/files/607f1f77bcf86cd799439012"),
  })
  local api = imported.api(result, t.host())
  t.equal(api.get_v2_sign_in_with_a_very_long_name_x86().url,
    "https://a.test/v2/sign-in-with-a-very-long-name/x86")
  t.equal(api.get_files_by_file_id("x").url, "https://a.test/files/x")
  t.equal(result.summary:match "(%d+) operations", "2")
end)

t.test("each server gets a service and credentials of its own", function()
  local function with(token)
    return { headers = { { name = "Authorization", value = "Bearer " .. token } } }
  end
  local result = assert(run {
    entry("GET", "https://a.test/x", with "one"), entry("POST", "https://b.test/y", with "two"),
  })
  local host = t.host()
  local api = imported.api(result, host, { token = "tok-of-a", token_2 = "tok-of-b" })
  local stub = host:stub("*", "https://**", {})
  t.assert(api.get_x():send():await())
  t.assert(api.post_y():send():await())
  t.equal(stub.requests[1].headers.authorization, "Bearer tok-of-a")
  t.equal(stub.requests[2].headers.authorization, "Bearer tok-of-b")
end)

t.test("a file that is no recording is an error", function()
  local message = "the file has no requests in 'log.entries': it is no recording (HAR)"
  for _, input in ipairs { "text", {}, { log = {} }, { log = { entries = {} } } } do
    t.equal(select(2, import.run(input, { output = "site" })), message)
  end
  local message = "no request could be imported: entries that are parts of pages are left out: 1"
  t.equal(select(2, run { entry("OPTIONS", "https://a.test/x") }), message)
  t.equal(select(2, run { { request = { method = 1, url = {} } } }), message)
end)

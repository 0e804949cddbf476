local t = require "resthost.test"

local base = "https://api.test"
local host, api, pages

-- Loads a script with one service and `pages`; `more` is further source. Only the string library is shared by
-- a test and its scripts, so the script hands its module over there.
local function load(more)
  host = t.load {
    source = [[
      local rest = require "resthost"
      local api = rest.service { name = "api", base_url = "https://api.test" }
      local pages = require "resthost.pages"
      string.handed_over = pages
    ]] .. (more or ""),
  }
  api, pages = host.services.api, string.handed_over
end

local function page(path, items, headers)
  return host:stub("GET", base .. path, { json = items, headers = headers })
end

local function numbers(first, last)
  local list = {}
  for number = first, last do list[#list + 1] = number end
  return list
end

t.before_each(function() load() end)

t.describe("links", function()
  t.test("are followed until none is left", function()
    page("/list", { 1, 2 }, { Link = '</list?page=2>; rel="next", </list?page=3>; rel="last"' })
    page("/list?page=2", { 3 }, { Link = '<?page=3>; rel=next' })
    page("/list?page=3", { 4, 5 }, { Link = '</list>; rel="first"' })
    t.equal(t.assert(pages.all(api:resource "/list")), numbers(1, 5))
  end)

  t.test("may be in the body", function()
    page("/list", { info = { next = base .. "/list?page=2" }, results = { 1 } })
    page("/list?page=2", { info = { next = host.rest.null }, results = { 2 } })
    local options = { next = "info.next", items = "results" }
    t.equal(t.assert(pages.all(api:resource "/list", options)), { 1, 2 })
  end)

  t.test("are relative to the page that was redirected to", function()
    host:stub("GET", base .. "/old", { status = 302, headers = { Location = "/new/list" } })
    page("/new/list", { 1 }, { Link = '<more>; rel="next"' })
    page("/new/more", { 2 })
    t.equal(t.assert(pages.all(api:resource "/old")), { 1, 2 })
  end)

  t.test("of a page to itself are an error with its URL", function()
    page("/list", { 1 }, { Link = '</list#top>; rel="next"' })
    local items, err, so_far = pages.all(api:resource "/list")
    t.equal(items, nil)
    t.equal(err.cause.type, "page_loop")
    t.equal(err.cause.url, base .. "/list")
    t.matches(tostring(err), "https://api.test/list, which was read before")
    t.equal(so_far, { 1 })
  end)

  t.test("in a circle are an error, and each page was read once", function()
    local first = page("/list", { 1 }, { Link = '<?page=2>; rel="next"' })
    local second = page("/list?page=2", { 2 }, { Link = '</list>; rel="next"' })
    local _, err, so_far = pages.all(api:resource "/list")
    t.equal(err.cause.type, "page_loop")
    t.equal(so_far, { 1, 2 })
    t.equal({ #first.requests, #second.requests }, { 1, 1 })
  end)

  t.test("to another origin are refused, and nothing is sent there", function()
    page("/list", { 1 }, { Link = '<https://evil.test/list>; rel="next"' })
    local other = host:stub("GET", "https://evil.test/list", { json = { 2 } })
    local _, err, so_far = pages.all(api:resource "/list")
    t.equal(err.cause.type, "other_origin")
    t.matches(tostring(err), "https://evil.test/list: list its origin in 'origins'")
    t.equal(so_far, { 1 })
    t.equal(#other.requests, 0)
  end)

  t.test("to another port, scheme or no URL at all are refused too", function()
    for _, href in ipairs {
      "https://api.test:8443/list", "http://api.test/list", "//other.test", "ftp://api.test",
    } do
      page("/list", { 1 }, { Link = ("<%s>; rel=next"):format(href) })
      local _, err = pages.all(api:resource "/list")
      t.equal(err.cause.type, "other_origin", href)
    end
  end)

  t.test("to another origin may be allowed", function()
    page("/list", { 1 }, { Link = '<https://cdn.test/list>; rel="next"' })
    host:stub("GET", "https://cdn.test/list", { json = { 2 } })
    t.equal(t.assert(pages.all(api:resource "/list", { origins = { "https://CDN.test:443" } })), { 1, 2 })
  end)
end)

t.describe("cursors", function()
  t.test("are sent until one is empty", function()
    page("/list?limit=2", { data = { 1, 2 }, next = "a=b&c" })
    page("/list?cursor=a%3Db%26c&limit=2", { data = { 3 }, next = 77 })
    page("/list?cursor=77&limit=2", { data = {}, next = "" })
    local options = { style = "cursor", items = "data", limit = 2 }
    t.equal(t.assert(pages.all(api:resource "/list", options)), { 1, 2, 3 })
  end)

  t.test("may have other names, a beginning, and come from a function", function()
    page("/list?after=x1", { items = { { id = 5 } }, more = true })
    page("/list?after=5", { items = { { id = 6 } }, more = false })
    local options = {
      style = "cursor", parameter = "after", first = "x1",
      items = function(content) return content.items end,
      next = function(content) return content.more and content.items[#content.items].id end,
    }
    t.equal(t.assert(pages.all(api:resource "/list", options)), { { id = 5 }, { id = 6 } })
  end)

  t.test("that never end stop at max_pages with an error that says so", function()
    local count = 0
    local stub = host:stub("GET", base .. "/list*", function()
      count = count + 1
      return { json = { items = { count }, next = "c" .. count } }
    end)
    local _, err, so_far = pages.all(api:resource "/list", {
      style = "cursor", items = "items", max_pages = 7,
    })
    t.equal(err.cause.type, "page_limit")
    t.matches(
      tostring(err), "more pages than 'max_pages' (7): the next one is https://api.test/list?cursor=c7"
    )
    t.equal(so_far, numbers(1, 7))
    t.equal(#stub.requests, 7)
  end)

  t.test("that come again are an error", function()
    host:stub("GET", base .. "/list*", { json = { items = { 1 }, next = "same" } })
    local _, err = pages.all(api:resource "/list", { style = "cursor", items = "items" })
    t.equal(err.cause.type, "page_loop")
  end)
end)

t.describe("numbers", function()
  t.test("count pages until one is empty", function()
    page("/list?page=1", { 1, 2 })
    page("/list?page=2", { 3 })
    page("/list?page=3", {})
    t.equal(t.assert(pages.all(api:resource "/list", { style = "page" })), { 1, 2, 3 })
  end)

  t.test("count items, however many a page has", function()
    page("/list?limit=10&offset=0", { 1, 2, 3 })
    page("/list?limit=10&offset=3", { 4 })
    page("/list?limit=10&offset=4", {})
    t.equal(t.assert(pages.all(api:resource "/list", { style = "offset", limit = 10 })), numbers(1, 4))
  end)

  t.test("end when the total is reached, with names of the API", function()
    page("/list?size=2&start=100", { total = 103, values = { 101, 102 } })
    page("/list?size=2&start=102", { total = 103, values = { 103 } })
    local options = {
      style = "offset", parameter = "start", limit = 2, limit_parameter = "size", first = 100,
      items = "values", total = "total",
    }
    t.equal(t.assert(pages.all(api:resource "/list", options)), { 101, 102, 103 })
  end)
end)

t.describe("limits", function()
  t.test("of items give exactly as many with the error", function()
    page("/list", { 1, 2, 3 }, { Link = '<?page=2>; rel="next"' })
    page("/list?page=2", { 4, 5, 6 })
    local _, err, so_far = pages.all(api:resource "/list", { max_items = 4 })
    t.equal(err.cause.type, "page_limit")
    t.matches(tostring(err), "more items than 'max_items' (4)")
    t.equal(so_far, numbers(1, 4))
    t.equal(#t.assert(pages.all(api:resource "/list", { max_items = 6 })), 6)
  end)

  t.test("of time cancel the page that is under way", function()
    page("/list", { 1 }, { Link = '<?page=2>; rel="next"' })
    host:stub("GET", base .. "/list?page=2", { json = { 2 }, delay = 60 })
    local result
    host.rest.spawn(function() result = table.pack(pages.all(api:resource "/list", { max_time = 10 })) end)
    host:advance(9)
    t.equal(result, nil)
    host:advance(1)
    t.equal(result[1], nil)
    t.matches(tostring(result[2]), "more than 'max_time' (10 s), at https://api.test/list?page=2")
    t.equal(result[3], { 1 })
    t.equal(api:resource("/list"):with_param("page", "2").is_loading, false)
  end)
end)

t.describe("an error in the middle", function()
  local function three_pages()
    page("/list", { 1, 2 }, { Link = '<?page=2>; rel="next"' })
    host:stub("GET", base .. "/list?page=2", { status = 503, json = { message = "maintenance" } })
  end

  t.test("comes with the items so far", function()
    three_pages()
    local items, err, so_far = pages.all(api:resource "/list")
    t.equal(items, nil)
    t.equal(err.http_status_code, 503)
    t.equal(err.url, base .. "/list?page=2")
    t.equal(so_far, { 1, 2 })
  end)

  t.test("is raised in the loop, behind the items before it", function()
    three_pages()
    local got = {}
    local ok, err = pcall(function()
      for item in pages.each(api:resource "/list") do got[#got + 1] = item end
    end)
    t.equal(ok, false)
    t.equal(err.http_status_code, 503)
    t.equal(err.json.message, "maintenance")
    t.equal(got, { 1, 2 })
  end)

  t.test("may pass with c.retry", function()
    api:configure("**", function(c) c.retry = { attempts = 3, base = 0.1 } end)
    page("/list", { 1 }, { Link = '<?page=2>; rel="next"' })
    local tries = 0
    host:stub("GET", base .. "/list?page=2", function()
      tries = tries + 1
      return tries < 3 and { status = 503 } or { json = { 2 } }
    end)
    local result
    host.rest.spawn(function() result = pages.all(api:resource "/list") end)
    host:advance(5)
    t.equal(result, { 1, 2 })
    t.equal(tries, 3)
  end)

  t.test("of a page without a list says where", function()
    page("/list", { data = { rows = { 1 } } })
    for _, path in ipairs { "data", "data.items", "data.rows.x.y" } do
      local _, err, so_far = pages.all(api:resource "/list", { items = path })
      t.equal(err.cause.type, "bad_page")
      t.matches(tostring(err), ("the page https://api.test/list has no list at '%s'"):format(path))
      t.equal(so_far, {})
    end
    host:stub("GET", base .. "/list", { text = "<html>" })
    local _, err = pages.all(api:resource "/list")
    t.equal(err.cause.type, "bad_page")
  end)

  t.test("of a page whose next one can't be found says where", function()
    local function problem(value, options)
      page("/list", { items = { 1 }, next = value })
      options.items = "items"
      local _, err, so_far = pages.all(api:resource "/list", options)
      t.equal(so_far, { 1 })
      t.equal(err.cause.type, "bad_page")
      return tostring(err)
    end
    local cursor, link = { style = "cursor" }, { next = "next" }
    t.matches(
      problem({ 1 }, cursor),
      "the page behind https://api.test/list can't be found: the next cursor is a table"
    )
    t.matches(problem(("x"):rep(3000000), cursor), "1 MiB at most")
    t.matches(problem(("x"):rep(3000000), link), "2 MiB at most")
    t.matches(problem(7, link), "the next URL is a number")
    t.matches(problem("x", { next = function() error "no luck" end }), "no luck")
  end)

  t.test("is a link that leads to no server", function()
    for _, href in ipairs { "http://", "javascript:alert(1)", "http://[::1", "https://api.test:99999/x" } do
      page("/list", { next = href, items = { 1 } })
      local _, err = pages.all(api:resource "/list", { next = "next", items = "items" })
      t.equal(err.cause.type, "bad_page", href)
      t.matches(err.cause.message, "no URL of a server")
    end
  end)

  t.test("is an empty link, too", function()
    page("/list", { 1 }, { Link = "<>; rel=next" })
    t.equal(select(2, pages.all(api:resource "/list")).cause.type, "page_loop")
  end)

  t.test("is none for null or an empty list, which are encoded as a list", function()
    page("/list", { items = host.rest.null })
    local list = t.assert(pages.all(api:resource "/list", { items = "items" }))
    t.equal(host.rest.json.encode(list), "[]")
  end)
end)

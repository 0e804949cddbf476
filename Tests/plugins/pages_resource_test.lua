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

t.describe("each", function()
  t.test("loads the next page while one is worked on, and one page only", function()
    page("/list", { 1, 2 }, { Link = '<?page=2>; rel="next"' })
    local second = page("/list?page=2", { 3 }, { Link = '<?page=3>; rel="next"' })
    local third = page("/list?page=3", { 4 })
    local got = {}
    for item in pages.each(api:resource "/list") do
      got[#got + 1] = item
      if item == 1 then
        host:settle()
        t.equal({ #second.requests, #third.requests }, { 1, 0 })
      end
    end
    t.equal(got, numbers(1, 4))
  end)

  t.test("doesn't count the time of the loop, only that of the pages", function()
    page("/list", { 1 }, { Link = '<?page=2>; rel="next"' })
    host:stub("GET", base .. "/list?page=2", {
      json = { 2 }, delay = 3, headers = { Link = '<?page=3>; rel="next"' },
    })
    host:stub("GET", base .. "/list?page=3", {
      json = { 3 }, delay = 3, headers = { Link = '<?page=4>; rel="next"' },
    })
    host:stub("GET", base .. "/list?page=4", { json = { 4 }, delay = 3 })
    local got, ok, err = {}, nil, nil
    host.rest.spawn(function()
      ok, err = pcall(function()
        for item in pages.each(api:resource "/list", { max_time = 8 }) do
          got[#got + 1] = item
          host.rest.sleep(100)
        end
      end)
    end)
    host:advance(1000)
    t.equal({ ok, got }, { false, { 1, 2, 3 } })
    t.matches(tostring(err), "more than 'max_time' (8 s)")
  end)

  t.test("cancels the page ahead when the loop is left", function()
    page("/list", { 1 }, { Link = '<?page=2>; rel="next"' })
    host:stub("GET", base .. "/list?page=2", { json = { 2 }, gated = true })
    for _ in pages.each(api:resource "/list") do break end
    host:settle()
    t.equal(api:resource("/list"):with_param("page", "2").is_loading, false)
  end)
end)

t.describe("a resource of all pages", function()
  local function stub_pages()
    page("/repos/octo/issues?per_page=2&state=open", { 1, 2 }, {
      Link = '<?page=2&per_page=2&state=open>; rel="next"',
    })
    return page("/repos/octo/issues?page=2&per_page=2&state=open", { 3 })
  end

  t.test("is served to clients of the gateway, and fresh for a while", function()
    load [[
      api:use("pages", { path = "/all/{owner}/issues", source = "/repos/{owner}/issues", limit = 2,
        expiration_time = 60 })
      rest.gateway {}
    ]]
    local last = stub_pages()
    for _ = 1, 3 do
      local answer = host:request("GET", "/api/all/octo/issues?state=open")
      t.equal(answer.status, 200)
      t.equal(answer.json, { 1, 2, 3 })
    end
    t.equal(#last.requests, 1)
    host:advance(61)
    t.equal(host:request("GET", "/api/all/octo/issues?state=open").json, { 1, 2, 3 })
    t.equal(#last.requests, 2)
  end)

  t.test("fails with the error of a page", function()
    load [[
      pages.resource(api, "/all", function() return api:resource "/list" end)
      rest.gateway {}
    ]]
    page("/list", { 1 }, { Link = '<?page=2>; rel="next"' })
    host:stub("GET", base .. "/list?page=2", { status = 404 })
    local answer = host:request("GET", "/api/all")
    t.equal(answer.status, 404)
  end)

  t.test("is computed once, even while it is observed", function()
    load [[pages.resource(api, "/all", "/list")]]
    local first = page("/list", { 1 }, { Link = '<?page=2>; rel="next"' })
    page("/list?page=2", { 2 })
    local all = api:resource "/all"
    all:add_observer(function() end)
    t.equal(t.assert(all:get()), { 1, 2 })
    host:advance(20)
    t.equal(#first.requests, 1)
  end)

  t.test("of a partition reads pages of that partition", function()
    load [[
      api:configure("**", function(c)
        c:mutate_requests(function(draft) draft.headers["X-User"] = draft.partition end)
      end)
      pages.resource(api, "/all", "/list")
    ]]
    page("/list", { 1 }, { Link = '<?page=2>; rel="next"' })
    local last = page("/list?page=2", { 2 })
    for _, user in ipairs { "ada", "bob" } do
      t.equal(t.assert(api:resource("/all", { partition = user }):get()), { 1, 2 })
    end
    t.equal({ last.requests[1].headers["x-user"], last.requests[2].headers["x-user"] }, { "ada", "bob" })
  end)

  t.test("goes on when a token has to be renewed in the middle", function()
    load [[
      local token = "old"
      api:configure("**", function(c)
        c:mutate_requests(function(draft) draft.headers["Authorization"] = token end)
        c:decorate_requests(rest.refresh_on(401, function()
          local entity, err = api:resource("/login"):request("POST"):await()
          if not entity then return nil, err end
          token = entity.json.token
          return true
        end))
      end)
      pages.resource(api, "/all", "/list")
    ]]
    local logins = host:stub("POST", base .. "/login", { json = { token = "new" } })
    page("/list", { 1 }, { Link = '<?page=2>; rel="next"' })
    host:stub("GET", base .. "/list?page=2", function(request)
      if request.headers.authorization ~= "new" then return { status = 401 } end
      return { json = { 2 }, headers = { Link = '<?page=3>; rel="next"' } }
    end)
    local last = page("/list?page=3", { 3 })
    t.equal(t.assert(api:resource("/all"):get()), { 1, 2, 3 })
    t.equal({ #logins.requests, last.requests[1].headers.authorization }, { 1, "new" })
  end)

  t.test("sends no token to another origin that is allowed", function()
    load [[
      api:use("oauth2", { token_url = "https://id.test/token", client_id = "me", client_secret = "a secret" })
    ]]
    host:stub("POST", "https://id.test/token", { json = { access_token = "a-token", expires_in = 60 } })
    local first = page("/list", { 1 }, { Link = '<https://cdn.test/list>; rel="next"' })
    local second = host:stub("GET", "https://cdn.test/list", { json = { 2 } })
    t.equal(t.assert(pages.all(api:resource "/list", { origins = { "https://cdn.test" } })), { 1, 2 })
    t.equal(first.requests[1].headers.authorization, "Bearer a-token")
    t.equal(second.requests[1].headers.authorization, nil)
  end)

  t.test("has time for all its pages", function()
    load [[pages.resource(api, "/all", "/list")]]
    t.equal(api:resource("/all").configuration.timeouts.total, 301)
  end)
end)

t.describe("wrong options", function()
  local function fails(source, pattern)
    t.raises(function() load(source) end, pattern)
  end

  t.test("are errors with the nearest name", function()
    fails('pages.all(api:resource "/x", { stile = "link" })', "did you mean 'style'")
    fails(
      'pages.all(api:resource "/x", { style = "links" })',
      [["link" | "cursor" | "page" | "offset" expected, got 'links']]
    )
    fails('pages.all(api:resource "/x", { style = "page", first = "a" })', "'first' is a number")
    fails('pages.all(api:resource "/x", { max_pages = 0 })', "bad option 'max_pages'")
    fails('api:use("pages", { path = "/all" })', "option 'source' is missing")
    fails('pages.resource(api, "/all/{a}", "/list/{b}")', "has '{b}'")
    fails('pages.resource(api, "/all", "/list?x=1")', "give a function for one with a query")
    fails(
      'pages.resource(rest.service { name = "bare" }, "/all", "/list")', "needs a service with 'base_url'"
    )
  end)
end)

-- Reads lists that an API gives in pages.
local rest = require "resthost"
local plugin = require "resthost.plugin"
local page_styles = require "resthost.page_styles"

local failure = page_styles.failure

-- Begins to load a page. `wait` gives its entity, or nil and an error.
local function begin(resource, options, state)
  local began, request, is_late = rest.now(), resource:load(), false
  local timer = rest.after(math.max(state.time_left, 0), function()
    is_late = true
    request:cancel()
  end)
  -- The time that a loop takes for the items doesn't count.
  request:on_completion(function()
    timer:cancel()
    state.time_left = state.time_left - (rest.now() - began)
  end)
  local page = { resource = resource }
  function page.cancel() request:cancel() end
  function page.wait()
    local entity, err = request:await()
    if entity or not is_late then return entity, err end
    return nil, failure("page_limit", ("the pages took more than 'max_time' (%g s), at %s")
      :format(options.max_time, resource.url), resource.url)
  end
  return page
end

-- A reader of pages. `next_page` gives the items of one page and begins to load the one behind it, or gives
-- nil at the end, or nil and an error.
local function reader(resource, options)
  local state = { pages = 0, count = 0, time_left = options.max_time }
  local first = page_styles.first_page(resource, options, state)
  local seen, failed = { [first.url] = true }, nil
  local loading = begin(first, options, state)

  local function behind(page, entity)
    local target, err = page_styles.following(page.resource, entity, options, state)
    if not target then return nil, err end
    local url = target.url
    if seen[url] then
      return nil, failure("page_loop", ("the page %s links to %s, which was read before")
        :format(page.resource.url, url), url)
    end
    if state.pages >= options.max_pages then
      return nil, failure("page_limit", ("there are more pages than 'max_pages' (%d): the next one is %s")
        :format(options.max_pages, url), url)
    end
    seen[url] = true
    return begin(target, options, state)
  end

  local pages = {}
  function pages.next_page()
    if failed or not loading then return nil, failed end
    local page = loading
    loading = nil
    local entity, err = page.wait()
    local items = entity
    if entity then items, err = page_styles.items_of(entity, options, page.resource.url) end
    if not items then
      failed = err
      return nil, err
    end
    local room = options.max_items - state.count
    if #items > room then
      failed = failure("page_limit", ("there are more items than 'max_items' (%d), at %s")
        :format(options.max_items, page.resource.url), page.resource.url)
      return table.move(items, 1, room, 1, {})
    end
    state.pages, state.count, state.page_items = state.pages + 1, state.count + #items, #items
    loading, failed = behind(page, entity)
    return items
  end
  function pages.close()
    if loading then loading.cancel() end
    loading = nil
  end
  return pages
end

local function all(resource, options)
  local pages, list = reader(resource, options), rest.json.array {}
  while true do
    local items, err = pages.next_page()
    if err then return nil, err, list end
    if not items then return list end
    table.move(items, 1, #items, #list + 1, list)
  end
end

local function each(resource, options)
  local pages, items, place = reader(resource, options), {}, 0
  local function next_item()
    while place >= #items do
      local err
      items, err = pages.next_page()
      if err then error(err, 0) end
      if not items then return nil end
      place = 0
    end
    place = place + 1
    return items[place]
  end
  return next_item, nil, nil, setmetatable({}, { __close = pages.close })
end

-- Complains about names of a source that its path doesn't have.
local function check_source(service, path, source)
  if type(source) == "function" then return end
  if not service.base_url then
    plugin.blame "'pages' needs a service with 'base_url', or a function as the source"
  end
  if source:find "[?#]" then
    plugin.blame "the source of 'pages' is a path: give a function for one with a query"
  end
  for name in source:gmatch "{([^}]*)}" do
    if not path:find("{" .. name .. "}", 1, true) then
      plugin.blame(("the source of 'pages' has '{%s}', and its path '%s' has not"):format(name, path))
    end
  end
end

-- A computed resource that holds the items of all pages.
local function define(service, path, source, options)
  check_source(service, path, source)
  service:computed(path, { expiration_time = options.expiration_time }, function(params, resource)
    local first
    if type(source) == "function" then
      first = source(params, resource)
    else
      local source_path = source:gsub("{([^}]*)}", params)
      local query = rest.url.parse(resource.url).params or {}
      first = service:resource(source_path, { partition = resource.partition }):with_params(query)
    end
    local items, err = all(first, options)
    return items, err
  end)
  local pattern = path:gsub("{[^}]*%*}", "**"):gsub("{[^}]*}", "*")
  service:configure(pattern, { methods = "GET", description = "pages" }, function(c)
    c.timeouts.total = options.max_time + 1
  end)
end

local reading = {
  {
    name = "style", type = '"link" | "cursor" | "page" | "offset"', default = "link",
    description = "How pages follow each other: by a link, a cursor, page numbers, or items to skip.",
  },
  {
    name = "items", type = "string | function(content: any, entity: entity) -> table",
    description = "The path of the list in a page, such as `data.items`, or a function that gives the list; "
      .. "default: the page itself.",
  },
  {
    name = "next", type = "string | function(content: any, entity: entity) -> any",
    description = "The path of the next URL (style `link`) or of the cursor, or a function that gives it; "
      .. "default: the Link header, or `next`.",
  },
  {
    name = "parameter", type = "string",
    description = "The parameter of the cursor, page or offset; default: `cursor`, `page` or `offset`.",
  },
  {
    name = "limit", type = "integer", least = 1,
    description = "How many items a page shall have; default: the API decides.",
  },
  {
    name = "limit_parameter", type = "string",
    description = "The parameter of `limit`; default: `per_page` for links and pages, else `limit`.",
  },
  {
    name = "first", type = "string | integer",
    description = "The cursor, page or offset to begin with; default: page 1, offset 0.",
  },
  {
    name = "total", type = "string | function(content: any, entity: entity) -> any",
    description = "The path of the number of all items, for pages and offsets; "
      .. "without it the list ends with an empty page.",
  },
  {
    name = "origins", type = "string[]",
    description = "Other origins that pages may link to, such as `https://cdn.example.com`.",
  },
  {
    name = "max_pages", type = "integer", default = 1000, least = 1, most = 100000,
    description = "The most pages; one more is an error.",
  },
  {
    name = "max_items", type = "integer", default = 100000, least = 1,
    description = "The most items; one more is an error.",
  },
  {
    name = "max_time", type = "number", default = 300, least = 0.1, unit = "seconds",
    description = "The longest time for the requests of all pages.",
  },
}

local function with(more) return table.move(reading, 1, #reading, #more + 1, more) end

local expiration = {
  name = "expiration_time", type = "number", least = 0, unit = "seconds",
  description = "How long the list stays up to date; default: as configured.",
}

local source_type = "string | function(params: table, resource: resource) -> resource"

return plugin {
  name = "pages",
  description = "Reads lists in pages: by Link header (RFC 8288), cursor, number or offset.",
  options = with {
    {
      name = "path", type = "string", required = true,
      description = "The path of the resource that has all items, such as `/all/{owner}`.",
    },
    {
      name = "source", type = source_type, required = true,
      description = "The path of the first page with the same names, or a function that gives its resource.",
    },
    expiration,
  },
  use = function(service, options) define(service, options.path, options.source, options) end,
  functions = {
    {
      name = "all", signature = "(resource: resource, options?: { ... }) -> any[] | nil, error, any[]",
      call = all, options = reading, options_at = 2,
      description = "Waits for the items of all pages; after an error it also gives those before it.",
    },
    {
      name = "each", signature = "(resource: resource, options?: { ... }) -> function() -> any",
      call = each, options = reading, options_at = 2,
      description = "Iterates over the items of all pages, and loads one page ahead. "
        .. "The loop raises a failure as an error object.",
    },
    {
      name = "resource",
      signature = ("(service: service, path: string, source: %s, options?: { ... })"):format(source_type),
      call = define, options = with { expiration }, options_at = 4,
      description = "Makes a resource that has the items of all pages, as `service:use` does.",
    },
  },
}

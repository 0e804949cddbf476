-- How the pages of a list follow each other: for `resthost.pages`.
local rest = require "resthost"
local plugin = require "resthost.plugin"
local link_header = require "resthost.link_header"
local remote = require "resthost.remote"

local page_styles = {}

--- An error about pages.
function page_styles.failure(kind, message, url)
  return rest.error {
    user_message = "Not all pages could be read",
    cause = { type = kind, message = message, url = url },
  }
end

--- The value at a path such as `data.items`, or what a function makes of the content.
function page_styles.field(content, path, entity)
  if type(path) == "function" then return path(content, entity) end
  local value = content
  for name in path:gmatch "[^.]+" do
    if type(value) ~= "table" then return nil end
    value = value[name]
  end
  return value
end

local field, failure = page_styles.field, page_styles.failure

local function is_empty(value) return value == nil or value == rest.null or value == false or value == "" end

--- The items of a page, or nil and an error.
function page_styles.items_of(entity, options, url)
  local content = entity.content
  local items = content
  if options.items then items = field(content, options.items, entity) end
  if items == rest.null then return {} end
  if type(items) == "table" and (items[1] ~= nil or next(items) == nil) then return items end
  local place = type(options.items) == "string" and (" at '%s'"):format(options.items) or ""
  return nil, failure("bad_page", ("the page %s has no list%s"):format(url, place), url)
end

-- The resource that a link of a page leads to, or nil and an error.
local function follow(resource, entity, href, options)
  local base = entity.url and resource:relative(entity.url) or resource
  local target = base:relative((href:gsub("#.*$", "")))
  local to = remote.origin(target.url)
  if not to then
    local shown = href:sub(1, 200)
    return nil, failure("bad_page", ("the page %s has a link that is no URL of a server: %s")
      :format(resource.url, shown), resource.url)
  end
  if to == remote.origin(resource.url) then return target end
  for _, allowed in ipairs(options.origins or {}) do
    if to == remote.origin(allowed) then return target end
  end
  return nil, failure("other_origin", ("the page %s links to %s: list its origin in 'origins' to allow that")
    :format(resource.url, target.url), target.url)
end

local styles = {}

function styles.link(resource, entity, options)
  local href
  if options.next then
    href = field(entity.content, options.next, entity)
    if is_empty(href) then return nil end
    if type(href) ~= "string" then error(("the next URL is a %s"):format(type(href)), 0) end
  else
    href = link_header.find(entity:header_values "Link", "next")
    if not href then return nil end
  end
  return follow(resource, entity, href, options)
end

function styles.cursor(resource, entity, options)
  local cursor = field(entity.content, options.next or "next", entity)
  if is_empty(cursor) then return nil end
  if type(cursor) == "number" then cursor = math.tointeger(cursor) or cursor end
  if type(cursor) == "table" then error("the next cursor is a table", 0) end
  return resource:with_param(options.parameter, tostring(cursor))
end

-- Pages by number and by offset end with an empty one, or when all items of `total` are there.
local function counted(step)
  return function(resource, entity, options, state)
    if state.page_items == 0 then return nil end
    local total = options.total and math.tointeger(tonumber(field(entity.content, options.total, entity)))
    if total and state.first_offset + state.count >= total then return nil end
    state.position = state.position + step(state)
    return resource:with_param(options.parameter, state.position)
  end
end

styles.page = counted(function() return 1 end)
styles.offset = counted(function(state) return state.page_items end)

--- The resource behind a page, nil at the end, or nil and an error.
function page_styles.following(resource, entity, options, state)
  local ok, target, err = pcall(styles[options.style], resource, entity, options, state)
  if ok then return target, err end
  return nil, failure("bad_page", (
    "the page behind %s can't be found: %s"
  ):format(resource.url, tostring(target)),
    resource.url)
end

local limit_parameters = { page = "per_page", offset = "limit", cursor = "limit", link = "per_page" }

--- The first page, with the parameters that the style needs.
function page_styles.first_page(resource, options, state)
  local style = options.style
  options.parameter = options.parameter or style
  options.limit_parameter = options.limit_parameter or limit_parameters[style]
  state.position = options.first or (style == "page" and 1 or 0)
  state.first_offset = style == "offset" and state.position or 0
  if style ~= "cursor" and type(options.first) == "string" then
    plugin.blame "'first' is a number for pages and offsets"
  end
  if options.limit then resource = resource:with_param(options.limit_parameter, options.limit) end
  if style == "page" or style == "offset" or options.first then
    resource = resource:with_param(options.parameter, state.position)
  end
  return resource
end

return page_styles

-- Tables of Datasette as resources: all rows of a table, and a query in SQL whose parameter is a part of the
-- path.
--
--   resthost get datasette_tables.lua datasette '/all/products?country=IS'
local rest = require "resthost"

local datasette = rest.service {
  name = "datasette", base_url = rest.env.DATASETTE_URL or "http://127.0.0.1:8001",
}
local table_name = "^[%w_]+$"

local function missing(text) return rest.error { http_status_code = 404, user_message = text } end

-- Datasette gives a cursor, `next`, until the last page. Filters such as country=IS go along.
datasette:use("pages", {
  path = "/all/{table}", style = "cursor", items = "rows", next = "next", parameter = "_next",
  limit = 100, limit_parameter = "_size", max_items = 50000, expiration_time = 60,
  source = function(params, resource)
    if not params.table:find(table_name) then error(missing "a table has letters, digits and _", 0) end
    local query = { _shape = "objects" }
    for name, value in pairs(rest.url.parse(resource.url).params or {}) do
      -- Names with _ are Datasette's own, such as _sort and _where.
      if name:sub(1, 1) ~= "_" then query[name] = value end
    end
    return datasette:resource("/shop/" .. params.table .. ".json"):with_params(query)
  end,
})

local prices = [[
  select count(*) as count, min(price) as lowest, max(price) as highest from products where country = :country
]]

-- The value is a parameter of the statement, so it can't change it.
datasette:computed("/prices/{country}", { expiration_time = 60 }, function(params)
  local answer, err = datasette:resource("/shop.json"):with_params({
    sql = prices, country = params.country, _shape = "objects",
  }):get()
  if not answer then return nil, err end
  local row = answer.rows[1]
  if row.count == 0 then return nil, missing "there are no products of this country" end
  return row
end)

rest.gateway { expose = { datasette = { paths = { "/all/*", "/prices/*" } } } }

-- One answer out of three APIs, each with its own deadline: parts that are late or broken are left out, and
-- named.
--
--   resthost get product_page.lua shop /products/7
local rest = require "resthost"

local catalog = rest.service { name = "catalog", base_url = rest.env.CATALOG_URL or "http://127.0.0.1:8081" }
local stock = rest.service { name = "stock", base_url = rest.env.STOCK_URL or "http://127.0.0.1:8082" }
local reviews = rest.service { name = "reviews", base_url = rest.env.REVIEWS_URL or "http://127.0.0.1:8083" }
local shop = rest.service { name = "shop" }

-- The page waits half a second for a part. A part that often fails isn't asked for a while.
for _, service in ipairs { stock, reviews } do
  service:configure("**", function(c)
    c.timeouts.total = 0.5
    c.expiration_time = 20
    c.stale_if_error = 600
    c.breaker = { requests = 10, open = 30 }
  end)
end

local function optional(missing, name, resource, pick)
  return function()
    local content, err = resource:get()
    if content then return pick(content) end
    missing[#missing + 1] = { part = name, reason = err.user_message }
    return false
  end
end

shop:computed("/products/{id}", { expiration_time = 20 }, function(params)
  local id, missing = params.id, rest.json.array {}
  local parts, err = rest.all {
    function() return catalog:resource("/products"):child(id):get() end,
    optional(missing, "stock", stock:resource("/items"):child(id), function(item) return item.count end),
    optional(missing, "reviews", reviews:resource("/reviews"):with_param("product", id), function(list)
      local sum = 0
      for _, review in ipairs(list) do sum = sum + review.stars end
      return { count = #list, stars = #list > 0 and sum / #list or rest.null }
    end),
  }
  -- Without its main part there is no page.
  if not parts then return nil, err end
  return {
    name = parts[1].name, price = parts[1].price, in_stock = parts[2], reviews = parts[3], missing = missing,
  }
end)

rest.gateway { expose = { shop = { paths = { "/products/*" } } } }

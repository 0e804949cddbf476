-- Serves queries of a GraphQL API as plain resources, each fresh for an hour. Clients can't send others.
--
--   resthost run graphql_gateway.lua
--   curl -G http://127.0.0.1:8080/countries/graphql/country --data-urlencode 'variables={"code":"IS"}'
local rest = require "resthost"
local graphql = require "resthost.graphql"

local url = rest.env.COUNTRIES_URL or "https://countries.trevorblades.com"
local countries = rest.service { name = "countries", base_url = url }

local COUNTRY = [[
  query Country($code: ID!) {
    country(code: $code) { name capital currency languages { name } }
  }
]]
local NEIGHBOURS = [[
  query Continent($code: ID!) {
    continent(code: $code) { name countries { code name } }
  }
]]

countries:use("graphql", {
  path = "/graphql",
  operations = { country = COUNTRY, continent = NEIGHBOURS },
  expiration_time = 3600,
  batch = true,
})

-- Old data is better than an error, for a day.
countries:configure("/graphql/*", { methods = "GET" }, function(c) c.stale_if_error = 86400 end)

local gateway = rest.gateway { expose = { countries = { paths = { "/graphql/*" } } } }

-- Both queries of a page go to the API in one request.
gateway:route("GET", "/pair/{one}/{other}", function(request)
  local function country(code)
    return function()
      local data, err = graphql.query(countries, COUNTRY, { code = code:upper() })
      if not data then return nil, err end
      if data.country == rest.null then
        return nil, rest.error { http_status_code = 404, user_message = "No country has the code " .. code }
      end
      return data.country
    end
  end
  local pair, err = rest.all { country(request.params.one), country(request.params.other) }
  if not pair then return nil, err end
  return { names = { pair[1].name, pair[2].name }, same_currency = pair[1].currency == pair[2].currency }
end)

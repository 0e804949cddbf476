-- A search box in front of Elasticsearch or OpenSearch: equal searches share an answer, and results go on
-- page after page without a limit of 10,000.
--
--   resthost run search.lua
--   curl 'http://127.0.0.1:8080/api/search?q=lake'
local rest = require "resthost"

local engine = rest.service { name = "engine", base_url = rest.env.SEARCH_URL or "http://127.0.0.1:9200" }
local api = rest.service { name = "api" }
local size = 20

engine:configure("**", function(c)
  c.timeouts.total = 5
  c.limits = { in_flight = 8, queue = 100, queue_timeout = 2 }
end)

-- The mark of a result, behind which the next page begins (search_after).
local function pack(sort) return rest.base64.encode(rest.json.encode(sort)) end

local function unpack_mark(text)
  local bytes = text and rest.base64.decode(text)
  local sort = bytes and rest.json.decode(bytes)
  return type(sort) == "table" and sort or nil
end

api:computed("/search", { expiration_time = 30 }, function(_, resource)
  local params = rest.url.parse(resource.url).params or {}
  if type(params.q) ~= "string" or #params.q > 200 then
    return nil, rest.error {
      http_status_code = 400, user_message = "'q' is the text to search, 200 bytes at most",
    }
  end
  local entity, err = engine:resource("/articles/_search"):request("POST", {
    json = {
      size = size,
      query = { simple_query_string = { query = params.q, fields = { "title^3", "text" } } },
      sort = { { _score = "desc" }, { id = "asc" } },
      search_after = unpack_mark(params.after),
      highlight = { fields = { text = rest.json.object {} } },
    },
    idempotency_key = true,
  }):await()
  if not entity then return nil, err end
  local hits, results, last = entity.json.hits.hits, rest.json.array {}, nil
  for number, hit in ipairs(hits) do
    local lines = (hit.highlight or {}).text
    results[number] = { id = hit._id, title = hit._source.title, line = lines and lines[1] }
    last = hit.sort
  end
  return {
    total = entity.json.hits.total.value, results = results, after = #hits == size and pack(last) or nil,
  }
end)

rest.gateway { expose = { api = { paths = { "/search" } } } }

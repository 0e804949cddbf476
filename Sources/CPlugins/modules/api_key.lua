-- Sends an API key in a header or in the query.
local rest = require "resthost"
local plugin = require "resthost.plugin"
local scope = require "resthost.scope"

-- A URL with a parameter behind its query.
local function with_parameter(url, name, value)
  local address, fragment = url:match "^([^#]*)(.*)$"
  local mark = address:find("?", 1, true) and "&" or "?"
  return ("%s%s%s=%s%s"):format(address, mark, rest.url.encode(name), rest.url.encode(value), fragment)
end

return plugin {
  name = "api_key",
  description = "Sends an API key in a header or in the query.",
  options = scope.options {
    { name = "header", type = "string", description = "The name of the header, such as `X-Api-Key`." },
    { name = "query", type = "string", description = "The name of the parameter, in place of a header." },
    { name = "value", type = "string", required = true, secret = true, description = "The key." },
  },
  use = function(service, options)
    if (options.header == nil) == (options.query == nil) then
      plugin.blame "'api_key' takes either 'header' or 'query'"
    end
    scope.configure(service, options, "api_key", function(c)
      if options.header then
        c.headers[options.header] = options.value
      else
        c:mutate_requests(function(draft)
          draft.url = with_parameter(draft.url, options.query, options.value)
        end)
      end
    end)
  end,
}

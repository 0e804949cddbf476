-- The work of the counting program: content that no function reads, content that a function reads and changes,
-- and content that is kept.
local rest = require "resthost"

local function changed(content)
  if type(content) ~= "table" then return content end
  local seen = 0
  for _, value in pairs(content) do
    if type(value) == "table" then
      for _ in pairs(value) do seen = seen + 1 end
    else
      seen = seen + 1
    end
  end
  if #content > 0 then
    content[#content + 1] = seen
  else
    content.seen = seen
  end
  return content
end

local function service(name, expiration, transformer)
  local api = rest.service { name = name, base_url = "@UPSTREAM@" }
  api:configure(function(c)
    c.expiration_time = expiration
    c.collapse = expiration > 0
  end)
  if transformer then api:configure_transformer("**", transformer) end
end

service("asis", 0)
service("changed", 0, changed)
service("kept", 3600, changed)

rest.gateway { listen = "127.0.0.1:@PORT@" }

-- Content becomes a model of the program's own, for each kind of resource.
local api = require "service" "model_mapping"

local User = {}
User.__index = User

function User:greeting() return "Good day, " .. self.name .. "!" end

api:configure_transformer("/users/*", { input = "json", output = User }, function(json)
  return setmetatable({ login = json.login, name = json.name }, User)
end)

return api

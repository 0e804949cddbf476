-- The content of each kind of resource becomes a model of this program.
local api = require "service" "model_mapping"

local User = {}
User.__index = User

function User:greeting() return "Good day, " .. self.name .. "!" end

api:configure_transformer("/users/*", { input = "json", output = User }, function(json)
  return setmetatable({ login = json.login, name = json.name }, User)
end)

return api

-- Options of plugins that say which requests they are for.
local scope = {}

local common = {
  {
    name = "pattern", type = "pattern",
    description = "The resources that it is for, as for `service:configure`; default: all below `base_url`.",
  },
  { name = "methods", type = "string | string[]", description = "The methods that it is for; default: all." },
}

--- The descriptions of a plugin's options with `pattern` and `methods` behind them.
function scope.options(descriptions)
  local all = table.move(descriptions, 1, #descriptions, 1, {})
  return table.move(common, 1, #common, #all + 1, all)
end

--- Adds a configuration block with the plugin's name for the requests that its options name.
function scope.configure(service, options, name, fn)
  local block = { methods = options.methods, description = name }
  local pattern = options.pattern or service.base_url and "**"
  if pattern then return service:configure(pattern, block, fn) end
  return service:configure(block, fn)
end

return scope

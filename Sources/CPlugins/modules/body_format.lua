-- Plugins that decode bodies of a format for the resources of a pattern, in the stage before the standard
-- transformers.
local rest = require "resthost"
local plugin = require "resthost.plugin"
local scope = require "resthost.scope"

--- The plugin of a format, whose name is that of its transformer in `rest.transformers`. `options` describes
--- those of the transformer.
return function(name, description, types, options)
  local descriptions = table.move(options, 1, #options, 1, {})
  descriptions[#descriptions + 1] = {
    name = "content_types", type = "string[]", default = types, description = "The content types that it is for.",
  }
  return plugin {
    name = name,
    description = description,
    options = scope.options(descriptions),
    use = function(service, given)
      local own = {}
      for _, option in ipairs(options) do own[option.name] = given[option.name] end
      local transformer = rest.transformers[name](own)
      scope.configure(service, given, name, function(c)
        c.pipeline.decoding:add(transformer, { content_types = given.content_types })
      end)
    end,
  }
end

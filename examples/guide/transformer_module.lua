-- Heavy work on content runs on other processors: a module's function in place of one here.
local api = require "service" "transformer_module"

api:configure_transformer("/reports/*", "summaries")

return api

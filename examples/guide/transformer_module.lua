-- Heavy work on content runs on other processors: a module's function replaces a function of this script.
local api = require "service" "transformer_module"

api:configure_transformer("/reports/*", "summaries")

return api

-- For `resthost get`: one service and nothing else, because curl does nothing with the body either.
local rest = require "resthost"

rest.service { name = "api", base_url = "@UPSTREAM@" }

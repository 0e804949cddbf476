-- For `resthost get`: only a service, because curl leaves the body alone too.
local rest = require "resthost"

rest.service { name = "api", base_url = "@UPSTREAM@" }

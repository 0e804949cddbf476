-- A script for the tests of `resthost test`.
local rest = require "resthost"
local shape = require "lib.shape"

local github = rest.service { name = "github", base_url = "https://api.github.com" }

github:configure("/users/**", function(c)
  c.expiration_time = 300
  if os.getenv "TOKEN" then
    c.headers["Authorization"] = "Bearer " .. os.getenv "TOKEN"
  end
end)

github:configure_transformer("/users/*", shape.user)

rest.spawn(function()
  rest.sleep(60)
  print("a minute is over")
end)

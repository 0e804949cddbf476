local t = require "resthost.test"

t.test("never", function() end

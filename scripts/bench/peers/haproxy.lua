local cjson = require "cjson"
local map_records = require "map_records"

core.register_service("cold", "http", function(applet)
  -- HAProxy allows one request per client object.
  local answer = core.httpclient():get { url = "http://127.0.0.1:@UPSTREAM_PORT@/records.json" }
  if answer.status ~= 200 then
    applet:set_status(502)
    applet:start_response()
    return
  end
  local body = cjson.encode(map_records(cjson.decode(answer.body)))
  applet:set_status(200)
  applet:add_header("Content-Type", "application/json")
  applet:add_header("Content-Length", #body)
  applet:start_response()
  applet:send(body)
end)

-- The message for people comes from the error's body, if the API sends one.
local rest = require "resthost"
local api = require "service" "error_message"

api:configure("**", function(c)
  c.pipeline.cleanup:add(rest.response_transformer(function(response)
    if response.ok then return response end
    local err = response.error
    return rest.failure(rest.error {
      user_message = err.json.message or err.user_message,
      http_status_code = err.http_status_code, entity = err.entity, cause = err.cause,
    })
  end, "message of the API"))
end)

return api

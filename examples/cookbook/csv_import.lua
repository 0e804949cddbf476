-- Takes a CSV file of any length, and sends each row to an API: ten at a time, while the file still arrives.
--
--   resthost run csv_import.lua
--   curl --data-binary @customers.csv -H 'Content-Type: text/csv' http://127.0.0.1:8080/import
local rest = require "resthost"

local crm = rest.service { name = "crm", base_url = rest.env.CRM_URL or "http://127.0.0.1:8081" }
local most_problems = 100

crm:configure("**", function(c)
  c.retry = { attempts = 4 }
  c.limits = { in_flight = 10, queue = 1000, queue_timeout = 60 }
end)

local function send(row)
  if row.id == rest.null or not (row.email or ""):find "^[^@%s]+@[^@%s]+$" then
    return nil, rest.error { user_message = "a row needs an 'id' and an 'email'" }
  end
  return crm:resource("/customers"):child(tostring(row.id)):request("PUT", { json = row }):await()
end

local gateway = rest.gateway { expose = {}, limits = { stream_body = "10GiB" }, timeout = 3600 }

gateway:route("POST", "/import", { stream = true }, function(request)
  local reader = rest.csv.reader { types = { id = "integer" } }
  local result = { sent = 0, failed = 0, problems = rest.json.array {} }

  local function problem(row, text)
    result.failed = result.failed + 1
    if #result.problems < most_problems then
      result.problems[#result.problems + 1] = { row = row, problem = text }
    end
  end

  -- The rows of one piece go out before the next piece is read, so a slow API slows the upload down.
  local first = 1
  local function send_all(rows)
    rest.gather(rows, 10, function(row, number)
      local entity, err = send(row)
      if entity then result.sent = result.sent + 1 else problem(first + number, tostring(err)) end
      return true
    end)
    first = first + #rows
  end

  for piece in function() return request:read() end do
    local rows, fault = reader:write(piece)
    if not rows then return rest.response { status = 422, json = { fault = fault, before = result } } end
    send_all(rows)
  end
  local rows, fault = reader:finish()
  if not rows then return rest.response { status = 422, json = { fault = fault, before = result } } end
  send_all(rows)
  return result
end)

-- Gives a long list of an API as a CSV file, which is written while the pages are read.
--
--   resthost run csv_export.lua
--   curl -OJ http://127.0.0.1:8080/customers.csv
local rest = require "resthost"
local pages = require "resthost.pages"

local crm = rest.service { name = "crm", base_url = rest.env.CRM_URL or "http://127.0.0.1:8081" }
local columns = { "id", "name", "email", "created_at" }

crm:configure("/customers", function(c) c.retry = true end)

-- Spreadsheets take a text that begins with one of =+-@ for a formula.
local function plain(value)
  return type(value) == "string" and value:find "^[=+%-@\t\r]" and "'" .. value or value
end

local function row(values)
  local fields = {}
  for number, name in ipairs(columns) do
    local value = values[name]
    fields[number] = value == nil and rest.null or plain(value)
  end
  return rest.csv.encode { fields }
end

local gateway = rest.gateway { expose = {}, timeout = 600 }

gateway:route("GET", "/customers.csv", function()
  local head = {
    content_type = "text/csv; charset=utf-8; header=present",
    headers = { ["Content-Disposition"] = 'attachment; filename="customers.csv"' },
  }
  return rest.stream_response(head, function(write)
    write(table.concat(columns, ",") .. "\r\n")
    -- An error in the middle breaks the answer off, so that nobody takes a part for the whole.
    local options = {
      style = "cursor", items = "data", next = "next_cursor", limit = 200, max_items = 1000000,
    }
    for customer in pages.each(crm:resource "/customers", options) do write(row(customer)) end
  end)
end)

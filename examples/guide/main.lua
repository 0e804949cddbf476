-- Uses every script of this folder once, against the API in fixtures/. See `run`.
local rest = require "resthost"

local function show(name, content, err)
  print(name .. ": " .. (content and rest.json.encode(content) or err.user_message))
end

local global_header = require "global_header"
local knobs = require "knobs"
local predicate = require "predicate"
local changing_token = require "changing_token"
local login_on_401 = require "login_on_401"
local token_refresh = require "token_refresh"
local by_hand = require "token_refresh_by_hand"
local model_mapping = require "model_mapping"
local custom_stages = require "custom_stages"
local content_type = require "content_type"
local error_message = require "error_message"
local parses_once = require "parses_once"
local transformer_module = require "transformer_module"

local credentials = { user = "ada", password = "engine" }

rest.spawn(function()
  local echo = global_header:resource("/-/echo"):get()
  show("global_header", { secret = echo.headers["x-app-secret"] })

  local knob = knobs:resource("/rooms/kitchen/knob")
  show("knobs", knob:get())
  show("knobs, a second later", { up_to_date = rest.sleep(1) or knob.is_up_to_date })

  show("predicate", { key = predicate:resource("/-/echo"):get().headers["x-key"] })

  local session = changing_token:resource("/-/login")
  session:load_using(session:request("POST", { json = credentials })):await()
  show("changing_token", changing_token:resource("/private/notes"):get())

  show("login_on_401", login_on_401:resource("/private/notes"):get())
  show("token_refresh", token_refresh:resource("/private/notes"):get())
  show("token_refresh_by_hand", by_hand:resource("/private/notes"):get())
  show("model_mapping", model_mapping:resource("/users/ada"):get())
  print("model_mapping: " .. model_mapping:resource("/users/ada").latest_data.content:greeting())
  show("custom_stages", custom_stages:resource("/users/ada"):get())
  show("content_type", content_type:resource("/reports/g"):get())
  show("transformer_module", transformer_module:resource("/reports/g"):get())
  show("error_message", error_message:resource("/private/notes"):get())

  local ada = parses_once:resource("/users/ada")
  rest.all { ada:load_if_needed(), ada:load_if_needed() }
  show("parses_once", ada:get())
end)

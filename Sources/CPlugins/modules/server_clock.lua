-- Signs with the time of a server, when the clock of this machine is wrong.
local rest = require "resthost"
local dates = require "resthost.dates"

local server_clock = {}

-- A difference that servers accept.
local most_seconds = 30

--- Calls `ask(now)`, which gives a value, or nil, a message and a refusal with `status` and `headers`. When a
--- server refuses, and its time is another one, it is called once more with that time.
function server_clock.with_time(ask)
  local value, err, refusal = ask(rest.now())
  if value or not refusal or not refusal.headers then return value, err, refusal end
  if refusal.status ~= 400 and refusal.status ~= 401 then return nil, err, refusal end
  local theirs = dates.of_http(refusal.headers.Date)
  if not theirs or math.abs(theirs - rest.now()) <= most_seconds then return nil, err, refusal end
  local off = ("%.0f s"):format(rest.now() - theirs)
  rest.log.warn("the clock of this machine differs from the server's", { difference = off })
  return ask(theirs)
end

return server_clock

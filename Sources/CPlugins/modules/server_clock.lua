-- Signs with the time of a server, when the clock of this machine is wrong.
local rest = require "resthost"
local dates = require "resthost.dates"

local server_clock = {}

-- A difference that servers accept.
local most_seconds = 30

--- A clock for the times in signatures to one server.
function server_clock.new() return { ahead = 0 } end

--- Calls `ask(now)`, which gives a value, or nil, a message and a refusal with `status` and `headers`. When
--- the server refuses and has another time, `ask` is called once more with that. The clock keeps it.
function server_clock.with_time(clock, ask)
  local ours = rest.now() + clock.ahead
  local value, err, refusal = ask(ours)
  if value or not refusal or not refusal.headers then return value, err, refusal end
  if refusal.status ~= 400 and refusal.status ~= 401 then return nil, err, refusal end
  local theirs = dates.of_http(refusal.headers.Date)
  if not theirs or math.abs(theirs - ours) <= most_seconds then return nil, err, refusal end
  clock.ahead = theirs - rest.now()
  local seconds = ("%.0f"):format(clock.ahead)
  rest.log.warn("the clock of this machine is not the server's", { seconds_ahead = seconds })
  return ask(theirs)
end

return server_clock

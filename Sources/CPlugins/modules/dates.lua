-- Dates in texts, as Unix seconds.
local dates = {}

local months = {}
for month in ("Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec"):gmatch "%a+" do
  months[#months + 1] = month
  months[month] = #months
end

-- Years begin in March here, so that the day that comes and goes is their last.
local function days_since_1970(year, month, day)
  if month <= 2 then year, month = year - 1, month + 12 end
  local days = 365 * year + year // 4 - year // 100 + year // 400
  return days + (153 * (month - 3) + 2) // 5 + day - 719469
end

local function seconds(year, month, day, hour, minute, second)
  if not year or not month then return nil end
  local days = days_since_1970(tonumber(year), tonumber(month), tonumber(day))
  return days * 86400 + tonumber(hour) * 3600 + tonumber(minute) * 60 + tonumber(second)
end

--- The time of a header such as `Date`, `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110 5.6.7), else nil.
function dates.of_http(text)
  local pattern = "^%a+, (%d%d) (%a%a%a) (%d%d%d%d) (%d%d):(%d%d):(%d%d) GMT$"
  local day, month, year, hour, minute, second = tostring(text):match(pattern)
  return seconds(year, months[month], day, hour, minute, second)
end

--- The time of a text such as `1994-11-06T08:49:37Z` (RFC 3339), else nil.
function dates.of_iso(text)
  local pattern = "^(%d%d%d%d)%-(%d%d)%-(%d%d)[Tt ](%d%d):(%d%d):(%d%d)%.?%d*(.*)$"
  local year, month, day, hour, minute, second, zone = tostring(text):match(pattern)
  if not year then return nil end
  local time = seconds(year, month, day, hour, minute, second)
  if zone == "Z" or zone == "z" then return time end
  local sign, zone_hours, zone_minutes = zone:match "^([+-])(%d%d):(%d%d)$"
  if not sign then return nil end
  local offset = tonumber(zone_hours) * 3600 + tonumber(zone_minutes) * 60
  return sign == "+" and time - offset or time + offset
end

return dates

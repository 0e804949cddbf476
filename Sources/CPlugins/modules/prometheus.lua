-- Asks the query API of Prometheus.
local rest = require "resthost"
local plugin = require "resthost.plugin"

local special = { NaN = 0 / 0, ["+Inf"] = math.huge, ["Inf"] = math.huge, ["-Inf"] = -math.huge }

-- Values come as texts, because JSON has no NaN.
local function number_of(text) return special[text] or tonumber(text) end

local function failure(message, url)
  return rest.error {
    user_message = "Prometheus failed",
    cause = { type = "prometheus", message = message, url = url },
  }
end

-- The `data` of an answer, or nil and an error. Its warnings go to the log.
local function ask(resource)
  local answer, err = resource:get()
  if not answer then return nil, err end
  if type(answer) ~= "table" or answer.status == nil then
    return nil, failure("the answer is none of Prometheus: " .. resource.url, resource.url)
  end
  if answer.status ~= "success" then
    return nil, failure(("%s: %s"):format(answer.errorType, answer.error), resource.url)
  end
  local warnings = type(answer.warnings) == "table" and answer.warnings or {}
  for _, warning in ipairs(warnings) do rest.log.warn("prometheus", { warning = warning }) end
  return answer.data
end

local function sample(labels, pair)
  return { labels = labels, time = pair[1], value = number_of(pair[2]) }
end

-- Each kind of result as a list of series.
local shapes = {}

function shapes.vector(result)
  local list = rest.json.array {}
  for number, one in ipairs(result) do
    list[number] = one.value and sample(one.metric, one.value)
      or { labels = one.metric, time = one.histogram[1], histogram = one.histogram[2] }
  end
  return list
end

function shapes.matrix(result)
  local list = rest.json.array {}
  for number, one in ipairs(result) do
    local values = rest.json.array {}
    for place, pair in ipairs(one.values or {}) do
      values[place] = { time = pair[1], value = number_of(pair[2]) }
    end
    list[number] = { labels = one.metric, values = values, histograms = one.histograms }
  end
  return list
end

function shapes.scalar(result) return { sample({}, result) } end

function shapes.string(result) return { { labels = {}, time = result[1], value = result[2] } } end

local function series_of(service, path, parameters)
  local resource = service:resource("/api/v1/" .. path):with_params(parameters)
  local data, err = ask(resource)
  if err then return nil, err end
  local kind = type(data) == "table" and data.resultType
  local shape = shapes[kind]
  if not shape then return nil, failure("unknown type of result: " .. tostring(kind), resource.url) end
  local is_whole, series = pcall(shape, data.result)
  if is_whole then return series end
  return nil, failure(("the result is no %s: %s"):format(kind, resource.url), resource.url)
end

local function query(service, expression, options)
  return series_of(service, "query", {
    query = expression, time = options.time, timeout = options.timeout and options.timeout .. "s",
  })
end

local function range(service, expression, options)
  return series_of(service, "query_range", {
    query = expression, start = options.start, ["end"] = options.stop or rest.now(), step = options.step,
    timeout = options.timeout and options.timeout .. "s",
  })
end

local function values(service, label)
  return ask(service:resource("/api/v1/label"):child(rest.raw(rest.url.encode(label))):child("values"))
end

local timeout = {
  name = "timeout", type = "number", least = 0, unit = "seconds",
  description = "The time that Prometheus may take.",
}

return plugin {
  name = "prometheus",
  description = "Asks the query API of Prometheus; its address is the service's `base_url`.",
  functions = {
    {
      name = "query", call = query, options_at = 3,
      signature = "(service: service, expression: string, options?: { ... }) -> table[] | nil, error",
      description = "Evaluates an expression: a list of series, each with `labels`, `time` and `value`. "
        .. "For a range vector each has `values`.",
      options = {
        { name = "time", type = "number", description = "The time, in Unix seconds; default: now." },
        timeout,
      },
    },
    {
      name = "range", call = range, options_at = 3,
      signature = "(service: service, expression: string, options: { ... }) -> table[] | nil, error",
      description = "Evaluates an expression over a time: a list of series, each with `labels` and `values`.",
      options = {
        { name = "start", type = "number", required = true, description = "The beginning, in Unix seconds." },
        { name = "stop", type = "number", description = "The end, in Unix seconds; default: now." },
        {
          name = "step", type = "number", least = 0.001, unit = "seconds", required = true,
          description = "The time between two values.",
        },
        timeout,
      },
    },
    {
      name = "values", call = values,
      signature = "(service: service, label: string) -> string[] | nil, error",
      description = "All values of a label, such as `job`.",
    },
  },
}

#!/usr/bin/env python3
"""Tests the plugin `prometheus` against Prometheus itself (Debian: prometheus), which scrapes itself."""

import pathlib
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import plugin_host as host

CONFIG = """
global: { scrape_interval: 1s }
scrape_configs:
  - job_name: itself
    static_configs: [ { targets: [ "127.0.0.1:PORT" ], labels: { place: "here é" } } ]
"""

SCRIPT = r"""
local api = rest.service { name = "prometheus", base_url = "http://127.0.0.1:PORT" }
api:configure("**", function(c) c.expiration_time = 0 end)
local prometheus = require "resthost.prometheus"

local function value(expression) return prometheus.query(api, expression)[1].value end

rest.spawn(function()
  local up
  for _ = 1, 100 do
    up = prometheus.query(api, 'up{job="itself"}')
    if up[1] and up[1].value == 1 then break end
    rest.sleep(0.1)
  end
  emit("up", { up[1].labels.job, up[1].labels.place, up[1].value })
  emit("recent", math.abs(up[1].time - rest.now()) < 10)
  emit("numbers", {
    value "1.5e3", value "1/0" == math.huge, value "-1/0" == -math.huge, value "0/0" ~= value "0/0",
    value "vector(1/0)" == math.huge,
  })
  emit("text", value '"hello"')
  emit("none", prometheus.query(api, "no_such_metric"))
  emit("then", prometheus.query(api, "time()", { time = 1000.5 })[1].value)
  local series = prometheus.range(api, "time() * 2", { start = 1000, stop = 1030, step = 10 })
  local numbers = {}
  for _, one in ipairs(series[1].values) do numbers[#numbers + 1] = { one.time, one.value } end
  emit("range", numbers)
  local matrix = prometheus.query(api, 'up{job="itself"}[1m]')
  emit("matrix", matrix[1].labels.job .. " " .. type(matrix[1].values[1].value))
  emit("jobs", prometheus.values(api, "job"))
  local _, err = prometheus.query(api, "sum(")
  emit("wrong", { err.http_status_code, tostring(err) })
  _, err = prometheus.range(api, "up", { start = 0, stop = 1000000, step = 1 })
  emit("too many", tostring(err))
  _, err = prometheus.values(api, "no-such-label!")
  emit("label", tostring(err))
  local page = rest.service { name = "page", base_url = "http://127.0.0.1:PORT/static" }
  _, err = prometheus.query(page, "up")
  emit("elsewhere", tostring(err))
end)
"""

program = host.program("prometheus", "prometheus")
port = str(host.free_port())
with tempfile.TemporaryDirectory() as folder:
    config = pathlib.Path(folder) / "prometheus.yml"
    config.write_text(CONFIG.replace("PORT", port))
    server = subprocess.Popen(
        [
            program,
            f"--config.file={config}",
            f"--storage.tsdb.path={folder}/data",
            f"--web.listen-address=127.0.0.1:{port}",
        ],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        host.wait_for(f"http://127.0.0.1:{port}/-/ready", server)
        values = host.run(SCRIPT.replace("PORT", port))
    finally:
        server.terminate()
        server.wait()

host.check("up", values["up"], ["itself", "here é", 1])
host.check("time", values["recent"], True)
host.check("numbers", values["numbers"], [1500, True, True, True, True])
host.check("a text", values["text"], "hello")
host.check("no series", values["none"], [])
host.check("a time", values["then"], 1000.5)
host.check("a range", values["range"], [[1000, 2000], [1010, 2020], [1020, 2040], [1030, 2060]])
host.check("a range vector", values["matrix"], "itself number")
host.check("values of a label", values["jobs"], ["itself"])
host.check("status of a wrong expression", values["wrong"][0], 400)
host.check_contains("a wrong expression", values["wrong"][1], "parse error")
host.check_contains("too many values", values["too many"], "exceeded maximum resolution")
host.check_contains("a wrong label", values["label"], "invalid label name")
host.check_contains("another server", values["elsewhere"], "404")
print("prometheus: instant and range queries, special numbers, labels and errors with Prometheus")

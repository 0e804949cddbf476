#!/usr/bin/env python3
"""Tests the plugin `pages` against the Docker registry, whose catalogue has Link headers."""

import sys

sys.dont_write_bytecode = True
import plugin_host as host
import registry_server

SCRIPT = r"""
local api = rest.service { name = "registry", base_url = "URL" }
api:configure("**", function(c) c.headers["Authorization"] = "Bearer TOKEN" end)
local pages = require "resthost.pages"
local catalogue = api:resource("/v2/_catalog")

rest.spawn(function()
  local sizes = {}
  for _, limit in ipairs { 1, 2, 5, 100 } do
    local names, err = pages.all(catalogue, { items = "repositories", limit_parameter = "n", limit = limit })
    sizes[#sizes + 1] = names and #names or tostring(err)
    emit("names", names)
  end
  emit("sizes", sizes)
  local first = {}
  for name in pages.each(catalogue, { items = "repositories", limit_parameter = "n", limit = 2 }) do
    first[#first + 1] = name
    if #first == 3 then break end
  end
  emit("first", first)
  local _, err, some = pages.all(catalogue, {
    items = "repositories", limit_parameter = "n", limit = 2, max_pages = 2,
  })
  emit("limited", { tostring(err), #some })
end)
"""

with registry_server.registry() as (url, tokens):
    names = [f"team/image-{number}" for number in range(7)]
    for name in names:
        registry_server.push(url, tokens, name, ["latest"])
    token = tokens.sign(["registry:catalog:*"])
    values = host.run(SCRIPT.replace("URL", url).replace("TOKEN", token))

host.check("names", values["names"], names)
host.check("pages of all sizes", values["sizes"], [7, 7, 7, 7])
host.check("a loop that is left", values["first"], names[:3])
host.check_contains("max_pages", values["limited"][0], "more pages than 'max_pages' (2)")
host.check("items before the limit", values["limited"][1], 4)
print("pages: Link headers of the Docker registry, with pages of four sizes")

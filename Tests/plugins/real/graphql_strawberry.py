#!/usr/bin/env python3
"""Tests the plugin `graphql` against a server made with strawberry."""

import json
import subprocess
import sys
import urllib.request

sys.dont_write_bytecode = True
import plugin_host as host

host.use_packages("strawberry-graphql", "starlette", "uvicorn")

SCRIPT = """
local api = rest.service { name = "api", base_url = "http://127.0.0.1:PORT" }
api:use("graphql", { path = "/graphql/", OPTIONS })
local graphql = require "resthost.graphql"
local USER = "query User($login: String!) { user(login: $login) { login email } }"
"""

JOBS = """
rest.spawn(function()
  for _ = 1, 3 do emit("user", graphql.query(api, USER, { login = "ada" })) end
  local data, err, partial = graphql.query(api, "{ users { login email } }")
  emit("partial", { data = data == nil, path = err.path, partial = partial, text = tostring(err) })
  data, err = graphql.query(api, "{ nothing }")
  emit("invalid", tostring(err))
  local add = "mutation Add($text: String!) { addNote(text: $text) }"
  local first = graphql.query(api, add, { text = "a" })
  emit("added", { first, graphql.query(api, add, { text = "b" }) })
  local results = rest.all {
    function() return graphql.query(api, USER, { login = "x" }) end,
    function() return graphql.query(api, USER, { login = "y" }) end,
    function()
      local data, err, partial = graphql.query(api, "query Broken { users { email } }")
      return { path = err.path, first = partial.users[1].email }
    end,
  }
  emit("together", results)
  local numbers = {}
  local count = "subscription C($to: Int!) { count(to: $to) }"
  local ok, err = graphql.subscribe(api, count, { to = 4 }, function(data)
    numbers[#numbers + 1] = data.count
  end)
  emit("subscription", { ok = ok, numbers = numbers, err = err and tostring(err) })
  local seen = {}
  ok, err = graphql.subscribe(api, "subscription { failing }", {}, function(data, err)
    seen[#seen + 1] = data and data.failing or tostring(err)
  end)
  emit("failing", { ok = ok, seen = seen, err = err and tostring(err) })
  local refusals = {}
  ok, err = graphql.subscribe(api, "subscription { nothing }", {}, function(_, why)
    refusals[#refusals + 1] = tostring(why)
  end)
  emit("refused", { ok = ok, refusals = refusals, err = err and tostring(err) })
  local data, err = graphql.subscription(api, "subscription { count(to: 1) }"):get()
  emit("stream", data or tostring(err))
end)
"""


def counts(port):
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/-/counts") as answer:
        return json.load(answer)


def run(options):
    port = host.free_port()
    server = subprocess.Popen(
        [sys.executable, str(host.HERE / "graphql_server.py"), str(port)], stderr=subprocess.DEVNULL
    )
    try:
        host.wait_for(f"http://127.0.0.1:{port}/-/counts", server)
        script = (SCRIPT + JOBS).replace("PORT", str(port)).replace("OPTIONS", options)
        values = host.run(script)
        return values, counts(port)
    finally:
        server.terminate()
        server.wait()


def check_values(values):
    host.check("user", values["user"], {"user": {"login": "ada", "email": "ada@example.com"}})
    partial = values["partial"]
    host.check("no data", partial["data"], True)
    host.check("path", partial["path"], ["users", 1, "email"])
    host.check(
        "partial data", [user["email"] for user in partial["partial"]["users"]], ["ada@example.com", None]
    )
    host.check_contains("error", partial["text"], "bob hides his email")
    host.check_contains("invalid", values["invalid"], "Cannot query field 'nothing'")
    host.check("mutations", values["added"], [{"addNote": 1}, {"addNote": 2}])
    host.check(
        "together",
        [values["together"][0]["user"]["login"], values["together"][1]["user"]["login"]],
        ["x", "y"],
    )
    host.check(
        "error together", values["together"][2], {"path": ["users", 1, "email"], "first": "ada@example.com"}
    )
    host.check("subscription", values["subscription"], {"ok": True, "numbers": [1, 2, 3, 4]})
    host.check("failing subscription", values["failing"]["seen"][0], 1)
    host.check_contains("failing subscription", values["failing"], "the sensor broke")
    host.check_contains("refused subscription", values["refused"], "Cannot query field 'nothing'")
    host.check("stream", values["stream"], {"count": 1})


values, plain = run("")
check_values(values)
host.check("one request for three equal queries", plain["users"], 3)
host.check("no lists", plain["lists"], 0)

values, batched = run("batch = true, persisted = true")
check_values(values)
host.check("equal queries", batched["users"], 3)
if batched["lists"] < 1 or batched["hashes"] < 1:
    sys.exit(f"expected lists and hashes, got {batched}")
if batched["requests"] >= plain["requests"] + batched["hashes"]:
    sys.exit(f"batches saved no request: {batched}, without them {plain}")

print(
    "graphql: queries, errors with partial data, mutations, batches, persisted documents and subscriptions "
    "with strawberry"
)

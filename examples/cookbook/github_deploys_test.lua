local t = require "resthost.test"

local host

t.before_each(function() host = t.load "github_deploys.lua" end)

local count = 0

-- Sends a webhook with the signature that GitHub would give it.
local function send(kind, payload, secret)
  local rest = host.rest
  count = count + 1
  local body = rest.json.encode(payload)
  local signature = rest.hex.encode(rest.crypto.hmac_sha256(secret or "a secret for trying out", body))
  return host:request("POST", "/github", {
    body = body,
    headers = {
      ["Content-Type"] = "application/json", ["X-GitHub-Event"] = kind,
      ["X-GitHub-Delivery"] = "delivery-" .. count,
      ["X-Hub-Signature-256"] = "sha256=" .. signature,
    },
  })
end

local function push(commit, ref)
  return {
    ref = ref or "refs/heads/main", after = commit, repository = { full_name = "a/b" },
    pusher = { name = "ada" },
  }
end

t.test("a push is deployed", function()
  local stub = host:stub("POST", "http://127.0.0.1:8081/deploy", {})
  t.equal(send("push", push "c1").status, 202)
  host:settle()
  t.equal(host.rest.json.decode(stub.requests[1].body), { repository = "a/b", commit = "c1", by = "ada" })
  t.equal(host:request("GET", "/deployments").json, { { commit = "c1", by = "ada", ok = true } })
end)

t.test("pushes during a deployment are deployed together", function()
  local stub = host:stub("POST", "http://127.0.0.1:8081/deploy", { gated = true })
  for _, commit in ipairs { "c1", "c2", "c3" } do send("push", push(commit)) end
  stub:go()
  host:settle()
  local commits = {}
  for number, one in ipairs(host:request("GET", "/deployments").json) do commits[number] = one.commit end
  t.equal(commits, { "c3", "c1" })
end)

t.test("other branches and events are ignored, and a wrong signature is refused", function()
  local stub = host:stub("POST", "http://127.0.0.1:8081/deploy", {})
  t.equal(send("push", push("c1", "refs/heads/dev")).json, { ignored = "push" })
  t.equal(send("ping", { zen = "Keep it simple." }).json, { zen = "Keep it simple." })
  t.equal(send("push", push "c1", "another secret").status, 401)
  host:settle()
  t.equal(#stub.requests, 0)
end)

t.test("a deployment that fails is in the history", function()
  host:stub("POST", "http://127.0.0.1:8081/deploy", { status = 500, json = { error = "no space left" } })
  send("push", push "c1")
  host:settle()
  t.matches(host:request("GET", "/deployments").json[1].reason, "no space left")
end)

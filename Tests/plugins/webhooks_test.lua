-- Webhooks: wrong signatures, replays, limits, and functions that fail.
local t = require "resthost.test"
local deliveries = require "support.deliveries"

local receiving, count, post = deliveries.receiving, deliveries.count, deliveries.post
local github = deliveries.github
local NOW, GITHUB = deliveries.NOW, deliveries.GITHUB

t.describe("GitHub", function()
  t.test("has the signature of its documentation", function()
    t.equal(github("Hello, World!", "1")["X-Hub-Signature-256"],
      "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17")
    local host = receiving(GITHUB)
    t.equal(post(host, "Hello, World!", github("Hello, World!", "1")).status, 204)
  end)

  t.test("gives the event its ID, its type and the decoded body", function()
    local host, body = receiving(GITHUB), '{ "ref": "main" }'
    t.equal(post(host, body, github(body, "72d3162e")).status, 204)
    local event = host.rest.store:get "event"
    t.equal({ event.id, event.type, event.provider, event.timestamp }, { "72d3162e", "push", "github", NOW })
    t.equal(event.payload.ref, "main")
    t.equal(event.body, body)
  end)

  t.test("gets 401 for a wrong or missing signature, and the function doesn't run", function()
    local host = receiving(GITHUB)
    local changed = github("{}", "1")
    t.equal(post(host, "{} ", changed).status, 401)
    t.equal(post(host, "{}", github("{}", "1", "another secret")).status, 401)
    local missing = post(host, "{}", { ["X-GitHub-Delivery"] = "1" })
    t.equal(missing.status, 401)
    t.matches(missing.body, "the header X-Hub-Signature-256 is missing")
    for _, text in ipairs { "", "sha256=", "sha256=zz", "sha1=" .. ("0"):rep(40), ("0"):rep(64) } do
      t.equal(post(host, "{}", { ["X-Hub-Signature-256"] = text }).status, 401)
    end
    t.equal(count(host), 0)
  end)

  t.test("gets 409 for a replay within the tolerance, which is not called again", function()
    local host = receiving(GITHUB)
    t.equal(post(host, "{}", github("{}", "1")).status, 204)
    t.equal(post(host, "{}", github("{}", "1")).status, 409)
    host:advance(299)
    t.equal(post(host, "{}", github("{}", "1")).status, 409)
    t.equal(post(host, "{}", github("{}", "2")).status, 204)
    host:advance(3)
    t.equal(post(host, "{}", github("{}", "1")).status, 204)
    t.equal(count(host), 3)
  end)

  t.test("gets 413 for a body beyond the gateway's limit", function()
    local host, body = receiving(GITHUB), ("x"):rep(1001)
    t.equal(post(host, body, github(body, "1")).status, 413)
    t.equal(count(host), 0)
  end)

  t.test("can have one of several secrets", function()
    local host = receiving [[{ provider = "github", secret = { "the new secret", "the old secret" } }]]
    t.equal(post(host, "{}", github("{}", "1", "the old secret")).status, 204)
    t.equal(post(host, "{}", github("{}", "2", "the new secret")).status, 204)
    t.equal(post(host, "{}", github("{}", "3", "no secret of it")).status, 401)
  end)
end)

t.describe("a function that fails", function()
  t.test("gets 500 for an error, and the next delivery counts", function()
    local host = receiving(GITHUB, [[if rest.store:get "count" == 1 then error "the database is away" end]])
    t.equal(post(host, "{}", github("{}", "1")).status, 500)
    t.equal(post(host, "{}", github("{}", "1")).status, 204)
    t.equal(post(host, "{}", github("{}", "1")).status, 409)
    t.equal(count(host), 2)
  end)

  t.test("gets 500 for nil and a reason, which the sender doesn't see", function()
    local host = receiving(GITHUB, [[if rest.store:get "count" == 1 then return nil, "a private reason" end]])
    local answer = post(host, "{}", github("{}", "1"))
    t.equal(answer.status, 500)
    t.assert(not answer.body:find "private")
    t.equal(post(host, "{}", github("{}", "1")).status, 204)
  end)

  t.test("of too much time lets the delivery come again after the tolerance", function()
    local host = receiving(GITHUB, [[while rest.store:get "count" == 1 do end]])
    t.equal(post(host, "{}", github("{}", "1")).status, 500)
    host:advance(301)
    t.equal(post(host, "{}", github("{}", "1")).status, 204)
  end)

  t.test("gives its own answer", function()
    local host = receiving(GITHUB, [[return rest.response { status = 202, json = { taken = true } }]])
    local answer = post(host, "{}", github("{}", "1"))
    t.equal({ answer.status, answer.body }, { 202, '{"taken":true}' })
  end)

  t.test("keeps out the same delivery while it waits", function()
    local host = receiving(GITHUB, "rest.sleep(10)")
    local first
    host.rest.spawn(function() first = post(host, "{}", github("{}", "1")) end)
    host:advance(1)
    t.equal(post(host, "{}", github("{}", "1")).status, 409)
    host:advance(9)
    t.equal(first.status, 204)
    t.equal(count(host), 1)
  end)
end)

t.describe("options of route", function()
  local function problem(options)
    local message = t.raises(function() receiving(options) end)
    return message
  end

  t.test("are checked", function()
    t.matches(problem [[{ provider = "gitlab", secret = "key of ours" }]], [["github" | "stripe"]])
    t.matches(problem [[{ provider = "github" }]], "option 'secret' is missing")
    t.matches(problem [[{ provider = "github", secret = {} }]], "there is no secret")
    t.matches(problem [[{ provider = "github", secret = "" }]], "is empty")
    t.matches(problem [[{ provider = "standard", secret = "whsec_!" }]], "16 bytes or more in base64")
    t.matches(problem [[{ provider = "github", secret = "key of ours", header = "X" }]], "is for provider = ")
    t.matches(problem [[{ provider = "github", secret = "key of ours", tolerance = 0 }]], "(1 to 86400)")
    t.matches(problem [[{ provider = "github", secret = "k", tolerence = 9 }]], "did you mean 'tolerance'?")
  end)
end)

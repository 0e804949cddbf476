-- Where the plugin aws_sigv4 finds credentials: a file of profiles, and the metadata of an instance.
local t = require "resthost.test"

local PROFILES = "fixtures/aws_profiles"
local ROLES = "http://169.254.169.254/latest/meta-data/iam/security-credentials/"

local function signing(options)
  local host = t.host()
  local api = host.rest.service { name = "api", base_url = "https://api.example.com" }
  options.service, options.region = "sqs", "us-east-1"
  api:use("resthost.aws_sigv4", options)
  return api, host, host:stub("*", "https://api.example.com/**", { json = { ok = true } })
end

local function key_of(request) return request.headers.authorization:match "Credential=([^/]+)/" end

t.describe("a profile", function()
  t.test("gives its keys and its token", function()
    local api, _, stub = signing { profile = "work", credentials_file = PROFILES }
    t.assert(api:resource("/a"):request("GET"):await())
    t.equal(key_of(stub.requests[1]), "AKIDWORK")
    t.equal(stub.requests[1].headers["x-amz-security-token"], "a-token-of-work")
  end)

  t.test("is 'default' when no option and no variable names one", function()
    local api, _, stub = signing { credentials_file = PROFILES }
    t.assert(api:resource("/a"):request("GET"):await())
    t.equal(key_of(stub.requests[1]), "AKIDDEFAULT")
  end)

  for name, case in pairs {
    ["that is not in the file"] = { "home", "fixtures/aws_profiles has no profile 'home'" },
    ["without keys"] = { "role", "profile 'role' of fixtures/aws_profiles has no keys: for roles" },
    ["with half of its keys"] = { "half", "fixtures/aws_profiles has no 'secret_access_key'" },
  } do
    t.test(name .. " is an error", function()
      local api = signing { profile = case[1], credentials_file = PROFILES }
      local _, err = api:resource("/a"):request("GET"):await()
      t.matches(tostring(err), case[2])
    end)
  end

  t.test("in a file that may not be read is an error", function()
    local api = signing { profile = "work", credentials_file = "/etc/aws_profiles" }
    local _, err = api:resource("/a"):request("GET"):await()
    t.matches(tostring(err), "/etc/aws_profiles")
    t.matches(tostring(err), "--allow-read")
  end)
end)

t.describe("an instance's metadata", function()
  local function instance(answer)
    local api, host, stub = signing { credentials_file = "fixtures/no_such_file" }
    local token = host:stub("PUT", "http://169.254.169.254/latest/api/token", { text = "metadata-token" })
    host:stub("GET", ROLES, {
      text = "a role\n", when = { headers = { ["X-aws-ec2-metadata-token"] = "metadata-token" } },
    })
    local role = host:stub("GET", ROLES .. "a%20role", answer)
    return api, host, stub, token, role
  end

  t.test("gives keys to a request with a token", function()
    local api, _, stub, token, role = instance {
      json = {
        Code = "Success", AccessKeyId = "ASIAROLE", SecretAccessKey = "a-secret-of-the-role",
        Token = "a-role-token", Expiration = "2015-08-30T18:00:00Z",
      },
    }
    t.assert(api:resource("/a"):request("GET"):await())
    t.equal(key_of(stub.requests[1]), "ASIAROLE")
    t.equal(stub.requests[1].headers["x-amz-security-token"], "a-role-token")
    t.equal(token.requests[1].headers["x-aws-ec2-metadata-token-ttl-seconds"], "21600")
    t.equal(role.requests[1].headers["x-aws-ec2-metadata-token"], "metadata-token")
    t.equal(role.requests[1].headers.authorization, nil)
  end)

  t.test("expires at the time in its answer", function()
    local api, host, _, token = instance {
      json = {
        AccessKeyId = "ASIAROLE", SecretAccessKey = "a-secret-of-the-role", Token = "a-role-token",
        Expiration = "1970-01-12T16:00:00Z", -- 1,008,000
      },
    }
    t.assert(api:resource("/a"):request("GET"):await())
    host:clock(1007690)
    t.assert(api:resource("/b"):request("GET"):await())
    t.equal(#token.requests, 1)
    host:clock(1007710)
    t.assert(api:resource("/c"):request("GET"):await())
    host:settle()
    t.equal(#token.requests, 2)
  end)

  for name, case in pairs {
    ["an error code"] = { { json = { Code = "AssumeRoleUnauthorized" } }, "'AssumeRoleUnauthorized'" },
    ["HTML"] = { { text = "<html>" }, "security-credentials/a%20role is no JSON object" },
    ["404"] = { { status = 404 }, "a%20role: Not found (404)" },
    ["too long a body"] = { { json = { AccessKeyId = "A", SecretAccessKey = ("s"):rep(70000) } }, "65536" },
  } do
    t.test("that answers with " .. name .. " is an error, with all places that were searched", function()
      local api, _, stub = instance(case[1])
      local _, err = api:resource("/a"):request("GET"):await()
      t.assert(tostring(err):find(case[2], 1, true), tostring(err))
      t.matches(tostring(err), "no credentials for AWS were found")
      t.matches(tostring(err), "environment variable 'AWS_ACCESS_KEY_ID' is not allowed")
      t.matches(tostring(err), "no_such_file")
      t.equal(#stub.requests, 0)
    end)
  end
end)

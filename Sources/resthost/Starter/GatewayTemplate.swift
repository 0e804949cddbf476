extension StarterTemplate {
    /// An API behind a gateway that protects both sides.
    static let gateway = StarterTemplate(
        name: "gateway", purpose: "a gateway with credentials, limits, retries and a route",
        script: #"""
            -- A gateway in front of an API. Clients send plain requests to this machine. The gateway adds the
            -- credentials, answers from memory while data is fresh, and limits what the API gets. Try it:
            --
            --   resthost test                             run the tests in main_test.lua, without a network
            --   resthost run main.lua                     serve it: curl http://127.0.0.1:8080/github/users/octocat
            --   curl http://127.0.0.1:8080/-/health       the state of the host
            local rest = require "resthost"

            local github = rest.service {
              name = "github",
              base_url = "https://api.github.com",
            }

            -- Credentials stay on this side. resthost.toml grants the variable; without it nothing is added.
            github:configure("**", function(c)
              local token = rest.env.GITHUB_TOKEN
              if token then c.headers["Authorization"] = "Bearer " .. token end
            end)

            -- The API gets at most eight requests at once and twenty a second, a few retries, and a pause when it
            -- fails. For an hour, old data stands in for a failure.
            github:configure("**", function(c)
              c.expiration_time = 60
              c.limits = { in_flight = 8, rate = { requests = 20, per = 1 } }
              c.retry = { attempts = 3 }
              c.breaker = true
              c.stale_if_error = 3600
            end)

            local gateway = rest.gateway {
              listen = "127.0.0.1:8080",
              -- Clients see these paths and methods, and no others.
              expose = { github = { paths = { "/users/**", "/repos/**" }, methods = { "GET", "HEAD" } } },
              -- With GATEWAY_TOKEN set, clients must send it: curl -H "Authorization: Bearer $GATEWAY_TOKEN" …
              auth = rest.env.GATEWAY_TOKEN and { bearer = rest.env.GATEWAY_TOKEN } or nil,
              -- A client may send 100 requests a minute. More are answered with 429.
              limits = { per_client = { rate = { requests = 100, per = 60 } } },
              access_log = true,
            }

            -- A path of the gateway's own. An answer is made once a minute, for all clients.
            gateway:route("GET", "/stars/{owner}/{name}", { expiration_time = 60 }, function(request)
              local repository = github:resource("/repos"):child(request.params.owner):child(request.params.name)
              local content, err = repository:get()
              if not content then return nil, err end
              return { repository = content.full_name, stars = content.stargazers_count }
            end)

            """#,
        test: #"""
            -- Tests of main.lua, with stubs in place of the server and a clock that stands still: resthost test
            local t = require "resthost.test"

            local host, user

            t.before_each(function()
              host = t.load "main.lua"
              user = host.services.github:resource("/users/octocat")
            end)

            t.test("data is requested once a minute", function()
              local stub = host:stub("GET", "/users/octocat", { json = { login = "octocat" } })
              t.assert(user:get())
              host:advance(59)
              t.assert(user:get())
              t.equal(#stub.requests, 1)
              host:advance(2)
              t.assert(user:get())
              t.equal(#stub.requests, 2)
            end)

            t.test("a request that fails is sent again", function()
              local count = 0
              host:stub("GET", "/users/octocat", function()
                count = count + 1
                if count < 3 then return { status = 503 } end
                return { json = { login = "octocat" } }
              end)
              local request = user:load()
              host:advance(10)
              t.equal(t.assert(request:await()).json.login, "octocat")
              t.equal(count, 3)
            end)

            t.test("old data stands in while the API fails", function()
              host:stub("GET", "/users/octocat", { json = { login = "octocat" } })
              t.assert(user:get())
              host:advance(61)
              host:stub("GET", "/users/octocat", { error = { type = "connection_failed" } })
              local job = host.rest.spawn(function() return user:get() end)
              host:advance(10) -- the retries
              t.equal(t.assert(job:await()).login, "octocat")
              t.equal(user.latest_error.cause.type, "connection_failed")
            end)

            t.test("a refusal is passed on", function()
              host:stub("GET", "/users/octocat", { status = 404 })
              local _, err = user:get()
              t.equal(err.http_status_code, 404)
            end)

            """#,
        readme: #"""
            # A gateway, for resthost

            `main.lua` serves the GitHub API to this machine, with credentials, limits, retries and a cache.

                resthost test                             # the tests in main_test.lua, without a network
                GITHUB_TOKEN=… resthost run main.lua      # serve it on http://127.0.0.1:8080/github/
                curl http://127.0.0.1:8080/github/users/octocat

            Put your API into `base_url`, and the paths that clients may use into `expose`.
            `resthost.toml` says which variables of the environment the script may read.

            """#,
        settings: #"""
            # Variables of the environment that main.lua may read.
            [permissions]
            env = ["GITHUB_TOKEN", "GATEWAY_TOKEN"]

            """#)
}

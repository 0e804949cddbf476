extension StarterTemplate {
    /// The default: one API, and its resources for this machine.
    static let api = StarterTemplate(
        name: "api", purpose: "how to request an API: a service, two blocks, a transformer, a gateway",
        script: #"""
            -- How to request an API, written down once. Try it:
            --
            --   resthost check main.lua                   find mistakes in this script
            --   resthost explain main.lua /users/octocat  show which blocks apply, and what would be sent
            --   resthost get main.lua /users/octocat      request one resource
            --   resthost test                             run the tests in main_test.lua, without a network
            --   resthost repl main.lua                    try things out, line by line
            --   resthost run main.lua                     serve it: curl http://127.0.0.1:8080/github/users/octocat
            local rest = require "resthost"

            local github = rest.service {
              name = "github",
              base_url = "https://api.github.com",
            }

            -- A block configures the resources whose URL matches its pattern. Blocks run in order, and each sees
            -- what those before it did. "**" is everything below base_url and nothing else: the right place for
            -- credentials.
            github:configure("**", function(c)
              c.headers["Accept"] = "application/vnd.github+json"
              c.headers["User-Agent"] = "resthost"
              -- Variables of the environment are granted by name: resthost run main.lua --allow-env GITHUB_TOKEN
              -- c.headers["Authorization"] = "Bearer " .. rest.env.GITHUB_TOKEN
            end)

            -- Users change seldom: for five minutes their data is given without another request.
            github:configure("/users/**", function(c) c.expiration_time = 300 end)

            -- A transformer decides what callers get. It runs once for each response, however many callers wait.
            github:configure_transformer("/users/*", function(user)
              return { login = user.login, name = user.name, followers = user.followers }
            end)

            -- The gateway serves the resources to this machine, below http://127.0.0.1:8080/github/.
            rest.gateway { listen = "127.0.0.1:8080" }

            """#,
        test: #"""
            -- Tests of main.lua, with stubs in place of the server and a clock that stands still: resthost test
            local t = require "resthost.test"

            local host, user, stub

            t.before_each(function()
              host = t.load "main.lua"
              user = host.services.github:resource("/users/octocat")
              stub = host:stub("GET", "https://api.github.com/users/*", {
                json = { login = "octocat", name = "Mona", followers = 7, id = 583231 },
              })
            end)

            t.test("users are cut down to what is needed", function()
              t.equal(t.assert(user:get()), { login = "octocat", name = "Mona", followers = 7 })
            end)

            t.test("a user is requested again after five minutes", function()
              t.assert(user:get())
              host:advance(299)
              t.assert(user:get())
              t.equal(#stub.requests, 1)
              host:advance(2)
              t.assert(user:get())
              t.equal(#stub.requests, 2)
            end)

            t.test("requests say what they accept", function()
              t.assert(user:get())
              t.equal(stub.requests[1].headers.accept, "application/vnd.github+json")
            end)

            """#,
        readme: #"""
            # An API, for resthost

            `main.lua` says how to request the GitHub API: headers, how long data stays fresh, and what callers get.

                resthost test                             # the tests in main_test.lua, without a network
                resthost get main.lua /users/octocat      # one resource
                resthost run main.lua                     # serve it on http://127.0.0.1:8080/github/

            Put your API into `base_url` first. Then change the blocks, and the tests with them.
            `resthost explain main.lua PATH` shows which block set a value.

            """#)
}

extension StarterTemplate {
    /// Resources that are made of several APIs.
    static let aggregation = StarterTemplate(
        name: "aggregation", purpose: "one resource out of two APIs",
        script: #"""
            -- One answer out of two APIs: clients request /people/octocat, and get what GitHub and GitLab say about
            -- that name. Try it:
            --
            --   resthost test                             run the tests in main_test.lua, without a network
            --   resthost get main.lua people /octocat     request one combined resource
            --   resthost run main.lua                     serve it: curl http://127.0.0.1:8080/people/octocat
            local rest = require "resthost"

            local github = rest.service { name = "github", base_url = "https://api.github.com" }
            local gitlab = rest.service { name = "gitlab", base_url = "https://gitlab.com/api/v4" }

            -- Both APIs: five minutes of freshness, a few retries, and no long wait for one of them.
            for _, api in ipairs { github, gitlab } do
              api:configure("**", function(c)
                c.headers["User-Agent"] = "resthost"
                c.expiration_time = 300
                c.retry = { attempts = 2 }
                c.timeouts.total = 5
              end)
            end

            -- Transformers bring the two answers into one form.
            github:configure_transformer("/users/*", { input = "json" }, function(user)
              return { name = user.name, url = user.html_url }
            end)

            gitlab:configure_transformer("/users", { input = "json" }, function(users)
              if not users[1] then return {} end
              return { name = users[1].name, url = users[1].web_url }
            end)

            -- The combined resources. This service has no API of its own: the function makes the content.
            local people = rest.service { name = "people" }

            people:computed("/{login}", { expiration_time = 60 }, function(params)
              -- Both requests are sent at the same time. An answer that is fresh needs none.
              local on_github = github:resource("/users"):child(params.login)
              local on_gitlab = gitlab:resource("/users"):with_param("username", params.login)
              local _, err = rest.all {
                function() return on_github:get() end,
                function() return on_gitlab:get() end,
              }
              -- The answer needs GitHub. Without GitLab it is incomplete, and says so.
              if not on_github.latest_data then return nil, err end
              return {
                login = params.login,
                github = on_github.json,
                gitlab = on_gitlab.latest_data and on_gitlab.json or rest.null,
                complete = err == nil,
              }
            end)

            -- Clients see the combined resources, and not the two APIs.
            rest.gateway { listen = "127.0.0.1:8080", expose = { people = { paths = { "/*" } } } }

            """#,
        test: #"""
            -- Tests of main.lua, with stubs in place of both servers and a clock that stands still: resthost test
            local t = require "resthost.test"

            local host, person

            t.before_each(function()
              host = t.load "main.lua"
              person = host.services.people:resource("/mona")
              host:stub("GET", "https://api.github.com/users/mona", {
                json = { id = 1, name = "Mona", html_url = "https://github.com/mona" },
              })
              host:stub("GET", "https://gitlab.com/api/v4/users?username=mona", {
                json = { { id = 2, name = "Mona L", web_url = "https://gitlab.com/mona" } },
              })
            end)

            t.test("both answers are in one", function()
              t.equal(t.assert(person:get()), {
                login = "mona",
                github = { name = "Mona", url = "https://github.com/mona" },
                gitlab = { name = "Mona L", url = "https://gitlab.com/mona" },
                complete = true,
              })
            end)

            t.test("without GitLab the answer is incomplete", function()
              host:stub("GET", "https://gitlab.com/**", { status = 404 })
              local answer = t.assert(person:get())
              t.equal(answer.complete, false)
              t.equal(answer.github.name, "Mona")
              t.equal(answer.gitlab, host.rest.null)
            end)

            t.test("without GitHub there is none", function()
              host:stub("GET", "https://api.github.com/**", { status = 404 })
              local _, err = person:get()
              t.equal(err.http_status_code, 404)
            end)

            """#,
        readme: #"""
            # One answer out of two APIs, for resthost

            `main.lua` combines what GitHub and GitLab say about a name into one resource, `/people/NAME`.

                resthost test                             # the tests in main_test.lua, without a network
                resthost get main.lua people /octocat     # one combined resource
                resthost run main.lua                     # serve it: curl http://127.0.0.1:8080/people/octocat

            Put your APIs into the first two services, and bring their answers into one form with transformers.
            A failed part makes the answer incomplete, or an error. Event streams of `/people/NAME` follow both APIs.

            """#)
}

extension StarterTemplate {
    /// Work that runs by the clock, without a gateway.
    static let jobs = StarterTemplate(
        name: "jobs", purpose: "jobs and timers without a gateway",
        script: #"""
            -- Jobs without a gateway: this script looks for new releases of a project every ten minutes, and
            -- reports each one once. Try it:
            --
            --   resthost test                             run the tests in main_test.lua, without a network
            --   resthost run main.lua                     run it until Ctrl-C
            --   resthost status                           what the running host does
            local rest = require "resthost"

            local github = rest.service { name = "github", base_url = "https://api.github.com" }

            -- The program that gets the reports, such as the webhook of a chat.
            local inbox = rest.service { name = "inbox", base_url = "http://127.0.0.1:8082" }

            local project = "/repos/lua/lua"

            -- A request that fails is sent again twice, and each look is a new request.
            github:configure("**", function(c)
              c.headers["User-Agent"] = "resthost"
              c.expiration_time = 0
              c.retry = { attempts = 3 }
            end)

            -- Functions that wait give their result, or nil and an error. In the meantime the other jobs go on.
            local function report(text)
              local _, err = inbox:resource("/messages"):request("POST", { json = { text = text } }):await()
              if err then
                rest.log.error("cannot report", { error = tostring(err) })
                return false
              end
              rest.log.info("reported", { text = text })
              return true
            end

            local function look()
              local tags, err = github:resource(project .. "/tags"):get()
              if not tags then
                rest.log.warn("cannot look for releases", { error = tostring(err) })
                return
              end
              local newest = tags[1] and tags[1].name
              -- The store survives a reload of this script. rest.store.open("state.db") survives the program, too.
              if not newest or newest == rest.store:get("newest") then return end
              if report("new release: " .. newest) then rest.store:set("newest", newest) end
            end

            -- The first look is now, the others every ten minutes. Times of cron work as well:
            -- rest.every("0 9 * * MON-FRI", look)
            rest.spawn(look)
            rest.every(600, look)

            """#,
        test: #"""
            -- Tests of main.lua, with stubs in place of the servers and a clock that stands still: resthost test
            local t = require "resthost.test"

            local host, inbox

            t.before_each(function()
              host = t.load "main.lua"
              inbox = host:stub("POST", "http://127.0.0.1:8082/messages", { status = 201 })
            end)

            local function release(name)
              host:stub("GET", "https://api.github.com/repos/*/*/tags", { json = { { name = name } } })
            end

            t.test("a release is reported once", function()
              release "v1"
              host:settle()
              host:advance(3600)
              t.equal(#inbox.requests, 1)
              t.matches(inbox.requests[1].body, "new release: v1")
            end)

            t.test("the next one is found within ten minutes", function()
              release "v1"
              host:settle()
              release "v2"
              host:advance(600)
              t.equal(#inbox.requests, 2)
              t.matches(inbox.requests[2].body, "new release: v2")
            end)

            t.test("a report that failed is sent again", function()
              release "v1"
              local broken = host:stub("POST", "http://127.0.0.1:8082/messages", { status = 500 })
              host:settle()
              t.equal(#broken.requests, 1)
              inbox = host:stub("POST", "http://127.0.0.1:8082/messages", { status = 201 })
              host:advance(600)
              t.equal(#inbox.requests, 1)
            end)

            """#,
        readme: #"""
            # Jobs, for resthost

            `main.lua` looks for new releases of a project every ten minutes, and reports each one to a webhook.

                resthost test                             # the tests in main_test.lua, without a network
                mkdir -p inbox/messages && resthost fixtures inbox --listen 127.0.0.1:8082 &   # takes the reports
                resthost run main.lua                     # run it until Ctrl-C

            Put your API and your webhook into the two services, and your work into `look`.
            `resthost install-service main.lua` writes the files that systemd needs.

            """#)
}

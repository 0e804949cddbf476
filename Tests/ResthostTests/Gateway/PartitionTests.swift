import RestEngine
import RestScript
import TestSupport
import Testing

@testable import resthost

/// Partitions of clients, through `host:request` (rules 77).
@EngineActor
struct PartitionTests {
    /// Each client reads its own partition.
    private static let byName = """
        decorated = {}
        gateway:route("GET", "/decorated", function() return decorated end)
        gateway:before("/api/**", function(request) request.partition = request.client.name end)
        api:configure("**", function(c)
          c:mutate_requests(function(draft) draft.headers["X-Tenant"] = draft.partition end)
          c:decorate_requests(function(resource, request)
            table.insert(decorated, resource.partition)
            return request
          end)
        end)

        """

    @Test func `77.3 a hook chooses the partition, and each has its own content`() async throws {
        _ = try await GatewayScript.run(
            Self.byName,
            """
            local count = 0
            local stub = host:stub("GET", "https://api.test/x", function(request)
              count = count + 1
              return { json = { n = count, tenant = request.headers["x-tenant"] } }
            end)
            local ada, bob = ask("GET", "/api/x"), ask("GET", "/api/x", { client = "bob" })
            t.equal(ada.json.n, 1)
            t.equal(bob.json, { n = 2, tenant = "bob" })
            t.equal(ask("GET", "/api/x").json.n, 1)
            t.equal(ask("GET", "/api/x", { client = "bob" }).json.n, 2)
            t.equal(count, 2)
            t.equal(ada.headers["Cache-Control"], "private, max-age=60")
            t.equal(ask("GET", "/api/x", { headers = { ["If-None-Match"] = bob.headers.ETag } }).status, 200)
            t.equal(ask("GET", "/api/x", { headers = { ["If-None-Match"] = ada.headers.ETag } }).status, 304)
            t.equal(ask("HEAD", "/api/x").status, 200)
            t.equal(count, 2)
            t.equal(ask("GET", "/decorated").json, { "ada", "bob" })
            """)
    }

    @Test func `77.3 a partition that can't be is an error of the hook`() async throws {
        _ = try await GatewayScript.run(
            """
            gateway:before("/api/{name}", function(request)
              local names = { empty = "", long = ("x"):rep(257), line = "a\\nb", own = "forwarded:00" }
              request.partition = names[request.params.name]
            end)
            gateway:route("GET", "/late", function(request) request.partition = "x" end)
            """,
            """
            for name, text in pairs { empty = "not empty", long = "256 bytes", line = "control", own = "forward.credentials" } do
              local answer = ask("GET", "/api/" .. name)
              t.equal(answer.status, 500)
              t.matches(answer.json.detail, text)
            end
            t.matches(ask("GET", "/late").json.detail, "only the function of gateway:before")
            """)
    }

    @Test func `77.5 each client's credentials have a partition, and go along with its loads`() async throws {
        _ = try await GatewayScript.run(
            """
            gateway:route("GET", "/who", function(request) return { partition = request.partition } end)
            """, forward: "headers = { 'Authorization', 'X-Unit' }, credentials = { 'Authorization' }",
            """
            local stub = host:stub("GET", "https://api.test/me", function(request)
              return { json = { who = request.headers.authorization or "nobody", unit = request.headers["x-unit"] } }
            end)
            local function me(who, unit)
              local headers = { Authorization = who, ["X-Unit"] = unit }
              return host:request("GET", "/api/me", { client = "ada", headers = headers })
            end
            for _ = 1, 3 do
              t.equal(me("Basic YQ==").json.who, "Basic YQ==")
              t.equal(me("Basic Yg==").json.who, "Basic Yg==")
              t.equal(me(nil).json.who, "nobody")
            end
            t.equal(#stub.requests, 3)
            t.equal(me("Basic YQ==").headers["Cache-Control"], "private, max-age=60")
            t.equal(me("Basic YQ==").headers.Vary, "Accept, authorization, x-unit")
            t.equal(me(nil).headers["Cache-Control"], "max-age=60")
            -- Another header than a credential makes no partition. The request is its client's own.
            t.equal(me(nil, "cm").json.unit, "cm")
            t.equal(me(nil, "cm").headers["Cache-Control"], "no-store")
            t.equal(#stub.requests, 5)
            -- Neither the credentials nor a digest that others could make are in the name.
            local a = host:request("GET", "/who", { client = "ada", headers = { Authorization = "Basic YQ==" } })
            t.matches(a.json.partition, "^forwarded:%x+$")
            t.equal(a.json.partition:find("YQ==", 1, true), nil)
            """)
    }

    @Test func `77.5 a hook that adds headers to credentials makes another partition`() async throws {
        _ = try await GatewayScript.run(
            """
            gateway:before("/api/**", function(request) request.forward["X-Tenant"] = request.query.tenant end)
            """, forward: "headers = { 'Authorization' }, credentials = true",
            """
            local stub = host:stub("GET", "https://api.test/me*", function(request)
              return { json = { who = request.headers.authorization, tenant = request.headers["x-tenant"] } }
            end)
            local function me(query)
              return host:request("GET", "/api/me" .. query, { client = "ada", headers = { Authorization = "Basic YQ==" } })
            end
            t.equal(me("").json.tenant, nil)
            t.equal(me("?tenant=a").json.tenant, "a")
            t.equal(me("?tenant=a").json.tenant, "a")
            t.equal(#stub.requests, 2)
            """)
    }

    @Test func `77.5 changes go to the API with the credentials, and outdate the partition alone`()
        async throws
    {
        _ = try await GatewayScript.run(
            "", forward: "headers = { 'Authorization' }, credentials = true",
            """
            local stub = host:stub("GET", "https://api.test/me", function(request)
              return { json = { who = request.headers.authorization } }
            end)
            local change = host:stub("POST", "https://api.test/me", { status = 204 })
            local function me(method, who)
              return host:request(method, "/api/me", { client = "ada", headers = { Authorization = who } })
            end
            me("GET", "Basic YQ==") me("GET", "Basic Yg==")
            t.equal(me("POST", "Basic YQ==").status, 204)
            t.equal(change.requests[1].headers.authorization, "Basic YQ==")
            t.equal(me("GET", "Basic YQ==").json.who, "Basic YQ==")
            t.equal(me("GET", "Basic Yg==").json.who, "Basic Yg==")
            t.equal(#stub.requests, 3)
            """)
    }

    @Test func `77.5 loads in the background use the headers of a client that observes`() async throws {
        _ = try await GatewayScript.run(
            """
            api:configure("/live", function(c) c.refresh_while_observed = 10 c.expiration_time = 5 end)
            """, forward: "headers = { 'Authorization' }, credentials = { 'Authorization' }",
            """
            local n = 0
            local stub = host:stub("GET", "https://api.test/live", function(request)
              n = n + 1
              return { json = { who = request.headers.authorization, n = n } }
            end)
            local function watch(who)
              return host:request("GET", "/api/live", {
                client = "ada", stream = true, headers = { Authorization = who, Accept = "text/event-stream" } })
            end
            local a, b = watch("Basic YQ=="), watch("Basic Yg==")
            host:advance(25)
            for _, request in ipairs(stub.requests) do t.equal(request.headers.authorization ~= nil, true) end
            for _, event in ipairs(a.events) do t.equal(event.data:find("Yg==", 1, true), nil) end
            for _, event in ipairs(b.events) do t.equal(event.data:find("YQ==", 1, true), nil) end
            t.equal(#stub.requests >= 6, true)
            a:close() b:close()
            host:advance(1)
            local before = #stub.requests
            host:advance(100)
            t.equal(#stub.requests, before)
            """)
    }

    @Test func `77.5 a partition without headers of clients is loaded in the background, too`() async throws {
        _ = try await GatewayScript.run(
            """
            gateway:before("/api/**", function(request) request.partition = request.client.name end)
            api:configure("/live", function(c) c.refresh_while_observed = 10 end)
            seen = {}
            local own = api:resource("/live", { partition = "ada" })
            own:add_observer(function(resource, event) table.insert(seen, event) end, seen)
            gateway:route("GET", "/seen", function() return seen end)
            """,
            """
            local stub = host:stub("GET", "https://api.test/live", { json = {} })
            t.equal(ask("GET", "/api/live").status, 200)
            t.equal(#stub.requests, 1)
            host:advance(25)
            t.equal(#stub.requests, 3)
            """)
    }

    @Test func `77.5 a hook takes credentials out of their partition`() async throws {
        _ = try await GatewayScript.run(
            """
            gateway:before("/api/**", function(request)
              if request.query.own then return end
              request.partition = nil
              request.forward.Authorization = nil
            end)
            """, forward: "headers = { 'Authorization' }, credentials = true",
            """
            local stub = host:stub("GET", "https://api.test/me*", function(request)
              return { json = { who = request.headers.authorization or "nobody" } }
            end)
            local function me(query, who)
              return host:request("GET", "/api/me" .. query, { client = "ada", headers = { Authorization = who } })
            end
            t.equal(me("", "Basic YQ==").json.who, "nobody")
            t.equal(me("", "Basic Yg==").headers["Cache-Control"], "max-age=60")
            t.equal(#stub.requests, 1)
            t.equal(me("?own=1", "Basic YQ==").json.who, "Basic YQ==")
            """)
    }

    @Test func `77.5 stale data, streamed bodies and redirects belong to the client`() async throws {
        _ = try await GatewayScript.run(
            """
            api:configure("/stale", function(c) c.expiration_time = 1 c.stale_while_revalidate = 60 end)
            api:configure("/body", function(c) c.stream = "body" end)
            """, forward: "headers = { 'Authorization' }, credentials = true",
            """
            local function get(path, who)
              return host:request("GET", "/api" .. path, { client = "ada", headers = { Authorization = who } })
            end
            local function echo(request) return { json = { who = request.headers.authorization or "nobody" } } end
            local stale = host:stub("GET", "https://api.test/stale", echo)
            get("/stale", "Basic YQ==")
            host:advance(5)
            t.equal(get("/stale", "Basic YQ==").json.who, "Basic YQ==")
            host:advance(1)
            t.equal(#stale.requests, 2)
            t.equal(stale.requests[2].headers.authorization, "Basic YQ==")
            host:stub("GET", "https://api.test/body", function(request) return { text = request.headers.authorization } end)
            t.equal(get("/body", "Basic Yg==").body, "Basic Yg==")
            host:stub("GET", "https://api.test/moved", { status = 302, headers = { Location = "https://other.test/x" } })
            host:stub("GET", "https://other.test/x", echo)
            t.equal(get("/moved", "Basic YQ==").json.who, "nobody")
            """)
    }

    @Test func `77.6 a computed resource and its sources are in one partition, with the client's headers`()
        async throws
    {
        _ = try await GatewayScript.run(
            """
            local users = api:resource("/me")
            api:computed("/dash", function(params, resource)
              return { me = users:get(), latest = users.latest_data and users.latest_data.content,
                other = api:resource("/other"):get() }
            end)
            """, forward: "headers = { 'Authorization' }, credentials = true",
            """
            local stub = host:stub("GET", "https://api.test/*", function(request)
              return { json = { who = request.headers.authorization or "nobody" } }
            end)
            local function dash(who)
              return host:request("GET", "/api/dash", { client = "ada", headers = { Authorization = who } }).json
            end
            for _ = 1, 2 do
              for _, who in ipairs { "Basic YQ==", "Basic Yg==" } do
                local content = dash(who)
                t.equal(content.me.who, who)
                t.equal(content.latest.who, who)
                t.equal(content.other.who, who)
              end
            end
            t.equal(dash(nil).me.who, "nobody")
            t.equal(#stub.requests, 6)
            """)
    }

    @Test func `77.5 a hundred users read at random, and each gets only answers of their own`() async throws {
        _ = try await GatewayScript.run(
            "", forward: "headers = { 'Authorization' }, credentials = true",
            """
            local asked, seen = 0, {}
            host:stub("GET", "https://api.test/item/*", function(request)
              asked = asked + 1
              return { json = { who = request.headers.authorization, url = request.url } }
            end)
            math.randomseed(77)
            for _ = 1, 1500 do
              local who, item = "Basic " .. math.random(100), math.random(30)
              local answer = host:request("GET", "/api/item/" .. item, { client = "ada", headers = { Authorization = who } })
              t.equal(answer.json, { who = who, url = "https://api.test/item/" .. item })
              seen[who .. " " .. item] = true
            end
            local count = 0
            for _ in pairs(seen) do count = count + 1 end
            t.equal(asked, count)
            """)
    }
}

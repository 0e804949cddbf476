import RestEngine
import TestSupport
import Testing

@testable import RestScript

@Suite(.leakChecked) @EngineActor
struct DefinitionSendingTests {
    @Test func `39.3 the rule's own example`() throws {
        try expect(
            """
            local users = api:endpoint("echo/users", {
              headers = { Authorization = "Basic secret" }, query = { { "v", 2 } }, path = {}, configure = function(c) end,
            })
            local all  = users:define("GET")
            local find = users:define("GET", function(name) return { query = { { "name", name } } } end)
            local one  = users:define("GET", "{login}/repos")
            rest.spawn(function()
              local entity, err = find("firstname"):adding{ query = { { "page", 2 } } }:setting_header("Accept", "text/plain"):send():await()
              print(entity.text, err)
              print(one("octocat"):get())
              print(one{ login = "a/b" }:get())
              print(all:get())
            end)
            """,
            prints: [
                "GET /echo/users?v=2&name=firstname&page=2 Authorization=Basic secret Accept=text/plain\tnil",
                "GET /echo/users/octocat/repos?v=2 Authorization=Basic secret",
                "GET /echo/users/a%2Fb/repos?v=2 Authorization=Basic secret",
                "GET /echo/users?v=2 Authorization=Basic secret",
            ])
    }

    @Test func `39.1 39.3 blocks first, then own functions, the outermost first`() throws {
        try expect(
            """
            api:configure("echo", function(c)
              c.headers["X-Block"], c.expiration_time = "b", 5
              c:mutate_requests(function(draft) draft.headers["X-Mutated"] = draft.headers["X-Own"] end)
              c:decorate_requests(function(_, request) print("decorated") return request end)
            end)
            local function step(name)
              return function(c) c.headers["X-Own"] = (c.headers["X-Own"] or "") .. name .. c.expiration_time end
            end
            local d = api:endpoint("", { configure = step "s" }):endpoint("echo", { configure = step "e" })
              :define("GET", { configure = step "r" }):with_configuration(step "m")
            d:send():on_success(function(e) print(e.text) end)
            d:setting { configure = step "only" }:send():on_success(function(e) print(e.text) end)
            print(d:resource() == api:resource("echo"), d:resource().configuration.headers["X-Own"])
            """,
            prints: [
                "decorated", "decorated", "true\tnil",
                "GET /echo X-Block=b X-Own=s5.0e5.0r5.0m5.0 X-Mutated=s5.0e5.0r5.0m5.0",
                "GET /echo X-Block=b X-Own=only5.0 X-Mutated=only5.0",
            ])
    }

    @Test func `39.5 get is of a GET, and joins what is there`() throws {
        try expect(
            """
            local d = api:define("GET", "text", { headers = { X = "1" } })
            rest.spawn(function()
              print(d:get())
              print(d:resource().text, d:resource().is_up_to_date)
              api:resource("text"):override_local_content("mine")
              print(d:get())
              print(api:define("GET", "missing"):get())
              print(pcall(function() return d:with_method("POST"):get() end))
            end)
            """,
            prints: [
                "hello", "hello\ttrue", "mine",
                "nil\tGET https://api.test/v1/missing: Not found (404): no such thing",
                "false\ttest.lua:8: 'get' is for a definition of GET, and this is one of POST: write :send():await()",
            ])
    }

    @Test func `39.4 the order of the query is another resource`() throws {
        try expect(
            """
            local d = api:define("GET", "x", { query = { { "z", 1 }, { "a", 2 } } })
            print(d.url, d:resource().url == d.url, d:resource() == api:resource_at(d.url))
            print(d:resource() == api:resource("x"):with_params { z = 1, a = 2 })
            """, prints: ["https://api.test/v1/x?z=1&a=2\ttrue\ttrue", "false"])
    }

    @Test func `38.5 what is wrong when it is encoded is a failed request`() throws {
        try expect(
            """
            for _, body in ipairs { { text = "箪", charset = "us-ascii" }, { json = "atom" }, { file = "no-such-file" } } do
              api:define("POST", "echo", body):send():on_failure(function(err) print(err.cause.type) end)
            end
            """, prints: ["unencodable_text", "invalid_json_object", "internal"])
    }

    @Test func `39.6 idempotency keys`() throws {
        try expect(
            """
            local d = api:define("POST", "echo", { idempotency_key = "mine" })
            print(d.headers["idempotency-key"])
            local random = d:adding { idempotency_key = true }
            local function key(request) return request:await().text:match("Key=(%S+)") end
            rest.spawn(function()
              local one, two = key(random:send()), key(random:send())
              print(#one, one == two, key(d:send()))
            end)
            """, prints: ["mine", "36\tfalse\tmine"])
    }

    @Test func `rest.request has a service of its own`() throws {
        try expect(
            """
            local d = rest.request("POST", "https://api.test/v1/echo?a=1", { json = { b = 2 } })
            d:send():on_success(function(e) print(e.text) end)
            print(d.service == rest.request("GET", "https://x.test/").service, d.service.base_url)
            """,
            prints: ["true\tnil", #"POST /echo?a=1 Content-Type=application/json [{"b":2}]"#])
    }

    @Test func `37.5 child takes raw text`() throws {
        try expect(
            """
            print(api:resource("a"):child(rest.raw "b%2Fc").url, api:resource("a"):child("b%2Fc").url)
            print(api:resource("a"):child(rest.raw "%2e%2e/x").url)
            """, prints: ["https://api.test/v1/a/b%2Fc\thttps://api.test/v1/a/b%252Fc", ":"])
    }
}

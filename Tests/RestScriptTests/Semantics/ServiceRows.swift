import RestEngine
import TestSupport
import Testing

@testable import RestScript

/// Sections 1 to 3 of the rules as scripts see them.
@Suite(.leakChecked) @EngineActor
struct ServiceRows {
    static let rest = #"local rest = require "resthost" "#

    private func expect(
        _ source: String, base: String?, prints expected: [String],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let base = base.map { "base_url = \"\($0)\", " } ?? ""
        try RestScriptTests.expect(
            "local s = rest.service { \(base)name = \"s\" }\n" + source, prelude: Self.rest, prints: expected,
            sourceLocation: sourceLocation)
    }

    @Test(
        "1.2: the base's path gets a slash at its end, its query stays",
        arguments: [
            ("https://fo.o", "https://fo.o/"), ("https://fo.o/bar", "https://fo.o/bar/"),
            ("https://fo.o:8080/bar/", "https://fo.o:8080/bar/"),
            ("https://fo.o/bar?x=y", "https://fo.o/bar/?x=y"),
        ])
    func base(base: String, normalized: String) throws {
        try expect("print(s.base_url)", base: base, prints: [normalized])
    }

    @Test("1.3 1.4: without a base path resources are invalid and absolute ones are not")
    func noBase() throws {
        try expect(
            """
            print(s.base_url, s:resource("a").url, s:resource_at("https://b.test/a").url)
            local err = s:resource("a"):request("GET").response.error
            print(err.user_message, err.cause.type)
            """, base: nil,
            prints: [
                "nil\t:\thttps://b.test/a", "Cannot send request with invalid URL\tinvalid_url",
            ])
        try expect(
            #"print(s:resource_at("https://elsewhere.test/x").url)"#, base: "https://fo.o",
            prints: ["https://elsewhere.test/x"])
    }

    @Test("1.5: the standard transformers of choice, as first blocks")
    func standardTransformers() throws {
        let lines = try output(
            """
            local kinds = {}
            for i, list in ipairs { { "json", "text", "image" }, {}, { "json" } } do
              local s = rest.service { name = "s" .. i, base_url = "https://api.test/v1", standard_transformers = list }
              s:configure(function(c) c.pipeline.model:add(function(content, e) return e.content_kind end) end)
              rest.spawn(function() print(s:resource("j"):get(), s:resource("t"):get()) end)
            end
            """, stubs: [("j", .json(200, "[]")), ("t", .text(200, "x"))])
        #expect(lines == ["json\ttext", "bytes\tbytes", "json\tbytes"])
    }

    @Test("1.6: a service may have a transport of its own")
    func transport() throws {
        let fixture = ScriptFixture()
        let own = StubTransport(scheduler: fixture.scheduler)
        try own.stub(method: nil, urlGlob: "https://api.test/**", .text(200, "own"))
        var settings: [TransportOptions] = []
        fixture.options.capabilities = .all
        fixture.options.makeTransport = {
            settings.append($0)
            return own
        }
        try fixture.load(
            """
            local s = rest.service { name = "s", base_url = "https://api.test", transport = { proxy = "http://p:1", unix_socket = "/s" } }
            rest.spawn(function() print(s:resource("a"):get()) end)
            """)
        fixture.close()
        #expect(fixture.lines == ["own"])
        #expect(settings.map(\.proxy) == ["http://p:1"] && settings.map(\.unixSocket) == ["/s"])
        #expect(fixture.transport.requests.isEmpty)
    }

    @Test("1.8: an ad hoc base gets a joining slash, and the service's base does not count")
    func adHocBase() throws {
        try expect(
            """
            print(s:resource_at("https://b.test", "a/b").url, s:resource_at("https://b.test/x", "/a").url)
            print(s:resource_at("https://b.test/x/?q=1", "a").url)
            """, base: "https://fo.o/v1",
            prints: ["https://b.test/a/b\thttps://b.test/x/a", "https://b.test/x/a?q=1"])
    }

    @Test("1.9 2.4 2.5 2.6: what is no URL gives an invalid resource, whose loads fail")
    func invalid() throws {
        try expect(
            """
            for _, text in ipairs { "http:\\0//", "http://h:port/", "", "no url" } do
              local r = s:resource_at(text)
              local request = r:load()
              print(r.url, request.state, request.response.error.cause.type, request.response.error.cause.source == text)
            end
            print(s:resource_at(nil) == s:resource_at(nil), s:resource_at("no url") == s:resource_at("no url"))
            print(s:resource_at(nil).configuration.expiration_time)
            """, base: "https://fo.o",
            prints: Array(repeating: ":\tcompleted\tinvalid_url\ttrue", count: 4) + ["true\tfalse", "30.0"])
    }

    @Test(
        "1.10: configure and configure_transformer give the service back; an invalidation runs blocks again")
    func configure() throws {
        try expect(
            """
            local n = 0
            print(s:configure(function(c) n = n + 1 end) == s)
            s:configure_transformer("**", function(c) return c end)
            local a = s:resource("a")
            local _ = a.configuration, a.configuration
            s:invalidate_configuration()
            local _ = a.configuration
            print(n)
            """, base: "https://fo.o", prints: ["true", "2"])
    }

    @Test("1.11: the four ways to wipe, on the live resources that match")
    func wiping() throws {
        try expect(
            """
            local a, b = s:resource("a"), s:resource("b?x")
            local function wiped(...)
              for _, r in ipairs { a, b } do r:override_local_content("x") end
              s:wipe_resources(...)
              print(a.latest_data == nil, b.latest_data == nil)
            end
            wiped() wiped(function(r) return r == a end) wiped("/b*") wiped(a) wiped(rest.regex("b"))
            """, base: "https://fo.o",
            prints: ["true\ttrue", "true\tfalse", "false\ttrue", "true\tfalse", "false\ttrue"])
    }

    @Test("1.12 1.13 2.7: a limit and a flush drop what nobody holds")
    func flushing() throws {
        let fixture = ScriptFixture()
        try fixture.load(
            """
            held = api:resource("held")
            api.cached_resource_count_limit = 10
            print(api.cached_resource_count_limit)
            for i = 1, 100 do api:resource("r" .. i) end
            rest.after(1, function() api:flush_unused_resources() print(held == api:resource("held")) end)
            """)
        fixture.advance(1)
        let service = try #require(fixture.host?.services.first)
        #expect(service.liveResources.map(\.urlString) == ["https://api.test/v1/held"])
        fixture.close()
        #expect(fixture.lines == ["10", "true"])
    }

    @Test("2.1 2.2: one object for a URL, whatever the way to it")
    func identity() throws {
        try expect(
            """
            local r = s:resource("a/b?c")
            print(r == s:resource("/a/b?c"), r == s:resource("a"):child("b?c"), r == s:resource("a/"):relative("b%3Fc"))
            print(r == s:resource_at("https://fo.o/a/b%3Fc"), r == s:resource("a/B?c"))
            print(s:resource("a"):with_param("x", "1") == s:resource_at("https://fo.o/a?x=1"))
            """, base: "https://fo.o", prints: ["true\ttrue\ttrue", "true\tfalse", "true"])
    }

    @Test(
        "3.1 3.2 3.3: a path is text",
        arguments: [
            ("/foo", "https://fo.o/v1/foo?k=1"), ("foo", "https://fo.o/v1/foo?k=1"),
            ("", "https://fo.o/v1/?k=1"),
            ("./foo", ":"), ("../foo", ":"), ("a/%2e%2e/foo", ":"), ("..%2ffoo", ":"),
            ("..foo", "https://fo.o/v1/..foo?k=1"),
            ("//foo", "https://fo.o/v1//foo?k=1"), ("foo?bar", "https://fo.o/v1/foo%3Fbar?k=1"),
            ("foo%3Fbar", "https://fo.o/v1/foo%253Fbar?k=1"),
            ("http://h/", "https://fo.o/v1/http://h/?k=1"), ("ƒ øo", "https://fo.o/v1/%C6%92%20%C3%B8o?k=1"),
        ])
    func paths(path: String, url: String) throws {
        try expect("print(s:resource(\"\(path)\").url)", base: "https://fo.o/v1?k=1", prints: [url])
    }

    @Test(
        "3.4–3.9: child, relative and parameters",
        arguments: [
            (#"r:child("c")"#, "https://fo.o/a/b/c?x=1"), (#"r:child("")"#, "https://fo.o/a/b/?x=1"),
            (#"r:child("/c?d")"#, "https://fo.o/a/b/c%3Fd?x=1"), (#"r:relative("c")"#, "https://fo.o/a/c"),
            (#"r:relative("../c?d")"#, "https://fo.o/c?d"), (#"r:relative("/c")"#, "https://fo.o/c"),
            (#"r:relative("c d")"#, "https://fo.o/a/c%20d"), (#"r:relative("//h/c")"#, "https://h/c"),
            (#"r:relative("?y")"#, "https://fo.o/a/b?y"),
            (#"r:relative("?a=1&a=2")"#, "https://fo.o/a/b?a=1&a=2"),
            (#"r:with_param("a", "b+c d=e")"#, "https://fo.o/a/b?a=b%2Bc%20d%3De&x=1"),
            (#"r:with_param("x", "")"#, "https://fo.o/a/b?x"),
            (#"r:with_param("x", nil)"#, "https://fo.o/a/b"),
            (#"r:with_params { x = rest.null, b = "2", a = "1" }"#, "https://fo.o/a/b?a=1&b=2"),
        ])
    func navigation(call: String, url: String) throws {
        try expect(
            "local r = s:resource_at(\"https://fo.o/a/b?x=1\") print((\(call)).url)", base: "https://fo.o",
            prints: [url])
    }

    @Test("D31: a child that would leave its parent is an invalid resource, which says so")
    func child() throws {
        try expect(
            """
            rest.spawn(function()
              local _, err = s:resource("a"):child("%2e%2e/b"):load():await()
              print(err.cause.type, (tostring(err):gsub(".*: ", "")))
            end)
            """, base: "https://fo.o",
            prints: [
                "invalid_url\t'https://fo.o/a/%2e%2e/b' has a segment '.' or '..' in its path, which would lead to another path"
            ])
    }

    @Test("D31: neither text, links of data, templates nor mutations lead out of the base URL")
    func waysOut() throws {
        try expect(
            """
            local users = s:resource("users")
            local find = s:define("GET", "{user}/repos")
            rest.spawn(function()
              for _, way in ipairs {
                function() return s:resource("users/../../admin"):request("GET") end,
                function() return s:resource_at("https://fo.o/v1/%2e%2e/admin"):request("GET") end,
                function() return users:relative("../admin"):request("GET") end,
                function() return users:relative("%2e%2e/admin"):request("GET") end,
                function() return users:optional_relative("../../admin"):with_param("a", "b"):request("GET") end,
                function() return users:request("GET", { mutate = function(draft) draft.url = "https://fo.o/v1/../admin" end }) end,
              } do
                local _, err = way():await()
                print(err.cause.type)
              end
              print((pcall(find, "../../admin")))
              print(users:with_param("p", "../x").url)
            end)
            """, base: "https://fo.o/v1",
            prints: Array(repeating: "invalid_url", count: 6) + ["false", "https://fo.o/v1/users?p=../x"])
    }

    @Test("3.6: optional_relative of nil is nil")
    func optionalRelative() throws {
        try expect(
            #"local r = s:resource("a") print(r:optional_relative(nil), r:optional_relative("b").url)"#,
            base: "https://fo.o", prints: ["nil\thttps://fo.o/b"])
    }

    @Test("3.11 3.12 D19: repeats and an existing plus stay as they are")
    func untouchedParameters() throws {
        try expect(
            #"print(s:resource_at("https://fo.o/?b=1+2&a=x&b=3&c="):with_param("d", "4").url)"#,
            base: "https://fo.o", prints: ["https://fo.o/?a=x&b=1+2&b=3&c=&d=4"])
    }

    @Test("3.13: navigating runs no block")
    func noBlocks() throws {
        try expect(
            """
            s:configure(function() print("ran") end)
            local r = s:resource("a"):child("b"):relative("c"):with_param("d", "e")
            print(r.url)
            """, base: "https://fo.o", prints: ["https://fo.o/a/c?d=e"])
    }
}

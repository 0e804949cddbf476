import RestEngine
import TestSupport
import Testing

@testable import RestScript

@Suite(.leakChecked) @EngineActor
struct ServiceTests {
    static let rest = #"local rest = require "resthost" "#

    @Test(arguments: [
        (#"rest.service { base_url = "https://API.test:443/v1" }"#, "api.test", "https://api.test/v1/"),
        (#"rest.service { base_url = "http://h:81" }"#, "h", "http://h:81/"),
        (#"rest.service { name = "a", base_url = "http://h/x/?k=1" }"#, "a", "http://h/x/?k=1"),
        (#"rest.service { name = "a" }"#, "a", "nil"),
    ])
    func `a service has a name and a base URL`(source: String, name: String, base: String) throws {
        try expect(
            "local s = \(source) print(s.name) print(s.base_url) print(s)", prelude: Self.rest,
            prints: [name, base, "service \(name)"])
    }

    @Test(arguments: [
        (
            "rest.service 'x'",
            "bad argument #1 'options' to 'rest.service' (table expected, got string): write rest.service { base_url = \"https://…\" }"
        ),
        (
            "rest.service { base_url = 'api.example.com' }",
            "base_url 'api.example.com' is not a URL: it looks like \"https://api.example.com/v1\""
        ),
        (
            "rest.service { base_url = 'https://münchen.test/' }",
            "base_url 'https://münchen.test/' is not a URL: its host has letters beyond ASCII: write the name in its ASCII form, which has xn--"
        ),
        (
            "rest.service { base_url = 'https://h/a b' }",
            "base_url 'https://h/a b' is not a URL: it looks like \"https://api.example.com/v1\""
        ),
        (
            "rest.service { base_url = '' }",
            "base_url '' is not a URL: it looks like \"https://api.example.com/v1\""
        ),
        (
            "rest.service { base_url = 'ftp://h/' }",
            "base_url 'ftp://h/' is not a URL: it looks like \"https://api.example.com/v1\""
        ),
        (
            "rest.service { base_url = 1 }",
            "bad option 'base_url' to 'rest.service' (string expected, got number)"
        ),
        (
            "rest.service { baseurl = 'https://h' }", "unknown option 'baseurl': did you mean 'base_url'?"
        ),
        (
            "rest.service { name = 'a', transport = { http = 2 } }",
            "unknown option 'http': did you mean 'http2'?"
        ),
        (
            "rest.service { name = 'a', standard_transformers = { 'html' } }",
            "unknown standard transformer 'html': there are \"json\", \"text\", \"image\", \"ndjson\", \"xml\", \"csv\", \"yaml\", \"msgpack\", \"cbor\""
        ),
        (
            "rest.service { name = 'a', standard_transformers = { 1 } }",
            "item 1 of 'standard_transformers' must be a string, not a number"
        ),
        (
            "rest.service { name = 'a/b' }",
            "'a/b' can't name a service: a name is not empty, has no '/' and doesn't begin with '-'"
        ),
        (
            "rest.service { name = 'a' } rest.service { name = 'a' }",
            "a service named 'a' exists already: give this one a name of its own"
        ),
        (
            "rest.service { name = 'a' }:resorce('x')",
            "unknown field 'resorce' on service: did you mean 'resource'?"
        ),
        (
            "rest.service { name = 'a' }:endpoint('x')",
            "service 'a' has no base_url: use a request of an absolute URL"
        ),
        ("rest.service { name = 'a' }.name = 'b'", "field 'name' of service is read only"),
        (
            "rest.service { name = 'a' }.cached_resource_count_limit = 0",
            "bad value for 'cached_resource_count_limit' of service (it is 1 or more)"
        ),
        (
            "rest.service { name = 'a' }.cached_resource_bytes_limit = 0",
            "bad value for 'cached_resource_bytes_limit' of service (it is 1 or more)"
        ),
        (
            "rest.service { name = 'a' }:resource()",
            "bad argument #1 'path' to 'resource' (string expected, got no value)"
        ),
    ])
    func `a wrong declaration says what is wrong`(source: String, message: String) {
        #expect(loadError(source, prelude: Self.rest) == "1: \(message)")
    }

    @Test func `a service finds resources by path, URL, and ad hoc base`() throws {
        try expect(
            """
            print(api:resource("/a?b").url)
            print(api:resource_at("https://other.test/x?y=1").url)
            print(api:resource_at("https://other.test/base", "a b").url)
            print(api:resource("a") == api:resource("/a"), api:resource("a") == api:resource("b"))
            print(api:resource_at(nil).url, api:resource_at("no url").url)
            print(api:resource("a").service == api, api.cached_resource_count_limit)
            """,
            prints: [
                "https://api.test/v1/a%3Fb", "https://other.test/x?y=1", "https://other.test/base/a%20b",
                "true\tfalse", ":\t:", "true\t1048576",
            ])
    }

    @Test func `what a script puts in place has to fit below the limit of its service`() throws {
        try expect(
            """
            api.cached_resource_bytes_limit = 100000
            local kept = api:resource("kept")
            kept:override_local_content("small")
            print(pcall(kept.override_local_content, kept, string.rep("x", 120000)))
            for i = 1, 100 do api:resource("r" .. i):override_local_content("content " .. i .. string.rep(" ", 1000)) end
            print(kept.latest_data, api:resource("r100").text:sub(1, 11), api.cached_resource_bytes_limit)
            """,
            prints: [
                "false\tthere is no room for a content of 120158 bytes: the service 'api' holds 100000 bytes of "
                    + "content at most, and content that is observed or in transfer must stay",
                "nil\tcontent 100\t100000",
            ])
    }

    @Test func `an invalid resource answers with an error`() throws {
        try expect(
            """
            rest.spawn(function()
              local data, err = api:resource_at("no url"):get()
              print(data, err, err.cause.type, err.cause.source)
              local _, err = api:resource_at(nil):request("GET"):await()
              print(err.user_message, err.cause.source)
            end)
            """,
            prints: [
                "nil\tCannot send request with invalid URL: 'no url' is not a URL\tinvalid_url\tno url",
                "Cannot send request with invalid URL\tnil",
            ])
    }

    @Test func `without standard transformers bodies are bytes`() throws {
        try expect(
            """
            local s = rest.service { base_url = "https://api.test/v1", standard_transformers = {} }
            rest.spawn(function()
              local entity = s:resource("json"):load():await()
              print(entity.content_kind, entity.content:sub(1, 5), entity.text == "")
            end)
            """, prints: ["bytes\t{\"id\"\ttrue"])
    }

    @Test func `use runs a plugin function with service and options`() throws {
        try expect(
            """
            print(api:use(function(s, o) print(s.name, o.size) end, { size = 3 }) == api)
            api:use(function(s, o) print(next(o)) end)
            print(pcall(api.use, api, function() error("boom") end))
            print(pcall(api.use, api, 5))
            print(pcall(api.use, api, "nowhere"))
            """,
            prints: [
                "api\t3", "true", "nil", "false\ttest.lua:3: boom",
                "false\tbad argument #1 'plugin' to 'use' (function, name of a plugin or module, or a module expected, got number)",
                "false\tmodule 'nowhere' not found: no nowhere.lua or nowhere/init.lua in '.'",
            ])
    }

    @Test func `wipe_resources wipes all, a pattern's, or those a function picks`() throws {
        try expect(
            """
            local a, b = api:resource("a"), api:resource("b/c")
            local function fill() a:override_local_content("1") b:override_local_content("2") end
            local function show() print(a.latest_data ~= nil, b.latest_data ~= nil) end
            fill() api:wipe_resources() show()
            fill() api:wipe_resources("/b/*") show()
            fill() api:wipe_resources(a) show()
            fill() api:wipe_resources(rest.regex("/A$", "i")) show()
            fill() api:wipe_resources(function(r) return r.text == "2" end) show()
            print(pcall(api.wipe_resources, api, function() error("boom") end))
            print(pcall(api.wipe_resources, api, {}))
            """,
            prints: [
                "false\tfalse", "true\tfalse", "false\ttrue", "false\ttrue", "true\tfalse",
                "false\ttest.lua:9: boom",
                "false\tbad argument #1 'matches' to 'wipe_resources' (the table has neither a partition nor a pattern)",
            ])
    }

    @Test func `14.9 77.7 wipe_resources with a pattern that finds nothing is an error with its line`() throws
    {
        try expect(
            """
            local function try(pattern)
              for _, matches in ipairs { pattern, { pattern = pattern } } do
                print(pcall(function() api:wipe_resources(matches) end))
              end
            end
            try "/a["
            try "/users/{id}"
            try "/a#b"
            try "/caf\u{e9} (1)/*"
            try "https://[::1]:80/**"
            """,
            prints: [
                "false\ttest.lua:3: bad pattern: '[' in pattern '/a[' at byte 3: globs know only *, ** and ?, and a path has %5B for it",
                "false\ttest.lua:3: bad option 'pattern' ('[' in pattern '/a[' at byte 3: globs know only *, ** and ?, and a path has %5B for it)",
                "false\ttest.lua:3: bad pattern: '{' in pattern '/users/{id}' at byte 8: globs know only *, ** and ?, and a path has %7B for it",
                "false\ttest.lua:3: bad option 'pattern' ('{' in pattern '/users/{id}' at byte 8: globs know only *, ** and ?, and a path has %7B for it)",
                "false\ttest.lua:3: bad pattern: fragment in pattern '/a#b' at byte 3: the fragment of a URL is ignored; write %23 for a '#' in a path",
                "false\ttest.lua:3: bad option 'pattern' (fragment in pattern '/a#b' at byte 3: the fragment of a URL is ignored; write %23 for a '#' in a path)",
                "true", "true", "true", "true",
            ])
    }

    @Test func `D42 a resource that a script holds stays, and a released one makes room`() throws {
        let fixture = ScriptFixture()
        try fixture.load(
            """
            api.cached_resource_count_limit = 5
            held = api:resource("held")
            held:override_local_content("x")
            for i = 1, 100 do api:resource("r" .. i):override_local_content("y") end
            print(held == api:resource("held"), held.text)
            """)
        let service = try #require(fixture.host?.services.first)
        #expect(fixture.take() == ["true\tx"])
        // Resources that Lua has not collected yet may add a quarter.
        #expect(service.liveResourceCount < 20)
        fixture.close()
    }

    @Test func `flush_unused_resources drops what nobody holds`() throws {
        let fixture = ScriptFixture()
        try fixture.load(
            """
            held = api:resource("held")
            for i = 1, 10 do api:resource("r" .. i) end
            rest.after(1, function() api:flush_unused_resources() end)
            """)
        let service = try #require(fixture.host?.services.first)
        #expect(service.liveResources.count == 11)
        fixture.advance(1)
        #expect(service.liveResources.map(\.urlString) == ["https://api.test/v1/held"])
        fixture.close()
    }
}

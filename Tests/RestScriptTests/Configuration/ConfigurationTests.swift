import RestEngine
import TestSupport
import Testing

@testable import RestScript

@Suite(.leakChecked) @EngineActor
struct ConfigurationTests {
    @Test(arguments: [
        "function(c) note() end", "'**', function(c) note() end",
        "{ description = 'd' }, function(c) note() end", "'a', { methods = 'get' }, function(c) note() end",
        "api:resource('a'), function(c) note() end",
        "function(url) return true end, function(c) note() end",
        "function(url) return true end, { description = 'd' }, function(c) note() end",
    ])
    func `configure takes pattern, options and block in these forms`(arguments: String) throws {
        try expect(
            "function note() print('ran') end print(api:configure(\(arguments)) == api) local c = api:resource('a').configuration",
            prints: ["true", "ran"])
    }

    @Test(arguments: [
        ("api:configure()", "bad argument #1 'fn' to 'configure' (function expected, got no value)"),
        ("api:configure('x')", "bad argument #2 'fn' to 'configure' (function expected, got no value)"),
        ("api:configure('x', nil)", "bad argument #2 'fn' to 'configure' (function expected, got nil)"),
        (
            "api:configure('x', print, print)",
            "bad argument #2 'options' to 'configure' (table expected, got function)"
        ),
        ("api:configure('x', {}, {}, print)", "'configure' takes 3 arguments, but got 4"),
        (
            "api:configure(print, '/x')",
            "the arguments of 'configure' are swapped: write configure(pattern, [options,] fn)"
        ),
        ("api:configure({}, 'x', print)", "'configure' takes a pattern before its options"),
        ("api:configure({}, {}, print)", "'configure' takes a pattern before its options"),
        ("api:configure({ method = 'GET' }, print)", "unknown option 'method': did you mean 'methods'?"),
        ("api:configure({ methods = 'a b' }, print)", "'a b' in 'methods' is not a method"),
        ("api:configure({ methods = 5 }, print)", "'methods' must be a list of strings, not a number"),
        ("api:configure({ methods = { 5 } }, print)", "item 1 of 'methods' must be a string, not a number"),
    ])
    func `configure refuses other arguments`(source: String, message: String) {
        #expect(loadError(source) == "1: \(message)")
    }

    @Test func `the defaults`() throws {
        try expect(
            """
            local c = api:resource("a").configuration
            print(c.expiration_time, c.retry_time, c.progress_interval, c.max_body_bytes == 64 << 20, c.collapse)
            print(c.timeouts.connect, c.timeouts.first_byte, c.timeouts.idle, c.timeouts.total)
            print(c.redirects.follow, c.redirects.max == 20, next(c.pipeline.order) == 1, c.headers.Accept)
            print(table.concat(c.pipeline.order, " "))
            print(c.method, c.url, api:resource("a"):configuration_for("post").method, c)
            """,
            prints: [
                "30.0\t1.0\t0.05\ttrue\ttrue", "10.0\t30.0\t30.0\t120.0", "true\ttrue\ttrue\tnil",
                "raw_data decoding parsing model cleanup",
                "GET\thttps://api.test/v1/a\tPOST\tconfiguration of GET https://api.test/v1/a",
            ])
    }

    @Test func `blocks run in order, each on the result of the last, once until invalidated`() throws {
        try expect(
            """
            local n = 0
            api:configure(function(c) n = n + 1 c.expiration_time = 5 end)
            api:configure("a", function(c) c.expiration_time = c.expiration_time * 2 c.timeouts = { connect = 1 } end)
            api:configure({ methods = "POST" }, function(c) c.expiration_time = 99 c.timeouts.idle = 2 end)
            local a = api:resource("a")
            print(a.configuration.expiration_time, a.configuration.timeouts.connect, a.configuration.timeouts.total, n)
            print(a:configuration_for("POST").expiration_time, a:configuration_for("POST").timeouts.idle, n)
            print(api:resource("b").configuration.expiration_time, n)
            local old = a.configuration
            api:invalidate_configuration()
            print(n, a.configuration.expiration_time, n, old.expiration_time)
            """, prints: ["10.0\t1.0\t120.0\t1", "99.0\t2.0\t2", "5.0\t3", "3\t10.0\t4\t10.0"])
    }

    @Test func `accept is short for the header`() throws {
        try expect(
            """
            api:configure(function(c) c.headers.accept = "text/plain" end)
            api:configure("list", function(c) c.accept = { "text/csv", "text/plain;q=0.5" } end)
            api:configure("one", function(c) c.accept = "application/json" end)
            api:configure("none", function(c) print(c.accept) c.accept = nil end)
            local function show(path)
              local c = api:resource(path).configuration
              print(c.accept, c.headers.Accept, #tostring(c.headers))
            end
            show("list") show("one") show("none") show("a")
            """,
            prints: [
                "text/csv, text/plain;q=0.5\ttext/csv, text/plain;q=0.5\t41",
                "application/json\tapplication/json\t31",
                "text/plain", "nil\tnil\t2", "text/plain\ttext/plain\t25",
            ])
    }

    @Test func `a configuration in use is frozen, every part of it`() throws {
        try expect(
            """
            local kept
            api:configure(function(c) kept = c end)
            local c = api:resource("a").configuration
            local t = rest.transformers.json()
            for _, change in ipairs {
              function() kept.expiration_time = 1 end, function() c.expiration_time = 1 end,
              function() c.headers.A = "1" end, function() c.headers = {} end, function() c.timeouts.idle = 1 end,
              function() c.timeouts = { idle = 1 } end, function() c.redirects.follow = false end,
              function() c.max_body_bytes = 1 end, function() c.collapse = false end,
              function() c.pipeline.order = {} end, function() c.pipeline:clear() end,
              function() c.pipeline:remove_transformers() end, function() c.pipeline.model:add(t) end,
              function() c.pipeline.model:remove_transformers() end,
              function() c:mutate_requests(print) end, function() c:decorate_requests(print) end,
            } do
              local ok, message = pcall(change)
              if ok or not message:find("this configuration is frozen", 1, true) then print(message) end
            end
            print(select(2, pcall(function() c.retry_time = 1 end)))
            """,
            prints: [
                "test.lua:18: this configuration is frozen: change it in a block, and call invalidate_configuration() to run the blocks again"
            ])
    }

    @Test(arguments: [
        ("c.expiration = 5", "unknown field 'expiration' on configuration: did you mean 'expiration_time'?"),
        (
            "c.expiration_time = 'x'",
            "bad value for 'expiration_time' of configuration (number expected, got string)"
        ),
        (
            "c.retry_time = -1",
            "bad value for 'retry_time' of configuration (seconds are 0 or more, got -1.0)"
        ),
        (
            "c.retry_time = -(0/0)",
            "bad value for 'retry_time' of configuration (seconds are 0 or more, got nan)"
        ),
        ("c.accept = true", "the value of header 'Accept' is a string or a list of strings, not a boolean"),
        ("c.accept = 'a\\nb'", "the value of header 'Accept' contains a line break or control character"),
        ("c.max_body_bytes = 0", "bad value for 'max_body_bytes' of configuration (it is 1 or more)"),
        (
            "c.max_body_bytes = 1.5",
            "bad value for 'max_body_bytes' of configuration (number has no integer representation)"
        ),
        ("c.collapse = 1", "bad value for 'collapse' of configuration (boolean expected, got number)"),
        ("c.method = 'POST'", "field 'method' of configuration is read only"),
        ("c.url = 'x'", "field 'url' of configuration is read only"),
        ("c.timeouts.conect = 1", "unknown field 'conect' on timeouts: did you mean 'connect'?"),
        ("c.timeouts = { conect = 1 }", "unknown field 'conect' on timeouts: did you mean 'connect'?"),
        ("c.timeouts.idle = '1'", "bad value for 'idle' of timeouts (number expected, got string)"),
        ("c.timeouts.idle = -1", "timeouts.idle is 0 or more, got -1.0"),
        ("c.timeouts = 5", "bad value for 'timeouts' of configuration (table expected, got number)"),
        ("c.redirects.max = 1.5", "redirects.max is a whole number, got 1.5"),
        ("c.redirects.max = -1", "redirects.max is 0 or more, got -1"),
        (
            "c.redirects.keep_headers = 'X'",
            "bad value for 'keep_headers' of redirects (list of names expected, got string)"
        ),
        ("c.redirects.keep_headers = { 'a b' }", "'a b' is not a header name"),
        ("c.redirects.on = 1", "bad value for 'on' of redirects (function expected, got number)"),
        ("c.redirects.keep = {}", "unknown field 'keep' on redirects: did you mean 'keep_headers'?"),
        ("c.redirects.follow = 1", "bad value for 'follow' of redirects (boolean expected, got number)"),
        ("c.headers = 5", "bad value for 'headers' of configuration (table expected, got number)"),
        ("c.headers.A = true", "the value of header 'A' is a string or a list of strings, not a boolean"),
        ("c.headers.A = { {} }", "the value of header 'A' is a list of lists"),
        (
            "c:mutate_requests()",
            "bad argument #1 'fn' to 'mutate_requests' (function expected, got no value)"
        ),
        (
            "c:decorate_requests('x')",
            "bad argument #1 'fn' to 'decorate_requests' (function expected, got string)"
        ),
        (
            "c.stale_if_error = -5",
            "bad value for 'stale_if_error' of configuration (seconds are 0 or more, got -5.0)"
        ),
        ("c.freshness = 'http'", "unknown field 'freshness' on configuration"),
        ("print(c.freshness)", "unknown field 'freshness' on configuration"),
    ])
    func `what is wrong in a block fails the request with place and cause`(source: String, message: String)
        throws
    {
        try expect(
            """
            api:configure(function(c)
              \(source)
            end)
            rest.spawn(function()
              local data, err = api:resource("json"):get()
              print(data, err.user_message, err.cause.type, err.cause.file, err.cause.line, err.cause.message)
            end)
            """, prints: ["nil\tScript error\tscript_error\ttest.lua\t2\t\(message)"])
    }

    @Test func `headers ignore case, keep their order, and are removed by nil or null`() throws {
        try expect(
            """
            api:configure(function(c)
              c.headers["X-B"] = "1"
              c.headers["X-A"] = { "2", 3 }
              c.headers["x-b"] = "4"
              c.headers["X-C"] = "5"
              c.headers["X-D"] = "6"
              c.headers["x-c"] = nil
              c.headers["X-d"] = rest.null
              print(c.headers["X-B"], c.headers["x-a"], c.headers["X-C"], c.headers)
            end)
            rest.spawn(function() print(api:resource("echo"):get()) end)
            """,
            prints: [
                #"4\#t2, 3\#tnil\#t{ ["x-b"] = "4", ["X-A"] = "2", ["X-A"] = "3" }"#,
                "GET /echo x-b=4 X-A=2 X-A=3",
            ])
    }

    @Test func `headers are replaced by a table and iterated by pairs`() throws {
        try expect(
            """
            api:configure(function(c)
              c.headers.Old = "1"
              c.headers = { ["X-B"] = "2", Accept = { "a", "b" } }
              local names = {}
              for name, value in pairs(c.headers) do names[#names + 1] = name .. "=" .. value end
              table.sort(names)
              print(table.concat(names, " "))
            end)
            rest.spawn(function() print(api:resource("echo"):get()) end)
            """, prints: ["accept=a, b x-b=2", "GET /echo Accept=a Accept=b X-B=2"])
    }
}

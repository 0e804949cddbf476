import RestEngine
import TestSupport
import Testing

@testable import RestScript

/// The text of values in `print` and in the log.
@Suite(.leakChecked) @EngineActor
struct PrintTests {
    @Test func `tables, headers and fields show their content, secrets masked`() throws {
        try expect(
            """
            print({ a = 1, b = { 2, "x" } }, {}, "text", 5, nil)
            print(setmetatable({}, { __tostring = function() return "mine" end }))
            rest.log.info({ a = 1 }, { fields = { print } })
            rest.log.info("both", { fields = { a = 1 } })
            api:configure(function(c)
              c.timeouts.connect = 2.5
              c.headers.Authorization = "Bearer secret" c.headers["X-A"] = "b"
              print(c.timeouts, c.redirects) print(c.headers)
            end)
            rest.spawn(function()
              local headers = api:resource("headers"):load():await().headers
              print(headers)
            end)
            """,
            prints: [
                #"{ a = 1, b = { 2, "x" } }"# + "\t{}\ttext\t5\tnil", "mine", "{ a = 1 }", "both",
                "{ connect = 2.5, first_byte = 30, idle = 30, total = 120 }\t{ follow = true, max = 20 }",
                #"{ Authorization = "Bearer ***", ["X-A"] = "b" }"#,
                #"{ ETag = "\"e1\"", ["Content-Type"] = "text/plain; charset=utf-8", ["X-Many"] = "a", "#
                    + #"["x-many"] = "b", ["Set-Cookie"] = "***", ["Set-Cookie"] = "***" }"#,
            ])
    }

    @Test func `what is printed of a table is bounded, and has no control characters`() throws {
        let lines = try output(
            """
            local list = {} for i = 1, 100000 do list[i] = i end
            print(list)
            print({ s = "\\27[31m" }, { ("x"):rep(10000) })
            local loop = {} loop.loop = loop print(loop)
            """)
        #expect(lines.first?.hasSuffix("20, … }") == true)
        #expect(lines[1].hasPrefix(#"{ s = "\x1b[31m" }"#) && lines[1].utf8.count < 300)
        #expect(lines.last == "{ loop = <the same table> }")
    }

    @Test func `bytes that are no text are printed as they are, and logged as text`() throws {
        let fixture = ScriptFixture()
        try fixture.load(#"print("caf\xE9") rest.log.info("caf\xE9")"#)
        fixture.close()
        #expect(fixture.log.map(\.printed?.bytes) == [Array("caf".utf8) + [0xE9, 0x0A], nil])
        #expect(fixture.lines == ["caf\u{FFFD}", "caf\u{FFFD}"])
    }

    @Test func `a table that a job raises is shown`() throws {
        let lines = try output(
            """
            rest.spawn(function() error({ code = 5 }) end)
            rest.after(0, function() error({ code = 6, list = { 1 } }) end)
            rest.spawn(function() print(select(2, rest.spawn(function() error({ code = 7 }) end):await())) end)
            """, seconds: 0.25)
        for line in [
            "error: a job: { code = 5 }", "error: a timer: { code = 6, list = { 1 } }",
            "Script error: test.lua:3: { code = 7 }",
        ] {
            #expect(lines.contains(line), "\(lines)")
        }
    }

    @Test(arguments: [
        ("json", "await it: local entity, err = request:await(), then entity.json"),
        ("content", "await it: local entity, err = request:await(), then entity.content"),
        ("http_status_code", "await it: local entity, err = request:await(), then err.http_status_code"),
    ])
    func `what an entity has is not a request's`(name: String, advice: String) throws {
        let lines = try output(
            "local r = api:resource('json'):load() print(pcall(function() return r.\(name) end))")
        #expect(lines == ["false\ttest.lua:1: unknown field '\(name)' on request: \(advice)"])
    }

    @Test(arguments: [
        (
            "api:get('/a')",
            "unknown field 'get' on service: a resource has it: service:resource(\"/path\"):get(…)"
        ),
        (
            "api:resource('a'):post { json = {} }",
            "unknown field 'post' on resource: write resource:request(\"POST\", { json = … })"
        ),
        (
            "api:delete('/a')",
            "unknown field 'delete' on service: write service:resource(\"/path\"):request(\"DELETE\", { json = … })"
        ),
        ("api:resource('a').content()", "unknown field 'content' on resource: resource:get() gives it"),
        ("api:resource('a'):on_success(print)", "unknown field 'on_success' on resource: a request has it"),
        (
            "api:use(5)",
            "bad argument #1 'plugin' to 'use' (function, name of a plugin or module, or a module expected, got number)"
        ),
        ("rest.service 'http://a.test'", "write rest.service { base_url = "),
        (
            "rest.log('hi')",
            "'rest.log' is a table of functions and can't be called: write rest.log.info(…), for example"
        ),
        ("rest.json { a = 1 }", "can't be called: write rest.json.encode(…), for example"),
        (
            "rest 'x'",
            "'rest' is a table of functions and can't be called: write rest.service(…), for example"
        ),
        (
            "api:configure('/a', rest.log)",
            "bad argument #2 'fn' to 'configure' (function expected, got table)"
        ),
        ("rest.json.encode(api)", "an object of the host (service) can't be content"),
        ("rest.json.encode({ 1, a = { [true] = 1 } })", "keys: 'a' beside [1]"),
        (
            "rest.entity { contnt = 1 }",
            "option 'content' is missing in the call of 'entity': is it 'contnt'?"
        ),
    ])
    func `errors suggest what to write`(source: String, part: String) {
        let error = loadError(source)
        #expect(error?.contains(part) == true, "\(error ?? "")")
    }

    @Test func `a table that JSON can't hold names its keys wherever it is encoded`() throws {
        try expect(
            """
            rest.spawn(function()
              local r = api:resource("echo")
              local request = r:request("POST", { json = { list = { 1, 2, x = 3 } } })
              print(select(2, request:await()))
            end)
            """,
            prints: [
                "POST https://api.test/v1/echo: Cannot send request: list: a table with both a list's and an "
                    + "object's keys: 'x' beside [1]"
            ])
    }

    @Test func `a nil that a failed wait gave comes with the reason`() throws {
        let lines = try output(
            """
            rest.spawn(function() local user = api:resource("missing"):get() print(user.name) end)
            rest.spawn(function() local list = rest.all { api:resource("down"):load() } print(list[1]) end)
            rest.spawn(function()
              local user = rest.spawn(function() rest.sleep(0) return nil + 1 end):await()
              print(user.name)
            end)
            rest.spawn(function()
              local user, err = api:resource("missing"):load():await()
              rest.sleep(0)
              print(user.name)
            end)
            rest.spawn(function() api:resource("missing"):load():await() error("mine: a nil value") end)
            """, seconds: 1)
        let hint = "; what it waited for has failed, and gave nil and this error: "
        for line in [
            "error: a job: attempt to index a nil value (local 'user')\(hint)"
                + "GET https://api.test/v1/missing: Not found (404): no such thing",
            "error: a job: attempt to index a nil value (local 'list')\(hint)"
                + "GET https://api.test/v1/down: Connection refused",
            "error: a job: attempt to index a nil value (local 'user')\(hint)"
                + "Script error: test.lua:4: attempt to perform arithmetic on a nil value",
            "error: a job: attempt to index a nil value (local 'user')", "error: a job: mine: a nil value",
        ] {
            #expect(lines.contains(line), "\(lines)")
        }
    }

    @Test func `the error of a predicate that takes the URL for text names its parts`() throws {
        try expect(
            """
            api:configure(function(url) return url:match("x") end, function(c) end)
            rest.spawn(function() print(select(2, api:resource("json"):get())) end)
            """,
            prints: [
                "GET https://api.test/v1/json: Script error: test.lua:1: attempt to call a nil value (method 'match'): "
                    + "the URL is a table of its parts, its text is url.string"
            ])
    }
}

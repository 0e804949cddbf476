import RestEngine
import TestSupport
import Testing

@testable import RestScript

/// An unusable value of a script is an error of that one request, with file and line.
@Suite(.leakChecked) @EngineActor
struct BadInputTests {
    /// Loads twice, with a fault the first time; prints the resource in between and afterwards.
    private func output(_ configure: String, _ show: String) throws -> [String] {
        try RestScriptTests.output(
            """
            local bad = true
            \(configure)
            rest.spawn(function()
              local r = api:resource("json")
              local entity, err = r:load():await()
              local c = err.cause
              print(\(show))
              print(r.latest_error == nil, r.latest_data, r.is_loading, r.is_requesting, #r.all_requests)
              bad = false
              print(r:load():await() ~= nil, r.latest_error, r.is_loading, r.is_up_to_date)
            end)
            """)
    }

    private static let isConsistent = ["false\tnil\tfalse\tfalse\t0", "true\tnil\tfalse\ttrue"]

    @Test(
        "a transformer that gives what can't be content",
        arguments: [
            ("local t = {} t.t = t return t", "t: a table that contains itself"),
            ("return function() end", "a function can't be content"),
            ("return coroutine.create(print)", "a coroutine can't be content"),
            ("return { a = { print } }", "a[1]: a function can't be content"), ("return api", ""),
        ])
    func content(body: String, problem: String) throws {
        let lines = try output(
            """
            api:configure_transformer("**", function(content)
              if bad then \(body) end
              return content
            end)
            """,
            "err.user_message, err.http_status_code, c.type, c.file, c.line, err.json.id, c.message")
        let start =
            "Cannot parse server response\t200\tscript_error\ttest.lua\t2\t7\tthe transformer's content can't be"
        #expect(lines.first?.hasPrefix(start) == true)
        #expect(lines.first?.hasSuffix(problem) == true)
        #expect(Array(lines.dropFirst()) == Self.isConsistent)
    }

    @Test("a response transformer that gives no response")
    func response() throws {
        let lines = try output(
            """
            api:configure(function(c)
              c.pipeline.cleanup:add(rest.response_transformer(function(r)
                if bad then return {} end
                return r
              end))
            end)
            """, "err.user_message, c.type, c.file, c.line, c.message")
        #expect(
            lines == [
                "Cannot parse server response\tscript_error\ttest.lua\t3\tthe transformer's result is a table, not a response"
            ] + Self.isConsistent)
    }

    @Test(
        "a mutator that sets what can't be sent",
        arguments: [
            (
                "d.method = 'F B'",
                "Cannot create request\tinvalid_request_method\ttest.lua\t4\tF B\t'F B' is not a method"
            ),
            (
                "d.method = 'GET\\r\\nX: y'",
                "Cannot create request\tinvalid_request_method\ttest.lua\t4\tGET\r\nX: y\t'GET\r\nX: y' is not a method"
            ),
            (
                "d.method = ''",
                "Cannot create request\tinvalid_request_method\ttest.lua\t4\t\t'' is not a method"
            ),
            (
                "d.url = 'no url'",
                "Cannot send request with invalid URL\tinvalid_url\ttest.lua\t4\tnil\t'no url' is not a URL"
            ),
            (
                "d.url = 'ftp://h/'",
                "Cannot send request with invalid URL\tinvalid_url\ttest.lua\t4\tnil\t'ftp://h/' does not begin with http:// or https://"
            ),
            (
                "d.headers.A = 'x\\r\\nB: y'",
                "Script error\tscript_error\ttest.lua\t4\tnil\tthe value of header 'A' contains a line break or control character"
            ),
            (
                "d.headers.A = 'x\\0'",
                "Script error\tscript_error\ttest.lua\t4\tnil\tthe value of header 'A' contains a line break or control character"
            ),
            (
                "d.headers['A\\n'] = 'x'",
                "Script error\tscript_error\ttest.lua\t4\tnil\t'A\\x0a' is not a header name"
            ),
            (
                "d.headers['A B'] = 'x'",
                "Script error\tscript_error\ttest.lua\t4\tnil\t'A B' is not a header name"
            ),
            (
                "d.headers = { A = { '1', '\\n' } }",
                "Script error\tscript_error\ttest.lua\t4\tnil\tthe value of header 'A' contains a line break or control character"
            ),
        ])
    func mutation(body: String, expected: String) throws {
        let lines = try output(
            """
            api:configure(function(c)
              c:mutate_requests(function(d)
                if bad then \(body) end
              end)
            end)
            """, "err.user_message, c.type, c.file, c.line, c.method, c.message")
        #expect(lines == [expected] + Self.isConsistent)
    }

    @Test("a header of a block or of a request that can't be sent")
    func headers() throws {
        try expect(
            """
            api:configure(function(c)
              c.headers.A = "x\\ny"
            end)
            rest.spawn(function()
              local _, err = api:resource("json"):get()
              print(err.user_message, err.cause.type, err.cause.file, err.cause.line, err.cause.message)
            end)
            """,
            prints: [
                "Script error\tscript_error\ttest.lua\t2\tthe value of header 'A' contains a line break or control character"
            ])
        try expect(
            """
            local r = api:resource("json"):request("GET", { headers = { A = "x\\ny" } })
            local c = r.response.error.cause
            print(r.state, c.type, c.file, c.line, c.message)
            """,
            prints: [
                "completed\tscript_error\ttest.lua\t1\tthe value of header 'A' contains a line break or control character"
            ])
    }

    @Test("a refusal can be caught where it happens")
    func caught() throws {
        try expect(
            """
            api:configure(function(c)
              c:mutate_requests(function(d)
                local ok, err = pcall(function() d.method = "F B" end)
                print(ok, err, d.method)
              end)
            end)
            rest.spawn(function() print(api:resource("text"):get()) end)
            """, prints: ["false\tCannot create request: 'F B' is not a method\tGET", "hello"])
    }

    @Test("a decorator that gives no request")
    func decorator() throws {
        let lines = try output(
            """
            api:configure(function(c)
              c:decorate_requests(function(resource, request)
                return not bad and request
              end)
            end)
            """, "err.user_message, c.type, c.file, c.line, c.message")
        #expect(
            lines == [
                "Script error\tscript_error\ttest.lua\t3\ta decorator returned a boolean where it must return a request"
            ] + Self.isConsistent)
    }

    @Test("20.12: the line is in the one-line form of the error")
    func description() throws {
        try expect(
            """
            rest.spawn(function()
              local _, err = api:resource("json"):request("GET", { mutate = function(d) d.url = "x" end }):await()
              print(err)
            end)
            """,
            prints: [
                "GET https://api.test/v1/json: Cannot send request with invalid URL: 'x' does not begin with http:// or https:// (test.lua:2)"
            ])
    }
}

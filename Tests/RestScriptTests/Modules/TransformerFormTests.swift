import RestEngine
import TestSupport
import Testing

@testable import RestScript

/// Section 17 of the rules, with the same cases for a function in the script and for one in a module.
@Suite(.leakChecked) @EngineActor
struct TransformerFormTests {
    enum Form: String, CaseIterable, Sendable { case function, module }

    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let path: String
        /// Options of `configure_transformer`.
        var options = "{}"
        /// The body of `function(content, entity)`.
        let body: String
        /// The code that prints; it has `entity` and `err`.
        let show: String
        let expected: String

        var testDescription: String { name }

        init(
            _ name: String, _ path: String, options: String = "{}", _ body: String, _ show: String,
            _ expected: String
        ) {
            (self.name, self.path, self.options) = (name, path, options)
            (self.body, self.show, self.expected) = (body, show, expected)
        }
    }

    nonisolated static let cases = [
        Case(
            "17.1: JSON", "json", "return { id = c.id + 1, n = #c.tags }",
            "print(entity.content.id, entity.content.n, entity.content_kind)", "8\t2\tvalue"),
        Case("text", "text", "return c .. '!'", "print(entity.text, entity.content_kind)", "hello!\ttext"),
        Case(
            "bytes", "bytes", "return { #c, e.content_kind, e.headers['x-kind'] }",
            "print(table.concat(entity.content, ' '))", "3 bytes raw"),
        Case(
            "image", "image", "return { c.format, c.width, c.height }",
            "print(table.concat(entity.content, ' '))", "gif 3 2"),
        Case(
            "values survive", "values", "return c",
            "local c = entity.content print(c.none == rest.null, c.big, c.real, #c.list, entity.content_kind)",
            "true\t9223372036854775807\t1.5\t0\tvalue"),
        Case(
            "output = json", "json", options: "{ output = 'json' }", "return { a = 1 }",
            "print(entity.json.a, entity.content_kind)", "1\tjson"),
        Case(
            "output = bytes", "text", options: "{ output = 'bytes' }", "return c",
            "print(entity.content, entity.content_kind)", "hello\tbytes"),
        Case("rest.bytes", "text", "return rest.bytes(c)", "print(entity.content_kind)", "bytes"),
        Case("null", "json", "return rest.null", "print(entity.content == rest.null)", "true"),
        Case("false", "json", "return false", "print(entity.content)", "false"),
        Case(
            "17.4: the rest of the entity stays", "headers",
            "return { e.charset, e.etag, e.timestamp, e.content_type, e.text, e:header_values('x-many')[2] }",
            "print(table.concat(entity.content, ' '), entity.etag)",
            "utf-8 \"e1\" 1000000.0 text/plain; charset=utf-8 ok b\t\"e1\""),
        Case(
            "17.5: error", "json", options: "{ input = 'text', description = 'mine' }", "return c",
            "local c = err.cause print(err.user_message, c.type, c.expected, c.actual, c.transformer, err.http_status_code, err.json.id)",
            "Cannot parse server response\twrong_input_type\ttext\tjson\tmine\t200\t7"),
        Case(
            "17.5: skip", "json", options: "{ input = 'text', on_mismatch = 'skip' }", "return 'x'",
            "print(entity.json.id)", "7"),
        Case(
            "17.5: skip_if_output_matches", "text",
            options: "{ input = 'number', output = 'text', on_mismatch = 'skip_if_output_matches' }",
            "return 'x'", "print(entity.text)", "hello"),
        Case(
            "17.5: output", "json", options: "{ output = 'number' }", "return 'x'",
            "print(err.cause.type, err.cause.expected, err.cause.actual)", "wrong_input_type\tnumber\ttext"),
        Case(
            "17.6: nil", "json", options: "{ description = 'mine' }", "return nil",
            "print(err.user_message, err.cause.type, err.cause.transformer)",
            "Cannot parse server response\ttransformer_returned_nil\tmine"),
        Case(
            "17.6: nil and why", "json", "return nil, 'no user'", "print(err.user_message, err.cause.type)",
            "no user\ttransformer_returned_nil"),
        Case(
            "17.7: an error object", "json",
            "error(rest.error { user_message = 'Mine', http_status_code = 418, cause = { type = 'own', n = 3 } })",
            "print(err.user_message, err.http_status_code, err.cause.type, err.cause.n, err.url)",
            "Mine\t418\town\t3\thttps://api.test/v1/json"),
        Case(
            "17.7: an error object, returned", "json",
            "return nil, rest.error { user_message = 'Mine', entity = rest.entity { content = 'b' } }",
            "print(err.user_message, err.text)", "Mine\tb"),
        Case(
            "17.7: words", "json", "error('no such user')",
            "print(err.user_message, err.cause.type, err.cause.line, err.http_status_code, err.json.id)",
            "no such user\tscript_error\t1\t200\t7"),
        Case(
            "17.7: a fault", "json", "return c.no.such",
            "print(err.user_message, err.cause.type, err.cause.line, err.cause.message, #err.cause.traceback > 0)",
            "Cannot parse server response\tscript_error\t1\tattempt to index a nil value (field 'no')\ttrue"),
        Case(
            "17.8: transform_errors", "missing", options: "{ transform_errors = true }", "return c.message",
            "print(err.text, err.user_message, err.http_status_code, err.cause, err.entity.content_type)",
            "no such thing\tNot found\t404\tnil\tapplication/json"),
        Case(
            "17.8: off", "missing", "return c.message", "print(err.text, err.json.message)", "\tno such thing"
        ),
        Case(
            "17.9: an error's body that fails", "missing", options: "{ transform_errors = true }",
            "return c.no.such", "print(err.user_message, err.http_status_code, err.cause, err.json.message)",
            "Not found\t404\tnil\tno such thing"),
        Case(
            "17.12: malformed JSON", "broken", "return c",
            "print(err.http_status_code, err.entity.content, err.entity.content_type, err.cause.type, err.cause.offset)",
            "200\t{\tapplication/json\tmalformed_json\t1"),
        Case(
            "18.2: a fragment", "fragment", "return c",
            "print(err.cause.type, err.cause.actual, err.entity.content)",
            "json_not_object_or_array\tnumber\t5"),
        Case(
            "17.2: content types", "json", options: "{ content_types = 'text/*' }", "return 'x'",
            "print(entity.json.id)", "7"),
        Case(
            "a transport's failure", "down", options: "{ transform_errors = true }", "return 'x'",
            "print(err.cause.type)", "connection_failed"),
        Case(
            "a function can't cross", "json", "return { f = print }",
            "print(err.user_message, err.cause.type, err.cause.message:match('f: .*') ~= nil)",
            "Cannot parse server response\tscript_error\ttrue"),
        Case(
            "a cycle can't cross", "json", "local t = {} t.t = t return t",
            "print(err.cause.type, err.cause.line)", "script_error\t1"),
        Case(
            "a coroutine can't cross", "json", "return coroutine.create(print)", "print(err.cause.type)",
            "script_error"),
        Case(
            "D30: no body is passed on", "nobody", options: "{ input = 'json' }", "return 'x'",
            "print(entity.content == '', entity.content_kind, entity.status)", "true\tbytes\t201"),
        Case(
            "D30: empty", "nobody", options: "{ input = 'json', empty = true }", "return { #c }",
            "print(entity.content[1], entity.content_kind)", "0\tvalue"),
        Case("waiting is refused", "json", "coroutine.yield()", "print(err.cause.type)", "script_error"),
    ]

    @Test("section 17: a case is the same in both forms", arguments: cases, Form.allCases)
    func semantics(of row: Case, in form: Form) async throws {
        let function = "function(c, e) \(row.body) end"
        let transformer = form == .module ? "'m'" : function
        let lines = try await output(
            """
            api:configure_transformer("**", \(row.options), \(transformer))
            rest.spawn(function()
              local entity, err = api:resource("\(row.path)"):load():await()
              \(row.show)
            end)
            """, modules: ["m": "return \(function)"])
        // Log lines name the transformer, and its name differs between the forms.
        #expect(lines.filter { !$0.hasPrefix("warn: ") } == [row.expected])
    }

    @Test("16.4: stages keep their order, whatever form their transformers have", arguments: Form.allCases)
    func order(form: Form) async throws {
        let names = ["a", "b", "c", "d", "e"]
        let modules = Dictionary(
            uniqueKeysWithValues: names.map { ($0, "return function(c) return c .. '\($0)' end") })
        func transformer(_ name: String, _ isModule: Bool) -> String {
            isModule ? "'\(name)'" : "function(c) return c .. '\(name)' end"
        }
        let lines = try await output(
            """
            api:configure(function(c)
              c.pipeline.cleanup:add(\(transformer("e", form == .module)))
              c.pipeline.model:add(\(transformer("b", form == .module)))
              c.pipeline.model:add(\(transformer("c", false)))
              c.pipeline.model:add(\(transformer("d", form == .module)))
              c.pipeline.parsing:add(\(transformer("a", form == .module)))
            end)
            rest.spawn(function() print(api:resource("text"):get()) end)
            """, modules: modules)
        #expect(lines == ["helloabcde"])
    }

    @Test(
        "17.10: a response is transformed once, however many look, and not at all for a 304",
        arguments: Form.allCases)
    func once(form: Form) async throws {
        let function = "function(c) rest.store:incr('n') return c end"
        let lines = try await output(
            """
            api:configure_transformer("**", \(form == .module ? "'m'" : function))
            rest.spawn(function()
              local r = api:resource("json")
              r:get() r:get() print(rest.store:get('n'), r.json.id)
              r:override_local_data(rest.entity { content = { id = 1 }, headers = { ETag = '"known"' } })
              r:load():await() print(rest.store:get('n'), r.json.id)
            end)
            """, modules: ["m": "return \(function)"])
        #expect(lines == ["1\t7", "1\t1"])
    }

    @Test("15 to 17: time, memory and depth have their limits in both forms", arguments: Form.allCases)
    func limits(form: Form) async throws {
        // Under a sanitizer it takes some time to reach this depth.
        for (body, seconds, shows) in [
            ("while true do end", 0.2, "script_limit\ttime\ttrue"),
            ("while true do pcall(function() while true do end end) end", 0.2, "script_limit\ttime\ttrue"),
            ("return ('x'):rep(1e9)", 0.5, "script_limit\tmemory\ttrue"),
            ("local function f() return 1 + f() end return f()", 20, "script_error\tnil\tfalse"),
        ] {
            let function = "function(c) \(body) end"
            let fixture = try ModuleFixture(["m": "return \(function)"])
            fixture.script.options.limits[.transformer] = .init(burst: seconds)
            try fixture.load(
                """
                api:configure_transformer("json", \(form == .module ? "'m'" : function))
                rest.spawn(function()
                  local _, err = api:resource("json"):get()
                  print(err.cause.type, err.cause.budget, (err.cause.used or 0) > 0)
                  print((api:resource("text"):get()))
                end)
                """)
            await fixture.settle()
            await fixture.close()
            let lines = fixture.take()
            #expect(lines == [shows, "hello"], "\(body)")
        }
    }
}

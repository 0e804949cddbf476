import RestEngine
import TestSupport
import Testing

@testable import RestScript

/// Section 17 of the rules as scripts see it.
@Suite(.leakChecked) @EngineActor
struct TransformerRows {
    /// Adds `transformer` for all resources, gets `path`, and prints with `show`, which can use `entity` and
    /// `err`.
    private func expect(
        _ path: String, _ configure: String, _ show: String, prints expected: String...,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        try RestScriptTests.expect(
            """
            \(configure)
            rest.spawn(function()
              local entity, err = api:resource("\(path)"):load():await()
              \(show)
            end)
            """, prints: expected, sourceLocation: sourceLocation)
    }

    @Test("17.1: a response transformer may change content, headers and message, and flip the outcome")
    func response() throws {
        func add(_ body: String) -> String {
            """
            api:configure(function(c) c.pipeline.cleanup:add(rest.response_transformer(function(r) \(body) end)) end)
            """
        }
        try expect(
            "headers",
            add(
                #"return rest.success(rest.entity { content = r.entity.content .. "!", headers = { ["X-New"] = "1" } })"#
            ),
            #"print(entity.content, entity.headers["x-new"], entity.headers["x-many"], entity.etag)"#,
            prints: "ok!\t1\tnil\tnil")
        try expect(
            "missing",
            add(
                #"return rest.failure(rest.error { user_message = r.error.json.message, http_status_code = r.error.http_status_code, entity = r.error.entity })"#
            ),
            "print(err.user_message, err.http_status_code, err.json.message, err.url)",
            prints: "no such thing\t404\tno such thing\thttps://api.test/v1/missing")
        try expect(
            "missing", add(#"return rest.success(rest.entity { content = "fine" })"#),
            "print(entity.content, err)", prints: "fine\tnil")
        try expect(
            "text", add(#"return rest.failure(rest.error { user_message = "no" })"#),
            "print(entity, err.user_message)", prints: "nil\tno")
    }

    @Test("17.2: a filter ignores parameters, and holds for errors; an error without a body passes none")
    func filter() throws {
        let configure = """
            api:configure(function(c)
              c.pipeline.cleanup:add(rest.response_transformer(function(r)
                print("seen", r.ok) return r
              end), { content_types = { "text/*", "*/json" } })
            end)
            """
        for (path, seen) in [
            ("headers", ["seen\ttrue"]), ("missing", ["seen\tfalse"]), ("down", []), ("bytes", []),
        ] {
            let lines = try output(
                "\(configure)\nrest.spawn(function() api:resource(\"\(path)\"):load():await() end)")
            #expect(lines == seen)
        }
    }

    @Test(
        "17.3 D11: every pattern is anchored at both ends, and case is ignored",
        arguments: [
            ("application/json", "json"), ("Application/JSON; a=b", "json"), ("application/jsonp", "bytes"),
            ("application/x+json", "json"), ("text/x+plain", "bytes"), ("image/svg+xml", "bytes"),
            ("text/json", "json"), ("TEXT/plain", "text"),
        ])
    func anchors(type: String, kind: String) throws {
        let lines = try output(
            #"rest.spawn(function() print(api:resource("a"):load():await().content_kind) end)"#,
            stubs: [("a", .text(200, "{}", type: type))])
        #expect(lines == [kind])
    }

    @Test("17.4: a content transformer changes the content alone")
    func contentAlone() throws {
        try expect(
            "headers", #"api:configure_transformer("**", function(c) return { c } end)"#,
            #"print(entity.content[1], entity.content_type, entity.charset, entity.etag, entity.timestamp, entity.headers["x-many"])"#,
            prints: "ok\ttext/plain; charset=utf-8\tutf-8\t\"e1\"\t1000000.0\ta, b")
    }

    @Test("17.5: a mismatch is an error that names both types")
    func mismatchError() throws {
        try expect(
            "json",
            #"api:configure_transformer("**", { input = "text", description = "mine" }, function() end)"#,
            "local c = err.cause print(err.user_message, c.type, c.expected, c.actual, c.transformer, err.http_status_code, err.json.id)",
            prints: "Cannot parse server response\twrong_input_type\ttext\tjson\tmine\t200\t7")
    }

    @Test("17.5: skip passes the content through")
    func mismatchSkip() throws {
        try expect(
            "json",
            #"api:configure_transformer("**", { input = "text", on_mismatch = "skip" }, function() return "x" end)"#,
            "print(entity.json.id)", prints: "7")
    }

    @Test("17.5: skip_if_output_matches passes what is of the output's type, and fails on all else")
    func mismatchSkipIfOutput() throws {
        let configure =
            #"api:configure_transformer("**", { input = "number", output = "text", on_mismatch = "skip_if_output_matches" }, function() return "x" end)"#
        try expect("text", configure, "print(entity.text)", prints: "hello")
        try expect(
            "json", configure, "print(err.cause.type, err.cause.expected, err.cause.actual)",
            prints: "wrong_input_type\tnumber\tjson")
    }

    @Test("17.6: returning nil is a failure that names the transformer")
    func returnedNil() throws {
        try expect(
            "json",
            #"api:configure_transformer("**", { description = "mine" }, function() return nil end)"#,
            "print(err.user_message, err.cause.type, err.cause.transformer)",
            prints: "Cannot parse server response\ttransformer_returned_nil\tmine")
    }

    @Test("17.7: an error object that is raised is the error, all else is wrapped")
    func raising() throws {
        try expect(
            "json",
            #"api:configure_transformer("**", function() error(rest.error { user_message = "Mine", http_status_code = 418 }) end)"#,
            "print(err.user_message, err.http_status_code, err.cause)", prints: "Mine\t418\tnil")
        try expect(
            "json", #"api:configure_transformer("**", function(c) return c.no.such end)"#,
            "print(err.user_message, err.cause.type, err.cause.file, err.cause.line)",
            prints: "Cannot parse server response\tscript_error\ttest.lua\t1")
    }

    @Test("17.8: an error's body is transformed in place only with transform_errors")
    func transformErrors() throws {
        for (option, text) in [("true", "no such thing"), ("false", "")] {
            try expect(
                "missing",
                "api:configure_transformer('**', { transform_errors = \(option) }, function(c) return c.message end)",
                "print(err.text, err.user_message, err.http_status_code, err.cause, err.entity.content_type)",
                prints: "\(text)\tNot found\t404\tnil\tapplication/json")
        }
    }

    @Test("17.9: an error's body that can't be parsed leaves the error as it was")
    func unparsableError() throws {
        let lines = try output(
            """
            rest.spawn(function()
              local _, err = api:resource("a"):load():await()
              print(err.user_message, err.http_status_code, err.cause, err.entity.content_kind, err.entity.content)
            end)
            """, stubs: [("a", .json(500, "<html>"))])
        #expect(lines == ["Internal server error\t500\tnil\tbytes\t<html>"])
    }

    @Test("17.10: a response is transformed once, however many look, and not at all for a 304")
    func once() throws {
        try expect(
            "json",
            """
            local n = 0
            api:configure_transformer("**", function(c) n = n + 1 return c end)
            """,
            """
            local r = api:resource("json")
            r:get() r:get() print(n, r.json.id, r.json.id)
            r:override_local_data(rest.entity { content = { id = 1 }, headers = { ETag = '"known"' } })
            r:load():await() print(n, r.json.id)
            """, prints: "1\t7\t7", "1\t1")
    }

    @Test("17.12 D12: a failure made of a success keeps status and body")
    func keptBody() throws {
        try expect(
            "broken", "",
            "print(err.http_status_code, err.entity.content, err.entity.content_type, err.cause.type)",
            prints: "200\t{\tapplication/json\tmalformed_json")
    }
}

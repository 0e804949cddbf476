import RestEngine
import TestSupport
import Testing

@testable import RestScript

@Suite(.leakChecked) @EngineActor
struct TransformerResultTests {
    /// Requests `path` with a transformer of that body on the third line, and prints the result.
    private func expect(
        _ body: String, path: String = "json", options: String = "", prints expected: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let source = """

            api:configure_transformer("**", { \(options) }, function(content, entity)
              \(body)
            end)
            rest.spawn(function()
              local entity, err = api:resource("\(path)"):load():await()
              if entity then return print(entity.content_kind, rest.json.encode(entity.content)) end
              local c = err.cause
              print(err.user_message, err.http_status_code, c and c.type, c and c.line, c and c.message)
            end)
            """
        try RestScriptTests.expect(source, prints: [expected], sourceLocation: sourceLocation)
    }

    @Test(arguments: [
        ("return content.name", "text\t\"otto\""), ("return { content.id }", "value\t[7]"),
        ("return 5", "value\t5"),
        ("return false", "value\tfalse"), ("return rest.null", "value\tnull"), ("return 1.5", "value\t1.5"),
        ("return rest.json.array()", "value\t[]"), ("return {}", "value\t{}"), ("return ''", "text\t\"\""),
        ("return 9223372036854775807", "value\t9223372036854775807"),
        ("return entity.content_type", "text\t\"application/json\""),
        ("return entity.content_kind", "text\t\"json\""),
        ("return content.tags", "value\t[\"a\",\"b\"]"),
        ("content.id = 8 return { content.id, entity.content.id }", "value\t[8,7]"),
        (
            "return nil",
            "Cannot parse server response\t200\ttransformer_returned_nil\tnil\ttransformer test.lua:2 returned nil"
        ),
        (
            "return",
            "Cannot parse server response\t200\ttransformer_returned_nil\tnil\ttransformer test.lua:2 returned nil"
        ),
        (
            "return nil, 'No such user'",
            "No such user\t200\ttransformer_returned_nil\tnil\ttransformer test.lua:2 returned nil"
        ),
        (
            "return nil, rest.error { user_message = 'Mine', http_status_code = 418 }",
            "Mine\t418\tnil\tnil\tnil"
        ),
        ("error('Sorry')", "Sorry\t200\tscript_error\t3\tSorry"),
        ("error('Sorry', 0)", "Sorry\t200\tscript_error\t3\tSorry"),
        ("assert(false, 'Sorry')", "Sorry\t200\tscript_error\t3\tSorry"),
        ("error(rest.error { user_message = 'Mine', http_status_code = 418 })", "Mine\t418\tnil\tnil\tnil"),
        ("error(rest.error { cause = { type = 'mine', line = 9, message = 'm' } })", "m\tnil\tmine\t9\tm"),
        (
            "return content.nothing.there",
            "Cannot parse server response\t200\tscript_error\t3\tattempt to index a nil value (field 'nothing')"
        ),
        (
            "error(setmetatable({}, { __tostring = function() return 'words' end }))",
            "words\t200\tscript_error\t3\twords"
        ),
        (
            "return coroutine.create(print)",
            "Cannot parse server response\t200\tscript_error\t2\tthe transformer's content can't be made of this value: a coroutine can't be content"
        ),
    ])
    func `what a transformer gives becomes the content or the error`(body: String, expected: String) throws {
        try expect(body, prints: expected)
    }

    @Test func `a table raised without words does not show its address`() throws {
        let lines = try output(
            """
            api:configure_transformer("**", function() error({ code = 1 }) end)
            rest.spawn(function()
              local _, err = api:resource("json"):get()
              print(err.user_message, err.cause.type, err.cause.line)
            end)
            """)
        #expect(lines == ["Cannot parse server response\tscript_error\t1"])
    }

    @Test func `a runtime error has file, line and traceback`() throws {
        let lines = try output(
            """
            local function deeper(x) return x.y.z end
            api:configure_transformer("**", function(content) return (deeper(content)) end)
            rest.spawn(function()
              local _, err = api:resource("json"):get()
              print(err.cause.file, err.cause.line, err.entity.json.id, err.url, err.method)
              print(err.cause.traceback)
            end)
            """)
        #expect(lines.first == "test.lua\t1\t7\thttps://api.test/v1/json\tGET")
        #expect(lines.last?.contains("test.lua:2: in function <test.lua:2>") == true)
    }

    @Test(arguments: [
        ("input = 'json'", "json", "value\t1"), ("input = 'table'", "json", "value\t1"),
        ("input = 'text'", "text", "value\t1"), ("input = 'bytes'", "bytes", "value\t1"),
        ("input = 'image'", "image", "value\t1"), ("input = 'any'", "text", "value\t1"),
        ("input = 'number', on_mismatch = 'skip'", "text", "text\t\"hello\""),
        (
            "input = 'number', on_mismatch = 'skip_if_output_matches', output = 'text'", "text",
            "text\t\"hello\""
        ),
        ("output = 'number'", "text", "value\t1"),
    ])
    func `rules decide what a transformer gets`(options: String, path: String, expected: String) throws {
        try expect("return 1", path: path, options: options, prints: expected)
    }

    @Test(arguments: [
        ("input = 'text'", "json", "text", "json"), ("input = 'json'", "text", "json", "text"),
        (
            "input = 'boolean', on_mismatch = 'skip_if_output_matches', output = 'number'", "text", "boolean",
            "text"
        ),
        ("output = 'table'", "text", "table", "number"),
        ("output = 'boolean'", "text", "boolean", "number"),
    ])
    func `a mismatch names what was expected`(options: String, path: String, wanted: String, actual: String)
        throws
    {
        let lines = try output(
            """
            api:configure_transformer("**", { description = "mine", \(options) }, function() return 1 end)
            rest.spawn(function()
              local _, err = api:resource("\(path)"):get()
              print(err.user_message, err.http_status_code, err.cause.type, err.cause.expected, err.cause.actual, err.cause.transformer)
            end)
            """)
        #expect(
            lines == ["Cannot parse server response\t200\twrong_input_type\t\(wanted)\t\(actual)\tmine"])
    }

    @Test(arguments: [
        ("return 'x'", "output = 'bytes'", "bytes\t\"x\""), ("return rest.bytes('x')", "", "bytes\t\"x\""),
        ("return { 1 }", "output = 'json'", "json\t[1]"),
        ("return { a = 1 }", "output = 'json'", "json\t{\"a\":1}"),
        ("return content", "output = 'json'", "json\t"), ("return 'x'", "output = 'text'", "text\t\"x\""),
        ("return { 1 }", "output = 'table'", "value\t[1]"),
        ("return true", "output = 'boolean'", "value\ttrue"),
    ])
    func `output shapes the content`(body: String, options: String, expected: String) throws {
        let lines = try output(
            """
            api:configure_transformer("**", { \(options) }, function(content) \(body) end)
            rest.spawn(function()
              local entity = api:resource("json"):load():await()
              print(entity.content_kind, rest.json.encode(entity.content))
            end)
            """)
        #expect(lines.first?.hasPrefix(expected) == true, "\(lines)")
    }

    @Test func `a class table is matched by metatable, and survives`() throws {
        try RestScriptTests.expect(
            """
            local User = {} User.__index = User
            function User:greet() return "I am " .. self.name end
            local Other = {}
            api:configure_transformer("**", { output = User }, function(c) return setmetatable(c, User) end)
            api:configure_transformer("**", { action = "append", input = User }, function(u) u.name = u:greet() return u end)
            api:configure_transformer("**", { action = "append", input = Other, on_mismatch = "skip" }, function() return 0 end)
            rest.spawn(function()
              local user = api:resource("json"):get()
              print(user:greet(), getmetatable(user) == User, api:resource("json").latest_data.content_kind)
            end)
            """, prints: ["I am I am otto\ttrue\tvalue"])
    }
}

import RestEngine
import TestSupport
import Testing

@testable import RestScript

@Suite(.leakChecked) @EngineActor
struct ConfigureTransformerTests {
    static let say = "local function say(word) return function(content) return content .. word end end "

    @Test func `it replaces what the model stage had, or appends`() throws {
        try expect(
            Self.say + """
                print(api:configure_transformer("text", say "1") == api)
                api:configure_transformer("text", say "2")
                api:configure_transformer("text", { action = "append" }, say "3")
                api:configure_transformer("text", { stage = "cleanup" }, say "4")
                api:configure_transformer("**", { action = "append", content_types = "image/*" }, say "5")
                rest.spawn(function() print(api:resource("text"):get()) end)
                """, prints: ["true", "hello234"])
    }

    @Test func `it covers GET POST PUT PATCH DELETE, or the methods named`() throws {
        try expect(
            Self.say + """
                api:configure_transformer("text", say "!")
                api:configure_transformer("headers", { methods = { "OPTIONS" } }, say "!")
                rest.spawn(function()
                  for _, method in ipairs { "GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS" } do
                    local a = api:resource("text"):request(method):await()
                    local b = api:resource("headers"):request(method):await()
                    print(method, a.text, b.text)
                  end
                end)
                """,
            prints: [
                "GET\thello!\tok", "POST\thello!\tok", "PUT\thello!\tok", "PATCH\thello!\tok",
                "DELETE\thello!\tok",
                "HEAD\thello\tok", "OPTIONS\thello\tok!",
            ])
    }

    @Test func `errors are left alone unless transform_errors says otherwise`() throws {
        try expect(
            """
            api:configure_transformer("missing", { transform_errors = true }, function(c) return c.message end)
            local function body(service)
              local _, err = service:resource("missing"):get()
              print(err.user_message, err.http_status_code, err.text, err.json.message, err.cause)
            end
            local plain = rest.service { name = "plain", base_url = "https://api.test/v1" }
            plain:configure_transformer("missing", function(c) return "never" end)
            local bad = rest.service { name = "bad", base_url = "https://api.test/v1" }
            bad:configure_transformer("missing", { transform_errors = true }, function(c) error("boom") end)
            rest.spawn(function() body(api) body(plain) body(bad) end)
            """,
            prints: [
                "Not found\t404\tno such thing\tnil\tnil", "Not found\t404\t\tno such thing\tnil",
                "warn: transformer test.lua:9: GET https://api.test/v1/missing: boom (404 Not Found) (test.lua:9)",
                "Not found\t404\t\tno such thing\tnil",
            ])
    }

    @Test func `a response is transformed once, however many ask`() throws {
        try expect(
            """
            local n = 0
            api:configure_transformer("json", function(c) n = n + 1 return c end)
            local r = api:resource("json")
            local request = r:load()
            for i = 1, 3 do request:on_success(function() end) rest.spawn(function() r:get() end) end
            request:on_completion(function() print(n) end)
            """, prints: ["1"])
    }

    @Test(arguments: [
        (
            "api:configure_transformer()",
            "'configure_transformer' takes a pattern, options and a transformer, but got nothing: write configure_transformer(pattern, [options,] transformer)"
        ),
        (
            "api:configure_transformer(print)",
            "'configure_transformer' takes a pattern, options and a transformer, but got a function alone: write configure_transformer(pattern, [options,] transformer)"
        ),
        (
            "api:configure_transformer('a', {})",
            "the transformer is a function(content, entity), the name of a module, or a transformer of rest.*, not a table"
        ),
        (
            "api:configure_transformer('a', 5, print)",
            "bad argument #2 'options' to 'configure_transformer' (table expected, got number)"
        ),
        (
            "api:configure_transformer('a', { stge = 'x' }, print)",
            "unknown option 'stge': did you mean 'stage'?"
        ),
        (
            "api:configure_transformer('a', { action = 'add' }, print)",
            "option 'action' is \"replace\" or \"append\", not \"add\""
        ),
        (
            "api:configure_transformer('a', { input = 'xml' }, print)",
            "option 'input' can't be \"xml\": types are \"any\", \"bytes\", \"text\", \"json\", \"image\", \"table\", \"number\", \"boolean\", or a class table"
        ),
        (
            "api:configure_transformer('a', { output = 5 }, print)",
            "option 'output' is the name of a type or a class table"
        ),
        (
            "api:configure_transformer('a', { on_mismatch = 'x' }, print)",
            "option 'on_mismatch' is \"error\", \"skip\" or \"skip_if_output_matches\", not \"x\""
        ),
        (
            "api:configure_transformer('a', { input = 'text' }, rest.transformers.json())",
            "option 'input' belongs to a function: this transformer has rules of its own"
        ),
        (
            "api:configure_transformer('a', 'my.module')",
            "the transformer 'my.module' is no transformer: module 'my.module' not found: no my/module.lua or my/module/init.lua in '.'"
        ),
        ("rest.content_transformer {}", "option 'transform' is missing in the call of 'content_transformer'"),
        (
            "rest.content_transformer { transform = 5 }",
            "option 'transform' is a function(content, entity), the name of a module, or a transformer of rest.*, not a number"
        ),
        (
            "rest.content_transformer { transform = print, inputs = 'text' }",
            "unknown option 'inputs': did you mean 'input'?"
        ),
        (
            "rest.response_transformer()",
            "bad argument #1 'fn' to 'rest.response_transformer' (function expected, got no value)"
        ),
        (
            "rest.response_transformer(print, 5)",
            "bad argument #2 'description' to 'rest.response_transformer' (string expected, got number)"
        ),
        (
            "rest.transformers.html()",
            "unknown field 'html' on rest.transformers"
        ),
        (
            "api:configure_transformer(nil)",
            "'configure_transformer' takes a pattern, options and a transformer, but got nil alone, which is most likely a misspelled name: write configure_transformer(pattern, [options,] transformer)"
        ),
        (
            "api:configure_transformer('/a', nil)",
            "the transformer is a function(content, entity), the name of a module, or a transformer of rest.*, not nil, which is most likely a misspelled name"
        ),
        (
            "api:configure_transformer(print, '/a')",
            "the arguments of 'configure_transformer' are swapped: write configure_transformer(pattern, [options,] transformer)"
        ),
        (
            "api:configure_transformer(rest.transformers.json(), rest.regex('a'))",
            "the arguments of 'configure_transformer' are swapped: write configure_transformer(pattern, [options,] transformer)"
        ),
        (
            "api:configure_transformer('/a', print, { stage = 'model' })",
            "the options of 'configure_transformer' stand before the transformer: write configure_transformer(pattern, [options,] transformer)"
        ),
        (
            "api:configure_transformer({ stage = 'model' }, '/a', print)",
            "'configure_transformer' takes a pattern before its options"
        ),
        (
            "rest.content_transformer { transfrom = print }",
            "option 'transform' is missing in the call of 'content_transformer': is it 'transfrom'?"
        ),
        (
            "rest.content_transformer(print)",
            "bad argument #1 'options' to 'rest.content_transformer' (table expected, got function): write rest.content_transformer { transform = function(content) … end }"
        ),
        ("rest.transformers.jsn()", "unknown field 'jsn' on rest.transformers: did you mean 'json'?"),
        (
            "rest.transformers.text { allow_fragments = true }",
            "unknown option 'allow_fragments': 'rest.transformers.text' knows transform_errors, empty, charset"
        ),
        (
            "rest.transformers.json { allow_fragments = 1 }",
            "bad option 'allow_fragments' to 'rest.transformers.json' (boolean expected, got number)"
        ),
        ("rest.transformers.json().name = 1", "unknown field 'name' on transformer"),
    ])
    func `a wrong declaration is refused`(source: String, message: String) {
        #expect(loadError(source) == "1: \(message)")
    }

    @Test func `transformers of rest have descriptions and rules`() throws {
        try expect(
            """
            local t = rest.content_transformer { transform = function(c) return c .. "!" end, input = "text", on_mismatch = "skip", description = "shout" }
            print(t, t.description, rest.transformers.image().description, rest.response_transformer(print, "mine"))
            api:configure(function(c) c.pipeline.model:add(t) end)
            api:configure("fragment", function(c)
              c.pipeline.parsing:remove_transformers():add(rest.transformers.json { allow_fragments = true })
              c.pipeline.model:add(rest.content_transformer { transform = function(n) return n + 1 end, input = "number" })
            end)
            rest.spawn(function()
              print(api:resource("text"):get(), api:resource("json"):get().id, api:resource("fragment"):get())
              print(next(api:resource("fragment").json))
            end)
            """, prints: ["transformer shout\tshout\timage\ttransformer mine", "hello!\t7\t6", "nil"])
    }

    @Test func `a response transformer sees successes and failures and may flip them`() throws {
        try expect(
            """
            local function use(path, fn) api:configure(path, function(c) c.pipeline.cleanup:add(rest.response_transformer(fn, "mine")) end) end
            use("missing", function(r) if not r.ok and r.error.http_status_code == 404 then return rest.success(r.error.entity) end return r end)
            use("text", function(r) return rest.failure(rest.error { user_message = "no " .. r.entity.text }) end)
            use("json", function(r) return rest.entity { content = "new", content_type = "text/plain" } end)
            use("list", function(r) error("Sorry") end)
            use("headers", function(r) return 5 end)
            use("values", function(r) return nil, "Nothing" end)
            use("down", function(r) return r.error end)
            rest.spawn(function()
              for _, path in ipairs { "missing", "text", "json", "list", "headers", "values", "down" } do
                local entity, err = api:resource(path):load():await()
                local c = err and err.cause
                if entity then print(entity.content_kind, entity.json.message, entity.text)
                else print(err.user_message, err.http_status_code, c and c.type, c and c.message) end
              end
            end)
            """,
            prints: [
                "json\tno such thing\t", "no hello\tnil\tnil\tnil", "text\tnil\tnew",
                "Sorry\t200\tscript_error\tSorry",
                "Cannot parse server response\t200\tscript_error\tthe transformer's result is a number, not a response",
                "Nothing\t200\ttransformer_returned_nil\tmine returned nil",
                "Connection refused\tnil\tconnection_failed\tConnection refused",
            ])
    }
}

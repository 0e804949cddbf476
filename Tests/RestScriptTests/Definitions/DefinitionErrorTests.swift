import RestEngine
import TestSupport
import Testing

@testable import RestScript

@Suite(.leakChecked) @EngineActor
struct DefinitionErrorTests {
    @Test(arguments: [
        (#"api:define("GET", { qurey = {} })"#, "unknown option 'qurey': did you mean 'query'?"),
        (#"api:endpoint("x", { header = {} })"#, "unknown option 'header': did you mean 'headers'?"),
        (
            #"api:define("GET", { headers = "x" })"#,
            "bad option 'headers' to 'define' (table expected, got string)"
        ),
        (
            #"api:define("GET", { query = { "a" } })"#,
            "'query' is a table { name = value } or a list of pairs { { name, value }, … }; item 1 is a string"
        ),
        (
            #"api:define("GET", { query = { { 1, 2 } } })"#,
            "item 1 of 'query' is a pair { name, value }, whose name is a string, not a number"
        ),
        (
            #"api:define("GET", { query = { { "a", 1, 2 } } })"#,
            "item 1 of 'query' is a list, which has no place for the key '3'"
        ),
        (
            #"api:define("GET", { query = { { "a", 1 }, b = 2 } })"#,
            "'query' as a list of pairs is a list, which has no place for the key 'b'"
        ),
        (
            #"api:define("GET", { query = { a = { b = 1 } } })"#,
            "the value of parameter 'a' is a list, which has no place for the key 'b'"
        ),
        (#"api:define("GET", { query = { a = { {} } } })"#, "the value of parameter 'a' is a list of lists"),
        (
            #"api:define("GET", { query = { a = print } })"#,
            "the value of parameter 'a' is text, a number, a boolean, rest.raw(…) or a list of them, not a function"
        ),
        (#"api:define("GET", { query = { a = math.huge } })"#, "inf is no number that a URL can hold"),
        (
            #"api:define("GET", { query = { a = "\xff" } })"#,
            "the value of parameter 'a' is not UTF-8: escape its bytes, rest.raw(rest.url.encode(bytes))"
        ),
        (
            #"api:define("GET", { path = "x" })"#,
            #"'path' is a list of components, path = { "a", 1 }, not a string"#
        ),
        (
            #"api:define("GET", { path = { {} } })"#,
            "component 1 of 'path' is text, a number, a boolean or rest.raw(…), not a table"
        ),
        (
            #"api:define("GET", { path = { ".." } })"#,
            "'..' can't be a component of a path: it would lead to another path"
        ),
        (
            #"api:define("GET", "a/../b")"#,
            "the template 'a/../b' has a segment '.' or '..' in it, which would lead to another path"
        ),
        (
            #"api:endpoint("../x")"#,
            "the path '../x' has a segment '.' or '..' in it, which would lead to another path"
        ),
        (
            #"api:define("GET", { path = { rest.raw "a/../b" } })"#,
            "'a/../b' has a segment '.' or '..' in it, which would lead to another path"
        ),
        (#"rest.raw("100%")"#, "'100%' is not escaped: its '%' stands without two hexadecimal digits"),
        (
            #"api:define("POST", { json = {}, text = "" })"#,
            "a request has one body: give one of body, text, json, form, multipart, file"
        ),
        (
            #"api:define("POST", { json = {}, body = rest.null })"#,
            "'body = rest.null' removes the body: it can't go with 'json'"
        ),
        (
            #"api:define("POST", { charset = "x" })"#,
            "option 'charset' goes with 'text': give a content_type with a charset instead"
        ),
        (#"api:define("a b")"#, "'a b' is not a method"),
        (#"api:define("GET", { headers = { ["X Y"] = "1" } })"#, "'X Y' is not a header name"),
        (
            #"api:define("GET", { headers = { X = "a\nb" } })"#,
            "the value of header 'X' contains a line break or control character"
        ),
        (
            #"api:define("GET", { query_style = "bracket" })"#,
            "unknown query_style 'bracket': did you mean 'brackets'?"
        ),
        (
            #"api:define("GET", { query_style = "xyz" })"#,
            "unknown query_style 'xyz': there are repeat, brackets, indices, comma"
        ),
        (#"api:define("GET", "{login")"#, "the template '{login' has a brace without its other half"),
        (#"api:define("GET", "{a b}")"#, "'a b' in the template '{a b}' is no name: letters, digits and '_'"),
        (
            #"api:define("GET", 5)"#,
            "bad argument #2 'template' to 'define' (string, or table of properties or function expected, got number)"
        ),
        (#"api:define("GET", "{a}")()"#, "the template '{a}' has no value for 'a'"),
        (
            #"api:define("GET", "{login}/{repo}"){ login = "a", rep = "b" }"#,
            "the template '{login}/{repo}' has no name 'rep': did you mean 'repo'?"
        ),
        (#"api:define("GET", "{login}")("")"#, "the value of 'login' in '{login}' is empty"),
        (
            #"api:define("GET", "{login}")("..")"#,
            "'..' can't be a component of a path: it would lead to another path"
        ),
        (#"api:define("GET", "{login}")("a", "b")"#, "the template '{login}' takes 1 values, but got 2"),
        (
            #"api:define("GET", "{login}")(print)"#,
            "the value of 'login' is text, a number, a boolean or rest.raw(…), not a function"
        ),
        (
            #"api:define("GET", function() return 5 end)()"#,
            "the function of 'define' returned a number where it must return a table of properties"
        ),
        (
            #"api:define("GET", function() return { hedaers = {} } end)()"#,
            "unknown option 'hedaers': did you mean 'headers'?"
        ),
        (#"rest.request("GET", "/users")"#, "'/users' is not an absolute URL of http or https"),
        (
            #"rest.service { name = "bare" }:define("GET")"#,
            "service 'bare' has no base_url: use a request of an absolute URL"
        ),
        (#"local d = api:define("GET") d.url = "x""#, "field 'url' of definition is read only"),
        (
            #"local d = api:define("GET") print(d.ur)"#,
            "unknown field 'ur' on definition: did you mean 'url'?"
        ),
        (
            #"api:define("GET"):adding()"#,
            "bad argument #1 'properties' to 'adding' (table expected, got no value)"
        ),
        (
            #"api:define("GET", "{a}"):send()"#,
            "unknown field 'send' on definition_maker: call it first, with its values: one(\"a\").send, or one(\"a\"):send(…) of a method"
        ),
        (
            #"api:define("GET"):with_configuration(5)"#,
            "bad argument #1 'fn' to 'with_configuration' (function expected, got number)"
        ),
        (
            #"api:define("GET"):curl { secrets = true }"#,
            "unknown option 'secrets': did you mean 'with_secrets'?"
        ),
    ]) func `34.5 37.7 38.2 mistakes are said at their line`(source: String, message: String) {
        #expect(loadError("\n" + source) == "2: " + message)
    }

    @Test func `34.5 a check finds them all, and goes on`() throws {
        let fixture = ScriptFixture()
        fixture.options.collectsDiagnostics = true
        try fixture.load(
            """

            local users = api:endpoint("users", { hedaers = {} })
            local all = users:define("GET", { query = 5 })
            local one = users:define("GET", "{login}", function() return {} end)
            one("a"):adding { pth = {} }
            rest.request("GET", "nowhere"):setting_header("X", "y")
            api:endpoint("x", { configure = function(c)
              c.expiration_tme = 5
            end })
            """)
        fixture.host?.check()
        let found = (fixture.host?.diagnostics ?? []).map { "\($0.line ?? 0): \($0.message)" }
        fixture.close()
        #expect(
            found == [
                "2: unknown option 'hedaers': did you mean 'headers'?",
                "3: bad option 'query' to 'define' (table expected, got number)",
                "5: unknown option 'pth': did you mean 'path'?",
                "6: 'nowhere' is not an absolute URL of http or https",
                "8: unknown field 'expiration_tme' on configuration: did you mean 'expiration_time'?",
            ])
    }

    @Test func `34.5 the line is that of the call, for what is only called`() throws {
        try expect(
            """
            local one = api:define("GET", "{login}")
            local function ask()
              return one("")
            end
            print(select(2, pcall(ask)))
            """, prints: ["test.lua:3: the value of 'login' in '{login}' is empty"])
    }

    @Test func `39.1 a function that fails fails the request with its line`() throws {
        try expect(
            """
            local d = api:define("GET", "text", { configure = function(c)
              c.expiration_tme = 5
            end })
            d:send():on_failure(function(err) print(err.cause.type, err.cause.line, err.cause.message) end)
            """,
            prints: [
                "script_error\t2\tunknown field 'expiration_tme' on configuration: did you mean 'expiration_time'?"
            ])
    }
}

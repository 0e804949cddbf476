import RestEngine
import TestSupport
import Testing

@testable import RestScript

@Suite(.leakChecked) @EngineActor
struct DefinitionTests {
    /// The output of `print(expression)`. `users` and `echo` are defined.
    private func value(_ expression: String) throws -> [String] {
        try output(
            """
            local users = api:endpoint("users", { headers = { Accept = "a", Authorization = "Basic s" }, query = { { "v", 2 } } })
            local echo = api:endpoint("echo")
            local function sent(definition)
              return rest.spawn(function()
                local entity, err = definition:send():await()
                print(entity and entity.text or tostring(err))
              end)
            end
            \(expression)
            """)
    }

    @Test(arguments: [
        (#"print(users:define("GET").url)"#, "https://api.test/v1/users?v=2"),
        (
            #"print(users:endpoint("admins", { path = { 1, true, "a b" } }):define("GET").url)"#,
            "https://api.test/v1/users/admins/1/true/a%20b?v=2"
        ),
        (#"print(api:define("GET").url)"#, "https://api.test/v1/"),
        (#"print(api:define("GET", "a/b").url)"#, "https://api.test/v1/a/b"),
        (
            #"print(api:define("GET", "a/b", { query = { z = 1, a = "x" } }).url)"#,
            "https://api.test/v1/a/b?a=x&z=1"
        ),
        (
            #"print(api:endpoint("", { query = { { "k", 1 } } }):endpoint("x"):define("GET").url)"#,
            "https://api.test/v1/x?k=1"
        ),
        (
            #"print(rest.request("get", "https://other.test/a?x=1", { query = { { "k", "v" } }, path = { "p" } }).url)"#,
            "https://other.test/a/p?x=1&k=v"
        ),
        (#"print(tostring(users:define("get")))"#, "GET https://api.test/v1/users?v=2"),
        (
            #"print(users:define("GET").headers["accept"], users:define("GET").headers.Authorization)"#,
            "a\tBasic s"
        ),
        (
            #"print(users:define("GET", { headers = { accept = "b", authorization = "Bearer t" } }).headers.Accept)"#,
            "a, b"
        ),
        (
            #"print(users:define("GET", { headers = { { "Authorization", "Bearer t" } } }).headers.authorization)"#,
            "Bearer t"
        ),
        (
            #"print(users:define("PURGE").method, users:define("POST", { json = {} }).body_kind, users:define("GET").body_kind)"#,
            "PURGE\tjson\tnil"
        ),
        (
            #"print(users:define("GET").service == api, rest.request("GET", "https://a.test/").service == api)"#,
            "true\tfalse"
        ),
        (
            #"local q = users:define("GET", { query = { { "n" }, { "b", rest.null }, { "l", { 1, "x" } } } }).query print(#q, q[1][1], q[1][2], q[2][2] == rest.null, q[3][2][2])"#,
            "3\tv\t2\ttrue\tx"
        ),
        (
            #"local p = users:define("GET", "x", { path = { "a/b", rest.raw "c%2Fd" } }).path print(#p, p[1], p[2], p[3])"#,
            "3\tx\ta/b\tc/d"
        ),
    ]) func `34.2 what is defined is there to be read`(expression: String, printed: String) throws {
        #expect(try value(expression) == [printed])
    }

    @Test(arguments: [
        ("\"a+b%\"", "k=a%2Bb%25"), ("\"\"", "k="), ("rest.null", "k"), ("true", "k=true"),
        ("false", "k=false"),
        ("1", "k=1"), ("1.0", "k=1"), ("1.5", "k=1.5"), ("-3", "k=-3"),
        ("math.maxinteger", "k=9223372036854775807"),
        ("2^53", "k=9007199254740992"), ("rest.raw 'a%20b+c'", "k=a%20b+c"),
        ("{ 1, 'b', true }", "k=1&k=b&k=true"),
        ("{ rest.null, rest.raw '%2B' }", "k&k=%2B"), ("{}", "nil"), ("nil", "nil"), ("'é'", "k=%C3%A9"),
    ]) func `36.2 36.3 36.4 36.6 values of a query`(value: String, query: String) throws {
        let url = "https://api.test/v1/x" + (query == "nil" ? "" : "?" + query)
        #expect(
            try self.value("print(api:define('GET', 'x', { query = { { 'k', \(value) } } }).url)") == [url])
    }

    @Test(arguments: [
        ("repeat", "k=1&k=a,b"), ("brackets", "k%5B%5D=1&k%5B%5D=a,b"),
        ("indices", "k%5B0%5D=1&k%5B1%5D=a,b"),
        ("comma", "k=1,a%2Cb"),
    ]) func `36.5 lists in each style`(style: String, query: String) throws {
        let printed = ["https://api.test/v1/?" + query]
        let list = "query = { { 'k', { 1, 'a,b' } } }"
        #expect(try value("print(api:define('GET', { \(list), query_style = '\(style)' }).url)") == printed)
        #expect(
            try value("print(api:endpoint('', { query_style = '\(style)' }):define('GET', { \(list) }).url)")
                == printed)
        #expect(
            try value("print(api:define('GET', { \(list) }):adding{ query_style = '\(style)' }.url)")
                == printed)
    }

    @Test(arguments: [
        (#"d:adding{ query = { { "page", 2 } } }.url"#, "https://api.test/v1/users?v=2&page=2"),
        (#"d:setting{ query = {} }.url"#, "https://api.test/v1/users"),
        (#"d:setting{ query = { { "a", 1 } } }.url"#, "https://api.test/v1/users?a=1"),
        (#"d:setting_query("v", 3).url"#, "https://api.test/v1/users?v=3"),
        (#"d:setting_query("v", { 3, 4 }).url"#, "https://api.test/v1/users?v=3&v=4"),
        (#"d:setting_query("v", nil).url"#, "https://api.test/v1/users"),
        (#"d:setting_query("w", "").url"#, "https://api.test/v1/users?v=2&w="),
        (#"d:removing_query("v").url"#, "https://api.test/v1/users"),
        (#"d:adding_header("accept", "b").headers.Accept"#, "a, b"),
        (#"d:adding_header("Authorization", "b").headers.Authorization"#, "b"),
        (#"d:setting_header("accept", "b").headers.Accept"#, "b"),
        (#"d:setting_header("accept", nil).headers.Accept"#, "nil"),
        (#"d:removing_header("ACCEPT").headers.Accept"#, "nil"),
        (#"d:setting{ headers = { X = "y" } }.headers.Authorization"#, "nil"),
        (#"d:with_method("delete").method"#, "DELETE"),
        (#"d:adding{ json = { a = 1 } }:adding{ text = "x" }.body_kind"#, "text"),
        (#"d:adding{ json = { a = 1 } }:adding{ body = rest.null }.body_kind"#, "nil"),
        (#"d:adding{ json = {} }.headers["Content-Type"]"#, "application/json"),
        (#"d:adding{ json = {}, content_type = "a/b" }.headers["Content-Type"]"#, "a/b"),
        (#"d:adding{ path = { "x" } }.url"#, "https://api.test/v1/users/x?v=2"),
        (#"d.url"#, "https://api.test/v1/users?v=2"),
    ]) func `34.1 36.7 35.4 modifiers give new ones`(expression: String, printed: String) throws {
        let source =
            "local d = users:define('GET') local before = d.url print(\(expression)) assert(d.url == before)"
        #expect(try value(source) == [printed])
    }

    @Test(arguments: [
        (#"users:define("GET") == users:define("get", {})"#, true),
        (#"users:define("GET") == users:define("POST")"#, false),
        (
            #"users:define("GET"):setting_header("X", "1") == users:define("GET", { headers = { X = "1" } })"#,
            true
        ),
        (
            #"users:define("GET"):setting_header("accept", "z") == users:define("GET"):setting_header("Accept", "z")"#,
            true
        ),
        (#"api:define("PUT", { json = { a = 1 } }) == api:define("PUT", { json = { a = 1 } })"#, true),
        (#"api:define("PUT", { json = { a = 1 } }) == api:define("PUT", { json = { a = 2 } })"#, false),
        (#"api:define("PUT", { text = "x" }) == api:define("PUT", { body = "x" })"#, false),
        (
            #"api:define("GET", { query = { { "a", 1 }, { "b", 2 } } }) == api:define("GET", { query = { { "b", 2 }, { "a", 1 } } })"#,
            false
        ),
        (#"api:define("GET") == api"#, false), (#"users == api:endpoint("users")"#, false),
        (#"echo == api:endpoint("echo")"#, true), (#"rest.raw("a") == rest.raw("a")"#, true),
    ]) func `34.4 equality is by value`(expression: String, isEqual: Bool) throws {
        #expect(try value("print(\(expression))") == ["\(isEqual)"])
    }

    @Test func `34.4 38.4 a definition is what its tables were`() throws {
        try expect(
            """
            local json, headers = { a = 1 }, { X = "1" }
            local f = function(c) end
            local d = api:define("PUT", "echo", { json = json, headers = headers, configure = f })
            json.a, headers.X = 2, "2"
            d:send():on_success(function(e) print(e.text) end)
            print(d == api:define("PUT", "echo", { json = { a = 1 }, headers = { X = "1" }, configure = f }))
            print(d == d:with_configuration(function() end), d == d:setting { configure = f })
            """,
            prints: [
                "true", "false\ttrue", #"PUT /echo X=1 Content-Type=application/json [{"a":1}]"#,
            ])
    }
}

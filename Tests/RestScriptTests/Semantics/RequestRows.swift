import RestEngine
import TestSupport
import Testing

@testable import RestScript

/// Sections 6 and 15.1–15.3 of the rules as scripts see them.
@Suite(.leakChecked) @EngineActor
struct RequestRows {
    /// The request that the server gets, in one line.
    private func sent(_ arguments: String, configure: String = "") throws -> [String] {
        try output(
            """
            \(configure)
            rest.spawn(function() print(api:resource("echo"):request(\(arguments)):await().text) end)
            """)
    }

    @Test(
        "6.1: methods go out in upper case", arguments: ["options", "Get", "post", "PUT", "patch", "delete"])
    func methods(method: String) throws {
        #expect(try sent("'\(method)'") == ["\(method.uppercased()) /echo"])
    }

    @Test("6.2 D25: any token is a method, as it is written")
    func tokens() throws {
        #expect(try sent("'FarkNoodle'") == ["FarkNoodle /echo"])
    }

    @Test("6.3: bytes with their type")
    func bytes() throws {
        #expect(
            try sent("'POST', { body = '\\0\\1', content_type = 'foo/bar' }") == [
                "POST /echo Content-Type=foo/bar [\0\u{1}]"
            ])
        #expect(try sent("'POST', { body = '' }") == ["POST /echo Content-Type=application/octet-stream []"])
    }

    @Test("6.4: text in its charset, which its type names")
    func text() throws {
        #expect(
            try sent("'POST', { text = 'Très bien!' }") == [
                "POST /echo Content-Type=text/plain; charset=utf-8 [Très bien!]"
            ])
        #expect(
            try sent("'POST', { text = 'abc', charset = 'us-ascii' }") == [
                "POST /echo Content-Type=text/plain; charset=us-ascii [abc]"
            ])
        #expect(
            try sent("'POST', { text = 'a', content_type = 'foo/bar' }") == [
                "POST /echo Content-Type=foo/bar; charset=utf-8 [a]"
            ])
        #expect(
            try sent("'POST', { text = '' }") == ["POST /echo Content-Type=text/plain; charset=utf-8 []"])
    }

    @Test("6.5: JSON is compact")
    func json() throws {
        #expect(
            try sent("'POST', { json = { foo = { 1, { bar = true } } } }") == [
                #"POST /echo Content-Type=application/json [{"foo":[1,{"bar":true}]}]"#
            ])
        #expect(
            try sent("'POST', { json = { 1 }, content_type = 'application/x+json' }") == [
                "POST /echo Content-Type=application/x+json [[1]]"
            ])
    }

    @Test(
        "6.6: a form's encoded pairs are sorted; a list of pairs keeps its order",
        arguments: [
            ("{ brown = 'cow', foo = 'bar', how = 'now' }", "brown=cow&foo=bar&how=now"),
            (
                "{ ['f😱o'] = ' b!a\\r\\n=&+?/r ', ['a-._~'] = '' }",
                "a-._~=&f%F0%9F%98%B1o=%20b%21a%0D%0A%3D%26%2B?/r%20"
            ),
            // The parameters are sorted after encoding, and `%` precedes the letters.
            ("{ a = '1', ['é'] = '2' }", "%C3%A9=2&a=1"), ("{ a = { 'z', 'b' } }", "a=b&a=z"),
            ("{ { 'b', 1 }, { 'a', 2 }, { 'b', 0 } }", "b=1&a=2&b=0"), ("{}", ""),
            ("{ a = rest.null, b = false, c = 1.5 }", "b=false&c=1.5"),
        ])
    func form(form: String, body: String) throws {
        #expect(
            try sent("'POST', { form = \(form) }") == [
                "POST /echo Content-Type=application/x-www-form-urlencoded [\(body)]"
            ])
    }

    @Test(
        "6.7: every form takes a mutation, which sees all of the request",
        arguments: ["", "body = 'x'", "text = 'x'", "json = {}", "form = {}"])
    func mutation(body: String) throws {
        let options =
            "{ \(body)\(body.isEmpty ? "" : ", ")mutate = function(d) d.headers.Foo = 'bar' d.method = 'PATCH' end }"
        let lines = try sent("'POST', \(options)")
        #expect(lines.count == 1 && lines[0].hasPrefix("PATCH /echo"))
        #expect(lines[0].contains("Foo=bar"))
    }

    @Test(
        "6.8 6.9: configured mutator, then mutation, then the body's type, then the configured header",
        arguments: [(0, "text/plain; charset=utf-8"), (1, "ad/hoc"), (2, "muta/tor")])
    func precedence(level: Int, type: String) throws {
        let mutator =
            level >= 2 ? "c:mutate_requests(function(d) d.headers['content-type'] = 'muta/tor' end)" : ""
        let mutation = level >= 1 ? ", mutate = function(d) d.headers['Content-Type'] = 'ad/hoc' end" : ""
        let lines = try sent(
            "'POST', { text = 'x'\(mutation) }",
            configure: "api:configure(function(c) c.headers['CONTENT-TYPE'] = 'config/ured' \(mutator) end)")
        #expect(lines.count == 1)
        #expect(lines[0].lowercased() == "post /echo content-type=\(type) [x]")
    }

    @Test(
        "exactly one body",
        arguments: [
            "body = 'a', text = 'b'", "text = 'a', json = {}", "json = {}, form = {}",
            "form = {}, file = 'x'",
            "file = 'x', multipart = { { name = 'a', value = 'b' } }", "json = print, text = '\\xFF'",
        ])
    func oneBody(bodies: String) {
        #expect(
            loadError("api:resource('echo'):request('POST', { \(bodies) })")
                == "1: a request has one body: give one of body, text, json, form, multipart, file")
    }

    @Test("charset belongs to text; a type without a body is a header")
    func types() throws {
        #expect(
            loadError("api:resource('echo'):request('POST', { body = 'x', charset = 'utf-8' })")
                == "1: option 'charset' goes with 'text': give a content_type with a charset instead")
        #expect(
            try sent("'POST', { content_type = 'a/b', mutate = function(d) d.body = 'x' end }") == [
                "POST /echo Content-Type=a/b [x]"
            ])
    }

    @Test("15.1 15.2: configured headers, mutation, mutators; all again for a repeat")
    func order() throws {
        let lines = try output(
            """
            local n = 0
            api:configure(function(c)
              c.headers.X = "configured"
              c:mutate_requests(function(d) n = n + 1 d.headers.X = d.headers.X .. " first" .. n end)
              c:mutate_requests(function(d) d.headers.X = d.headers.X .. " second" end)
            end)
            rest.spawn(function()
              local r = api:resource("echo"):request("GET", { mutate = function(d) d.headers.X = d.headers.X .. " adhoc" end })
              print(r:await().text) print(r:repeated():start():await().text)
            end)
            """)
        #expect(
            lines == [
                "GET /echo X=configured adhoc first1 second", "GET /echo X=configured adhoc first2 second",
            ])
    }

    @Test("15.3: a mutator may change method, URL, headers and body, and the same mutators run")
    func anything() throws {
        #expect(
            try sent(
                "'POST', { text = 'x' }",
                configure: """
                    api:configure({ methods = "POST" }, function(c)
                      c:mutate_requests(function(d)
                        d.method = "PUT" d.url = d.url .. "?y" d.body = d.body .. "z" d.headers["Content-Type"] = nil
                      end)
                      c:mutate_requests(function(d) d.headers.Again = d.method end)
                    end)
                    api:configure({ methods = "PUT" }, function(c)
                      c:mutate_requests(function(d) d.headers.Never = "1" end)
                    end)
                    """) == ["PUT /echo?y Again=PUT [xz]"])
    }
}

import RestEngine
import TestSupport
import Testing

@testable import RestScript

@Suite(.leakChecked) @EngineActor
struct StubTests {
    private nonisolated static let bodies = [
        // Default values.
        "host:stub('GET', '/a') local e = t.assert(api:resource('a'):request('GET'):await()) t.equal(e.text, '') t.equal(e.content_type, 'application/octet-stream')",
        "host:stub('GET', 'https://api.test/v1/a', { status = 404, json = { message = 'none' } }) local c, err = api:resource('a'):get() t.equal(err.http_status_code, 404) t.equal(err.json, { message = 'none' })",
        "host:stub('GET', '/a', { status = 999 }) local _, err = api:resource('a'):get() t.equal(err.http_status_code, 999)",
        "host:stub('*', '/a', { text = 'any' }) t.equal(api:resource('a'):request('PURGE'):await().text, 'any')",
        "host:stub('get', '/a', { text = 'a' }) t.equal(api:resource('a'):get(), 'a')",
        // Bodies and their types.
        "host:stub('GET', '/a', { json = {} }) local e = api:resource('a'):load():await() t.equal(e.content_type, 'application/json') t.equal(e.content_kind, 'json')",
        "host:stub('GET', '/a', { json = rest.json.array {} }) t.equal(rest.json.encode(api:resource('a'):get()), '[]')",
        "host:stub('GET', '/a', { json = { none = rest.null, list = { 1, 2 }, n = 1 << 62 } }) t.equal(api:resource('a'):get(), { none = rest.null, list = { 1, 2 }, n = 1 << 62 })",
        "host:stub('GET', '/a', { text = 'grüß' }) local e = api:resource('a'):load():await() t.equal(e.content_type, 'text/plain; charset=utf-8') t.equal(e.text, 'grüß')",
        "host:stub('GET', '/a', { body = '\\0\\xff' }) local e = api:resource('a'):load():await() t.equal(e.content, '\\0\\xff') t.equal(e.content_kind, 'bytes')",
        "host:stub('GET', '/a', { body = rest.bytes('x') }) t.equal(api:resource('a'):get(), 'x')",
        "host:stub('GET', '/a', { json = { 1 }, headers = { ['content-type'] = 'application/problem+json' } }) t.equal(api:resource('a'):load():await().content_type, 'application/problem+json')",
        "host:stub('GET', '/a', { text = 'x', headers = { ETag = '\"1\"', ['X-Many'] = { 'a', 'b' }, ['X-Number'] = 5 } }) local e = api:resource('a'):load():await() t.equal(e.etag, '\"1\"') t.equal(e:header_values('x-many'), { 'a', 'b' }) t.equal(e.headers['X-NUMBER'], '5')",
        // The newest stub that matches when the request is sent.
        "host:stub('GET', '/**', { text = 'old' }) host:stub('GET', '/a', { text = 'new' }) t.equal(api:resource('a'):get(), 'new') t.equal(api:resource('b'):get(), 'old')",
        "host:stub('GET', '/a', { text = 'old' }) local r = api:resource('a'):load() host:stub('GET', '/a', { text = 'new' }) t.equal(r:await().text, 'old') t.equal(api:resource('a'):load():await().text, 'new')",
        "host:stub('GET', '/a', { text = 'old' }) host:clear_stubs() host:stub('GET', '/b', { text = 'b' }) t.equal(api:resource('b'):get(), 'b')",
        "host:stub('GET', 'https://other.test/*', { text = 'other' }) t.equal(api:resource_at('https://other.test/x?q=1'):get(), 'other')",
        // A glob matches a URL without its query, or with it.
        "local one, two = api:resource('a'):with_param('p', 1), api:resource('a'):with_param('p', 2) host:stub('GET', one.url, { text = '1' }) host:stub('GET', two.url, { text = '2' }) t.equal(one:get(), '1') t.equal(two:get(), '2') host:stub('GET', '/a', { text = 'any' }) t.equal(one:load():await().text, 'any')",
        // Conditions.
        "host:stub('GET', '/a', { text = 'plain' }) host:stub('GET', '/a', { text = 'with', when = { headers = { ['X-A'] = 'b' } } }) local r = api:resource('a') t.equal(r:request('GET'):await().text, 'plain') t.equal(r:request('GET', { headers = { ['x-a'] = 'b' } }):await().text, 'with')",
        "host:stub('GET', '/a', { text = 'none', when = { headers = { ['X-A'] = rest.null } } }) host:stub('GET', '/a', { text = 'many', when = { headers = { ['X-A'] = { '1', '2' } } } }) local r = api:resource('a') t.equal(r:request('GET'):await().text, 'none') t.equal(r:request('GET', { headers = { ['X-A'] = { '1', '2' } } }):await().text, 'many')",
        "host:stub('POST', '/a', { text = 'other' }) host:stub('POST', '/a', { text = 'one', when = { body = '[1]' } }) local r = api:resource('a') t.equal(r:request('POST', { json = { 1 } }):await().text, 'one') t.equal(r:request('POST', { json = { 2 } }):await().text, 'other')",
        // Delays and gates.
        "host:stub('GET', '/a', { text = 'late', delay = 2 }) local r = api:resource('a'):load() host:advance(1.5) t.equal(r.state, 'in_progress') host:advance(0.5) t.equal(r.state, 'completed')",
        "local s = host:stub('GET', '/a', { text = 'a', gated = true }) local r = api:resource('a'):load() host:settle() t.equal(r.state, 'in_progress') s:go() t.equal(r:await().text, 'a') t.equal(api:resource('a'):load():await().text, 'a')",
        "local s = host:stub('GET', '/a', { text = 'a', gated = true, delay = 1 }) local r = api:resource('a'):load() s:go() host:settle() t.equal(r.state, 'in_progress') host:advance(1) t.equal(r.state, 'completed')",
        "local s = host:stub('GET', '/a', { gated = true }) local a, b = api:resource('a'):load(), api:resource('a'):load() a:cancel() host:settle() s:go() host:settle() t.equal(a.is_cancelled, true) t.equal(b.response.ok, true)",
        // Failures of the transport.
        "host:stub('GET', '/a', { error = { type = 'connection_failed', message = 'no route' } }) local _, err = api:resource('a'):get() t.equal(err.cause.type, 'connection_failed') t.equal(err.user_message, 'no route') t.equal(err.http_status_code, nil)",
        "host:stub('GET', '/a', { error = { type = 'timeout', phase = 'connect' }, delay = 3 }) local r = api:resource('a'):load() host:advance(3) t.equal(r.response.error.cause.phase, 'connect') t.equal(r.response.error.user_message, 'Timed out')",
        "host:stub('GET', '/a', { error = { message = 'KABOOM' } }) local _, err = api:resource('a'):get() t.equal(err.cause.type, 'connection_failed') t.equal(err.user_message, 'KABOOM')",
        "host:stub('GET', '/a', { error = { type = 'too_many_redirects' } }) local _, err = api:resource('a'):get() t.equal(err.cause.type, 'too_many_redirects') t.equal(err.user_message, 'Too many redirects')",
        "host:stub('GET', '/a', { error = { type = 'too_large', limit = 5 } }) local _, err = api:resource('a'):get() t.equal(err.cause.limit, 5)",
        // Requests that were sent.
        """
        local s = host:stub("POST", "/a", { status = 201 })
        api:resource("a"):request("POST", { json = { x = 1 }, query = { q = "1" }, headers = { ["X-A"] = "b" } }):await()
        t.equal(#s.requests, 1)
        local r = s.requests[1]
        t.equal(r.method, "POST") t.equal(r.url, "https://api.test/v1/a?q=1") t.equal(r.body, '{"x":1}')
        t.equal(r.headers["x-a"], "b") t.equal(r.headers["X-A"], "b") t.equal(r.headers["Content-Type"], "application/json")
        t.equal(r.headers["X-None"], nil) t.equal(r.headers[5], nil)
        local names = {} for name in pairs(r.headers) do names[#names + 1] = name end table.sort(names)
        t.equal(table.concat(names, " "), "content-type x-a")
        t.equal(getmetatable(r.headers), false)
        """,
        "local s = host:stub('GET', '/a') api:resource('a'):load() t.equal(#s.requests, 1) t.equal(s.requests[1].body, nil) t.equal(tostring(s), 'stub GET /a')",
        // Functions as stubs.
        "host:stub('POST', '/**', function(r) return { status = 201, json = { r.method, r.url, r.body, r.headers['Content-Type'] } } end) t.equal(api:resource('a'):request('POST', { text = 'x' }):await().json, { 'POST', 'https://api.test/v1/a', 'x', 'text/plain; charset=utf-8' })",
        "local n = 0 host:stub('GET', '/a', function() n = n + 1 return { text = tostring(n) } end) t.equal(api:resource('a'):load():await().text, '1') t.equal(api:resource('a'):load():await().text, '2')",
        "local n = 0 local s = host:stub('GET', '/a', function() n = n + 1 return { text = 'a', gated = n == 1, delay = n } end) local a, b = api:resource('a'):load(), api:resource('a'):load() host:advance(5) t.equal(a.state, 'in_progress') t.equal(b.state, 'completed') s:go() host:settle() t.equal(a.state, 'completed')",
        "host:stub('GET', '/a', function() host:stub('GET', '/a', { text = 'second' }) return { text = 'first' } end) t.equal(api:resource('a'):load():await().text, 'first') t.equal(api:resource('a'):load():await().text, 'second')",
        "host:stub('GET', '/a', function() return { error = { type = 'dns_failed' } } end) local _, err = api:resource('a'):get() t.equal(err.cause.type, 'dns_failed')",
        "local r host:stub('GET', '/a', function() host:clear_stubs() return {} end) r = api:resource('a'):load() host:settle() t.equal(r.response.ok, true)",
        // Stubs only replace the transport.
        "api:configure_transformer('/a', function(c) return c .. '!' end) host:stub('GET', '/a', { text = 'a' }) t.equal(api:resource('a'):get(), 'a!')",
        "host:stub('GET', '/a', { status = 302, headers = { Location = '/v1/b' } }) host:stub('GET', '/b', { text = 'b' }) t.equal(api:resource('a'):get(), 'b')",
        "host:stub('GET', '/a', { text = 'long' }) api:configure(function(c) c.max_body_bytes = 2 end) local _, err = api:resource('a'):get() t.equal(err.cause.type, 'too_large')",
    ]

    @Test(arguments: bodies)
    func `a stub answers as it says`(body: String) async throws {
        #expect(try await testFailure(body) == nil)
    }

    private nonisolated static let mistakes: [(call: String, message: String)] = [
        ("host:stub()", "bad argument #2 'url_glob' to 'stub' (string expected, got no value)"),
        ("host:stub('GET')", "bad argument #2 'url_glob' to 'stub' (string expected, got no value)"),
        ("host:stub('G T', '/a')", "bad argument #1 'method' to 'stub' ('G T' is not a method)"),
        ("host:stub('GET', '/a', 5)", "bad argument #3 'reply' to 'stub' (table expected, got number)"),
        ("host:stub('GET', '/a', { staus = 1 })", "unknown option 'staus': did you mean 'status'?"),
        ("host:stub('GET', '/a', { 1 })", "unknown option of type number: options have names"),
        (
            "host:stub('GET', '/a', { status = '200' })",
            "bad option 'status' to 'stub' (integer expected, got string)"
        ),
        ("host:stub('GET', '/a', { status = 99 })", "option 'status' is 100 to 999, got 99"),
        ("host:stub('GET', '/a', { status = 1000 })", "option 'status' is 100 to 999, got 1000"),
        ("host:stub('GET', '/a', { json = print })", "option 'json' can't be encoded: "),
        ("host:stub('GET', '/a', { json = 1, text = 'a' })", "a reply has one body, not 'json' and 'text'"),
        (
            "host:stub('GET', '/a', { body = {} })",
            "bad option 'body' to 'stub' (string expected, got table); json = takes tables"
        ),
        ("host:stub('GET', '/a', { text = '\\xff' })", "option 'text' is not UTF-8: give bytes as body ="),
        ("host:stub('GET', '/a', { text = {} })", "bad option 'text' to 'stub' (string expected, got table)"),
        ("host:stub('GET', '/a', { headers = { 'x' } })", "headers have names: { Accept = \"text/plain\" }"),
        ("host:stub('GET', '/a', { headers = { ['a b'] = 'x' } })", "'a b' can't be the name of a header"),
        (
            "host:stub('GET', '/a', { headers = { A = 'x\\ny' } })",
            "the value of header 'A' is more than one line"
        ),
        (
            "host:stub('GET', '/a', { headers = { A = print } })",
            "the value of header 'A' is a string or a list of strings"
        ),
        ("host:stub('GET', '/a', { delay = -1 })", "option 'delay' is a number of seconds, 0 or more"),
        ("host:stub('GET', '/a', { delay = 1/0 })", "option 'delay' is a number of seconds, 0 or more"),
        (
            "host:stub('GET', '/a', { gated = 1 })",
            "bad option 'gated' to 'stub' (boolean expected, got number)"
        ),
        (
            "host:stub('GET', '/a', { error = { tpye = 'timeout' } })",
            "unknown option 'tpye': did you mean 'type'?"
        ),
        (
            "host:stub('GET', '/a', { error = { type = 'timeot' } })",
            "unknown error type 'timeot': did you mean 'timeout'?; a transport knows"
        ),
        (
            "host:stub('GET', '/a', { error = { type = 'timeout', phase = 'x' } })",
            "unknown phase 'x' of an error"
        ),
        (
            "host:stub('GET', '/a', { error = { type = 'timeout', mesage = 'x' } })",
            "unknown option 'mesage': did you mean 'message'?"
        ),
        (
            "host:stub('GET', '/a', { error = { type = 'timeout' }, text = 'x' })",
            "a reply with 'error' is no response: it has no 'text'"
        ),
        (
            "host:stub('GET', '/a', { when = { header = {} } })",
            "unknown option 'header': did you mean 'headers'?"
        ),
        ("host:stub('GET', '/a', { when = { headers = { 5 } } })", "headers have names"),
        (
            "host:stub('GET', '/a', { when = 'x' })",
            "bad option 'when' to 'stub' (table expected, got string)"
        ),
        (
            "t.host():stub('GET', '/a')",
            "the URL '/a' has no scheme, and the host has no service with a base URL yet: write the whole URL"
        ),
        (
            "rest.service { name = 'b', base_url = 'https://b.test' } host:stub('GET', '/a')",
            "the URL '/a' has no scheme, and the host has several services: write the whole URL"
        ),
    ]

    @Test(arguments: mistakes)
    func `a wrong stub is reported`(call: String, message: String) async throws {
        let failure = try #require(try await testFailure("\n" + call))
        #expect(failure.hasPrefix("2: " + message), "\(failure)")
    }

    private nonisolated static let rubbish: [(function: String, message: String)] = [
        ("error('boom')", "2: boom"), ("local x = nil + 1", "2: attempt to perform arithmetic"),
        ("return", "the function of a stub returns a reply, a table, not nil"),
        ("return 'text'", "the function of a stub returns a reply, a table, not \"text\""),
        ("return { staus = 1 }", "unknown option 'staus': did you mean 'status'?"),
        ("return { when = {} }", "unknown option 'when'"),
        ("return { status = 5 }", "option 'status' is 100 to 999, got 5"),
        ("rest.sleep(1)", "2: cannot wait here: a stub answers at once; give the reply a delay, or gate it"),
        ("host:settle()", "2: cannot wait here: a stub answers at once"),
        ("while true do end", "2: stub's function used "),
    ]

    @Test(arguments: rubbish)
    func `a stub's function that fails fails the test`(function: String, message: String) async throws {
        let failure = try #require(
            try await testFailure(
                "host:stub('GET', '/a', function()\n\(function) end)\napi:resource('a'):load() host:settle() error('goes on')"
            ))
        let text = failure.contains("the function is at") ? String(failure.dropFirst(3)) : failure
        #expect(text.hasPrefix(message), "\(failure)")
    }

    @Test func `a call without a stub ends the test at once, whoever made it`() async throws {
        for call in [
            "api:resource('x'):load() host:settle()", "api:resource('x'):get()",
            "rest.spawn(function() api:resource('x'):get() end) rest.sleep(0)",
            "rest.after(0, function() api:resource('x'):request('GET') end) rest.sleep(5)",
            "pcall(function() api:resource('x'):get() end)",
            "t.raises(function() api:resource('x'):get() end)",
        ] {
            let failure = try #require(try await testFailure("\n\(call)\nerror('goes on')"), "\(call)")
            #expect(
                failure == """
                    2: GET https://api.test/v1/x has no stub
                      the host has no stubs: host:stub("GET", "…", { json = … }) adds one
                    """, "\(call)")
        }
    }

    @Test func `the nearest stubs are named`() async throws {
        let failure = try await testFailure(
            """
            for _, path in ipairs { "/users/*/repos", "/orgs", "/a", "/b", "/c", "/d", "/e" } do host:stub("GET", path) end
            host:stub("POST", "/users/*")
            host:stub("GET", "/users/*", { when = { headers = { Accept = "text/html" } } })
            api:resource("users/x"):load()
            host:settle()
            """)
        let lines = (failure ?? "").split(separator: "\n")
        #expect(lines.first == "4: GET https://api.test/v1/users/x has no stub")
        #expect(lines.dropFirst().first == "  stubs of the host, nearest first:")
        #expect(lines.contains("    GET /users/*  (its 'when' is not met)"))
        #expect(lines.count == 8 && lines.last == "    and 4 more", "\(lines)")
    }
}

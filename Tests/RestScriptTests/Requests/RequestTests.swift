import RestEngine
import TestSupport
import Testing

@testable import RestScript

@Suite(.leakChecked) @EngineActor
struct RequestTests {
    @Test(arguments: [
        ("'GET'", "GET /echo"), ("'get'", "GET /echo"), ("'PURGE'", "PURGE /echo"),
        ("'POST', { body = 'a\\0b' }", "POST /echo Content-Type=application/octet-stream [a\0b]"),
        ("'POST', { body = 'x', content_type = 'a/b' }", "POST /echo Content-Type=a/b [x]"),
        ("'POST', { text = 'é' }", "POST /echo Content-Type=text/plain; charset=utf-8 [é]"),
        (
            "'POST', { text = 'e', charset = 'US-ASCII' }",
            "POST /echo Content-Type=text/plain; charset=us-ascii [e]"
        ),
        (
            "'POST', { text = 'x', content_type = 'text/html' }",
            "POST /echo Content-Type=text/html; charset=utf-8 [x]"
        ),
        ("'POST', { json = { 1, 2 } }", "POST /echo Content-Type=application/json [[1,2]]"),
        ("'POST', { json = {} }", "POST /echo Content-Type=application/json [{}]"),
        ("'POST', { json = rest.json.array() }", "POST /echo Content-Type=application/json [[]]"),
        ("'POST', { json = { n = rest.null } }", "POST /echo Content-Type=application/json [{\"n\":null}]"),
        (
            "'POST', { form = { b = 'x y', a = { 1, true } } }",
            "POST /echo Content-Type=application/x-www-form-urlencoded [a=1&a=true&b=x%20y]"
        ),
        (
            "'POST', { form = { { 'b', '&' }, { 'a', '=' }, { 'b', '?' } } }",
            "POST /echo Content-Type=application/x-www-form-urlencoded [b=%26&a=%3D&b=?]"
        ),
        ("'GET', { query = { b = 1, a = { 'x', 'y' }, c = '' } }", "GET /echo?a=x&a=y&b=1&c"),
        ("'GET', { query = { { 'b', 1 }, { 'a', 2 }, { 'b', 3 } } }", "GET /echo?a=2&b=1&b=3"),
        ("'GET', { headers = { Accept = 'x', ['X-B'] = { '1', '2' } } }", "GET /echo Accept=x X-B=1 X-B=2"),
        ("'POST', { body = 'x', headers = { ['content-type'] = 'c/d' } }", "POST /echo content-type=c/d [x]"),
        (
            "'GET', { mutate = function(d) d.method = 'PUT' d.url = d.url .. '?m' d.headers.A = 'b' d.body = 'z' end }",
            "PUT /echo?m A=b [z]"
        ),
        ("'POST', { body = 'x', mutate = function(d) d.body = nil d.headers = {} end }", "POST /echo"),
    ])
    func `a request is sent as its options say`(arguments: String, sent: String) throws {
        try expect(
            "rest.spawn(function() print(api:resource('echo'):request(\(arguments)):await().text) end)",
            prints: [sent])
    }

    @Test(arguments: [
        ("'no method'", "Cannot create request\tinvalid_request_method\tno method"),
        ("'POST', { json = 'text' }", "Cannot send request\tinvalid_json_object\tnil"),
        ("'POST', { json = 5 }", "Cannot send request\tinvalid_json_object\tnil"),
        ("'POST', { json = { print } }", "Cannot send request\tinvalid_json_object\tnil"),
        ("'POST', { text = '\\255' }", "Cannot send request\tunencodable_text\tnil"),
        ("'POST', { text = 'é', charset = 'us-ascii' }", "Cannot send request\tunencodable_text\tnil"),
        ("'POST', { text = 'é', charset = 'klingon' }", "Cannot send request\tunencodable_text\tnil"),
        ("'POST', { form = { a = '\\255' } }", "Cannot send request\tnot_url_encodable\tnil"),
        (
            "'GET', { mutate = function(d) d.url = 'no url' end }",
            "Cannot send request with invalid URL\tinvalid_url\tnil"
        ),
        (
            "'GET', { mutate = function(d) d.method = 'a b' end }",
            "Cannot create request\tinvalid_request_method\ta b"
        ),
        ("'GET', { mutate = function(d) error('boom') end }", "Script error\tscript_error\tnil"),
        ("'GET', { mutate = function(d) error(rest.error { user_message = 'Mine' }) end }", "Mine\tnil\tnil"),
        ("'GET', { headers = { A = 'x\\ny' } }", "Script error\tscript_error\tnil"),
    ])
    func `what can't be sent is a failed request`(arguments: String, expected: String) throws {
        try expect(
            """
            rest.spawn(function()
              local data, err = api:resource("echo"):request(\(arguments)):await()
              print(err.user_message, err.cause and err.cause.type, err.cause and err.cause.method)
            end)
            """, prints: [expected])
    }

    @Test(arguments: [
        ("request()", "bad argument #1 'method' to 'request' (string expected, got no value)"),
        ("request('GET', 5)", "bad argument #2 'options' to 'request' (table expected, got number)"),
        (
            "request('POST', { text = 'a', json = {} })",
            "a request has one body: give one of body, text, json, form, multipart, file"
        ),
        ("request('POST', { bdy = 'a' })", "unknown option 'bdy': did you mean 'body'?"),
        ("request('POST', { form = 'a=b' })", "bad option 'form' to 'request' (table expected, got string)"),
        (
            "request('POST', { form = { 'a' } })",
            "parameters are { name = value } or a list of pairs { name, value }"
        ),
        ("request('POST', { form = { { 1, 2 } } })", "the name of a parameter is a string"),
        ("request('GET', { query = { a = { {} } } })", "the value of parameter 'a' is a list of lists"),
        ("request('GET', { query = { a = print } })", "the value of parameter 'a' can't be a function"),
        ("request('GET', { headers = { 'a' } })", "headers have names: { Accept = \"text/plain\" }"),
        (
            "request('GET', { mutate = 'x' })",
            "bad option 'mutate' to 'request' (function expected, got string)"
        ),
        (
            "request('GET'):on_succes(print)",
            "unknown field 'on_succes' on request: did you mean 'on_success'?"
        ),
        (
            "request('GET'):on_success()",
            "bad argument #1 'fn' to 'on_success' (function expected, got no value)"
        ),
        (
            "request('GET'):chaned(print)", "unknown field 'chaned' on request: did you mean 'chained'?"
        ),
        ("request('GET').state = 'x'", "field 'state' of request is read only"),
    ])
    func `a wrong call raises`(call: String, message: String) {
        #expect(loadError("api:resource('echo'):\(call)") == "1: \(message)")
    }

    @Test func `hooks run in the order of attaching, in a later tick, late ones too`() throws {
        try expect(
            """
            local request = api:resource("text"):load()
            local function note(name) return function(x) print(name, type(x) == "userdata" and x.text or x) end end
            print(request:on_new_data(note "new_data"):on_success(note "success") == request)
            request:on_not_modified(note "not_modified"):on_failure(note "failure")
            request:on_progress(note "progress")
            request:on_completion(function(info)
              print("completion", info.response.ok, info.response.entity.text, info.response.error, info.is_new, info.is_cancellation)
              print(request.state, request.progress, request.is_cancelled, request.response.ok)
              request:on_success(note "late"):on_completion(function() print("later") end)
              print("not yet")
            end)
            print(request.state, request.response, request)
            """,
            prints: [
                "true", "in_progress\tnil\trequest GET https://api.test/v1/text", "progress\t1.0",
                "new_data\thello",
                "success\thello", "completion\ttrue\thello\tnil\ttrue\tfalse", "completed\t1.0\tfalse\ttrue",
                "not yet",
                "late\thello", "later",
            ])
    }

    @Test func `a hook may be anything that can be called`() throws {
        try expect(
            """
            local callable = setmetatable({ name = "mine" }, { __call = function(self, e) rest.sleep(1) print(self.name, e.text) end })
            api:resource("text"):load():on_success(callable)
            print(pcall(function() api:resource("text"):load():on_success(setmetatable({}, {})) end))
            print(pcall(function() api:resource("text"):load():on_success(rest.null) end))
            """, seconds: 1,
            prints: [
                "false\ttest.lua:3: bad argument #1 'fn' to 'on_success' (function expected, got table)",
                "false\ttest.lua:4: bad argument #1 'fn' to 'on_success' (function expected, got userdata)",
                "mine\thello",
            ])
    }

    @Test func `a 304 is a success that is not new`() throws {
        try expect(
            """
            local r = api:resource("json")
            r:override_local_data(rest.entity { content = { id = 1 }, headers = { ETag = '"known"' }, timestamp = 5 })
            local request = r:load()
            request:on_not_modified(function() print("not modified") end):on_new_data(print)
            request:on_completion(function(info) print(info.is_new, info.response.ok, r.json.id, r.timestamp == rest.now()) end)
            """, prints: ["not modified", "false\ttrue\t1\ttrue"])
    }

    @Test func `a failure tells its hooks, and a cancelled request too`() throws {
        try expect(
            """
            local function follow(request)
              request:on_failure(function(err) print(err.user_message, err.cause and err.cause.type) end)
                :on_completion(function(info) print(info.is_cancellation, info.response.ok, request.is_cancelled) end)
              return request
            end
            follow(api:resource("missing"):load())
            follow(api:resource("slow"):load()):cancel()
            """, seconds: 2,
            prints: [
                "Request cancelled\trequest_cancelled", "true\tfalse\ttrue", "Not found\tnil",
                "false\tfalse\tfalse",
            ])
    }

    @Test func `a repeat is a new request that starts on demand`() throws {
        try expect(
            """
            local n = 0
            local first = api:resource("echo"):request("GET", { mutate = function(d) n = n + 1 d.headers.N = tostring(n) end })
            rest.spawn(function()
              print(first:await().text)
              local again = first:repeated()
              print(again == first, again.state)
              print(again:start() == again, again.state)
              print(again:await().text)
            end)
            """, prints: ["GET /echo N=1", "false\tnot_started", "true\tin_progress", "GET /echo N=2"])
    }

    @Test func `an error in a hook is logged and stops nobody else`() throws {
        let fixture = ScriptFixture()
        try SampleServer.install(on: fixture.transport)
        try fixture.load(
            """

            api:resource("text"):load():on_success(function() error("boom") end):on_success(function() print("next") end)
            """)
        fixture.close()
        #expect(fixture.lines == ["error: on_success of GET https://api.test/v1/text: boom", "next"])
        #expect(fixture.log.first?.place == "test.lua:2")
        #expect(fixture.log.first?.fields.first?.name == "traceback")
    }
}

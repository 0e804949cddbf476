import RestEngine
import TestSupport
import Testing

@testable import RestScript

@Suite(.leakChecked) @EngineActor
struct EntityTests {
    @Test func `an entity says what was received`() throws {
        try expect(
            """
            rest.spawn(function()
              local e = api:resource("headers"):load():await()
              print(e.content, e.text, e.content_kind, e.content_type, e.charset, e.etag, e.timestamp, e)
              print(e.headers["x-MANY"], e.headers["set-cookie"], e.headers.Nothing, e.headers)
              print(table.concat(e:header_values("X-Many"), ";"), table.concat(e:header_values("Set-Cookie"), ";"), #e:header_values("no"))
              local names = {}
              for name, value in pairs(e.headers) do names[#names + 1] = name .. "=" .. value end
              table.sort(names) print(table.concat(names, " "))
              local image = api:resource("image"):load():await().content
              print(image.format, image.width, image.height, #image.bytes, image)
              local raw = api:resource("bytes"):load():await()
              print(raw.content == "\\0\\255\\1", raw.content_type, raw.charset, raw.text == "", next(raw.json), raw.etag)
            end)
            """,
            prints: [
                "ok\tok\ttext\ttext/plain; charset=utf-8\tutf-8\t\"e1\"\t1000000.0\tentity (text, text/plain; charset=utf-8)",
                #"a, b\#ta=1\#tnil\#t{ ETag = "\"e1\"", ["Content-Type"] = "text/plain; charset=utf-8", ["X-Many"] = "a", "#
                    + #"["x-many"] = "b", ["Set-Cookie"] = "***", ["Set-Cookie"] = "***" }"#,
                "a;b\ta=1;b=2\t0",
                "content-type=text/plain; charset=utf-8 etag=\"e1\" set-cookie=a=1 x-many=a, b",
                "gif\t3\t2\t13\timage", "true\tapplication/octet-stream\tnil\ttrue\tnil\tnil",
            ])
    }

    @Test func `an entity of the script's own`() throws {
        try expect(
            """
            local e = rest.entity { content = { 1 }, content_type = "a/b; charset=x", headers = { ETag = '"t"', X = { "1", "2" } }, timestamp = 5 }
            print(e.content[1], e.content_type, e.charset, e.etag, e.timestamp, e.headers.x, e.content_kind)
            local plain = rest.entity { content = "x", charset = "latin1" }
            print(plain.content_type, plain.charset, plain.timestamp, plain.text)
            print(rest.success(e).ok, rest.success(e).entity.content[1], rest.success(e).error)
            local r = api:resource("a") r:override_local_data(e)
            print(r.json[1], r.timestamp, r.latest_data.etag)
            """,
            prints: [
                "1\ta/b; charset=x\tx\t\"t\"\t5.0\t1, 2\tvalue",
                "application/octet-stream\tlatin1\t1000000.0\tx",
                "true\t1\tnil", "1\t5.0\t\"t\"",
            ])
    }

    @Test func `D37 an entity says with which answer it came`() throws {
        try expect(
            """
            rest.spawn(function()
              local e = api:resource("headers"):load():await()
              print(e.status, e.url, e.http_version)
              local same = rest.entity { content = e.content, headers = e.headers, status = e.status, url = e.url, http_version = e.http_version }
              print(same.status, same.url, same.http_version)
              local own = rest.entity { content = "x" }
              print(own.status, own.url, own.http_version)
            end)
            """,
            prints: [
                "200\thttps://api.test/v1/headers\t1.1", "200\thttps://api.test/v1/headers\t1.1",
                "nil\tnil\tnil",
            ])
    }

    @Test(arguments: [
        (
            "rest.entity { content = 1, status = 20 }",
            "option 'status': 20 is no status, which has three digits"
        ),
        ("rest.entity {}", "option 'content' is missing in the call of 'entity'"),
        (
            "rest.entity { content = print }",
            "content can't be made of this value: a function can't be content"
        ),
        (
            "rest.entity { content = 1, type = 'x' }",
            "unknown option 'type': did you mean 'content_type'?"
        ),
        (
            "rest.entity { content = 1, headers = 5 }",
            "bad option 'headers' to 'rest.entity' (table expected, got number)"
        ),
        ("rest.entity { content = 1 }.headers.X = 'y'", "these headers are read only"),
        ("rest.entity { content = 1 }.content = 5", "field 'content' of entity is read only"),
        (
            "rest.success(5)",
            "bad argument #1 'entity' to 'rest.success' (entity, made by rest.entity { content = … }, expected, got number)"
        ),
        (
            "rest.failure('x')",
            "bad argument #1 'error' to 'rest.failure' (error, made by rest.error { user_message = … }, expected, got string)"
        ),
        ("rest.error 'x'", "bad argument #1 'options' to 'rest.error' (table expected, got string)"),
        (
            "rest.error { message = 'x' }",
            "unknown option 'message': did you mean 'user_message'?"
        ),
        (
            "rest.error { http_status_code = 'x' }",
            "bad option 'http_status_code' to 'rest.error' (integer expected, got string)"
        ),
        ("rest.error { cause = {} }", "option 'cause' needs a field 'type', a string"),
        (
            "rest.error { cause = 'x' }",
            "option 'cause' is a table, as in { type = \"mine\" }, or an error, not a string"
        ),
        ("rest.error {}.messge()", "unknown field 'messge' on error"),
        ("rest.bytes(5)", "bad argument #1 's' to 'rest.bytes' (string expected, got number)"),
    ])
    func `a wrong use is refused`(source: String, message: String) {
        #expect(loadError(source) == "1: \(message)")
    }

    @Test func `an error says what failed, in one line too`() throws {
        try expect(
            """
            rest.spawn(function()
              local _, e = api:resource("missing"):get()
              print(e) print(e.user_message, e.http_status_code, e.cause, e.timestamp, e.url, e.method, e.attempt)
              print(e.text == "", e.json.message, e.entity.content_kind)
              local _, e = api:resource("broken"):get()
              print(e) print(e.cause.type, e.cause.offset, e.http_status_code, e.text == "", e.entity.content)
              local _, e = api:resource("fragment"):get()
              print(e.cause.type, e.cause.actual)
            end)
            """,
            prints: [
                "GET https://api.test/v1/missing: Not found (404): no such thing",
                "Not found\t404\tnil\t1000000.0\thttps://api.test/v1/missing\tGET\t1",
                "true\tno such thing\tjson",
                "GET https://api.test/v1/broken: Cannot parse server response (200 OK): malformed JSON at byte 1: a key is a string",
                "malformed_json\t1\t200\ttrue\t{", "json_not_object_or_array\tnumber",
            ])
    }

    @Test func `an error of the script's own`() throws {
        try expect(
            """
            local e = rest.error { user_message = "Mine", http_status_code = 418, entity = rest.entity { content = "b" }, cause = { type = "mine", n = 1, deep = { 2 } } }
            print(e, e.text, e.cause.type, e.cause.n, e.cause.deep[1], e.timestamp, e.url, e.method, e.attempt)
            print(rest.error().user_message, rest.error { http_status_code = 404 }.user_message)
            print(rest.failure(e).ok, rest.failure(e).error.user_message, rest.failure(e).entity, rest.failure(e).error.entity.text)
            print(pcall(error, e))
            """,
            prints: [
                "Mine (418)\tb\tmine\t1\t2\t1000000.0\tnil\tnil\t1", "Request failed\tNot found",
                "false\tMine\tnil\tb",
                "false\tMine (418)",
            ])
    }
}

import RestEngine
import TestSupport
import Testing

@testable import RestScript

/// Sections 19 and 27 of the rules as scripts see them.
@Suite(.leakChecked) @EngineActor
struct EntityRows {
    private func reply(_ headers: [(String, String)], _ body: String = "x") -> StubReply {
        .response(headers: Headers(headers), body: Array(body.utf8))
    }

    private func load(_ headers: [(String, String)], _ show: String) throws -> [String] {
        try output(
            "rest.spawn(function() local e = api:resource('a'):load():await() \(show) end)",
            stubs: [("a", reply(headers))])
    }

    @Test("19.1 19.6: an entity has content, type, charset, headers and the time at which it came")
    func fields() throws {
        #expect(
            try load(
                [("Content-Type", "text/plain; charset=UTF-8")],
                "print(e.content, e.content_type, e.charset, e.timestamp == rest.now(), e.etag)")
                == ["x\ttext/plain; charset=UTF-8\tutf-8\ttrue\tnil"])
    }

    @Test("19.2: without a type it is application/octet-stream")
    func noType() throws {
        #expect(try load([], "print(e.content_type, e.charset)") == ["application/octet-stream\tnil"])
    }

    @Test(
        "19.3: the charset is a parameter at any place, in lower case",
        arguments: [
            ("text/plain; a=b; CHARSET=\"Utf-8\"", "utf-8"), ("text/plain;charset=latin1;x=y", "latin1"),
            ("text/plain", "nil"),
        ])
    func charset(type: String, charset: String) throws {
        #expect(try load([("Content-Type", type)], "print(e.charset)") == [charset])
        // A local entity has the values that it was given.
        try expect(
            "print(rest.entity { content = 'x', content_type = 'text/plain', charset = 'Given' }.charset)",
            prints: ["Given"])
    }

    @Test("19.4 D13: headers are found whatever their case, names are in lower case, values are kept")
    func headers() throws {
        #expect(
            try load(
                [("X-Sauce", "tabasco"), ("x-sauce", "oil"), ("Set-Cookie", "a=1"), ("set-cookie", "b=2")],
                """
                print(e.headers["X-SAUCE"], e.headers["set-COOKIE"], #e:header_values("Set-cookie"))
                local names = {} for name in pairs(e.headers) do names[#names + 1] = name end
                table.sort(names) print(table.concat(names, " "))
                """) == ["tabasco, oil\ta=1\t2", "set-cookie x-sauce"])
    }

    @Test("19.5: the ETag is verbatim")
    func etag() throws {
        #expect(try load([("Etag", "W/\"x y\"")], "print(e.etag)") == ["W/\"x y\""])
    }

    @Test("19.7: an entity of the script's own has the time that it was given, or now")
    func local() throws {
        try expect(
            """
            local e = rest.entity { content = "x", content_type = "a/b", headers = { ["content-type"] = "c/d", X = "1" } }
            print(e.content_type, e.headers.x, e.timestamp == rest.now())
            print(rest.entity { content = "x", timestamp = 5 }.timestamp)
            """, prints: ["a/b\t1\ttrue", "5.0"])
    }

    @Test("19.8: If-None-Match is sent by loads alone, over configured headers and before mutators")
    func ifNoneMatch() throws {
        let fixture = ScriptFixture()
        let stub = try fixture.transport.stub(
            method: nil, urlGlob: "https://api.test/v1/a",
            reply([("ETag", "\"1\""), ("Content-Type", "text/plain")]))
        try fixture.load(
            """
            api:configure(function(c)
              c.headers["If-None-Match"] = "configured"
              c:mutate_requests(function(d) d.headers["X-Seen"] = d.headers["If-None-Match"] end)
            end)
            local r = api:resource("a")
            rest.spawn(function()
              r:load():await() r:load():await() r:request("GET"):await()
              local again = r:load() again:await()
              r:override_local_data(rest.entity { content = "", headers = { ETag = '"2"' } })
              again:repeated():start():await()
            end)
            """)
        #expect(
            stub.requests.map { $0.headers["If-None-Match"] } == [
                "configured", "\"1\"", "configured", "\"1\"", "\"2\"",
            ])
        #expect(stub.requests.allSatisfy { $0.headers["X-Seen"] == $0.headers["If-None-Match"] })
        fixture.close()
    }

    @Test("19.9: a 304 keeps the data and its headers, moves its time and clears the error")
    func notModified() throws {
        let fixture = ScriptFixture()
        try fixture.transport.stub(method: nil, urlGlob: "https://api.test/v1/a", .response(304))
        try fixture.load(
            """
            local r = api:resource("a")
            r:override_local_data(rest.entity { content = "x", headers = { ETag = '"1"', X = "y" }, timestamp = 7 })
            rest.spawn(function()
              local request = r:load() local e = request:await()
              print(e.text, e.headers.x, r.latest_data.etag, r.timestamp == rest.now(), r.latest_error)
              request:on_completion(function(info) print(info.is_new) end)
            end)
            rest.spawn(function()
              local e, err = api:resource("a"):child("b"):load():await()
            end)
            """)
        fixture.close()
        #expect(fixture.lines == ["x\ty\t\"1\"\ttrue\tnil", "false"])
    }

    @Test("19.9: a 304 without data is a failure")
    func notModifiedWithoutData() throws {
        let lines = try output(
            """
            rest.spawn(function()
              local _, err = api:resource("a"):load():await()
              print(err.user_message, err.cause.type, api:resource("a").latest_error.cause.type)
            end)
            """, stubs: [("a", .response(304))])
        #expect(lines == ["No data available\tno_local_data_for_304\tno_local_data_for_304"])
    }

    @Test("19.10 19.11: a 200 brings a new ETag, new local content keeps the old one")
    func etagChanges() throws {
        let fixture = ScriptFixture()
        var number = 0
        let stub = try fixture.transport.stub(method: nil, urlGlob: "https://api.test/v1/a") { _ in
            number += 1
            return self.reply([("ETag", "\"\(number)\"")])
        }
        try fixture.load(
            """
            local r = api:resource("a")
            rest.spawn(function()
              for _ = 1, 2 do r:load():await() end
              r:override_local_content("mine") print(r.latest_data.etag, r.latest_data.content)
              r:load():await()
            end)
            """)
        fixture.close()
        #expect(fixture.lines == ["\"2\"\tmine"])
        #expect(stub.requests.map { $0.headers["If-None-Match"] } == [nil, "\"1\"", "\"2\""])
    }

    @Test("19.12 D14: without an ETag a load asks with Last-Modified")
    func lastModified() throws {
        let fixture = ScriptFixture()
        let stub = try fixture.transport.stub(
            method: nil, urlGlob: "https://api.test/v1/a", reply([("Last-Modified", "Sat, 01 Jan 2000")]))
        try fixture.load(
            "rest.spawn(function() for _ = 1, 2 do api:resource('a'):load():await() end end)")
        fixture.close()
        #expect(stub.requests.map { $0.headers["If-Modified-Since"] } == [nil, "Sat, 01 Jan 2000"])
    }

    @Test("19.13: HTTP's caching headers change no freshness")
    func cachingHeaders() throws {
        let fixture = ScriptFixture()
        let headers = [
            ("Cache-Control", "no-store, max-age=0"), ("Expires", "0"), ("Age", "99"), ("Vary", "*"),
        ]
        try fixture.transport.stub(method: nil, urlGlob: "https://api.test/v1/a", reply(headers))
        try fixture.load(
            """
            local r = api:resource("a")
            rest.spawn(function()
              r:load():await() rest.sleep(30) print(r.is_up_to_date) rest.sleep(1) print(r.is_up_to_date)
            end)
            """)
        fixture.advance(31)
        fixture.close()
        #expect(fixture.lines == ["true", "false"])
    }

    @Test("27.1: text and json of resource, entity and error are empty for content of another type")
    func accessors() throws {
        let show = """
            rest.spawn(function()
              for _, path in ipairs { "text", "object", "list", "bytes", "none" } do
                local r = api:resource(path)
                local e, err = r:load():await()
                for _, x in ipairs { r, e or err, (e or err.entity) } do
                  print(path, "[" .. x.text .. "]", rest.json.encode(x.json))
                end
              end
              local r = api:resource("never") print(r.text == "", next(r.json))
              r:load():await() print(r.latest_error.text == "", next(r.latest_error.json), r.latest_error.entity)
            end)
            """
        let lines = try output(
            show,
            stubs: [
                ("text", .text(200, "x")), ("object", .json(200, #"{"a":1}"#)), ("list", .json(200, "[1]")),
                ("bytes", .response(body: [0x61])), ("none", .text(404, "gone")),
                ("never", .error(TransportError(.timeout, message: "Timeout"))),
            ])
        var expected: [String] = []
        for (path, text, json) in [
            ("text", "x", "{}"), ("object", "", #"{"a":1}"#), ("list", "", "[1]"), ("bytes", "", "{}"),
        ] {
            expected += Array(repeating: "\(path)\t[\(text)]\t\(json)", count: 3)
        }
        // The resource has no data, but it has the error with its body.
        expected += ["none\t[]\t{}", "none\t[gone]\t{}", "none\t[gone]\t{}"]
        #expect(lines == expected + ["true\tnil", "true\tnil\tnil"])
    }
}

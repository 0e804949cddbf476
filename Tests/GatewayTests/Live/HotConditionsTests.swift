import RestEngine
import TestSupport
import Testing

@testable import Gateway

/// Fresh answers for clients that send the same directives again.
@Suite struct HotConditionsTests {
    private static let long =
        "[" + Array(repeating: #"{"login":"octocat"}"#, count: 200).joined(separator: ",") + "]"

    /// A field that makes the gateway look at each request separately, and changes nothing else.
    private static let apart = "Cache-Control: max-age=100000"

    private func shown(_ answer: Answer) -> [String] {
        // Each answer has its own ID, if it has one.
        ["\(answer.status)", answer.body.replacing(/,"request_id":"[^"]*"/, with: "")]
            + answer.fields.filter { !["Date", "X-Request-Id"].contains($0.name) }.map {
                "\($0.name): \($0.value)"
            }
    }

    @Test(arguments: ["github/a", "github/small"])
    func `51 A remembered answer equals one that is rendered for the request alone`(path: String)
        async throws
    {
        try await World.run(
            {
                $0.threads = 1
                $0.cors = GatewayCORS(origins: ["https://app.example"])
            },
            automatic: { .success(.stub($0.url.hasSuffix("small") ? "[1]" : Self.long)) }
        ) { world, site in
            #expect(try site.get("/\(path)").status == 200)
            let types = ["", "*/*", "application/json", "text/html, */*;q=0.1", "text/html", "text/*;q=0.5"]
            let codings = [
                "", "gzip, deflate", "gzip, deflate, br, zstd", "br;q=0", "identity", "gzip;q=0.1",
            ]
            // Twice, because by then each form has made room for others.
            for turn in 0..<2 {
                for type in types {
                    for coding in codings {
                        var fields: [String] = []
                        if !type.isEmpty { fields.append("Accept: \(type)") }
                        if !coding.isEmpty { fields.append("accept-encoding: \(coding)") }
                        let alone = try site.get("/\(path)", fields: fields + [Self.apart])
                        for _ in 0..<2 {
                            let answer = try site.get("/\(path)", fields: fields)
                            #expect(shown(answer) == shown(alone), "\(fields) in turn \(turn)")
                        }
                        #expect(alone["Cache-Status"] == "resthost; hit; ttl=30" || alone.status == 406)
                        #expect(alone["Vary"]?.contains("Accept") == true || alone.status == 406)
                    }
                }
            }
            #expect(await world.transport.requests.count == 1)
        }
    }

    @Test(arguments: ["github/a", "github/small"])
    func `51 Clients that have the content get 304 as for the request alone`(path: String) async throws {
        try await World.run(
            { $0.threads = 1 },
            automatic: { request in
                .success(
                    TransportResponse(
                        status: 200,
                        headers: Headers([
                            ("Content-Type", "application/json"),
                            ("Last-Modified", "Sun, 06 Nov 1994 08:49:37 GMT"),
                        ]),
                        body: Array((request.url.hasSuffix("small") ? "[1]" : Self.long).utf8)))
            }
        ) { world, site in
            let plain = try site.get("/\(path)")["ETag"] ?? ""
            let coded = try site.get("/\(path)", fields: ["Accept-Encoding: gzip"])["ETag"] ?? ""
            let date = "If-Modified-Since: Sun, 06 Nov 1994 08:49:37 GMT"
            let tags = [
                plain, coded, "W/" + plain, "*", "\"other\", \(plain)", "\"other\"", "",
                String(repeating: "\"other\", ", count: 60) + plain,
            ]
            var unchanged = 0
            for tag in tags {
                for more in [[], ["Accept-Encoding: gzip"], [date], ["Accept: text/html", date]] {
                    let fields = more + ["If-None-Match: \(tag)"]
                    for method in ["GET", "HEAD"] {
                        let alone = try site.get("/\(path)", method: method, fields: fields + [Self.apart])
                        for _ in 0..<2 {
                            let answer = try site.get("/\(path)", method: method, fields: fields)
                            #expect(shown(answer) == shown(alone), "\(method) \(fields)")
                        }
                        unchanged += alone.status == 304 ? 1 : 0
                    }
                }
            }
            #expect(unchanged > 30)
            #expect(
                try site.get(
                    "/\(path)", fields: ["If-None-Match: \"other\"", "If-None-Match: \(plain)"]
                ).status == 304)
            await world.override(String(path.dropFirst(7)), content: .json([2]))
            for _ in 0..<2 {
                let changed = try site.get("/\(path)", fields: ["If-None-Match: \(plain)"])
                #expect(changed.status == 200)
                #expect(changed.body == "[2]")
            }
            #expect(await world.transport.requests.count == 1)
        }
    }

    @Test func `51 Fields that come twice say the same as in one`() async throws {
        try await World.run({ $0.threads = 1 }, automatic: { _ in .success(.stub(Self.long)) }) { _, site in
            _ = try site.get("/github/a")
            for _ in 0..<2 {
                let answer = try site.get(
                    "/github/a", fields: ["Accept-Encoding: identity;q=0.5", "Accept-Encoding: br"])
                #expect(answer["Content-Encoding"] == "br")
            }
            let types = try site.get("/github/a", fields: ["Accept: text/html", "Accept: */*"])
            #expect(types.status == 200)
        }
    }

    @Test func `51 A changed content, a passed second and the end of freshness are seen`() async throws {
        try await World.run({ $0.threads = 1 }, automatic: { _ in .success(.stub(Self.long)) }) {
            world, site in
            let fields = ["Accept: application/json", "Accept-Encoding: gzip"]
            for _ in 0..<2 {
                #expect(try site.get("/github/a", fields: fields)["Content-Encoding"] == "gzip")
            }
            world.clock.advance(by: 7)
            #expect(try site.get("/github/a", fields: fields)["Age"] == "7")
            await world.override("a", content: .json([2]))
            let changed = try site.get("/github/a", fields: fields)
            #expect(changed.body == "[2]")
            #expect(changed["Age"] == "0")
            world.clock.advance(by: 31)
            #expect(try site.get("/github/a", fields: fields)["Content-Encoding"] == "gzip")
            #expect(await world.transport.requests.count == 2)
        }
    }

    @Test func `51 A large content is sent encoded as soon as it is`() async throws {
        let large = "[" + Array(repeating: Self.long, count: 20).joined(separator: ",") + "]"
        try await World.run({ $0.threads = 1 }, automatic: { _ in .success(.stub(large)) }) { _, site in
            let fields = ["Accept-Encoding: gzip"]
            #expect(try site.get("/github/a", fields: fields).body == large)
            try await yielding(until: "it is sent encoded") {
                try site.get("/github/a", fields: fields)["Content-Encoding"] == "gzip"
            }
        }
    }

    @Test func `Terms are known again by their bytes, up to a number and a length`() {
        var table = ConditionsTable()
        func find(_ fields: String, last: KnownConditions? = nil) -> KnownConditions? {
            let text = "GET / HTTP/1.1\r\nHost: a\r\n\(fields)\r\n"
            return Array(text.utf8).withUnsafeBytes { bytes in
                var head = RequestHead()
                RequestFields.forEach(in: bytes) { name, value in
                    let start = name.baseAddress! - bytes.baseAddress!
                    let end = value.baseAddress! - bytes.baseAddress! + value.count
                    let line = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
                    #expect(head.readField(line, offset: start) == nil)
                }
                head.length = bytes.count
                return table.find(head, bytes, last: last)
            }
        }
        let first = find("Accept-Encoding: gzip\r\n")
        #expect(first?.conditions.codings == [.gzip])
        #expect(find("accept-encoding:gzip\r\n") === first)
        #expect(find("Accept-Encoding: gzip\r\nAccept: */*\r\n") === first)
        #expect(find("Accept-Encoding: br\r\n") !== first)
        // An If-None-Match belongs to one content, and is kept with its form.
        #expect(find("Accept-Encoding: gzip\r\nIf-None-Match: \"a\"\r\n") === first)
        #expect(first?.conditions.ifNoneMatch == nil)
        #expect(find("Accept: gzip\r\n") !== first)
        for fields in [
            "Accept-Encoding: gzip\r\nRange: bytes=0-1\r\n", "Accept-Encoding: a\r\nAccept-Encoding: b\r\n",
            "Accept: text/event-stream\r\n",
            "Accept-Encoding: gzip\r\nIf-None-Match: \"a\"\r\nIf-None-Match: \"b\"\r\n",
            "Accept-Encoding: \(String(repeating: "gzip,", count: 200))\r\n",
        ] {
            #expect(find(fields) == nil, "\(fields)")
        }
        for number in 0..<20 { #expect(find("Accept: a/\(number)\r\n") != nil) }
        #expect(find("Accept-Encoding: gzip\r\n", last: first) === first)
        #expect(find("Accept-Encoding: gzip\r\n") !== first)
    }
}

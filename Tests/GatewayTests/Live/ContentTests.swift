import RestEngine
import Testing

@testable import Gateway

/// The form and the part in which content goes out (rules 51).
@Suite struct ContentTests {
    private static let long =
        "[" + Array(repeating: #"{"login":"octocat"}"#, count: 200).joined(separator: ",") + "]"

    private static func reply(_ request: TransportRequest) -> TransportResult {
        if request.url.hasSuffix("/bytes") {
            return .success(
                TransportResponse(
                    status: 200,
                    headers: Headers([
                        ("Content-Type", "application/zip"),
                        ("Last-Modified", "Mon, 12 Jan 1970 13:46:40 GMT"),
                    ]), body: Array("0123456789".utf8)))
        }
        return .success(.stub(long))
    }

    @Test func `51.1 A coding that a client understands is used where it pays, under a tag of its own`()
        async throws
    {
        try await World.run(automatic: Self.reply) { world, site in
            let plain = try site.get("/github/a")
            #expect(plain["Content-Encoding"] == nil)
            #expect(plain["Vary"] == "Accept, Accept-Encoding")
            var tags: Set<String?> = [plain["ETag"]]
            for (field, coding) in [
                ("gzip", "gzip"), ("br, gzip", "br"), ("zstd;q=1, br;q=0.5", "zstd"), ("x-gzip", "gzip"),
                ("*", "gzip"),
            ] {
                let answer = try site.get("/github/a", fields: ["Accept-Encoding: \(field)"])
                #expect(answer["Content-Encoding"] == coding)
                #expect(answer["Content-Length"].flatMap { Int($0) } ?? .max < Self.long.utf8.count / 4)
                tags.insert(answer["ETag"])
                let tag = try #require(answer["ETag"])
                let known = try site.get(
                    "/github/a", fields: ["Accept-Encoding: \(field)", "If-None-Match: \(tag)"])
                #expect(known.status == 304)
                #expect(known["ETag"] == tag)
            }
            #expect(tags.count == 4)
            for field in ["identity", "gzip;q=0", "compress", ""] {
                let answer = try site.get("/github/a", fields: ["Accept-Encoding: \(field)"])
                #expect(answer.body == Self.long)
            }
            #expect(await world.transport.requests.count == 1)
        }
    }

    @Test func `51.2 Small content, and content that isn't text, goes out as it is`() async throws {
        try await World.run(automatic: { request in
            request.url.hasSuffix("/small") ? .success(.stub("[1]")) : Self.reply(request)
        }) { _, site in
            for path in ["small", "bytes"] {
                let answer = try site.get("/github/\(path)", fields: ["Accept-Encoding: gzip"])
                #expect(answer["Content-Encoding"] == nil)
                #expect(answer["Vary"] == "Accept")
            }
        }
    }

    @Test(
        arguments: [
            ("bytes=0-3", 206, "0123", "bytes 0-3/10"), ("bytes=7-", 206, "789", "bytes 7-9/10"),
            ("bytes=-2", 206, "89", "bytes 8-9/10"), ("bytes=5-100", 206, "56789", "bytes 5-9/10"),
            ("bytes=-100", 206, "0123456789", "bytes 0-9/10"), ("bytes=10-", 416, nil, "bytes */10"),
            ("bytes=-0", 416, nil, "bytes */10"), ("bytes=0-1,3-4", 200, "0123456789", nil),
            ("bytes=3-1", 200, "0123456789", nil), ("items=0-1", 200, "0123456789", nil),
            ("bytes=9223372036854775807-", 416, nil, "bytes */10"),
            ("bytes=99999999999999999999-", 416, nil, "bytes */10"),
            ("bytes=5-9223372036854775807", 206, "56789", "bytes 5-9/10"),
            ("bytes=5-99999999999999999999", 206, "56789", "bytes 5-9/10"),
            ("bytes=-99999999999999999999", 206, "0123456789", "bytes 0-9/10"),
        ] as [(String, Int, String?, String?)])
    func `51.3 A range of bytes is served from memory`(
        _ range: String, _ status: Int, _ body: String?, _ place: String?
    ) async throws {
        try await World.run(automatic: Self.reply) { _, site in
            for _ in 0..<2 {
                let answer = try site.get("/github/bytes", fields: ["Range: \(range)"])
                #expect(answer.status == status)
                #expect(answer["Content-Range"] == place)
                if let body { #expect(answer.body == body) }
            }
        }
    }

    @Test func `51.4 A range is for the copy that a client has, and the API's own bytes`() async throws {
        try await World.run(automatic: Self.reply) { world, site in
            let tag = try #require(try site.get("/github/bytes")["ETag"])
            for (condition, status) in [
                (tag, 206), ("\"other\"", 200), ("W/" + tag, 200), ("Mon, 12 Jan 1970 13:46:40 GMT", 206),
                ("Mon, 12 Jan 1970 13:46:41 GMT", 200),
            ] {
                let fields = ["Range: bytes=0-0", "If-Range: \(condition)"]
                #expect(try site.get("/github/bytes", fields: fields).status == status)
            }
            #expect(try site.get("/github/a", fields: ["Range: bytes=0-0"]).status == 206)
            await world.override("a", content: .json([1]))
            #expect(try site.get("/github/a", fields: ["Range: bytes=0-0"]).status == 200)
            #expect(try site.get("/github/bytes")["Accept-Ranges"] == "bytes")
        }
    }

    @Test func `51.5 A date that is known gives 304, unless a tag is asked for too`() async throws {
        try await World.run(automatic: Self.reply) { _, site in
            let date = "If-Modified-Since: Mon, 12 Jan 1970 13:46:40 GMT"
            #expect(try site.get("/github/bytes", fields: [date]).status == 304)
            #expect(try site.get("/github/bytes", fields: [date, "If-None-Match: \"x\""]).status == 200)
            let whole = try site.get("/github/bytes")
            #expect(whole["Last-Modified"] == "Mon, 12 Jan 1970 13:46:40 GMT")
        }
    }

    @Test func `51.6 A client that accepts no available type gets the list`() async throws {
        try await World.run(automatic: Self.reply) { _, site in
            for (accept, status) in [
                ("application/json", 200), ("text/html, */*;q=0.1", 200), ("application/*", 200),
                ("text/html", 406), ("application/json;q=0, */*", 406), ("nonsense", 200),
            ] {
                let answer = try site.get("/github/a", fields: ["Accept: \(accept)"])
                #expect(answer.status == status)
                if status == 406 {
                    #expect(answer.json?["available"] == ["application/json", "text/event-stream"])
                }
            }
        }
    }
}

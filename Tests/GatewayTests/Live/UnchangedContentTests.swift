import RestEngine
import Testing

@testable import Gateway

/// The API's bytes go out unchanged, unless a transformer has changed them (rule 18.10).
@Suite struct UnchangedContentTests {
    /// The bodies of an API, by the last part of their path.
    private static let bodies: [String: (type: String?, body: [UInt8])] = [
        "spaced": ("application/json", Array("{ \"b\": 1.50,\n  \"a\": [ ], \"b\": 2 }\n".utf8)),
        "manifest": (
            "application/vnd.oci.image.manifest.v1+json", Array("{\n   \"schemaVersion\": 2\n}".utf8)
        ),
        "api": ("application/vnd.api+json; ext=\"x\"", Array("{\"data\":[]}".utf8)),
        "marked": ("application/json", Array("\u{FEFF}[1]".utf8)),
        "page": ("text/html", Array("<meta charset=iso-8859-2>".utf8) + [0xB1]),
        "latin": ("text/plain; charset=iso-8859-1", [0x67, 0xFC]),
        "css": ("text/css", Array("a { content: \"é\" }".utf8)),
        "lines": ("application/x-ndjson", Array("{\"a\":1}\n[2]\n".utf8)),
        "untyped": (nil, [1, 2]),
    ]

    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    private static func reply(_ request: TransportRequest) -> TransportResult {
        guard let known = bodies[String(request.url.split(separator: "/").last ?? "")] else {
            return .success(.stub("[\(String(repeating: "1 , ", count: 1000))1]"))
        }
        let headers = Headers(known.type.map { [("Content-Type", $0)] } ?? [])
        return .success(TransportResponse(status: 200, headers: headers, body: known.body))
    }

    @Test(arguments: bodies.keys.sorted())
    func `18.10 Bytes and type are the API's`(_ path: String) async throws {
        let (type, body) = try #require(Self.bodies[path])
        try await World.run(automatic: Self.reply) { _, site in
            for _ in 0..<2 {
                let answer = try site.get("/github/\(path)")
                #expect(answer.body == Self.text(body) && answer["Content-Length"] == "\(body.count)")
                #expect(answer["Content-Type"] == type ?? "application/octet-stream")
                let head = try site.get("/github/\(path)", method: "HEAD")
                #expect(head["Content-Type"] == answer["Content-Type"] && head["ETag"] == answer["ETag"])
                #expect(head["Content-Length"] == "\(body.count)" && head.body.isEmpty)
                let part = try site.get("/github/\(path)", fields: ["Range: bytes=1-"])
                #expect(part.status == 206 && part.body == Self.text(Array(body.dropFirst())))
                #expect(part["Content-Type"] == answer["Content-Type"])
            }
        }
    }

    @Test func `18.10 51.1 Codings are of the API's bytes, and a range is of those alone`() async throws {
        try await World.run(automatic: Self.reply) { _, site in
            let plain = try site.get("/github/long")
            #expect(plain.body.hasPrefix("[1 , 1"))
            let coded = try site.get("/github/long", fields: ["Accept-Encoding: gzip"])
            #expect(coded["Content-Encoding"] == "gzip" && coded["Accept-Ranges"] == nil)
            let part = try site.get("/github/long", fields: ["Accept-Encoding: gzip", "Range: bytes=0-1"])
            #expect(part.status == 206 && part.body == "[1" && part["Content-Encoding"] == nil)
        }
    }

    @Test func `18.10 A function that makes a content makes its bytes and its type`() async throws {
        try await World.run(automatic: Self.reply) { world, site in
            try await world.configure("**") {
                $0.pipeline[.model].add(
                    TypedTransformer<Tree, Tree>(description: "same", onMismatch: .skip) { tree, _ in tree })
            }
            for path in ["spaced", "api"] {
                let answer = try site.get("/github/\(path)")
                #expect(answer["Content-Type"] == "application/json" && answer["Accept-Ranges"] == nil)
                #expect(!answer.body.contains(" "))
            }
            #expect(try site.get("/github/css")["Content-Type"] == "text/css")
            let wanted = "application/vnd.api+json"
            let refused = try site.get("/github/api", fields: ["Accept: \(wanted)"])
            #expect(
                refused.status == 406
                    && refused.json?["available"] == ["application/json", "text/event-stream"])
        }
    }

    @Test func `18.10 A function that gives back the text that it got has changed nothing`() async throws {
        try await World.run(automatic: Self.reply) { world, site in
            try await world.configure("**") {
                $0.pipeline[.model].add(
                    TypedTransformer<String, String>(description: "loud", onMismatch: .skip) { text, _ in
                        text.hasPrefix("a") ? text.uppercased() : text
                    })
            }
            let page = try site.get("/github/page")
            #expect(
                page["Content-Type"] == "text/html"
                    && page["Content-Length"] == "\(Self.bodies["page"]?.body.count ?? 0)")
            let css = try site.get("/github/css")
            #expect(css["Content-Type"] == "text/css; charset=utf-8" && css.body == "A { CONTENT: \"É\" }")
        }
    }

    @Test func `18.10 A local change is written anew`() async throws {
        try await World.run(automatic: Self.reply) { world, site in
            #expect(try site.get("/github/api")["Content-Type"] == Self.bodies["api"]?.type)
            await world.override("api", content: .json(["a": 1]))
            let answer = try site.get("/github/api")
            #expect(answer["Content-Type"] == "application/json" && answer.body == "{\"a\":1}")
        }
    }

    @Test func `18.10 The API's bytes for a client's own request go out unchanged`() async throws {
        try await World.run(
            PassTests.expose,
            automatic: { request in
                let type = "application/problem+json"
                return request.method == "POST"
                    ? .success(
                        .stub("{ \"a\" : 1 }", status: request.url.hasSuffix("bad") ? 422 : 201, type: type))
                    : Self.reply(request)
            }
        ) { _, site in
            for (path, status) in [("good", 201), ("bad", 422)] {
                let answer = try site.get("/github/\(path)", method: "POST", fields: ["Content-Length: 0"])
                #expect(answer.status == status && answer.body == "{ \"a\" : 1 }")
                #expect(answer["Content-Type"] == "application/problem+json")
            }
        }
    }

    @Test func `18.10 53.1 Streams show the value of what is no JSON text, and the text of what is no UTF-8`()
        async throws
    {
        try await World.run(automatic: Self.reply) { _, site in
            for (path, data) in [
                ("spaced", #""data":{ "b": 1.50,   "a": [ ], "b": 2 } ,"#), ("marked", #""data":[1],"#),
                ("lines", #""data":[{"a":1},[2]],"#),
                ("latin", #""data":"gü","content_type":"text/plain; charset=iso-8859-1","#),
                ("untyped", #""data":"AQI=","content_type":"application/octet-stream","encoding":"base64","#),
            ] {
                _ = try site.get("/github/\(path)")
                let stream = try StreamTests.open(site, "/github/\(path)")
                _ = try stream.head()
                #expect(try stream.event().data.hasPrefix("{" + data))
            }
        }
    }

    @Test(arguments: [
        ("application/vnd.api+json", 200), ("application/json", 200), ("application/*", 200), ("*/*", 200),
        ("text/html, application/json;q=0.1", 200), ("application/vnd.api+json;q=0, application/json", 406),
        ("application/xml", 406), ("application/vnd.other+json", 406), ("text/html", 406),
    ])
    func `51.6 A type that is written in JSON is accepted by its name, and as JSON`(
        _ accept: String, _ status: Int
    ) async throws {
        try await World.run(automatic: Self.reply) { _, site in
            for _ in 0..<2 {
                let answer = try site.get("/github/api", fields: ["Accept: \(accept)"])
                #expect(answer.status == status)
                let type = Self.bodies["api"]?.type
                if status == 200 { #expect(answer["Content-Type"] == type) }
                if status == 406 {
                    #expect(answer.json?["available"] == [Tree(type ?? ""), "text/event-stream"])
                }
            }
        }
    }
}

import TestSupport
import Testing

@testable import RestEngine

/// Content that standard transformers read keeps its body (rule 18.10).
@Suite(.leakChecked) @EngineActor
struct ReadBodyTests {
    let fixture = EngineFixture()

    private func load(_ type: String, _ body: [UInt8], _ status: Int = 200) throws -> Response {
        let headers = Headers([("Content-Type", type)])
        try fixture.stub("GET", "a", .response(status, headers: headers, body: body))
        let request = fixture.resource("a").load()
        fixture.settle()
        return try #require(request.info?.response)
    }

    private func published(_ entity: Entity?) throws -> EncodedContent {
        try EncodedContent(try #require(entity))
    }

    private nonisolated static let json = Array("{ \"a\" : [ 1.50 ] }".utf8)
    private nonisolated static let bodies: [(String, [UInt8])] = [
        ("application/vnd.api+json", json), ("application/x-ndjson", Array("[1]\n\n{ }\n".utf8)),
        ("text/html", Array("<p>Grüße".utf8)), ("text/plain; charset=koi8-r", [0xD1]), ("x/y", [0xFF]),
        ("image/png", EntityCodingTests.png),
    ]

    @Test(arguments: bodies)
    func `18.10 the body is published unchanged, failures included`(type: String, body: [UInt8]) throws {
        for status in [200, 404] {
            let content = try published(try load(type, body, status).entity)
            #expect(content.body == body && content.contentType == type && content.isRaw)
        }
    }

    @Test func `18.10 another content, and another type, has no body`() throws {
        var entity = try #require(try load("text/plain", [0xE9]).entity)
        entity.timestamp = 5
        entity.headers.set("X-Other", "y")
        #expect(try published(entity).body == [0xE9])
        var retyped = entity
        retyped.headers.set("Content-Type", "text/css")
        #expect(try published(retyped).contentType == "text/css; charset=utf-8")
        entity.content = .text("é")
        #expect(try published(entity).body == Array("é".utf8))
        #expect(try published(fixture.resource("a").entity(withLocal: .text("é"))).isRaw == false)
    }

    @Test func `18.10 a text that was read by a script's charset is written anew`() throws {
        try fixture.configure { draft in
            draft.configuration.pipeline[.parsing].removeTransformers()
            draft.configuration.pipeline[.parsing].add(TextTransformer(charset: "koi8-r"))
        }
        let content = try published(try load("text/plain; charset=utf-8", [0xD1]).entity)
        #expect(content.body == Array("я".utf8) && content.contentType == "text/plain; charset=utf-8")
    }

    @Test func `18.10 a content without a type is written anew`() throws {
        try fixture.configure { draft in
            draft.configuration.pipeline[.parsing].removeTransformers()
            draft.configuration.pipeline[.parsing].add(JSONTransformer())
        }
        try fixture.stub("GET", "b", .response(body: Self.json))
        let request = fixture.resource("b").load()
        fixture.settle()
        let content = try published(request.info?.response.entity)
        #expect(content.contentType == "application/json" && content.body == Array("{\"a\":[1.5]}".utf8))
    }

    @Test func `23.4 a body is counted beside its value where it has memory of its own`() throws {
        // JSON stays text again after this number of values of which no tree was needed.
        for _ in 0..<64 { _ = try load("application/json", Self.json) }
        func held(_ type: String, _ body: [UInt8]) throws -> Int {
            let entity = try #require(try load(type, body).entity)
            // Subtracts the bytes of the header and its bookkeeping.
            return entity.heldBytes - Entity(content: .bytes([]), contentType: type).heldBytes
        }
        #expect(try held("application/json", Self.json) == Self.json.count)
        #expect(try held("text/plain", Array("Grüße".utf8)) == 7)
        #expect(try held("text/plain", [0xE9]) == 3)
        let entity = try #require(try load("application/json", Self.json).entity)
        let before = entity.heldBytes
        let tree = try #require(entity.content.tree)
        #expect(tree["a"]?.count == 1)
        #expect(entity.heldBytes == before + tree.encoded.count)
        let large = Array("[\(String(repeating: "1,", count: 50_000))1]".utf8)
        let many = try #require(try load("application/json", large).entity)
        #expect(many.heldBytes > large.count + (many.content.tree?.encoded.count ?? 0))
    }

    @Test(arguments: bodies.filter { $0.0 != "application/x-ndjson" && !$0.0.hasSuffix("koi8-r") })
    func `18.10 22.6 a cache outside of the process has the body too`(type: String, body: [UInt8]) throws {
        let entity = try #require(try load(type, body).entity)
        let again = try #require(EntityCoding.decode(try EntityCoding.encode(entity)))
        #expect(EntityCodingTests.isSame(again, entity))
        let content = try published(again)
        #expect(content.body == body && content.contentType == type && content.isRaw)
        #expect(content.etag == (try published(entity)).etag)
    }

    @Test func `18.10 22.6 a body that a cache outside of the process loses is written anew`() throws {
        for (type, body, anew) in [
            ("application/x-ndjson", "[1]\n[ 2 ]", "application/json"),
            ("text/plain; charset=iso-8859-1", "\u{FF}", "text/plain; charset=utf-8"),
        ] {
            let bytes = body == "\u{FF}" ? [0xFF] : Array(body.utf8)
            let entity = try #require(try load(type, bytes).entity)
            let again = try #require(EntityCoding.decode(try EntityCoding.encode(entity)))
            let content = try published(again)
            #expect(EntityCodingTests.isSame(again, entity) && content.contentType == anew && !content.isRaw)
        }
    }

    @Test func `18.10 22.6 a cache in memory keeps the body`() throws {
        let cache = MemoryCache()
        let key = try #require(cache.key(for: fixture.resource("a"), stage: "parsing"))
        cache.write(try #require(try load("application/vnd.api+json", Self.json).entity), for: key) { _ in }
        var known: Entity?
        cache.read(key) { known = (try? $0.get()).flatMap(\.self) }
        #expect(try published(known).body == Self.json)
    }
}

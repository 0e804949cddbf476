import TestSupport
import Testing

@testable import RestEngine

struct EntityCodingTests {
    static let png: [UInt8] =
        [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + Array("IHDR".utf8)
        + [0, 0, 0, 2, 0, 0, 0, 3]

    static func contents() throws -> [Content] {
        [
            .bytes([]), .bytes([0, 1, 255]), .text(""), .text("Grüße \u{1F4A3}\0"),
            .json(["id": 7, "list": [1.5, .null, true, ""], "none": [:]]), .json([]),
            .value(-1), .value("text"), .value(Tree(bytes: [0xFF])), .value(Tree(Double.nan)),
            .value(try Tree(json: "[[{\"a\":[1,2,3]}]]")),
            .image(try #require(Image(bytes: png))),
        ]
    }

    /// Compares by meaning, because contents have no equality.
    static func isSame(_ a: Entity, _ b: Entity) -> Bool {
        let isSameContent =
            switch (a.content, b.content) {
            case (.bytes(let a), .bytes(let b)): a == b
            case (.text(let a), .text(let b)): Array(a.utf8) == Array(b.utf8)
            case (.json(let a), .json(let b)), (.value(let a), .value(let b)): a == b
            case (.image(let a), .image(let b)): a == b
            default: false
            }
        return isSameContent && a.headers == b.headers && a.charset == b.charset && a.timestamp == b.timestamp
            && a.status == b.status && a.url == b.url && a.httpVersion == b.httpVersion
    }

    @Test func `22.6 every kind of content comes back as it was`() throws {
        for content in try Self.contents() {
            let entity = Entity(content: content, contentType: "a/b; charset=x", timestamp: 1_000_000.25)
            let decoded = try #require(
                EntityCoding.decode(try EntityCoding.encode(entity)), "\(content.kind)")
            #expect(Self.isSame(decoded, entity), "\(content.kind)")
        }
    }

    @Test(arguments: [nil, "", "utf-8", "ISO-8859-1"] as [String?])
    func `D13 19.3 repeated headers, their case and the charset are kept`(charset: String?) throws {
        let headers = Headers([
            ("Set-Cookie", "a=1"), ("content-TYPE", "text/plain; charset=other"), ("set-cookie", "b=2"),
            ("X-Empty", ""), ("", "ü"),
        ])
        var entity = Entity(content: .text("x"), headers: headers, timestamp: -5)
        entity.charset = charset
        let decoded = try #require(EntityCoding.decode(try EntityCoding.encode(entity)))
        #expect(Self.isSame(decoded, entity))
    }

    @Test func `D37 status, URL and version are kept, and may be missing`() throws {
        let response = TransportResponse(status: 299, httpVersion: "HTTP/2", body: [1])
        var entity = Entity(response: response, url: "https://a.test/b", timestamp: 1)
        #expect(Self.isSame(try #require(EntityCoding.decode(EntityCoding.encode(entity))), entity))
        entity.url = nil
        #expect(Self.isSame(try #require(EntityCoding.decode(EntityCoding.encode(entity))), entity))
        entity.status = nil
        entity.httpVersion = nil
        #expect(Self.isSame(try #require(EntityCoding.decode(EntityCoding.encode(entity))), entity))
    }

    @Test func `a part of a tree takes only its own bytes along`() throws {
        let whole: Tree = ["part": [1, 2], "large": Tree(String(repeating: "x", count: 10_000))]
        let part = try #require(whole["part"])
        let bytes = try EntityCoding.encode(Entity(content: .json(part), timestamp: 0))
        #expect(bytes.count < 100)
        #expect(EntityCoding.decode(bytes)?.content.tree == [1, 2])
    }

    @Test func `content that means nothing to another process is refused`() {
        struct Native: Sendable {}
        #expect(throws: EntityCodingError.nativeContent(type: "Native")) {
            try EntityCoding.encode(Entity(content: .native(Native()), timestamp: 0))
        }
        let classed = Tree(encoded: [Tree.Tag.classed.rawValue, 1, 0, 0, 0] + Tree([1]).encoded)
        for tree in [classed, ["a": [["b": classed]]]] {
            #expect(throws: EntityCodingError.classedContent) {
                try EntityCoding.encode(Entity(content: .value(tree), timestamp: 0))
            }
        }
        for timestamp in [Double.nan, .infinity] {
            #expect(throws: EntityCodingError.badTimestamp) {
                try EntityCoding.encode(Entity(content: .text(""), timestamp: timestamp))
            }
        }
    }

    @Test func `another version, and objects of a class from elsewhere, are no entity`() throws {
        let bytes = try EntityCoding.encode(Entity(content: .value([1]), timestamp: 0))
        #expect(EntityCoding.decode([EntityCoding.version + 1] + bytes.dropFirst()) == nil)
        let head = bytes.dropLast(Tree([1]).byteCount)
        let classed = [Tree.Tag.classed.rawValue, 1, 0, 0, 0] + Tree([1]).encoded
        #expect(EntityCoding.decode(Self.sealed(Array(head) + Tree([1]).encoded)) != nil)
        #expect(EntityCoding.decode(Self.sealed(Array(head) + classed)) == nil)
        #expect(EntityCoding.decode([]) == nil)
    }

    // MARK: Bytes of other origin

    /// Adds the right checksum, so that the bytes behind it are read.
    private static func sealed(_ bytes: [UInt8]) -> [UInt8] {
        guard bytes.count >= 9 else { return bytes }
        let hash = ContentHash.of(bytes[9...])
        return [EntityCoding.version] + withUnsafeBytes(of: hash.littleEndian, Array.init) + bytes[9...]
    }

    private static func samples() throws -> [[UInt8]] {
        try contents().map { content in
            var entity = Entity(
                response: TransportResponse(status: 201, headers: Headers([("A", "1"), ("a", "2")])),
                url: "https://a.test/", timestamp: 7)
            entity.content = content
            entity.charset = "utf-8"
            return try EntityCoding.encode(entity)
        }
    }

    @Test func `every cut and every changed bit is noticed`() throws {
        for sample in try Self.samples() {
            for count in 0..<sample.count {
                #expect(EntityCoding.decode(Array(sample[..<count])) == nil, "cut to \(count)")
            }
            for bit in 0..<sample.count * 8 {
                var changed = sample
                changed[bit / 8] ^= 1 << UInt8(bit % 8)
                #expect(EntityCoding.decode(changed) == nil, "bit \(bit)")
            }
        }
    }

    @Test func `bytes that only look right are refused or read, never trapped on`() throws {
        var random = SeededRandom(seed: 22)
        let samples = try Self.samples()
        var readable = 0
        for _ in 0..<20_000 {
            var bytes = random.bytes(upTo: 200)
            if random.int(below: 4) > 0 {
                bytes = samples[random.int(below: samples.count)]
                for _ in 0...random.int(below: 3) {
                    let place = random.int(below: bytes.count)
                    switch random.int(below: 4) {
                    case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
                    case 1: bytes[place] = 255
                    case 2: bytes.removeSubrange(place..<min(bytes.count, place + random.int(below: 9)))
                    default: bytes.insert(contentsOf: random.bytes(upTo: 9), at: place)
                    }
                    if bytes.isEmpty { break }
                }
            }
            guard let entity = EntityCoding.decode(Self.sealed(bytes)) else { continue }
            readable += 1
            let again = try EntityCoding.decode(EntityCoding.encode(entity))
            #expect(again.map { Self.isSame($0, entity) } == true)
        }
        #expect(readable > 1000)
    }
}

extension ContentHash {
    fileprivate static func of(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.withUnsafeBytes { ContentHash($0).checksum }
    }
}

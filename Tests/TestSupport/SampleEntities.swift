public import RestEngine

/// Entities with every kind of content, and with details that a cache easily loses.
public enum SampleEntities {
    /// Entities that every cache keeps.
    public static var all: [(name: String, entity: Entity)] {
        contents.map { name, content in
            (name, Entity(content: content, contentType: "application/x-sample", timestamp: 1_000_000))
        } + metadata
    }

    /// An entity that only a cache in this process can keep; other caches refuse it.
    public static var native: Entity {
        Entity(content: .native(Marker(text: "native")), contentType: "x/native", timestamp: 1_000_000)
    }

    private struct Marker: Sendable, Equatable {
        let text: String
    }

    private static var contents: [(String, Content)] {
        let values: Tree = [
            "null": .null, "yes": true, "no": false, "least": Tree(Int64.min), "most": Tree(Int64.max),
            "third": Tree(1.0 / 3), "minus zero": -0.0, "whole": 2.0, "none": [], "nothing": [:] as Tree,
            "": "", "nested": [[["deep"]], ["ключ": "значение"]],
        ]
        let image = Image(bytes: Array("GIF89a".utf8) + [3, 0, 2, 0, 0, 0, 0]).map {
            [("image", Content.image($0))]
        }
        return [
            ("no bytes", .bytes([])), ("bytes", .bytes(Array(0...255))), ("no text", .text("")),
            ("text", .text("zwölf 💣 \u{0} \r\n'\"")), ("json object", .json(values)),
            ("json array", .json([1, "a"])),
            ("json number", .json(5)), ("json null", .json(.null)), ("value", .value(values)),
            ("value of bytes", .value(Tree(bytes: [0xFF, 0x00, 0xC3]))),
            ("value infinite", .value(Tree(Double.infinity))),
            ("boolean value", .value(false)),
        ] + (image ?? [])
    }

    private static var metadata: [(name: String, entity: Entity)] {
        let repeated = Headers([
            ("Content-Type", "text/plain; charset=utf-8"), ("ETag", "\"a\\b\""), ("x-many", "one"),
            ("X-Many", ""),
            ("Set-Cookie", "a=1"), ("X-Many", "ü"), ("Set-Cookie", "b=2"),
        ])
        var charset = Entity(content: .text("a"), headers: repeated, timestamp: 1_700_000_000.123_456_7)
        charset.charset = nil
        var received = Entity(
            response: TransportResponse(status: 201, httpVersion: "HTTP/2", headers: repeated, body: [1]),
            url: "https://api.test/v1/a?b=%C3%BC", timestamp: 2)
        received.content = .text("a")
        var partly = Entity(content: .text("a"), timestamp: 3)
        partly.url = ""
        return [
            ("repeated headers", Entity(content: .text("a"), headers: repeated, timestamp: 0.1)),
            ("no headers", Entity(content: .text("a"), timestamp: 0)),
            (
                "a charset of its own",
                Entity(content: .text("a"), charset: "euc-jp", headers: repeated, timestamp: 1)
            ),
            ("no charset", charset),
            (
                "a charset without type",
                Entity(content: .text("a"), charset: "utf-16", timestamp: 4_102_444_800)
            ),
            ("status, URL and version", received), ("a URL alone", partly),
        ]
    }

    /// All parts of an entity as text. Two entities are equal if their texts are.
    public static func text(of entity: Entity) -> String {
        let content =
            switch entity.content {
            case .bytes(let bytes):
                "\(bytes.count < 1000 ? "\(bytes)" : "\(bytes.count) bytes, hash \(bytes.hashValue)")"
            case .text(let text): "\(Array(text.utf8))"
            case .json(let tree), .value(let tree): "\(tree.encoded)"
            case .image(let image): "\(image.format) \(image.width)x\(image.height) \(image.bytes)"
            case .native(let value): "\(value)"
            }
        let headers = entity.headers.fields.map { "\($0.name): \($0.value)" }
        let charset = entity.charset ?? "no charset"
        let origin = "\(entity.status ?? 0) \(entity.url ?? "no URL") \(entity.httpVersion ?? "no version")"
        return "\(entity.content.kind) \(content) \(headers) \(charset) \(origin) \(entity.timestamp)"
    }
}

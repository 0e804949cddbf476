import Synchronization

/// An entity's content as it goes out of the process: bytes, their type and their tag. Made once for each content.
public final class EncodedContent: Sendable {
    public let contentType: String
    public let body: [UInt8]
    /// A strong entity tag, quotes included.
    public let etag: String
    /// What a face made of it for its own use, a buffer of its network library for example.
    private let rendering = Mutex<(any Sendable)?>(nil)

    /// Trees become JSON, text UTF-8; bytes and images keep their type. Throws when a script's value has no form
    /// in JSON.
    init(_ entity: Entity) throws(RequestError.CauseError) {
        switch entity.content {
        case .bytes(let bytes): (contentType, body) = (entity.contentType, bytes)
        case .image(let image): (contentType, body) = (entity.contentType, image.bytes)
        case .text(let text):
            let media = entity.headers["Content-Type"].map { MediaType($0).essence } ?? "text/plain"
            (contentType, body) = ("\(media); charset=utf-8", Array(text.utf8))
        case .json(let tree), .value(let tree):
            do throws(JSONError) { (contentType, body) = ("application/json", try tree.json()) } catch {
                throw RequestError.CauseError(
                    .scriptError(.init(message: "the content is no JSON: \(error.message)")))
            }
        case .native(let value):
            throw RequestError.CauseError(
                .internal(
                    message: "content of type \(Swift.type(of: value)) has no form outside this program"))
        }
        etag = "\"\(ContentHash.hex(body))\""
    }

    /// The face's rendering, made at the first call.
    public func rendering<Rendering: Sendable>(_ make: () -> Rendering) -> Rendering {
        rendering.withLock { stored in
            if let known = stored as? Rendering { return known }
            let new = make()
            stored = new
            return new
        }
    }
}

/// A 128-bit hash for entity tags: two multiplicative walks over 64-bit words. Not for secrets.
private enum ContentHash {
    static func hex(_ bytes: [UInt8]) -> String {
        var a: UInt64 = 0xCBF2_9CE4_8422_2325
        var b: UInt64 = 0x9E37_79B9_7F4A_7C15
        func mix(_ word: UInt64) {
            a = (a ^ word) &* 0x0000_0100_0000_01B3
            b = (b ^ (word &+ a)) &* 0xFF51_AFD7_ED55_8CCD
            b ^= b >> 32
        }
        bytes.withUnsafeBytes { raw in
            var offset = 0
            while offset + 8 <= raw.count {
                mix(raw.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
                offset += 8
            }
            while offset < raw.count {
                mix(UInt64(raw[offset]))
                offset += 1
            }
        }
        mix(UInt64(bytes.count))
        a = (a ^ (a >> 29)) &* 0xBF58_476D_1CE4_E5B9
        return String(a, radix: 16) + "-" + String(b, radix: 16)
    }
}

import Synchronization

/// An entity's content as it goes out of the process: bytes, their type and their tag. Made once for each content.
public final class EncodedContent: Sendable {
    /// With the charset of a text, which is UTF-8.
    public let contentType: String
    /// The bytes.
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
        etag = "\"\(body.withUnsafeBytes(ContentHash.init).hex)\""
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

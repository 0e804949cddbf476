import Synchronization

/// The content of an entity in the form that leaves the process: bytes, type, tag and status. It is made once
/// for each content.
package final class EncodedContent: Sendable {
    /// The type sent by the API for the API's own bytes; otherwise with the charset of a text, which is
    /// UTF-8.
    package let contentType: String
    /// The bytes that are sent.
    package let body: [UInt8]
    /// A strong entity tag, including quotes. It differs for each status, and for each of the API's own tags.
    package let etag: String
    /// The headers of the response that brought the entity.
    package let headers: Headers
    /// The URL of that response.
    package let url: String?
    /// Whether these are the API's own bytes, of which a client may request a range (RFC 9110 14).
    package let isRaw: Bool
    private let isReadAsJSON: Bool
    /// From 200 to 399; 204 and 205 are without content.
    package let status: Int
    /// An object that the gateway made from the content for its own use, for example a buffer of its network
    /// library.
    private let rendering = Mutex<(any Sendable)?>(nil)

    /// Unchanged content keeps its bytes and its type. Otherwise trees become JSON, and text becomes UTF-8.
    /// Throws if a script's value has no form in JSON.
    package init(_ entity: Entity) throws(RequestError.CauseError) {
        (headers, url) = (entity.headers, entity.url)
        isReadAsJSON = entity.body?.isJSON ?? false
        switch entity.content {
        case .bytes, .image: isRaw = true
        default: isRaw = entity.body != nil
        }
        switch entity.content {
        case _ where entity.body?.bytes != nil:
            (contentType, body) = (entity.contentType, entity.body?.bytes ?? [])
        case .text(let text) where isRaw: (contentType, body) = (entity.contentType, Array(text.utf8))
        case .bytes(let bytes): (contentType, body) = (entity.contentType, bytes)
        case .image(let image): (contentType, body) = (entity.contentType, image.bytes)
        case .text(let text):
            body = Array(text.utf8)
            contentType = "\(Self.media(ofText: body, entity)); charset=utf-8"
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
        status = Self.status(of: entity, isEmpty: body.isEmpty)
        etag = EntityTag.strong(
            body, variant: status == 200 ? nil : "\(status)", madeOf: entity.etag)
    }

    /// Content without an entity.
    package init(
        contentType: String, body: [UInt8], status: Int, headers: Headers = Headers(), isRaw: Bool = false
    ) {
        (self.contentType, self.body, self.status, self.headers) = (contentType, body, status, headers)
        self.isRaw = isRaw
        isReadAsJSON = false
        url = nil
        etag = EntityTag.strong(body, variant: status == 200 ? nil : "\(status)", madeOf: nil)
    }

    deinit {
        if body.count > LargeContent.leastDiscardedSize { LargeContent.discard(body) }
    }

    /// Whether the body is one JSON text.
    package var isJSON: Bool {
        isRaw ? isReadAsJSON : Self.isJSON(MediaType(contentType).essence)
    }

    private static func isJSON(_ media: String) -> Bool {
        ContentTypeFilter(StandardTransformer.json.contentTypes).matches(media)
    }

    /// The server's media type, except that a text which a script made from JSON is not JSON unless it
    /// parses.
    private static func media(ofText text: [UInt8], _ entity: Entity) -> String {
        guard let type = entity.headers["Content-Type"] else { return "text/plain" }
        let media = MediaType(type).essence
        guard isJSON(media) else { return media }
        let first = text.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
        let isDocument = first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
        return isDocument && (try? Tree(json: text)) != nil ? media : "text/plain"
    }

    /// The server's status for a success (D37), or for a redirect that isn't followed, as long as it is true
    /// for this content: the client here sent neither a Range (206, RFC 9110 15.3.7) nor an A-IM (226, RFC
    /// 3229), and a stage may have made content for a status without any.
    private static func status(of entity: Entity, isEmpty: Bool) -> Int {
        switch entity.status {
        case 206?, 226?, nil: 200
        case let status? where !(200...399).contains(status) || status == 304: 200
        case let status? where status == 204 || status == 205: isEmpty ? status : 200
        case let status?: status
        }
    }

    /// Whether it is so large that the gateway's rendering is made before the snapshot is set.
    var isLarge: Bool { body.count > LargeContent.leastPublishedSize }

    /// The gateway's rendering, made at the first call.
    package func rendering<Rendering: Sendable>(_ make: () -> Rendering) -> Rendering {
        rendering.withLock { stored in
            if let known = stored as? Rendering { return known }
            let new = make()
            stored = new
            return new
        }
    }
}

/// The published form of an entity, made where its content was made.
struct PublishedForm: Sendable {
    let content: EncodedContent
    private let entity: Entity

    /// Any thread. Nil if the entity has no form; the code that publishes it reports why.
    init?(of entity: Entity, for answerSnapshot: AnswerSnapshot) {
        guard let content = try? EncodedContent(entity) else { return nil }
        if content.isLarge { answerSnapshot.prepare?(content) }
        (self.content, self.entity) = (content, entity)
    }

    /// False for an entity that has changed since.
    func isOf(_ other: Entity) -> Bool { entity.isSame(as: other) }
}

import NIOCore
import RestEngine

/// A content in the network library's form, made once and shared by all event loops.
struct ContentRendering: Sendable {
    let statusLine: ByteBuffer
    /// The lines of the head that depend on the content alone.
    let fields: ByteBuffer
    let etagField: ByteBuffer
    let body: ByteBuffer

    static func of(_ content: EncodedContent) -> ContentRendering {
        content.rendering { ContentRendering(content) }
    }

    /// The copy of a large body takes long.
    @Sendable static func prepare(_ content: EncodedContent) { _ = of(content) }

    private init(_ content: EncodedContent) {
        body = ByteBuffer(bytes: content.body)
        etagField = ByteBuffer(string: "ETag: \(content.etag)\r\n")
        let type = Self.isPassedOn(content.contentType) ? content.contentType : "application/octet-stream"
        statusLine = ByteBuffer(
            string: "HTTP/1.1 \(content.status) \(StatusPhrase.text(for: content.status))\r\n")
        fields =
            switch content.status {
            // RFC 9110 8.6: it has no content, not even an empty one.
            case 204: ByteBuffer()
            // RFC 9110 15.3.6.
            case 205: ByteBuffer(string: "Content-Length: 0\r\n")
            default:
                ByteBuffer(string: "Content-Type: \(type)\r\nContent-Length: \(content.body.count)\r\n")
            }
    }

    /// The type is the upstream's or a script's word: a line end in it would add fields to the head, other
    /// control characters and bytes that are no ASCII mean nothing there (RFC 9110 8.3.1), and a very long
    /// one fills what clients keep for heads.
    private static func isPassedOn(_ type: String) -> Bool {
        !type.isEmpty && type.utf8.count <= maxTypeBytes
            && type.utf8.allSatisfy { HTTPByte.isFieldValue($0) && $0 < 0x80 }
    }

    private static let maxTypeBytes = 1024
}

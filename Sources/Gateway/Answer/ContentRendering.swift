import NIOCore
import RestEngine

/// A content in the network library's form, made once and shared by all event loops.
struct ContentRendering: Sendable {
    /// The lines of the head that depend on the content alone.
    let fields: ByteBuffer
    let etagField: ByteBuffer
    let body: ByteBuffer

    static func of(_ content: EncodedContent) -> ContentRendering {
        content.rendering { ContentRendering(content) }
    }

    private init(_ content: EncodedContent) {
        body = ByteBuffer(bytes: content.body)
        etagField = ByteBuffer(string: "ETag: \(content.etag)\r\n")
        // The type is the upstream's or a script's word: a line end in it would add fields to the head.
        let isSafe = content.contentType.utf8.allSatisfy(HTTPByte.isFieldValue)
        let type = isSafe ? content.contentType : "application/octet-stream"
        fields = ByteBuffer(string: "Content-Type: \(type)\r\nContent-Length: \(content.body.count)\r\n")
    }
}

/// The fields of a head about the content behind it, or about the content that the client already has (RFC
/// 9110 8). A field that is nil is not sent.
struct ContentFields: Sendable {
    var type: String?
    var length: Int?
    var coding: ContentCoding?
    /// The value of Content-Range.
    var range: String?
    var acceptsRanges = false
    var etag: String?
    var vary: String?

    /// The fields that a 304 has too (RFC 9110 15.4.5).
    var validators: ContentFields { ContentFields(etag: etag, vary: vary) }

    func write(to fields: inout some FieldSection) {
        if let type { fields.add("Content-Type", type) }
        if let length { fields.add("Content-Length", length) }
        if let coding { fields.add("Content-Encoding", coding.rawValue) }
        if let range { fields.add("Content-Range", range) }
        if acceptsRanges { fields.add("Accept-Ranges", "bytes") }
        if let etag { fields.add("ETag", etag) }
        if let vary { fields.add("Vary", vary) }
    }
}

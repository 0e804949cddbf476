import Platform

/// The beginning of a message's body, if the body is text.
struct KeptBody: Sendable {
    /// The bytes that are shown; see docs/reference/limits.md, L362.
    static let shownBytes = 8 << 10
    /// The bytes that are kept. Those behind the shown ones are there for the mask, which would not know a
    /// secret by its beginning alone.
    static let keptBytes = 12 << 10

    private let bytes: [UInt8]
    /// The size of the whole body, if it is known.
    let count: Int?
    let type: String?
    /// The reason why nothing of it can be shown.
    let reason: String?

    /// - Parameters:
    ///   - body: The whole body, or as much of it as there is.
    ///   - count: The size of the whole body.
    init(_ body: [UInt8], count: Int, _ headers: Headers) {
        let type = headers["Content-Type"]
        var reason: String?
        if count == 0 {
            reason = nil
        } else if let coding = headers["Content-Encoding"], coding.lowercased() != "identity" {
            reason = "it is encoded as \(coding), in which no secret can be masked"
        } else if !Self.isText(type) {
            reason = type == nil ? "it has no type" : "its type is not one of text"
        } else if body.isEmpty {
            reason = "it was passed on as it came"
        }
        (self.count, self.type, self.reason) = (count, type, reason)
        bytes = reason == nil ? Array(body.prefix(Self.keptBytes)) : []
    }

    /// - Parameter reason: See ``reason``.
    init(type: String?, reason: String?) {
        (bytes, count, self.type, self.reason) = ([], reason == nil ? 0 : nil, type, reason)
    }

    var heldBytes: Int { bytes.count }

    /// All bytes of the body, masked; nil if they were not kept.
    func whole(_ mask: SecretMask) -> [UInt8]? {
        guard reason == nil, bytes.count == count else { return nil }
        return mask.body(bytes, type)
    }

    /// The beginning with secrets masked, and whether there is more; nil if nothing can be shown.
    func shown(_ mask: SecretMask) -> (text: String, isCut: Bool)? {
        guard reason == nil, !bytes.isEmpty else { return nil }
        // The mask leaves bytes alone that are no UTF-8, so it gets text that is.
        var masked = mask.body(Array(String(decoding: bytes, as: UTF8.self).utf8), type)
        var isCut = bytes.count != count
        if isCut { masked.removeLast(min(masked.count, Self.keptBytes - Self.shownBytes)) }
        if masked.count > Self.shownBytes {
            masked.removeLast(masked.count - Self.shownBytes)
            isCut = true
        }
        var text = String(decoding: masked, as: UTF8.self)
        // The end may be within a character.
        if isCut { while text.last == "\u{FFFD}" { text.removeLast() } }
        return (text, isCut)
    }

    private static func isText(_ type: String?) -> Bool {
        guard let type else { return false }
        let media = MediaType(type)
        if media.isJSON || media.essence.hasPrefix("text/") { return true }
        if ["+xml", "+yaml"].contains(where: media.essence.hasSuffix) { return true }
        guard media.essence.hasPrefix("application/") else { return false }
        return texts.contains(String(media.essence.dropFirst("application/".count)))
    }

    /// Below `application/`.
    private static let texts: Set<String> = [
        "ecmascript", "graphql", "javascript", "json-seq", "jsonl", "jsonlines", "ndjson", "sql", "toml",
        "x-javascript", "x-jsonlines", "x-ndjson", "x-www-form-urlencoded", "x-yaml", "xml", "xml-dtd",
        "yaml",
    ]
}

/// A body by kind; each kind has its content type (siesta-semantics 6).
public enum RequestBody: Sendable {
    case bytes([UInt8])
    /// `charset` is an IANA name.
    case text(String, charset: String)
    /// An object or an array.
    case json(Tree)
    /// Names and values of a form; values may repeat a name.
    case form([(String, String)])

    /// The bytes and their content type: the caller's, if there is one. A text's says its charset (6.4).
    func encode(contentType: String? = nil) throws(RequestError.CauseError) -> (
        bytes: [UInt8], contentType: String
    ) {
        let (bytes, ownType) = try encode()
        guard let contentType else { return (bytes, ownType) }
        guard case .text(_, let charset) = self, MediaType(contentType).charset == nil else {
            return (bytes, contentType)
        }
        return (bytes, "\(contentType); charset=\(charset.lowercased())")
    }

    private func encode() throws(RequestError.CauseError) -> (bytes: [UInt8], contentType: String) {
        switch self {
        case .bytes(let bytes): return (bytes, "application/octet-stream")
        case .text(let text, let charset):
            guard let encoded = TextCharset(charset)?.encode(text) else {
                throw RequestError.CauseError(.unencodableText(encoding: charset, text: text))
            }
            return (encoded, "text/plain; charset=\(charset.lowercased())")
        case .json(let tree):
            guard tree.kind == .object || tree.kind == .array else {
                throw RequestError.CauseError(
                    .invalidJSONObject(message: "a body in JSON is an object or an array, not a \(tree.kind)")
                )
            }
            do throws(JSONError) { return (try tree.json(), "application/json") } catch {
                throw RequestError.CauseError(.invalidJSONObject(message: error.message))
            }
        case .form(let pairs):
            return (Array(FormEncoding.encode(pairs).utf8), "application/x-www-form-urlencoded")
        }
    }
}

internal import RestEngine

/// What may be put on the wire. A request that could be read as another one, or as two, is refused before
/// anything is sent. The engine refuses such requests before, so these are faults of other callers.
enum RequestRules {
    static func checkMethod(_ method: String) throws(TransportError) {
        guard Method.isToken(method) else {
            throw TransportError(.internal, phase: .send, message: "the method is not an HTTP token")
        }
    }

    static func checkURL(_ url: String) throws(TransportError) {
        guard hasScheme("http://", url) || hasScheme("https://", url) else {
            throw TransportError(.invalidURL, message: "the URL does not begin with http:// or https://")
        }
        guard url.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else {
            throw TransportError(.invalidURL, message: "the URL contains a space or a control character")
        }
    }

    static func checkField(_ field: Headers.Field) throws(TransportError) {
        guard Method.isToken(field.name) else {
            throw TransportError(
                .internal, phase: .send, message: "the name of a header is not an HTTP token")
        }
        guard field.value.utf8.allSatisfy({ $0 != 0x0D && $0 != 0x0A && $0 != 0 }) else {
            throw TransportError(
                .internal, phase: .send,
                message: "the value of the header '\(field.name)' contains a line break or a NUL")
        }
    }

    static func isSecure(_ url: String) -> Bool { hasScheme("https://", url) }

    /// `scheme` in lower case.
    private static func hasScheme(_ scheme: String, _ url: String) -> Bool {
        var bytes = url.utf8.makeIterator()
        return scheme.utf8.allSatisfy { expected in
            guard let byte = bytes.next() else { return false }
            return byte == expected || (byte | 0x20 == expected && byte > 0x40)
        }
    }
}

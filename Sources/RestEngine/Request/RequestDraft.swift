/// A request while it is put together; what mutators edit.
public struct RequestDraft: Sendable {
    public var method: String
    public var url: String
    public var headers: Headers
    public var body: [UInt8]?

    public init(method: String, url: String, headers: Headers = Headers(), body: [UInt8]? = nil) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
    }

    /// What can't be sent, said before anything is: a malformed method (D25), a URL that is none, a header that
    /// would break the message apart (RFC 9110 5.5). `known` is a URL that needs no second look.
    func validate(known: URLText) throws(RequestError.CauseError) -> RequestDraft {
        var draft = self
        guard let method = Method.normalized(method) else {
            throw RequestError.CauseError(.invalidRequestMethod(method: method))
        }
        draft.method = method
        guard let target = url == known.string ? known : URLText(url), target.isHTTP else {
            throw RequestError.CauseError(.invalidURL(source: url))
        }
        if let fault = headers.fault {
            throw RequestError.CauseError(.scriptError(.init(message: fault)))
        }
        return draft
    }
}

extension String {
    /// With control characters spelled out, for messages.
    var printable: String {
        unicodeScalars.reduce(into: "") { text, scalar in
            if scalar.value < 0x20 || scalar.value == 0x7F {
                text += "\\x" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16)
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
    }
}

/// A request that a client sent to this program, for the code that answers it.
package struct ServedRequest: Sendable {
    package var method: String
    /// The path as the client sent it, escaped, without the query.
    package var path: String
    /// The values of the names in a route, decoded.
    package var params: [(name: String, value: String)]
    /// Decoded, in order.
    package var query: [(name: String, value: String)]
    package var headers: Headers
    package var body: ServedBody
    package var client: ServedClient
    /// The partition of the resources that it is about; nil: that of everybody (rules 77).
    package var partition: String?
    /// Called when the code reads a fact of this client alone; nil if no other client gets the answer.
    package var onRead: (@EngineActor @Sendable (OwnFact) -> Void)?
    /// Its trace and its ID; nil without a gateway.
    package var origin: RequestOrigin?
    /// Sends 103 with some headers before the answer (RFC 8297); nil if the client takes none.
    package var earlyHints: (@Sendable (Headers) -> Void)?

    /// Facts that may differ between two clients of a path.
    package enum OwnFact: Sendable {
        case client, headers
    }

    package init(
        method: String, path: String, params: [(name: String, value: String)] = [],
        query: [(name: String, value: String)] = [], headers: Headers = Headers(),
        body: ServedBody = .held([]),
        client: ServedClient = ServedClient(), origin: RequestOrigin? = nil
    ) {
        self.origin = origin
        self.method = method
        self.path = path
        self.params = params
        self.query = query
        self.headers = headers
        self.body = body
        self.client = client
    }
}

/// The body of a client's request.
package enum ServedBody: Sendable {
    /// It is in memory; empty without a body.
    case held([UInt8])
    /// It is read as it arrives, because the code asked for that, or because it is too long to be held.
    case arriving(BodyPipe, isTooLong: Bool)

    package var bytesInMemory: [UInt8] {
        if case .held(let bytes) = self { bytes } else { [] }
    }
}

/// The client of a request, as far as it is known.
package struct ServedClient: Sendable {
    /// The name of its token or certificate; nil for a client that showed neither.
    package var name: String?
    /// Nil on a Unix socket.
    package var address: String?
    /// The names in its certificate, the common name first; empty without a certificate.
    package var certificate: [String]

    /// The claims of its token; nil without a token of an issuer.
    package var claims: Tree?

    package init(
        name: String? = nil, address: String? = nil, certificate: [String] = [], claims: Tree? = nil
    ) {
        (self.name, self.address, self.certificate) = (name, address, certificate)
        self.claims = claims
    }
}

/// The head of an answer on its way to a client, for code that may change its headers.
package struct ServedHead: Sendable {
    package let status: Int
    /// All fields but Content-Length and those of the connection.
    package var headers: Headers

    package init(status: Int, headers: Headers) { (self.status, self.headers) = (status, headers) }

    /// The gateway itself sets these fields, which depend on the body and on the connection.
    package static let managed: Set<String> = [
        "connection", "content-length", "date", "keep-alive", "trailer", "transfer-encoding", "upgrade",
        "x-request-id",
    ]
}

/// The answer of code to a client's request.
package enum ServedAnswer: Sendable {
    /// An answer to GET may be kept and shared for some seconds; nil leaves that to the route.
    case content(Entity, expirationSeconds: Double? = nil)
    case stream(ServedStream)
}

/// An answer whose body is made while it is sent.
package struct ServedStream: Sendable {
    package var status: Int
    package var headers: Headers
    /// Begins to write the body. Called once, after the head was handed over. The writer ends the pipe.
    package var begin: @EngineActor @Sendable (BodyPipe) -> Void

    package init(
        status: Int, headers: Headers, begin: @escaping @EngineActor @Sendable (BodyPipe) -> Void
    ) {
        (self.status, self.headers, self.begin) = (status, headers, begin)
    }
}

extension ServedRequest {
    /// The decoded pairs of a query. `+` stays as it is.
    package static func pairs(ofQuery text: some StringProtocol) -> [(name: String, value: String)] {
        pairs(Array(text.utf8))
    }

    /// The fields of a body of type `application/x-www-form-urlencoded`, in which `+` is a blank (URL
    /// Standard 5.1); nil for any other body.
    package var form: [(name: String, value: String)]? {
        guard let type = headers["Content-Type"],
            MediaType(type).essence == "application/x-www-form-urlencoded"
        else { return nil }
        let text = String(decoding: body.bytesInMemory, as: UTF8.self)
        return Self.pairs(text.utf8.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 })
    }

    /// By bytes: a character may consist of a separator and what stands beside it.
    private static func pairs(_ text: [UInt8]) -> [(name: String, value: String)] {
        text.split(separator: UInt8(ascii: "&")).map { piece in
            let equals = UInt8(ascii: "=")
            let pair = piece.split(separator: equals, maxSplits: 1, omittingEmptySubsequences: false).map {
                let text = String(decoding: $0, as: UTF8.self)
                return PercentEncoding.decode(text) ?? text
            }
            return (name: pair[0], value: pair.count > 1 ? pair[1] : "")
        }
    }

    /// The client's cookies (RFC 6265 4.2); of a repeated name the first, which has the longest path.
    package var cookies: [(name: String, value: String)] {
        var cookies: [(name: String, value: String)] = []
        var names: Set<String> = []
        for field in headers.fields where field.name.lowercased() == "cookie" {
            for piece in Array(field.value.utf8).split(separator: UInt8(ascii: ";")) {
                guard let equals = piece.firstIndex(of: UInt8(ascii: "=")) else { continue }
                let name = piece[..<equals].trimmedText
                let value = piece[(equals + 1)...].trimmedText
                if !name.isEmpty, names.insert(name).inserted { cookies.append((name, value)) }
            }
        }
        return cookies
    }
}

extension ArraySlice<UInt8> {
    /// Without blanks at both ends.
    fileprivate var trimmedText: String {
        var text = drop(while: HTTPByte.isBlank)
        while let last = text.last, HTTPByte.isBlank(last) { text.removeLast() }
        return String(decoding: text, as: UTF8.self)
    }
}

/// How libcurl is told a method, with or without a body.
struct RequestShape: Equatable {
    enum Body: Equatable {
        /// Nothing, not even a length.
        case none
        /// `Content-Length: 0`, where a method is expected to have content (RFC 9110 8.6).
        case empty
        /// Copied into the handle; head and body leave in one piece.
        case copied
        /// Read through the callback while it is sent.
        case streamed
    }

    /// Below it a copy costs less than a second write.
    static let copyLimit = 64 << 10

    var method = "GET"
    var body = Body.none

    init() {}

    init(method: String, bodyCount: Int) {
        self.method = method
        switch bodyCount {
        case 0: body = method == "POST" || method == "PUT" || method == "PATCH" ? .empty : .none
        case ...Self.copyLimit: body = .copied
        default: body = .streamed
        }
    }

    var hasBody: Bool { body != .none }
    var isHead: Bool { method == "HEAD" }

    /// Nil where libcurl's own choice is the same.
    var customMethod: String? {
        switch (method, hasBody) {
        case ("GET", false), ("HEAD", _), ("POST", true): nil
        default: method
        }
    }
}

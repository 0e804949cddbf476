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
        /// Put together by libcurl while it is sent, which also says its type.
        case form
    }

    /// Below it a copy costs less than a second write.
    static let copyLimit: Int64 = 64 << 10

    var method = "GET"
    var body = Body.none

    init() {}

    /// `count`: bytes of the body. `isInMemory`: it may be copied.
    init(method: String, count: Int64, isInMemory: Bool) {
        self.method = method
        switch count {
        case 0: body = method == "POST" || method == "PUT" || method == "PATCH" ? .empty : .none
        case ...Self.copyLimit where isInMemory: body = .copied
        default: body = .streamed
        }
    }

    init(formBy method: String) {
        self.method = method
        body = .form
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

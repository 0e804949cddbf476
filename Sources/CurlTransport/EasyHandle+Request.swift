internal import CCurl
internal import RestEngine

/// Options that differ from request to request.
extension EasyHandle {
    /// Sets what differs from the handle's last request; nothing is sent when it throws.
    func prepare(_ request: TransportRequest) throws(TransportError) {
        try setURL(request.url)
        let shape = try setBody(request)
        try setHeaders(request.headers, shape)
        setConnectLimit(request.timeouts)
        setFreshConnection(request)

        maxBodyBytes = request.maxBodyBytes
        isHead = shape.isHead
        account = request.account
        stream = request.receiver.map(BodyStream.init)
        wantsRemoteAddress = request.wantsRemoteAddress
        isSentOnce = !request.mayBeRepeated
        deadlines = TransferDeadlines(
            limits: request.timeouts, start: time.now, awaitsBody: upload?.pipe != nil)
    }

    private func setURL(_ url: String) throws(TransportError) {
        if url != self.url {
            try RequestRules.checkURL(url)
            self.url = ""
            try setOrThrow(CURLOPT_URL, url)
            self.url = url
            // For https only: on a plain connection libcurl would let every request wait for the first
            // response of the first one, to learn that it can't multiplex.
            set(CURLOPT_PIPEWAIT, RequestRules.isSecure(url) ? 1 : 0)
        } else if parsedURL != nil {
            return
        }
        // Of the two libcurl takes this one, and reads the text where there is none.
        let parsed = urls.find(url)
        guard parsed !== parsedURL else { return }
        ccurl_set_pointer(easy, CURLOPT_CURLU, parsed.map { UnsafeMutableRawPointer($0.parts) })
        parsedURL = parsed
    }

    func setShape(_ shape: RequestShape) throws(TransportError) {
        guard shape != self.shape else { return }
        try RequestRules.checkMethod(shape.method)
        guard !(shape.isHead && shape.hasBody) else {
            // libcurl sends none with NOBODY, and without it would await one in the response.
            throw TransportError(.internal, phase: .send, message: "a HEAD request can't have a body")
        }
        try setOrThrow(CURLOPT_CUSTOMREQUEST, shape.customMethod)
        self.shape = shape
        // Each of these options sets the method, POSTFIELDS too, so the order matters. HTTPGET clears NOBODY.
        ccurl_set_pointer(easy, CURLOPT_POSTFIELDS, nil)
        set(CURLOPT_HTTPGET, 1)
        if shape.hasBody, shape.body != .form { set(CURLOPT_POST, 1) }
        if shape.isHead { set(CURLOPT_NOBODY, 1) }
    }

    private func setHeaders(_ headers: Headers, _ shape: RequestShape) throws(TransportError) {
        if let headerList, headerList.isSame(headers, shape.body) { return }
        let list = try HeaderList(headers, shape.body, userAgent: userAgent)
        ccurl_set_list(easy, CURLOPT_HTTPHEADER, list.list)
        headerList = list
    }

    /// On a plain connection libcurl keeps the others meanwhile. Of those that may be HTTP/2 they are chosen
    /// from, or all requests of a connection that broke would open one each.
    private func setFreshConnection(_ request: TransportRequest) {
        wantsFreshConnection = request.wantsFreshConnection
        let isForced = wantsFreshConnection && !(hasHTTP2 && RequestRules.isSecure(url))
        guard isForced != isFreshConnectionForced else { return }
        isFreshConnectionForced = isForced
        set(CURLOPT_FRESH_CONNECT, isForced ? 1 : 0)
    }

    /// libcurl's own limit, besides ours, makes it try the next address of a host in time. It counts the wait
    /// for a slot too, so with caps it is left out.
    private func setConnectLimit(_ timeouts: Timeouts) {
        let isLimited = timeouts.connectSeconds > 0 && !hasConnectionCaps
        let limit = isLimited ? Int((min(timeouts.connectSeconds, 1e6) * 1000).rounded(.up)) : Int(Int32.max)
        guard limit != connectLimit else { return }
        connectLimit = limit
        set(CURLOPT_CONNECTTIMEOUT_MS, limit)
    }
}

/// A method in libcurl's terms, with or without a body.
struct RequestShape: Equatable {
    enum Body: Equatable {
        /// No body, not even a length.
        case none
        /// `Content-Length: 0`, where a method is expected to have content (RFC 9110 8.6).
        case empty
        /// Copied into the handle; head and body leave in one piece.
        case copied
        /// Read through the callback while it is sent.
        case streamed
        /// The same, of an unknown length: in chunks (RFC 9112 7.1), or in frames.
        case chunked
        /// Put together by libcurl while it is sent, which also says its type.
        case form
    }

    /// Below it a copy costs less than a second write.
    static let copyLimit: Int64 = 64 << 10

    var method = "GET"
    var body = Body.none

    init() {}

    /// `count`: bytes of the body; -1 if unknown. `isInMemory`: it may be copied.
    init(method: String, count: Int64, isInMemory: Bool) {
        self.method = method
        switch count {
        case ..<0: body = .chunked
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

/// The rules for the wire. A request that could be read as another one, or as two, is refused before anything
/// is sent. The engine refuses such requests before, so these are faults of other callers.
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

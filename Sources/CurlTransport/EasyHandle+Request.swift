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

        maxBodyBytes = request.maxBodyBytes
        isHead = shape.isHead
        account = request.account
        deadlines = TransferDeadlines(limits: request.timeouts, start: time.now)
    }

    private func setURL(_ url: String) throws(TransportError) {
        guard url != self.url else { return }
        try RequestRules.checkURL(url)
        self.url = ""
        try setOrThrow(CURLOPT_URL, url)
        self.url = url
        // For https only: on a plain connection libcurl would let every request wait for the first response
        // of the first one, to learn that it can't multiplex.
        set(CURLOPT_PIPEWAIT, RequestRules.isSecure(url) ? 1 : 0)
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
        let list = try HeaderList(headers, shape.body)
        ccurl_set_list(easy, CURLOPT_HTTPHEADER, list.list)
        headerList = list
    }

    /// libcurl's own limit, besides ours, makes it try the next address of a host in time. It counts the wait
    /// for a slot too, so with caps it is left out.
    private func setConnectLimit(_ timeouts: Timeouts) {
        let isLimited = timeouts.connect > 0 && !hasConnectionCaps
        let limit = isLimited ? Int((min(timeouts.connect, 1e6) * 1000).rounded(.up)) : Int(Int32.max)
        guard limit != connectLimit else { return }
        connectLimit = limit
        set(CURLOPT_CONNECTTIMEOUT_MS, limit)
    }
}

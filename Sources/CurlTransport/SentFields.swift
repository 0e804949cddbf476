public import RestEngine

extension CurlTransport {
    /// As ``HeaderList`` and libcurl write them, besides the type and length of a form, which depend on a
    /// boundary that libcurl makes.
    public func fields(of request: TransportRequest) -> Headers {
        var fields = request.headers
        fields.remove("Content-Length")
        fields.remove("Transfer-Encoding")
        func add(_ name: String, _ value: String) {
            guard !fields.contains(name), !fields.omitted.contains(name.lowercased()) else { return }
            fields.add(name, value)
        }
        if let url = URLText(request.url), let origin = url.origin, let host = origin.firstRange(of: "://") {
            add("Host", String(origin[host.upperBound...]))
        }
        if let credentials = Self.credentials(request.url) { add("Authorization", "Basic " + credentials) }
        add("User-Agent", options?.userAgent ?? "")
        add("Accept-Encoding", BodyDecoder.codings)
        add("Accept", "*/*")
        addFraming(of: request, to: &fields)
        return fields
    }

    private func addFraming(of request: TransportRequest, to fields: inout Headers) {
        let count: Int64?
        switch request.upload {
        case .multipart?: return
        case .stream(let pipe)?: count = pipe.length ?? -1
        case .file(let path)?: count = (try? UploadReader(file: path))?.count
        case nil: count = Int64(request.body?.count ?? 0)
        }
        guard let count else { return }
        let shape = RequestShape(method: request.method, count: count, isInMemory: false)
        switch shape.body {
        case .none, .form: return
        case .chunked: fields.add("Transfer-Encoding", "chunked")
        case .empty, .copied, .streamed: fields.add("Content-Length", "\(count)")
        }
    }

    /// User and password of a URL, encoded for the scheme Basic; nil without them.
    private static func credentials(_ url: String) -> String? {
        guard let scheme = url.firstRange(of: "://") else { return nil }
        let authority = url[scheme.upperBound...].prefix { !"/?#".contains($0) }
        guard let end = authority.lastIndex(of: "@") else { return nil }
        let parts = authority[..<end].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let decoded = parts.map { PercentEncoding.decode(String($0)) ?? String($0) }
        return Base64.encode(Array("\(decoded[0]):\(decoded.count > 1 ? decoded[1] : "")".utf8))
    }
}

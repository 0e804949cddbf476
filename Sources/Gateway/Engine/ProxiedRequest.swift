import RestEngine

/// A request of a client for something else than a resource's content, on its way to the API.
struct ProxiedRequest: Sendable {
    let method: String
    let path: ResourcePath
    /// Nil for none.
    var body: RequestBody?
    var contentType: String?
    /// Those of the client's that go along.
    var headers: [(name: String, value: String)]
    /// The If-Range of the client, where the API gets another tag.
    private(set) var namedRange: String?
    /// All of the client's.
    var fields = RequestFields.none
    /// What it is part of, where requests are traced.
    var trace: TraceContext?

    /// By which a body goes along as it comes.
    var pipe: BodyPipe? {
        if case .stream(let pipe) = body { pipe } else { nil }
    }

    var isRead: Bool { method == "GET" || method == "HEAD" }

    var options: RequestOptions {
        // Of a request that begins an upload it is the type of what will come.
        var options = RequestOptions(body: body, contentType: body == nil && isRead ? nil : contentType)
        for field in headers where body == nil || field.name.lowercased() != "content-type" {
            options.headers.add(field.name, field.value)
        }
        // A part of what is encoded is nothing that can be decoded.
        if wantsPart { options.headers.set("Accept-Encoding", "identity") }
        // Of no content a pipeline can make anything.
        options.usesPipeline = method != "HEAD"
        return options
    }
}

extension ProxiedRequest {
    /// What has to be true before anything is done (RFC 9110 13.1, rule 50.11). A date of If-Modified-Since
    /// says nothing of what is no read (13.1.3).
    static let conditions: Set<String> = ["if-match", "if-none-match", "if-unmodified-since"]
    /// What a body is, beside its type: without it the API would take the bytes for others (rule 50.13).
    static let bodyFields: Set<String> = ["content-encoding", "content-range"]

    /// The API gets its own tags in place of those that the gateway made of them (rule 50.12).
    mutating func translateTags() throws(Problem) {
        for index in headers.indices {
            let value = headers[index].value
            switch headers[index].name.lowercased() {
            case "if-match":
                let tags = EntityTag.members(of: value)
                let known = tags.filter { EntityTag.source(of: $0) != .nothing }
                guard !known.isEmpty || tags.isEmpty else { throw .unknownState }
                headers[index].value = known.map(Self.tagOfAPI).joined(separator: ", ")
            case "if-none-match":
                headers[index].value = EntityTag.members(of: value).map(Self.tagOfAPI).joined(separator: ", ")
            case "if-range":
                headers[index].value = Self.tagOfAPI(value)
                if headers[index].value != value { namedRange = value }
            default: break
            }
        }
    }

    static func tagOfAPI(_ tag: String) -> String { EntityTag.source(of: tag)?.etag ?? tag }

    /// A part is wanted, which the API is to find.
    fileprivate var wantsPart: Bool {
        method == "GET" && headers.contains { $0.name.lowercased() == "range" }
    }

    /// What the API says of this one exchange: it belongs to whoever asked, whatever is kept of the API's
    /// headers (rule 50.14).
    func ownFields(of headers: Headers, _ status: Int) -> [(String, String)] {
        var fields: [(String, String)] = []
        func add(_ name: String, _ values: [String]) {
            for value in values where value.utf8.allSatisfy({ HTTPByte.isFieldValue($0) }) {
                fields.append((name, value))
            }
        }
        if method != "GET" || status == 206 {
            add("ETag", headers["ETag"].map { [status == 206 ? namedRange ?? $0 : $0] } ?? [])
        }
        let isPart = status == 206 || status == 416
        if isPart { add("Content-Range", headers.values("Content-Range")) }
        // With a whole answer the gateway makes the part itself, and says so.
        if isPart || method == "HEAD" { add("Accept-Ranges", headers.values("Accept-Ranges")) }
        if status == 401 { add("WWW-Authenticate", headers.values("WWW-Authenticate")) }
        return fields
    }
}

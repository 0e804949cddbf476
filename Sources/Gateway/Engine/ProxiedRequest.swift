import RestEngine

/// A client's request to the API for another purpose than a resource's content.
struct ProxiedRequest: Sendable {
    let method: String
    let path: ResourcePath
    /// Nil if the request has no body.
    var body: RequestBody?
    var contentType: String?
    /// The client's headers that go to the API.
    var headers: [(name: String, value: String)]
    /// The client's If-Range, if the API gets another tag.
    private(set) var namedRange: String?
    /// All fields of the client's request.
    var fields = RequestFields.none
    /// The client's request.
    var origin: RequestOrigin?

    /// The pipe of a body that is forwarded as it arrives.
    var pipe: BodyPipe? {
        if case .stream(let pipe) = body { pipe } else { nil }
    }

    var isRead: Bool { method == "GET" || method == "HEAD" }

    var options: RequestOptions {
        // A request without content that begins an upload may have a type, which describes the later content.
        var options = RequestOptions(body: body, contentType: body == nil && isRead ? nil : contentType)
        for field in headers where body == nil || field.name.lowercased() != "content-type" {
            options.headers.add(field.name, field.value)
        }
        // A part of encoded content can't be decoded.
        if wantsPart { options.headers.set("Accept-Encoding", "identity") }
        // An answer to HEAD has no content for a pipeline.
        options.usesPipeline = method != "HEAD"
        return options
    }
}

extension ProxiedRequest {
    /// Preconditions of requests that change a resource (RFC 9110 13.1, rule 50.11). If-Modified-Since only
    /// applies to reads (13.1.3).
    static let conditions: Set<String> = ["if-match", "if-none-match", "if-unmodified-since"]
    /// Fields that describe a body besides its type. Without them the API would misread the bytes (rule
    /// 50.13).
    static let bodyFields: Set<String> = ["content-encoding", "content-range"]

    /// Replaces the gateway's tags by the API's own (rule 50.12).
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

    /// The client wants a range, which the API selects.
    fileprivate var wantsPart: Bool {
        method == "GET" && headers.contains { $0.name.lowercased() == "range" }
    }

    /// The API's headers that belong to this exchange only. The client gets them whatever other headers the
    /// gateway keeps (rule 50.14).
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
        // From a whole answer the gateway makes the part itself, and sets Accept-Ranges itself.
        if isPart || method == "HEAD" { add("Accept-Ranges", headers.values("Accept-Ranges")) }
        if status == 401 { add("WWW-Authenticate", headers.values("WWW-Authenticate")) }
        return fields
    }
}

import RestEngine

/// An answer, and how long it is held back.
struct FixtureResponse: Sendable, Equatable {
    var status: Int
    var headers = Headers()
    var body: [UInt8] = []
    /// Seconds.
    var delay = 0.0

    init(_ status: Int, headers: [(String, String)] = []) {
        self.status = status
        self.headers = Headers(headers)
    }

    init(_ status: Int, json: Tree, headers: [(String, String)] = []) {
        self.init(status, headers: [("Content-Type", FileContentType.json)] + headers)
        body = json.jsonBytes
    }

    /// An error as `{"message": …}`; without a text, the status' own phrase.
    static func message(
        _ status: Int, _ text: String? = nil, headers: [(String, String)] = [],
        details: [(String, Tree)] = []
    ) -> FixtureResponse {
        let message = ("message", Tree(text ?? phrase(status)))
        return FixtureResponse(status, json: Tree(pairs: [message] + details), headers: headers)
    }

    static func phrase(_ status: Int) -> String { StatusPhrase.known(status) ?? "Status \(status)" }

    /// RFC 9110 6.4.1.
    var hasNoContent: Bool { status == 204 || status == 304 }
}

/// A request that is answered with an error.
struct FixtureRefusal: Error, Equatable {
    let response: FixtureResponse

    init(
        _ status: Int, _ text: String? = nil, headers: [(String, String)] = [],
        details: [(String, Tree)] = []
    ) {
        response = .message(status, text, headers: headers, details: details)
    }

    static var notFound: FixtureRefusal { FixtureRefusal(404) }

    static func notAllowed(_ methods: [String]) -> FixtureRefusal {
        FixtureRefusal(405, headers: [("Allow", methods.joined(separator: ", "))])
    }

    static func malformed(_ error: JSONError) -> FixtureRefusal {
        FixtureRefusal(
            400, "Problems parsing JSON",
            details: [("offset", Tree(error.offset))])
    }
}

/// The validators by which a client may ask "still the same?" (RFC 9110 8.8 and 13.1).
struct FixtureValidators {
    let etag: String
    let lastModified: String

    init(_ bytes: [UInt8], modified: Int) {
        etag = EntityTag.strong(bytes)
        lastModified = HTTPDate.text(unixSeconds: modified)
    }

    /// True when the client has it. If-Modified-Since counts only without If-None-Match, and by equality.
    func isCurrent(_ headers: Headers) -> Bool {
        guard let tags = headers["If-None-Match"] else { return headers["If-Modified-Since"] == lastModified }
        return EntityTag.list(tags, contains: etag)
    }
}

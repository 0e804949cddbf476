import Gateway
import NIOHTTP1
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
        self.init(status, headers: [("Content-Type", FixtureContentType.json)] + headers)
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

    static func phrase(_ status: Int) -> String {
        let known = HTTPResponseStatus(statusCode: status)
        if case .custom = known { return "Status \(status)" }
        return known.reasonPhrase
    }

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

/// What a client may ask "still the same?" with (RFC 9110 8.8 and 13.1).
struct FixtureValidators {
    let etag: String
    let lastModified: String

    init(_ bytes: [UInt8], modified: Int) {
        etag = Self.etag(of: bytes)
        lastModified = HTTPDate.text(unixSeconds: modified)
    }

    /// The content's FNV-1a hash and its length.
    static func etag(of bytes: [UInt8]) -> String {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return "\"" + FixtureHex.text(of: hash) + "-\(bytes.count)\""
    }

    /// True when the client has it. If-Modified-Since counts only without If-None-Match, and by equality.
    func isCurrent(_ headers: Headers) -> Bool {
        guard let tags = headers["If-None-Match"] else { return headers["If-Modified-Since"] == lastModified }
        return tags.split(separator: ",").contains { part in
            var tag = part.drop(while: \.isWhitespace)
            while tag.last?.isWhitespace == true { tag.removeLast() }
            if tag.hasPrefix("W/") { tag.removeFirst(2) }
            return tag == "*" || tag == etag
        }
    }
}

/// Bytes as pairs of hexadecimal digits.
enum FixtureHex {
    static func text(of bytes: some Sequence<UInt8>) -> String {
        let digits = Array("0123456789abcdef".utf8)
        let pairs = bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        return String(decoding: pairs, as: UTF8.self)
    }

    static func text(of number: UInt64) -> String {
        text(of: stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> UInt64($0)) })
    }
}

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

import TestSupport

@testable import RestEngine

/// A server that answers at random as some circumstances ask for, and correctly when it is healthy. It counts
/// its messages.
@EngineActor
final class CircumstanceServer {
    /// From now on it answers each request successfully.
    var isWell = false
    /// The number of messages for each request, by the number in its path.
    private(set) var messages: [Int: Int] = [:]
    /// Called for each message, with the number of its request.
    var onMessage: (@EngineActor (Int) -> Void)?

    /// The body of each success.
    static let body: [UInt8] = (0..<40_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }

    private let circumstances: Set<Circumstance>
    private var random: SeededRandom

    init(_ circumstances: Set<Circumstance>, seed: UInt64) {
        self.circumstances = circumstances
        random = SeededRandom(seed: seed)
    }

    /// The number in `https://api.test/v1/r/7`, or in the URL of its redirect.
    static func number(in url: String) -> Int? {
        let parts = url.split(separator: "/")
        guard let place = parts.firstIndex(of: "r"), place + 1 < parts.count else { return nil }
        return Int(parts[place + 1])
    }

    func answer(_ request: TransportRequest) -> StubReply {
        let number = Self.number(in: request.url) ?? -1
        messages[number, default: 0] += 1
        onMessage?(number)
        if isWell { return success(request) }
        var replies = [success(request), success(request)]
        for circumstance in circumstances { replies += bad(circumstance, request, number) }
        var reply = replies[random.int(below: replies.count)]
        let delays = circumstances.contains(.deadline) ? [0, 0.3, 1, 3] : [0, 0, 0.1, 0.6]
        reply.delaySeconds = delays[random.int(below: delays.count)]
        // A transport ends requests that exceed their time.
        let total = request.timeouts.totalSeconds
        if total > 0, reply.delaySeconds >= total {
            return .error(
                TransportError(.timeout, phase: .total, message: "it took too long"),
                delay: Duration(inSeconds: total))
        }
        return reply
    }

    private func success(_ request: TransportRequest) -> StubReply {
        var headers: Headers = [
            "Content-Type": "application/octet-stream", "Content-Length": "\(Self.body.count)",
            "ETag": "\"1\"",
        ]
        guard request.headers["If-Range"] == "\"1\"", let range = request.headers["Range"],
            let start = Int(range.dropFirst(6).prefix { $0.isNumber })
        else { return .response(200, headers: headers, body: Self.body) }
        headers.set("Content-Length", "\(Self.body.count - start)")
        headers.set("Content-Range", "bytes \(start)-\(Self.body.count - 1)/\(Self.body.count)")
        return .response(206, headers: headers, body: Array(Self.body[start...]))
    }

    private func bad(_ circumstance: Circumstance, _ request: TransportRequest, _ number: Int) -> [StubReply]
    {
        let refused = TransportError(.connectionFailed, phase: .connect, message: "refused")
        switch circumstance {
        case .redirect:
            let status = [301, 302, 303, 307, 308][random.int(below: 5)]
            let target = ["https://api.test/v1/r/\(number)/next", "https://other.test/r/\(number)"][
                random.int(below: 2)]
            let reply = StubReply.response(status, headers: ["Location": target])
            return [reply, reply]
        case .retry:
            let stale = TransportError(
                .connectionFailed, phase: .firstByte, message: "it broke", isStaleConnection: true)
            return [.text(503, "busy"), .error(refused), .error(stale)]
        case .refresh: return [.text(401, "who?"), .text(401, "who?")]
        case .challenge:
            guard !request.headers.contains("Authorization") else { return [.text(401, "no")] }
            let field = "Digest realm=\"r\", qop=\"auth\", nonce=\"n\(random.int(below: 100))\""
            let reply = StubReply.response(401, headers: ["WWW-Authenticate": field])
            return [reply, reply]
        case .breaker: return [.text(500, "broken"), .text(502, "broken"), .error(refused)]
        case .rate: return [.response(429, headers: ["Retry-After": "1"])]
        case .shortage:
            return [
                .error(
                    TransportError(
                        .connectionFailed, phase: .connect, message: "too many open files", isShortage: true))
            ]
        case .streamedBody, .download: return [cut(request), cut(request)]
        case .concurrency, .deadline, .cancellation, .streamedUpload, .reload, .offline: return []
        }
    }

    /// A success whose connection is cut in the middle of its body.
    private func cut(_ request: TransportRequest) -> StubReply {
        var reply = success(request)
        guard case .success(var response) = reply.result else { return reply }
        response.body = Array(response.body.prefix(random.int(below: response.body.count + 1)))
        reply.result = .success(response)
        reply.ending = .failure(TransportError(.connectionFailed, phase: .receive, message: "cut"))
        return reply
    }
}

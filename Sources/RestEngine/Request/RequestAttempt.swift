/// One message that a request sent to a server, and what came of it (rules 40).
///
/// A request without trouble has one. Retries, redirects and answers to challenges have one each.
public struct RequestAttempt: Sendable {
    /// What became of it.
    public enum Outcome: Sendable {
        case status(Int)
        case failure(TransportError)
    }

    /// Why it was sent, when it was not the first.
    public enum Reason: Sendable, Equatable {
        /// The attempt before it was answered with this status.
        case status(Int)
        /// The attempt before it had no answer; a cause's name, `timeout` for example.
        case failure(String)
        case redirect(Int)
        /// The server asked for credentials.
        case challenge
    }

    /// Which attempt of the request it belongs to, from 1: a redirect and the answer to a challenge belong to
    /// the attempt that led to them. Repeats of a request count on.
    public var number: Int
    /// As it was sent, after redirects.
    public var method: String
    /// Where it was sent.
    public var url: String
    /// Nil for the first.
    public var reason: Reason?
    /// When it was sent, in Unix seconds.
    public var began: Double
    /// Seconds that the request rested before it, because the attempt before it had failed.
    public var waited: Double = 0
    /// Seconds in the queue of a limit.
    public var queued: Double = 0
    /// A status, or why there was none.
    public var outcome: Outcome
    /// Where the time went; of an attempt without an answer, the total alone.
    public var timings: TransferTimings
    /// `1.1`, `2`, …; nil without an answer.
    public var httpVersion: String?
    /// `address:port` of the server, or of the proxy; nil where nobody asked for it.
    public var remoteAddress: String?

    public init(
        number: Int = 1, method: String, url: String, reason: Reason? = nil, began: Double, outcome: Outcome,
        timings: TransferTimings = TransferTimings(), httpVersion: String? = nil,
        remoteAddress: String? = nil
    ) {
        self.number = number
        self.method = method
        self.url = url
        self.reason = reason
        self.began = began
        self.outcome = outcome
        self.timings = timings
        self.httpVersion = httpVersion
        self.remoteAddress = remoteAddress
    }

    /// Of the answer; nil when there was none.
    public var status: Int? { if case .status(let status) = outcome { status } else { nil } }

    /// Why there was no answer; nil when there was one.
    public var error: TransportError? { if case .failure(let error) = outcome { error } else { nil } }
}

extension RequestAttempt.Reason: CustomStringConvertible {
    /// In a word or two, for logs and scripts: `503`, `timeout`, `redirect`.
    public var description: String {
        switch self {
        case .status(let status): "\(status)"
        case .failure(let name): name
        case .redirect: "redirect"
        case .challenge: "challenge"
        }
    }
}

extension RequestAttempt: CustomStringConvertible {
    /// One line, without the URL's secrets: `2. GET https://… after 0.4 s because of 503: 200 in 12 ms`.
    public var description: String {
        var text = "\(number). \(method) \(SecretMask.standard.url(url))"
        if waited > 0 { text += " after \(Self.seconds(waited))" }
        if queued > 0 { text += ", \(Self.seconds(queued)) in the queue" }
        if let reason { text += " because of \(reason)" }
        let milliseconds = "\(Int((timings.total * 1000).rounded())) ms"
        return switch outcome {
        case .status(let status): "\(text): \(status) in \(milliseconds)"
        case .failure(let error): "\(text): \(error.code.rawValue) in \(milliseconds)"
        }
    }

    private static func seconds(_ value: Double) -> String { "\((value * 1000).rounded() / 1000) s" }
}

/// The attempts that an error carries, and which of them failed.
final class AttemptList: Sendable {
    let number: Int
    let records: [RequestAttempt]

    init(number: Int, records: [RequestAttempt]) {
        self.number = number
        self.records = records
    }
}

extension Exchange {
    /// The attempt that ended with this answer.
    func attempt(_ number: Int) -> RequestAttempt {
        RequestAttempt(
            number: number, method: method, url: url, began: began, outcome: .status(status),
            timings: timings, httpVersion: Entity.number(ofVersion: httpVersion), remoteAddress: remoteAddress
        )
    }
}

/// One message that a request sent to a server, and its result (rules 40).
///
/// An undisturbed request has one. Retries, redirects and answers to challenges add one each.
public struct RequestAttempt: Sendable {
    /// The result of the message.
    public enum Outcome: Sendable {
        /// The server answered with this status.
        case status(Int)
        /// There was no answer.
        case failure(TransportError)
    }

    /// The reason why it was sent, if it was not the first.
    public enum Reason: Sendable, Equatable {
        /// The attempt before it got this status.
        case status(Int)
        /// The attempt before it had no answer; the name of a cause, for example `timeout`.
        case failure(String)
        /// The attempt before it was redirected with this status.
        case redirect(Int)
        /// The server requested credentials.
        case challenge
    }

    /// The number of the attempt within the request, from 1: a redirect and the answer to a challenge belong
    /// to the attempt that caused them. Repeats of a request continue the count.
    public var number: Int
    /// The method as it was sent, after redirects.
    public var method: String
    /// The URL that it was sent to.
    public var url: String
    /// Nil for the first message.
    public var reason: Reason?
    /// When it was sent, in Unix seconds.
    public var began: Double
    package var waitedSeconds = 0.0
    package var queuedSeconds = 0.0
    /// The time that the request waited before it, because the attempt before had failed.
    public var waited: Duration { Duration(inSeconds: waitedSeconds) }
    /// The time in the queue of a limit.
    public var queued: Duration { Duration(inSeconds: queuedSeconds) }
    /// A status, or the reason why there was none.
    public var outcome: Outcome
    /// The times of the phases; without an answer only the total.
    public var timings: TransferTimings
    /// `1.1`, `2`, …; nil without an answer.
    public var httpVersion: String?
    /// `address:port` of the server, or of the proxy; nil if it was not requested.
    public var remoteAddress: String?

    package init(
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

    /// The status of the answer; nil without one.
    public var status: Int? { if case .status(let status) = outcome { status } else { nil } }

    /// The reason why there was no answer; nil if there was one.
    public var error: TransportError? { if case .failure(let error) = outcome { error } else { nil } }
}

extension RequestAttempt.Reason: CustomStringConvertible {
    /// The reason in one or two words, for logs and scripts: `503`, `timeout`, `redirect`.
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
    /// One line, with secrets of the URL masked: `2. GET https://… after 0.4 s because of 503: 200 in 12 ms`.
    public var description: String {
        var text = "\(number). \(method) \(SecretMask.standard.url(url))"
        if waitedSeconds > 0 { text += " after \(Self.seconds(waitedSeconds))" }
        if queuedSeconds > 0 { text += ", \(Self.seconds(queuedSeconds)) in the queue" }
        if let reason { text += " because of \(reason)" }
        let milliseconds = "\(Int((timings.totalSeconds * 1000).rounded())) ms"
        return switch outcome {
        case .status(let status): "\(text): \(StatusPhrase.line(status)) in \(milliseconds)"
        case .failure(let error): "\(text): \(error.code.rawValue) in \(milliseconds)"
        }
    }

    private static func seconds(_ value: Double) -> String { "\((value * 1000).rounded() / 1000) s" }
}

/// The attempts that an error contains, with the one that failed.
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

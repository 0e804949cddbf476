import Testing

/// A circumstance that a request can meet between its start and its end.
enum Circumstance: String, CaseIterable, CustomTestStringConvertible {
    /// The server redirects the request, to its own origin or another.
    case redirect
    /// Answers of 503 and broken connections, with a retry policy.
    case retry
    /// Answers of 401 that cause a token refresh.
    case refresh
    /// Answers of 401 with a challenge of Digest.
    case challenge
    /// Answers of 500 and broken connections, with a circuit breaker.
    case breaker
    /// The host's own rate limit, and answers of 429.
    case rate
    /// A limit of concurrent requests.
    case concurrency
    /// A total timeout that many requests exceed.
    case deadline
    case cancellation
    /// A body that is written while it is sent.
    case streamedUpload
    /// A receiver that gets the body as it arrives, over connections that are cut.
    case streamedBody
    /// A file that gets the body, over connections that are cut.
    case download
    /// The configuration is declared again, with other limits.
    case reload
    case offline
    /// The process lacks descriptors.
    case shortage

    var testDescription: String { rawValue }

    /// All pairs.
    static let pairs: [CircumstancePair] = allCases.enumerated().flatMap { place, one in
        allCases[(place + 1)...].map { CircumstancePair(one: one, other: $0) }
    }
}

struct CircumstancePair: CustomTestStringConvertible {
    let one: Circumstance
    let other: Circumstance

    var testDescription: String { "\(one) and \(other)" }
}

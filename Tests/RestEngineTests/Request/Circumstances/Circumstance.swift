import Testing

/// Something that a request can meet between its start and its end.
enum Circumstance: String, CaseIterable, CustomTestStringConvertible {
    /// The server sends the request elsewhere, to its own origin or another.
    case redirect
    /// Answers of 503 and broken connections, with a policy of retries.
    case retry
    /// Answers of 401, which a token refresh follows.
    case refresh
    /// Answers of 401 with a challenge of Digest.
    case challenge
    /// Answers of 500 and broken connections, with a circuit breaker.
    case breaker
    /// A rate limit of the host's own, and answers of 429.
    case rate
    /// A limit of requests at once.
    case concurrency
    /// A total time that many requests don't keep.
    case deadline
    case cancellation
    /// A body that is written while it is sent.
    case streamedUpload
    /// A receiver that gets the body as it comes, from connections that are cut.
    case streamedBody
    /// A file that gets the body, from connections that are cut.
    case download
    /// The configuration is declared anew, with other limits.
    case reload
    case offline
    /// The process lacks descriptors.
    case shortage

    var testDescription: String { rawValue }

    /// Every two of them.
    static let pairs: [CircumstancePair] = allCases.enumerated().flatMap { place, one in
        allCases[(place + 1)...].map { CircumstancePair(one: one, other: $0) }
    }
}

struct CircumstancePair: CustomTestStringConvertible {
    let one: Circumstance
    let other: Circumstance

    var testDescription: String { "\(one) and \(other)" }
}

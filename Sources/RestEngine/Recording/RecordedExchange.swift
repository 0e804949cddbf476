import Platform

/// A request and its answer, from a recording (rules 48, 49).
package struct RecordedExchange: Sendable {
    /// The body of the request, as far as it is known.
    enum RequestBody: Sendable {
        /// The recording doesn't contain the body: a form with files, for example.
        case unknown
        case bytes([UInt8], type: String?)
        /// A body that was left out, because no secret in it can be masked: ``CredentialDigests/whole(_:)``.
        case digest(String)
        /// A form, as in HAR.
        case params([RecordedParam])
    }

    /// The recorded answer.
    enum Answer: Sendable {
        case response(TransportResponse)
        /// The beginning of an answer whose body was delivered elsewhere as it arrived: until it was cut, or
        /// until it was no longer wanted; no more follows then.
        case interrupted(TransportResponse, StubReply.Ending)
        case failure(TransportError)
        /// The recording lacks parts of the answer; the text says which.
        case unusable(String)
    }

    /// Its number in the recording, from 1.
    package let number: Int
    let method: String
    /// Masked, without a fragment.
    let url: String
    let body: RequestBody
    /// The header fields of the request by which a server selects its answer.
    let range: String?
    let accept: String?
    /// The digests of the request's credentials, and how to compute those of another request.
    let credentials: Set<String>
    let digests: CredentialDigests
    let answer: Answer

    /// The server confirmed the client's copy.
    var isNotModified: Bool {
        if case .response(let response) = answer { response.status == 304 } else { false }
    }

    /// The value of `_error` for a request that was cancelled.
    static let cancelled = "request_cancelled"

    /// For messages: `entry 3, GET https://…`.
    package var description: String { "entry \(number), \(method) \(url)" }
}

/// A fault in a recording, and its location.
package struct RecordingError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The path of the recording.
    package let path: String
    /// From 1; nil if the fault concerns the whole file.
    package let entry: Int?
    package let message: String

    package init(path: String, entry: Int? = nil, _ message: String) {
        self.path = path
        self.entry = entry
        self.message = message
    }

    package var description: String {
        "\(path): " + (entry.map { "entry \($0): " } ?? "") + message
    }
}

/// The parts of a request that must match for a recorded answer to be used (rule 49.2).
package enum RecordingMatch: String, Sendable, CaseIterable {
    case method, url, body
}

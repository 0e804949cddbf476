import Platform

/// A request and its answer, as a recording has them (rules 48, 49).
package struct RecordedExchange: Sendable {
    /// The body of the request, as far as it is known.
    enum RequestBody: Sendable {
        /// The recording doesn't say: a form with files, for example.
        case unknown
        case bytes([UInt8], type: String?)
        /// A form, in the words of HAR.
        case params([RecordedParam])
    }

    /// What was answered.
    enum Answer: Sendable {
        case response(TransportResponse)
        /// The beginning of one, whose body went where it was wanted as it came: until it was cut, or until
        /// nobody wanted more, and then nothing follows.
        case interrupted(TransportResponse, StubReply.Ending)
        case failure(TransportError)
        /// The recording has too little of it; why.
        case unusable(String)
    }

    /// Its place in the recording, from 1.
    package let number: Int
    let method: String
    /// Masked, without a fragment.
    let url: String
    let body: RequestBody
    /// The fields by which a server chooses what it answers, where the request had them.
    let range: String?
    let accept: String?
    /// What tells its credentials from others, and how that is found of a request.
    let credentials: Set<String>
    let digests: CredentialDigests
    let answer: Answer

    /// The `_error` of a request that was cancelled.
    static let cancelled = "request_cancelled"

    /// For messages: `entry 3, GET https://…`.
    package var description: String { "entry \(number), \(method) \(url)" }
}

/// What is wrong with a recording, and where.
package struct RecordingError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The path of the recording.
    package let path: String
    /// From 1; nil for what concerns the whole file.
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

/// What must be the same for a recorded answer to be given (rule 49.2).
package enum RecordingMatch: String, Sendable, CaseIterable {
    case method, url, body
}

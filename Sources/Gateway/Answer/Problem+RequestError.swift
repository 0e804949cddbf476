import RestEngine

extension Problem {
    /// The failure of a read of the resource at `path`.
    init(_ error: RequestError, reading path: ResourcePath) {
        // The sentence of the log, without the parts that are members of the problem.
        var sentence = error
        sentence.url = nil
        sentence.attempt = 1
        // The API's own words are the reason.
        if error.cause == nil { sentence.entity = nil }
        if case .transport(var failure)? = error.cause {
            failure.peer = nil
            sentence.cause = .transport(failure)
        }
        var detail = "\(sentence)"
        switch error.cause {
        // The details of these errors quote texts of the configuration, secrets included, and paths of this
        // machine.
        case .invalidURL, .notURLEncodable, .unencodableText, .unreadableFile, .invalidHeader:
            detail = error.userMessage
        case .custom(let type, _) where Self.quoting.contains(type): detail = error.userMessage
        default: break
        }
        self.init(Self.status(of: error), error.code, detail)
        reason = error.cause == nil ? error.sentenceOfServer : nil
        url = error.url.flatMap(path.visible)
        attempt = error.attempt
        if status == 503 { fields.set("Retry-After", "1") }
        if let headers = error.entity?.headers { takeFields(headers, at: error.timestamp) }
        if case .transport(let failure)? = error.cause, let time = failure.retryAt {
            fields.set(
                "Retry-After", "\(Int(min(max(1, (time - error.timestamp).rounded(.up)), 86_400)))")
        }
    }

    /// Takes the fields that belong to the status of an API's failure, and the time of the next attempt.
    private mutating func takeFields(_ headers: Headers, at time: Double) {
        // RFC 9110 11.6.1, 15.5.6, 15.5.17.
        if let name = [401: "WWW-Authenticate", 405: "Allow", 416: "Content-Range"][status] {
            for value in headers.values(name) where value.utf8.allSatisfy(HTTPByte.isFieldValue) {
                fields.add(name, value)
            }
        }
        if let value = headers["Retry-After"], let wait = RetryAfter(value, now: time).wait(cap: 86_400) {
            fields.set("Retry-After", "\(Int(max(0, wait).rounded(.up)))")
        }
    }

    /// The names of the same causes, for errors that a script makes with them.
    private static let quoting: Set<String> = [
        "invalid_url", "not_url_encodable", "unencodable_text", "internal",
    ]

    /// The upstream's status if it reported an error; otherwise a status by the cause.
    private static func status(of error: RequestError) -> Int {
        if let status = error.httpStatusCode, 400...599 ~= status { return status }
        switch error.cause {
        // The server's answer leads to an address that can't be followed.
        case .transport(let failure) where failure.code == .invalidURL && error.httpStatusCode != nil:
            return 502
        case .transport(let failure) where failure.isShortage: return 503
        case .transport(let failure):
            return switch failure.code {
            case .timeout: 504
            case .queueFull, .rateLimited, .offline: 503
            case .internal, .invalidURL: 500
            case .connectionFailed, .dnsFailed, .tlsFailed, .tooLarge, .tooManyRedirects, .decodingFailed,
                .circuitOpen:
                502
            }
        case .requestCancelled: return 503
        case .noLocalDataFor304, .invalidTextEncoding, .undecodableText, .jsonNotObjectOrArray,
            .malformedJSON, .malformedContent,
            .unparsableImage, .schemaMismatch, .undecodableContent, .tooManyRedirects, nil:
            return 502
        case .invalidURL, .unencodableText, .invalidJSONObject, .notURLEncodable, .invalidRequestMethod,
            .wrongInputType, .wrongOutputType, .transformerReturnedNil, .scriptError, .scriptLimit,
            .invalidDefinition, .unreadableFile, .unwritableFile, .invalidHeader, .internal,
            .custom:
            return 500
        }
    }
}

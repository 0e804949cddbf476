import RestEngine

extension Problem {
    /// The failure of a read of the resource at `path`.
    init(_ error: RequestError, reading path: ResourcePath) {
        // The line that people read in logs, without the parts that have members of their own here.
        var sentence = error
        sentence.url = nil
        sentence.attempt = 1
        // What the API says of a failure is for the script, whose credentials it may quote.
        if error.cause == nil { sentence.entity = nil }
        if case .transport(var failure)? = error.cause {
            failure.peer = nil
            sentence.cause = .transport(failure)
        }
        var detail = "\(sentence)"
        switch error.cause {
        // Their details quote texts that the configuration made, secrets included, and paths of this machine.
        case .invalidURL, .notURLEncodable, .unencodableText, .unreadableFile, .invalidHeader:
            detail = error.userMessage
        case .custom(let type, _) where Self.quoting.contains(type): detail = error.userMessage
        default: break
        }
        self.init(Self.status(of: error), error.code, detail)
        url = error.url.flatMap(path.visible)
        attempt = error.attempt
        if status == 503 { retryAfter = 1 }
        if let headers = error.entity?.headers { takeFields(headers, at: error.timestamp) }
        if case .transport(let failure)? = error.cause, let time = failure.retryAt {
            retryAfter = Int(min(max(1, (time - error.timestamp).rounded(.up)), 86_400))
        }
    }

    /// What the API's own failure says beside its status: of others the gateway makes its own.
    private mutating func takeFields(_ headers: Headers, at time: Double) {
        func sound(_ value: String) -> Bool { value.utf8.allSatisfy(HTTPByte.isFieldValue) }
        switch status {
        case 401: challenges = headers.values("WWW-Authenticate").filter(sound)
        case 405:
            allow = headers["Allow"]?.split(separator: ",").map {
                String($0.drop { $0 == " " }.prefix { $0 != " " })
            }.filter(Method.isToken)
        case 416: contentRange = headers["Content-Range"].flatMap { sound($0) ? $0 : nil }
        default: break
        }
        guard let value = headers["Retry-After"], let wait = RetryAfter(value, now: time).wait(cap: 86_400)
        else { return }
        retryAfter = Int(max(0, wait).rounded(.up))
    }

    /// The names of the same, for a script that made an error of theirs.
    private static let quoting: Set<String> = [
        "invalid_url", "not_url_encodable", "unencodable_text", "internal",
    ]

    /// What the upstream said, if it complained; else by who is to blame.
    private static func status(of error: RequestError) -> Int {
        if let status = error.httpStatusCode, 400...599 ~= status { return status }
        switch error.cause {
        // Where an answer of the server leads, which can't be followed.
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
            .malformedJSON,
            .unparsableImage, .undecodableContent, .tooManyRedirects, nil:
            return 502
        case .invalidURL, .unencodableText, .invalidJSONObject, .notURLEncodable, .invalidRequestMethod,
            .wrongInputType, .wrongOutputType, .transformerReturnedNil, .scriptError, .scriptLimit,
            .invalidDefinition, .unreadableFile, .unwritableFile, .invalidHeader, .internal,
            .custom:
            return 500
        }
    }
}

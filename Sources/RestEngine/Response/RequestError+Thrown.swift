extension RequestError {
    /// The error of a request whose block, mutator, decorator or transformer threw: a ``RequestError`` as it is
    /// (rule 17.7), anything else as the cause of a new one.
    public init(
        thrown error: any Error, userMessage: String? = nil, entity: Entity? = nil,
        httpStatusCode: Int? = nil,
        timestamp: Double, url: String? = nil, method: String? = nil
    ) {
        if var known = error as? RequestError {
            known.url = known.url ?? url
            known.method = known.method ?? method
            self = known
            return
        }
        let cause: Cause =
            switch error {
            case let cause as CauseError: cause.cause
            case let failure as ScriptFailure: .scriptError(failure)
            case let failure as CodingFailure: .undecodableContent(failure)
            case is DecodingError: .undecodableContent(CodingFailure(error, type: "content"))
            default: .internal(message: "\(error)")
            }
        self.init(
            userMessage: userMessage, httpStatusCode: httpStatusCode, entity: entity, cause: cause,
            timestamp: timestamp, url: url, method: method)
    }

    /// Throw one to name the cause and leave the rest to the engine.
    public struct CauseError: Error, Sendable, CustomStringConvertible {
        /// What the error will name.
        public let cause: Cause

        /// Names a cause.
        public init(_ cause: Cause) { self.cause = cause }

        public var description: String { cause.detail ?? cause.userMessage }
    }
}

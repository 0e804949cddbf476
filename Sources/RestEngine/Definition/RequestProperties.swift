/// The properties that one level of a definition sets: headers, query, path, body, configuration (rules 34 to
/// 39). A kind that is nil is not changed.
public struct RequestProperties: Sendable {
    /// In order. Values of list headers are appended to existing ones, others replace them (35.2, 35.3).
    package var headers: [HeaderItem]?
    /// Added after the existing parameters, in order.
    package var query: [QueryItem]?
    /// Added after the existing components; empty components are dropped.
    package var path: [PathComponent]?
    /// Replaces an existing body (38.2).
    package var body: BodyChange?
    /// Added after the existing functions; those of the outermost endpoint run first.
    package var configuration: [ConfigurationFunction]?
    /// Sent as Idempotency-Key (39.6).
    package var idempotencyKey: IdempotencyChoice?
    /// How lists in the query are written; the last style that was set applies to all (36.5).
    package var queryStyle: QueryStyle?

    package init() {}

    /// A change of the body.
    package enum BodyChange: Sendable, Hashable {
        /// The request has no body, also if one was inherited (38.3).
        case remove
        case replace(DefinedBody)
    }
}

/// The Idempotency-Key of a definition's requests.
public enum IdempotencyChoice: Sendable, Hashable {
    /// The same key for each request.
    case key(String)
    /// A new key for each request, kept for its repeats.
    case random
}

/// What one level of a definition gives: headers, query, path, body, configuration (rules 34 to 39). Of a
/// kind that is nil it says nothing.
public struct RequestProperties: Sendable {
    /// In order. Of names that are lists the values join those before, others replace them (35.2, 35.3).
    public var headers: [HeaderItem]?
    /// Behind what is there, in order.
    public var query: [QueryItem]?
    /// Behind what is there; empty components are dropped.
    public var path: [PathComponent]?
    /// Takes the place of a body that is there (38.2).
    public var body: BodyChange?
    /// Run behind those that are there, the service's endpoint first.
    public var configuration: [ConfigurationFunction]?
    /// Sent as Idempotency-Key (39.6).
    public var idempotencyKey: IdempotencyChoice?
    /// How lists in the query are written; the last one given holds for all (36.5).
    public var queryStyle: QueryStyle?

    public init() {}

    /// What becomes of the body.
    public enum BodyChange: Sendable, Hashable {
        /// There is none, whatever was inherited (38.3).
        case remove
        case replace(DefinedBody)
    }
}

/// The Idempotency-Key of a definition's requests.
public enum IdempotencyChoice: Sendable, Hashable {
    /// This one, for each request.
    case key(String)
    /// A new one for each request and its repeats.
    case random
}

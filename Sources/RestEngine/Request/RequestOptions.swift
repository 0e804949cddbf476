/// What a caller adds to a request, beside its method.
public struct RequestOptions: Sendable {
    /// Nil for none.
    public var body: RequestBody?
    /// Replaces the content type that the kind of body brings.
    public var contentType: String?
    /// Sent as Idempotency-Key, the same for the request and its repeats.
    public var idempotencyKey: String?
    /// Set over the configured headers.
    public var headers = Headers()
    /// Parameters added to the resource's URL; nil removes one.
    public var query: [(name: String, values: [String]?)] = []
    /// Edits the request before the configured mutators do (rules 6.7, 15.1).
    public var mutate: RequestMutation?

    /// False: the body comes back as the server sent it.
    public var usesPipeline = true

    /// Options that say only what the body is.
    public init(body: RequestBody? = nil, contentType: String? = nil) {
        self.body = body
        self.contentType = contentType
    }
}

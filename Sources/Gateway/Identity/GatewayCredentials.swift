/// A token of a client, or its API key.
public struct GatewayToken: Sendable, Equatable {
    public enum Secret: Sendable, Equatable {
        case text(String)
        /// The hash of the token's UTF-8.
        case sha256([UInt8])
    }

    /// The client's name in logs and limits.
    public var name: String
    public var secret: Secret
    /// Access within the listener's rules; nil: all that the listener shows.
    public var expose: [String: ExposeRule]?
    /// The client may read the host's state: `/-/resources`, `/-/explain`, `/-/metrics` and `/-/events`.
    public var isOperator: Bool

    public init(
        name: String, secret: Secret, expose: [String: ExposeRule]? = nil, isOperator: Bool = false
    ) {
        self.name = name
        self.secret = secret
        self.expose = expose
        self.isOperator = isOperator
    }
}

/// The API keys that clients may send in a header of their own.
public struct GatewayKeys: Sendable, Equatable {
    /// The name of the header.
    public var header: String
    public var keys: [GatewayToken]

    public init(header: String, keys: [GatewayToken]) {
        self.header = header
        self.keys = keys
    }

    /// Why the header can't carry keys; nil if it can.
    var validationError: String? {
        let lower = header.lowercased()
        if ["authorization", "cookie", "host", "proxy-authorization"].contains(lower) {
            return "'\(header)' has a meaning of its own: keys need another header, such as X-Api-Key"
        }
        return ForwardedHeaders.isName(header) ? nil : "'\(header)' is no valid name of a header"
    }
}

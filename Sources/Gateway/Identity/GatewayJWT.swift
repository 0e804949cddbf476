package import RestEngine

/// Clients that show a token of an issuer: a JWT (RFC 7519).
public struct GatewayJWT: Sendable, Equatable {
    /// The place of the issuer's public keys: a JWK Set (RFC 7517).
    public enum Keys: Sendable, Equatable {
        case url(String)
        case file(String)
    }

    public var keys: Keys
    package var rules: TokenRules
    /// Access within the listener's rules; nil: all that the listener shows.
    public var expose: [String: ExposeRule]?
    /// See ``GatewayToken/isOperator``.
    public var isOperator: Bool

    package init(
        keys: Keys, rules: TokenRules, expose: [String: ExposeRule]? = nil, isOperator: Bool = false
    ) {
        (self.keys, self.rules, self.expose, self.isOperator) = (keys, rules, expose, isOperator)
    }

    /// Why the keys can't be fetched safely; nil if they can. Keys that anyone on the way can replace prove
    /// nothing.
    var validationError: String? {
        guard case .url(let text) = keys else { return nil }
        guard let url = URLText(text), let host = url.host, !host.isEmpty else {
            return "'\(text)' is no URL of a JWK Set"
        }
        if url.scheme == "https" || ["127.0.0.1", "[::1]", "localhost"].contains(host) { return nil }
        return "the keys at '\(text)' could be replaced on the way: use https"
    }
}

/// Keys of an issuer that could not be fetched, with the reason for people.
public struct GatewayKeyFailure: Error, Sendable {
    public let message: String

    public init(_ message: String) { self.message = message }
}

/// Fetches the document at a URL, and calls back once from any thread.
public typealias GatewayKeyFetch =
    @Sendable (String, @escaping @Sendable (Result<[UInt8], GatewayKeyFailure>) -> Void) -> Void

import RestEngine

/// A client that shows a name and a password: Basic authentication (RFC 7617).
public struct GatewayUser: Sendable, Equatable {
    public var name: String
    /// The hash of the password: `$scrypt$`, `$pbkdf2-sha256$`, `$6$` and others.
    public var hash: String
    /// Access within the listener's rules; nil: all that the listener shows.
    public var expose: [String: ExposeRule]?
    /// See ``GatewayToken/isOperator``.
    public var isOperator: Bool

    public init(
        name: String, hash: String, expose: [String: ExposeRule]? = nil, isOperator: Bool = false
    ) {
        (self.name, self.hash, self.expose, self.isOperator) = (name, hash, expose, isOperator)
    }

    /// Why the user can't be recognised; nil if it can.
    var validationError: String? {
        // RFC 7617 2: the name ends at the first colon.
        if name.isEmpty || name.contains(":") {
            return "the name of a user is a text without a colon, not '\(name)'"
        }
        do throws(PasswordHash.Fault) {
            guard try PasswordHash(hash).isKnownHere else {
                return "the hash of the user '\(name)' needs crypt(5), which this system doesn't have"
            }
            return nil
        } catch { return "the hash of the user '\(name)' \(error.message)" }
    }
}

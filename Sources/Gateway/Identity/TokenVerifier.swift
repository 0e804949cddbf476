import RestEngine

/// A client whose credentials were checked and found right.
struct CheckedClient: Sendable {
    /// See ``ClientIdentities``.
    let number: Int
    let name: String
    /// The claims of its token; nil without one.
    var claims: Tree?
    /// The time of ``GatewayConfiguration/uptime`` at which it is checked again.
    let until: Double
}

/// Checks credentials on other threads, and calls back once. It gets the name by which limits know the
/// client's address.
typealias CredentialCheck =
    @Sendable (String, @escaping @Sendable (Result<CheckedClient, Problem>) -> Void) -> Void

/// Verifies tokens of an issuer. Any thread.
final class TokenVerifier: Sendable {
    /// A connection that goes on asks again after this time, because a key may have been removed.
    static let recheckSeconds = 60.0

    let keys: IssuerKeys
    private let number: Int
    private let rules: TokenRules
    private let clock: @Sendable () -> Double
    private let uptime: @Sendable () -> Double
    private let verified = RememberedCredentials<Verified>()

    /// A token that was verified.
    private struct Verified: Sendable {
        let name: String
        let claims: Tree
        /// Unix time.
        let end: Double
        /// Of the keys.
        let version: Int
    }

    /// - Parameter number: See ``ClientIdentities``.
    init(_ jwt: GatewayJWT, number: Int, keys: IssuerKeys, _ configuration: GatewayConfiguration) {
        (self.number, self.keys, rules) = (number, keys, jwt.rules)
        (clock, uptime) = (configuration.clock, configuration.uptime)
    }

    /// The client of a token that was verified with the keys of today; nil for any other token.
    func known(_ token: [UInt8]) -> CheckedClient? {
        guard let digest = verified.digest(of: token), let found = verified[digest] else { return nil }
        guard found.end > clock() else {
            verified.forget(digest)
            return nil
        }
        return found.version == keys.freshVersion ? client(found) : nil
    }

    private func client(_ token: Verified) -> CheckedClient {
        CheckedClient(
            number: number, name: token.name, claims: token.claims,
            until: uptime() + min(Self.recheckSeconds, token.end - clock()))
    }

    /// Verifies a token. It may wait for the issuer's keys.
    func check(_ text: [UInt8], _ done: @escaping @Sendable (Result<CheckedClient, Problem>) -> Void) {
        CredentialThreads.signatures.run { [self] in
            do throws(JSONWebToken.Fault) {
                let token = try JSONWebToken(text)
                let algorithm = try rules.algorithm(of: token)
                let holder = try rules.check(token.claims, now: clock())
                verify(Work(text: text, token: token, algorithm: algorithm, holder: holder, done: done))
            } catch { done(.failure(.invalidToken(error.message))) }
        }
    }

    private struct Work: Sendable {
        let text: [UInt8]
        let token: JSONWebToken
        let algorithm: SignatureAlgorithm
        let holder: TokenRules.Holder
        let done: @Sendable (Result<CheckedClient, Problem>) -> Void
    }

    /// The keys come on a thread for signatures, too.
    private func verify(_ work: Work) {
        keys.current { [self] loaded in
            guard let loaded else { return work.done(.failure(.keysUnavailable)) }
            if take(work, loaded) { return }
            guard isOfUnknownKey(work.token, loaded) else {
                return work.done(.failure(.invalidToken("the token's signature is not that of its key")))
            }
            keys.renewed { [self] renewed in
                if let renewed, renewed.version != loaded.version, take(work, renewed) { return }
                work.done(.failure(.invalidToken("no known key has signed the token")))
            }
        }
    }

    /// A token without a `kid` may be of any key.
    private func isOfUnknownKey(_ token: JSONWebToken, _ loaded: IssuerKeys.Loaded) -> Bool {
        token.keyID.map { id in !loaded.set.keys.contains { $0.id == id } } ?? true
    }

    /// False if none of the keys has signed the token.
    private func take(_ work: Work, _ loaded: IssuerKeys.Loaded) -> Bool {
        let candidates = loaded.set.candidates(id: work.token.keyID, work.algorithm)
        guard candidates.contains(where: { work.token.isSigned(by: $0, work.algorithm) }) else {
            return false
        }
        let verified = Verified(
            name: work.holder.name, claims: work.token.claims, end: work.holder.end, version: loaded.version)
        if let digest = self.verified.digest(of: work.text) { self.verified.remember(verified, digest) }
        work.done(.success(client(verified)))
        return true
    }
}

extension Problem {
    /// RFC 6750 3.
    ///
    /// - Parameter why: It has no part of the token.
    static func invalidToken(_ why: String) -> Problem {
        let description = String(why.unicodeScalars.filter(isDescription).map(Character.init))
        return Problem(
            401, "invalid_token", why,
            [("WWW-Authenticate", "Bearer error=\"invalid_token\", error_description=\"\(description)\"")])
    }

    private static func isDescription(_ scalar: Unicode.Scalar) -> Bool {
        (0x20...0x7E).contains(scalar.value) && scalar != "\"" && scalar != "\\"
    }

    static var keysUnavailable: Problem {
        Problem(
            503, "keys_unavailable",
            "the keys of the tokens' issuer can't be loaded now, so no token can be checked",
            [("Retry-After", "10")])
    }
}

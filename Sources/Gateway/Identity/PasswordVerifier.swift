import RestEngine
import Synchronization

/// Checks names and passwords of Basic authentication (RFC 7617). Any thread.
final class PasswordVerifier: Sendable {
    private struct User {
        /// See ``ClientIdentities``.
        let number: Int
        let hash: PasswordHash
    }

    let checks: PasswordChecks
    private let users: [String: User]
    /// Checked in place of the hash of an unknown user, so that the time doesn't tell which names exist.
    private let decoy: PasswordHash?

    /// The name and the password of a request.
    private struct Given {
        let name: String
        let password: [UInt8]

        /// Nil for text that is no such pair.
        init?(_ credentials: [UInt8]) {
            guard let text = try? Base64.decode(credentials).get(),
                let colon = text.firstIndex(of: UInt8(ascii: ":")),
                let name = String(validating: text[..<colon], as: UTF8.self)
            else { return nil }
            self.name = name
            password = Array(text[(colon + 1)...])
        }
    }

    /// - Parameter first: The number of the first user.
    init(_ users: [GatewayUser], first: Int, checks: PasswordChecks) {
        self.checks = checks
        var known: [String: User] = [:]
        for (index, user) in users.enumerated() {
            // The hashes were checked with the configuration.
            if let hash = try? PasswordHash(user.hash) {
                known[user.name] = User(number: first + index, hash: hash)
            }
        }
        self.users = known
        decoy = known[users.first?.name ?? ""]?.hash
    }

    /// The client of credentials that were right a short time ago; nil for all others.
    func known(_ credentials: [UInt8]) -> CheckedClient? {
        guard let given = Given(credentials), let user = users[given.name],
            let until = checks.until(of: given.password, user.hash)
        else { return nil }
        return CheckedClient(number: user.number, name: given.name, until: until)
    }

    /// - Parameter client: The name by which limits know the address of the client.
    func check(
        _ credentials: [UInt8], from client: String,
        _ done: @escaping @Sendable (Result<CheckedClient, Problem>) -> Void
    ) {
        guard let given = Given(credentials), let decoy else { return done(.failure(.wrongPassword)) }
        let user = users[given.name]
        checks.check(given.password, user?.hash ?? decoy, from: client) { result in
            done(
                result.flatMap { until in
                    guard let user, let until else { return .failure(.wrongPassword) }
                    return .success(CheckedClient(number: user.number, name: given.name, until: until))
                })
        }
    }
}

/// Checks of passwords, which take long. They survive changes of the rules. Any thread.
final class PasswordChecks: Sendable {
    /// A right password isn't hashed again for this time.
    static let rememberedSeconds = 300.0
    /// Checks that wait, those of one client and all together.
    static let mostOfClient = 8
    static let mostWaiting = 64

    /// The time until which the password counts as right; nil for a wrong one.
    typealias Outcome = Result<Double?, Problem>

    private let right = RememberedCredentials<Double>()
    private let clients = ClientSlots(mostOfClient)
    /// Checks under way, by the digests of their passwords. Equal ones share one.
    private let waiting = Mutex<[[UInt8]: [@Sendable (Outcome) -> Void]]>([:])
    private let uptime: @Sendable () -> Double

    init(uptime: @escaping @Sendable () -> Double) { self.uptime = uptime }

    private func digest(_ password: [UInt8], _ hash: PasswordHash) -> [UInt8]? {
        right.digest(of: Array(hash.text.utf8) + [0] + password)
    }

    /// The time until which a password counts as right without a check; nil for any that has to be checked.
    func until(of password: [UInt8], _ hash: PasswordHash) -> Double? {
        guard let digest = digest(password, hash), let until = right[digest], until > uptime() else {
            return nil
        }
        return until
    }

    func check(
        _ password: [UInt8], _ hash: PasswordHash, from client: String,
        _ done: @escaping @Sendable (Outcome) -> Void
    ) {
        guard let digest = digest(password, hash) else { return done(.failure(.tooManySignIns)) }
        enum Step { case begin, join, refuse }
        let step = waiting.withLock { waiting -> Step in
            if waiting[digest] != nil {
                waiting[digest]?.append(done)
                return .join
            }
            guard waiting.count < Self.mostWaiting else { return .refuse }
            waiting[digest] = [done]
            return .begin
        }
        switch step {
        case .join: break
        case .refuse: done(.failure(.tooManySignIns))
        case .begin:
            guard let slot = clients.take(for: client) else {
                return end(digest, .failure(.tooManySignIns))
            }
            CredentialThreads.passwords.run { [self] in
                guard hash.isRight(password) else { return end(digest, .success(nil), slot) }
                let until = uptime() + Self.rememberedSeconds
                right.remember(until, digest)
                end(digest, .success(until), slot)
            }
        }
    }

    /// - Parameter slot: It is free when this returns.
    private func end(_ digest: [UInt8], _ outcome: Outcome, _ slot: ClientSlot? = nil) {
        let all = waiting.withLock { $0.removeValue(forKey: digest) } ?? []
        for done in all { done(outcome) }
    }
}

extension Problem {
    static var wrongPassword: Problem {
        Problem(
            401, "invalid_credentials", "the name or the password is wrong",
            [("WWW-Authenticate", basicChallenge)])
    }

    /// RFC 7617 2, 2.1.
    static let basicChallenge = "Basic realm=\"resthost\", charset=\"UTF-8\""

    static var tooManySignIns: Problem {
        Problem(
            503, "too_many_sign_ins", "too many passwords are being checked", [("Retry-After", "1")])
    }
}

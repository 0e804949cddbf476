/// Bearer tokens that expire.
struct FixtureTokens: Sendable {
    /// Seconds.
    let lifetime: Double
    private let random: @Sendable () -> UInt64
    private var expiries: [String: Double] = [:]

    init(lifetime: Double, random: @escaping @Sendable () -> UInt64 = { .random(in: .min ... .max) }) {
        self.lifetime = lifetime
        self.random = random
    }

    mutating func issue(at now: Double) -> String {
        expiries = expiries.filter { $0.value > now }
        let token = FixtureHex.text(of: random()) + FixtureHex.text(of: random())
        expiries[token] = now + lifetime
        return token
    }

    func isValid(_ token: String, at now: Double) -> Bool {
        expiries[token].map { now < $0 } ?? false
    }

    mutating func forgetAll() { expiries = [:] }
}

/// When the connection of a stream is made again (rule 57.5).
struct Reconnection {
    /// As the server wants it.
    var seconds = 3.0
    /// Connections in a row that could not be made.
    var failures = 0
    /// Seconds that the server asked for when it refused one; nil when it didn't.
    private var asked: Double?

    /// Whatever the server says, in seconds.
    private static let least = 0.1
    private static let most = 3600.0
    /// Doubled up to here.
    private static let cap = 60.0

    /// One could not be made.
    mutating func note(_ error: RequestError, at now: Double) {
        failures += 1
        let field = error.entity?.headers["Retry-After"]
        asked = field.flatMap { RetryAfter($0, now: now).wait(cap: Self.most) }
    }

    /// - Parameter random: From 0 to 1: of the programs that lost a server together, not all shall come back
    ///   at once.
    func wait(random: () -> Double) -> Double {
        let usual = min(max(seconds, Self.least), Self.most)
        guard failures > 0 else { return usual }
        if let asked { return max(asked, Self.least) }
        let doubled = min(usual * Double(1 << min(failures - 1, 20)), max(usual, Self.cap))
        return doubled * (1 + random() / 2)
    }
}

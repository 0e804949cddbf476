/// When to make the connection of a stream again (rule 57.5).
struct Reconnection {
    /// Seconds, as set by the server.
    var seconds = 3.0
    /// The number of consecutive failed connections.
    var failures = 0
    /// Seconds that the server asked for when it refused a connection; nil if it didn't.
    private var asked: Double?

    /// The minimum in seconds, also if the server sets less.
    private static let least = 0.1
    private static let most = 3600.0
    /// The wait doubles up to this number of seconds.
    private static let cap = 60.0

    /// A connection could not be made.
    mutating func note(_ error: RequestError, at now: Double) {
        failures += 1
        let field = error.entity?.headers["Retry-After"]
        asked = field.flatMap { RetryAfter($0, now: now).wait(cap: Self.most) }
    }

    /// - Parameter random: From 0 to 1. It spreads the reconnections of programs that have lost a server at
    ///   the same time.
    func wait(random: () -> Double) -> Double {
        let usual = min(max(seconds, Self.least), Self.most)
        guard failures > 0 else { return usual }
        if let asked { return max(asked, Self.least) }
        let doubled = min(usual * Double(1 << min(failures - 1, 20)), max(usual, Self.cap))
        return doubled * (1 + random() / 2)
    }
}

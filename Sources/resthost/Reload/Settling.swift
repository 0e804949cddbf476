/// Waits until changes have come to rest: an editor writes a file in several steps, a check-out many files. Times are in
/// seconds of any clock that only moves on.
struct Settling {
    /// After the last change.
    static let pause = 0.2
    /// After the first: a file that is written all the time must not hold up the others for ever.
    static let patience = 2.0

    private var paths: Set<String> = []
    private var first = 0.0
    private var last = 0.0

    mutating func note(_ path: String, at now: Double) {
        if paths.isEmpty { first = now }
        last = now
        paths.insert(path)
    }

    /// When there is something to take; nil while nothing was noted.
    var deadline: Double? { paths.isEmpty ? nil : min(last + Self.pause, first + Self.patience) }

    func isDue(at now: Double) -> Bool { deadline.map { $0 <= now } ?? false }

    /// What was noted; from here on it begins anew.
    mutating func take() -> Set<String> {
        defer { paths = [] }
        return paths
    }
}

/// How a resource's answer came about (RFC 9211).
enum CacheStatus: Sendable, Equatable {
    case hit
    case forwarded(isStale: Bool, isCollapsed: Bool)

    /// - Parameter timeLeft: Whole seconds for which the answer is fresh.
    func text(timeLeft: Int) -> String {
        switch self {
        case .hit: "resthost; hit; ttl=\(timeLeft)"
        case .forwarded(let isStale, let isCollapsed):
            "resthost; fwd=\(isStale ? "stale" : "miss")" + (isCollapsed ? "; collapsed" : "")
        }
    }
}

import RestEngine

/// How old an answer is, and for how long a cache may keep it (RFC 9111). Times in seconds.
enum Freshness: Sendable {
    /// No cache may: it is one client's own, or of this moment.
    case unstored
    /// - Parameter left: For which it is fresh, negative for what no longer is.
    case stored(age: Int, lifetime: Int, left: Int, CacheStatus)

    /// - Parameter now: On the clock that never jumps, as the answer's times are.
    init(of answer: PublishedAnswer, _ status: CacheStatus, now: Double) {
        let left = (answer.expiresAt - now).wholeSeconds
        // RFC 9211 2.6: of what is stale it is negative.
        let late = (now - answer.expiresAt).rounded(.up).wholeSeconds
        self = .stored(
            age: (now - answer.timestamp).wholeSeconds,
            // RFC 9111 4.2: fresh as long as it is more than the age, so it counts from the same moment. What
            // the addition of both times has rounded off is no second less.
            lifetime: (answer.expiresAt - answer.timestamp + 1e-3).wholeSeconds,
            left: left > 0 ? left : -late, status)
    }

    func write(to fields: inout some FieldSection) {
        switch self {
        case .unstored: fields.add("Cache-Control", "no-store")
        case .stored(let age, let lifetime, let left, let status):
            fields.add("Age", age)
            fields.add("Cache-Control", "max-age=", lifetime)
            status.write(to: &fields, timeLeft: left)
        }
    }
}

/// How a resource's answer came about (RFC 9211).
enum CacheStatus: Sendable, Equatable {
    case hit(Source)
    case forwarded(isStale: Bool, isCollapsed: Bool)
    /// Old data on purpose, and why (rules 44).
    case stale(String)

    enum Source: String, Sendable {
        case memory
        /// One of the resource's caches.
        case cache
    }

    fileprivate func write(to fields: inout some FieldSection, timeLeft: Int) {
        let hit = "resthost; hit; ttl="
        switch self {
        case .hit(.memory): fields.add("Cache-Status", hit, timeLeft)
        case .hit(let source): fields.add("Cache-Status", hit, timeLeft, "; detail=\(source.rawValue)")
        case .stale(let reason): fields.add("Cache-Status", hit, timeLeft, "; detail=\(reason)")
        case .forwarded(let isStale, let isCollapsed):
            let way = isStale ? "resthost; fwd=stale" : "resthost; fwd=miss"
            fields.add("Cache-Status", way, nil, isCollapsed ? "; collapsed" : "")
        }
    }
}

extension Double {
    /// Of seconds. RFC 9111 1.2.2: a time that is too long to be written is 2 to the 31st.
    var wholeSeconds: Int { self > 0 ? Int(min(rounded(.down), 2_147_483_648 * 4)) : 0 }
}

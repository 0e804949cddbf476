import RestEngine

/// How old an answer is, and for how long a cache may keep it (RFC 9111). Times in seconds.
enum Freshness: Sendable {
    /// No cache may keep it: the answer is for one client or for this moment only.
    case unstored
    /// - Parameters:
    ///   - left: The time for which the answer is still fresh; negative for a stale answer.
    ///   - isPrivate: Only the client's own cache may keep it.
    case stored(age: Int, lifetime: Int, left: Int, CacheStatus, isPrivate: Bool = false)

    /// - Parameter now: A time of the monotonic clock, like the answer's times.
    init(of answer: PublishedAnswer, _ status: CacheStatus, now: Double, isPrivate: Bool = false) {
        let left = (answer.expiresAt - now).wholeSeconds
        // RFC 9211 2.6: the ttl of a stale answer is negative.
        let late = (now - answer.expiresAt).rounded(.up).wholeSeconds
        self = .stored(
            age: (now - answer.timestamp).wholeSeconds,
            // RFC 9111 4.2: an answer is fresh while its lifetime is larger than its age, so both count from
            // the same moment. The millisecond corrects the rounding error of adding the two times.
            lifetime: (answer.expiresAt - answer.timestamp + 1e-3).wholeSeconds,
            left: left > 0 ? left : -late, status, isPrivate: isPrivate)
    }

    func write(to fields: inout some FieldSection) {
        switch self {
        case .unstored: fields.add("Cache-Control", "no-store")
        case .stored(let age, let lifetime, let left, let status, let isPrivate):
            fields.add("Age", age)
            fields.add("Cache-Control", isPrivate ? "private, max-age=" : "max-age=", lifetime)
            status.write(to: &fields, timeLeft: left)
        }
    }
}

/// How a resource's answer came about (RFC 9211).
enum CacheStatus: Sendable, Equatable {
    case hit(Source)
    case forwarded(isStale: Bool, isCollapsed: Bool)
    /// Stale data that was given on purpose, with the reason (rules 44).
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
    /// Whole seconds. RFC 9111 1.2.2: a time that is too long to be written is 2 to the 31st.
    var wholeSeconds: Int { self > 0 ? Int(min(rounded(.down), 2_147_483_648 * 4)) : 0 }
}

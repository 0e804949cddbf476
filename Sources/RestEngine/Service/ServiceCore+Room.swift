extension ServiceCore {
    /// The number of resources without data that are kept: requests for missing paths evict only each other,
    /// and never data.
    nonisolated static let mostWithoutData = 1000
    /// The number of resources that are checked for each new one, at most; those in use go to the end.
    private static let looks = 16

    private var hasRoom: Bool {
        accounting.bytes <= cachedResourceBytesLimit ?? .max && engine.contentBudget.hasRoom(for: 0)
    }

    /// Whether a resource has to be evicted before another is added.
    var isFull: Bool {
        table.count >= countLimit || table.withoutData.count >= Self.mostWithoutData || !hasRoom
    }

    /// Drops excess resources that are not in use. It may call foreign code, because it notifies observers
    /// whose owners are gone.
    ///
    /// - Parameter more: The number of resources to be added.
    func makeRoom(for more: Int) {
        evictAboveLimits(looks: Self.looks, for: more)
        let isShort = !hasRoom && !engine.contentBudget.makeRoom(for: 0, in: self, sparing: nil)
        guard isShort || table.count + more > countLimit else { return nextCollection = 0 }
        guard table.count >= nextCollection else { return }
        onResourceLimit?()
        evictAboveLimits(looks: .max, for: more)
        if isShort { _ = engine.contentBudget.makeRoom(for: 0, in: self, sparing: nil) }
        nextCollection = table.count + max(1, table.count / 4)
    }

    /// The same after other code has released resources. Returns whether there were too many.
    func flushAboveLimit() -> Bool {
        guard table.count > countLimit || table.withoutData.count > Self.mostWithoutData else { return false }
        evictAboveLimits(looks: .max, for: 0)
        return true
    }

    private func evictAboveLimits(looks: Int, for more: Int) {
        // Each resource that was used in between is visited twice.
        var left = min(looks, 2 * table.withoutData.count)
        while left > 0 {
            let isCrowd = table.withoutData.count + more > Self.mostWithoutData
            guard isCrowd || table.count + more > countLimit else { return reportEvictions() }
            _ = table.evictFirst(withData: false, isCrowd ? .noData : .count, pruning: true)
            left -= 1
        }
        left = min(looks, 2 * table.withData.count)
        while left > 0, table.count + more > countLimit {
            _ = table.evictFirst(withData: true, .count, pruning: true)
            left -= 1
        }
        reportEvictions()
    }

    /// Logs evictions, at most once a minute: as a warning if fresh data was dropped.
    func reportEvictions() {
        guard table.evictions.isReportDue(at: engine.scheduler.uptime) else { return }
        // In the next tick, because libcurl may be the caller.
        engine.scheduler.nextTick { [weak self] in
            guard let self, let report = table.takeReport() else { return }
            engine.log.write(report.isFresh ? .warning : .cache, "the service '\(name)': \(report.text)")
        }
    }
}

/// Counts resources that were evicted to make room.
struct Evictions {
    /// The reason for an eviction.
    enum Reason: Int, CaseIterable {
        /// ``Service/cachedResourceCountLimit`` was reached.
        case count
        /// The limit for the bytes of resources was reached.
        case bytes
        /// The limit for resources without data was reached.
        case noData

        /// The name in metrics.
        var name: String {
            switch self {
            case .count: "count"
            case .bytes: "bytes"
            case .noData: "no_data"
            }
        }

        fileprivate var explanation: String {
            switch self {
            case .count: "because cached_resource_count_limit was reached"
            case .bytes: "because the limit of content bytes was reached"
            case .noData: "without data, of which at most \(ServiceCore.mostWithoutData) are kept"
            }
        }
    }

    struct Report {
        let isFresh: Bool
        let text: String
    }

    private static let pause = 60.0

    /// The number of evictions since the start, by reason.
    private(set) var counts = Array(repeating: 0, count: Reason.allCases.count)
    /// The counts at the last report.
    private var reported = Array(repeating: 0, count: Reason.allCases.count)
    /// Evictions of fresh data since the last report.
    private var fresh = 0
    private var nextReport = -Double.infinity

    mutating func note(_ reason: Reason, isFresh: Bool) {
        counts[reason.rawValue] += 1
        if isFresh { fresh += 1 }
    }

    func isReportDue(at uptime: Double) -> Bool { uptime >= nextReport && counts != reported }

    mutating func report(at uptime: Double) -> Report? {
        guard isReportDue(at: uptime) else { return nil }
        let parts = Reason.allCases.compactMap { reason in
            let count = counts[reason.rawValue] - reported[reason.rawValue]
            return count > 0 ? "\(count) \(reason.explanation)" : nil
        }
        let freshly = fresh > 0 ? "; \(fresh) had fresh data, which is loaded again when it is needed" : ""
        defer { (reported, fresh, nextReport) = (counts, 0, uptime + Self.pause) }
        return Report(
            isFresh: fresh > 0,
            text: "dropped unused resources: \(parts.joined(separator: ", "))\(freshly)")
    }
}

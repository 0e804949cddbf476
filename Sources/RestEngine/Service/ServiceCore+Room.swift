extension ServiceCore {
    /// So many resources without data stay, whoever asks for them: paths that are not there push out each
    /// other, and never data.
    nonisolated static let mostWithoutData = 1000
    /// For each new resource so many others are looked at, at the most: those in use go to the end.
    private static let looks = 16

    private var hasRoom: Bool {
        accounting.bytes <= cachedResourceBytesLimit ?? .max && engine.contentBudget.hasRoom(for: 0)
    }

    /// Another resource would be too much: one has to go first.
    var isFull: Bool {
        table.count >= countLimit || table.withoutData.count >= Self.mostWithoutData || !hasRoom
    }

    /// Drops what is too much, as far as nobody uses it. May call anybody, since observers that have gone are
    /// told so.
    ///
    /// - Parameter more: Resources that come on top.
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

    /// The same for what others have let go of; whether there was too much.
    func flushAboveLimit() -> Bool {
        guard table.count > countLimit || table.withoutData.count > Self.mostWithoutData else { return false }
        evictAboveLimits(looks: .max, for: 0)
        return true
    }

    private func evictAboveLimits(looks: Int, for more: Int) {
        // Each is met twice when it was used since.
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

    /// A line of the log, once a minute at the most: a warning when fresh data was among what went.
    func reportEvictions() {
        guard table.evictions.isReportDue(at: engine.scheduler.uptime) else { return }
        // Not here: libcurl may be calling.
        engine.scheduler.nextTick { [weak self] in
            guard let self, let report = table.takeReport() else { return }
            engine.log.write(report.isFresh ? .warning : .cache, "the service '\(name)': \(report.text)")
        }
    }
}

/// Resources that went to make room, though nobody asked for that.
struct Evictions {
    /// Why one did.
    enum Reason: Int, CaseIterable {
        /// There were as many as ``Service/cachedResourceCountLimit`` says.
        case count
        /// The bytes that resources hold had reached a limit.
        case bytes
        /// There were as many without data as there may be.
        case noData

        /// In metrics.
        var name: String {
            switch self {
            case .count: "count"
            case .bytes: "bytes"
            case .noData: "no_data"
            }
        }

        fileprivate var explanation: String {
            switch self {
            case .count: "as cached_resource_count_limit was reached"
            case .bytes: "as the limit of the content's bytes was reached"
            case .noData: "without data, of which \(ServiceCore.mostWithoutData) stay"
            }
        }
    }

    struct Report {
        let isFresh: Bool
        let text: String
    }

    private static let pause = 60.0

    /// Since the start, by reason.
    private(set) var counts = Array(repeating: 0, count: Reason.allCases.count)
    /// As of the last report.
    private var reported = Array(repeating: 0, count: Reason.allCases.count)
    /// With fresh data, since the last report.
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
        let freshly = fresh > 0 ? "; \(fresh) had fresh data, which is loaded again when it is asked for" : ""
        defer { (reported, fresh, nextReport) = (counts, 0, uptime + Self.pause) }
        return Report(
            isFresh: fresh > 0,
            text: "dropped resources that nobody used: \(parts.joined(separator: ", "))\(freshly)")
    }
}

/// The figures of many runs.
struct Report {
    private(set) var runs = 0
    private(set) var hosts = 0
    private(set) var events = 0
    private(set) var resources = 0
    private(set) var requests = 0
    private(set) var reads = 0
    private(set) var failedReads = 0
    private(set) var droppedWrites = 0
    private(set) var longestWait = 0.0
    private var staleness: [Double] = []
    private var recoveries: [Double] = []
    private var limitWaits: [Double] = []
    private(set) var calls = 0
    private(set) var callsAlone = 0
    private(set) var callsGivenUp = 0
    private(set) var limitMessages = 0
    private(set) var failedSeeds: [UInt64] = []

    mutating func add(_ world: World) {
        runs += 1
        hosts = max(hosts, world.scenario.hosts)
        events += world.queue.count
        resources += world.scenario.resources
        requests += world.api.loads
        reads += world.checks.reads
        failedReads += world.checks.failedReads
        droppedWrites += world.server.droppedWrites
        longestWait = max(longestWait, world.checks.longestWait)
        staleness += world.checks.staleness
        recoveries += world.checks.recoveries
        limitWaits += world.limits.waits
        calls += world.limits.calls
        callsAlone += world.limits.callsAlone
        callsGivenUp += world.limits.callsGivenUp
        limitMessages += world.limits.messages
        if world.checks.failureCount > 0 { failedSeeds.append(world.scenario.seed) }
    }

    private var fields: [(name: String, value: Double)] {
        let staleness = staleness.sorted()
        let recoveries = recoveries.sorted()
        let limitWaits = limitWaits.sorted()
        return [
            ("runs", Double(runs)), ("most_hosts", Double(hosts)), ("events", Double(events)),
            ("reads", Double(reads)), ("failed_reads", Double(failedReads)),
            ("upstream_requests", Double(requests)),
            ("upstream_requests_per_resource", Double(requests) / Double(max(1, resources))),
            ("dropped_writes", Double(droppedWrites)),
            ("longest_wait", longestWait),
            ("stale_reads", Double(staleness.count)),
            ("staleness_median", part(staleness, 0.5)), ("staleness_99", part(staleness, 0.99)),
            ("staleness_most", staleness.last ?? 0),
            ("recovery_median", part(recoveries, 0.5)), ("recovery_99", part(recoveries, 0.99)),
            ("recovery_most", recoveries.last ?? 0),
            ("limited_calls", Double(calls)), ("limited_calls_alone", Double(callsAlone)),
            ("limited_calls_given_up", Double(callsGivenUp)),
            ("limit_messages", Double(limitMessages)),
            ("limit_wait_median", part(limitWaits, 0.5)), ("limit_wait_99", part(limitWaits, 0.99)),
            ("limit_wait_most", limitWaits.last ?? 0),
            ("failed_seeds", Double(failedSeeds.count)),
        ]
    }

    private func part(_ sorted: [Double], _ share: Double) -> Double {
        sorted.isEmpty ? 0 : sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))]
    }

    var json: String {
        let seeds = failedSeeds.map { String($0) }.joined(separator: ", ")
        return "{" + fields.map { "\"\($0.name)\": \(shown($0.value))" }.joined(separator: ", ")
            + ", \"failing\": [\(seeds)]}"
    }

    var text: String {
        let values = Dictionary(uniqueKeysWithValues: fields.map { ($0.name, shown($0.value)) })
        func value(_ name: String) -> String { values[name] ?? "?" }
        return """
            \(value("runs")) runs of 2 to \(value("most_hosts")) hosts, \(value("events")) events
            reads:            \(value("reads")), of which \(value("failed_reads")) failed with the API
            upstream:         \(value("upstream_requests")) requests, \
            \(value("upstream_requests_per_resource")) for each resource
            longest wait:     \(value("longest_wait")) s
            staleness:        \(value("stale_reads")) reads; median \(value("staleness_median")) s, \
            99 of 100 \(value("staleness_99")) s, most \(value("staleness_most")) s
            recovery:         median \(value("recovery_median")) s, 99 of 100 \(value("recovery_99")) s, \
            most \(value("recovery_most")) s
            dropped writes:   \(value("dropped_writes"))
            limited calls:    \(value("limited_calls")), \(value("limited_calls_alone")) of them alone, \
            \(value("limited_calls_given_up")) given up, \(value("limit_messages")) messages
            wait for a limit: median \(value("limit_wait_median")) s, 99 of 100 \(value("limit_wait_99")) s, \
            most \(value("limit_wait_most")) s
            """
    }

    private func shown(_ number: Double) -> String {
        number == number.rounded() && abs(number) < 1e15 ? String(Int(number)) : String(rounded(number))
    }
}

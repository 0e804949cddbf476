import Coordination

/// The promises, as assertions, and the figures of a run.
final class Checks {
    private struct Publication {
        let time: Double
        let version: Int
        let identity: String
    }

    private unowned let world: World
    private(set) var failures: [String] = []
    private(set) var failureCount = 0
    private(set) var reads = 0
    private(set) var failedReads = 0
    /// Seconds for which the API had newer data, of reads that got old data.
    private(set) var staleness: [Double] = []
    private(set) var longestWait = 0.0
    /// By resource, in the order of time.
    private var publications: [Int: [Publication]] = [:]
    /// Since when there is no fault; infinite during one.
    var calmSince = 0.0
    private(set) var recoveries: [Double] = []

    init(_ world: World) { self.world = world }

    func fail(_ text: @autoclosure () -> String) {
        failureCount += 1
        if failures.count < 5 { failures.append(text()) }
    }

    func hasRecovered(after seconds: Double) { recoveries.append(seconds) }

    func published(_ invalidation: Invalidation, by identity: String) {
        for resource in world.resources(of: invalidation) {
            publications[resource, default: []].append(
                Publication(
                    time: world.queue.now, version: world.api.version(resource), identity: identity))
        }
    }

    /// A host takes with it what it could not say. That is not promised.
    func hasDied(_ identity: String) {
        for resource in publications.keys {
            publications[resource]?.removeAll { $0.identity == identity }
        }
    }

    /// The version that all hosts must have after the invalidations before that time.
    private func leastVersion(_ resource: Int, before time: Double) -> Int {
        publications[resource]?.last { $0.time <= time }?.version ?? 0
    }

    func served(_ value: Value, _ resource: Int, to readers: [Double], by host: Int) {
        let now = world.queue.now
        reads += readers.count
        if let end = world.api.end(of: value.version, resource) {
            for _ in readers { staleness.append(now - end) }
        }
        let age = now - value.read
        if age > world.scenario.oldest {
            fail("host \(host) served resource \(resource) \(rounded(age)) s old, at \(rounded(now)) s")
        }
        for began in readers {
            longestWait = max(longestWait, now - began)
            let seconds = InvalidationReader.recoverySeconds
            guard !world.scenario.isAlone, began >= calmSince + seconds else { continue }
            let least = leastVersion(resource, before: began - seconds)
            guard value.version < least else { continue }
            fail(
                "host \(host) served version \(value.version) of resource \(resource) to a reader of "
                    + "\(rounded(began)) s, when version \(least) had been announced \(seconds) s before")
        }
    }

    func failed(_ count: Int) { failedReads += count }

    /// After the last fault and one lease.
    func ended() {
        if world.server.doubleWrites > 0 {
            fail("\(world.server.doubleWrites) writes had a sequence number that another write had")
        }
        guard !world.scenario.isAlone else { return }
        world.limits.ended()
        for host in world.hosts {
            if !host.isCaughtUp { fail("host \(host.number) has not caught up with the log") }
            for (resource, version) in host.freshVersions.sorted(by: { $0.key < $1.key }) {
                let least = leastVersion(resource, before: .infinity)
                if version < least {
                    fail(
                        "host \(host.number) has missed an invalidation: resource \(resource) is fresh at "
                            + "version \(version), and \(least) was announced")
                }
            }
        }
    }
}

func rounded(_ number: Double) -> Double { (number * 1000).rounded() / 1000 }

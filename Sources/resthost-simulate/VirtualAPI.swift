/// The API behind all hosts. Each resource is a number that changes count.
final class VirtualAPI {
    private let queue: EventQueue
    private var random: SeededRandom
    private let failures: Double
    private let longest: Double
    /// When each version began, by resource.
    private var versions: [[Double]]
    private(set) var loads = 0

    init(_ queue: EventQueue, _ random: SeededRandom, resources: Int, failures: Double, longest: Double) {
        (self.queue, self.random, self.failures, self.longest) = (queue, random, failures, longest)
        versions = Array(repeating: [0], count: resources)
    }

    func version(_ resource: Int) -> Int { versions[resource].count - 1 }

    /// When a newer version than that began; nil if it is the newest.
    func end(of version: Int, _ resource: Int) -> Double? {
        version + 1 < versions[resource].count ? versions[resource][version + 1] : nil
    }

    /// Answers after some time with the version at a moment within it, or fails.
    func load(_ resource: Int, _ done: @escaping (Value?) -> Void) {
        loads += 1
        let seconds = random.chance(0.01) ? random.seconds(0.5...longest) : random.seconds(0.01...0.2)
        let moment = random.seconds(0...seconds)
        let fails = random.chance(failures)
        queue.after(moment) { [self] in
            let value = Value(version: version(resource), read: queue.now, timestamp: 0)
            queue.after(seconds - moment) { done(fails ? nil : value) }
        }
    }

    func change(_ resource: Int, _ done: @escaping () -> Void) {
        let seconds = random.seconds(0.01...0.2)
        let moment = random.seconds(0...seconds)
        queue.after(moment) { [self] in
            versions[resource].append(queue.now)
            queue.after(seconds - moment) { done() }
        }
    }
}

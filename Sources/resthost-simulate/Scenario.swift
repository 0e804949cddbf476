import Coordination

/// The hosts, resources and faults of a run, as its seed says.
struct Scenario {
    enum Fault {
        /// A share of the hosts reaches the server no more.
        case partition(share: Double)
        /// Messages are lost with this probability.
        case loss(Double)
        /// The mean delay of messages, in seconds.
        case slowness(Double)
        /// A share of the hosts stands still.
        case pause(share: Double)
        /// A share of the hosts ends and starts again.
        case death(share: Double)
        /// The server stops, and keeps its data.
        case outage
        /// The server starts again without data, and its clock jumps.
        case emptyRestart(clockStep: Double)

        var name: String {
            switch self {
            case .partition: "partition"
            case .loss: "loss"
            case .slowness: "slowness"
            case .pause: "pause"
            case .death: "death"
            case .outage: "outage"
            case .emptyRestart: "empty restart"
            }
        }
    }

    struct Episode {
        let fault: Fault
        let begins: Double
        let ends: Double
    }

    let seed: UInt64
    var hosts: Int
    var resources: Int
    /// Reads of all hosts, in a second.
    var readsPerSecond: Double
    var changesPerSecond: Double
    var wipesPerSecond: Double
    /// Calls with a limit, of all hosts.
    var callsPerSecond: Double
    var limit: SharedLimit
    /// The entries that the log keeps.
    var logEntries: Int
    var apiFailures: Double
    var episodes: [Episode] = []
    var expiration = 8.0
    var rules = LeaseRules()
    /// Hosts don't share anything, for comparison.
    var isAlone = false

    static let longestLoad = 8.0
    static let longestFault = 8.0
    /// Seconds without a fault after each.
    static let calm = 10.0

    /// The end of readers and changes.
    var busyUntil: Double { (episodes.last?.ends ?? 20) + Self.calm }
    /// One lease and a long load later, all is quiet.
    var duration: Double { busyUntil + rules.seconds + Self.longestLoad }
    /// The age of a value that a reader may get: its time, a load, a pause, and the clocks of two machines.
    var oldest: Double { expiration + Self.longestLoad + Self.longestFault + 2 * World.wallSkew + 0.5 }

    init(seed: UInt64, hosts: Int? = nil, hasFaults: Bool = true) {
        self.seed = seed
        var random = SeededRandom(seed)
        let size: Int =
            switch seed % 50 {
            case 49: 1000
            case 9, 19, 29, 39: 30 + random.below(71)
            default: 2 + random.below(12)
            }
        self.hosts = max(1, hosts ?? size)
        resources = [1, 3, 10, 40][random.below(4)]
        readsPerSecond = min(1500, Double(self.hosts) * random.seconds(2...20))
        changesPerSecond = random.seconds(0.1...2)
        wipesPerSecond = random.seconds(0...0.2)
        let inFlight = random.chance(0.7) ? 1 + random.below([3, 20, 100][random.below(3)]) : nil
        let rate = inFlight == nil || random.chance(0.5) ? random.seconds(2...200) : nil
        limit = SharedLimit(
            inFlight: inFlight, rate: rate, burst: max(1, ((rate ?? 0) * random.seconds(0.01...1)).rounded()))
        // A call takes a tenth of a second in the mean. The demand is less than the limit, or a little more.
        let most = min(rate ?? 1000, inFlight.map { Double($0) * 9 } ?? 1000)
        callsPerSecond = min(500, most * random.seconds(0.1...1.1)) / 1.5
        logEntries = [8, 100, 10_000][random.below(3)]
        apiFailures = random.chance(0.3) ? random.seconds(0...0.3) : 0
        guard hasFaults else { return }
        var time = random.seconds(2...5)
        for _ in 0..<(1 + random.below(3)) {
            let ends = time + random.seconds(0.3...Self.longestFault)
            episodes.append(Episode(fault: Self.fault(&random), begins: time, ends: ends))
            time = ends + Self.calm + random.seconds(0...3)
        }
    }

    private static func fault(_ random: inout SeededRandom) -> Fault {
        let share = random.seconds(0...1)
        return switch random.below(7) {
        case 0: .partition(share: share)
        case 1: .loss(random.seconds(0.01...0.6))
        case 2: .slowness(random.seconds(0.005...0.06))
        case 3: .pause(share: share)
        case 4: .death(share: share)
        case 5: .outage
        default: .emptyRestart(clockStep: random.seconds(-20...20))
        }
    }
}

import Platform

/// Runs hosts with the real code of leases, invalidations and limits on a virtual clock and network, with
/// faults, and checks the promises. It is not part of a release; scripts/simulate builds and runs it.
@main
struct Program {
    private static let usage = """
        usage: scripts/simulate [--seeds N] [--seed N] [--from N] [--hosts N] [--alone] [--no-faults] [--json]
                                [--break fencing|numbers|gaps|counts]
          --seeds N     the number of runs; 100 if it is missing
          --from N      the first seed; 0 if it is missing
          --seed N      this run alone
          --hosts N     with this many hosts, and not as many as the seed says
          --alone       hosts share nothing, for comparison
          --no-faults   no partitions, losses, pauses and so on
          --json        prints the figures as JSON
          --break X     breaks a promise by intent, so that runs fail
        """

    private var seeds: UInt64 = 100
    private var first: UInt64 = 0
    private var hosts: Int?
    private var isAlone = false
    private var hasFaults = true
    private var isJSON = false
    private var broken: Set<Promise> = []

    static func main() {
        guard let program = Program(Array(CommandLine.arguments.dropFirst())) else {
            print(usage)
            exit(2)
        }
        exit(program.run() ? 0 : 1)
    }

    private init?(_ arguments: [String]) {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--alone": isAlone = true
            case "--no-faults": hasFaults = false
            case "--json": isJSON = true
            case "--break":
                guard let promise = rest.popFirst().flatMap(Promise.init) else { return nil }
                broken.insert(promise)
            case "--seeds", "--seed", "--from", "--hosts":
                guard let number = rest.popFirst().flatMap({ UInt64($0) }), number < 1 << 32 else {
                    return nil
                }
                switch argument {
                case "--seeds": seeds = number
                case "--seed": (first, seeds) = (number, 1)
                case "--from": first = number
                default: hosts = Int(number)
                }
            default: return nil
            }
        }
    }

    private func run() -> Bool {
        var report = Report()
        for seed in first..<(first + seeds) {
            var scenario = Scenario(seed: seed, hosts: hosts, hasFaults: hasFaults)
            scenario.isAlone = isAlone
            let world = World(scenario, breaking: broken)
            world.run()
            report.add(world)
            guard world.checks.failureCount > 0, !isJSON else { continue }
            describe(world)
        }
        print(isJSON ? report.json : report.text)
        return report.failedSeeds.isEmpty
    }

    private func describe(_ world: World) {
        let scenario = world.scenario
        print("seed \(scenario.seed) breaks \(world.checks.failureCount) promises:")
        for failure in world.checks.failures { print("  " + failure) }
        for episode in scenario.episodes {
            print(
                "  fault: \(episode.fault.name), from \(rounded(episode.begins)) s to \(rounded(episode.ends)) s"
            )
        }
        var again = "scripts/simulate --seed \(scenario.seed)"
        if let hosts { again += " --hosts \(hosts)" }
        if isAlone { again += " --alone" }
        if !hasFaults { again += " --no-faults" }
        for promise in broken.map(\.rawValue).sorted() { again += " --break \(promise)" }
        print("  again: " + again)
    }
}

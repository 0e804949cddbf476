import Coordination
import Testing

@testable import resthost_simulate

/// The whole search is `scripts/simulate`. These tests show that its assertions see what they are for.
@Suite struct SimulationTests {
    private func failures(_ seeds: Range<UInt64>, breaking promise: Promise? = nil, hosts: Int = 6) -> Int {
        seeds.count { seed in
            let world = World(
                Scenario(seed: seed, hosts: hosts), breaking: promise.map { [$0] } ?? [])
            world.run()
            return world.checks.failureCount > 0
        }
    }

    @Test func `No run breaks a promise`() { #expect(failures(0..<4) == 0) }

    @Test func `A server that takes any number is found out`() {
        #expect(failures(Self.unfenced..<(Self.unfenced + 1), breaking: .fencing) == 1)
        #expect(failures(Self.unfenced..<(Self.unfenced + 1)) == 0)
    }

    @Test func `A server that gives a number twice is found out`() {
        #expect(failures(0..<1, breaking: .numbers) == 1)
    }

    @Test func `A host that goes on over a gap is found out`() {
        #expect(failures(Self.gap..<(Self.gap + 1), breaking: .gaps) == 1)
        #expect(failures(Self.gap..<(Self.gap + 1)) == 0)
    }

    @Test func `A server that forgets permits is found out`() {
        #expect(failures(0..<1, breaking: .counts) == 1)
    }

    @Test func `A seed always gives the same run`() {
        let runs = (0..<2).map { _ in
            let world = World(Scenario(seed: 3, hosts: 5))
            world.run()
            return [world.queue.count, world.api.loads, world.checks.reads]
        }
        #expect(runs[0] == runs[1])
    }

    @Test func `Hosts that share ask the API less often`() {
        var alone = Scenario(seed: 3, hosts: 6)
        alone.isAlone = true
        let worlds = [World(Scenario(seed: 3, hosts: 6)), World(alone)]
        for world in worlds { world.run() }
        #expect(worlds[0].api.loads < worlds[1].api.loads)
    }

    /// Seeds at whose runs the promise matters.
    private static let unfenced: UInt64 = 67
    private static let gap: UInt64 = 6
}

import TestSupport
import Testing

@testable import RestEngine

/// All pairs of circumstances, in random orders, because most faults occur where two of them meet.
@Suite(.leakChecked) @EngineActor
struct CircumstanceTests {
    /// Orders of events for each pair.
    private static let rounds = FuzzRounds.count(WholeRun.isWanted ? 40 : 4)

    @Test(arguments: Circumstance.pairs)
    func `a request that meets two circumstances keeps its promises`(pair: CircumstancePair) async throws {
        var seeds = FuzzRounds.random(seed: 40)
        for _ in 0..<Self.rounds {
            let seed = seeds.next() >> 8
            let run = try CircumstanceRun(pair, seed: seed)
            try await run.run()
            guard run.violations.isEmpty else {
                Issue.record(
                    "\(pair.testDescription), seed \(seed): \(run.violations.joined(separator: "; "))")
                return
            }
        }
    }
}

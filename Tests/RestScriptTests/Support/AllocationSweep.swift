import RestEngine
import Testing

@testable import LuaRuntime

/// Refuses the first, second, third … allocation of a script, one in each round, until a round makes fewer
/// allocations.
@EngineActor
struct AllocationSweep {
    /// This number of allocations is refused one by one, and of later ones one in thirteen, so that each
    /// place of a loop's even steps is reached.
    var dense = 120
    private let stride = 13

    /// - Parameters:
    ///   - state: Asked for in each round, because a round may begin with a new state.
    ///   - round: Runs the code in which the nth allocation is refused.
    ///   - check: Checks the state afterwards, without refusals.
    /// - Returns: The approximate number of a round's allocations.
    @discardableResult
    func run(
        _ state: () -> LuaState, _ round: (Int) throws -> Void, check: (Int) throws -> Void
    ) throws -> Int {
        var nth = 1
        var wasRefused = true
        while wasRefused {
            let lua = state()
            lua.refuseAllocation(nth)
            try round(nth)
            wasRefused = lua.hasRefusedAllocation
            lua.refuseAllocation(0)
            try check(nth)
            nth += nth < dense ? 1 : stride
            try #require(nth < 50_000)
        }
        return nth
    }
}

/// The memory and objects of a state after a full collection.
struct LuaFootprint {
    let hostObjects: Int
    let references: Int
    let bytes: Int

    init(_ state: LuaState) {
        // Finalizers of one collection release objects that the next one finds, and each collection halves
        // tables that are much too large.
        for _ in 0..<8 { state.collectGarbage() }
        hostObjects = state.hostObjectCount
        references = state.referenceCount
        bytes = state.memoryUsed
    }

    /// Expects that the state has not grown since `before`.
    func expectBack(to before: LuaFootprint, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(hostObjects == before.hostObjects, "host objects", sourceLocation: sourceLocation)
        #expect(references == before.references, "references", sourceLocation: sourceLocation)
        // Tables that have grown keep some of their size.
        #expect(bytes < before.bytes + 24 << 10, "bytes", sourceLocation: sourceLocation)
    }
}

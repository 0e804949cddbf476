import RestEngine
import Testing

@testable import LuaRuntime

/// Refuses the first, second, third … allocation of a script, each in a round of its own, until a round makes
/// fewer.
@EngineActor
struct AllocationSweep {
    /// So many are refused one by one, and of those behind them one in thirteen: what a loop allocates in
    /// even steps is met in each of its places.
    var dense = 120
    private let stride = 13

    /// - Parameters:
    ///   - state: is asked for in each round, for that may begin with another one.
    ///   - round: does something in which the nth allocation is refused.
    ///   - check: looks at what that left, with no refusal any more.
    /// - Returns: how many allocations a round makes, about.
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

/// What a state holds once its garbage is gone.
struct LuaFootprint {
    let hostObjects: Int
    let references: Int
    let bytes: Int

    init(_ state: LuaState) {
        // Finalizers of a collection let go of what the next one finds, and each halves tables that are much
        // too large.
        for _ in 0..<8 { state.collectGarbage() }
        hostObjects = state.hostObjectCount
        references = state.referenceCount
        bytes = state.memoryUsed
    }

    /// That nothing has come to what there was before.
    func expectBack(to before: LuaFootprint, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(hostObjects == before.hostObjects, "host objects", sourceLocation: sourceLocation)
        #expect(references == before.references, "references", sourceLocation: sourceLocation)
        // Tables that grew keep some of their size.
        #expect(bytes < before.bytes + 24 << 10, "bytes", sourceLocation: sourceLocation)
    }
}

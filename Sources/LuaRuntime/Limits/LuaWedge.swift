/// A run that should have ended long ago: it is in a native call that looks at no budget. Its thread can't be helped; a
/// state that has such a thread to itself can be given up.
public struct LuaWedge: Sendable, Equatable {
    /// What runs: "transformer".
    public let phase: String
    /// For how long, at least.
    public let seconds: Double
    /// CPU seconds that it may take.
    public let limit: Double
    /// It has come back after all.
    public let isOver: Bool
    /// The run that it is about; nil in tests.
    private let run: (lookout: RunLookout, sequence: UInt64)?

    package init(phase: String, seconds: Double, limit: Double, isOver: Bool) {
        self.init(phase: phase, seconds: seconds, limit: limit, isOver: isOver, run: nil)
    }

    init(
        phase: String, seconds: Double, limit: Double, isOver: Bool,
        run: (lookout: RunLookout, sequence: UInt64)?
    ) {
        self.phase = phase
        self.seconds = seconds
        self.limit = limit
        self.isOver = isOver
        self.run = run
    }

    /// The run has come to no end since this was found. Any thread.
    var isStillOn: Bool { run.map { $0.lookout.read().sequence == $0.sequence } ?? !isOver }

    public static func == (one: LuaWedge, other: LuaWedge) -> Bool {
        one.phase == other.phase && one.seconds == other.seconds && one.limit == other.limit
            && one.isOver == other.isOver
    }
}

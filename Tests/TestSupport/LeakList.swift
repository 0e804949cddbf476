public import RestEngine
public import Testing

/// The objects of one test that must be gone when it is over.
@EngineActor
public final class LeakList {
    @TaskLocal public static var current: LeakList?

    private struct Member {
        let name: String
        weak var object: AnyObject?
    }
    private var members: [Member] = []

    nonisolated init() {}

    public func watch(_ object: some AnyObject) {
        members.append(Member(name: "\(type(of: object))", object: object))
    }

    var survivors: [String] { members.filter { $0.object != nil }.map(\.name) }
}

/// Fails each test of a suite that leaves an object of its ``EngineFixture`` alive, by a cycle or by a
/// request in flight.
public struct LeakChecked: SuiteTrait, TestTrait, TestScoping {
    public var isRecursive: Bool { true }

    public func provideScope(
        for test: Test, testCase: Test.Case?,
        performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        let list = LeakList()
        try await LeakList.$current.withValue(list) { try await function() }
        // The last release may come from a task that is just ending. On a busy machine its thread may wait,
        // and the deinit is then left to the loop.
        let begin = ContinuousClock.now
        var survivors = await list.survivors
        while !survivors.isEmpty, begin.duration(to: .now) < .seconds(TestTimeout.limit) {
            await Task.yield()
            survivors = await list.survivors
        }
        if !survivors.isEmpty {
            Issue.record("still alive after the test: \(survivors.joined(separator: ", "))")
        }
    }
}

extension Trait where Self == LeakChecked {
    public static var leakChecked: LeakChecked { LeakChecked() }
}

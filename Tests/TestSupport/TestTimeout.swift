public import Testing

/// Ends waits that would never end. A test that hangs would keep all others from running, and would report
/// nothing.
///
/// Tests only wait by these functions: tasks with ``waiting(for:at:isolation:_:)``,
/// ``patiently(_:at:isolation:giveUp:_:)`` and ``yielding(until:at:isolation:_:)``, threads with ``Gate``,
/// ``Checkpoint`` and ``spinning(until:at:_:)``.
public enum TestTimeout {
    /// The limit in seconds. Most waits take milliseconds, but the machine may be busy.
    @TaskLocal public static var limit = 25

    /// The consequence of a wait in vain: it fails the test.
    @TaskLocal public static var report: @Sendable (String, SourceLocation) -> Void = {
        Issue.record("\($0)", sourceLocation: $1)
    }

    /// Calls `giveUp` after the limit and fails the test with the name of the wait, unless it is cancelled
    /// before.
    public static func watch(
        _ what: String, at location: SourceLocation, giveUp: @escaping @Sendable () -> Void
    ) -> Task<Void, Never> {
        Task {
            try? await Task.sleep(for: .seconds(limit))
            guard !Task.isCancelled else { return }
            end(what, at: location)
            giveUp()
        }
    }

    /// Fails the test because it waited in vain.
    public static func end(_ what: String, at location: SourceLocation) {
        report("waited \(limit) seconds in vain for \(what)", location)
    }
}

/// Waits until `begin`'s argument is called, and returns the value of that call. Nil if it takes too long,
/// which fails the test. Further calls have no effect.
public func waiting<Value: Sendable>(
    for what: String, at location: SourceLocation = #_sourceLocation,
    isolation: isolated (any Actor)? = #isolation,
    _ begin: (@escaping @Sendable (Value) -> Void) -> Void
) async -> Value? {
    let answer = SingleAnswer<Value>()
    let timeout = TestTimeout.watch(what, at: location) { answer.give(nil) }
    defer { timeout.cancel() }
    return await withCheckedContinuation(isolation: isolation) { continuation in
        answer.expect(continuation)
        begin { answer.give($0) }
    }
}

/// Waits for an operation that `giveUp` can end. If it takes too long, `giveUp` ends it and the test fails.
public func patiently<Value>(
    _ what: String, at location: SourceLocation = #_sourceLocation,
    isolation: isolated (any Actor)? = #isolation,
    giveUp: @escaping @Sendable () -> Void, _ wait: () async throws -> Value
) async rethrows -> Value {
    let timeout = TestTimeout.watch(what, at: location, giveUp: giveUp)
    defer { timeout.cancel() }
    return try await wait()
}

/// Lets other tasks run until `condition` holds. If it takes too long, the test fails.
public func yielding(
    until what: String, at location: SourceLocation = #_sourceLocation,
    isolation: isolated (any Actor)? = #isolation, _ condition: () async throws -> Bool
) async rethrows {
    let began = ContinuousClock.now
    while try await !condition() {
        if began.duration(to: .now) > .seconds(TestTimeout.limit) {
            return TestTimeout.end(what, at: location)
        }
        await Task.yield()
    }
}

/// Does the same for a thread that stays busy meanwhile.
public func spinning(
    until what: String, at location: SourceLocation = #_sourceLocation, _ condition: () throws -> Bool
) rethrows {
    let began = ContinuousClock.now
    while try !condition() {
        if began.duration(to: .now) > .seconds(TestTimeout.limit) {
            return TestTimeout.end(what, at: location)
        }
    }
}

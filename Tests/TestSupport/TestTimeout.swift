public import Testing

/// Ends waits that would never end: a test that hangs keeps all others from running and says nothing.
///
/// No test waits but by this: tasks with ``waiting(for:at:isolation:_:)``,
/// ``patiently(_:at:isolation:giveUp:_:)`` and ``yielding(until:at:isolation:_:)``, threads with ``Gate``,
/// ``Checkpoint`` and ``spinning(until:at:_:)``.
public enum TestTimeout {
    /// Seconds. What is waited for takes milliseconds; a machine may be busy with other things.
    @TaskLocal public static var limit = 25

    /// What a wait in vain does: it fails the test.
    @TaskLocal public static var report: @Sendable (String, SourceLocation) -> Void = {
        Issue.record("\($0)", sourceLocation: $1)
    }

    /// Calls `giveUp` after the limit, and fails the test with what it waited for, unless this is cancelled
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

    /// Fails the test: it waited in vain.
    public static func end(_ what: String, at location: SourceLocation) {
        report("waited \(limit) seconds in vain for \(what)", location)
    }
}

/// Waits until `begin`'s argument is called, with what it is called with; nil when that takes too long, which
/// fails the test. Further calls do nothing.
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

/// Waits for what can be ended from outside, which `giveUp` does when it takes too long; that fails the test.
public func patiently<Value>(
    _ what: String, at location: SourceLocation = #_sourceLocation,
    isolation: isolated (any Actor)? = #isolation,
    giveUp: @escaping @Sendable () -> Void, _ wait: () async throws -> Value
) async rethrows -> Value {
    let timeout = TestTimeout.watch(what, at: location, giveUp: giveUp)
    defer { timeout.cancel() }
    return try await wait()
}

/// Lets other tasks have turns until `condition` holds; not for ever, which fails the test.
public func yielding(
    until what: String, at location: SourceLocation = #_sourceLocation,
    isolation: isolated (any Actor)? = #isolation, _ condition: () async throws -> Bool
) async rethrows {
    let began = ContinuousClock.now
    while try await !condition() {
        if began.duration(to: .now) > .seconds(TestTimeout.limit) { return TestTimeout.end(what, at: location) }
        await Task.yield()
    }
}

/// The same for a thread that is to be busy meanwhile.
public func spinning(
    until what: String, at location: SourceLocation = #_sourceLocation, _ condition: () throws -> Bool
) rethrows {
    let began = ContinuousClock.now
    while try !condition() {
        if began.duration(to: .now) > .seconds(TestTimeout.limit) { return TestTimeout.end(what, at: location) }
    }
}

/// The isolation of everything that the engine owns: services, resources, requests, the script's main Lua state
/// and the transport's handles. It runs on one thread, ``EngineLoop``.
@globalActor
public actor EngineActor {
    /// The one instance.
    public static let shared = EngineActor()

    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        EngineLoop.shared.asUnownedSerialExecutor()
    }

    /// Runs `body` here and now, which must be the engine loop's thread; elsewhere the process stops with a
    /// message that names both threads. For callbacks of C libraries, which the compiler can't place.
    public static func assumeIsolated<Result>(
        _ body: @EngineActor () throws -> Result
    ) rethrows -> Result {
        EngineLoop.shared.checkIsolated()
        return try withoutActuallyEscaping(body) { body in
            // The types differ in isolation alone, which was checked above; this is how the standard library
            // implements the same call for its main actor.
            try unsafeBitCast(body, to: (() throws -> Result).self)()
        }
    }

    /// Runs `body` on the engine loop and waits for its result.
    public static func run<Result: Sendable>(
        _ body: @EngineActor () throws -> Result
    ) async rethrows -> Result {
        try await body()
    }
}

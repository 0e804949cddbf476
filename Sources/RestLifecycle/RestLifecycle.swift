public import RestEngine
public import ServiceLifecycle

/// An engine in a `ServiceGroup`:
///
///     let api = await EngineLifecycle(engine, grace: .seconds(20))
///     try await ServiceGroup(services: [api], gracefulShutdownSignals: [.sigterm], logger: logger).run()
///
/// Make it before the engine's first request, because it can cancel only later ones.
///
/// An engine can have several, in several groups: it is shut down by the first that ends.
public struct EngineLifecycle: ServiceLifecycle.Service {
    private let engine: Engine
    private let grace: Duration

    /// - Parameters:
    ///   - grace: The time that requests in flight have after a graceful shutdown has begun.
    ///   - engine: The engine, before its first request.
    @EngineActor
    public init(_ engine: Engine, grace: Duration = .seconds(30)) {
        (self.engine, self.grace) = (engine, grace)
        engine.listRequests()
    }

    /// Keeps the engine up until a graceful shutdown or until the task is cancelled.
    ///
    /// After a graceful shutdown the engine takes no new requests: the error of such a request has
    /// `isShutdown`. Streams of events end. Requests in flight go on, with all that belongs to
    /// them: waits in a queue, retries, redirects, refreshes, chains and bodies that are being read. After
    /// `grace` those that are left are cancelled. If the task is cancelled, before or meanwhile, all are
    /// cancelled at once.
    ///
    /// It returns when no work is left. The engine stays shut down.
    ///
    /// - Throws: `CancellationError` if the task was cancelled before a graceful shutdown;
    ///   ``EngineAlreadyShutDown`` at once for an engine that is shut down.
    public func run() async throws {
        guard await !engine.isShutDown else { throw EngineAlreadyShutDown() }
        do { try await gracefulShutdown() } catch {
            await engine.shutDown(within: .zero)
            throw error
        }
        await engine.shutDown(within: grace)
    }
}

/// An engine that is shut down can't run again: make another one.
public struct EngineAlreadyShutDown: Error, CustomStringConvertible {
    public var description: String { "the engine is shut down and can't run again" }
}

extension RequestError {
    /// Whether the request began after its engine was shut down, and was not sent. Its `code` is then
    /// `shutting_down`.
    public var isShutdown: Bool { code == Engine.shutdownCode }
}

/// The engine's `Service`, in files that import ServiceLifecycle too, whose protocol has the same name.
public typealias RestService = RestEngine.Service

import CurlTransport
import Dispatch
import LuaRuntime
import Platform
import RestEngine
import RestScript

/// Makes the engine with its transport, and loads a script into it.
@EngineActor
enum HostEngine {
    /// The transport of a host. When its loop is busy, other processors may do a part of the work.
    static func transport(_ options: TransportOptions = TransportOptions()) -> CurlTransport {
        CurlTransport(options: options, mayLeaveLoop: true)
    }

    static func make(_ transport: any Transport = HostEngine.transport(), log: LogText) -> Engine {
        let engine = Engine(transport: transport)
        engine.log.handler = { category, text in log.write(category, text) }
        return engine
    }

    /// Loads a script. On an error it prints the diagnostic and returns nil.
    ///
    /// - Parameters:
    ///   - startsWork: False to load only the declarations and start no work.
    ///   - readsStores: True to read the values of stores in files, cookies among them, and change nothing.
    ///   - traffic: The destination of its requests, if they are sent.
    ///   - isOffline: True when no request may be sent.
    static func load(
        _ arguments: ScriptValues, log: LogText, startsWork: Bool = true, startsJobs: Bool = true,
        readsStores: Bool = false, traffic: Traffic? = nil, isOffline: Bool = false
    ) -> ScriptHost? {
        let engine = startsWork ? traffic?.makeEngine() ?? make(log: log) : make(NullTransport(), log: log)
        engine.isOffline = isOffline
        engine.log.enabled = arguments.logCategories
        do throws(Diagnostic) {
            var options = try arguments.options(log: log)
            options.startsWork = startsWork && startsJobs
            if !startsWork {
                options.makeTransport = { NullTransport(options: $0) }
                options.openStoresInMemory(readingFiles: readsStores)
            }
            return try ScriptHost(path: arguments.config, engine: engine, options: options)
        } catch {
            Streams.error(DiagnosticText().text(error))
            return nil
        }
    }
}

/// The main thread only parses arguments and waits. The work is done on the engine loop.
enum MainThread {
    /// Runs `body` on the engine loop, waits, and returns its exit code.
    static func wait(_ body: @escaping @Sendable @EngineActor () async -> Int32) -> Int32 { value(body) }

    /// Calls `begin` on the engine loop, and ends the process with the code of `end`. It uses no task,
    /// because the runtime would start threads for one.
    static func leave(
        _ begin: @escaping @Sendable @EngineActor (_ end: @escaping @EngineActor (Int32) -> Void) -> Void
    ) -> Never {
        LuaWatchdog.shared.holdBack()
        EngineLoop.shared.submit { begin { Streams.exit($0) } }
        // Most commands have ended by now, so they need no watchdog.
        usleep(250_000)
        LuaWatchdog.shared.begin()
        while true { pause() }
    }

    /// Runs `body` on the engine loop, waits, and returns its result.
    static func value<Value: Sendable>(_ body: @escaping @Sendable @EngineActor () async -> Value) -> Value {
        let outcome = Outcome<Value>()
        Task { @EngineActor in
            outcome.set(await body())
        }
        return outcome.get()
    }

    private final class Outcome<Value: Sendable>: Sendable {
        private let semaphore = DispatchSemaphore(value: 0)
        // It is written once before the signal, and read once after it.
        nonisolated(unsafe) private var value: Value?

        func set(_ value: Value) {
            self.value = value
            semaphore.signal()
        }

        func get() -> Value {
            while true {
                semaphore.wait()
                if let value { return value }
            }
        }
    }
}

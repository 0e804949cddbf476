import CurlTransport
import Dispatch
import LuaRuntime
import Platform
import RestEngine
import RestScript

/// Puts the engine together with its transport, and loads a script into it.
@EngineActor
enum HostEngine {
    /// What a host sends by: while its loop is full, other processors may have a part of it.
    static func transport(_ options: TransportOptions = TransportOptions()) -> CurlTransport {
        CurlTransport(options: options, mayLeaveLoop: true)
    }

    static func make(_ transport: any Transport = HostEngine.transport(), log: LogText) -> Engine {
        let engine = Engine(transport: transport)
        engine.log.handler = { category, text in log.write(category, text) }
        return engine
    }

    /// Loads a script; on failure prints what is wrong and gives nil.
    ///
    /// - Parameters:
    ///   - startsWork: False to look at what it declares, with nothing of it running.
    ///   - traffic: Where its requests go, if they go anywhere.
    ///   - isOffline: Nothing may be sent.
    static func load(
        _ arguments: ScriptValues, log: LogText, startsWork: Bool = true, traffic: Traffic? = nil,
        isOffline: Bool = false
    ) -> ScriptHost? {
        let engine = startsWork ? traffic?.makeEngine() ?? make(log: log) : make(NullTransport(), log: log)
        engine.isOffline = isOffline
        engine.log.enabled = arguments.logCategories
        do throws(Diagnostic) {
            var options = try arguments.options(log: log)
            options.startsWork = startsWork
            if !startsWork {
                options.makeTransport = { NullTransport(options: $0) }
                options.openStoresInMemory()
            }
            return try ScriptHost(path: arguments.config, engine: engine, options: options)
        } catch {
            Streams.error(DiagnosticText().text(error))
            return nil
        }
    }
}

/// The main thread only parses arguments and waits; the work is on the engine loop.
enum MainThread {
    /// Runs `body` on the engine loop and waits for the exit code that it gives.
    static func wait(_ body: @escaping @Sendable @EngineActor () async -> Int32) -> Int32 { value(body) }

    /// Calls `begin` on the engine loop, and ends the process with the code that it ends with. Without a
    /// task: those that wait for something go by way of threads of the runtime, which it would start for it.
    static func leave(
        _ begin: @escaping @Sendable @EngineActor (_ end: @escaping @EngineActor (Int32) -> Void) -> Void
    ) -> Never {
        LuaWatchdog.shared.holdBack()
        EngineLoop.shared.submit { begin { Streams.exit($0) } }
        // Most are over by now, and then nobody had to watch them.
        usleep(250_000)
        LuaWatchdog.shared.begin()
        while true { pause() }
    }

    /// Runs `body` on the engine loop and waits for what it gives.
    static func value<Value: Sendable>(_ body: @escaping @Sendable @EngineActor () async -> Value) -> Value {
        let outcome = Outcome<Value>()
        Task { @EngineActor in
            outcome.set(await body())
        }
        return outcome.get()
    }

    private final class Outcome<Value: Sendable>: Sendable {
        private let semaphore = DispatchSemaphore(value: 0)
        // Written once before the signal, read once after it.
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

import CurlTransport
import RestEngine
import RestScript

/// Puts the engine together with its transport, and loads a script into it.
@EngineActor
enum HostEngine {
    static func make(_ transport: any Transport = CurlTransport(), log: LogText = LogText()) -> Engine {
        let engine = Engine(transport: transport)
        engine.log.handler = { category, text in log.write(category, text) }
        return engine
    }

    /// Loads a script; on failure prints what is wrong and gives nil.
    ///
    /// - Parameter startsWork: False to look at what it declares, with nothing of it running.
    static func load(_ arguments: ScriptArguments, log: LogText, startsWork: Bool = true) -> ScriptHost? {
        let engine = make(startsWork ? CurlTransport() : NullTransport(), log: log)
        engine.log.enabled = arguments.logCategories
        do throws(Diagnostic) {
            var options = try arguments.options(log: log)
            options.startsWork = startsWork
            if !startsWork {
                options.makeTransport = { _ in NullTransport() }
                options.openStoresInMemory()
            }
            return try ScriptHost(path: arguments.config, engine: engine, options: options)
        } catch {
            Streams.error(DiagnosticText().text(error))
            return nil
        }
    }
}

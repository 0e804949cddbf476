import CurlTransport
import RestEngine
import RestScript

/// Puts the engine together with its transport, and loads a script into it.
@EngineActor
enum HostEngine {
    static func make(_ transport: any Transport = CurlTransport()) -> Engine {
        let engine = Engine(transport: transport)
        engine.log.handler = { category, text in Streams.error(EngineLogText.text(category, text)) }
        return engine
    }

    /// Loads a script; on failure prints what is wrong and gives nil.
    static func load(_ arguments: ScriptArguments, log: LogText) -> ScriptHost? {
        let engine = make()
        engine.log.enabled = arguments.logCategories
        do throws(Diagnostic) {
            return try ScriptHost(
                path: arguments.config, engine: engine, options: arguments.options(log: log))
        } catch {
            Streams.error(DiagnosticText().text(error))
            return nil
        }
    }
}

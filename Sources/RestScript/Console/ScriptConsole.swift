import LuaRuntime
public import RestEngine

/// Evaluates text in a loaded script, piece by piece, as a person types it.
///
/// Each piece is a chunk and a coroutine of its own, so it may wait. Its globals are in a table of the
/// console, and lookups continue in the script's globals. The console's globals can be set, the script's
/// can't. `rest` and the services are defined from the start.
@EngineActor
public final class ScriptConsole {
    /// The outcome of a piece.
    public enum Outcome: Sendable {
        /// The piece is not complete: more lines are needed.
        case incomplete
        /// The values of an expression, for people; empty for a statement.
        case done([String])
        case failed(Diagnostic)
        case cancelled
    }

    /// The name of the text in messages.
    public static let chunk = "repl"

    let host: ScriptHost
    let environment: LuaReference
    private var running: LuaCoroutine?

    var context: ScriptContext { host.context }

    public init(_ host: ScriptHost) {
        self.host = host
        let context = host.context
        let lua = context.state.main
        lua.newTable()
        lua.newTable(record: 2)
        context.sandbox.pushGlobals(on: lua)
        lua.rawSet(-2, "__index")
        lua.push(false)
        lua.rawSet(-2, "__metatable")
        lua.setMetatable(-2)
        if (try? context.sandbox.pushModule("resthost", on: lua)) != nil { lua.rawSet(-2, "rest") }
        for service in host.services {
            context.values.push(service, on: lua)
            lua.rawSet(-2, Self.variable(for: service))
        }
        environment = lua.reference(-1)
        lua.pop()
    }

    /// The variable name of a service. Characters that a name may not have become `_`.
    public static func variable(for service: Service) -> String {
        let name = String(service.name.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" })
        return name.first?.isNumber == true ? "_" + name : name
    }

    /// Runs a piece: an expression, whose values are shown, or statements. `done` is called once, when the
    /// piece has ended.
    public func evaluate(_ text: String, done: @escaping @EngineActor (Outcome) -> Void) {
        // The state of the piece is gone with the host.
        guard !host.isClosed else { return done(.cancelled) }
        let function: LuaReference
        do throws(LuaError) { function = try compile(text) } catch {
            return done(Self.isIncomplete(error) ? .incomplete : .failed(diagnostic(error)))
        }
        let coroutine = context.sandbox.spawn(
            function, phase: context.phases.job,
            completion: onLoop { [weak self] (lua: Lua, result: Result<Int32, LuaError>) in
                guard let self else { return done(.cancelled) }
                running = nil
                done(outcome(lua, result))
            })
        if !coroutine.isFinished { running = coroutine }
    }

    /// Ends the piece that is waiting.
    public func cancel() { running?.cancel() }

    /// True when the text has ended too early, so more lines may follow.
    private static func isIncomplete(_ error: LuaError) -> Bool {
        error.kind == .syntax && error.message.hasSuffix("near <eof>")
    }

    /// Compiles the piece as an expression, or else as statements. Throws the error of the form that more
    /// lines could complete.
    private func compile(_ text: String) throws(LuaError) -> LuaReference {
        let isAsked = text.hasPrefix("=")
        let expression = "return " + (isAsked ? text.dropFirst() : text[...])
        let fault: LuaError
        do throws(LuaError) {
            return try context.sandbox.compile(expression, chunk: Self.chunk, environment: environment)
        } catch { fault = error }
        if isAsked { throw fault }
        do throws(LuaError) {
            return try context.sandbox.compile(text, chunk: Self.chunk, environment: environment)
        } catch { throw Self.isIncomplete(fault) ? fault : error }
    }

    private func outcome(_ lua: Lua, _ result: Result<Int32, LuaError>) -> Outcome {
        switch result {
        case .success(let count):
            let first = lua.top - count + 1
            let values = (0..<count).map { ValueText(limit: 4000).text(lua, first + $0) }
            return .done(values.map(ValueLayout.text))
        case .failure(let error):
            return error.kind == .cancelled ? .cancelled : .failed(diagnostic(error))
        }
    }

    private func diagnostic(_ error: LuaError) -> Diagnostic {
        ScriptFailures.diagnostic(of: error, in: context.state)
    }
}

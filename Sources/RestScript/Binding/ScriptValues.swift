import LuaRuntime
import RestEngine

/// What a Lua state needs so that scripts see contents, entities and errors: in the script's own state, and in those of
/// its transformer modules. It belongs to the thread of that state, and so does all that is added to it.
protocol ScriptValues: AnyObject {
    var state: LuaState { get }
    var trees: TreeExchange { get }
    var store: ScriptStore { get }
    var phases: ScriptPhases { get }
    /// Unix seconds.
    var now: Double { get }
    /// What it is part of has ended.
    var isClosed: Bool { get }

    var entityClass: LuaClass { get }
    var errorClass: LuaClass { get }
    var headersClass: LuaClass { get }
    var bytesClass: LuaClass { get }
    var imageClass: LuaClass { get }
    var storeClass: LuaClass { get }

    func log(_ entry: ScriptLogEntry)
    /// `rest.store.open`.
    func openStore(_ call: Arguments) throws -> Verdict
    /// A transformer's function failed.
    func transformerFailed(_ error: LuaError)
}

extension ScriptContext: @EngineActor ScriptValues {
    var store: ScriptStore { options.store }
    var now: Double { engine.scheduler.now }
    func log(_ entry: ScriptLogEntry) { options.log(entry) }
    func transformerFailed(_ error: LuaError) {}
}

extension ScriptValues {
    /// Throws when the script has been closed: the engine may hold its functions for longer than it lives.
    func requireOpen() throws(RequestError.CauseError) {
        if isClosed { throw ScriptContext.closed }
    }

    /// Logs an error of which the request doesn't tell.
    func report(_ error: RequestError, in what: String) {
        var fields: [(name: String, value: String)] = []
        var place: String?
        if case .scriptError(let failure)? = error.cause {
            fields = failure.traceback.map { [("traceback", $0)] } ?? []
            place = failure.file.map { "\($0):\(failure.line ?? 0)" }
        }
        log(ScriptLogEntry(level: .warn, text: "\(what): \(error)", fields: fields, place: place))
    }

    /// Where a function of the script was written.
    func place(of function: LuaReference) -> SourcePlace? {
        let lua = state.main
        lua.push(function)
        defer { lua.pop() }
        return lua.definition(ofFunction: -1).map { SourcePlace(file: $0.file, line: $0.line) }
    }

    /// What a function gave that can't be used; the line is the function's.
    func unusable(_ message: String, from function: LuaReference) -> RequestError.CauseError {
        let place = place(of: function)
        return RequestError.CauseError(
            .scriptError(.init(message: message, file: place?.file, line: place?.line)))
    }

    /// The value by which scripts know an error of the engine; false for errors of others.
    func present(_ error: any Error, on lua: Lua) -> Bool {
        switch error {
        case let known as RequestError: pushError(known, on: lua)
        case let refused as RequestError.CauseError:
            pushError(RequestError(cause: refused.cause, timestamp: now), on: lua)
        default: return false
        }
        return true
    }
}

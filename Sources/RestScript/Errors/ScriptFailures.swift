import LuaRuntime
import RestEngine

/// A fault of a script, for people. Known secrets are masked in it (rule 47.1).
public struct Diagnostic: Error, Sendable, Equatable {
    public enum Severity: String, Sendable { case error, warning }

    public var severity: Severity
    /// Which kind of finding it is, for programs; the names are stable (see docs/guides/tools.md).
    public var code: String
    public var message: String
    public var file: String?
    public var line: Int?
    public var traceback: String?
    /// Advice, where one is known.
    public var hint: String?

    public init(
        _ severity: Severity = .error, code: String = "script", _ message: String, file: String? = nil,
        line: Int? = nil,
        traceback: String? = nil, hint: String? = nil
    ) {
        self.severity = severity
        self.code = code
        self.message = SecretMask.standard.line(message)
        self.file = file
        self.line = line
        self.traceback = traceback.map(SecretMask.standard.line)
        self.hint = hint.map(SecretMask.standard.line)
    }
}

/// Converts Lua's errors into errors of the engine.
enum ScriptFailures {
    static func failure(of error: LuaError) -> RequestError.ScriptFailure {
        RequestError.ScriptFailure(
            message: error.message, file: error.file, line: error.line,
            traceback: error.traceback.isEmpty ? nil : error.traceback)
    }

    /// The error of a request whose block, mutator, decorator or predicate failed. An error object that the
    /// script raised is the request's error; any other error is its cause. The error of a binding has the
    /// line of the script that called it.
    static func requestCause(of error: LuaError, in values: ScriptValues) -> any Error {
        if let cause = error.cause as? RequestError.CauseError {
            var known = RequestError(cause: cause.cause, timestamp: values.now)
            if let file = error.file, let line = error.line {
                known.place = ScriptLocation(file: file, line: line)
            }
            return known
        }
        if let known = raisedError(error, in: values.state) { return known }
        return RequestError.CauseError(cause(of: error))
    }

    static func cause(of error: LuaError) -> RequestError.Cause {
        if error.kind == .cancelled { return .requestCancelled }
        guard let exceeded = error.exceeded else { return .scriptError(failure(of: error)) }
        let budget =
            switch exceeded.budget {
            case .burst: "time"
            case .total: "total_time"
            case .memory: "memory"
            }
        return .scriptLimit(
            budget: budget, used: exceeded.used, limit: exceeded.limit, failure: failure(of: error))
    }

    /// The request error that a script raised or passed on: `error(rest.error{ … })`, `error(err)`.
    static func raisedError(_ error: LuaError, in state: LuaState) -> RequestError? {
        if let known = error.cause as? RequestError { return known }
        guard let value = error.value else { return nil }
        let lua = state.main
        lua.push(value)
        defer { lua.pop() }
        return lua.object(-1, as: ScriptErrorBox.self)?.error
    }

    static func diagnostic(of error: LuaError, in state: LuaState) -> Diagnostic {
        var message = error.message
        if let known = raisedError(error, in: state) { message = known.description }
        return Diagnostic(
            .error, code: code(of: error), message, file: error.file, line: error.line,
            traceback: error.traceback.isEmpty ? nil : error.traceback, hint: hint(for: error))
    }

    private static func code(of error: LuaError) -> String {
        switch error.kind {
        case .syntax: "syntax"
        case .budget, .memory: "limit"
        default: "runtime"
        }
    }

    private static let libraryLine = "local rest = require \"resthost\""

    private static func hint(for error: LuaError) -> String? {
        switch error.kind {
        // The messages of these errors contain the advice.
        case .budget, .memory, .syntax: nil
        case _ where error.message.contains("module 'resthost.test' not found"):
            "this is a file of tests: run it with resthost test"
        case _ where error.message.contains("module 'rest'"):
            "the library is called 'resthost': \(libraryLine)"
        case _ where error.message.contains("(global 'rest')"):
            "the library is no global: \(libraryLine)"
        default: nil
        }
    }
}

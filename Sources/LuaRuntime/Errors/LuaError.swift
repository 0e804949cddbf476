import CLua

/// Why a piece of script failed.
public struct LuaError: Error, CustomStringConvertible {
    /// A bounded set, fit for a metric's label.
    public enum Kind: String, Sendable, CaseIterable {
        /// `error(…)`, or an operation on the wrong type.
        case runtime
        /// The text is no Lua, or is no text.
        case syntax
        case memory
        /// It used more CPU time than its phase gives.
        case budget
        /// It waited where that can't be.
        case wait
        /// An uncaught Swift error; see `cause`.
        case host
        case cancelled
    }

    public let kind: Kind
    /// For people, without the position.
    public let message: String
    /// The path given to `compile`, or found by `require`.
    public let file: String?
    public let line: Int?
    /// One line for each call, innermost first; empty when there is none.
    public let traceback: String
    /// The Swift error that a host function threw.
    public let cause: (any Error)?
    /// The raised value, unless it was a string.
    public let value: LuaReference?
    /// For kinds `budget` and `memory`.
    public let exceeded: ExceededLimit?
    /// The script called `error` or `assert`: the message is its own words, not Lua's.
    public let isDeliberate: Bool

    public init(
        kind: Kind, message: String, file: String? = nil, line: Int? = nil, traceback: String = "",
        cause: (any Error)? = nil, value: LuaReference? = nil, exceeded: ExceededLimit? = nil,
        isDeliberate: Bool = false
    ) {
        self.kind = kind
        self.message = message
        self.file = file
        self.line = line
        self.traceback = traceback
        self.cause = cause
        self.value = value
        self.exceeded = exceeded
        self.isDeliberate = isDeliberate
    }

    /// The same error, which happened here if it doesn't know where.
    public func placed(file: String?, line: Int?) -> LuaError {
        guard self.file == nil, let file else { return self }
        return LuaError(
            kind: kind, message: message, file: file, line: line, traceback: traceback, cause: cause,
            value: value, exceeded: exceeded, isDeliberate: isDeliberate)
    }

    /// "file:line: message".
    public var description: String {
        guard let file else { return message }
        guard let line else { return "\(file): \(message)" }
        return "\(file):\(line): \(message)"
    }
}

/// A script called something wrongly. It reaches the script as a plain string, "file:line: message".
public struct LuaUsageError: Error, CustomStringConvertible, Equatable {
    public let message: String

    public init(_ message: String) {
        self.message = message
    }

    /// A host function has given up because the script that called it has used up its time; see
    /// ``Lua/poll()``.
    public static let spent = LuaUsageError("its CPU time is used up")

    public var description: String { message }
}

/// A limit that a script passed, and by how much.
public struct ExceededLimit: Sendable, Equatable {
    /// A bounded set, fit for a metric's label.
    public enum Budget: String, Sendable, CaseIterable {
        /// CPU time without a wait.
        case burst
        /// CPU time of a whole run.
        case total
        case memory
    }

    public let budget: Budget
    /// The name of the phase whose limit it was; empty for memory, which is the state's.
    public let phase: String
    /// CPU seconds, to a hundredth, or bytes.
    public let used: Double
    public let limit: Double
}

extension ExceededLimit {
    init(_ excess: clua_excess) {
        var excess = excess
        let phase = withUnsafeBytes(of: &excess.phase) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        self.init(
            budget: excess.is_total ? .total : .burst, phase: phase,
            used: Double(excess.used_milliseconds) / 1000, limit: Double(excess.limit_milliseconds) / 1000)
    }
}

/// Carries a Swift error through Lua. Lua holds the references.
final class ErrorBox {
    let error: any Error

    init(_ error: any Error) {
        self.error = error
    }
}

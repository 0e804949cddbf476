import LuaRuntime
import Platform
import RestEngine

/// A function of a script that was given for later, with the place where it was written.
struct ScriptFunction {
    let reference: LuaReference
    /// Where the function was written; for one that was not written in Lua, where it was given. Nil when no
    /// script gave it.
    let file: String?
    let line: Int?

    /// The error for a function that returned a value of the wrong kind.
    func failure(_ message: String) -> RequestError.CauseError {
        RequestError.CauseError(.scriptError(.init(message: message, file: file, line: line)))
    }

    /// `file:line`, for descriptions.
    var place: String? { file.map { "\($0):\(line ?? 0)" } }
}

extension Arguments {
    /// A function, or a value that can be called like one.
    func scriptFunction(_ index: Int32, _ name: String) throws -> ScriptFunction {
        let reference = try callable(index, name)
        let place = lua.definition(ofFunction: slot(index)) ?? lua.callerPlace
        return ScriptFunction(reference: reference, file: place?.file, line: place?.line)
    }
}

extension OptionTable {
    func scriptFunction(_ key: String) throws -> ScriptFunction? {
        guard let reference = try function(key) else { return nil }
        lua.push(reference)
        defer { lua.pop() }
        let place = lua.definition(ofFunction: -1) ?? lua.callerPlace
        return ScriptFunction(reference: reference, file: place?.file, line: place?.line)
    }
}

extension OptionField where Values == OptionTable {
    /// - Parameter type: The function's arguments and results, for the reference.
    static func function(
        _ name: String, type: String, _ sentence: String,
        _ store: @escaping @Sendable (inout Target, ScriptFunction) throws -> Void
    ) -> Self {
        Self(name, type: type, sentence) { options, target, _ in
            if let function = try options.scriptFunction(name) { try store(&target, function) }
        }
    }
}

extension Lua {
    /// Describes a value of the wrong kind that a function returned or a script gave.
    func nameOfResult(_ index: Int32) -> String {
        let name = typeName(index)
        return switch type(index) {
        case .none, .nil: "nothing"
        default: name.first.map("aeiou".contains) == true ? "an \(name)" : "a \(name)"
        }
    }
}

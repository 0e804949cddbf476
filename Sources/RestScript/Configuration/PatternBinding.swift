import LuaRuntime
import RestEngine

/// `rest.regex(…)` as a Lua object.
final class ScriptPattern: LuaObject {
    let regex: CompiledRegex
    init(_ regex: CompiledRegex) { self.regex = regex }

    var keptBytes: Int { URLPattern.regex(regex).heldBytes }
}

/// `rest.regex`, and patterns as arguments.
struct PatternBinding: ScriptBinding {
    unowned let context: ScriptContext

    var bindings: BindingSet {
        BindingSet(
            functions: [
                ModuleFunction(
                    "regex", "(pattern: string, options: string?) -> regex", "A pattern for the whole URL."
                ) { call in try makeRegex(call) }
            ],
            classes: [show(ScriptPattern.self, as: makePatternClass)])
    }

    func makePatternClass() -> LuaClass {
        LuaClass(
            "regex",
            documentation: "A regular expression for the whole URL, query included; made by rest.regex.",
            tostring: { ($0 as? ScriptPattern).map { $0.regex.description } ?? "regex" })
    }

    func makeRegex(_ call: Arguments) throws -> CallResult {
        let text = try call.text(1, "pattern", .pattern)
        let options = try call.optionalString(2, "options") ?? ""
        do throws(PatternError) {
            values.push(ScriptPattern(try CompiledRegex(text, options: options)), on: call.lua)
        } catch { throw LuaUsageError("bad regular expression: \(error.description)") }
        return .one
    }

    /// A pattern argument: glob, regex, resource or function of the URL; see
    /// docs/guides/configuration-blocks.md.
    func pattern(_ call: Arguments, _ index: Int32, _ service: Service) throws -> URLPattern {
        let place = call.slot(index)
        switch call.type(index) {
        case .string:
            let text = try call.text(index, "pattern", .pattern)
            do throws(PatternError) { return try .glob(text, base: service.baseURL) } catch {
                throw LuaUsageError("bad pattern: \(error.description)")
            }
        case .function:
            let function = try call.scriptFunction(index, "pattern")
            return service.predicatePattern { [weak context] url in
                guard let context else { throw ScriptContext.closed }
                do {
                    return try context.runner.call(function, phase: phases.predicate) { lua in
                        values.push(url, on: lua)
                        return 1
                    } read: {
                        $0.isTruthy(-1)
                    }
                } catch let error as RequestError.CauseError { throw Self.hinting(error) }
            }
        case .nil:
            throw call.bad(
                index, "pattern",
                "got nil, which is most likely a misspelled name; without the argument it is for all")
        default:
            if let pattern = call.lua.object(place, as: ScriptPattern.self) { return .regex(pattern.regex) }
            if let resource = call.lua.object(place, as: Resource.self) {
                guard let url = resource.url else {
                    throw call.bad(index, "pattern", "the resource is invalid, so nothing is at its URL")
                }
                return .resource(url)
            }
            throw call.wrongType(index, "pattern", "glob, rest.regex(…), resource or function")
        }
    }

    /// Adds a hint to the error of a predicate that treats the URL table as a string.
    private static func hinting(_ error: RequestError.CauseError) -> RequestError.CauseError {
        guard case .scriptError(var failure) = error.cause,
            failure.message.hasPrefix("attempt to call a nil value (method '")
        else { return error }
        failure.message += ": the URL is a table of its parts, its text is url.string"
        return RequestError.CauseError(.scriptError(failure))
    }
}

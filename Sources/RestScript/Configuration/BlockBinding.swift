import LuaRuntime
import Platform
import RestEngine

/// `service:configure`.
struct BlockBinding: ScriptBinding {
    unowned let context: ScriptContext

    /// `service:configure([pattern,] [options,] fn)`. With one function, it is the block; with two, they are
    /// predicate and block.
    func add(_ call: Arguments) throws {
        let service = try call.receiver(as: Service.self)
        let last = call.count
        try Self.refuseSwapped(call, last: last, "configure", "fn")
        guard last >= 1, call.type(last) == .function else {
            // The last argument may be the pattern of a call without a function.
            let isPattern = last >= 1 && [.string, .userdata].contains(call.type(last))
            throw call.wrongType(isPattern ? last + 1 : max(1, last), "fn", "function")
        }
        guard last <= 3 else { throw LuaUsageError("'configure' takes a pattern, options and a function") }
        var pattern = URLPattern.all
        var place = 1 as Int32
        if place < last, !isOptions(call, place) {
            pattern = try PatternBinding(context: context).pattern(call, place, service)
            place += 1
        }
        guard place >= last - 1 else { throw LuaUsageError("'configure' takes a pattern before its options") }
        let options = place < last ? try call.options(place) : try call.options(last + 1)
        var given = BlockOptions()
        try options.read(BlockOptions.schema, into: &given)
        let (methods, description) = (given.methods, given.description)
        let block = try call.scriptFunction(last, "fn")
        let origin = call.place
        let gates = BlockGates()
        context.declarations.keep(pattern.heldBytes + (description?.utf8.count ?? 0))
        service.configure(
            ConfigurationEntry(
                pattern: pattern, methods: methods, description: description ?? "block \(pattern.summary)",
                origin: origin, apply: run(block, at: origin, gates)))
    }

    /// Runs a function as a block. The configuring functions of definitions run like this, too.
    func run(
        _ block: ScriptFunction, at origin: String?, _ gates: BlockGates
    ) -> @EngineActor (ConfigurationDraft) throws -> Void {
        { [weak context] draft in
            guard let context else { throw ScriptContext.closed }
            try context.blocks.run(gates) {
                try context.runner.call(
                    block, phase: phases.block,
                    arguments: { lua in
                        values.push(draft, on: lua)
                        return 1
                    }, results: 0
                ) { _ in }
                do { try PipelineBinding(context: context).takeStageOrder(at: origin) } catch let error
                    as LuaUsageError
                {
                    throw block.failure(error.message)
                }
                try ConfigurationBinding(context: context).checkAttempts(draft, of: block)
            }
        }
    }

    /// Raises an error for arguments in another order than pattern, options, function. The message says which
    /// one is misplaced.
    static func refuseSwapped(_ call: Arguments, last: Int32, _ name: String, _ what: String) throws {
        guard last >= 2 else { return }
        let order = "write \(name)(pattern, [options,] \(what))"
        if call.type(last) == .table, call.type(last - 1) == .function {
            throw LuaUsageError("the options of '\(name)' stand before the \(what): \(order)")
        }
        if call.type(1) == .table, call.lua.object(call.slot(2)) != nil || call.type(2) == .string {
            throw LuaUsageError("'\(name)' takes a pattern before its options")
        }
        let isPattern =
            switch call.type(last) {
            // The name of a module has none of these characters.
            case .string: call.lua.string(call.slot(last))?.contains { "/*?:".contains($0) } ?? false
            case .userdata:
                call.lua.object(call.slot(last), as: ScriptPattern.self) != nil
                    || call.lua.object(call.slot(last), as: Resource.self) != nil
            default: false
            }
        let isFirst =
            call.type(1) == .function || call.lua.object(call.slot(1), as: ScriptTransformerBox.self) != nil
        if isPattern, isFirst {
            throw LuaUsageError("the arguments of '\(name)' are swapped: \(order)")
        }
    }

    private func isOptions(_ call: Arguments, _ index: Int32) -> Bool { call.type(index) == .table }
}

/// The options of `service:configure`.
struct BlockOptions {
    /// Nil means all methods.
    var methods: Set<Method>?
    var description: String?

    static let schema = ScriptSchema<BlockOptions>([
        .methods("The methods that the block is for; default: all.") { $0.methods = $1 },
        .text("description", .description, "The name of the block in `explain`.") { $0.description = $1 },
    ])
}

extension OptionField where Values == OptionTable {
    /// `methods = "GET" | { "GET", … }`.
    static func methods(
        _ sentence: String, _ store: @escaping @Sendable (inout Target, Set<Method>) -> Void
    ) -> Self {
        Self.oneOrMore("methods", sentence) { target, names in
            let methods = try names.map { name in
                guard Method.isToken(name) else {
                    throw LuaUsageError("'\(name)' in 'methods' is not a method")
                }
                return Method(name)
            }
            store(&target, Set(methods))
        }
    }
}

extension URLPattern {
    /// The bytes that a block with this pattern keeps. A compiled glob takes several times its text, and a
    /// regular expression any number of times.
    var heldBytes: Int {
        let compiled = if case .regex(let regex) = self { regex.byteCount } else { 0 }
        return 1024 + 8 * description.utf8.count + compiled
    }

    /// A short text for descriptions.
    var summary: String {
        switch self {
        case .all: "for all resources"
        case .predicate: "by function"
        default: description
        }
    }
}

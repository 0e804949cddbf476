import LuaRuntime
import Platform
import RestEngine

/// The body of a function that scripts call. The script's state belongs to the engine loop, so it runs there.
typealias BindingBody = @EngineActor (Arguments) throws -> CallResult

/// The body as LuaRuntime takes it, which knows no engine. The state itself also checks that it is called on
/// its own thread.
func hostFunction(_ body: @escaping BindingBody) -> HostFunction {
    // The types differ in isolation alone. This is true of the casts below, too.
    unsafeBitCast(body, to: HostFunction.self)
}

/// A callback of LuaRuntime that runs on the engine loop, like ``hostFunction(_:)``.
func onLoop<Argument, Result>(
    _ body: @escaping @EngineActor (Argument) -> Result
) -> (Argument) -> Result {
    unsafeBitCast(body, to: ((Argument) -> Result).self)
}

func onLoop<Result>(_ body: @escaping @EngineActor () -> Result) -> () -> Result {
    // The types differ in isolation alone.
    unsafeBitCast(body, to: (() -> Result).self)
}

func onLoop<First, Second, Result>(
    _ body: @escaping @EngineActor (First, Second) -> Result
) -> (First, Second) -> Result {
    // The types differ in isolation alone.
    unsafeBitCast(body, to: ((First, Second) -> Result).self)
}

extension LuaMethod {
    /// - Parameter options: The options that `{ ... }` in the signature stands for.
    init(
        _ name: String, signature: String, documentation: String, surplusAdvice: String = "",
        options: @autoclosure @escaping () -> [OptionDescription], function: @escaping HostFunction
    ) {
        self.init(
            name, signature: signature, documentation: documentation, surplusAdvice: surplusAdvice,
            function: function)
        self.options = options
    }
}

/// - Parameter options: The options that `{ ... }` in the signature stands for.
func method(
    _ name: String, _ signature: String, _ documentation: String, surplusAdvice: String = "",
    options: @autoclosure @escaping () -> [OptionDescription] = [], _ body: @escaping BindingBody
) -> LuaMethod {
    LuaMethod(
        name, signature: signature, documentation: documentation, surplusAdvice: surplusAdvice,
        options: options(), function: hostFunction(body))
}

/// - Parameters:
///   - standard: The value before a script sets one, as the script would write it.
///   - limits: The values that it may be set to, for people.
func property(
    _ name: String, _ type: String, _ documentation: String, default standard: String? = nil,
    unit: String? = nil, limits: String? = nil, _ get: @escaping BindingBody, set: BindingBody? = nil
) -> LuaProperty {
    var description = OptionDescription(name, type: type, documentation)
    (description.standard, description.unit, description.limits) = (standard, unit, limits)
    return LuaProperty(description, get: hostFunction(get), set: set.map(hostFunction))
}

/// A property that scripts only read, of the objects of a class.
func readOnly<Object: LuaObject>(
    _ name: String, _ type: String, _ documentation: String, of: Object.Type,
    _ push: @escaping @EngineActor (Object, Lua) throws -> Void
) -> LuaProperty {
    property(name, type, documentation) { call in
        try push(try call.receiver(as: Object.self), call.lua)
        return .one
    }
}

extension Arguments {
    /// The place of the call, `file:line`.
    var place: String? { lua.callerPlace.map { "\($0.file):\($0.line)" } }

    /// A function, or a value that can be called like one.
    func callable(_ index: Int32, _ name: String) throws -> LuaReference {
        lua.isCallable(slot(index)) ? lua.reference(slot(index)) : try function(index, name)
    }
}

extension Lua {
    /// A function, or a value that can be called like one.
    func isCallable(_ index: Int32) -> Bool {
        if type(index) == .function { return true }
        // The `__call` of a module's table only raises an error that says what to write.
        guard !isFrozen(index), pushMetatable(index) else { return false }
        defer { pop(2) }
        return rawGet(-1, "__call") != .nil
    }
}

extension CallResult {
    static var none: CallResult { .results(0) }

    /// One result, which lies on top of the stack.
    static var one: CallResult { .results(1) }

    /// The script waits. `body`, or an object that `body` gives the waiter to, resumes it.
    ///
    /// - Parameter isForWork: See ``LuaWaiter/isForWork``.
    static func wait(
        isForWork: Bool = false, _ body: @escaping @EngineActor (LuaWaiter) -> Void
    ) -> CallResult {
        .suspend(
            onLoop { (waiter: LuaWaiter) in
                waiter.isForWork = isForWork
                waiter.around = WorkScope.resumption()
                body(waiter)
            })
    }
}

/// One function of a module table, with what the reference says about it.
struct ModuleFunction {
    let name: String
    let signature: String
    let documentation: String
    /// The options that `{ ... }` in the signature stands for.
    let options: () -> [OptionDescription]
    let function: HostFunction

    init(
        _ name: String, _ signature: String, _ documentation: String, surplusAdvice: String = "",
        options: @autoclosure @escaping () -> [OptionDescription] = [], _ body: @escaping BindingBody
    ) {
        self.init(
            name, signature: signature, documentation: documentation, surplusAdvice: surplusAdvice,
            options: options(), function: hostFunction(body))
    }

    /// A function that does not need the engine loop: it runs on the thread of its state.
    init(
        _ name: String, signature: String, documentation: String, surplusAdvice: String = "",
        options: @autoclosure @escaping () -> [OptionDescription] = [], function: @escaping HostFunction
    ) {
        self.name = name
        self.signature = signature
        self.documentation = documentation
        self.options = options
        self.function = ArgumentCount.checked(function, signature, advice: surplusAdvice)
    }
}

/// A table of functions under `rest`. An unknown name in it is an error that names the nearest known one.
struct ModuleTable {
    let name: String
    var functions: [ModuleFunction]
    /// Names of fields that callers of ``push(on:)`` add by themselves.
    var values: [String] = []
    /// Names that the table has in a script's state and lacks in this one.
    var absent: Set<String> = []

    var names: [String] { functions.map(\.name) + values }

    /// Its name in `rest`.
    var field: String { String(name.dropFirst("rest.".count)) }

    /// Pushes the table, which can still be changed. ``seal(on:)`` makes it final.
    func push(on lua: Lua) {
        lua.newTable(record: Int32(functions.count + values.count))
        for function in functions {
            lua.push(function: function.function, name: "\(name).\(function.name)")
            lua.rawSet(-2, function.name)
        }
    }

    /// Makes the table on top of the stack strict and unchangeable.
    func seal(on lua: Lua) {
        let names = names
        let guardClass = LuaClass(
            name, methods: names.map { LuaMethod($0, signature: "", documentation: "") { _ in .none } })
        lua.newTable(record: 2)
        lua.push(
            function: { [name, absent] call in
                let field = call.lua.string(2) ?? call.lua.typeName(2)
                if absent.contains(field) { throw ModuleValues.absence(of: "\(name).\(field)") }
                let refusal = guardClass.unknownField(field)
                // A short list is listed in full.
                let isBare = refusal.message.hasSuffix(name)
                throw isBare && names.count <= 8
                    ? LuaUsageError("\(refusal.message): it has \(names.joined(separator: ", "))") : refusal
            }, name: "\(name).__index")
        lua.rawSet(-2, "__index")
        lua.setMetatable(-2)
        lua.freeze { [name] _ in
            throw LuaUsageError("'\(name)' can't be changed: keep your own values in a table of your own")
        }
        refuseCalls(on: lua)
    }

    /// A script that calls the table means one of its functions, so the error names one.
    private func refuseCalls(on lua: Lua) {
        guard lua.pushMetatable(-1) else { return }
        let usual = ["info", "encode", "service"].first(where: names.contains) ?? names.first ?? ""
        lua.push(
            function: { [name] _ in
                throw LuaUsageError(
                    "'\(name)' is a table of functions and can't be called: write \(name).\(usual)(…), for example"
                )
            }, name: name)
        lua.rawSet(-2, "__call")
        lua.pop()
    }
}

import LuaRuntime
import Platform
import RestEngine

/// The named values of one field of a configuration, as in `c.timeouts.connect = 5`.
@EngineActor
final class ScriptFields: @EngineActor LuaObject {
    struct Field {
        let description: OptionDescription
        let push: @EngineActor (Lua) -> Void
        /// Throws when the value is of another type or out of range.
        let write: @EngineActor (Lua, Int32) throws -> Void
        /// Of the value, for people; nil where there is none.
        let text: @EngineActor () -> String?

        var name: String { description.name }
    }

    /// The name of the field, such as `timeouts` or `limits.rate`.
    let name: String
    let fields: [Field]
    /// The draft that the fields belong to. They keep it alive.
    private let draft: ConfigurationDraft

    init(name: String, of draft: ConfigurationDraft, fields: [Field]) {
        self.name = name
        self.draft = draft
        self.fields = fields
    }

    var keptBytes: Int { draft.heldBytes }

    func push(_ key: String, on lua: Lua) throws { try field(key).push(lua) }

    /// All values, for people.
    var text: String {
        ValueText.record(fields.compactMap { field in field.text().map { (field.name, $0) } })
    }

    func set(_ key: String, from lua: Lua, _ index: Int32) throws { try field(key).write(lua, index) }

    /// Sets the values that a table names, and leaves the others unchanged.
    func merge(_ lua: Lua, _ table: Int32) throws {
        try lua.forEachPair(table) { lua in
            guard lua.type(-2) == .string, let key = lua.string(-2) else {
                throw LuaUsageError("the fields of '\(name)' have names")
            }
            try set(key, from: lua, -1)
        }
    }

    private func field(_ key: String) throws -> Field {
        if let field = fields.first(where: { $0.name == key }) { return field }
        let names = LuaClass(
            name, methods: fields.map { LuaMethod($0.name, signature: "", documentation: "") { _ in .none } })
        throw names.unknownField(key)
    }
}

extension ScriptFields.Field {
    static func wrongType(_ owner: String, _ key: String, _ expected: String, _ actual: String)
        -> LuaUsageError
    {
        LuaUsageError("bad value for '\(key)' of \(owner) (\(expected) expected, got \(actual))")
    }

    init(
        _ name: String, type: String, default standard: String? = nil, unit: String? = nil,
        limits: String? = nil, _ sentence: String, push: @escaping @EngineActor (Lua) -> Void,
        write: @escaping @EngineActor (Lua, Int32) throws -> Void, text: @escaping @EngineActor () -> String?
    ) {
        var description = OptionDescription(name, type: type, sentence)
        (description.standard, description.unit, description.limits) = (standard, unit, limits)
        self.init(description: description, push: push, write: write, text: text)
    }

    /// A number that is 0 or more.
    ///
    /// - Parameter limits: Of those, the ones that make sense beside the other fields.
    static func number(
        _ owner: String, _ name: String, default standard: String, unit: String? = nil,
        limits: String = "0 or more", _ sentence: String, _ read: @escaping @EngineActor () -> Double,
        _ write: @escaping @EngineActor (Double) throws -> Void
    ) -> ScriptFields.Field {
        ScriptFields.Field(
            name, type: "number", default: standard, unit: unit, limits: limits, sentence
        ) {
            $0.push(read())
        } write: { lua, index in
            guard let number = lua.number(index) else {
                throw wrongType(owner, name, "number", lua.typeName(index))
            }
            guard number >= 0 else { throw LuaUsageError("\(owner).\(name) is 0 or more, got \(number)") }
            try write(number)
        } text: {
            let number = read()
            return Int64(exactly: number).map { "\($0)" } ?? "\(number)"
        }
    }

    static func boolean(
        _ owner: String, _ name: String, default standard: String, _ sentence: String,
        _ read: @escaping @EngineActor () -> Bool, _ write: @escaping @EngineActor (Bool) throws -> Void
    ) -> ScriptFields.Field {
        ScriptFields.Field(name, type: "boolean", default: standard, sentence) {
            $0.push(read())
        } write: { lua, index in
            guard let flag = lua.boolean(index) else {
                throw wrongType(owner, name, "boolean", lua.typeName(index))
            }
            try write(flag)
        } text: {
            "\(read())"
        }
    }

    /// A field for a whole number. `write` checks its range.
    ///
    /// - Parameter isOptional: True when nil removes the value.
    static func integer(
        _ owner: String, _ name: String, isOptional: Bool = false, default standard: String? = nil,
        limits: String, _ sentence: String, _ read: @escaping @EngineActor () -> Int?,
        _ write: @escaping @EngineActor (Int?) throws -> Void
    ) -> ScriptFields.Field {
        ScriptFields.Field(
            name, type: isOptional ? "integer?" : "integer", default: standard, limits: limits, sentence
        ) { lua in
            if let number = read() { lua.push(number) } else { lua.pushNil() }
        } write: { lua, index in
            if isOptional, lua.type(index) == .nil { return try write(nil) }
            guard let number = lua.number(index) else {
                throw wrongType(owner, name, "integer", lua.typeName(index))
            }
            guard let whole = Int(exactly: number) else {
                throw LuaUsageError("\(owner).\(name) is a whole number, got \(number)")
            }
            try write(whole)
        } text: {
            read().map { "\($0)" }
        }
    }
}

extension ScriptFields {
    static func timeouts(of draft: ConfigurationDraft) -> ScriptFields {
        func field(
            _ name: String, default standard: String, _ sentence: String,
            _ read: @escaping @Sendable (Timeouts) -> Double,
            _ write: @escaping @Sendable (inout Timeouts, Double) -> Void
        ) -> Field {
            .number("timeouts", name, default: standard, unit: "seconds", sentence) {
                read(draft.configuration.timeouts)
            } _: { seconds in
                try draft.edit { write(&$0.timeouts, seconds) }
            }
        }
        return ScriptFields(
            name: "timeouts", of: draft,
            fields: [
                field(
                    "connect", default: "10", "Time for name lookup, connection and TLS handshake.",
                    { $0.connectSeconds }
                ) { $0.connectSeconds = $1 },
                field(
                    "first_byte", default: "30",
                    "Time from the connection, or the beginning of one, to the first byte of the response.",
                    { $0.firstByteSeconds }
                ) { $0.firstByteSeconds = $1 },
                field("idle", default: "30", "Time without a byte in either direction.", { $0.idleSeconds }) {
                    $0.idleSeconds = $1
                },
                field(
                    "total", default: "120",
                    "Time for a whole request, as its caller sees it: queues, attempts and redirects count.",
                    { $0.totalSeconds }
                ) { $0.totalSeconds = $1 },
            ])
    }
}

struct FieldsBinding: ScriptBinding {
    unowned let context: ScriptContext

    var bindings: BindingSet {
        BindingSet(classes: [show(ScriptFields.self, isListed: false, as: makeFieldsClass)])
    }

    func makeFieldsClass() -> LuaClass {
        LuaClass(
            "fields", documentation: "Named values of a configuration.",
            index: hostFunction { call in
                try call.receiver(as: ScriptFields.self).push(try call.string(1, "name"), on: call.lua)
                return .one
            },
            newIndex: hostFunction { call in
                let fields = try call.receiver(as: ScriptFields.self)
                let place = call.place
                try fields.set(try call.string(1, "name"), from: call.lua, call.slot(2))
                context.blocks.current?.note(place, of: fields.name)
                return .none
            },
            tostring: { object in
                // Lua calls this on the thread of its state, which is the engine loop's.
                EngineActor.assumeIsolated { (object as? ScriptFields)?.text ?? "fields" }
            })
    }
}

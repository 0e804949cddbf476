import LuaRuntime
import RestEngine

/// Named values behind one field of a configuration: `c.timeouts.connect = 5`.
@EngineActor
final class ScriptFields {
    enum Value {
        case number(Double)
        case boolean(Bool)
    }

    struct Field {
        let name: String
        let read: @EngineActor () -> Value
        /// Throws when the value is out of range.
        let write: @EngineActor (Value) throws -> Void
    }

    let name: String
    let fields: [Field]

    init(name: String, fields: [Field]) {
        self.name = name
        self.fields = fields
    }

    func push(_ key: String, on lua: Lua) throws {
        switch try field(key).read() {
        case .number(let number): lua.push(number)
        case .boolean(let flag): lua.push(flag)
        }
    }

    /// All of them, for people.
    var text: String {
        ValueText.record(
            fields.map { field in
                switch field.read() {
                case .number(let number):
                    (field.name, Int64(exactly: number).map { "\($0)" } ?? "\(number)")
                case .boolean(let flag): (field.name, "\(flag)")
                }
            })
    }

    func set(_ key: String, from lua: Lua, _ index: Int32) throws {
        let field = try field(key)
        switch field.read() {
        case .number:
            guard let number = lua.number(index) else { throw wrongType(key, "number", lua.typeName(index)) }
            guard number >= 0 else { throw LuaUsageError("\(name).\(key) is 0 or more, got \(number)") }
            try field.write(.number(number))
        case .boolean:
            guard let flag = lua.boolean(index) else { throw wrongType(key, "boolean", lua.typeName(index)) }
            try field.write(.boolean(flag))
        }
    }

    private func field(_ key: String) throws -> Field {
        if let field = fields.first(where: { $0.name == key }) { return field }
        let names = LuaClass(
            name, methods: fields.map { LuaMethod($0.name, signature: "", documentation: "") { _ in .none } })
        throw names.unknownField(key)
    }

    private func wrongType(_ key: String, _ expected: String, _ actual: String) -> LuaUsageError {
        LuaUsageError("bad value for '\(key)' of \(name) (\(expected) expected, got \(actual))")
    }

    // MARK: The two kinds

    static func timeouts(of draft: ConfigurationDraft) -> ScriptFields {
        func field(
            _ name: String, _ read: @escaping @Sendable (Timeouts) -> Double,
            _ write: @escaping @Sendable (inout Timeouts, Double) -> Void
        ) -> Field {
            Field(name: name, read: { .number(read(draft.configuration.timeouts)) }) { value in
                if case .number(let seconds) = value { try draft.edit { write(&$0.timeouts, seconds) } }
            }
        }
        return ScriptFields(
            name: "timeouts",
            fields: [
                field("connect", { $0.connectSeconds }) { $0.connectSeconds = $1 },
                field("first_byte", { $0.firstByteSeconds }) { $0.firstByteSeconds = $1 },
                field("idle", { $0.idleSeconds }) { $0.idleSeconds = $1 },
                field("total", { $0.totalSeconds }) { $0.totalSeconds = $1 },
            ])
    }

    static func redirects(of draft: ConfigurationDraft) -> ScriptFields {
        ScriptFields(
            name: "redirects",
            fields: [
                Field(name: "follow", read: { .boolean(draft.configuration.redirects.follow) }) { value in
                    if case .boolean(let flag) = value { try draft.edit { $0.redirects.follow = flag } }
                },
                Field(name: "max", read: { .number(Double(draft.configuration.redirects.max)) }) { value in
                    guard case .number(let number) = value else { return }
                    guard let count = Int(exactly: number) else {
                        throw LuaUsageError("redirects.max is a whole number, got \(number)")
                    }
                    try draft.edit { $0.redirects.max = count }
                },
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
                try call.receiver(as: ScriptFields.self).set(
                    try call.string(1, "name"), from: call.lua, call.slot(2))
                return .none
            },
            tostring: { object in
                // Lua asks on the thread of its state, the engine loop's.
                EngineActor.assumeIsolated { (object as? ScriptFields)?.text ?? "fields" }
            })
    }
}

import LuaRuntime
import RestEngine

/// Headers that a script reads or edits like a table. `write` is nil when they are read only.
final class ScriptHeaders: LuaObject {
    let read: () -> Headers
    let write: ((Headers) throws -> Void)?
    /// The object of writable headers, which keeps them.
    private let owner: (any LuaObject)?

    init(
        of owner: any LuaObject, read: @escaping () -> Headers, write: @escaping (Headers) throws -> Void
    ) {
        self.owner = owner
        self.read = read
        self.write = write
    }

    init(reading headers: Headers) {
        owner = nil
        read = { headers }
        write = nil
    }

    var keptBytes: Int { owner?.keptBytes ?? read().heldBytes }

    func measureOwner(in state: LuaState) {
        if let owner { state.measure(owner) }
    }
}

/// The Lua class of headers.
struct HeadersBinding: ValueBinding {
    unowned let values: ScriptValues

    var bindings: BindingSet {
        BindingSet(classes: [BoundClass(ScriptHeaders.self, makeHeadersClass)])
    }

    func makeHeadersClass() -> LuaClass {
        LuaClass(
            "headers",
            documentation:
                """
                Header fields by name, whatever its case. Assign a string, a list, or nil to remove, which also keeps the \
                host from sending its own: Accept (`*/*`), Accept-Encoding and User-Agent. In a table `rest.null` stands for nil.
                """,
            index: { call in
                let headers = try call.receiver(as: ScriptHeaders.self).read()
                call.lua.push(optional: headers[try headerName(call)])
                return .one
            },
            newIndex: { call in
                let box = try call.receiver(as: ScriptHeaders.self)
                let name = try headerName(call)
                guard let write = box.write else { throw LuaUsageError("these headers are read only") }
                var headers = box.read()
                let values = try call.lua.headerValues(call.slot(2), name: name)
                for value in values {
                    if let problem = Headers.problem(name: name, value: value) {
                        throw LuaUsageError(problem)
                    }
                }
                headers.set(name, values: values)
                try write(headers)
                box.measureOwner(in: call.lua.state)
                return .none
            },
            tostring: { ($0 as? ScriptHeaders).map { Self.text($0.read()) } ?? "headers" },
            pairs: { call in
                let headers = try call.receiver(as: ScriptHeaders.self).read()
                call.lua.pushNext()
                call.lua.push(headers)
                call.lua.pushNil()
                return .results(3)
            })
    }

    /// The names and values, with secrets masked.
    private static func text(_ headers: Headers) -> String {
        ValueText.record(
            headers.fields.map { field in
                var value = SecretMask.standard.header(field.name, field.value)
                return (
                    field.name, value.withUTF8 { ValueText.quoted(UnsafeRawBufferPointer($0), limit: 200) }
                )
            })
    }
}

/// The name in a read or an assignment.
private func headerName(_ call: Arguments) throws -> String {
    guard call.type(1) == .string else {
        throw LuaUsageError(
            "headers are found by name, as in headers[\"Accept\"], not by a \(call.lua.typeName(call.slot(1)))"
        )
    }
    return try call.string(1, "name")
}

import LuaRuntime
import Platform
import RestEngine

/// Reads the reply of a stub and its conditions.
@EngineActor
struct StubReplyTable {
    private let context: ScriptContext
    private let options: OptionTable

    init(_ context: ScriptContext, _ options: OptionTable) {
        self.context = context
        self.options = options
    }

    /// The reply of a stub's function. It has no conditions.
    func reply() throws -> StubReply {
        var given = StubReplyOptions()
        try options.read(StubReplyOptions.schema, into: &given)
        return try reply(given)
    }

    func stub() throws -> (reply: StubReply, condition: StubCondition) {
        var given = StubReplyOptions()
        try options.read(StubReplyOptions.schemaOfStubs, into: &given)
        return (try reply(given), try given.when.map(condition) ?? StubCondition())
    }

    private func reply(_ given: StubReplyOptions) throws -> StubReply {
        let result: TransportResult
        if let error = given.error {
            if let key = given.response {
                throw LuaUsageError("a reply with 'error' is no response: it has no '\(key)'")
            }
            result = .failure(error)
        } else {
            result = .success(try response(given))
        }
        return StubReply(result, delay: Duration(inSeconds: given.delay), isHeld: given.isHeld)
    }

    private func response(_ given: StubReplyOptions) throws -> TransportResponse {
        var bodies: [(key: String, bytes: [UInt8], type: String?)] = []
        if let bytes = given.body { bodies.append(("body", bytes, nil)) }
        if let place = given.json {
            do throws(LuaUsageError) {
                bodies.append(("json", try context.values.trees.json(options.lua, place), "application/json"))
            } catch { throw LuaUsageError("option 'json' can't be encoded: \(error.message)") }
        }
        if let bytes = given.text { bodies.append(("text", bytes, "text/plain; charset=utf-8")) }
        guard bodies.count <= 1 else {
            let keys = bodies.map { "'\($0.key)'" }.joined(separator: " and ")
            throw LuaUsageError("a reply has one body, not \(keys)")
        }
        var headers = given.headers ?? Headers()
        if let type = bodies.first?.type, !headers.contains("Content-Type") {
            headers.set("Content-Type", type)
        }
        return TransportResponse(
            status: given.status ?? 200, headers: headers, body: bodies.first?.bytes ?? [])
    }

    /// `when = { headers = { Name = value or rest.null }, body = bytes }`.
    private func condition(_ place: Int32) throws -> StubCondition {
        let lua = options.lua
        var given = StubConditionOptions()
        try OptionTable(lua: lua, table: place, owner: "stub.when")
            .read(StubConditionOptions.schema, into: &given)
        var condition = StubCondition(body: given.body)
        guard let place = given.headers else { return condition }
        try lua.forEachPair(place) { lua in
            guard let name = lua.string(-2) else {
                throw LuaUsageError("headers have names: { Accept = \"text/plain\" }")
            }
            if context.values.trees.isNull(lua, -1) {
                condition.headers[name] = .absent
            } else {
                let values = try lua.headerValues(-1, name: name)
                condition.headers[name] = .value(values.joined(separator: ", "))
            }
        }
        return condition
    }
}

import LuaRuntime
import RestEngine

/// What `require "resthost"` gives to scripts and to transformer modules alike.
extension ScriptValues {
    /// Pushes a `rest` of these functions and tables; `addValues` adds what else it has to the table on top.
    func pushRest(_ table: ModuleTable, _ modules: [ModuleTable], on lua: Lua, addValues: (Lua) -> Void) {
        table.push(on: lua)
        for module in modules {
            module.push(on: lua)
            module.seal(on: lua)
            lua.rawSet(-2, String(module.name.dropFirst("rest.".count)))
        }
        lua.push(object: ScriptStoreFace(), class: storeClass)
        lua.rawSet(-2, "store")
        trees.pushNull(on: lua)
        lua.rawSet(-2, "null")
        lua.push(Version.text)
        lua.rawSet(-2, "version")
        addValues(lua)
        table.seal(on: lua)
    }

    /// What makes values out of values.
    var valueMakers: [ModuleFunction] {
        [
            ModuleFunction(
                "bytes", signature: "(s: string) -> bytes",
                documentation: "Makes a string bytes, where it would be text."
            ) {
                [unowned self] call in
                call.lua.push(object: ScriptBytes(try call.bytes(1, "s")), class: bytesClass)
                return .one
            },
            ModuleFunction(
                "entity",
                signature:
                    "(options: { content, content_type?, headers?, charset?, timestamp?, status?, url?, http_version? }) -> entity",
                documentation: "An entity of the script's own; `headers` may be those of another."
            ) {
                [unowned self] call in
                try makeEntity(call)
            },
            ModuleFunction(
                "error",
                signature: "(options: { user_message?, http_status_code?, entity?, cause? }) -> error",
                documentation: "An error of the script's own."
            ) {
                [unowned self] call in
                pushError(try makeError(try call.options(1)), on: call.lua)
                return .one
            },
        ]
    }

    var nowFunction: ModuleFunction {
        ModuleFunction("now", signature: "() -> number", documentation: "Unix time in seconds.") {
            [unowned self] call in
            call.lua.push(now)
            return .one
        }
    }

    /// `rest.entity{ content=, … }`. Status, URL and version are for caches that write an entity down and read it again.
    private func makeEntity(_ call: Arguments) throws -> Verdict {
        let options = try call.options(1)
        guard let place = options.value("content"), let content = try content(call.lua, place) else {
            throw options.missing("content", of: "entity")
        }
        call.lua.pop()
        var headers = Headers()
        if let place = options.value("headers") {
            // Another entity's are taken as they are, order and repeats included.
            if let known = call.lua.object(place, as: ScriptHeaders.self) {
                headers = known.read()
            } else if let place = try options.table("headers") {
                headers = try call.lua.headers(place)
            }
            call.lua.setTop(place - 1)
        }
        if let type = try options.string("content_type") { headers.set("Content-Type", type) }
        var entity = Entity(
            content: content, charset: try options.string("charset"), headers: headers,
            timestamp: try options.number("timestamp") ?? now)
        if let status = try options.integer("status") {
            guard (100...999).contains(status) else {
                throw LuaUsageError("option 'status': \(status) is no status, which has three digits")
            }
            entity.status = Int(status)
        }
        entity.url = try options.string("url")
        entity.httpVersion = try options.string("http_version")
        try options.finish()
        push(entity, on: call.lua)
        return .one
    }
}

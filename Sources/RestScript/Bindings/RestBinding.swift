import LuaRuntime
import RestEngine

/// The table that `require "resthost"` gives: the index of everything a script can use.
extension ScriptContext {
    func pushRest(on lua: Lua) {
        let table = restTable
        table.push(on: lua)
        for module in restModules {
            module.push(on: lua)
            module.seal(on: lua)
            lua.rawSet(-2, String(module.name.dropFirst("rest.".count)))
        }
        lua.push(object: ScriptEnvironment(), class: environmentClass)
        lua.rawSet(-2, "env")
        lua.push(object: ScriptStoreFace(), class: storeClass)
        lua.rawSet(-2, "store")
        trees.pushNull(on: lua)
        lua.rawSet(-2, "null")
        lua.push(object: ScriptAction(.useThisResponse), class: actionClass)
        lua.rawSet(-2, "use_this_response")
        lua.push(Version.text)
        lua.rawSet(-2, "version")
        table.seal(on: lua)
    }

    var restTable: ModuleTable {
        ModuleTable(
            name: "rest",
            functions: makers + chainFunctions + [customRequest, refreshOn] + timeFunctions
                + fileFunctions + lifetimeFunctions + [permissionsFunction],
            values: [
                "log", "json", "base64", "url", "env", "store", "null", "transformers", "cache",
                "use_this_response", "version",
            ])
    }

    var restModules: [ModuleTable] {
        [logModule, jsonModule, base64Module, urlModule, transformersModule, cacheModule]
    }

    private var makers: [ModuleFunction] {
        [
            ModuleFunction(
                "service", "(options: { base_url?, name?, standard_transformers?, transport? }) -> service",
                "Declares a service."
            ) { [unowned self] call in
                try makeService(call)
            },
            ModuleFunction("gateway", "(options: { listen?, expose?, auth? })", "Declares the HTTP gateway.")
            { [unowned self] call in
                try declareGateway(call)
            },
            ModuleFunction(
                "regex", "(pattern: string, options: string?) -> regex", "A pattern for the whole URL."
            ) {
                [unowned self] call in
                try makeRegex(call)
            },
            ModuleFunction("bytes", "(s: string) -> bytes", "Makes a string bytes, where it would be text.") {
                [unowned self] call in
                call.lua.push(object: ScriptBytes(try call.bytes(1, "s")), class: bytesClass)
                return .one
            },
            ModuleFunction(
                "entity", "(options: { content, content_type?, headers?, charset?, timestamp? }) -> entity",
                "An entity of the script's own; `headers` may be those of another."
            ) {
                [unowned self] call in
                try makeEntity(call)
            },
            ModuleFunction(
                "error", "(options: { user_message?, http_status_code?, entity?, cause? }) -> error",
                "An error of the script's own."
            ) {
                [unowned self] call in
                pushError(try makeError(try call.options(1)), on: call.lua)
                return .one
            },
            ModuleFunction("success", "(entity) -> response", "A response that is a success.") {
                [unowned self] call in
                push(
                    Response.success(
                        try call.object(1, "entity", as: ScriptEntity.self, expected: "entity").entity),
                    on: call.lua
                )
                return .one
            },
            ModuleFunction("failure", "(error) -> response", "A response that is a failure.") {
                [unowned self] call in
                push(
                    Response.failure(
                        try call.object(1, "error", as: ScriptErrorBox.self, expected: "error").error),
                    on: call.lua
                )
                return .one
            },
            ModuleFunction(
                "failed_request", "(error | message: string) -> request", "A request that has failed already."
            ) { [unowned self] call in
                let known = call.lua.object(call.slot(1), as: ScriptErrorBox.self)?.error
                let error =
                    try known
                    ?? RequestError(userMessage: call.string(1, "error"), timestamp: engine.scheduler.now)
                push(Request(engine: engine, failedWith: error), on: call.lua)
                return .one
            },
            ModuleFunction(
                "status", "(options: { resources: resource[], priority?: string[] }) -> status",
                "One status over several resources."
            ) {
                [unowned self] call in
                try makeStatus(call)
            },
            ModuleFunction(
                "content_transformer",
                "(options: { transform, input?, output?, on_mismatch?, transform_errors?, description? }) "
                    + "-> transformer", "A transformer with type rules."
            ) {
                [unowned self] call in
                try makeContentTransformer(call)
            },
            ModuleFunction(
                "response_transformer", "(fn, description: string?) -> transformer",
                "A transformer of whole responses."
            ) {
                [unowned self] call in
                try makeResponseTransformer(call)
            },
        ]
    }

    private var transformersModule: ModuleTable {
        ModuleTable(
            name: "rest.transformers",
            functions: StandardTransformer.allCases.map { standard in
                ModuleFunction(
                    standard.rawValue,
                    "(options?: { transform_errors?\(standard == .json ? ", allow_fragments?" : "") }) -> transformer",
                    "The standard \(standard.rawValue) transformer."
                ) {
                    [unowned self] call in
                    try makeStandardTransformer(call, standard)
                }
            })
    }

    /// `rest.entity{ content=, content_type=, headers=, charset=, timestamp= }`.
    private func makeEntity(_ call: Arguments) throws -> Verdict {
        let options = try call.options(1)
        guard let place = options.value("content"), let content = try content(call.lua, place) else {
            throw LuaUsageError("option 'content' is missing in the call of 'entity'")
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
        let entity = Entity(
            content: content, charset: try options.string("charset"), headers: headers,
            timestamp: try options.number("timestamp") ?? engine.scheduler.now)
        try options.finish()
        push(entity, on: call.lua)
        return .one
    }
}

/// The version of this program.
public enum Version {
    public static let text = "0.1.0"
}

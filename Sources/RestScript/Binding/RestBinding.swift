import LuaRuntime
import RestEngine

/// The table that `require "resthost"` gives: the index of everything a script can use.
extension ScriptContext {
    func pushRest(on lua: Lua) {
        pushRest(restTable, restModules, on: lua) { lua in
            lua.push(object: ScriptEnvironment(), class: environmentClass)
            lua.rawSet(-2, "env")
            lua.push(object: ScriptAction(.useThisResponse), class: actionClass)
            lua.rawSet(-2, "use_this_response")
        }
    }

    var restTable: ModuleTable {
        ModuleTable(
            name: "rest",
            functions: makers + chainFunctions + [customRequest, refreshOn] + timeFunctions
                + fileFunctions + lifetimeFunctions + [permissionsFunction],
            values: [
                "log", "json", "base64", "hex", "crypto", "url", "auth", "env", "store", "null",
                "transformers", "cache",
                "use_this_response", "version",
            ])
    }

    var restModules: [ModuleTable] {
        [
            logModule, jsonModule, base64Module, hexModule, cryptoModule, urlModule, authModule,
            transformersModule,
            cacheModule,
        ]
    }

    private var makers: [ModuleFunction] {
        [
            ModuleFunction(
                "service", "(options: { base_url?, name?, standard_transformers?, transport? }) -> service",
                "Declares a service."
            ) { [unowned self] call in
                try makeService(call)
            },
            ModuleFunction(
                "gateway", "(options: { listen?, expose?, auth?, server_names?, timeout? })",
                "Declares the HTTP gateway."
            ) { [unowned self] call in
                try declareGateway(call)
            },
            ModuleFunction(
                "regex", "(pattern: string, options: string?) -> regex", "A pattern for the whole URL."
            ) {
                [unowned self] call in
                try makeRegex(call)
            },
        ] + valueMakers + [
            ModuleFunction("success", "(entity) -> response", "A response that is a success.") {
                [unowned self] call in
                push(
                    Response.success(
                        try call.object(
                            1, "entity", as: ScriptEntity.self,
                            expected: "entity, made by rest.entity { content = … },"
                        ).entity),
                    on: call.lua
                )
                return .one
            },
            ModuleFunction("failure", "(error) -> response", "A response that is a failure.") {
                [unowned self] call in
                push(
                    Response.failure(
                        try call.object(
                            1, "error", as: ScriptErrorBox.self,
                            expected: "error, made by rest.error { user_message = … },"
                        ).error),
                    on: call.lua
                )
                return .one
            },
            ModuleFunction(
                "failed_request", "(error: error | string) -> request", "A request that has failed already."
            ) { [unowned self] call in
                let error: RequestError
                if let known = call.lua.object(call.slot(1), as: ScriptErrorBox.self)?.error {
                    error = known
                } else if let text = call.lua.string(call.slot(1)) {
                    error = RequestError(userMessage: text, timestamp: engine.scheduler.now)
                } else {
                    throw call.wrongType(1, "error", "error or string")
                }
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
                "(options: { transform, input?, output?, on_mismatch?, transform_errors?, empty?, description? }) "
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
                    "(options?: { transform_errors?, empty?\(standard == .json ? ", allow_fragments?" : "") }) -> transformer",
                    "The standard \(standard.rawValue) transformer."
                ) {
                    [unowned self] call in
                    try makeStandardTransformer(call, standard)
                }
            })
    }
}

/// The version of this program.
public enum Version {
    public static let text = "0.1.0"
}

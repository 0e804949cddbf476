import LuaRuntime
import Platform
import RestEngine

/// The options of `gateway:before` and `gateway:after`.
struct HookOptions {
    var methods: Set<String>?
    var rate: GatewayDeclaration.Rate?

    private static let mostMethods = 100

    private static let fields: [ScriptOption<HookOptions>] = [
        .oneOrMore("methods", "The methods that meet the function; without it all. `GET` is for HEAD, too.") {
            options, methods in
            guard 1...Self.mostMethods ~= methods.count else {
                throw LuaUsageError("option 'methods' lists 1 to \(Self.mostMethods) methods")
            }
            options.methods = Set(methods.map { Method($0).rawValue })
        }
    ]

    static let schemaAfter = ScriptSchema<HookOptions>(fields)

    static let schemaBefore = ScriptSchema<HookOptions>(
        fields + [
            .table(
                "rate", GatewayDeclaration.Rate.schema, from: { .init(requests: 0, per: 1) },
                "Requests below this path that one client may send in some time; one more gets 429."
            ) { $0.rate = try $1.checked }
        ])
}

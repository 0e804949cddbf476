import LuaRuntime
import Platform
import RestEngine

/// Properties of endpoints, definitions and modifiers, as a script gives them.
struct GivenProperties {
    var properties = RequestProperties()
    /// The indexes of these values on the stack.
    var headers: Int32?
    var query: Int32?
    var path: Int32?
    var contentType: String?
    var body = BodyOptions()
    var configure: ScriptFunction?

    private static let address: [ScriptOption<GivenProperties>] = [
        .place(
            "headers", type: "table<string, string | string[]> | string[][]", isTable: true,
            "Headers by name, or as a list of pairs in order."
        ) { $0.headers = $1 },
        .place(
            "query", type: "table<string, component | component[]> | any[][]", isTable: true,
            "Parameters by name, or as a list of pairs in order: strings, numbers, booleans or results of rest.raw."
        ) { $0.query = $1 },
        .place("path", type: "component[]", "Components that are appended to the path.") {
            $0.path = $1
        },
        .text("content_type", "The body's content type, in place of the default for its kind.") {
            given, type in
            if let problem = Headers.problem(name: "Content-Type", value: type) {
                throw LuaUsageError(problem)
            }
            given.contentType = type
        },
    ]

    private static let ofBody = BodyOptions.fields.map {
        (field: ScriptOption<BodyOptions>) -> ScriptOption<GivenProperties> in
        field.within { try $1(&$0.body) }
    }

    private static let others: [ScriptOption<GivenProperties>] = [
        .function(
            "configure", type: "function(c)", "Configures the requests, after the blocks of the service."
        ) { $0.configure = $1 },
        .idempotencyKey { $0.properties.idempotencyKey = $1 },
        .init(
            "query_style", type: QueryStyle.allCases.map { "\"\($0.rawValue)\"" }.plainlyJoined(" | "),
            default: "\"repeat\"",
            "How lists in the query are written. The last style that was given applies to all."
        ) { options, given, _ in
            guard let name = try options.string("query_style") else { return }
            guard let style = QueryStyle(rawValue: name) else {
                let known = QueryStyle.allCases.map(\.rawValue)
                let advice = NearestName.advice(name, among: known)
                throw LuaUsageError(
                    "unknown query_style '\(name)'"
                        + (advice.isEmpty ? ": there are \(known.joined(separator: ", "))" : advice))
            }
            given.properties.queryStyle = style
        },
    ]

    static let schema = ScriptSchema<GivenProperties>(address + ofBody + others)
}

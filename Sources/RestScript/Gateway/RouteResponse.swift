import LuaRuntime
import Platform
import RestEngine

/// The options of `rest.response`.
struct RouteResponse {
    var head = AnswerHead()
    /// The index of the value on the stack.
    var json: Int32?
    var text: Content?
    var body: Content?
    var file: String?
    var expirationTime: Double?

    private static let own: [ScriptOption<RouteResponse>] = [
        .place("json", type: "any", "A value that is sent as JSON.") { $0.json = $1 },
        .text("text", "Text, which is sent as UTF-8.") { $0.text = .text($1) },
        .rawBytes("body", "Bytes, which are sent unchanged.") { $0.body = .bytes($1) },
        .text(
            "file", .path,
            "A file with the bytes, relative to the script's folder, as for `rest.read_file`."
        ) { $0.file = $1 },
        .seconds(
            "expiration_time", .zeroOrMore,
            """
            Seconds for which this answer to GET is kept and shared, in place of the route's `expiration_time`. An answer whose \
            function read `request.headers`, `request.cookies` or `request.client` is not kept.
            """
        ) { $0.expirationTime = $1 },
    ]

    private static let ofHead = AnswerHead.fields(
        type: (
            "The default depends on the content: JSON, text, a file's extension, or `application/octet-stream`.",
            nil
        )
    ).map { (field: ScriptOption<AnswerHead>) -> ScriptOption<RouteResponse> in
        field.within { try $1(&$0.head) }
    }

    static let schema = ScriptSchema<RouteResponse>(ofHead + own)
}

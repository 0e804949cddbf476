import LuaRuntime
import Platform
import RestEngine

/// The options of `rest.response`.
struct RouteResponse {
    var status = 200
    var headers = Headers()
    /// The index of the value on the stack.
    var json: Int32?
    var text: Content?
    var body: Content?
    var file: String?
    var contentType: String?
    var cacheControl: String?

    static let schema = ScriptSchema<RouteResponse>([
        .count(
            "status", from: 200, to: 599, saying: "is a number from 200 to 599", default: "200",
            "The status of the answer."
        ) { $0.status = $1 },
        .init("headers", type: "headers", "The headers of the answer.") { options, response, _ in
            guard let place = try options.table("headers") else { return }
            defer { options.lua.pop() }
            response.headers = try options.lua.sendableHeaders(place)
        },
        .place("json", type: "any", "A value that is sent as JSON.") { $0.json = $1 },
        .text("text", "Text, which is sent as UTF-8.") { $0.text = .text($1) },
        .rawBytes("body", "Bytes, which are sent unchanged.") { $0.body = .bytes($1) },
        .text(
            "file", .path,
            "A file with the bytes, relative to the script's folder, as for `rest.read_file`."
        ) { $0.file = $1 },
        .text(
            "content_type",
            "The default depends on the content: JSON, text, a file's extension, or `application/octet-stream`."
        ) { $0.contentType = $1 },
        .text(
            "cache_control", .name,
            "Cache-Control of an answer that is not kept, `no-store` by default."
        ) { $0.cacheControl = $1 },
    ])
}

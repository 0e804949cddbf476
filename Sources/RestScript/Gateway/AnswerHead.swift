import LuaRuntime
import Platform
import RestEngine

/// The options of an answer's head, in `rest.response` and `rest.stream_response`.
struct AnswerHead {
    var status = 200
    var headers = Headers()
    var contentType: String?
    var cacheControl: String?

    /// - Parameter type: The sentence about `content_type`, and its default as the script would write it.
    static func fields(type: (sentence: String, standard: String?)) -> [ScriptOption<AnswerHead>] {
        [
            .count(
                "status", from: 200, to: 599, saying: "is a number from 200 to 599", default: "200",
                "The status of the answer."
            ) { $0.status = $1 },
            .init("headers", type: "headers", "The headers of the answer.") { options, head, _ in
                guard let place = try options.table("headers") else { return }
                defer { options.lua.pop() }
                head.headers = try options.lua.sendableHeaders(place)
            },
            .text("content_type", default: type.standard, type.sentence) { $0.contentType = $1 },
            .text(
                "cache_control", .name,
                "Cache-Control of an answer that is not kept, `no-store` by default."
            ) { $0.cacheControl = $1 },
        ]
    }

    static let ofStream = ScriptSchema<AnswerHead>(
        fields(
            type: (
                "The type of the body; `text/event-stream` for a stream of events, which gets heartbeats.",
                "\"text/plain; charset=utf-8\""
            )))

    /// The headers with those that have options of their own.
    func headers(withType type: String) -> Headers {
        var headers = headers
        headers.set("Content-Type", contentType ?? headers["Content-Type"] ?? type)
        if let cacheControl { headers.set("Cache-Control", cacheControl) }
        return headers
    }
}

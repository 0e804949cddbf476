import RestEngine

/// The answers of `https://api.test/v1/…` in the tests of scripts.
@EngineActor
enum SampleServer {
    static func install(on transport: StubTransport) throws {
        let routes: [(path: String, reply: StubReply)] = [
            ("json", .json(200, #"{"id":7,"name":"otto","tags":["a","b"]}"#)),
            ("list", .json(200, "[1,2,3]")),
            ("values", .json(200, #"{"none":null,"big":9223372036854775807,"list":[],"map":{},"real":1.5}"#)),
            ("fragment", .json(200, "5")),
            ("broken", .json(200, "{")),
            ("text", .text(200, "hello")),
            ("bytes", .response(200, headers: Headers([("X-Kind", "raw")]), body: [0, 255, 1])),
            (
                "xml",
                .response(
                    200, headers: Headers([("Content-Type", "application/xml")]), body: Array("<a/>".utf8))
            ),
            ("nobody", .response(201, headers: Headers([("Content-Type", "application/json")]))),
            ("missing", .json(404, #"{"message":"no such thing"}"#)),
            (
                "down",
                .error(TransportError(.connectionFailed, phase: .connect, message: "Connection refused"))
            ),
            ("slow", .text(200, "late", delay: .seconds(1))),
            (
                "headers",
                .response(
                    200,
                    headers: Headers([
                        ("ETag", "\"e1\""), ("Content-Type", "text/plain; charset=utf-8"), ("X-Many", "a"),
                        ("x-many", "b"), ("Set-Cookie", "a=1"), ("Set-Cookie", "b=2"),
                    ]), body: Array("ok".utf8))
            ),
            (
                "image",
                .response(
                    200, headers: Headers([("Content-Type", "image/gif")]),
                    body: Array("GIF89a".utf8) + [3, 0, 2, 0, 0, 0, 0])
            ),
        ]
        for (path, reply) in routes {
            try transport.stub(method: nil, urlGlob: "https://api.test/v1/\(path)", reply)
        }
        try transport.stub(
            method: nil, urlGlob: "https://api.test/v1/json",
            when: StubCondition(headers: ["If-None-Match": .value("\"known\"")]), .response(304))
        try transport.stub(
            method: nil, urlGlob: "https://api.test/v1/echo**", reply: { .text(200, describe($0)) })
    }

    /// The request in one line: method, URL, headers in order, body.
    private static func describe(_ request: TransportRequest) -> String {
        let headers = request.headers.fields.map { "\($0.name)=\($0.value)" }
        let body = request.body.map { "[\(String(decoding: $0, as: UTF8.self))]" }
        let url = request.url.replacing("https://api.test/v1", with: "")
        return ([request.method, url] + headers + [body].compactMap { $0 }).joined(separator: " ")
    }
}

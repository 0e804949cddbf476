import RestEngine

/// A span in OTLP's JSON: identifiers in hexadecimal digits, times as texts in nanoseconds, names of
/// attributes from OpenTelemetry's conventions for HTTP
/// (https://opentelemetry.io/docs/specs/semconv/http/http-spans/).
struct OTLPSpan {
    enum Kind: Int {
        case `internal` = 1
        case server
        case client
    }

    private var attributes: [Tree] = []
    private var status: Tree?

    init() {}

    /// A span with the common attributes of a request's events.
    init(_ event: EngineEvent) {
        if let id = event.requestID { add("resthost.request_id", id) }
        if let service = event.service { add("resthost.service", service) }
        if let method = event.method { add("http.request.method", method) }
        guard let url = event.url else { return }
        add("url.full", SecretMask.standard.url(url))
        guard let parts = URLText(url), let host = parts.host else { return }
        if let scheme = parts.scheme { add("url.scheme", scheme) }
        add("server.address", host)
        add("server.port", parts.port ?? (parts.scheme == "https" ? 443 : 80))
    }

    /// The span of a computation (rule 70.7).
    static func computed(_ computation: ComputationSpan) -> Tree {
        var span = OTLPSpan()
        if let id = computation.requestID { span.add("resthost.request_id", id) }
        span.add("resthost.service", computation.service)
        span.add("http.request.method", computation.method)
        span.add("url.full", SecretMask.standard.url(computation.url))
        if let failure = computation.failure { span.fail(failure.code, failure.message) }
        return span.tree(
            "\(computation.method) \(computation.service)", .internal,
            trace: computation.span.context.traceID,
            span: computation.span.context.spanID, parent: computation.span.parentID,
            from: computation.began, to: computation.ended)
    }

    mutating func add(_ key: String, _ value: String) { attributes.append(Self.text(key, value)) }

    mutating func add(_ key: String, _ value: Int) {
        attributes.append(["key": Tree(key), "value": ["intValue": Tree("\(value)")] as Tree])
    }

    /// - Parameter message: The message, with secrets masked.
    mutating func fail(_ type: String, _ message: String? = nil) {
        add("error.type", type)
        status = ["code": 2, "message": Tree(message ?? type)]
    }

    func tree(
        _ name: String, _ kind: Kind, trace: String, span: String, parent: String?, from start: Double,
        to end: Double
    ) -> Tree {
        var pairs: [(String, Tree)] = [
            ("traceId", Tree(trace)), ("spanId", Tree(span)), ("name", Tree(name)),
            ("kind", Tree(kind.rawValue)), ("startTimeUnixNano", Tree(Self.nanoseconds(start))),
            ("endTimeUnixNano", Tree(Self.nanoseconds(max(start, end)))), ("attributes", Tree(attributes)),
        ]
        if let parent { pairs.append(("parentSpanId", Tree(parent))) }
        if let status { pairs.append(("status", status)) }
        return Tree(pairs: pairs)
    }

    static func text(_ key: String, _ value: String) -> Tree {
        ["key": Tree(key), "value": ["stringValue": Tree(value)] as Tree]
    }

    private static func nanoseconds(_ seconds: Double) -> String {
        "\(Int64(max(0, min(seconds, 9e9)) * 1e9))"
    }
}

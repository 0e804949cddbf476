import RestEngine

/// Makes spans of events: one for a request, and one below it for each of its messages (rule 70.1).
struct TraceTrees {
    /// Requests with messages that have not ended; see docs/limits.md, L132.
    static let mostOpen = 10_000

    /// A request's own span.
    private struct Open {
        let trace: String
        let span: String
        let parent: String?
        let isSampled: Bool
    }

    private var open: [UInt64: Open] = [:]

    /// The span that an event ends; nil when there is none, or when its trace is not recorded.
    mutating func span(for event: EngineEvent) -> Tree? {
        guard let request = event.request else { return nil }
        switch event.detail {
        case .attempt(let attempt):
            let above = open[request] ?? begin(attempt.span)
            if open.count < Self.mostOpen { open[request] = above }
            guard above.isSampled else { return nil }
            return Self.message(attempt, event, above)
        case .response(let outcome):
            let own = open.removeValue(forKey: request) ?? begin(nil)
            return own.isSampled ? Self.request(outcome, event, own) : nil
        default: return nil
        }
    }

    /// A request whose messages carry `traceparent` belongs to that trace, below the span that began it.
    private func begin(_ sent: TraceSpan?) -> Open {
        let context = sent?.context ?? .root()
        return Open(
            trace: context.traceID, span: TraceContext.newSpanID(), parent: sent?.parentID,
            isSampled: context.isSampled)
    }

    private static func message(_ attempt: EngineEvent.Attempt, _ event: EngineEvent, _ above: Open) -> Tree {
        var span = TraceSpanTree(event)
        if attempt.number > 1 { span.add("http.request.resend_count", attempt.number - 1) }
        if let reason = attempt.reason { span.add("resthost.reason", reason) }
        switch attempt.result {
        case .success(let response):
            span.add("http.response.status_code", response.status)
            span.add("network.protocol.version", String(response.httpVersion.drop { $0 != "/" }.dropFirst()))
            if response.status >= 400 { span.fail("\(response.status)") }
        case .failure(let error):
            span.fail(attempt.isCancelled ? "request_cancelled" : error.code.rawValue)
        }
        return span.tree(
            event.method ?? "HTTP", .client, trace: above.trace,
            span: attempt.span?.context.spanID ?? TraceContext.newSpanID(), parent: above.span,
            from: attempt.began, to: attempt.began + attempt.seconds)
    }

    private static func request(_ outcome: EngineEvent.Outcome, _ event: EngineEvent, _ own: Open) -> Tree {
        var span = TraceSpanTree(event)
        if let status = outcome.status { span.add("http.response.status_code", status) }
        if let error = outcome.error { span.fail(error, outcome.message) }
        let name = [event.method ?? "HTTP", event.service].compactMap(\.self).joined(separator: " ")
        return span.tree(
            name, .internal, trace: own.trace, span: own.span, parent: own.parent,
            from: event.time - (outcome.seconds ?? 0), to: event.time)
    }
}

/// A span in OTLP's JSON: identifiers in hexadecimal digits, times as texts in nanoseconds, names of
/// attributes from OpenTelemetry's conventions for HTTP
/// (https://opentelemetry.io/docs/specs/semconv/http/http-spans/).
struct TraceSpanTree {
    enum Kind: Int {
        case `internal` = 1
        case client = 3
    }

    private var attributes: [Tree] = []
    private var status: Tree?

    /// With what all events of a request say.
    init(_ event: EngineEvent) {
        if let service = event.service { add("resthost.service", service) }
        if let method = event.method { add("http.request.method", method) }
        guard let url = event.url else { return }
        add("url.full", SecretMask.standard.url(url))
        guard let parts = URLText(url), let host = parts.host else { return }
        add("server.address", host)
        add("server.port", parts.port ?? (parts.scheme == "https" ? 443 : 80))
    }

    mutating func add(_ key: String, _ value: String) { attributes.append(Self.text(key, value)) }

    mutating func add(_ key: String, _ value: Int) {
        attributes.append(["key": Tree(key), "value": ["intValue": Tree("\(value)")] as Tree])
    }

    /// - Parameter message: With its secrets masked.
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

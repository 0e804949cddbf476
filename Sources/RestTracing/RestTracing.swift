public import RestEngine
public import Tracing

extension Engine {
    /// Makes each message of this engine's requests a client span, with the names and attributes of
    /// OpenTelemetry's conventions for HTTP:
    ///
    ///     engine.trace()
    ///
    /// A span is below the `ServiceContext` of the task that began the request, also when the message is sent
    /// later: after a queue, a retry or a refresh. The tracer's fields, such as `traceparent`, go to the
    /// server, in place of the engine's own; after a redirect to another origin they don't. A caller that
    /// joins a request in flight gets no span: the span has a link to its context.
    ///
    /// An engine has one tracer: a second call replaces the first. Messages in flight keep their spans.
    ///
    /// - Parameters:
    ///   - tracer: Nil: `InstrumentationSystem.tracer` and `.instrument`, looked up for each message.
    ///   - template: The template of a URL for the span's name and `url.template`, `/users/{id}` for example,
    ///     with few values in all; nil for URLs without one.
    /// - Returns: The registration, to cancel it. It lasts as long as the engine if you ignore it.
    @discardableResult
    public func trace(
        with tracer: (any Tracer)? = nil, template: (@EngineActor (URLText) -> String?)? = nil
    ) -> EngineTracing {
        let made = EngineTracing(self, tracer, template)
        WorkScope.placeOfTask = { ServiceContext.current.map(ContextPlace.init) }
        messageTracer = made
        return made
    }
}

/// The tracing of an engine's messages, until it is cancelled.
@EngineActor
public final class EngineTracing {
    private weak var engine: Engine?
    private let given: (any Tracer)?
    private let template: (@EngineActor (URLText) -> String?)?

    fileprivate init(
        _ engine: Engine, _ tracer: (any Tracer)?, _ template: (@EngineActor (URLText) -> String?)?
    ) {
        self.engine = engine
        given = tracer
        self.template = template
    }

    /// Ends the tracing of messages that are sent from now on.
    public func cancel() {
        if let engine, engine.messageTracer === self { engine.messageTracer = nil }
    }
}

extension EngineTracing: MessageTracer {
    package func begin(_ message: TracedMessage, joined: [any TracePlace]) -> any MessageSpan {
        let above = (message.place as? ContextPlace)?.context
        let url = URLText(message.url)
        let template = url.flatMap { self.template?($0) }
        let method = HTTPMethodName(message.method)
        let span = (given ?? InstrumentationSystem.tracer).startSpan(
            [method.inName, template].compactMap(\.self).joined(separator: " "),
            context: above ?? .topLevel, ofKind: .client,
            at: DefaultTracerClock.Timestamp(message.began))
        if span.isRecording {
            span.updateAttributes { attributes in
                attributes["http.request.method"] = method.attribute
                if method.attribute != message.method {
                    attributes["http.request.method_original"] = message.method
                }
                attributes["url.full"] = SecretMask.standard.url(message.url)
                if let template { attributes["url.template"] = template }
                if let url, let host = url.host {
                    attributes["server.address"] = host
                    attributes["server.port"] = url.port ?? (url.scheme == "https" ? 443 : 80)
                }
                if message.resends > 0 { attributes["http.request.resend_count"] = message.resends }
                attributes["resthost.service"] = message.service
                if let id = message.requestID { attributes["resthost.request_id"] = id }
            }
        }
        let made = SpanOfMessage(span, began: message.began)
        for place in joined { made.join(place) }
        var headers = Headers()
        (given ?? InstrumentationSystem.instrument).inject(
            span.context, into: &headers, using: HeadersInjector())
        made.fields = headers.fields
        return made
    }
}

/// The span of a message in flight.
@EngineActor
private final class SpanOfMessage: MessageSpan {
    private let span: any Tracing.Span
    private let began: Double
    var fields: [Headers.Field] = []

    init(_ span: any Tracing.Span, began: Double) { (self.span, self.began) = (span, began) }

    func join(_ place: any TracePlace) {
        guard let context = (place as? ContextPlace)?.context else { return }
        span.addLink(SpanLink(context: context, attributes: [:]))
    }

    func end(_ result: TransportResult, after seconds: Double) {
        switch result {
        case .success(let response):
            span.updateAttributes { attributes in
                attributes["http.response.status_code"] = response.status
                if let version = Entity.number(ofVersion: response.httpVersion) {
                    attributes["network.protocol.version"] = version
                }
                if response.status >= 400 { attributes["error.type"] = "\(response.status)" }
            }
            if response.status >= 400 { span.setStatus(SpanStatus(code: .error)) }
        case .failure(.cancelled):
            // The caller didn't need the answer, which is no error.
            span.attributes["error.type"] = RequestError.Cause.requestCancelled.code
        case .failure(let error):
            span.attributes["error.type"] = error.code.rawValue
            span.setStatus(SpanStatus(code: .error, message: SecretMask.standard.line("\(error)")))
        }
        span.end(at: DefaultTracerClock.Timestamp(began + max(0, seconds)))
    }
}

/// The context of the task that began a request.
private struct ContextPlace: TracePlace {
    let context: ServiceContext

    func run<Result>(_ body: () -> Result) -> Result {
        ServiceContext.$current.withValue(context, operation: body)
    }
}

private struct HeadersInjector: Injector {
    func inject(_ value: String, forKey key: String, into headers: inout Headers) { headers.set(key, value) }
}

/// A method as the conventions name it.
private struct HTTPMethodName {
    private static let known: Set<String> = [
        "CONNECT", "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "QUERY", "TRACE",
    ]

    /// `_OTHER` for one that is not known.
    let attribute: String

    init(_ method: String) { attribute = Self.known.contains(method) ? method : "_OTHER" }

    /// In the name of a span.
    var inName: String { attribute == "_OTHER" ? "HTTP" : attribute }
}

extension DefaultTracerClock.Timestamp {
    /// - Parameter seconds: Unix time.
    fileprivate init(_ seconds: Double) {
        self.init(nanosecondsSinceEpoch: UInt64(max(0, min(seconds, 9e9)) * 1e9))
    }
}

/// A computation as a span of a trace. The loads of its sources are below it (rule 70.7).
package struct ComputationSpan: Sendable {
    package let span: TraceSpan
    /// See ``EngineEvent/requestID``.
    package let requestID: String?
    package let service: String
    package let method: String
    package let url: String
    /// In Unix seconds.
    package let began: Double
    package fileprivate(set) var ended: Double
    /// The code and the message of the failure; nil for a success.
    package fileprivate(set) var failure: (code: String, message: String)?
}

/// Puts the requests of a computation into one trace.
@EngineActor
struct ComputationTrace {
    /// The origin of the requests that the function begins.
    let origin: RequestOrigin
    /// Nil if nobody records it.
    private var span: ComputationSpan?

    init(_ request: Request, of resource: Resource, _ method: String) {
        let engine = resource.engine
        guard engine.onComputation != nil else {
            let above = request.origin ?? RequestOrigin()
            origin = above.trace == nil ? above.below(.root()) : above
            return
        }
        let own = TraceSpan(below: request.origin?.trace)
        origin = (request.origin ?? RequestOrigin()).below(own.context)
        let now = engine.scheduler.now
        span = ComputationSpan(
            span: own, requestID: request.origin?.id, service: resource.core.name, method: method,
            url: resource.urlString, began: now, ended: now)
    }

    /// Reports the span, once.
    mutating func end(_ failure: RequestError?, _ engine: Engine) {
        guard var ended = span else { return }
        span = nil
        ended.ended = engine.scheduler.now
        ended.failure = failure.map { ($0.code, "\($0)") }
        engine.onComputation?(ended)
    }
}

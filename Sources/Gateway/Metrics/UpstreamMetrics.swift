import RestEngine

/// Counts of an engine's work, made from its events (rules 46, 65.4).
@EngineActor
final class UpstreamMetrics {
    private(set) weak var engine: Engine?
    private var requests = LabeledMetrics(.upstreamRequests, ["service", "method", "outcome"])
    private var requestSeconds = LabeledMetrics(.upstreamRequestSeconds, ["service"])
    private var messages = LabeledMetrics(.upstreamMessages, ["service", "method", "reason", "outcome"])
    private var phases = LabeledMetrics(.upstreamPhaseSeconds, ["service", "phase"])
    private var bytes = LabeledMetrics(.upstreamBytes, ["service", "direction"])
    private var connections = LabeledMetrics(.upstreamConnections, ["service", "reused"])
    private var transforms = LabeledMetrics(.transformSeconds, ["service"])
    private var caches = LabeledMetrics(
        .cacheOperations, ["service", "stage", "cache", "operation", "result"])
    private var limits = LabeledMetrics(.limitActions, ["limit", "action"])
    private var breakers = LabeledMetrics(.breakerChanges, ["origin", "state"])
    private var reloads = LabeledMetrics(.reloads, ["outcome"])
    /// The time at which the last message of a request ended, on the engine's clock that never jumps.
    private var ends: [UInt64: Double] = [:]
    /// The limit of requests that are followed at once. For further ones the time after the last message
    /// isn't counted.
    private static let mostFollowed = 10_000

    init(_ engine: Engine) {
        self.engine = engine
        for outcome in ["done", "failed"] { reloads.add([outcome], by: 0) }
        engine.onEvent([.attempt, .response, .cache, .limit, .breaker, .reload]) { [weak self] event in
            self?.note(event)
        }
    }

    private func note(_ event: EngineEvent) {
        let service = event.service ?? ""
        switch event.detail {
        case .attempt(let attempt): note(attempt, service, event)
        case .response(let outcome):
            let ended = event.request.flatMap { ends.removeValue(forKey: $0) }
            if outcome.error == nil, let ended, let engine {
                transforms.observe(engine.scheduler.uptime - ended, [service])
            }
            requests.add([service, Self.method(event.method), outcome.error ?? Self.group(outcome.status)])
            if let seconds = outcome.seconds { requestSeconds.observe(seconds, [service]) }
        case .cache(let access):
            caches.add([service, access.stage, access.cache, access.operation, access.result.rawValue])
        case .limit(let action): limits.add([visible(action.scope), action.action.rawValue])
        case .breaker(let change): breakers.add([change.origin, change.state.rawValue])
        case .reload(let reload): reloads.add([reload.failure == nil ? "done" : "failed"])
        case .request, .state: break
        }
    }

    private func note(_ attempt: EngineEvent.Attempt, _ service: String, _ event: EngineEvent) {
        if let request = event.request, ends[request] != nil || ends.count < Self.mostFollowed {
            ends[request] = engine?.scheduler.uptime
        }
        let outcome: String
        switch attempt.result {
        case .success(let response):
            outcome = Self.group(response.status)
            note(response.timings, service)
        case .failure(let error):
            outcome = attempt.isCancelled ? "request_cancelled" : error.code.rawValue
        }
        messages.add([service, Self.method(event.method), attempt.reason ?? "first", outcome])
    }

    private func note(_ timings: TransferTimings, _ service: String) {
        connections.add([service, timings.isConnectionReused ? "yes" : "no"])
        if timings.bytesSent > 0 { bytes.add([service, "sent"], by: Double(timings.bytesSent)) }
        if timings.bytesReceived > 0 { bytes.add([service, "received"], by: Double(timings.bytesReceived)) }
        for (phase, seconds) in MessagePhases.of(timings) { phases.observe(seconds, [service, phase]) }
    }

    private static func group(_ status: Int?) -> String { status.map { "\($0 / 100)xx" } ?? "none" }

    private static func method(_ name: String?) -> String {
        RequestSeries.methods[Int(RequestSeries.method(name ?? ""))]
    }

    private func visible(_ name: String) -> String { SecretMask.standard.url(name) }

    var families: [MetricFamily] {
        var all = [
            requests, requestSeconds, messages, phases, bytes, connections, transforms, caches, limits,
            breakers, reloads,
        ].map(\.family)
        guard let engine else { return all }
        let facts = engine.attemptFacts
        var (inFlight, waiting) = (
            LabeledMetrics(.limitInFlight, ["limit"]), LabeledMetrics(.limitWaiting, ["limit"])
        )
        for limit in facts.limits {
            inFlight.add([visible(limit.name)], by: Double(limit.inFlight))
            waiting.add([visible(limit.name)], by: Double(limit.waiting))
        }
        var open = LabeledMetrics(.breakerOpen, ["origin"])
        for breaker in facts.breakers { open.add([breaker.origin], by: breaker.openSeconds > 0 ? 1 : 0.5) }
        all += [inFlight, waiting, open].map(\.family)
        return all + [
            MetricFamily(.openRequests, Double(engine.openRequests)),
            MetricFamily(.offloadedWork, Double(engine.offloadedWork)),
            MetricFamily(.contentBytes, Double(engine.contentBudget.heldBytes)),
        ]
    }
}

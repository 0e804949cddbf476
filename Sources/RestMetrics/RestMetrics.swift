public import CoreMetrics
public import RestEngine

extension Engine {
    /// Counts what this engine does, from now on:
    ///
    ///     engine.recordMetrics()
    ///
    /// The names, labels and units are those of `docs/swift/with-other-packages.md`. An engine has one
    /// recording: a second call replaces the first, which then counts nothing more. Engines that record to
    /// one factory add up.
    ///
    /// - Parameter factory: Makes the metrics; nil: `MetricsSystem.factory` as it is now, so call
    ///   `MetricsSystem.bootstrap` before.
    /// - Returns: The registration, to cancel it. It lasts as long as the engine if you ignore it.
    @discardableResult
    public func recordMetrics(to factory: (any MetricsFactory)? = nil) -> EngineMetrics {
        let key = ObjectIdentifier(EngineMetrics.self)
        (installed[key] as? EngineMetrics)?.cancel()
        let made = EngineMetrics(self, factory ?? MetricsSystem.factory)
        installed[key] = made
        return made
    }
}

/// The recording of an engine's metrics, until it is cancelled.
@EngineActor
public final class EngineMetrics {
    private weak var engine: Engine?
    private var subscription: EventSubscription?
    private let series: MetricSeries
    /// The requests in flight, with the time at which their last message ended.
    private var open: [UInt64: Double?] = [:]

    fileprivate init(_ engine: Engine, _ factory: any MetricsFactory) {
        self.engine = engine
        series = MetricSeries(factory)
        subscription = engine.onEvent([.request, .attempt, .response, .cache, .limit, .breaker]) {
            [weak self] in self?.note($0)
        }
    }

    /// Ends the recording. The gauge of requests in flight falls by those that it had counted.
    public func cancel() {
        guard let engine else { return }
        self.engine = nil
        subscription?.cancel()
        for _ in open { series.openRequests.decrement() }
        open = [:]
        let key = ObjectIdentifier(Self.self)
        if engine.installed[key] === self { engine.installed[key] = nil }
    }

    private func note(_ event: EngineEvent) {
        let service = event.service ?? ""
        switch event.detail {
        case .request:
            guard let request = event.request, open.updateValue(nil, forKey: request) == nil else { return }
            series.openRequests.increment()
        case .attempt(let attempt): note(attempt, event, service)
        case .response(let outcome): note(outcome, event, service)
        case .cache(let access):
            series.counter(
                "resthost_cache_operations_total",
                [
                    ("service", service), ("stage", access.stage), ("cache", access.cache),
                    ("operation", access.operation), ("result", access.result.rawValue),
                ]
            ).increment()
        case .limit(let action):
            let limit = SecretMask.standard.url(action.scope)
            series.counter(
                "resthost_limit_actions_total", [("limit", limit), ("action", action.action.rawValue)]
            ).increment()
            guard action.action != .queued else { return }
            series.timer("resthost_limit_wait_seconds", [("limit", limit)]).recordSeconds(action.waited)
        case .breaker(let change):
            series.counter(
                "resthost_breaker_changes_total",
                [("origin", change.origin), ("state", change.state.rawValue)]
            ).increment()
            let isOpen =
                switch change.state {
                case .open: 1.0
                case .halfOpen: 0.5
                case .closed: 0.0
                }
            series.meter("resthost_breaker_open", [("origin", change.origin)]).set(isOpen)
        case .reload, .state: break
        }
    }

    private func note(_ attempt: EngineEvent.Attempt, _ event: EngineEvent, _ service: String) {
        if let request = event.request, open[request] != nil { open[request] = .some(event.time) }
        let outcome: String
        switch attempt.result {
        case .success(let response):
            outcome = Self.group(response.status)
            note(response.timings, service)
        case .failure(let error):
            outcome =
                attempt.isCancelled ? RequestError.Cause.requestCancelled.code : error.code.rawValue
        }
        series.counter(
            "resthost_upstream_messages_total",
            [
                ("service", service), ("method", Self.method(event.method)),
                ("reason", attempt.reason ?? "first"), ("outcome", outcome),
            ]
        ).increment()
    }

    private func note(_ timings: TransferTimings, _ service: String) {
        series.counter(
            "resthost_upstream_connections_total",
            [("service", service), ("reused", timings.isConnectionReused ? "yes" : "no")]
        ).increment()
        for (direction, bytes) in [("sent", timings.bytesSent), ("received", timings.bytesReceived)]
        where bytes > 0 {
            series.counter(
                "resthost_upstream_bytes_total", [("service", service), ("direction", direction)]
            ).increment(by: bytes)
        }
        for (phase, seconds) in MessagePhases.of(timings) {
            series.timer(
                "resthost_upstream_phase_seconds", [("service", service), ("phase", phase)]
            ).recordSeconds(seconds)
        }
    }

    private func note(_ outcome: EngineEvent.Outcome, _ event: EngineEvent, _ service: String) {
        if let request = event.request, let last = open.removeValue(forKey: request) {
            series.openRequests.decrement()
            if outcome.error == nil, let last {
                series.timer("resthost_transform_seconds", [("service", service)])
                    .recordSeconds(max(0, event.time - last))
            }
        }
        series.counter(
            "resthost_upstream_requests_total",
            [
                ("service", service), ("method", Self.method(event.method)),
                ("outcome", outcome.error ?? outcome.status.map(Self.group) ?? "none"),
            ]
        ).increment()
        if let seconds = outcome.seconds {
            series.timer("resthost_upstream_request_seconds", [("service", service)]).recordSeconds(seconds)
        }
    }

    private static let methods: Set<String> = [
        "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "QUERY",
    ]

    private static func method(_ name: String?) -> String {
        name.flatMap { methods.contains($0) ? $0 : nil } ?? "other"
    }

    private static func group(_ status: Int) -> String { "\(status / 100)xx" }
}

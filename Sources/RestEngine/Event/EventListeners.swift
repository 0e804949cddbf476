/// Somebody who hears of an engine's events, until it is cancelled.
@EngineActor
public final class EventSubscription {
    /// What it wants to hear of, a bit for each kind.
    fileprivate let kinds: UInt8
    /// Bytes of a body that it wants to have though somebody else gets it.
    fileprivate let copiedBytes: Int
    fileprivate let handler: @EngineActor (EngineEvent) -> Void
    private weak var engine: Engine?

    fileprivate init(
        _ engine: Engine, _ kinds: Set<EngineEvent.Kind>, copying bytes: Int,
        _ handler: @escaping @EngineActor (EngineEvent) -> Void
    ) {
        self.engine = engine
        self.kinds = kinds.reduce(0) { $0 | $1.bit }
        copiedBytes = bytes
        self.handler = handler
    }

    /// Nothing is told any more from here on.
    public func cancel() {
        engine?.remove(self)
        engine = nil
    }

    /// It has not been cancelled.
    public var isActive: Bool { engine != nil }
}

/// The listeners of an engine that has some.
@EngineActor
final class EventListeners {
    private var all: [EventSubscription] = []
    private var kinds: UInt8 = 0
    /// The most that one of them wants.
    private(set) var copiedBytes = 0

    var isEmpty: Bool { all.isEmpty }

    func wants(_ kind: EngineEvent.Kind) -> Bool { kinds & kind.bit != 0 }

    func add(_ subscription: EventSubscription) {
        all.append(subscription)
        kinds |= subscription.kinds
        copiedBytes = max(copiedBytes, subscription.copiedBytes)
    }

    func remove(_ subscription: EventSubscription) {
        all.remove(identical: subscription)
        kinds = all.reduce(0) { $0 | $1.kinds }
        copiedBytes = all.reduce(0) { max($0, $1.copiedBytes) }
    }

    /// In the order in which they came. One that is cancelled by another meanwhile hears nothing.
    func notify(_ event: EngineEvent) {
        let bit = event.kind.bit
        for subscription in all where subscription.kinds & bit != 0 && subscription.isActive {
            subscription.handler(event)
        }
    }
}

extension EngineEvent.Kind {
    fileprivate var bit: UInt8 {
        switch self {
        case .request: 1
        case .attempt: 2
        case .response: 4
        case .cache: 8
        case .breaker: 16
        case .limit: 32
        case .reload: 64
        case .state: 128
        }
    }
}

extension Engine {
    /// Calls `handler` with each event of these kinds, in the order in which they happen, in the middle of
    /// what happens: it may look and note, and leaves everything as it is (46.4). What takes longer reads
    /// ``events(_:)``.
    ///
    /// - Returns: What ends it; it goes on if that is dropped.
    @discardableResult
    public func onEvent(
        _ kinds: Set<EngineEvent.Kind>, _ handler: @escaping @EngineActor (EngineEvent) -> Void
    ) -> EventSubscription {
        onEvent(kinds, copying: 0, handler)
    }

    /// The same, of attempts with so many bytes of a body that goes elsewhere as it comes.
    @discardableResult
    func onEvent(
        _ kinds: Set<EngineEvent.Kind>, copying bytes: Int,
        _ handler: @escaping @EngineActor (EngineEvent) -> Void
    ) -> EventSubscription {
        let subscription = EventSubscription(self, kinds, copying: bytes, handler)
        let listeners = listeners ?? EventListeners()
        self.listeners = listeners
        listeners.add(subscription)
        return subscription
    }

    fileprivate func remove(_ subscription: EventSubscription) {
        listeners?.remove(subscription)
        if listeners?.isEmpty == true { listeners = nil }
    }

    /// Whether anybody wants to hear of this kind; nothing is made for events that nobody hears of.
    package func hasListeners(of kind: EngineEvent.Kind) -> Bool { listeners?.wants(kind) ?? false }

    /// Tells whoever wants to hear of this. `event` is not made when nobody does (46.1).
    package func notify(_ kind: EngineEvent.Kind, _ event: @autoclosure () -> EngineEvent) {
        guard let listeners, listeners.wants(kind) else { return }
        listeners.notify(event())
    }
}

// MARK: What is told

/// What is kept of a request for its events.
@EngineActor
final class NotifiedRequest {
    /// By which they are known to belong together.
    let number: UInt64
    /// When it started, by the scheduler's uptime, if somebody listened then.
    fileprivate var began: Double?

    fileprivate init(_ engine: Engine) {
        engine.lastRequestNumber += 1
        number = engine.lastRequestNumber
    }
}

extension Request {
    private var tale: NotifiedRequest {
        if let notified { return notified }
        let new = NotifiedRequest(engine)
        notified = new
        return new
    }

    /// Of what goes over the network; others are made of such, or are somebody's own.
    private func event(_ detail: EngineEvent.Detail) -> EngineEvent {
        EngineEvent(
            time: engine.scheduler.now, request: tale.number, service: work.lister?.core.name,
            method: work.target?.method, url: work.target?.url, detail)
    }

    func notifyStart() {
        guard engine.listeners != nil, work.isNotified else { return }
        tale.began = engine.scheduler.uptime
        engine.notify(.request, event(.request))
    }

    func notifyEnd() {
        guard engine.hasListeners(of: .response), work.isNotified, let info else { return }
        let error = info.response.error
        engine.notify(
            .response,
            event(
                .response(
                    EngineEvent.Outcome(
                        status: exchange?.status ?? error?.httpStatusCode, error: error?.code,
                        message: error.map { "\($0)" }, isNew: info.isNew,
                        seconds: tale.began.map { engine.scheduler.uptime - $0 }))))
    }

    /// A message was answered, or was not. It is made again for those who listen: kept until now, it would
    /// cost the others something.
    fileprivate func notify(_ result: TransportResult, _ delivered: DeliveredBody?, of sent: MessageUnderWay) {
        guard engine.hasListeners(of: .attempt) else { return }
        let (step, configuration) = (sent.hop.step, sent.hop.resolved.configuration)
        let message = TransportRequest(
            TransportRequest.Fields(
                method: step.method, url: step.url, headers: sent.headers, payload: step.payload,
                timeouts: configuration.timeouts, maxBodyBytes: configuration.maxBodyBytes))
        var attempt = EngineEvent.Attempt(
            number: sent.hop.number, reason: sent.hop.reason.map { "\($0)" }, message: message,
            result: result,
            began: sent.began, seconds: engine.scheduler.now - sent.began, span: sent.span)
        attempt.delivered = delivered
        attempt.transport = work.lister?.core.transport
        engine.notify(
            .attempt,
            EngineEvent(
                time: engine.scheduler.now, request: tale.number, service: work.lister?.core.name,
                method: message.method, url: message.url, .attempt(attempt)))
    }
}

/// What is told of a message when it ends, for those who listen.
@EngineActor
final class MessageUnderWay {
    private weak var request: Request?
    fileprivate let hop: RequestHop
    /// With what the engine added to those of the hop.
    fileprivate let headers: Headers
    fileprivate let span: TraceSpan?
    fileprivate let began: Double

    init(_ request: Request, _ hop: RequestHop, _ headers: Headers, _ span: TraceSpan?, _ began: Double) {
        (self.request, self.hop, self.headers) = (request, hop, headers)
        (self.span, self.began) = (span, began)
    }

    func notify(_ result: TransportResult, _ delivered: DeliveredBody?) {
        request?.notify(result, delivered, of: self)
    }
}

extension Resource {
    func notify(_ kind: EngineEvent.Kind, _ detail: @autoclosure () -> EngineEvent.Detail) {
        engine.notify(
            kind,
            EngineEvent(
                time: engine.scheduler.now, service: core.name, method: "GET", url: urlString, detail()))
    }
}

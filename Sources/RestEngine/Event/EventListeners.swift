/// The registration of a listener for an engine's events, until it is cancelled.
@EngineActor
public final class EventSubscription {
    /// The kinds that it listens to, a bit for each.
    fileprivate let kinds: UInt8
    /// Bytes that it wants of a body that is delivered elsewhere.
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

    /// Ends the registration; the listener gets no further events.
    public func cancel() {
        engine?.remove(self)
        engine = nil
    }

    /// Whether it has not been cancelled.
    public var isActive: Bool { engine != nil }
}

/// The listeners of an engine that has at least one.
@EngineActor
final class EventListeners {
    private var all: [EventSubscription] = []
    private var kinds: UInt8 = 0
    /// The largest number that one of them wants.
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

    /// Calls the listeners in the order in which they were added. One that another cancels meanwhile is not
    /// called.
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
    /// Calls `handler` with each event of these kinds, in the order of the events and while they happen. The
    /// handler may read and record, but must not change any state (46.4). For longer work, read
    /// ``events(_:)``.
    ///
    /// - Returns: The registration, to cancel it; the handler stays registered if you ignore it.
    @discardableResult
    public func onEvent(
        _ kinds: Set<EngineEvent.Kind>, _ handler: @escaping @EngineActor (EngineEvent) -> Void
    ) -> EventSubscription {
        onEvent(kinds, copying: 0, handler)
    }

    /// The same, for attempts with up to that many bytes of a body that is delivered elsewhere.
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

    /// Whether there is a listener for this kind; events without listeners are not created.
    package func hasListeners(of kind: EngineEvent.Kind) -> Bool { listeners?.wants(kind) ?? false }

    /// Notifies the listeners of this kind. `event` is evaluated only if there are any (46.1).
    package func notify(_ kind: EngineEvent.Kind, _ event: @autoclosure () -> EngineEvent) {
        guard let listeners, listeners.wants(kind) else { return }
        listeners.notify(event())
    }
}

// MARK: Events of requests

/// The data about a request that its events need.
@EngineActor
final class NotifiedRequest {
    /// Identifies the events that belong together.
    let number: UInt64
    /// When it started, on the scheduler's uptime clock, if there was a listener at that time.
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

    /// Only for requests that use the network; other requests consist of such requests, or are custom ones.
    private func event(_ detail: EngineEvent.Detail) -> EngineEvent {
        EngineEvent(
            time: engine.scheduler.now, request: tale.number, requestID: origin?.id,
            service: work.lister?.core.name, method: work.target?.method, url: work.target?.url, detail)
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
                        message: error.map { "\($0)" }, place: error?.scriptLocation, isNew: info.isNew,
                        seconds: tale.began.map { engine.scheduler.uptime - $0 }))))
    }

    /// Notifies listeners of the result of a message. The message is built again here, because keeping it
    /// until now would cost memory even without listeners.
    fileprivate func notify(_ result: TransportResult, _ delivered: DeliveredBody?, of sent: MessageUnderWay)
    {
        guard engine.hasListeners(of: .attempt) else { return }
        let (step, configuration) = (sent.hop.step, sent.hop.resolved.configuration)
        let message = TransportRequest(
            TransportRequest.Fields(
                method: step.method, url: step.url, headers: sent.headers, payload: step.payload,
                timeouts: configuration.timeouts, maxBodyBytes: configuration.maxBodyBytes))
        var attempt = EngineEvent.Attempt(
            number: sent.hop.number, reason: sent.hop.reason.map { "\($0)" }, message: message,
            result: result,
            began: sent.began, seconds: engine.scheduler.uptime - sent.uptime, span: sent.span)
        attempt.delivered = delivered
        attempt.transport = work.lister?.core.transport
        engine.notify(
            .attempt,
            EngineEvent(
                time: engine.scheduler.now, request: tale.number, requestID: origin?.id,
                service: work.lister?.core.name, method: message.method, url: message.url,
                .attempt(attempt)))
    }
}

/// The data about a message in flight for its event, when it ends.
@EngineActor
final class MessageUnderWay {
    private weak var request: Request?
    private let follower: MessageFollower?
    fileprivate let hop: RequestHop
    /// The headers of the hop, and those that the engine added.
    fileprivate let headers: Headers
    fileprivate let span: TraceSpan?
    fileprivate let began: Double
    /// The same moment on the clock that never jumps.
    fileprivate let uptime: Double

    init(
        _ request: Request, _ hop: RequestHop, _ headers: Headers, _ span: TraceSpan?, _ began: Double,
        _ follower: MessageFollower?
    ) {
        (self.request, self.hop, self.headers, self.follower) = (request, hop, headers, follower)
        (self.span, self.began) = (span, began)
        uptime = request.engine.scheduler.uptime
    }

    func notify(_ result: TransportResult, _ delivered: DeliveredBody?) {
        if let follower, let request {
            follower.end(result, after: request.engine.scheduler.uptime - uptime)
        }
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

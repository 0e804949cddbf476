/// An event of an engine, for logs, metrics, recordings and scripts (rules 46).
public struct EngineEvent: Sendable {
    /// The kinds, by the names that scripts use.
    public enum Kind: String, Sendable, CaseIterable {
        /// See ``Detail/request``.
        case request
        /// See ``Detail/attempt(_:)``.
        case attempt
        /// See ``Detail/response(_:)``.
        case response
        /// See ``Detail/cache(_:)``.
        case cache
        /// See ``Detail/breaker(_:)``.
        case breaker
        /// See ``Detail/limit(_:)``.
        case limit
        /// See ``Detail/reload(_:)``.
        case reload
        /// See ``Detail/state(_:)``.
        case state
    }

    /// The data of each kind.
    public enum Detail: Sendable {
        /// A request over the network has started.
        case request
        /// One message was sent, and was answered or failed.
        case attempt(Attempt)
        /// A request over the network has ended.
        case response(Outcome)
        /// A cache operation was done.
        case cache(CacheAccess)
        /// A circuit breaker changed its state.
        case breaker(BreakerChange)
        /// A limit made a request wait, released it, or refused it.
        case limit(LimitAction)
        /// A script, or some of its modules, was loaded again, or failed to load.
        case reload(Reload)
        /// The state of a resource changed.
        case state(ResourceEvent)
    }

    /// The time of the event, in Unix seconds of the engine's clock.
    public let time: Double
    /// The number of the request, the same in all its events; nil for events that belong to no request.
    public var request: UInt64?
    /// The ID of the client's request for which the request is made; nil for others (rules 74).
    public var requestID: String?
    /// The name of the service.
    public var service: String?
    /// The method of the request or of the attempt; a redirect may have changed it.
    public var method: String?
    /// The URL of the request or of the attempt. It may contain secrets, which ``SecretMask`` hides.
    public var url: String?
    /// The data of the event.
    public var detail: Detail
    /// The number of requested events that were lost before this one (46.5).
    public internal(set) var dropped = 0

    package init(
        time: Double, request: UInt64? = nil, requestID: String? = nil, service: String? = nil,
        method: String? = nil, url: String? = nil, _ detail: Detail
    ) {
        self.time = time
        self.request = request
        self.requestID = requestID
        self.service = service
        self.method = method
        self.url = url
        self.detail = detail
    }

    /// The kind of the event.
    public var kind: Kind {
        switch detail {
        case .request: .request
        case .attempt: .attempt
        case .response: .response
        case .cache: .cache
        case .breaker: .breaker
        case .limit: .limit
        case .reload: .reload
        case .state: .state
        }
    }

    /// A copy without the bodies of messages, to be kept (46.6).
    var withoutBodies: EngineEvent {
        guard case .attempt(var attempt) = detail else { return self }
        // A message has one of both.
        attempt.message.body = nil
        attempt.message.upload = nil
        attempt.delivered = nil
        attempt.transport = nil
        if case .success(var response) = attempt.result {
            response.body = []
            attempt.result = .success(response)
        }
        var event = self
        event.detail = .attempt(attempt)
        return event
    }
}

extension EngineEvent {
    /// One message to a server, and its result: the request itself, a repeat, an answer to a challenge, or
    /// the target of a redirect (46.2).
    public struct Attempt: Sendable {
        /// The attempt of the request that the message belongs to, as ``RequestAttempt/number``.
        public let number: Int
        /// The reason why it was sent, if it is not the first message: `retry`, `redirect`, `challenge`.
        public let reason: String?
        /// The message as it was sent, including credentials.
        public internal(set) var message: TransportRequest
        /// The response as received and decoded, or the error.
        public internal(set) var result: TransportResult
        /// The transport that sent it.
        var transport: (any Transport)?
        /// The body of a success that was delivered elsewhere as it arrived, as far as it is known.
        var delivered: DeliveredBody?
        /// When it was sent, in Unix seconds.
        public let began: Double
        package let seconds: Double
        /// The time until its end.
        public var duration: Duration { Duration(inSeconds: seconds) }
        /// The span of a trace that it is; nil if it is not traced.
        package let span: TraceSpan?

        /// Whether the message was cancelled because the answer was no longer needed: then the result does
        /// not count as a failure.
        public var isCancelled: Bool {
            if case .failure(let error) = result { error == .cancelled } else { false }
        }

        package init(
            number: Int, reason: String? = nil, message: TransportRequest, result: TransportResult,
            began: Double, seconds: Double, span: TraceSpan? = nil
        ) {
            self.span = span
            self.number = number
            self.reason = reason
            self.message = message
            self.result = result
            self.began = began
            self.seconds = seconds
        }
    }

    /// The end of a request, after its pipeline.
    public struct Outcome: Sendable {
        /// The answer's status; nil when there was none.
        public let status: Int?
        /// Nil for a success; otherwise a name out of a bounded set, ``RequestError/code``.
        public let error: String?
        /// The failure in one line, secrets masked.
        public let message: String?
        /// The line of the script that failed, or that asked for something impossible, if it is known.
        package let place: ScriptLocation?
        /// False when a 304 confirmed the existing data.
        public let isNew: Bool
        package let seconds: Double?
        /// The time from the start to the end; nil if there was no listener at the start.
        public var duration: Duration? { seconds.map { Duration(inSeconds: $0) } }
    }

    /// A cache operation, and its result. Its data is in the event's ``tree``.
    public struct CacheAccess: Sendable {
        /// The result of a cache operation.
        package enum Result: String, Sendable {
            case hit, miss, done, failed
        }

        /// `read`, `write`, `update_timestamp`, `remove`.
        package let operation: String
        /// The stage that has the cache.
        package let stage: String
        /// The name of the cache in logs.
        package let cache: String
        /// A read is a hit or a miss.
        package let result: Result
        /// The message of a failure.
        package let message: String?
    }

    /// A circuit breaker's new state. Its data is in the event's ``tree``.
    public struct BreakerChange: Sendable {
        /// The requests that it lets through.
        package enum State: String, Sendable {
            case closed, open
            case halfOpen = "half_open"
        }

        /// `https://host:port`.
        package let origin: String
        /// The new state.
        package let state: State
        /// For an open breaker: the time at which it lets a probe through, in Unix seconds.
        package let retryAt: Double?

        package init(origin: String, state: State, retryAt: Double? = nil) {
            self.origin = origin
            self.state = state
            self.retryAt = retryAt
        }
    }

    /// A decision of a limit about a request. Its data is in the event's ``tree``.
    public struct LimitAction: Sendable {
        /// The decision.
        package enum Action: String, Sendable {
            /// The request waits.
            case queued
            /// The request may go after waiting.
            case released
            /// The queue was full, or it waited too long.
            case refused
        }

        /// The scope that shares the limit: a host, a service, a name.
        package let scope: String
        /// The decision of the limit.
        package let action: Action
        /// Seconds that the request waited.
        package let waited: Double
        /// The number of waiting requests.
        package let waiting: Int
        /// The number of requests in flight.
        package let inFlight: Int

        package init(scope: String, action: Action, waited: Double = 0, waiting: Int, inFlight: Int) {
            self.scope = scope
            self.action = action
            self.waited = waited
            self.waiting = waiting
            self.inFlight = inFlight
        }
    }

    /// The result of a reload. Its data is in the event's ``tree``.
    public struct Reload: Sendable {
        /// The cause of the reload, in words.
        package let trigger: String
        /// The generation that runs now.
        package let generation: Int
        /// The modules that were loaded again, if it was not the whole script.
        package let modules: [String]
        /// The reason why the old generation still runs; nil for a success.
        package let failure: String?

        package init(trigger: String, generation: Int, modules: [String] = [], failure: String? = nil) {
            self.trigger = trigger
            self.generation = generation
            self.modules = modules
            self.failure = failure
        }
    }
}

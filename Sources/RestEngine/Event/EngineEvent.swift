/// Something that happened in an engine: what logs, metrics, recordings and scripts hear of (rules 46).
public struct EngineEvent: Sendable {
    /// What kinds there are, by the names that scripts use.
    public enum Kind: String, Sendable, CaseIterable {
        case request, attempt, response, cache, breaker, limit, reload, state
    }

    /// What is particular to a kind.
    public enum Detail: Sendable {
        /// A request over the network has started.
        case request
        /// One message went out and was answered, or failed.
        case attempt(Attempt)
        /// A request over the network has ended.
        case response(Outcome)
        /// A cache was asked for something.
        case cache(CacheAccess)
        /// A circuit breaker changed its state.
        case breaker(BreakerChange)
        /// A limit made a request wait, let it go on, or refused it.
        case limit(LimitAction)
        /// A script, or modules of it, were loaded anew, or could not be.
        case reload(Reload)
        /// The state of a resource changed.
        case state(ResourceEvent)
    }

    /// When it happened, Unix seconds by the engine's clock.
    public let time: Double
    /// The number of the request, the same in all its events; nil for what belongs to none.
    public var request: UInt64?
    /// The name of the service.
    public var service: String?
    /// Of the request, or of the attempt, which a redirect may have changed.
    public var method: String?
    /// The same; it may contain secrets, which ``SecretMask`` hides.
    public var url: String?
    /// What happened.
    public var detail: Detail
    /// So many events that this listener had asked for were lost before this one (46.5).
    public internal(set) var dropped = 0

    package init(
        time: Double, request: UInt64? = nil, service: String? = nil, method: String? = nil,
        url: String? = nil, _ detail: Detail
    ) {
        self.time = time
        self.request = request
        self.service = service
        self.method = method
        self.url = url
        self.detail = detail
    }

    /// What kind it is of.
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

    /// Without the bodies of messages, for whoever keeps it (46.6).
    var withoutBodies: EngineEvent {
        guard case .attempt(var attempt) = detail else { return self }
        attempt.message.body = nil
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
    /// One message to a server, and what came of it: the request itself, a repeat, an answer to a challenge,
    /// or what a redirect led to (46.2).
    public struct Attempt: Sendable {
        /// Which attempt of its request it belongs to, as ``RequestAttempt/number``.
        public let number: Int
        /// Why it was sent, if it is not the first: `retry`, `redirect`, `challenge`.
        public let reason: String?
        /// As it went out, credentials included.
        public internal(set) var message: TransportRequest
        /// As it came in, decoded, or why nothing did.
        public internal(set) var result: TransportResult
        /// The transport that sent it.
        var transport: (any Transport)?
        /// The success whose body went elsewhere as it came, as far as it is known.
        var delivered: DeliveredBody?
        /// When it went out, Unix seconds.
        public let began: Double
        /// Until its end.
        public let seconds: Double
        /// As which it is part of a trace; nil where nothing is traced.
        public let span: TraceSpan?

        /// Nobody wanted the answer any more: its result is no failure of anybody's.
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

    /// How a request ended, behind its pipeline.
    public struct Outcome: Sendable {
        /// The answer's status; nil when there was none.
        public let status: Int?
        /// Nil for a success; else one of a bounded set of names, ``RequestError/code``.
        public let error: String?
        /// The failure in one line, secrets masked.
        public let message: String?
        /// False when a 304 confirmed the data that was there.
        public let isNew: Bool
        /// From the start to the end; nil when nobody listened at its start.
        public let seconds: Double?
    }

    /// What a cache was asked for, and what came of it.
    public struct CacheAccess: Sendable {
        /// How it ended.
        public enum Result: String, Sendable {
            case hit, miss, done, failed
        }

        /// `read`, `write`, `update_timestamp`, `remove`.
        public let operation: String
        /// The stage that has the cache.
        public let stage: String
        /// What logs call the cache.
        public let cache: String
        /// A read is a hit or a miss.
        public let result: Result
        /// Of a failure.
        public let message: String?
    }

    /// A circuit breaker's new state.
    public struct BreakerChange: Sendable {
        /// What it lets through.
        public enum State: String, Sendable {
            case closed, open
            case halfOpen = "half_open"
        }

        /// `https://host:port`.
        public let origin: String
        /// What it is from now on.
        public let state: State
        /// Of an open one: when it lets a probe through, Unix seconds.
        public let retryAt: Double?

        package init(origin: String, state: State, retryAt: Double? = nil) {
            self.origin = origin
            self.state = state
            self.retryAt = retryAt
        }
    }

    /// What a limit did to a request.
    public struct LimitAction: Sendable {
        /// What it did.
        public enum Action: String, Sendable {
            /// It waits for its turn.
            case queued
            /// Its turn has come.
            case released
            /// The queue was full, or it waited too long.
            case refused
        }

        /// What shares the limit: a host, a service, a name.
        public let scope: String
        /// What the limit did.
        public let action: Action
        /// Seconds that it waited.
        public let waited: Double
        /// Requests that wait now.
        public let waiting: Int
        /// Requests that are under way now.
        public let inFlight: Int

        package init(scope: String, action: Action, waited: Double = 0, waiting: Int, inFlight: Int) {
            self.scope = scope
            self.action = action
            self.waited = waited
            self.waiting = waiting
            self.inFlight = inFlight
        }
    }

    /// What a reload came to.
    public struct Reload: Sendable {
        /// What set it off, in words.
        public let trigger: String
        /// The generation that runs now.
        public let generation: Int
        /// The modules that were loaded anew, if it was not the script.
        public let modules: [String]
        /// Why everything is as it was; nil for a success.
        public let failure: String?

        package init(trigger: String, generation: Int, modules: [String] = [], failure: String? = nil) {
            self.trigger = trigger
            self.generation = generation
            self.modules = modules
            self.failure = failure
        }
    }
}

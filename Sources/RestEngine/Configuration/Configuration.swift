/// How to request a resource with one method: what the blocks that match its URL said, in their order.
/// Frozen once made; see ``ConfigurationTable``.
public struct Configuration: Sendable {
    package var expirationSeconds: Double = 30
    package var retrySeconds: Double = 1
    /// Set on every request before its own (rule 15.1).
    public var headers = Headers()
    package var progressSeconds: Double = 0.05
    /// 0: observed resources are loaded when somebody asks, as all others are.
    package var refreshSeconds: Double = 0
    /// The stages that each response passes.
    public var pipeline = Pipeline()
    /// The limits of a transfer in time.
    public var timeouts = Timeouts()
    /// Cap on the decoded body of a response.
    public var maxBodyBytes: Int = 64 << 20
    /// Whether and how redirects are followed.
    public var redirects = RedirectPolicy()
    /// What is said of attempts; nil as long as nothing is.
    var attemptRules: AttemptRulesBox?
    /// Reads of a stale resource join the load in flight.
    public var isCollapsing = true
    /// Messages are spans of a trace, and say so to the server (rules 59).
    public var isTraced = false
    /// What a GET brings is a stream of contents; nil: it is one content.
    public var stream: ContentStream?
    /// Edit requests before they are sent, in order (rule 15.1).
    public var mutators: [ConfiguredFunction<RequestMutation>] = []
    /// Wrap or replace requests before they start, in order (15.4).
    public var decorators: [ConfiguredFunction<RequestDecorator>] = []

    public init() {}
}

extension Configuration {
    /// How long loaded data stays up to date; 30 seconds, unless a block says otherwise.
    public var expirationTime: Duration {
        get { Duration(inSeconds: expirationSeconds) }
        set { expirationSeconds = newValue.inSeconds }
    }

    /// How long after a failed load `loadIfNeeded` does not try again, when there is no fresh data; a second,
    /// unless a block says otherwise.
    public var retryTime: Duration {
        get { Duration(inSeconds: retrySeconds) }
        set { retrySeconds = newValue.inSeconds }
    }

    /// How long after its last load a resource is loaded again, as long as somebody observes it; zero, unless
    /// a block says otherwise, which is never.
    public var refreshWhileObserved: Duration {
        get { Duration(inSeconds: refreshSeconds) }
        set { refreshSeconds = newValue.inSeconds }
    }

    /// The time between progress reports; 50 milliseconds, unless a block says otherwise.
    public var progressInterval: Duration {
        get { Duration(inSeconds: progressSeconds) }
        set { progressSeconds = newValue.inSeconds }
    }
}

/// Gets the URL that redirects, where to, and the status; false: the redirect itself is the response.
public typealias RedirectReview = @EngineActor (_ from: String, _ to: String, _ status: Int) throws -> Bool

/// Edits a request before it is sent.
public typealias RequestMutation = @EngineActor (inout RequestDraft) throws -> Void

/// Gets a request that has not started and returns the one to use instead, which may be the same.
public typealias RequestDecorator = @EngineActor (Resource, Request) throws -> Request

/// Whether and how redirects are followed (RFC 9110 15.4).
public struct RedirectPolicy: Sendable {
    /// False: the redirect itself is the response.
    public var follow = true
    /// More in one exchange are an error.
    public var max = 20
    /// Headers that go along to another origin beside Accept*, Content-* and User-Agent: whoever is there may
    /// know them.
    public var keepHeaders: [HeaderName] = []
    /// Asked before each one that is to be followed. What it throws fails the request.
    public var on: ConfiguredFunction<RedirectReview>?

    public init() {}
}

/// A function that a block added, with the line that did.
public struct ConfiguredFunction<Function: Sendable>: Sendable {
    /// What the block gave.
    public let function: Function
    /// `file:line`, for `explain`.
    public let origin: String
    /// What it is known to send secrets with, `rest.auth.basic` for example.
    public let authentication: String?
    /// The Authorization field that it sends with each request, where that is known; for command lines alone.
    let authorization: String?

    public init(_ function: Function, origin: String, authentication: String? = nil) {
        self.init(function, origin: origin, authentication: authentication, authorization: nil)
    }

    package init(_ function: Function, origin: String, authentication: String?, authorization: String?) {
        self.authorization = authorization
        self.function = function
        self.origin = origin
        self.authentication = authentication
    }
}

extension Array where Element == ConfiguredFunction<RequestMutation> {
    /// Adds a function that edits requests behind the others.
    ///
    /// - Parameter origin: `file:line`; nil: the line of this call.
    public mutating func append(
        _ mutation: @escaping RequestMutation, origin: String? = nil, fileID: String = #fileID,
        line: Int = #line
    ) {
        append(ConfiguredFunction(mutation, origin: origin ?? "\(fileID):\(line)"))
    }
}

extension Array where Element == ConfiguredFunction<RequestDecorator> {
    /// Adds a function that wraps or replaces requests behind the others.
    ///
    /// - Parameter origin: `file:line`; nil: the line of this call.
    public mutating func append(
        _ decorator: @escaping RequestDecorator, origin: String? = nil, fileID: String = #fileID,
        line: Int = #line
    ) {
        append(ConfiguredFunction(decorator, origin: origin ?? "\(fileID):\(line)"))
    }
}

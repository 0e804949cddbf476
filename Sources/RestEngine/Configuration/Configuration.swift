/// How to request a resource with one method: the combined settings of the blocks that match its URL, in
/// their order. Frozen once made; see `ConfigurationTable`.
public struct Configuration: Sendable {
    package var expirationSeconds: Double = 30
    package var retrySeconds: Double = 1
    /// Set on every request before its own headers (rule 15.1).
    public var headers = Headers()
    package var progressSeconds: Double = 0.05
    /// Seconds; 0: observed resources are loaded only on request, like all others.
    package var refreshSeconds: Double = 0
    /// The stages that each response goes through.
    public var pipeline = Pipeline()
    /// The time limits of a transfer.
    public var timeouts = Timeouts()
    /// The limit for the bytes of a response's decoded body.
    public var maxBodyBytes: Int = 64 << 20
    /// Whether and how redirects are followed.
    public var redirects = RedirectPolicy()
    /// The settings for attempts; nil until a block sets one.
    var attemptRules: AttemptRulesBox?
    /// Whether reads of a stale resource join the load in flight.
    public var isCollapsing = true
    /// Whether they also wait for the loads of other hosts, without a cache that hosts share.
    package var sharesLoads = false
    /// Whether each message is a span of a trace, announced to the server in a header (rules 59).
    public var isTraced = false
    /// Whether messages carry the ID of the client's request for which they are sent (rule 74.2).
    public var sendsRequestID = true
    /// Set if the content of a GET is a stream of contents; nil: it is one content.
    public var stream: ContentStream?
    /// Checks contents against a schema; nil: none does.
    package var schema: SchemaCheck?
    /// Set if the resource is computed; nil: its content comes from the network.
    var computation: ComputedDeclaration?
    /// Edit requests before they are sent, in order (rule 15.1).
    public var mutators: [ConfiguredFunction<RequestMutation>] = []
    /// Wrap or replace requests before they start, in order (15.4).
    public var decorators: [ConfiguredFunction<RequestDecorator>] = []

    /// All defaults, without blocks.
    public init() {}
}

extension Configuration {
    /// How long loaded data stays up to date; 30 seconds, unless a block says otherwise.
    public var expirationTime: Duration {
        get { Duration(inSeconds: expirationSeconds) }
        set { expirationSeconds = newValue.inSeconds }
    }

    /// How long after a failed load `loadIfNeeded` does not try again when there is no fresh data; one
    /// second, unless a block says otherwise.
    public var retryTime: Duration {
        get { Duration(inSeconds: retrySeconds) }
        set { retrySeconds = newValue.inSeconds }
    }

    /// How long after its last load an observed resource is loaded again; zero means never, and is the
    /// default.
    public var refreshWhileObserved: Duration {
        get { Duration(inSeconds: refreshSeconds) }
        set { refreshSeconds = newValue.inSeconds }
    }

    /// The time between progress notifications; 50 milliseconds, unless a block says otherwise.
    public var progressInterval: Duration {
        get { Duration(inSeconds: progressSeconds) }
        set { progressSeconds = newValue.inSeconds }
    }
}

/// Gets the URL that redirects, the target, and the status; if it returns false, the redirect itself is the
/// response.
public typealias RedirectReview = @EngineActor (_ from: String, _ to: String, _ status: Int) throws -> Bool

/// Edits a request before it is sent.
public typealias RequestMutation = @EngineActor (inout RequestDraft) throws -> Void

/// Gets a request that has not started. Returns the request to use instead, which may be the same.
public typealias RequestDecorator = @EngineActor (Resource, Request) throws -> Request

/// Whether and how redirects are followed (RFC 9110 15.4).
public struct RedirectPolicy: Sendable {
    /// If false, the redirect itself is the response.
    public var follow = true
    /// The number of redirects in one exchange; more are an error.
    public var max = 20
    /// Headers that are kept on a redirect to another origin, besides Accept*, Content-* and User-Agent. List
    /// only headers that any other origin may see.
    public var keepHeaders: [HeaderName] = []
    /// Called before each redirect is followed. If it throws, the request fails with that error.
    public var on: ConfiguredFunction<RedirectReview>?

    /// Follows up to 20 redirects.
    public init() {}
}

/// A function that a block added, with the source line of the block.
public struct ConfiguredFunction<Function: Sendable>: Sendable {
    /// The function itself.
    package let function: Function
    /// `file:line`, for `explain`.
    package let origin: String
    /// The kind of authentication, if the function is known to send secrets: `rest.auth.basic`, for example.
    package let authentication: String?
    /// The Authorization field that the function adds to each request, where that is known; used only to
    /// write command lines.
    let authorization: String?

    package init(_ function: Function, origin: String, authentication: String? = nil) {
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
    /// Adds a function that edits requests, after the others.
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
    /// Adds a function that wraps or replaces requests, after the others.
    ///
    /// - Parameter origin: `file:line`; nil: the line of this call.
    public mutating func append(
        _ decorator: @escaping RequestDecorator, origin: String? = nil, fileID: String = #fileID,
        line: Int = #line
    ) {
        append(ConfiguredFunction(decorator, origin: origin ?? "\(fileID):\(line)"))
    }
}

/// The work of a request between start and outcome: the part that differs between network, canned and custom
/// requests.
@EngineActor
protocol RequestWork: AnyObject {
    /// Begins; the outcome goes to ``Request/complete(_:)``. Called at most once.
    func start(_ request: Request)

    /// The request was cancelled: while it ran, or before its start, in which case it never starts.
    func cancel(isRunning: Bool)

    /// The same work again, from the beginning (rules 9).
    func repeated() -> any RequestWork

    /// 0…1, while it runs.
    var fraction: Double { get }

    /// Seconds between two progress reports.
    var progressInterval: Double { get }

    /// The resource that lists the request while it runs (4.8, D5).
    var lister: Resource? { get }

    /// URL and method for an error of this request; nil if there is no URL.
    var target: (url: String, method: String)? { get }

    /// Whether it waits for that request, as far as can be known: that request must not wait for it in turn.
    func mayWait(for request: Request) -> Bool

    /// A token refresh has started to depend on this request.
    func need(by pass: RefreshPass)

    /// The time limit of a configuration, for work without a limit of its own.
    func limitTime(to seconds: Double)

    /// Seconds from its start to its end; 0 for any time.
    var totalSeconds: Double { get }

    /// Delivers the body of its success to a receiver; false if it is too late, or if the work uses no
    /// network.
    func giveBody(to receiver: any BodyReceiver) -> Bool

    /// Sets the credentials of its messages.
    func authenticate(by authentication: any RequestAuthentication)

    /// The work that sends messages, of the request itself or of the one that a chain begins with; nil if
    /// there is none.
    var network: NetworkWork? { get }

    /// Whether it sends messages itself, so that events are made for it (rules 46).
    var isNotified: Bool { get }

    /// Bytes that it holds as long as its request lives, without those of an entity that is counted already.
    func heldBytes(beside known: Entity?) -> Int

    /// For logs: method and URL, or another description.
    var description: String { get }
}

extension RequestWork {
    var progressInterval: Double { 0.05 }
    var lister: Resource? { nil }
    var target: (url: String, method: String)? { nil }
    func need(by pass: RefreshPass) {}
    func limitTime(to seconds: Double) {}
    var totalSeconds: Double { 0 }
    func giveBody(to receiver: any BodyReceiver) -> Bool { false }
    func authenticate(by authentication: any RequestAuthentication) {}
    func mayWait(for request: Request) -> Bool { false }
    var network: NetworkWork? { nil }
    var isNotified: Bool { false }
}

extension Request {
    /// The bytes of the message that is under way; nil if there is none.
    package var transferred: TransferProgress? { work.network?.transfer?.progress }
}

/// How to make a request: once for itself, and again for each repeat (rule 9.2).
struct RequestPlan {
    var method: String
    /// Whether it is a load, which asks only for newer data than the existing one (rules 19.8, D14).
    var isLoad = false
    /// Whether the load of another host is as good.
    var isShared = false
    var mutations: [RequestMutation] = []
    var usesPipeline = true
    /// A success is the body as the server sent it; the pipeline is for failures alone.
    var isRaw = false
    /// See ``PipelineContext/allowsFragments``.
    var allowsFragments = false
    /// See ``Exchange/body``.
    var keepsBody = false
    var authentication: (any RequestAuthentication)?
    /// The functions of a definition, which run after all matching blocks.
    var configuration: [ConfigurationFunction] = []
    /// Seconds for the whole exchange, instead of the configured ones.
    var timeout: Double?
    /// When it must have ended, on the scheduler's uptime clock.
    var deadline = Double.infinity
    /// The destination for the body of a success; nil: it becomes content.
    var destination: BodyDestination?
    /// Bytes that the mutations hold, above all those of the body, and the work itself.
    var heldBytes = 2048
}

/// The destination for the body of a success that is not kept in memory.
package enum BodyDestination {
    case file(String)
    case receiver(any BodyReceiver)
    /// A stream of events, without an end.
    case events(any BodyReceiver)
}

/// The work of a request whose outcome was known from the start.
@EngineActor
final class HardWiredWork: RequestWork {
    func start(_ request: Request) {}
    func cancel(isRunning: Bool) {}
    func repeated() -> any RequestWork { self }
    func heldBytes(beside known: Entity?) -> Int { 0 }
    var fraction: Double { 1 }
    var description: String { "hard-wired request" }
}

/// The messages of one request: head and times of the last answer, for tools that show them.
public struct Exchange: Sendable {
    /// The URL that the answer came from, after redirects.
    public let url: String
    /// The status of the last answer.
    public let status: Int
    /// `HTTP/1.1`, `HTTP/2`, ….
    public let httpVersion: String
    /// The headers of the last answer.
    public let headers: Headers
    /// The timings of the last transfer.
    public let timings: TransferTimings
    /// The number of redirects that were followed.
    public let redirects: Int
    /// The body as received, decompressed; only for requests whose caller wants it in addition to the
    /// pipeline's result.
    package let body: [UInt8]?
    /// The method of the message that was answered.
    let method: String
    /// When that message was sent, in Unix seconds.
    let began: Double
    /// See ``RequestAttempt/remoteAddress``.
    let remoteAddress: String?
}

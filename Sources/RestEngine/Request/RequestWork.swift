/// What a request does between start and outcome: the part in which network, canned and custom requests
/// differ.
@EngineActor
protocol RequestWork: AnyObject {
    /// Begins; the outcome goes to ``Request/complete(_:)``. Called once at most.
    func start(_ request: Request)

    /// The request was cancelled: while it ran, or before it started, and then it never will.
    func cancel(isRunning: Bool)

    /// The same again, from the beginning (rules 9).
    func repeated() -> any RequestWork

    /// 0…1, while it runs.
    var fraction: Double { get }

    /// Seconds between two reports of progress.
    var progressInterval: Double { get }

    /// The resource that lists the request while it runs (4.8, D5).
    var lister: Resource? { get }

    /// What an error of this request names; nil when there is no URL.
    var target: (url: String, method: String)? { get }

    /// Whether it waits for that request, as far as anybody can know: what does must not be waited for in
    /// turn.
    func mayWait(for request: Request) -> Bool

    /// A token refresh has come to depend on this request.
    func need(by pass: RefreshPass)

    /// The time that a configuration gives it, if it has no limits of its own.
    func limitTime(to seconds: Double)

    /// Seconds from its start to its end; 0 for any time.
    var totalSeconds: Double { get }

    /// Gives the body of its success away; false when it is too late, or nothing comes over a network.
    func giveBody(to receiver: any BodyReceiver) -> Bool

    /// Credentials for what it sends.
    func authenticate(by authentication: any RequestAuthentication)

    /// It goes over the network by itself, and events tell of it (rules 46).
    var isNotified: Bool { get }

    /// Bytes that it keeps for as long as its request lives, without those of an entity that counts already.
    func heldBytes(beside known: Entity?) -> Int

    /// For logs: method and URL, or what it is.
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
    var isNotified: Bool { false }
}

/// How a request is made, each time it is made: once for itself, and again for a repeat (rule 9.2).
struct RequestPlan {
    var method: String
    /// A load, which asks for nothing that is there already (rules 19.8, D14).
    var isConditional = false
    var mutations: [RequestMutation] = []
    var usesPipeline = true
    /// See ``Exchange/body``.
    var keepsBody = false
    var authentication: (any RequestAuthentication)?
    /// A definition's own functions, behind all blocks that match.
    var configuration: [ConfigurationFunction] = []
    /// Seconds for the whole exchange, in place of what is configured.
    var timeout: Double?
    /// Where the body of a success goes; nil: it becomes content.
    var destination: BodyDestination?
    /// Bytes that the mutations keep, those of the body above all, and the work itself.
    var heldBytes = 2048
}

/// Where the body of a success goes that is not to be in memory.
enum BodyDestination {
    case file(String)
    case receiver(any BodyReceiver)
    /// For as long as it comes.
    case events(any BodyReceiver)
}

/// The work of a request whose outcome was known from the start: none.
@EngineActor
final class HardWiredWork: RequestWork {
    func start(_ request: Request) {}
    func cancel(isRunning: Bool) {}
    func repeated() -> any RequestWork { self }
    func heldBytes(beside known: Entity?) -> Int { 0 }
    var fraction: Double { 1 }
    var description: String { "hard-wired request" }
}

/// What went over the wire for one request: the last answer's head and times, for tools that show them.
public struct Exchange: Sendable {
    /// Where the answer came from, after redirects.
    public let url: String
    /// The status of the last answer.
    public let status: Int
    /// `HTTP/1.1`, `HTTP/2`, ….
    public let httpVersion: String
    /// The headers of the last answer.
    public let headers: Headers
    /// The timings of the last transfer.
    public let timings: TransferTimings
    /// Redirects that were followed to get there.
    public let redirects: Int
    /// As it came, decompressed; only of requests whose caller wants it beside what the pipeline makes of it.
    package let body: [UInt8]?
    /// Of the message that was answered.
    let method: String
    /// When that was sent, in Unix seconds.
    let began: Double
    /// See ``RequestAttempt/remoteAddress``.
    let remoteAddress: String?
}

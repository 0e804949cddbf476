public import RestEngine

/// The host behind the gateway, as far as `/-/` routes can command it and ask about it.
public protocol HostControl: Sendable {
    /// Loads the script again, and activates it if it is valid; otherwise everything stays as it was.
    /// `completion` is called exactly once, maybe before this returns.
    @EngineActor func reload(_ completion: @escaping @EngineActor (Result<Tree, ControlProblem>) -> Void)

    /// The host's status for operators, as an object.
    @EngineActor var status: Tree { get }

    /// Explains how a request for the resource at `url` would be configured and sent, with secrets masked.
    /// `completion` is called exactly once, maybe before this returns.
    @EngineActor func explain(
        _ service: Service, url: URLText, method: String,
        _ completion: @escaping @EngineActor (Result<Tree, ControlProblem>) -> Void
    )

    /// The metrics that the host adds to the gateway's own.
    @EngineActor var metrics: [MetricFamily] { get }

    /// The requests that the script defines and that clients can make.
    @EngineActor var operations: [GatewayOperation] { get }

    /// The host's log, for clients that follow it; nil if there is none.
    var log: HostLog? { get }

    /// The host's latest requests, for people who look later; nil if it keeps none.
    var history: HostHistory? { get }
    /// The failures of the host, each as it happens, for operators; nil if they are not noted.
    var failures: HostLog? { get }

    /// The lines around one line of the script that an error named. Only files of the script are readable.
    @EngineActor func source(_ file: String, line: Int) throws(ControlProblem) -> Tree
}

extension HostControl {
    public var metrics: [MetricFamily] { [] }
    public var log: HostLog? { nil }
    public var history: HostHistory? { nil }
    public var failures: HostLog? { nil }
    public var operations: [GatewayOperation] { [] }

    @EngineActor
    public func source(_ file: String, line: Int) throws(ControlProblem) -> Tree {
        throw ControlProblem(404, "no_source", "there is no such file of the script")
    }
}

/// The reason why a command failed.
public struct ControlProblem: Error, Sendable, Equatable {
    /// The status code of the answer.
    public var status: Int
    /// One of a fixed set of names, for programs.
    public var code: String
    /// A sentence for people.
    public var detail: String
    /// Further members of the answer's object, such as file and line.
    public var members: [Member]

    /// A name with its value.
    public struct Member: Sendable, Equatable {
        public var name: String
        public var value: Tree

        public init(_ name: String, _ value: Tree) {
            self.name = name
            self.value = value
        }
    }

    public init(_ status: Int, _ code: String, _ detail: String, members: [Member] = []) {
        self.status = status
        self.code = code
        self.detail = detail
        self.members = members
    }
}

/// The services that the gateway serves. The host provides them, and may change them at any time.
public protocol GatewayDirectory: Sendable {
    @EngineActor func service(named name: String) -> Service?
    @EngineActor var serviceNames: [String] { get }
    @EngineActor var health: GatewayHealth { get }
    /// False when the host ends soon, so that clients go elsewhere.
    @EngineActor var isReady: Bool { get }
    /// The engine of all services.
    @EngineActor var engine: Engine? { get }
}

extension GatewayDirectory {
    @EngineActor public var isReady: Bool { true }

    /// The engine of the first service.
    @EngineActor public var engine: Engine? {
        serviceNames.first.flatMap { service(named: $0) }?.engine
    }
}

/// The host's own report under `/-/health`.
public struct GatewayHealth: Sendable, Equatable {
    public enum Status: String, Sendable {
        case ok, degraded
    }

    public var status: Status
    /// A text for people: the reason why the host is degraded.
    public var message: String?

    public init(_ status: Status = .ok, message: String? = nil) {
        self.status = status
        self.message = message
    }
}

public import RestEngine

/// The host behind the gateway, as far as `/-/` routes can command it and ask about it.
public protocol HostControl: Sendable {
    /// Loads the script anew, and takes over what was loaded if it is sound; else everything stays as it was.
    /// `completion` is called exactly once, maybe before this returns.
    @EngineActor func reload(_ completion: @escaping @EngineActor (Result<Tree, ControlProblem>) -> Void)

    /// What operators want to know, as an object.
    @EngineActor var status: Tree { get }

    /// How a request for the resource at `url` would be configured and sent, secrets masked. `completion` is
    /// called exactly once, maybe before this returns.
    @EngineActor func explain(
        _ service: Service, url: URLText, method: String,
        _ completion: @escaping @EngineActor (Result<Tree, ControlProblem>) -> Void
    )

    /// What the host adds to the gateway's own metrics.
    @EngineActor var metrics: [MetricFamily] { get }

    /// Requests that the script defines, of those that others can make.
    @EngineActor var operations: [GatewayOperation] { get }

    /// For those who follow it; nil without one.
    var log: HostLog? { get }

    /// Lines of the script around one that an error named; of none but the files that the script is made of.
    @EngineActor func source(_ file: String, line: Int) throws(ControlProblem) -> Tree
}

extension HostControl {
    public var metrics: [MetricFamily] { [] }
    public var log: HostLog? { nil }
    public var operations: [GatewayOperation] { [] }

    @EngineActor
    public func source(_ file: String, line: Int) throws(ControlProblem) -> Tree {
        throw ControlProblem(404, "no_source", "there is no such file of the script")
    }
}

/// Why a command wasn't carried out.
public struct ControlProblem: Error, Sendable, Equatable {
    /// The status code of the answer.
    public var status: Int
    /// A bounded name, for programs.
    public var code: String
    /// A sentence for people.
    public var detail: String
    /// More members for the answer's object, file and line for example.
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

/// Where the gateway finds services. The host stands behind it and may change what it gives at any time.
public protocol GatewayDirectory: Sendable {
    @EngineActor func service(named name: String) -> Service?
    @EngineActor var serviceNames: [String] { get }
    @EngineActor var health: GatewayHealth { get }
    /// Of all services.
    @EngineActor var engine: Engine? { get }
}

extension GatewayDirectory {
    /// That of the first service.
    @EngineActor public var engine: Engine? {
        serviceNames.first.flatMap { service(named: $0) }?.engine
    }
}

/// What the host says about itself under `/-/health`.
public struct GatewayHealth: Sendable, Equatable {
    public enum Status: String, Sendable {
        case ok, degraded
    }

    public var status: Status
    /// For people; why it is degraded.
    public var message: String?

    public init(_ status: Status = .ok, message: String? = nil) {
        self.status = status
        self.message = message
    }
}

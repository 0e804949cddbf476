public import RestEngine

/// The host behind the gateway, as far as `/-/` routes can command it and ask about it.
public protocol HostControl: Sendable {
    /// Loads the script anew, and takes over what was loaded if it is sound; else everything stays as it was.
    /// `completion` is called exactly once, maybe before this returns.
    @EngineActor func reload(_ completion: @escaping @EngineActor (Result<Tree, ControlProblem>) -> Void)

    /// What operators want to know, as an object.
    @EngineActor var status: Tree { get }

    /// How a request for the resource at `url` would be configured and sent, secrets masked.
    @EngineActor func explain(
        _ service: Service, url: URLText, method: String
    ) throws(ControlProblem) -> Tree
}

/// Why a command wasn't carried out.
public struct ControlProblem: Error, Sendable, Equatable {
    /// Of the answer.
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

/// What a script may reach outside of itself (design, Limits and security).
public struct Capabilities: Sendable, Equatable {
    public enum Paths: Sendable, Equatable {
        case all
        /// These files, and what is below these folders. Absolute.
        case below([String])
    }

    public enum Hosts: Sendable, Equatable {
        case all
        /// Those of the services that the script declares.
        case declared
        case only([HostGrant])
    }

    /// Files that it may read, beside the modules that `require` finds.
    public var read = Paths.below([])
    /// Files that it may write.
    public var write = Paths.below([])
    /// Hosts that its requests may go to.
    public var hosts = Hosts.all

    public init() {}

    public static var all: Capabilities {
        var all = Capabilities()
        all.read = .all
        all.write = .all
        return all
    }
}

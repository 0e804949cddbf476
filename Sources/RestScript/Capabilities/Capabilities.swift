/// What a script may reach outside of itself; see <doc:LimitsAndGrants>.
public struct Capabilities: Sendable, Equatable {
    public enum Paths: Sendable, Equatable {
        case all
        /// What lies below the script's own folder, and `also` these files and what is below these folders; but nothing
        /// below that folder whose name, or a folder's on the way, begins with a dot. A script that may write there makes no
        /// programs all the same: no Lua files, and nothing that may be executed.
        case scriptFolder(also: [String] = [])
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
    public var read = Paths.scriptFolder()
    /// Files that it may write, databases and sockets among them.
    public var write = Paths.scriptFolder()
    /// Hosts that its requests may go to, on their way through a proxy too.
    public var hosts = Hosts.all

    public init() {}

    public static var all: Capabilities {
        var all = Capabilities()
        all.read = .all
        all.write = .all
        return all
    }
}

/// The fact that a command had no useful reply. It is a normal event: callers go on without the server.
package struct RedisFailure: Error, Sendable, Equatable, CustomStringConvertible {
    package enum Kind: String, Sendable, CaseIterable {
        /// There is no connection.
        case unreachable
        /// No reply within the timeout.
        case timedOut = "timed_out"
        /// The server wants another password, or the user may not run the command.
        case refused
        /// The server still reads its data from the disk.
        case loading
        /// The server is a replica, or may not write to its disk.
        case readOnly = "read_only"
        /// The server has used up its memory.
        case full
        /// The bytes of the server are not those of the protocol.
        case `protocol`
        /// The server is part of a cluster, which needs another client.
        case cluster
        /// Too many commands wait for replies.
        case overloaded
        /// The server doesn't know the script of an EVALSHA.
        case noScript = "no_script"
        /// The key has a value of another type, which another program has put there.
        case foreign
        /// The command was not made, because its value can't leave the process.
        case unsuitable
        /// Any other error reply.
        case other
    }

    package let kind: Kind
    /// One sentence without secrets.
    package let message: String

    package init(_ kind: Kind, _ message: String) {
        (self.kind, self.message) = (kind, message)
    }

    package var description: String { message }

    /// The failure that an error reply means (redis.io/docs/latest/develop/reference/protocol-spec,
    /// "Simple errors").
    package init(reply: String) {
        let code = reply.prefix { $0 != " " }
        let kind: Kind =
            switch code {
            case "NOAUTH", "WRONGPASS", "NOPERM", "DENIED": .refused
            // The answer of servers before version 6 to a wrong password.
            case "ERR" where reply.hasPrefix("ERR invalid password"): .refused
            // The answer to AUTH of a server without a password.
            case "ERR" where reply.contains("without any password configured"): .refused
            case "LOADING", "MASTERDOWN": .loading
            case "READONLY", "MISCONF", "NOREPLICAS": .readOnly
            case "OOM": .full
            case "MOVED", "ASK", "CLUSTERDOWN", "CROSSSLOT", "TRYAGAIN": .cluster
            case "NOSCRIPT": .noScript
            case "WRONGTYPE": .foreign
            default: .other
            }
        let advice = kind == .cluster ? "; clusters are not supported: name one server, or a sentinel" : ""
        self.init(kind, "the server answered: " + Self.shown(reply) + advice)
    }

    /// The part of an error reply that may be shown. A server that doesn't know a command repeats its
    /// arguments, and a password may be among them.
    private static func shown(_ reply: String) -> String {
        let end = reply.firstRange(of: ", with args")?.lowerBound ?? reply.endIndex
        let text = reply[..<end].prefix(200)
        return String(text.map { $0.isNewline || ($0.asciiValue ?? 32) < 32 ? " " : $0 })
    }
}

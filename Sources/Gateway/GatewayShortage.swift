/// Why clients of a gateway wait or are sent away.
public enum GatewayShortage: Sendable, Hashable, CustomStringConvertible {
    /// Of the process, which may have so many.
    case descriptors(limit: Int)
    case systemDescriptors
    case systemMemory
    /// There are so many, which is the limit.
    case connections(limit: Int)

    /// A sentence for operators, with what to do.
    public var description: String {
        switch self {
        case .descriptors(let limit):
            "out of file descriptors: this process may have \(limit); idle clients are closed, and new ones wait or get 503. "
                + "Allow more before it starts: ulimit -Hn 65536, LimitNOFILE=65536 in a systemd unit, --ulimit nofile=65536 "
                + "for a container"
        case .systemDescriptors:
            "the system is out of file descriptors: clients wait or get 503. Raise fs.file-max (sysctl), or end what holds them"
        case .systemMemory: "the system is out of memory for connections: clients wait or get 503"
        case .connections(let limit):
            "\(limit) clients are connected, which is the limit: idle ones are closed, and new ones may get 503"
        }
    }
}

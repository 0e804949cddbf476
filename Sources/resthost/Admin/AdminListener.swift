import Gateway
import Platform
import RestEngine

/// The socket at which a run accepts commands.
enum AdminListener {
    /// The value of `--admin`.
    enum Address: Equatable {
        case standard
        case path(String)
        case none

        init(_ text: String?) {
            switch text {
            case nil: self = .standard
            case "off": self = .none
            case .some(let text): self = .path(text.hasPrefix("unix:") ? String(text.dropFirst(5)) : text)
            }
        }
    }

    struct ListenError: Error {
        var message: String
    }

    /// Starts to listen. Returns the gateway and the socket's path; nil when no socket is wanted.
    @EngineActor
    static func start(
        _ address: Address, directory: any GatewayDirectory, control: any HostControl,
        folder: AdminFolder = .standard(), process: pid_t = getpid(),
        sockets: ListeningSockets = .own(given: [:]), peers: (any GatewayPeers)? = nil,
        metrics: GatewayMetrics = GatewayMetrics(),
        onShortage: @escaping @Sendable (GatewayShortage) -> Void = { _ in }
    ) throws(ListenError) -> (gateway: Gateway, path: String)? {
        let path: String
        switch address {
        case .none: return nil
        case .path(let given): path = absolute(given)
        case .standard:
            if let problem = folder.make() { throw ListenError(message: problem) }
            folder.removeAbandoned()
            path = folder.socket(of: process)
        }
        var configuration = GatewayConfiguration()
        configuration.listen = ["unix:" + path]
        configuration.audience = .admins
        configuration.threads = 1
        configuration.limits.maxConnections = 64
        configuration.onShortage = onShortage
        configuration.metrics = metrics
        configuration.peers = peers
        do throws(GatewayError) {
            try sockets.add(to: &configuration, role: "admin")
            let gateway = try Gateway(configuration, directory: directory, control: control)
            _ = try gateway.start()
            return (gateway, path)
        } catch { throw ListenError(message: "\(error)") }
    }

    private static func absolute(_ path: String) -> String {
        path.hasPrefix("/") ? path : WorkingFolder.path + "/" + path
    }
}

/// The current folder, which relative paths refer to.
enum WorkingFolder {
    static var path: String {
        guard let text = getcwd(nil, 0) else { return "." }
        defer { free(text) }
        return String(cString: text)
    }

    /// - Parameter path: A path, which may be relative to the current folder.
    static func hasFolder(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }
}

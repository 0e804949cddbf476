import Platform

/// Errors that keep a gateway from starting.
public enum GatewayError: Error, Sendable, Equatable, CustomStringConvertible {
    case badAddress(String, why: String)
    case addressInUse(String)
    case permissionDenied(String)
    case addressNotAvailable(String)
    case missingFolder(String)
    case badAccessPolicy(service: String, message: String)
    /// A header that can't be forwarded or kept.
    case badHeader(String)
    /// A secret header that may only be forwarded as a credential.
    case secretHeader(String)
    /// A credential that isn't among the forwarded headers.
    case unforwardedCredential(String)
    case badRoute(String)
    /// A file for TLS that can't be used.
    case badCertificate(String, why: String)
    case badTLS(String)
    /// An address that other machines reach, whose clients would be operators without showing anything.
    case openToOperators(String)
    case badCORS(String)
    /// Proxies that can't be trusted as they are configured.
    case badProxies(String)
    /// Credentials that can't be checked as they are configured.
    case badCredentials(String)
    case alreadyStarted
    case notRunning
    /// The address overlaps one that this gateway listens on until it stops.
    case addressOverlaps(String, with: String)
    case cannotListen(String, message: String)

    /// The error for a number of errno(3) that `bind` or `listen` gave.
    package static func listening(at text: String, code: Int32) -> GatewayError {
        switch code {
        case EADDRINUSE: .addressInUse(text)
        case EACCES, EPERM: .permissionDenied(text)
        case EADDRNOTAVAIL: .addressNotAvailable(text)
        case ENOENT, ENOTDIR: .missingFolder(text)
        default: .cannotListen(text, message: String(cString: strerror(code)))
        }
    }

    public var description: String {
        switch self {
        case .badAddress(let text, let why): "'\(text)' is no address to listen on: \(why)"
        case .addressInUse(let text): "another program is listening on \(text)"
        case .permissionDenied(let text): "no permission to listen on \(text)"
        case .addressNotAvailable(let text): "this machine has no address \(text)"
        case .missingFolder(let text): "the folder of the socket \(text) does not exist"
        case .badAccessPolicy(let service, let message): "exposed paths of '\(service)': \(message)"
        case .badHeader(let why): "\(why): remove it from the list"
        case .secretHeader(let name):
            "'\(name)' is secret: list it in forward.credentials, too, which gives each client content of its own"
        case .unforwardedCredential(let name):
            "'\(name)' is in forward.credentials, but not in forward.headers: list it there, too"
        case .badRoute(let why), .badCORS(let why), .badTLS(let why), .badCredentials(let why),
            .badProxies(let why):
            why
        case .openToOperators(let text):
            "other machines reach '\(text)', so operators need a token or a certificate there, and nothing asks for one"
        case .badCertificate(let path, let why): "'\(path)' can't be used for TLS: \(why)"
        case .notRunning: "the gateway isn't running"
        case .addressOverlaps(let text, let other):
            "the gateway itself is listening on \(other), so \(text) is taken until it is stopped"
        case .alreadyStarted: "the gateway has been started before"
        case .cannotListen(let text, let message): "cannot listen on \(text): \(message)"
        }
    }
}

/// Reasons why clients of a gateway wait or are refused.
public enum GatewayShortage: Sendable, Hashable, CustomStringConvertible {
    /// The process may have no more descriptors than this limit.
    case descriptors(limit: Int)
    case systemDescriptors
    case systemMemory
    /// There are as many connections as the limit allows.
    case connections(limit: Int)

    /// A sentence for operators that says how to help.
    public var description: String {
        switch self {
        case .descriptors(let limit):
            "out of file descriptors: this process may have \(limit); idle clients are closed, and new ones wait or get 503. "
                + "Allow more before it starts: ulimit -Hn 65536, LimitNOFILE=65536 in a systemd unit, --ulimit nofile=65536 "
                + "for a container"
        case .systemDescriptors:
            "the system is out of file descriptors: clients wait or get 503. Raise fs.file-max (sysctl), or end programs that hold many"
        case .systemMemory: "the system is out of memory for connections: clients wait or get 503"
        case .connections(let limit):
            "\(limit) clients are connected, which is the limit: idle ones are closed, and new ones may get 503"
        }
    }
}

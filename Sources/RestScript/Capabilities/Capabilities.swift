import RestEngine

/// The files and hosts that a script may use; see docs/guides/limits-and-grants.md.
public struct Capabilities: Sendable, Equatable {
    public enum Paths: Sendable, Equatable {
        case all
        /// Everything below the script's own folder, except names and folders that begin with a dot; in
        /// addition the files in `also` and everything below its folders. A script that may write there still
        /// cannot make programs: it may not write Lua files or executable files.
        case scriptFolder(also: [String] = [])
        /// These files, and everything below these folders. The paths are absolute.
        case below([String])
    }

    public enum Hosts: Sendable, Equatable {
        case all
        /// The hosts of the services that the script declares.
        case declared
        case only([HostGrant])
    }

    /// Files that it may read, beside the modules that `require` finds.
    public var read = Paths.scriptFolder()
    /// Files that it may write, databases and sockets among them.
    public var write = Paths.scriptFolder()
    /// Hosts that its requests may go to, through a proxy as well.
    public var hosts = Hosts.all

    public init() {}

    public static var all: Capabilities {
        var all = Capabilities()
        all.read = .all
        all.write = .all
        return all
    }
}

/// A host that may be requested: `api.example.com`, `localhost:8080`, `*.example.com`, or `unix:/path` for a
/// socket.
public struct HostGrant: Sendable, Equatable, CustomStringConvertible {
    public let description: String
    private let host: String
    /// Nil grants all ports of the host.
    private let port: Int?
    private let isWildcard: Bool

    /// Nil when the text has none of these forms.
    public init?(_ text: String) {
        description = text
        if text.hasPrefix("unix:") {
            guard text.utf8.count > "unix:".utf8.count else { return nil }
            host = text
            port = nil
            isWildcard = false
            return
        }
        isWildcard = text.hasPrefix("*.")
        let rest = PercentEncoding.nonASCII((isWildcard ? String(text.dropFirst(2)) : text).lowercased())
            .lowercased()
        // The port follows the bracket of an IPv6 address, or the only colon.
        let end = rest.lastIndex(of: "]") ?? rest.startIndex
        if let colon = rest[end...].lastIndex(of: ":") {
            guard let number = Int(rest[rest.index(after: colon)...]), (1...65535).contains(number) else {
                return nil
            }
            port = number
            host = String(rest[..<colon])
        } else {
            port = nil
            host = rest
        }
        let allowed = host.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "."),
                UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: ":"),
                UInt8(ascii: "%"):
                true
            default: false
            }
        }
        guard !host.isEmpty, allowed, host.hasPrefix("[") == host.hasSuffix("]") else { return nil }
    }

    /// The advice for text that is not a host.
    public static func advice(_ text: String) -> String {
        "'\(text)' is not a host: write api.example.com, localhost:8080, *.example.com or unix:/path"
    }

    /// The host and port of a declared service.
    init?(_ url: URLText) {
        guard let host = url.host else { return nil }
        self.init("\(host):\(Self.port(of: url))")
    }

    func covers(_ url: URLText) -> Bool {
        guard let host = url.host else { return false }
        return covers(host: host, port: Self.port(of: url))
    }

    func covers(host asked: String, port askedPort: Int) -> Bool {
        let asked = asked.lowercased()
        let isHost = isWildcard ? asked.hasSuffix("." + host) : asked == host
        guard isHost else { return false }
        guard let port else { return true }
        // A service on one of the two standard ports may use the other port, too.
        return askedPort == port || [80, 443].contains(port) && [80, 443].contains(askedPort)
    }

    func coversSocket(_ path: String) -> Bool { host == "unix:" + path }

    private static func port(of url: URLText) -> Int { url.port ?? (url.scheme == "http" ? 80 : 443) }
}
